/* Overlaps of sorted sets and bags, one pair at a time or one against all that posting lists hold.
 * src/neardup/kernels/counting.py
 */
#ifndef NEARDUP_COUNTING_H
#define NEARDUP_COUNTING_H

#include "core.h"
#include "posting_lists.h"

enum { FREQUENCY_BITS = 8 }; /* low bits of a posting of a bag that hold how often the feature occurs */

KERNEL(shared, "a u8, b u8") {
    const u64 *one = a[0].data, *other = a[1].data;
    const i64 n = a[0].length, m = a[1].length;
    i64 i = 0, j = 0, count = 0;
    while (i < n && j < m) { /* no branch: each would be mispredicted half of the time */
        const u64 x = one[i], y = other[j];
        count += x == y;
        i += x <= y;
        j += y <= x;
    }
    return count;
}

KERNEL(overlap, "a u8, a_counts i8, b u8, b_counts i8") {
    const u64 *one = a[0].data, *other = a[2].data;
    const i64 *a_counts = a[1].data, *b_counts = a[3].data, n = a[0].length, m = a[2].length;
    i64 i = 0, j = 0, total = 0;
    while (i < n && j < m) {
        const u64 x = one[i], y = other[j];
        if (x == y) total += min_i64(a_counts[i], b_counts[j]);
        i += x <= y;
        j += y <= x;
    }
    return total;
}

/* Whether two weights differ little enough: `closeness` 0 takes all. */
static inline bool are_close(double v, double w, double closeness) {
    return closeness == 0 || v / w + w / v < closeness;
}

KERNEL(product, "a u8, a_weights f8, b u8, b_weights f8, closeness float, total f8!") {
    const u64 *one = a[0].data, *other = a[2].data;
    const double *a_weights = a[1].data, *b_weights = a[3].data;
    const i64 n = a[0].length, m = a[2].length;
    i64 i = 0, j = 0;
    double total = 0;
    while (i < n && j < m) {
        const u64 x = one[i], y = other[j];
        if (x == y && are_close(a_weights[i], b_weights[j], a[4].real)) total += a_weights[i] * b_weights[j];
        i += x <= y;
        j += y <= x;
    }
    *(double *)a[5].data = total;
    return 0;
}

KERNEL(count_all, "entries u8, pool u4, keys u8, counts i4!") {
    const Lists lists = {.entries = a[0].data, .entries_length = a[0].length, .pool = a[1].data};
    const u64 *keys = a[2].data;
    i32 *counts = a[3].data;
    for (i64 k = 0; k < a[2].length; k++) {
        const PostingList list = list_at(&lists, find(&lists, keys[k]));
        if (list.is_inline) {
            counts[list.start]++;
            continue;
        }
        for (i64 p = list.start; p < list.start + list.length; p++) counts[lists.pool[p]]++;
    }
    return 0;
}

KERNEL(sum_products, "entries u8, pool u4, keys u8, frequencies f8, weights f8, closeness float, sums f8!") {
    const Lists lists = {.entries = a[0].data, .entries_length = a[0].length, .pool = a[1].data};
    const u64 *keys = a[2].data;
    const double *frequencies = a[3].data, *weights = a[4].data, closeness = a[5].real;
    double *sums = a[6].data;
    for (i64 k = 0; k < a[2].length; k++) {
        const PostingList list = list_at(&lists, find(&lists, keys[k]));
        for (i64 p = 0; p < list.length; p++) {
            const i64 posting = list.is_inline ? list.start : (i64)lists.pool[list.start + p];
            const double frequency = (double)(posting & ((1 << FREQUENCY_BITS) - 1));
            const double ratio = frequencies[k] / frequency;
            if (closeness == 0 || ratio + 1 / ratio < closeness)
                sums[posting >> FREQUENCY_BITS] += weights[k] * frequency;
        }
    }
    return 0;
}

#endif
