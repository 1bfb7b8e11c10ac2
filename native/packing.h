/* Changes of packed lists as a whole: new postings are sorted by key, then merged with those that are packed already.
 * src/neardup/kernels/packing.py
 *
 * Postings to be packed are values of 64 bits, in the order of their keys once `sort_by_key` has sorted them:
 *
 *     key << 33 | doc                   one posting
 *     key << 33 | 1 << 32 | slot        all of the list that is in this slot of a table
 *
 * Packed postings change in place, as their array is large: kernels that add go from the last posting to the first,
 * kernels that leave out from the first to the last, so that nothing is overwritten before it has been moved.
 */
#ifndef NEARDUP_PACKING_H
#define NEARDUP_PACKING_H

#include "core.h"
#include "packed_lists.h"
#include "posting_lists.h"

enum { LISTED_KEY_SHIFT = 33, LISTED_SEVERAL_SHIFT = 32 };
#define LISTED_SEVERAL (1LL << LISTED_SEVERAL_SHIFT)
#define PACKED_KEYS ((1ULL << PACKED_KEY_BITS) - 1)

#define PACKED_LISTS_WRITTEN "packed.starts u4, packed.postings u4!, packed.doc_bits int"

KERNEL(unordered_lists, "entries u8, out u8!") {
    const u64 *entries = a[0].data;
    u64 *out = a[1].data;
    const i64 slots = a[0].length, room = a[1].length;
    i64 at = 0, postings = 0;
    for (i64 slot = 0; slot < slots && at < room; slot++) { /* behind the last list all are free */
        const u64 packed = entries[2 * slot + 1];
        const PostingList list = unpacked(packed);
        const u64 is_pooled = (u32)packed > 1;
        const u64 doc_or_slot = is_pooled ? (u64)slot : (u64)list.start;
        /* Whether it is a list or not: no branch. */
        out[at] = entries[2 * slot] << LISTED_KEY_SHIFT | is_pooled << LISTED_SEVERAL_SHIFT | doc_or_slot;
        postings += list.length;
        at += list.length != 0;
    }
    return postings;
}

KERNEL(unordered_postings, "keys u8, starts i8, sizes i8, docs i8, out u8!") {
    const u64 *keys = a[0].data;
    const i64 *starts = a[1].data, *sizes = a[2].data, *docs = a[3].data;
    u64 *out = a[4].data;
    i64 at = 0;
    for (i64 i = 0; i < a[3].length; i++) {
        if (docs[i] < 0) continue;
        for (i64 j = starts[i]; j < starts[i] + sizes[i]; j++)
            out[at++] = (keys[j] & PACKED_KEYS) << LISTED_KEY_SHIFT | (u64)docs[i];
    }
    return at;
}

/* Sorts `from` by the ten bits from `shift` on into `to`; values with the same bits keep their order. `ends` has room
 * for SORTED_SIZE numbers, and for where the values with each of them end in `to`, when it returns.
 */
enum { SORTED_BITS = 10, SORTED_SIZE = 1 << SORTED_BITS };
_Static_assert(3 * SORTED_BITS == PACKED_KEY_BITS, "three passes sort by a whole key");

static inline void sort_by_ten_bits(const u64 *restrict from, i64 size, int shift, u64 *restrict to,
                                    i64 *restrict ends) {
    memset(ends, 0, SORTED_SIZE * sizeof *ends);
    for (i64 i = 0; i < size; i++) ends[from[i] >> shift & (SORTED_SIZE - 1)]++;
    i64 at = 0;
    for (int digit = 0; digit < SORTED_SIZE; digit++) {
        const i64 count = ends[digit];
        ends[digit] = at;
        at += count;
    }
    for (i64 i = 0; i < size; i++) to[ends[from[i] >> shift & (SORTED_SIZE - 1)]++] = from[i];
}

/* By the highest ten bits first, so that what is sorted by the others lies in the cache. */
KERNEL(sort_by_key, "values u8!, room u8!") {
    u64 *values = a[0].data, *room = a[1].data;
    i64 ends[SORTED_SIZE], counts[SORTED_SIZE];
    sort_by_ten_bits(values, a[0].length, LISTED_KEY_SHIFT + 2 * SORTED_BITS, room, ends);
    i64 begin = 0;
    for (int digit = 0; digit < SORTED_SIZE; digit++) {
        const i64 size = ends[digit] - begin;
        sort_by_ten_bits(room + begin, size, LISTED_KEY_SHIFT, values + begin, counts);
        sort_by_ten_bits(values + begin, size, LISTED_KEY_SHIFT + SORTED_BITS, room + begin, counts);
        memcpy(values + begin, room + begin, (size_t)size * sizeof *values);
        begin = ends[digit];
    }
    return 0;
}

/* Writes a list that `unordered_lists` has as `value` to `postings`, so that it ends before `at`; returns where it
 * begins. `part`: the part of its key that is in each posting.
 */
static inline i64 write_list(const Lists *lists, i64 value, i64 part, u32 *postings, i64 at) {
    if (!(value & LISTED_SEVERAL)) {
        postings[at - 1] = (u32)(part | (value & 0xFFFFFFFF));
        return at - 1;
    }
    const PostingList list = list_at(lists, value & 0xFFFFFFFF);
    const u32 *restrict from = lists->pool + list.start;
    u32 *restrict to = postings + at - list.length;
    for (i64 p = 0; p < list.length; p++) to[p] = (u32)part | from[p];
    return at - list.length;
}

