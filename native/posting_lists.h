/* Posting lists in memory: key -> the docs that hold it, side by side, growing in place.
 * src/neardup/kernels/posting_lists.py
 *
 * The docs of a list lie side by side because linked blocks are 3 to 4 times slower to read. A list that is full moves
 * to a room of twice its size; the room it leaves is kept on a free list of its size class. Most keys of a sketch are
 * held by one doc: such a list lies in the table itself ("inline").
 *
 *     entries[slot] = (key, start << 32 | size_class << 27 | length)     length 0: the slot is free
 *     pool[start : start + length]                                       docs, in the order in which they were added
 *     inline: length 1 and size class 0; `start` is the doc
 *     usage = [keys used, pool top, head of the free list of size class 0, 1, ... 31]   heads and links are start + 1
 *
 * A doc is the number of a document in a table (neardup.index.document_table), below 2^32, as is every `start`: the
 * caller that makes the pool larger ensures that.
 *
 * Kernels that run out of room change nothing they cannot resume: they return a status, the caller grows an array and
 * calls again with the same `progress`.
 */
#ifndef NEARDUP_POSTING_LISTS_H
#define NEARDUP_POSTING_LISTS_H

#include "core.h"
#include "slots.h"

enum { CLASS_SHIFT = 27, CLASS_MASK = 31, START_SHIFT = 32 };
enum { MOST_CLASS = CLASS_SHIFT - 1 }; /* the length of a full list of the next one would not fit its bits */
#define LENGTH_MASK ((1ULL << CLASS_SHIFT) - 1)

enum { USAGE_KEYS, USAGE_TOP, USAGE_FREE };

/* What a kernel returns: finished, or which array must grow. */
enum { DONE, TABLE_FULL, POOL_FULL, CANDIDATES_FULL };

/* What `progress` says of where to resume: the document, how many of its keys are added, whether it was searched. */
enum { AT_DOCUMENT, KEYS_ADDED, IS_SEARCHED };

/* One set of posting lists. `entries`: the table, two values a slot; its slots are a power of two. */
typedef struct {
    u64 *entries;
    i64 entries_length; /* slots */
    u32 *pool;          /* docs of all lists that are not inline */
    i64 pool_length;
    i64 *usage;
} Lists;

#define LISTS "lists.entries u8!, lists.pool u4!, lists.usage i8!"
#define LISTS_READ "lists.entries u8, lists.pool u4, lists.usage i8"

static inline Lists lists_of(const Arg **rest) {
    const Arg *a = take(rest, 3);
    return (Lists){a[0].data, a[0].length, a[1].data, a[1].length, a[2].data};
}

/* A posting list: `pool[start:start + length]`, or, inline, doc `start`. */
typedef struct {
    i64 start, length;
    bool is_inline;
} PostingList;

/* The first of `slots` slots where `key` may be.
 *
 * Keys are hashed once more: those of a sketch are the smallest, whose high bits are alike, and a lexicon has q-grams
 * by their high bits.
 */
static inline i64 first_slot_of(i64 slots, u64 key) { return (i64)((key * 0x9E3779B97F4A7C15ULL) >> 32) & (slots - 1); }

static inline i64 first_slot(const Lists *lists, u64 key) { return first_slot_of(lists->entries_length, key); }

/* The slot of `key` in a table of `slots` slots, or the free one where it would go. */
static inline i64 find_in(const u64 *entries, i64 slots, u64 key) {
    i64 slot = first_slot_of(slots, key), tried = 0;
    while (entries[2 * slot + 1] != 0 && entries[2 * slot] != key) slot = slot_after(slot, slots - 1, key, &tried);
    return slot;
}

static inline i64 find(const Lists *lists, u64 key) { return find_in(lists->entries, lists->entries_length, key); }

/* Docs in the posting list at `slot`; 0: the slot is free. */
static inline i64 length_at(const Lists *lists, i64 slot) { return (i64)(lists->entries[2 * slot + 1] & LENGTH_MASK); }

/* The posting list that a slot's second value describes. */
static inline PostingList unpacked(u64 packed) {
    const bool is_inline = (u32)packed == 1; /* size class and length */
    return (PostingList){(i64)(packed >> START_SHIFT), (i64)(packed & LENGTH_MASK), is_inline};
}

/* The size class of a list: its room is two to the power of that. */
static inline i64 size_class_of(u64 packed) { return (i64)(packed >> CLASS_SHIFT & CLASS_MASK); }

static inline PostingList list_at(const Lists *lists, i64 slot) { return unpacked(lists->entries[2 * slot + 1]); }

/* Start of a free room for `1 << size_class` docs, or -1 if the pool must grow first, or no list can be that long. */
static inline i64 allocate(const Lists *lists, i64 size_class) {
    if (size_class > MOST_CLASS) return -1;
    i64 *usage = lists->usage;
    const i64 head = usage[USAGE_FREE + size_class];
    if (head) {
        usage[USAGE_FREE + size_class] = lists->pool[head - 1];
        return head - 1;
    }
    const i64 start = usage[USAGE_TOP], end = start + ((i64)1 << size_class);
    if (end > lists->pool_length) return -1;
    usage[USAGE_TOP] = end;
    return start;
}

/* Makes the room at `start` free again. */
static inline void give_back(const Lists *lists, i64 start, i64 size_class) {
    lists->pool[start] = (u32)lists->usage[USAGE_FREE + size_class];
    lists->usage[USAGE_FREE + size_class] = start + 1;
}

static inline u64 inline_list(u64 doc) { return doc << START_SHIFT | 1; }

