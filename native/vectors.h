/* Vectors of 64-bit numbers, for processors with AVX-512 and for those with AVX2 (levels 4 and 3), by which texts are
 * signed. HAS_VECTORS says whether there are any, LANES how many numbers one has; loops over single numbers do the
 * rest, and everything on other processors.
 *
 * AVX2 multiplies numbers of 32 bits. A product of 64 bits is that of the lower halves plus, in the upper half, where
 * carries are lost, the two products of a lower and an upper half; in a sum of products these are added up first.
 */
#ifndef NEARDUP_VECTORS_H
#define NEARDUP_VECTORS_H

#include "core.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#define LANES 8
#elif defined(__AVX2__)
#define LANES 4
#else
#define LANES 1
#endif
#define HAS_VECTORS (LANES > 1)

#if HAS_VECTORS
#include <immintrin.h>

typedef u64 Vector __attribute__((vector_size(8 * LANES)));

static inline Vector every_lane(u64 number) { return number - (Vector){0}; }

static inline Vector vector_at(const u64 *at) {
    Vector vector;
    memcpy(&vector, at, sizeof vector);
    return vector;
}

static inline void put_vector(u64 *at, Vector vector) { memcpy(at, &vector, sizeof vector); }

#endif

#if LANES == 8

typedef Vector Factor; /* a number that vectors are multiplied by */
typedef Vector Sum;    /* of products */

static inline Factor factor_of(u64 number) { return every_lane(number); }
static inline Sum product_of(Vector vector, Factor factor) { return vector * factor; }
static inline Sum sum_with(Sum sum, Vector vector, Factor factor) { return sum + vector * factor; }
static inline Vector total_of(Sum sum) { return sum; }

/* A bit for each lane that is `most` at most. */
static inline u32 at_most(Vector vector, Vector most) {
    return _mm512_cmple_epu64_mask((__m512i)vector, (__m512i)most);
}

/* A bit for each lane that has none of `bits`. */
static inline u32 has_none(Vector vector, Vector bits) {
    return _mm512_testn_epi64_mask((__m512i)vector, (__m512i)bits);
}

/* Writes the lanes that `taken` has bits for; returns how many. Memory behind them, up to a whole vector, is
 * overwritten.
 *
 * Only half a vector is written if that is enough, as it mostly is: a write across a cache line takes twice as long.
 */
static inline i64 put_taken(u64 *at, u32 taken, Vector vector) {
    const __m512i packed = _mm512_maskz_compress_epi64((__mmask8)taken, (__m512i)vector);
    const i64 count = ones(taken);
    _mm256_storeu_si256((__m256i *)at, _mm512_castsi512_si256(packed));
    if (UNLIKELY(count > LANES / 2)) _mm512_storeu_si512(at, packed);
    return count;
}

/* `put_taken` of the lower halves of the lanes. */
static inline i64 put_taken_halves(u32 *at, u32 taken, Vector vector) {
    const __m512i packed = _mm512_maskz_compress_epi64((__mmask8)taken, (__m512i)vector);
    _mm256_storeu_si256((__m256i *)at, _mm512_cvtepi64_epi32(packed));
    return ones(taken);
}

/* The four letters of ASCII from each place on, the first of them highest, 16 bits each. Reads 16 bytes. */
static inline Vector four_letters(const u8 *text) {
    /* Lane k has its last letter first: bytes k + 3, k + 2, k + 1, k, and 0 after each. */
    const Vector places = 0x8000800180028003ULL + (Vector){0, 1, 2, 3, 4, 5, 6, 7} * 0x0001000100010001ULL;
    const __m512i bytes = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)text));
    return (Vector)_mm512_shuffle_epi8(bytes, (__m512i)places);
}

#elif LANES == 4

typedef struct {
    __m256i number;
    __m256i swapped; /* its halves */
} Factor;

typedef struct {
    Vector low;
    __m256i crossed; /* two numbers of 32 bits a lane, for its upper half */
} Sum;

