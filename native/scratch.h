/* Working memory of kernels, one a thread: `Scratch` in src/neardup/kernels/signing.py. */
#ifndef NEARDUP_SCRATCH_H
#define NEARDUP_SCRATCH_H

#include "core.h"

typedef struct {
    u32 *points;
    u32 *kept;
    u64 *keys;
    u64 *grams;
    u64 *chosen;
    u64 *table;
    u64 *others;
    u8 *seen;
    u32 *ascii;
    i32 *positions;
} Scratch;

#define SCRATCH                                                                                       \
    "scratch.points u4!, scratch.kept u4!, scratch.keys u8!, scratch.grams u8!, scratch.chosen u8!, " \
    "scratch.table u8!, scratch.others u8!, scratch.seen u1!, scratch.ascii u4!, scratch.positions i4!"

static inline Scratch scratch_of(const Arg **rest) {
    const Arg *a = take(rest, 10);
    return (Scratch){a[0].data, a[1].data, a[2].data, a[3].data, a[4].data,
                     a[5].data, a[6].data, a[7].data, a[8].data, a[9].data};
}

#endif
