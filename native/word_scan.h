/* The words of a text, runs of code points that its normal form keeps: where each begins, and which may be special,
 * that is, may need a mark. For marks.h.
 *
 * One pass finds both, 64 code points at once if the processor can; which mark a word needs is determined when it is
 * marked, as few are special.
 */
#ifndef NEARDUP_WORD_SCAN_H
#define NEARDUP_WORD_SCAN_H

#include "core.h"
#include "signs.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

/* The bits of an index into a form; above them the digits before it are counted. */
#define FORM_INDEX 0xFFFFFFFFLL

enum { W_BITS = 23 }; /* that w and W have, of which an address begins with three; few other letters have them all */

#if defined(__AVX512VBMI__) && defined(__AVX512BW__)
/* Which of 16 code points are above 0x7F. */
static inline u64 above_ascii(__m512i points) { return _mm512_cmpgt_epu32_mask(points, _mm512_set1_epi32(0x7F)); }
#endif

/* Writes the class of each of `points[:n]`; 64 at once where the processor looks up bytes, those of ASCII. */
static inline void classify(const u32 *restrict points, i64 n, const u8 *restrict classes, u8 *restrict out) {
    i64 at = 0;
#if defined(__AVX512VBMI__) && defined(__AVX512BW__)
    const __m512i lower = _mm512_loadu_si512(classes), upper = _mm512_loadu_si512(classes + 64);
    for (; at + 64 <= n; at += 64) {
        const u32 *few = points + at;
        const __m512i p = _mm512_loadu_si512(few), q = _mm512_loadu_si512(few + 16);
        const __m512i r = _mm512_loadu_si512(few + 32), s = _mm512_loadu_si512(few + 48);
        const __m256i begin = _mm256_set_m128i(_mm512_cvtepi32_epi8(q), _mm512_cvtepi32_epi8(p));
        const __m256i end = _mm256_set_m128i(_mm512_cvtepi32_epi8(s), _mm512_cvtepi32_epi8(r));
        const __m512i low = _mm512_inserti64x4(_mm512_castsi256_si512(begin), end, 1);
        _mm512_storeu_si512(out + at, _mm512_permutex2var_epi8(lower, low, upper));
        u64 others = above_ascii(p) | above_ascii(q) << 16 | above_ascii(r) << 32 | above_ascii(s) << 48;
        for (; others; others &= others - 1) {
            const i64 each = at + low_zeros(others);
            out[each] = classes[points[each]];
        }
    }
#endif
    for (; at < n; at++) out[at] = classes[points[at]];
}

/* What `scan_words` finds: the arrays that it fills, and how much it has found so far.
 *
 * form       the normal form
 * starts     where each word, a run of what is kept, begins among the code points
 * indexes    where it does in the form, and above FORM_INDEX how many digits are before it
 * maybe      words that may be special, all that are (`is_special`) among them
 * line_ends  where lines break
 */
typedef struct {
    u32 *form;
    i64 *starts;
    i64 *indexes;
    i64 *maybe;
    i64 *line_ends;
    i64 words;
    i64 specials;
    i64 breaks;
    i64 index;  /* into the form, with the digits before it, as in `indexes` */
    i64 before; /* whether the code point before is kept */
} Scanned;

#if defined(__AVX512VBMI2__) && defined(__AVX512BW__)
/* Where 26 kept code points in a row end. */
static inline u64 long_runs(u64 keep) {
    const u64 by_2 = keep & keep << 1, by_4 = by_2 & by_2 << 2, by_8 = by_4 & by_4 << 4, by_16 = by_8 & by_8 << 8;
    return by_16 & by_8 << 16 & by_2 << 24;
}

_Static_assert(LONGEST_WORD == 25, "long_runs finds words that are longer");

