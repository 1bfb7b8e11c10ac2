/* All kernels in one unit, so that what they share is compiled into each of them (native/compile_kernels.py). */
#include "core.h"

#include "batch_search.h"
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
#include "pairs.h"
#include "posting_lists.h"
#include "qgrams.h"
#include "quoted_lines.h"
#include "ranges.h"
#include "signing.h"
#include "text.h"
#include "words.h"

/* Of what sources this was made: native/compile_kernels.py says so, and Python looks. */
EXPORT const char neardup_sources[] = SOURCES;

/* What kernels take an array for, by which Python makes sure that they read it rightly. */
EXPORT void neardup_layout(const char *array, i64 header, i64 *out);
EXPORT void neardup_layout(const char *array, i64 header, i64 *out) {
    const ArrayFields *fields = (const ArrayFields *)(array + header);
    out[0] = (i64)fields->data;
    out[1] = fields->shape[0];
    out[2] = fields->dimensions == 2 ? fields->shape[1] : -1;
    out[3] = fields->strides[0];
    out[4] = (fields->flags & IS_CONTIGUOUS ? 1 : 0) + (fields->flags & IS_WRITEABLE ? 2 : 0);
}

/* The best level of native/compile_kernels.py that this processor has. */
EXPORT i64 neardup_level(void);
EXPORT i64 neardup_level(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool has_3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
                       __builtin_cpu_supports("popcnt");
    const bool has_4 = has_3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
                       __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq");
    return has_4 ? 4 : has_3 ? 3 : 1;
#else
    return 1;
#endif
}