static inline Factor factor_of(u64 number) {
    return (Factor){(__m256i)every_lane(number), (__m256i)every_lane(number << 32 | number >> 32)};
}

static inline Sum product_of(Vector vector, Factor factor) {
    return (Sum){(Vector)_mm256_mul_epu32((__m256i)vector, factor.number),
                 _mm256_mullo_epi32((__m256i)vector, factor.swapped)};
}

static inline Sum sum_with(Sum sum, Vector vector, Factor factor) {
    const Sum more = product_of(vector, factor);
    return (Sum){sum.low + more.low, _mm256_add_epi32(sum.crossed, more.crossed)};
}

static inline Vector total_of(Sum sum) {
    const Vector crossed = (Vector)_mm256_add_epi32(sum.crossed, _mm256_srli_epi64(sum.crossed, 32));
    return sum.low + (crossed << 32);
}

static inline u32 bit_a_lane(__m256i lanes) { return (u32)_mm256_movemask_pd(_mm256_castsi256_pd(lanes)); }

static inline u32 at_most(Vector vector, Vector most) {
    const u64 sign = 1ULL << 63; /* numbers with a sign are compared */
    return bit_a_lane(_mm256_cmpgt_epi64((__m256i)(vector ^ sign), (__m256i)(most ^ sign))) ^ 0xF;
}

static inline u32 has_none(Vector vector, Vector bits) {
    return bit_a_lane(_mm256_cmpeq_epi64((__m256i)(vector & bits), _mm256_setzero_si256()));
}

/* By the bits of the lanes that are taken: the places of both their halves, and of the lower ones. */
#define FIRST_LANES(X)                                                                         \
    {X(0, 0, 0, 0), X(0, 0, 0, 0), X(1, 0, 0, 0), X(0, 1, 0, 0), X(2, 0, 0, 0), X(0, 2, 0, 0), \
     X(1, 2, 0, 0), X(0, 1, 2, 0), X(3, 0, 0, 0), X(0, 3, 0, 0), X(1, 3, 0, 0), X(0, 1, 3, 0), \
     X(2, 3, 0, 0), X(0, 2, 3, 0), X(1, 2, 3, 0), X(0, 1, 2, 3)}
#define BOTH_HALVES(a, b, c, d) {2 * a, 2 * a + 1, 2 * b, 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1}
#define LOWER_HALVES(a, b, c, d) {2 * a, 2 * b, 2 * c, 2 * d}
static const i32 FIRST_BOTH_HALVES[16][8] = FIRST_LANES(BOTH_HALVES);
static const i32 FIRST_LOWER_HALVES[16][4] = FIRST_LANES(LOWER_HALVES);
#undef LOWER_HALVES
#undef BOTH_HALVES
#undef FIRST_LANES

static inline i64 put_taken(u64 *at, u32 taken, Vector vector) {
    const __m256i places = _mm256_loadu_si256((const __m256i *)FIRST_BOTH_HALVES[taken]);
    _mm256_storeu_si256((__m256i *)at, _mm256_permutevar8x32_epi32((__m256i)vector, places));
    return ones(taken);
}

static inline i64 put_taken_halves(u32 *at, u32 taken, Vector vector) {
    const __m128i places = _mm_loadu_si128((const __m128i *)FIRST_LOWER_HALVES[taken]);
    const __m256i halves = _mm256_permutevar8x32_epi32((__m256i)vector, _mm256_castsi128_si256(places));
    _mm_storeu_si128((__m128i *)at, _mm256_castsi256_si128(halves));
    return ones(taken);
}

static inline Vector four_letters(const u8 *text) {
    const Vector places = 0x8000800180028003ULL + (Vector){0, 1, 2, 3} * 0x0001000100010001ULL;
    const __m256i bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)text));
    return (Vector)_mm256_shuffle_epi8(bytes, (__m256i)places);
}

#endif

#endif
