/* Counters of how many lists each doc is in, a byte a doc, that need not be cleared between two searches.
 * src/neardup/kernels/counters.py
 *
 *     hits[doc]     stamp << bits | count
 *     stamp[0]      that of the search that counts now; a counter with an older one is 0
 */
#ifndef NEARDUP_COUNTERS_H
#define NEARDUP_COUNTERS_H

#include "core.h"

enum { COUNTERS_AHEAD = 48 }; /* postings ahead of the one that is counted */

/* `Counters` in counters.py. */
typedef struct {
    u8 *hits;
    i64 hits_length; /* docs */
    i64 bits;
    i64 *stamp;
} Counters;

#define COUNTERS "counters.hits u1!, counters.bits int, counters.stamp i8!"

static inline Counters counters_of(const Arg **rest) {
    const Arg *a = take(rest, 3);
    return (Counters){a[0].data, a[0].length, a[1].number, a[2].data};
}

/* How many searches there are between two clearings. */
static inline i64 last_stamp(const Counters *counters) { return (1 << (8 - counters->bits)) - 1; }

/* Starts a new count; returns the value of a counter that stands for 0 in it. All of them are cleared when stamps run
 * out.
 */
static inline i64 next_stamp(const Counters *counters) {
    if (*counters->stamp == last_stamp(counters)) {
        memset(counters->hits, 0, (size_t)counters->hits_length);
        *counters->stamp = 0;
    }
    return ++*counters->stamp << counters->bits;
}

/* Sets `after` to what each value of a counter becomes when its doc is in one more list. A value below `base` is of an
 * earlier search, and stands for 0; counting stops one above the `goal`, or it would run into the next stamp.
 */
static inline void counted_once_more(i64 base, i64 goal, u8 after[256]) {
    for (i64 held = 0; held < 256; held++) after[held] = (u8)(min_i64(max_i64(held, base), goal) + 1);
}

/* Counts `docs[begin:end]`; those whose counter reaches `enough` go to `docs[at:]`, which has room for all: it is
 * filled without a branch. Returns the next position. `at` is `begin`, or not below `end`.
 *
 * after   as `counted_once_more` sets it. Comparing would be a branch, which is mispredicted now and then; then all
 *         waits for a counter among millions, which is in no cache.
 *
 * The counter of a doc further on is prefetched: it is in no cache, and stores wait for their lines one after the
 * other. `docs` has room for COUNTERS_AHEAD more.
 *
 * Unrolled, as the other loops over all postings: gcc by itself does not, and a search takes a seventh longer.
 */
static inline i64 count_docs(i32 *docs, i64 begin, i64 end, const u8 *after, i64 enough, u8 *hits, i64 at) {
#pragma GCC unroll 8
    for (i64 p = begin; p < end; p++) {
        const u32 doc = (u32)docs[p];
        prefetch(hits + (u32)docs[p + COUNTERS_AHEAD]);
        const u8 held = after[hits[doc]];
        hits[doc] = held;
        docs[at] = (i32)doc;
        at += held == enough;
    }
    return at;
}

/* Clears the counters of `docs[begin:end]`, all that were counted last, so that their stamp is free again: to clear those
 * of millions, even once in 31 searches, costs more. Moves `docs[end:last]` to `docs[begin:]` and returns their end.
 */
static inline i64 forget_counts(const Counters *counters, i32 *docs, i64 begin, i64 end, i64 last) {
    for (i64 p = begin; p < end; p++) counters->hits[(u32)docs[p]] = 0;
    --*counters->stamp;
    memmove(docs + begin, docs + end, (size_t)(last - end) * sizeof *docs);
    return begin + last - end;
}

#endif