static inline u64 pooled_list(i64 start, i64 size_class, i64 length) {
    return (u64)start << START_SHIFT | (u64)size_class << CLASS_SHIFT | (u64)length;
}

/* Appends `doc` to the list of `key`, at `slot`; false (nothing changed) if the pool must grow first. Constant time, on
 * average.
 */
static inline bool add_at(const Lists *lists, i64 slot, u64 key, u32 doc) {
    u64 *entry = lists->entries + 2 * slot;
    u32 *pool = lists->pool;
    const u64 packed = entry[1];
    const i64 length = (i64)(packed & LENGTH_MASK);
    if (length == 0) {
        entry[0] = key;
        entry[1] = inline_list(doc);
        lists->usage[USAGE_KEYS]++;
        return true;
    }
    const i64 size_class = size_class_of(packed), start = (i64)(packed >> START_SHIFT);
    if (length < (i64)1 << size_class) {
        pool[start + length] = doc;
        entry[1] = packed + 1;
        return true;
    }
    const i64 fresh = allocate(lists, size_class + 1);
    if (fresh < 0) return false;
    if (size_class == 0) {
        pool[fresh] = (u32)start;
    } else {
        memcpy(pool + fresh, pool + start, (size_t)length * sizeof *pool);
        give_back(lists, start, size_class);
    }
    pool[fresh + length] = doc;
    entry[1] = pooled_list(fresh, size_class + 1, length + 1);
    return true;
}

/* Adds `doc` under `keys[first:last]`; returns a status. */
static inline int add_doc(const Lists *lists, const u64 *keys, i64 first, i64 last, u32 doc, i64 *progress) {
    if (10 * (lists->usage[USAGE_KEYS] + last - first) > 6 * lists->entries_length) return TABLE_FULL;
    const i64 begin = first + progress[KEYS_ADDED];
    for (i64 j = begin; j < min_i64(begin + AHEAD, last); j++) {
        prefetch(lists->entries + 2 * first_slot(lists, keys[j]));
    }
    for (i64 j = begin; j < last; j++) {
        if (j + AHEAD < last) prefetch(lists->entries + 2 * first_slot(lists, keys[j + AHEAD]));
        if (!add_at(lists, find(lists, keys[j]), keys[j], doc)) {
            progress[KEYS_ADDED] = j - first;
            return POOL_FULL;
        }
    }
    return DONE;
}

KERNEL(rehash, "entries u8, larger u8!") {
    const u64 *entries = a[0].data;
    u64 *larger = a[1].data;
    const i64 size = a[0].length, slots = a[1].length;
    for (i64 i = 0; i < size; i++) {
        if (entries[2 * i + 1] == 0) continue;
        const i64 slot = find_in(larger, slots, entries[2 * i]);
        larger[2 * slot] = entries[2 * i];
        larger[2 * slot + 1] = entries[2 * i + 1];
    }
    return 0;
}

KERNEL(add_all, LISTS ", keys u8, key_offsets i8, docs i8, progress i8!") {
    const Lists lists = lists_of(&a);
    const u64 *keys = a[0].data;
    const i64 *offsets = a[1].data, *docs = a[2].data;
    i64 *progress = a[3].data;
    while (progress[AT_DOCUMENT] < a[2].length) {
        const i64 i = progress[AT_DOCUMENT];
        if (docs[i] >= 0) {
            const int status = add_doc(&lists, keys, offsets[i], offsets[i + 1], (u32)docs[i], progress);
            if (status != DONE) return status;
        }
        progress[AT_DOCUMENT] = i + 1;
        progress[KEYS_ADDED] = 0;
    }
    return DONE;
}

/* Copies `list`, which is not inline, into the pool of `fresh` with doc d as `docs[d]`; docs with -1 are left out.
 * Returns the second value of its slot, 0 if none is left.
 */
static inline u64 renumbered_list(const u32 *pool, PostingList list, const i64 *docs, const Lists *fresh) {
    i64 kept = 0, single = 0;
    for (i64 p = list.start; p < list.start + list.length; p++) {
        const i64 doc = docs[pool[p]];
        kept += doc >= 0;
        single = doc >= 0 ? doc : single;
    }
    if (kept == 0) return 0;
    if (kept == 1) return inline_list((u64)single);
    i64 size_class = 1;
    while ((i64)1 << size_class < kept) size_class++;
    const i64 start = allocate(fresh, size_class);
    i64 at = start;
    for (i64 p = list.start; p < list.start + list.length; p++) {
        const i64 doc = docs[pool[p]];
        if (doc < 0) continue;
        fresh->pool[at] = (u32)doc;
        at++;
    }
    return pooled_list(start, size_class, kept);
}

KERNEL(renumber, LISTS_READ ", docs i8, fresh.entries u8!, fresh.pool u4!, fresh.usage i8!") {
    const Lists lists = lists_of(&a);
    const i64 *docs = take(&a, 1)->data;
    const Lists fresh = lists_of(&a);
    for (i64 i = 0; i < lists.entries_length; i++) {
        const PostingList list = list_at(&lists, i);
        if (list.length == 0) continue;
        u64 packed;
        if (list.is_inline) {
            packed = docs[list.start] < 0 ? 0 : inline_list((u64)docs[list.start]);
        } else {
            packed = renumbered_list(lists.pool, list, docs, &fresh);
        }
        if (packed == 0) continue;
        const i64 slot = find(&fresh, lists.entries[2 * i]);
        fresh.entries[2 * slot] = lists.entries[2 * i];
        fresh.entries[2 * slot + 1] = packed;
        fresh.usage[USAGE_KEYS]++;
    }
    return 0;
}

#endif
