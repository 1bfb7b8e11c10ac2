/* UTF-8 to normal form: decode, NFC, keep letters, marks and numbers (docs/definitions.md, Normal form).
 *
 * Almost every text is NFC already, which one table bit a code point shows; only the stretches around a code point with
 * that bit are decomposed, reordered and composed (Unicode Standard Annex #15), all from the frozen Unicode 16 tables.
 * Input bytes must be valid UTF-8: Python's own encoder made them, so nothing is checked again here.
 */
#ifndef NEARDUP_TEXT_H
#define NEARDUP_TEXT_H

#include "core.h"
#include "ranges.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

enum { KEEP = 1, NFC_CHECK = 4 }; /* of tables/unicode.py */

#define NOT_ASCII 0x8080808080808080ULL /* of eight bytes the bits that those above 0x7F have */

enum {
    HANGUL_S = 0xAC00,
    HANGUL_L = 0x1100,
    HANGUL_V = 0x1161,
    HANGUL_T = 0x11A7,
    HANGUL_L_COUNT = 19,
    HANGUL_V_COUNT = 21,
    HANGUL_T_COUNT = 28,
    HANGUL_S_COUNT = HANGUL_L_COUNT * HANGUL_V_COUNT * HANGUL_T_COUNT,
};

typedef struct {
    const u8 *classes;
    const u32 *lower;
    const u8 *ccc;
    const u32 *decomp_keys;
    i64 decomp_length;
    const i32 *decomp_start;
    const u32 *decomp_values;
    const u64 *compose_keys;
    i64 compose_length;
    const u32 *compose_values;
} TextTables;

#define TEXT_TABLES                                                                                      \
    "tables.classes u1, tables.lower u4, tables.ccc u1, tables.decomp_keys u4, tables.decomp_start i4, " \
    "tables.decomp_values u4, tables.compose_keys u8, tables.compose_values u4"

static inline TextTables text_tables_of(const Arg **rest) {
    const Arg *a = take(rest, 8);
    return (TextTables){a[0].data, a[1].data, a[2].data, a[3].data,   a[3].length,
                        a[4].data, a[5].data, a[6].data, a[6].length, a[7].data};
}

/* The code point of the UTF-8 sequence at `data[*at]`, which is then behind it. */
static inline u32 decode_one(const u8 *data, i64 *at) {
    const u8 *s = data + *at;
    if (s[0] < 0x80) {
        *at += 1;
        return s[0];
    }
    if (s[0] < 0xE0) {
        *at += 2;
        return (u32)(s[0] & 0x1F) << 6 | (s[1] & 0x3F);
    }
    if (s[0] < 0xF0) {
        *at += 3;
        return (u32)(s[0] & 0x0F) << 12 | (u32)(s[1] & 0x3F) << 6 | (s[2] & 0x3F);
    }
    *at += 4;
    return (u32)(s[0] & 0x07) << 18 | (u32)(s[1] & 0x3F) << 12 | (u32)(s[2] & 0x3F) << 6 | (s[3] & 0x3F);
}

/* Writes `point` as UTF-8 at `out[at]`; returns the next position. */
static inline i64 encode_one(u32 point, u8 *out, i64 at) {
    if (point < 0x80) {
        out[at] = (u8)point;
        return at + 1;
    }
    if (point < 0x800) {
        out[at] = (u8)(0xC0 | point >> 6);
        out[at + 1] = (u8)(0x80 | (point & 0x3F));
        return at + 2;
    }
    if (point < 0x10000) {
        out[at] = (u8)(0xE0 | point >> 12);
        out[at + 1] = (u8)(0x80 | (point >> 6 & 0x3F));
        out[at + 2] = (u8)(0x80 | (point & 0x3F));
        return at + 3;
    }
    out[at] = (u8)(0xF0 | point >> 18);
    out[at + 1] = (u8)(0x80 | (point >> 12 & 0x3F));
    out[at + 2] = (u8)(0x80 | (point >> 6 & 0x3F));
    out[at + 3] = (u8)(0x80 | (point & 0x3F));
    return at + 4;
}

static inline bool is_hangul(u32 point) { return point >= HANGUL_S && point < HANGUL_S + HANGUL_S_COUNT; }

