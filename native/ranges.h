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

FIRST_NOT_BELOW(first_not_below_i32, i32)
FIRST_NOT_BELOW(first_not_below_u32, u32)
FIRST_NOT_BELOW(first_not_below_u64, u64)

/* The largest number of values between two neighbours of `length` offsets. */
static inline i64 widest_of(const i64 *offsets, i64 length) {
    i64 widest = 0;
    for (i64 i = 0; i + 1 < length; i++) widest = max_i64(widest, offsets[i + 1] - offsets[i]);
    return widest;
}

KERNEL(gather, "source u1|u8, starts i8, sizes i8, out u1|u8!") {
    const u8 *source = a[0].data;
    const i64 *starts = a[1].data, *sizes = a[2].data;
    const i64 item = a[0].item;
    u8 *out = a[3].data;
    for (i64 i = 0; i < a[1].length; i++) {
        const i64 bytes = sizes[i] * item;
        memcpy(out, source + starts[i] * item, (size_t)bytes);
        out += bytes;
    }
    return 0;
}

#endif
