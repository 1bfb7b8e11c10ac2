/* Bitmap filter: a small bitmap of every key set, by which most candidates are rejected before their texts are read.
 *
 * A bitmap filter (Sandes, Teodoro & Melo 2020) over a uniform sample of the set, so that 128 bytes are enough for any
 * length. The sample has the keys whose product with a multiplier has 0 in `level` bits from bit 16 on; each sets the
 * bit whose number is in bits 32 ... 41 of the product. With a salt nobody else knows the multiplier: anybody who did
 * could edit what the sample takes and nothing else. The level depends on the bytes of the normal form, so that no set
 * need be made for it, and leaves some 200 to 500 keys.
 *
 * A key of A's sample that B lacks sets a bit that B's bitmap does not have, unless a key of B sets that by chance. How
 * many such bits of A there are on average, at the threshold, follows from how many bits both have. A pair is rejected
 * if there are more than that and five standard deviations: bits of A that B lacks, bits of B that A lacks, or both
 * together, which says more, being twice as many. So a pair at the threshold is lost once in three million. At level 0
 * the sample is the whole set, so that its numbers say more.
 *
 * In memory a bitmap is folded, bits 512 and on laid over those below: it rejects a little less, in half the memory and
 * one cache line.
 */
#ifndef NEARDUP_BITMAP_FILTER_H
#define NEARDUP_BITMAP_FILTER_H

#include "core.h"
#include "vectors.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum {
    BITMAP_WORDS = 16,                 /* 64-bit words of a bitmap, as it is stored */
    BITMAP_PLACES = 64 * BITMAP_WORDS, /* its bits */
    HELD_WORDS = BITMAP_WORDS / 2,     /* words as it is compared: its two halves, one laid over the other */
    HELD_BITS = 64 * HELD_WORDS,
    BITMAP_LEVELS = 3, /* bitmaps of a document that is compared: at the level below its own, its own, the one above */
    SAMPLE = 256,
    SPREAD = 5,
};

/* Level of a normal form of `size` bytes: the largest that leaves 256 or more of as many windows, or 0. */
static inline i64 level_of(i64 size) {
    i64 level = 0;
    while (size >> (level + 1) >= SAMPLE) level++;
    return level;
}

/* The top bits of 64 bytes, which are 0 or 0xFF. */
static inline u64 bits_of_bytes(const u8 *bytes) {
#if defined(__AVX512BW__)
    return _mm512_movepi8_mask(_mm512_loadu_si512(bytes));
#elif defined(__AVX2__)
    const u32 low = (u32)_mm256_movemask_epi8(_mm256_loadu_si256((const __m256i *)bytes));
    const u32 high = (u32)_mm256_movemask_epi8(_mm256_loadu_si256((const __m256i *)(bytes + 32)));
    return (u64)high << 32 | low;
#elif defined(__SSE2__)
    u64 bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= (u64)(u32)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i))) << (16 * i);
    return bits;
#else
    u64 bits = 0;
    for (int i = 0; i < 8; i++) /* the product has bit k of its top byte from byte k */
        bits |= ((read64(bytes + 8 * i) & 0x0101010101010101) * 0x0102040810204080) >> 56 << (8 * i);
    return bits;
#endif
}

/* The place of a sampled key's bit, by its product, and above it the two bits that decide on the next levels' samples.
 */
static inline u64 flag_of(u64 product, i64 lowest) {
    return (product >> 32 & (BITMAP_PLACES - 1)) | (product >> (16 + lowest) & 3) * BITMAP_PLACES;
}

/* Sets the flags (4 * BITMAP_PLACES) of those of `keys[:n]` times `multiplier` that the level `lowest` samples.
 *
 * They are gathered in `chosen` (n) first, without a branch: it would be mispredicted once a sampled key.
 */
static inline void set_flags(const u64 *keys, i64 n, u64 multiplier, i64 lowest, u64 *chosen, u8 *flags) {
    const u64 mask = ((1ULL << lowest) - 1) << 16;
    i64 i = 0, taken = 0;
    u32 *const places = (u32 *)chosen;
#if HAS_VECTORS
    const Factor factor = factor_of(multiplier);
    const u64 shift = (u64)(16 + lowest - 10); /* BITMAP_PLACES is 1 << 10 */
    for (; i + LANES <= n; i += LANES) {
        const Vector product = total_of(product_of(vector_at(keys + i), factor));
        const Vector flag = (product >> 32 & (BITMAP_PLACES - 1)) | (product >> shift & 3 * BITMAP_PLACES);
        taken += put_taken_halves(places + taken, has_none(product, every_lane(mask)), flag);
    }
#endif
    for (; i < n; i++) {
        const u64 product = keys[i] * multiplier;
        places[taken] = (u32)flag_of(product, lowest);
        taken += (product & mask) == 0;
    }
    for (i64 k = 0; k < taken; k += READ_FIRST) {
        u32 few[READ_FIRST];
        for (int j = 0; j < READ_FIRST; j++) few[j] = places[min_i64(k + j, taken - 1)];
        for (int j = 0; j < READ_FIRST; j++) flags[few[j]] = 0xFF;
    }
}

/* Sets `bitmaps` (BITMAP_LEVELS * BITMAP_WORDS) to those of `keys[:n]` (repeated ones do no harm) times `multiplier`
 * (odd) at the level below `level`, at it, and at the one above; there is none below level 0.
 *
 * `chosen` (n) is working memory.
 */