/* Appends the full canonical decomposition of `point` to `out`; returns the next position. */
static inline i64 decompose(u32 point, const TextTables *tables, u32 *out, i64 at) {
    if (is_hangul(point)) {
        const u32 index = point - HANGUL_S;
        out[at] = HANGUL_L + index / (HANGUL_V_COUNT * HANGUL_T_COUNT);
        out[at + 1] = HANGUL_V + index % (HANGUL_V_COUNT * HANGUL_T_COUNT) / HANGUL_T_COUNT;
        if (index % HANGUL_T_COUNT == 0) return at + 2;
        out[at + 2] = HANGUL_T + index % HANGUL_T_COUNT;
        return at + 3;
    }
    const i64 slot = first_not_below_u32(tables->decomp_keys, tables->decomp_length, point);
    if (slot < tables->decomp_length && tables->decomp_keys[slot] == point) {
        for (i32 i = tables->decomp_start[slot]; i < tables->decomp_start[slot + 1]; i++)
            out[at++] = tables->decomp_values[i];
        return at;
    }
    out[at] = point;
    return at + 1;
}

/* The primary composite of two code points, or 0. */
static inline u32 composite_of(u32 first, u32 second, const TextTables *tables) {
    if (first >= HANGUL_L && first < HANGUL_L + HANGUL_L_COUNT && second >= HANGUL_V &&
        second < HANGUL_V + HANGUL_V_COUNT)
        return HANGUL_S + ((first - HANGUL_L) * HANGUL_V_COUNT + (second - HANGUL_V)) * HANGUL_T_COUNT;
    const bool is_lv = is_hangul(first) && (first - HANGUL_S) % HANGUL_T_COUNT == 0;
    if (is_lv && second > HANGUL_T && second < HANGUL_T + HANGUL_T_COUNT) return first + (second - HANGUL_T);
    const u64 pair = (u64)first << 32 | second;
    const i64 slot = first_not_below_u64(tables->compose_keys, tables->compose_length, pair);
    return slot < tables->compose_length && tables->compose_keys[slot] == pair ? tables->compose_values[slot] : 0;
}

/* Sorts `points[start:end]` by combining class, stably, by counting: there are 256 classes at most.
 *
 * The points wait in the room behind `used`: there is room for four a byte, and no byte gives more than two.
 */
static inline void sort_marks(u32 *points, i64 start, i64 end, i64 used, const u8 *ccc) {
    u32 *waiting = points + used;
    i64 firsts[257] = {0};
    for (i64 i = start; i < end; i++) {
        waiting[i - start] = points[i];
        firsts[ccc[points[i]] + 1]++;
    }
    for (int k = 0; k < 256; k++) firsts[k + 1] += firsts[k];
    for (i64 i = 0; i < end - start; i++) points[start + firsts[ccc[waiting[i]]]++] = waiting[i];
}

/* Canonical ordering in place: combining marks side by side stably sorted by combining class.
 *
 * Insertion sort is enough for text; more than 30 (an attack) are sorted in linear time.
 */
static inline void reorder(u32 *points, i64 start, i64 end, const u8 *ccc) {
    i64 at = start;
    while (at < end) {
        if (ccc[points[at]] == 0) {
            at++;
            continue;
        }
        i64 stop = at;
        while (stop < end && ccc[points[stop]] != 0) stop++;
        if (stop - at > 30) {
            sort_marks(points, at, stop, end, ccc);
        } else {
            for (i64 i = at + 1; i < stop; i++) {
                const u32 mark = points[i];
                i64 j = i;
                for (; j > at && ccc[points[j - 1]] > ccc[mark]; j--) points[j] = points[j - 1];
                points[j] = mark;
            }
        }
        at = stop;
    }
}