/* `scan_words` for a block of 64 code points, of these classes. */
static inline void scan_block(const u32 *restrict points, i64 at, const u8 *restrict classes, Scanned *found) {
    const __m512i each = _mm512_loadu_si512(classes + at);
    const __m512i w_bits = _mm512_set1_epi32(W_BITS), colon = _mm512_set1_epi32(':');
    const u64 keep = _mm512_test_epi8_mask(each, _mm512_set1_epi8(SIGN_KEEP));
    const u64 digits = _mm512_test_epi8_mask(each, _mm512_set1_epi8(SIGN_DIGIT));
    i64 out = found->index & FORM_INDEX;
    u64 colons = 0, may_be_w = 0;
    for (int i = 0; i < 64; i += 16) {
        const __mmask16 kept = (__mmask16)(keep >> i);
        const __m512i few = _mm512_loadu_si512(points + at + i);
        _mm512_storeu_si512(found->form + out, _mm512_maskz_compress_epi32(kept, few));
        out += ones(kept);
        colons |= (u64)_mm512_cmpeq_epi32_mask(few, colon) << i;
        may_be_w |= (u64)_mm512_cmpeq_epi32_mask(_mm512_and_si512(few, w_bits), w_bits) << i;
    }
    const u64 begins = keep & ~(keep << 1 | (u64)found->before);
    i64 words = found->words;
    for (u64 left = begins; left; left &= left - 1) {
        const u64 below = (left & -left) - 1;
        found->starts[words] = at + low_zeros(left);
        found->indexes[words++] = found->index + ones(keep & below) + (ones(digits & below) << 32);
    }
    const u64 www = begins & may_be_w & may_be_w >> 1 & keep >> 2 & ~(keep >> 3);
    const u64 last = keep & 1ULL << 63; /* its word may go on */
    for (u64 left = digits | (colons & keep << 1) | www | long_runs(keep) | last; left; left &= left - 1) {
        const i64 begun = ones(begins & (left ^ (left - 1)));
        const i64 word = found->words + begun - 1;
        found->maybe[found->specials] = word;
        found->specials += begun && (found->specials == 0 || found->maybe[found->specials - 1] != word);
    }
    for (u64 left = _mm512_test_epi8_mask(each, _mm512_set1_epi8(SIGN_BREAK)); left; left &= left - 1)
        found->line_ends[found->breaks++] = at + low_zeros(left);
    found->words = words;
    found->index += ones(keep) + (ones(digits) << 32);
    found->before = keep >> 63;
}
#endif

/* Removes the characters that are not seen from the code points `points[:n]` and from their classes; returns how many
 * are left.
 */
static inline i64 without_unseen(u32 *restrict points, u8 *restrict own_classes, i64 n) {
    u8 any = 0;
    for (i64 at = 0; at < n; at++) any |= own_classes[at];
    if (!(any & SIGN_UNSEEN)) return n;
    i64 left = 0;
    for (i64 at = 0; at < n; at++) {
        const u8 class = own_classes[at];
        points[left] = points[at];
        own_classes[left] = class;
        left += !(class & SIGN_UNSEEN);
    }
    return left;
}

/* Fills the arrays of `found` from the code points `points[:n]`, which have the classes `own_classes`.
 *
 * Everything is written, and counted only if it applies: a branch would be mispredicted at every word's end.
 */
static inline void scan_words(const u32 *restrict points, i64 n, const u8 *restrict own_classes, Scanned *found) {
    i64 at = 0;
#if defined(__AVX512VBMI2__) && defined(__AVX512BW__)
    for (; at + 64 <= n; at += 64) scan_block(points, at, own_classes, found);
#endif
    for (; at < n; at++) {
        const i64 class = own_classes[at];
        const i64 keep = class & SIGN_KEEP, begins = keep & ~found->before;
        found->form[found->index & FORM_INDEX] = points[at];
        found->starts[found->words] = at;
        found->indexes[found->words] = found->index;
        found->maybe[found->specials] = found->words;
        found->words += begins;
        found->specials += begins;
        found->line_ends[found->breaks] = at;
        found->breaks += (class & SIGN_BREAK) != 0;
        found->index += keep + ((class & SIGN_DIGIT) << 31);
        found->before = keep;
    }
    found->starts[found->words] = n;
    found->indexes[found->words] = found->index;
    found->maybe[found->specials] = found->words;
}

#endif
