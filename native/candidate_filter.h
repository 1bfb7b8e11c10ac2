/* Which docs that share enough keys with a document are its candidates: one doc, or 64 at a time. */
#ifndef NEARDUP_CANDIDATE_FILTER_H
#define NEARDUP_CANDIDATE_FILTER_H

#include "core.h"
#include "documents.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

/* What a candidate of one document must be. */
typedef struct {
    i64 low, high;       /* hours that it may lie in, both included */
    i64 smallest, most;  /* the size of its set, where that was counted */
    bool fits_uncounted; /* whether a set that was not counted may be of a size that fits */
    bool is_chained;     /* whether documents of one text are in a chain, of which the first is posted */
    u64 half;            /* then the first half of the fingerprint of the text that is searched with */
} Filter;

/* `count`, or `largest` (not 0) if that is less or the set was not counted (negative). */
static inline i64 counted_at_most(i64 count, i64 largest) {
    return largest > 0 && (count < 0 || count > largest) ? largest : count;
}

/* Sets the sizes, from `smallest` to `most`, that a `wanted` set can have at t = numerator / denominator with a set of
 * `count`, and whether an uncounted set fits. Sets larger than `largest`, if that is not 0, and sets not counted are
 * treated as exactly this size.
 *
 * doc_q >= t needs min(|A|, |B|) >= ceil(t * max(|A|, |B|)).
 */
static inline void set_sizes_that_fit(i64 count, i64 largest, i64 numerator, i64 denominator, Filter *wanted) {
    const i64 everything = 1LL << 62;
    wanted->smallest = 0;
    wanted->most = everything;
    wanted->fits_uncounted = true;
    if (count < 0 || numerator == 0) return;
    wanted->smallest = required_overlap(count, numerator, denominator);
    wanted->most = denominator * count / numerator;
    wanted->fits_uncounted = largest == 0 || (wanted->smallest <= largest && largest <= wanted->most);
    if (largest != 0 && wanted->fits_uncounted) wanted->most = everything;
}

/* The Filter of document i of a Query. */
static inline Filter filter_of(const Query *query, i64 i) {
    Filter wanted = {.low = query->low_hours[i], .high = query->high_hours[i]};
    const i64 largest = query->largest;
    set_sizes_that_fit(counted_at_most(query->counts[i], largest), largest, query->numerator, query->denominator,
                       &wanted);
    wanted.is_chained = query->fingerprints.length > 0;
    wanted.half = wanted.is_chained ? first_half(query->fingerprints, i) : 0;
    return wanted;
}

/* Whether a set of `size` q-grams, negative if they were not counted, may match. */
static inline bool size_fits(const Filter *wanted, i64 size) {
    return (wanted->smallest <= size && size <= wanted->most) || (size < 0 && wanted->fits_uncounted);
}

/* Values from `low` to `high`, both included, within 32 bits for comparisons; none if `low` is above `high`. */
typedef struct {
    i32 low, high;
} Between;

static inline Between between(i64 low, i64 high) {
    if (low > high || low > INT32_MAX || high < INT32_MIN) return (Between){1, 0};
    return (Between){(i32)max_i64(low, INT32_MIN), (i32)min_i64(high, INT32_MAX)};
}

/* Which of the docs 64 * word to 64 * word + 63 are certain candidates: of the hours and the size wanted, the only doc
 * of their text, and not of the text that is searched with, so that no chain need be followed. A bit each; a few vector
 * operations for all.
 */
#if defined(__AVX512BW__)
static inline u64 are_certain(const Filter *wanted, const Documents *documents, i64 word) {
    const i64 first = 64 * word;
    const Between size = between(wanted->smallest, wanted->most), hour = between(wanted->low, wanted->high);
    const __m512i smallest = _mm512_set1_epi32(size.low), most = _mm512_set1_epi32(size.high);
    const __m512i low = _mm512_set1_epi32(hour.low), high = _mm512_set1_epi32(hour.high);
    const __mmask16 uncounted = wanted->fits_uncounted ? 0xFFFF : 0;
    u64 certain = 0;
    for (i64 bit = 0; bit < 64; bit += 16) {
        const __m512i counts = _mm512_loadu_si512(documents->counts + first + bit);
        const __m512i hours = _mm512_loadu_si512(documents->hours + first + bit);
        const __mmask16 fits = _mm512_mask_cmple_epi32_mask(_mm512_cmple_epi32_mask(smallest, counts), counts, most) |
                               (_mm512_movepi32_mask(counts) & uncounted);
        const __mmask16 inside = _mm512_mask_cmple_epi32_mask(_mm512_cmple_epi32_mask(low, hours), hours, high);
        certain |= (u64)(fits & inside) << bit;
    }
    certain &= _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(documents->alive + first), _mm512_set1_epi8(1));
    if (!wanted->is_chained) return certain;
    u64 alone = 0;
    const __m512i half = _mm512_set1_epi64((i64)wanted->half);
    for (i64 bit = 0; bit < 64; bit += 16) {
        const __mmask16 last = _mm512_movepi32_mask(_mm512_loadu_si512(documents->next_of + first + bit));
        const u64 *halves = documents->halves + first + bit;
        const u64 other = _mm512_cmpneq_epi64_mask(_mm512_loadu_si512(halves), half) |
                          (u64)_mm512_cmpneq_epi64_mask(_mm512_loadu_si512(halves + 8), half) << 8;
        alone |= (last & other) << bit;
    }
    return certain & alone;
}
#else
static inline u64 are_certain(const Filter *wanted, const Documents *documents, i64 word) {
    const i64 first = 64 * word;
    const Between size = between(wanted->smallest, wanted->most), hour = between(wanted->low, wanted->high);
    const u8 uncounted = wanted->fits_uncounted, is_free = !wanted->is_chained;
    const i32 *counts = documents->counts + first, *hours = documents->hours + first;
    const i32 *next_of = documents->next_of + first;
    const u8 *alive = documents->alive + first;
    const u64 *halves = documents->halves + first, half = wanted->half;
    u8 fits[64], alone[64]; /* a byte each first: vectors of these the compiler makes by itself */
    for (int bit = 0; bit < 64; bit++) {
        fits[bit] = ((size.low <= counts[bit]) & (counts[bit] <= size.high)) | ((counts[bit] < 0) & uncounted);
        fits[bit] &= (hour.low <= hours[bit]) & (hours[bit] <= hour.high) & (alive[bit] == 1);
    }
    for (int bit = 0; bit < 64; bit++) alone[bit] = ((next_of[bit] < 0) & (halves[bit] != half)) | is_free;
    u64 certain = 0;
    for (int byte = 0; byte < 8; byte++) {
        /* The lowest bits of eight bytes come together in the highest byte of the product. */
        const u64 eight = read64(fits + 8 * byte) & read64(alone + 8 * byte);
        certain |= (eight * 0x0102040810204080ULL >> 56) << (8 * byte);
    }
    return certain;
}
#endif

#endif
