/* Checksums of many items, by xxHash. src/neardup/kernels/checksums.py */
#ifndef NEARDUP_CHECKSUMS_H
#define NEARDUP_CHECKSUMS_H

#include "core.h"
#include "ranges.h"

/* XXH3_64bits_withSeed of xxHash. */
typedef u64 (*Xxh3)(const void *data, size_t size, u64 seed);

KERNEL(checksums, "xxh3 int, data u1, starts i8, sizes i8, seeds u8, out u8!") {
    const Xxh3 xxh3 = (Xxh3)(intptr_t)a[0].number;
    const u8 *data = a[1].data;
    const i64 *starts = a[2].data, *sizes = a[3].data;
    const u64 *seeds = a[4].data;
    u64 *out = a[5].data;
    for (i64 i = 0; i < a[5].length; i++) out[i] = xxh3(data + starts[i], (size_t)sizes[i], seeds[i]);
    return 0;
}

/* Each item of `data`, and behind it its checksum, the most significant byte first. */
KERNEL(sealed, "xxh3 int, data u1, offsets i8, seeds u8, out u1!") {
    const Xxh3 xxh3 = (Xxh3)(intptr_t)a[0].number;
    const u8 *data = a[1].data;
    const i64 *offsets = a[2].data;
    const u64 *seeds = a[3].data;
    u8 *out = a[4].data;
    for (i64 i = 0; i < a[3].length; i++) {
        const size_t size = (size_t)(offsets[i + 1] - offsets[i]);
        const u64 sum = __builtin_bswap64(xxh3(data + offsets[i], size, seeds[i]));
        memcpy(out, data + offsets[i], size);
        memcpy(out + size, &sum, sizeof sum);
        out += size + sizeof sum;
    }
    return 0;
}

KERNEL(checksums_of_both, "xxh3 int, rows u1/, tails u1, offsets i8, seeds u8, out u8!") {
    const Xxh3 xxh3 = (Xxh3)(intptr_t)a[0].number;
    const u8 *rows = a[1].data, *tails = a[2].data;
    const i64 *offsets = a[3].data;
    const u64 *seeds = a[4].data;
    u64 *out = a[5].data;
    const i64 width = a[1].width, stride = a[1].stride;
    u8 *item = malloc((size_t)(width + widest_of(offsets, a[3].length) + 1));
    if (!item) return NO_MEMORY;
    for (i64 i = 0; i < a[5].length; i++) {
        const i64 size = offsets[i + 1] - offsets[i];
        memcpy(item, rows + i * stride, (size_t)width);
        memcpy(item + width, tails + offsets[i], (size_t)size);
        out[i] = xxh3(item, (size_t)(width + size), seeds[i]);
    }
    free(item);
    return 0;
}

#endif
