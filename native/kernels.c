/* All kernels in one unit, so that what they share is compiled into each of them (native/compile_kernels.py). */
#include "core.h"

#include "batch_search.h"
#include "best_matches.h"
#include "candidate_filter.h"
#include "checksums.h"
#include "counting.h"
#include "crowd.h"
#include "digests.h"
#include "documents.h"
#include "gram_sets.h"
#include "hashing.h"
#include "id_slots.h"
#include "marks.h"
#include "member_lists.h"
#include "overlap.h"
#include "packed_lists.h"
#include "packing.h"
#include "pairs.h"
#include "posting_lists.h"
#include "qgrams.h"
#include "quoted_lines.h"
#include "ranges.h"
#include "signing.h"
#include "slots.h"
#include "text.h"
#include "words.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* The hash of the sources: native/compile_kernels.py sets it, and Python checks it. */
EXPORT const char neardup_sources[] = SOURCES;

/* How kernels see an array, by which Python makes sure that they read it rightly. */
EXPORT void neardup_layout(const char *array, i64 header, i64 *out);
EXPORT void neardup_layout(const char *array, i64 header, i64 *out) {
    const ArrayFields *fields = (const ArrayFields *)(array + header);
    out[0] = (i64)fields->data;
    out[1] = fields->shape[0];
    out[2] = fields->dimensions == 2 ? fields->shape[1] : -1;
    out[3] = fields->strides[0];
    out[4] = (fields->flags & IS_CONTIGUOUS ? 1 : 0) + (fields->flags & IS_WRITEABLE ? 2 : 0);
}

/* Sets the secret of this process, which no author of texts knows; only once, because existing tables depend on it. */
EXPORT void neardup_keep_secret(u64 secret);
EXPORT void neardup_keep_secret(u64 secret) {
    if (secret_of_process == 0) secret_of_process = secret;
}

#if defined(__x86_64__)
/* Bits of CPUID and of XCR0 (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID, and volume
 * 1, 13.3). Asked here: where zig compiles, __builtin_cpu_supports knows no processor.
 */
enum {
    FMA_MOVBE_POPCNT_XSAVE_F16C = 1 << 12 | 1 << 22 | 1 << 23 | 1 << 27 | 1 << 29, /* leaf 1, ecx */
    BMI_AVX2_BMI2 = 1 << 3 | 1 << 5 | 1 << 8,                                      /* leaf 7, ebx */
    AVX512_F_DQ_CD_BW = 1 << 16 | 1 << 17 | 1 << 28 | 1 << 30,                     /* leaf 7, ebx; VL is the sign */
    AVX512_VBMI_VBMI2_VPOPCNTDQ = 1 << 1 | 1 << 6 | 1 << 14,                       /* leaf 7, ecx */
    LZCNT = 1 << 5,                                                                /* leaf 0x80000001, ecx */
    YMM_IS_SAVED = 0x06,
    ZMM_IS_SAVED = 0xE6,
};

static bool has_all(u32 bits, u32 wanted) { return (bits & wanted) == wanted; }

static i64 level_of_processor(void) {
    u32 a, b, c, d, leaf_1, leaf_7b, leaf_7c, saved;
    if (!__get_cpuid(1, &a, &b, &leaf_1, &d) || !__get_cpuid_count(7, 0, &a, &leaf_7b, &leaf_7c, &d) ||
        !__get_cpuid(0x80000001, &a, &b, &c, &d) || !has_all(leaf_1, FMA_MOVBE_POPCNT_XSAVE_F16C))
        return 1;
    __asm__("xgetbv" : "=a"(saved), "=d"(d) : "c"(0));
    if (!has_all(saved, YMM_IS_SAVED) || !has_all(leaf_7b, BMI_AVX2_BMI2) || !has_all(c, LZCNT)) return 1;
    const bool has_4 = has_all(saved, ZMM_IS_SAVED) && has_all(leaf_7b, AVX512_F_DQ_CD_BW | 1U << 31) &&
                       has_all(leaf_7c, AVX512_VBMI_VBMI2_VPOPCNTDQ);
    return has_4 ? 4 : 3;
}
#else
static i64 level_of_processor(void) { return 1; }
#endif

/* The best level of native/compile_kernels.py that this processor has. */
EXPORT i64 neardup_level(void);
EXPORT i64 neardup_level(void) { return level_of_processor(); }