/* Linear in what is packed and what is added. */
KERNEL(absorb, PACKED_LISTS_WRITTEN ", size int, " LISTS_READ ", order u8, starts u4!, doc_bits int") {
    const PackedLists packed = packed_lists_of(&a);
    const i64 size = take(&a, 1)->number;
    const Lists lists = lists_of(&a);
    const u64 *order = a[0].data;
    u32 *starts = a[1].data;
    const i64 doc_bits = a[2].number;
    const u32 *old_starts = packed.starts;
    u32 *postings = packed.postings;
    const i64 old_mask = doc_mask(&packed);
    i64 at = packed.postings_length, waiting = size, listed = a[0].length;
    i64 known = a[1].length - 1; /* from this bucket on, starts are known */
    starts[known] = (u32)at;
    i64 old_bucket = packed.starts_length - 2;
    while (waiting > 0 || listed > 0) {
        const i64 value = listed > 0 ? (i64)order[listed - 1] : -1, list_key = value >> LISTED_KEY_SHIFT;
        while (waiting > 0) { /* the packed ones behind that list */
            while (old_starts[old_bucket] >= waiting) old_bucket--;
            const i64 posting = postings[waiting - 1], key = packed_key(old_bucket, posting, packed.doc_bits);
            if (list_key >= key) break;
            while (known > bucket_of(key, doc_bits) + 1) starts[--known] = (u32)at;
            waiting--;
            at--;
            postings[at] = (u32)(part_of(key, doc_bits) | (posting & old_mask));
        }
        if (listed == 0) break;
        while (known > bucket_of(list_key, doc_bits) + 1) starts[--known] = (u32)at;
        listed--;
        at = write_list(&lists, value, part_of(list_key, doc_bits), postings, at);
    }
    memset(starts, 0, (size_t)known * sizeof *starts);
    return 0;
}

/* As `absorb`, if the shape stays the same: postings between two of the lists are moved as they are. */
KERNEL(insert_packed, PACKED_LISTS_WRITTEN ", size int, " LISTS_READ ", order u8, starts u4!") {
    const PackedLists packed = packed_lists_of(&a);
    const i64 size = take(&a, 1)->number;
    const Lists lists = lists_of(&a);
    const u64 *order = a[0].data;
    u32 *restrict starts = a[1].data;
    const u32 *restrict old_starts = packed.starts;
    u32 *postings = packed.postings;
    const i64 doc_bits = packed.doc_bits;
    i64 at = packed.postings_length, waiting = size;
    i64 known = a[1].length - 1;
    starts[known] = (u32)at;
    for (i64 listed = a[0].length - 1; listed >= 0; listed--) {
        const i64 value = (i64)order[listed], key = value >> LISTED_KEY_SHIFT;
        const i64 bucket = bucket_of(key, doc_bits), part = part_of(key, doc_bits);
        const i64 end = min_i64(old_starts[bucket + 1], waiting);
        const i64 first = first_posting_not_below(postings, old_starts[bucket], end, part + ((i64)1 << doc_bits));
        const i64 moved = at - waiting;
        for (i64 b = bucket + 1; b < known; b++) starts[b] = (u32)(old_starts[b] + moved);
        known = min_i64(known, bucket + 1);
        memmove(postings + first + moved, postings + first, (size_t)(waiting - first) * sizeof *postings);
        at = write_list(&lists, value, part, postings, first + moved);
        waiting = first;
    }
    memcpy(starts, old_starts, (size_t)known * sizeof *starts);
    return 0;
}

KERNEL(count_kept, PACKED_LISTS ", docs i8") {
    const PackedLists packed = packed_lists_of(&a);
    const i64 *docs = a[0].data;
    const u32 *postings = packed.postings;
    const u64 mask = (u64)doc_mask(&packed);
    const i64 size = packed.postings_length;
    i64 kept = 0;
    for (i64 p = 0; p < size; p++) kept += docs[postings[p] & mask] >= 0;
    return kept;
}

KERNEL(renumber_packed, PACKED_LISTS_WRITTEN ", docs i8, starts u4!, doc_bits int") {
    const PackedLists packed = packed_lists_of(&a);
    const i64 *docs = a[0].data;
    u32 *starts = a[1].data;
    const i64 doc_bits = a[2].number;
    const u32 *old_starts = packed.starts;
    u32 *postings = packed.postings;
    const i64 old_mask = doc_mask(&packed);
    i64 at = 0, known = 0; /* up to this bucket, starts are known */
    starts[0] = 0;
    for (i64 old_bucket = 0; old_bucket < packed.starts_length - 1; old_bucket++) {
        for (i64 p = old_starts[old_bucket]; p < old_starts[old_bucket + 1]; p++) {
            const i64 doc = docs[postings[p] & old_mask];
            const i64 key = packed_key(old_bucket, postings[p], packed.doc_bits);
            while (known < bucket_of(key, doc_bits)) starts[++known] = (u32)at;
            postings[at] = (u32)(part_of(key, doc_bits) | doc); /* whether it stays or not: no branch */
            at += doc >= 0;
        }
    }
    for (i64 b = known + 1; b < a[1].length; b++) starts[b] = (u32)at;
    return 0;
}

#endif
