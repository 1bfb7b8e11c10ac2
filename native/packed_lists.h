/* Packed posting lists: sorted by key, four bytes a posting, changed only as a whole (packing.h).
 * src/neardup/kernels/packed_lists.py
 *
 *     starts[b] : starts[b + 1]     where bucket b lies in `postings`: the keys whose high bits are b
 *     postings[p]                   low bits of the key << doc_bits | doc
 *
 * A key has PACKED_KEY_BITS; the number of its high bits grows with the number of packed postings, so that a bucket
 * holds some eight of them, and the rest of a key fits beside the doc. So a posting costs 4.25 to 4.5 bytes, however
 * long its list, whereas a table costs 16 bytes a slot, a third to half of them free (posting_lists.h).
 *
 * New postings go to such a table, and from it to packed lists when there are many: a log-structured merge (O'Neil et
 * al. 1996) of two levels. Both keep the order in which docs were added to a list, and packed docs were added first: a
 * list is its packed part, followed by its part in the table.
 */
#ifndef NEARDUP_PACKED_LISTS_H
#define NEARDUP_PACKED_LISTS_H

#include "core.h"
#include "posting_lists.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

enum { PACKED_WORD_BITS = 32, PACKED_KEY_BITS = 30 };

/* Up to this many postings are all compared; among more, a binary search comes first. */
enum { PACKED_SCANNED = 32 };

/* Packed lists; without postings they have one bucket and `doc_bits` 0. */
typedef struct {
    const u32 *starts; /* 2^high bits + 1 */
    i64 starts_length;
    u32 *postings;
    i64 postings_length;
    i64 doc_bits; /* how many bits of a posting are its doc's */
} PackedLists;

#define PACKED_LISTS "packed.starts u4, packed.postings u4, packed.doc_bits int"

static inline PackedLists packed_lists_of(const Arg **rest) {
    const Arg *a = take(rest, 3);
    return (PackedLists){a[0].data, a[0].length, a[1].data, a[1].length, a[2].number};
}

/* The bits of a posting that are its doc. */
static inline i64 doc_mask(const PackedLists *packed) { return ((i64)1 << packed->doc_bits) - 1; }

/* The bucket of a key, by its high bits. */
static inline i64 bucket_of(i64 key, i64 doc_bits) { return key >> (PACKED_WORD_BITS - doc_bits); }

/* The part of a key that is in each of its postings, above the doc: all bits but those of its bucket. */
static inline i64 part_of(i64 key, i64 doc_bits) { return (i64)(u32)((u64)key << doc_bits); }

/* The key of a posting in a bucket. */
static inline i64 packed_key(i64 bucket, i64 posting, i64 doc_bits) {
    return bucket << (PACKED_WORD_BITS - doc_bits) | posting >> doc_bits;
}

/* Where the posting lists of some keys lie, each with its two parts. */
typedef struct {
    const Lists *lists;        /* the table */
    const PackedLists *packed; /* what was packed before */
    i64 *slots;                /* where its part in the table is, or would be (posting_lists.h) */
    i64 *starts, *sizes;       /* its packed part: `postings[start:start + size]` */
    i64 *lengths;              /* docs in both parts */
} Located;

/* Makes room for `size` keys, which `locate` fills; false if there is no memory. `free_located` frees it. */
static inline bool room_to_locate(const Lists *lists, const PackedLists *packed, i64 size, Located *located) {
    i64 *room = malloc((size_t)(4 * size + 1) * sizeof *room);
    *located = (Located){lists, packed, room, room + size, room + 2 * size, room + 3 * size};
    return room != NULL;
}

static inline void free_located(const Located *located) { free(located->slots); }

/* The packed part of list j: `sizes[j]` postings. */
static inline const u32 *packed_part(const Located *located, i64 j) {
    return located->packed->postings + located->starts[j];
}

/* And the part in the table. */
static inline PostingList table_part(const Located *located, i64 j) {
    return list_at(located->lists, located->slots[j]);
}

/* How many of the ascending `postings[begin:end]`, at most PACKED_SCANNED, are below `value` (up to 2^32).
 *
 * All are compared, without a branch, as their number is unpredictable.
 */
