/* Counts in how many of some bitsets each bit is set, 512 bits at a time. src/neardup/kernels/bit_planes.py
 *
 * There is one bit plane for every binary digit of the counts, and every bitset is added to them with carries (Rinfret,
 * O'Neil & O'Neil 2001, "Bit-sliced index arithmetic"); sixteen at a time by fifteen adders (Harley & Seal; Mula, Kurz
 * & Lemire 2018), so that only one carry in sixteen goes on.
 *
 *     planes[PLANE_WORDS * p : PLANE_WORDS * (p + 1)]   digit p of what 512 bits count
 */
#ifndef NEARDUP_BIT_PLANES_H
#define NEARDUP_BIT_PLANES_H

#include "core.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

enum {
    PLANE_WORDS = 8, /* words that are worked at once: one cache line */
    PLANE_BITS = 64 * PLANE_WORDS,
    PLANE_DIGITS = 16,                        /* of counts below 2^16 */
    PLANES_SIZE = PLANE_WORDS * PLANE_DIGITS, /* words of an array of planes */
    AT_ONCE = 16,                             /* bitsets that are added at once */
};

/* The part of 512 bits that the processor handles at once: for wider vectors gcc makes many loads and stores. */
#if defined(__AVX512F__)
enum { LINE_WORDS = 8 };
#elif defined(__AVX2__)
enum { LINE_WORDS = 4 };
#else
enum { LINE_WORDS = 2 };
#endif

typedef u64 Line __attribute__((vector_size(8 * LINE_WORDS), aligned(8)));

static inline Line line_at(const u64 *at) {
    Line line;
    memcpy(&line, at, sizeof line);
    return line;
}

static inline void put_line(u64 *at, Line line) { memcpy(at, &line, sizeof line); }

/* Binary digits of `count`: how many planes hold counts up to it. */
static inline i64 digits_of(i64 count) { return count ? 64 - __builtin_clzll((u64)count) : 0; }

/* Adds two lines to `sum`; returns the carries. */
ALWAYS Line carried(Line *sum, Line one, Line other) {
#if defined(__AVX512F__)
    /* Whether one or three of three bits are 1, and whether two or more are: one instruction each, which gcc does not
     * find.
     */
    enum { ODD = 0x96, MOST = 0xE8 };
    const __m512i a = (__m512i)*sum, b = (__m512i)one, c = (__m512i)other;
    *sum = (Line)_mm512_ternarylogic_epi64(a, b, c, ODD);
    return (Line)_mm512_ternarylogic_epi64(a, b, c, MOST);
#else
    const Line half = *sum ^ one, carry = (*sum & one) | (half & other);
    *sum = half ^ other;
    return carry;
#endif
}

/* Adds the bitsets `rows[:16]` to the four lowest planes; returns the sixteens. */
ALWAYS Line add_sixteen(const u64 *bits, i64 base, i64 stride, const i64 *rows, Line held[4]) {
    Line fours[4], eights[2];
    for (int k = 0; k < 4; k++) {
        const u64 *at = bits + base;
        const Line a = carried(&held[0], line_at(at + stride * rows[4 * k]), line_at(at + stride * rows[4 * k + 1]));
        const Line b =
            carried(&held[0], line_at(at + stride * rows[4 * k + 2]), line_at(at + stride * rows[4 * k + 3]));
        fours[k] = carried(&held[1], a, b);
    }
    eights[0] = carried(&held[2], fours[0], fours[1]);
    eights[1] = carried(&held[2], fours[2], fours[3]);
    return carried(&held[3], eights[0], eights[1]);
}

/* Sets `planes` (PLANES_SIZE) to how many of the bitsets `rows[first:last]` each of 512 bits is in.
 *
 * Those of row r begin at `bits[base + stride * r]`. `last - first` is a multiple of AT_ONCE, below 2^16: there is an
 * empty bitset to fill up with.
 */
static inline void add_rows(const u64 *bits, i64 base, i64 stride, const i64 *rows, i64 first, i64 last, u64 *planes) {
    memset(planes, 0, PLANES_SIZE * sizeof *planes);
    for (i64 word = 0; word < PLANE_WORDS; word += LINE_WORDS) {
        Line held[4] = {{0}, {0}, {0}, {0}};
        for (i64 j = first; j < last; j += AT_ONCE) {
            Line carry = add_sixteen(bits, base + word, stride, rows + j, held);
            const i64 digits = digits_of(j + AT_ONCE - first);
            for (i64 p = 4; p < digits; p++) {
                u64 *const plane = planes + PLANE_WORDS * p + word;
                const Line digit = line_at(plane);
                put_line(plane, digit ^ carry);
                carry &= digit;
            }
        }
        for (int p = 0; p < 4; p++) put_line(planes + PLANE_WORDS * p + word, held[p]);
    }
}

/* Writes eight digits from `first` on, of the bits of one `word` of each plane, as bytes. */
static inline void bytes_of_digits(const u64 *planes, i64 word, int first, u8 bytes[64]) {
#if defined(__AVX512BW__)
    __m512i numbers = _mm512_setzero_si512();
    for (int p = 0; p < 8; p++)
        numbers =
            _mm512_or_si512(numbers, _mm512_maskz_set1_epi8(planes[PLANE_WORDS * (first + p) + word], (char)(1 << p)));
    _mm512_storeu_si512(bytes, numbers);
#else
    for (int byte = 0; byte < 8; byte++) {
        u64 numbers = 0;
        for (int p = 0; p < 8; p++) {
            /* Bit k of eight becomes the lowest bit of byte k. */
            const u64 eight = planes[PLANE_WORDS * (first + p) + word] >> (8 * byte) & 0xFF;
            const u64 spread = (eight * 0x0101010101010101ULL & 0x8040201008040201ULL) + 0x7F7F7F7F7F7F7F7FULL;
            numbers |= (spread >> 7 & 0x0101010101010101ULL) << p;
        }
        memcpy(bytes + 8 * byte, &numbers, 8);
    }
#endif
}

/* Sets `counts[:PLANE_BITS]` to what the bits of `planes` count. */
#define SET_COUNTS(name, type)                                                                              \
    static inline void name(const u64 *planes, type *counts) {                                              \
        u8 low[64], high[64];                                                                               \
        for (i64 word = 0; word < PLANE_WORDS; word++) {                                                    \
            bytes_of_digits(planes, word, 0, low);                                                          \
            bytes_of_digits(planes, word, 8, high);                                                         \
            for (int bit = 0; bit < 64; bit++) counts[64 * word + bit] = (type)(low[bit] | high[bit] << 8); \
        }                                                                                                   \
    }

SET_COUNTS(set_counts_u16, u16)
SET_COUNTS(set_counts_i32, i32)

KERNEL(add_rows, "bits u8, base int, stride int, rows i8, first int, last int, planes u8!") {
    add_rows(a[0].data, a[1].number, a[2].number, a[3].data, a[4].number, a[5].number, a[6].data);
    return 0;
}

KERNEL(set_counts, "planes u8, counts u2|i4!") {
    if (a[1].item == 2)
        set_counts_u16(a[0].data, a[1].data);
    else
        set_counts_i32(a[0].data, a[1].data);
    return 0;
}

#endif