static inline void fill_three_levels(const u64 *keys, i64 n, u64 multiplier, i64 level, u64 *chosen, u64 *bitmaps) {
    /* A flag is a byte: bits would have to be read before they are set. */
    u8 flags[4 * BITMAP_PLACES] __attribute__((aligned(64)));
    memset(flags, 0, sizeof flags);
    set_flags(keys, n, multiplier, max_i64(level - 1, 0), chosen, flags);
    memset(bitmaps, 0, BITMAP_LEVELS * BITMAP_WORDS * sizeof *bitmaps);
    u64 *const all = level > 0 ? bitmaps : bitmaps + BITMAP_WORDS;
    for (int word = 0; word < BITMAP_WORDS; word++) {
        u64 bits[4];
        for (int k = 0; k < 4; k++) bits[k] = bits_of_bytes(flags + k * BITMAP_PLACES + 64 * word);
        all[word] = bits[0] | bits[1] | bits[2] | bits[3];
        all[word + BITMAP_WORDS] = bits[0] | bits[2];
        if (level > 0) all[word + 2 * BITMAP_WORDS] = bits[0];
    }
}

/* The mean number of bits that keys of one set alone set, and that the `others` bits of the other set do not have;
 * these keys set the share `set_by_share` of all bits.
 */
static inline double bits_alone(i64 others, double set_by_share) {
    return HELD_BITS * (1 - (double)others / HELD_BITS) * set_by_share;
}

/* The share of all bits that a `share` of the keys of a set sets, whose keys together set `bits` bits.
 *
 * Keys that fall on bits at random leave 1 - bits / HELD_BITS of them 0; a `share` of these keys leaves that to the
 * power of `share`. Results are kept in `known`, where unknown ones are negative.
 */
static inline double set_by_share_of(i64 bits, double share, double *known) {
    if (UNLIKELY(known[bits] < 0)) known[bits] = 1 - pow(1 - (double)bits / HELD_BITS, share);
    return known[bits];
}

/* How many bits may be lacking if `expected` are on average, with a variance of `variance` times that. */
static inline double may_lack(double expected, double variance) {
    return expected + SPREAD * sqrt(expected * variance) + 1;
}

KERNEL(fill_levels, "of u4|i4|u8|i8/, out u1!") {
    const u8 *of = a[0].data;
    u8 *out = a[1].data;
    const bool is_short = a[0].item == 4;
    for (i64 i = 0; i < a[0].length; i++, of += a[0].stride)
        out[i] = (u8)level_of(is_short ? read32(of) : (i64)read64(of));
    return 0;
}

KERNEL(bitmap_passes,
       "queries i8, docs i8, numerator int, denominator int, query_counts i8, query_levels u1, query_bitmaps u8, "
       "counts i4, levels u1, bitmaps u8, out b1!") {
    const i64 *queries = a[0].data, *docs = a[1].data, *query_counts = a[4].data;
    const i64 n = a[1].length, numerator = a[2].number, denominator = a[3].number;
    const u8 *query_levels = a[5].data, *levels = a[8].data;
    const u64 *query_bitmaps = a[6].data, *bitmaps = a[9].data;
    const i32 *counts = a[7].data;
    bool *out = a[10].data;
    const double share = (double)numerator / (double)denominator;
    double set_by_rest[HELD_BITS + 1];
    for (int bits = 0; bits <= HELD_BITS; bits++) set_by_rest[bits] = -1;
    for (i64 i = 0; i < n; i++) {
        const i64 ahead = docs[min_i64(i + AHEAD, n - 1)];
        prefetch(levels + ahead);
        prefetch(bitmaps + HELD_WORDS * ahead);
        const i64 query = queries[i], doc = docs[i];
        const i64 at = (i64)levels[doc] - query_levels[query] + 1;
        if (at < 0 || at > 2) {
            out[i] = true;
            continue;
        }
        const u64 *own_bits = query_bitmaps + (BITMAP_LEVELS * query + at) * BITMAP_WORDS;
        const u64 *other_bits = bitmaps + HELD_WORDS * doc;
        i64 own = 0, others = 0, both = 0;
        for (int word = 0; word < HELD_WORDS; word++) {
            const u64 mine = own_bits[word] | own_bits[word + HELD_WORDS];
            own += ones(mine);
            others += ones(other_bits[word]);
            both += ones(mine & other_bits[word]);
        }
        const i64 mine_alone = own - both, theirs_alone = others - both;
        if (levels[doc] == 0 && at == 1) { /* both are short, and so both are counted */
            const i64 count = query_counts[query], other = counts[doc];
            const i64 needed = required_overlap(max_i64(count, other), numerator, denominator);
            if (mine_alone > count - needed || theirs_alone > other - needed) {
                out[i] = false;
                continue;
            }
        }
        const double mine_expected = bits_alone(others, set_by_share_of(own, 1 - share, set_by_rest));
        const double theirs_expected = bits_alone(own, set_by_share_of(others, 1 - share, set_by_rest));
        out[i] = (double)mine_alone <= may_lack(mine_expected, share) &&
                 (double)theirs_alone <= may_lack(theirs_expected, share) &&
                 (double)(mine_alone + theirs_alone) <= may_lack(mine_expected + theirs_expected, (1 + share) / 2);
    }
    return 0;
}

#endif