/* Canonical composition in place of `points[start:end]`; returns the new end. */
static inline i64 compose(u32 *points, i64 start, i64 end, const TextTables *tables) {
    i64 starter = -1, out = start;
    int last_class = 0;
    for (i64 i = start; i < end; i++) {
        const u32 point = points[i];
        const int ccc = tables->ccc[point];
        const bool is_blocked = starter < 0 || (last_class >= ccc && out - starter > 1);
        if (!is_blocked) {
            const u32 composite = composite_of(points[starter], point, tables);
            if (composite) {
                points[starter] = composite;
                continue;
            }
        }
        if (ccc == 0) starter = out;
        last_class = ccc;
        points[out++] = point;
    }
    return out;
}

/* Whether `data[start:end]` has no byte above 0x7F. */
static inline bool is_ascii(const u8 *data, i64 start, i64 end) {
    u64 seen = 0;
    i64 at = start;
    for (; at + 8 <= end; at += 8) seen |= read64(data + at);
    for (; at < end; at++) seen |= data[at];
    return !(seen & NOT_ASCII);
}

/* Decodes `data[start:end]` into `points` in NFC; returns how many code points.
 *
 * `points` must hold 4 * (end - start) + 4 values: no code point decomposes into more than four.
 */
static inline i64 decode_nfc(const u8 *data, i64 start, i64 end, const TextTables *tables, u32 *points) {
    i64 n = 0, at = start;
    i64 pending = -1; /* where the stretch to normalise starts in `points`, or -1 */
    while (at < end) {
        for (; pending < 0 && at + 64 <= end && is_ascii(data, at, at + 64); at += 64, n += 64)
            for (int i = 0; i < 64; i++) points[n + i] = data[at + i];
        for (; pending < 0 && at + 8 <= end && !(read64(data + at) & NOT_ASCII); at += 8, n += 8)
            for (int i = 0; i < 8; i++) points[n + i] = data[at + i];
        if (at == end) break;
        const u32 point = decode_one(data, &at);
        if (tables->classes[point] & NFC_CHECK) {
            if (pending < 0) {
                /* The code point before may compose with this one; earlier ones cannot. */
                pending = max_i64(n - 1, 0);
                if (n > 0) n = decompose(points[n - 1], tables, points, n - 1);
            }
            n = decompose(point, tables, points, n);
            continue;
        }
        if (pending >= 0) {
            reorder(points, pending, n, tables->ccc);
            n = compose(points, pending, n, tables);
            pending = -1;
        }
        points[n++] = point;
    }
    if (pending >= 0) {
        reorder(points, pending, n, tables->ccc);
        n = compose(points, pending, n, tables);
    }
    return n;
}

/* Writes the letters, marks and numbers among `points[:count]` to `out[at:]`; returns the next position. */
static inline i64 write_kept(const u32 *points, i64 count, const TextTables *tables, bool fold, u8 *out, i64 at) {
    for (i64 i = 0; i < count; i++) {
        const u32 point = points[i];
        if (tables->classes[point] & KEEP) at = encode_one(fold ? tables->lower[point] : point, out, at);
    }
    return at;
}

#if defined(__AVX2__) && !defined(__AVX512VBMI2__)
/* By the bits of those of eight bytes that are kept: where these are, a byte each. */
static u64 kept_places[256];

__attribute__((constructor)) static void fill_kept_places(void) {
    for (int bits = 0; bits < 256; bits++)
        for (int place = 7; place >= 0; place--)
            if (bits >> place & 1) kept_places[bits] = kept_places[bits] << 8 | (u64)place;
}
#endif

/* Copies what is kept of the ASCII at the beginning of `data[at:end]`; returns where the ASCII ends, and moves
 * `out_at`.
 *
 * Works on a vector of bytes at a time if the processor packs or shuffles bytes: of ASCII, letters and digits are kept.
 * As many bytes are written, which is never beyond the room that a normal form may take (MAX_GROWTH).
 */
static inline i64 copy_ascii(const u8 *data, i64 at, i64 end, const u8 *classes, u8 *out, i64 *out_at) {
    i64 o = *out_at;
#if defined(__AVX512VBMI2__) && defined(__AVX512BW__)
    (void)classes;
    const __m512i a = _mm512_set1_epi8('a'), zero = _mm512_set1_epi8('0'), lower = _mm512_set1_epi8(0x20);
    const __m512i letters = _mm512_set1_epi8(26), digits = _mm512_set1_epi8(10);
    for (; end - at >= 64; at += 64) {
        const __m512i bytes = _mm512_loadu_si512(data + at);
        if (_mm512_movepi8_mask(bytes)) break;
        const __mmask64 is_letter = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(_mm512_or_si512(bytes, lower), a), letters);
        const __mmask64 kept = is_letter | _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, zero), digits);
        _mm512_storeu_si512(out + o, _mm512_maskz_compress_epi8(kept, bytes));
        o += ones(kept);
    }
