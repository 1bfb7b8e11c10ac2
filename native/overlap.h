/* Exact |A ∩ B| inside kernels, from the stored normal forms. src/neardup/kernels/overlap.py
 *
 * B's key set is never stored (18 KB a document of 4 KB, more than its text) nor made: its windows are looked up in A's
 * table, and each key of A is counted the first time it is hit. What is not in A is gathered, and counted in
 * a table of its own, which is small where the two are alike; so |B| comes out as well. One pass over B, no sort.
 *
 * ASCII texts are compared along what they have in common (common_runs.h).
 */
#ifndef NEARDUP_OVERLAP_H
#define NEARDUP_OVERLAP_H

#include "common_runs.h"
#include "core.h"
#include "qgrams.h"
#include "scratch.h"
#include "text.h"

enum { OVERLAP_BLOCK = 128 }; /* windows between two looks at whether the threshold can still be reached */

/* |A ∩ B| for A's `table` and the normal form B = `data[start:end]`, and |B| as `size`; or a number below `needed`, and
 * -1 as `size`.
 *
 * `table` of `mask` + 1 slots and `zero` as `key_set` makes them.
 * Stops when the windows left cannot reach `needed`: pass 0 for the exact numbers whatever they are.
 */
static inline i64 shared_keys(const u64 *restrict table, i64 mask, bool zero, const u8 *data, i64 start, i64 end, i64 q,
                              i64 needed, const Scratch *scratch, i64 *size) {
    u64 *restrict keys = scratch->keys;
    u8 *restrict seen = scratch->seen;
    *size = -1;
    const i64 windows = window_keys(data, start, end, q, scratch, keys);
    if (windows < needed) return 0;
    memset(seen, 0, (size_t)(mask + 1));
    i64 shared = 0, outside = 0;
    bool has_zero = false;
    for (i64 block = 0; block < windows; block += OVERLAP_BLOCK) {
        if (shared + windows - block < needed) return shared;
        /* Whether a key is in its first slot is unpredictable: those that are not wait. Every key is written, to avoid
         * a branch.
         */
        u64 waiting[OVERLAP_BLOCK];
        i64 n = 0;
        const i64 stop = min_i64(block + OVERLAP_BLOCK, windows);
        for (i64 i = block; i < stop; i++) {
            const u64 key = keys[i];
            const i64 slot = (i64)key & mask;
            const u8 is_there = (table[slot] == key) & (key != 0);
            shared += is_there & ~seen[slot];
            seen[slot] |= is_there;
            waiting[n] = key;
            n += 1 - is_there;
        }
        for (i64 i = 0; i < n; i++) {
            const u64 key = waiting[i];
            if (UNLIKELY(key == 0)) { /* marks a free slot, so no slot can hold this one key */
                shared += zero & !has_zero;
                has_zero = true;
                continue;
            }
            const i64 slot = slot_of(table, mask, key);
            if (table[slot]) {
                shared += 1 - seen[slot];
                seen[slot] = 1;
            } else {
                keys[outside++] = key; /* where one stood that was looked up before */
            }
        }
    }
    if (shared < needed) return shared;
    *size = shared + distinct(keys, outside, scratch->others) + (has_zero & !zero);
    return shared;
}

/* `needed`, or, if it is negative, the overlap that doc_q >= t needs for sets of these sizes; the second one may be
 * unknown (negative).
 */
static inline i64 wanted_overlap(i64 needed, i64 count, i64 other, i64 numerator, i64 denominator) {
    return needed >= 0 ? needed : required_overlap(max_i64(count, other), numerator, denominator);
}

KERNEL(verify_pairs,
       "queries i8, texts u1, text_offsets i8, counts i8!, data u1, starts i8, ends i8, others i8!, needed i8, "
       "numerator int, denominator int, q int, " SCRATCH ", out i8!") {
    const i64 *queries = a[0].data, *text_offsets = a[2].data, *starts = a[5].data, *ends = a[6].data;
    const i64 *needed = a[8].data;
    const u8 *texts = a[1].data, *data = a[4].data;
    i64 *counts = a[3].data, *others = a[7].data;
    const i64 numerator = a[9].number, denominator = a[10].number, q = a[11].number;
    const i64 pairs = a[0].length;
    const Arg *rest = a + 12;
    const Scratch scratch = scratch_of(&rest);
    i64 *out = rest[0].data;

    u64 passing[GRAM_FILTER_WORDS];
    const Grams grams = {scratch.ascii, scratch.positions, passing};
    u32 *const beyond = (u32 *)scratch.others;
    i64 last = -1, count = 0, bits = 0, mask = 0, begin = 0, end = 0;
    bool zero = false, by_runs = false, has_keys = false;
    for (i64 i = 0; i < pairs; i++) {
        const i64 query = queries[i];
        if (query != last) {
            begin = text_offsets[query];
            end = text_offsets[query + 1];
            last = query;
            has_keys = false;
            by_runs = q == 4 && is_ascii(texts, begin, end);
            if (by_runs) count = gram_set(texts, begin, end, &grams, &bits, scratch.points);
        }
        if (by_runs && is_ascii(data, starts[i], ends[i])) {
            const i64 wanted = wanted_overlap(needed[i], count, others[i], numerator, denominator);
            if (others[i] < 0)
                out[i] = shared_and_size(&grams, bits, texts, begin, end, scratch.points, data, starts[i], ends[i],
                                         wanted, scratch.seen, beyond, &others[i]);
            else if (others[i] < wanted)
                out[i] = 0;
            else
                out[i] =
                    shared_along_runs(&grams, bits, texts, end, data, starts[i], ends[i], others[i], wanted, beyond);
        } else {
            if (!has_keys) count = key_set(texts, begin, end, q, &scratch, scratch.chosen, &mask, &zero);
            has_keys = true;
            const i64 wanted = wanted_overlap(needed[i], count, others[i], numerator, denominator);
            i64 size;
            out[i] = shared_keys(scratch.table, mask, zero, data, starts[i], ends[i], q, wanted, &scratch, &size);
            if (size >= 0) others[i] = size;
        }
        /* Several threads may compare one query with parts of its candidates, and come to the same number. */
        __atomic_store_n(counts + query, count, __ATOMIC_RELAXED);
    }
    return 0;
}

#endif
