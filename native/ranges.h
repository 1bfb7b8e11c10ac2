/* Parts of arrays. src/neardup/kernels/ranges.py */
#ifndef NEARDUP_RANGES_H
#define NEARDUP_RANGES_H

#include "core.h"

/* Where the first of the ascending `values` is that is at least `value`; their number if there is none. */
#define FIRST_NOT_BELOW(name, type)                                      \
    static inline i64 name(const type *values, i64 length, type value) { \
        i64 low = 0, high = length;                                      \
        while (low < high) {                                             \
            const i64 middle = (low + high) >> 1;                        \
            if (values[middle] < value)                                  \
                low = middle + 1;                                        \
            else                                                         \
                high = middle;                                           \
        }                                                                \
        return low;                                                      \
    }

FIRST_NOT_BELOW(first_not_below_u32, u32)
FIRST_NOT_BELOW(first_not_below_u64, u64)

KERNEL(gather, "source u8, starts i8, sizes i8, out u8!") {
    const u64 *source = a[0].data;
    const i64 *starts = a[1].data, *sizes = a[2].data;
    u64 *out = a[3].data;
    for (i64 i = 0; i < a[1].length; i++) {
        memcpy(out, source + starts[i], (size_t)sizes[i] * sizeof *out);
        out += sizes[i];
    }
    return 0;
}

#endif