#elif defined(__AVX2__)
    /* Only signed numbers can be compared: values to be compared with a limit are moved to the lowest of them. */
    const __m256i a = _mm256_set1_epi8((char)('a' + 0x80)), zero = _mm256_set1_epi8((char)('0' + 0x80));
    const __m256i letters = _mm256_set1_epi8(26 - 0x80), digits = _mm256_set1_epi8(10 - 0x80);
    const __m256i lower = _mm256_set1_epi8(0x20);
    for (; end - at >= 32; at += 32) {
        const __m256i bytes = _mm256_loadu_si256((const __m256i *)(data + at));
        if (_mm256_movemask_epi8(bytes)) break;
        const __m256i is_letter = _mm256_cmpgt_epi8(letters, _mm256_sub_epi8(_mm256_or_si256(bytes, lower), a));
        const __m256i is_digit = _mm256_cmpgt_epi8(digits, _mm256_sub_epi8(bytes, zero));
        const u32 kept = (u32)_mm256_movemask_epi8(_mm256_or_si256(is_letter, is_digit));
        for (int part = 0; part < 32; part += 8) {
            const u32 bits = kept >> part & 0xFF;
            const __m128i eight = _mm_loadl_epi64((const __m128i *)(data + at + part));
            const __m128i places = _mm_loadl_epi64((const __m128i *)(kept_places + bits));
            _mm_storel_epi64((__m128i *)(out + o), _mm_shuffle_epi8(eight, places));
            o += ones(bits);
        }
    }
#endif
    for (; at < end && data[at] < 0x80; at++) {
        /* Written always, counted only if kept: a branch here would be mispredicted at every word's end. */
        out[o] = data[at];
        o += classes[data[at]] & KEEP;
    }
    *out_at = o;
    return at;
}

/* Writes the normal form of the UTF-8 text `data[start:end]`, as UTF-8, to `out[out_at:]`; returns the next position.
 *
 * One pass when the text is NFC already and case is kept, else two. `points` is scratch as for `decode_nfc`.
 */
static inline i64 normal_form(const u8 *data, i64 start, i64 end, const TextTables *tables, bool fold, u32 *points,
                              u8 *out, i64 out_at) {
    if (!fold) {
        i64 o = out_at, at = start;
        while (true) {
            at = copy_ascii(data, at, end, tables->classes, out, &o);
            if (at == end) return o;
            const u32 point = decode_one(data, &at);
            const u8 flags = tables->classes[point];
            if (flags & NFC_CHECK) break;
            if (flags & KEEP) o = encode_one(point, out, o);
        }
    }
    const i64 count = decode_nfc(data, start, end, tables, points);
    return write_kept(points, count, tables, fold, out, out_at);
}

/* Decodes `data[start:end]` into `points`; returns how many, and whether any is above U+FFFF. */
static inline i64 decode(const u8 *data, i64 start, i64 end, u32 *points, bool *astral) {
    i64 n = 0;
    u32 largest = 0;
    for (i64 at = start; at < end; n++) {
        points[n] = decode_one(data, &at);
        largest = points[n] > largest ? points[n] : largest;
    }
    *astral = largest > 0xFFFF;
    return n;
}

KERNEL(is_ascii, "data u1, start int, end int") { return is_ascii(a[0].data, a[1].number, a[2].number); }

KERNEL(decode, "data u1, start int, end int, points u4!, astral b1!") {
    bool astral;
    const i64 n = decode(a[0].data, a[1].number, a[2].number, a[3].data, &astral);
    *(bool *)a[4].data = astral;
    return n;
}

KERNEL(encode_one, "point int, out u1!, at int") { return encode_one((u32)a[0].number, a[1].data, a[2].number); }

#endif