#if defined(__AVX512BW__)
static inline i64 postings_below(const u32 *postings, i64 begin, i64 end, i64 value) {
    if (begin == end || value == 0) return 0;
    const __m512i limit = _mm512_set1_epi32((i32)(value - 1));
    const u64 wanted = (1ULL << (end - begin)) - 1;
    const __m512i low = _mm512_maskz_loadu_epi32((__mmask16)wanted, postings + begin);
    i64 below = ones(_mm512_mask_cmple_epu32_mask((__mmask16)wanted, low, limit));
    if (end - begin > 16) {
        const __m512i high = _mm512_maskz_loadu_epi32((__mmask16)(wanted >> 16), postings + begin + 16);
        below += ones(_mm512_mask_cmple_epu32_mask((__mmask16)(wanted >> 16), high, limit));
    }
    return below;
}
#else
static inline i64 postings_below(const u32 *postings, i64 begin, i64 end, i64 value) {
    i64 below = 0;
    for (i64 p = begin; p < end; p++) below += (i64)postings[p] < value;
    return below;
}
#endif

/* Where the first of the ascending `postings[begin:end]` is that is at least `value`, or `end`. */
static inline i64 first_posting_not_below(const u32 *postings, i64 begin, i64 end, i64 value) {
    while (end - begin > PACKED_SCANNED) {
        const i64 middle = (begin + end) >> 1;
        if ((i64)postings[middle] < value)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin + postings_below(postings, begin, end, value);
}

/* Finds the lists of `keys[:size]`.
 *
 * All look-ups of a kind come first, so that their cache misses overlap.
 */
static inline void locate(const Located *located, const u64 *keys, i64 size) {
    const Lists *lists = located->lists;
    const PackedLists *packed = located->packed;
    i64 *restrict slots = located->slots, *restrict starts = located->starts;
    i64 *restrict sizes = located->sizes, *restrict lengths = located->lengths;
    const u32 *buckets = packed->starts, *postings = packed->postings;
    const i64 doc_bits = packed->doc_bits;
    for (i64 j = 0; j < size; j++) prefetch(lists->entries + 2 * first_slot(lists, keys[j]));
    if (packed->postings_length == 0) {
        for (i64 j = 0; j < size; j++) {
            slots[j] = find(lists, keys[j]);
            starts[j] = sizes[j] = 0;
            lengths[j] = length_at(lists, slots[j]);
        }
        return;
    }
    for (i64 j = 0; j < size; j++) prefetch(buckets + bucket_of((i64)keys[j], doc_bits));
    for (i64 j = 0; j < size; j++) {
        slots[j] = find(lists, keys[j]);
        const i64 bucket = bucket_of((i64)keys[j], doc_bits);
        starts[j] = buckets[bucket];
        sizes[j] = buckets[bucket + 1]; /* where it ends, for now */
        prefetch(postings + starts[j]);
    }
    for (i64 j = 0; j < size; j++) {
        const i64 part = part_of((i64)keys[j], doc_bits);
        const i64 begin = first_posting_not_below(postings, starts[j], sizes[j], part);
        const i64 end = first_posting_not_below(postings, begin, sizes[j], part + ((i64)1 << doc_bits));
        starts[j] = begin;
        sizes[j] = end - begin;
        lengths[j] = end - begin + length_at(lists, slots[j]);
    }
}

KERNEL(count_keys, PACKED_LISTS ", entries u8") {
    const PackedLists packed = packed_lists_of(&a);
    const u64 *entries = a[0].data;
    const i64 slots = a[0].length;
    const u32 *starts = packed.starts, *postings = packed.postings;
    const i64 doc_bits = packed.doc_bits;
    const i64 size = packed.postings_length;
    /* Counts where the rest of the key changes, and buckets that begin with the rest with which the one before ends. */
    i64 count = size > 0;
    for (i64 p = 1; p < size; p++) count += (i64)postings[p] >> doc_bits != (i64)postings[p - 1] >> doc_bits;
    for (i64 bucket = 1; bucket < packed.starts_length - 1; bucket++) {
        const i64 p = starts[bucket];
        if (p == 0 || p == size) continue;
        const bool is_alike = (i64)postings[p] >> doc_bits == (i64)postings[p - 1] >> doc_bits;
        count += is_alike & (p != starts[bucket + 1]);
    }
    for (i64 slot = 0; slot < slots; slot++) {
        if (entries[2 * slot + 1] == 0) continue;
        count++;
        if (packed.postings_length == 0) continue;
        const i64 key = (i64)entries[2 * slot];
        const i64 bucket = bucket_of(key, doc_bits), part = part_of(key, doc_bits);
        const i64 end = starts[bucket + 1];
        const i64 at = first_posting_not_below(postings, starts[bucket], end, part);
        count -= at < end && (i64)postings[at] >> doc_bits == part >> doc_bits;
    }
    return count;
}

#endif
