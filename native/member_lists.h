/* Posting lists of the members of a crowd, by number: the long ones are bitsets. src/neardup/kernels/member_lists.py
 *
 * The table and the short lists are those of posting_lists.h. A list that holds many of all members becomes a row of
 * `bits` for good, and its room is freed: a comparison then costs a look-up for each key, and has 64 members in a word.
 *
 *     entries[slot] = (key, row << 32 | BITSET_CLASS << 27 | length)     of a list that is a bitset
 *     bits[b, row]    8 words: the bits of members 512 * b on; row 0 has none
 *
 * Rows are counted block by block, for many documents at once: then a block of all rows stays in the second cache
 * level.
 */
#ifndef NEARDUP_MEMBER_LISTS_H
#define NEARDUP_MEMBER_LISTS_H

#include "bit_planes.h"
#include "core.h"
#include "posting_lists.h"
#include "ranges.h"

enum {
    BITSET_CLASS = 31, /* the size class that tells a bitset: no list has a room of 2^31 */
    ROWS_FULL = 4,     /* what `add_members` returns where there must be more rows */
    SHORTEST_BITSET = 64,
    BITSET_SHARE = 64, /* a list becomes one from 64 members and a 64th of all on */
    POSTINGS_OF_LINE = 16,
};

/* Rows by block of 512 members. */
typedef struct {
    u64 *bits;
    i64 rows; /* of each block */
    i64 *used;
    i64 most; /* rows at most: other lists are read, whatever their length */
} MemberRows;

static inline bool is_bitset(u64 packed) { return size_class_of(packed) == BITSET_CLASS; }

/* The eight words of a row that has the bit of `member`. */
static inline u64 *row_of_member(const MemberRows *rows, i64 row, i64 member) {
    return rows->bits + (member / PLANE_BITS * rows->rows + row) * PLANE_WORDS;
}

static inline void set_member(const MemberRows *rows, i64 row, i64 member) {
    row_of_member(rows, row, member)[member % PLANE_BITS >> 6] |= 1ULL << (member & 63);
}

/* Makes the list at `slot`, which is not inline, the bitset `row`. */
static inline void become_bitset(const Lists *lists, i64 slot, const MemberRows *rows, i64 row) {
    const PostingList list = list_at(lists, slot);
    for (i64 p = list.start; p < list.start + list.length; p++) set_member(rows, row, lists->pool[p]);
    give_back(lists, list.start, size_class_of(lists->entries[2 * slot + 1]));
    lists->entries[2 * slot + 1] = pooled_list(row, BITSET_CLASS, list.length);
}

/* Adds `member` under `keys[first:last]`; returns a status. `slots` is working memory, one a key. */
static inline i64 add_member(const Lists *lists, const MemberRows *rows, const u64 *keys, i64 first, i64 last,
                             i64 member, i64 *progress, i64 *slots) {
    if (10 * (lists->usage[USAGE_KEYS] + last - first) > 6 * lists->entries_length) return TABLE_FULL;
    const i64 shortest = max_i64(SHORTEST_BITSET, member / BITSET_SHARE), begin = first + progress[KEYS_ADDED];
    u64 *entries = lists->entries;
    /* What will be read is prefetched: each step misses the cache, and the misses overlap. */
    for (i64 j = begin; j < last; j++) prefetch(entries + 2 * first_slot(lists, keys[j]));
    for (i64 j = begin; j < last; j++) {
        const i64 slot = find(lists, keys[j]);
        slots[j - first] = slot;
        const PostingList list = list_at(lists, slot);
        if (list.is_inline || !list.length) continue;
        if (list.length >= shortest)
            prefetch(row_of_member(rows, list.start, member));
        else
            prefetch(lists->pool + list.start + list.length);
    }
    for (i64 j = begin; j < last; j++) {
        progress[KEYS_ADDED] = j - first;
        i64 slot = slots[j - first];
        /* Another may have taken a free one. */
        if (entries[2 * slot] != keys[j] || entries[2 * slot + 1] == 0) slot = find(lists, keys[j]);
        const PostingList list = list_at(lists, slot);
        i64 row = list.start;
        if (!is_bitset(entries[2 * slot + 1])) {
            if (list.length < shortest || *rows->used == rows->most) {
                if (!add_at(lists, slot, keys[j], (u32)member)) return POOL_FULL;
                continue;
            }
            if (*rows->used == rows->rows) return ROWS_FULL;
            row = (*rows->used)++;
            become_bitset(lists, slot, rows, row);
        }
        set_member(rows, row, member);
        entries[2 * slot + 1]++;
    }
    return DONE;
}

KERNEL(add_members, LISTS ", bits u8!, used i8!, most int, keys u8, offsets i8, members i8, progress i8!") {
    const Lists lists = lists_of(&a);
    const u64 *keys = a[3].data;
    const i64 *offsets = a[4].data, *members = a[5].data, n = a[5].length;
    i64 *progress = a[6].data;
    const MemberRows rows = {a[0].data, a[0].width / PLANE_WORDS, a[1].data, a[2].number};
    i64 *slots = malloc((size_t)(widest_of(offsets, a[4].length) + 1) * sizeof *slots);
    if (!slots) return NO_MEMORY;
    i64 status = DONE;
    while (status == DONE && progress[AT_DOCUMENT] < n) {
        const i64 i = progress[AT_DOCUMENT];
        if (members[i] >= 0)
            status = add_member(&lists, &rows, keys, offsets[i], offsets[i + 1], members[i], progress, slots);
        if (status != DONE) break;
        progress[AT_DOCUMENT] = i + 1;
        progress[KEYS_ADDED] = 0;
    }
    free(slots);
    return status;
}

/* Finds the lists of `keys[:size]`: writes those that are bitsets to `rows`, others to `slots`, and how many of each.
 */
static inline void find_lists(const Lists *lists, const u64 *keys, i64 size, i64 *rows, i64 *n_rows, i64 *slots,
                              i64 *n_slots) {
    for (i64 j = 0; j < size; j++) {
        if (j + AHEAD < size) prefetch(lists->entries + 2 * first_slot(lists, keys[j + AHEAD]));
        const i64 slot = find(lists, keys[j]);
        const u64 packed = lists->entries[2 * slot + 1];
        if (is_bitset(packed))
            rows[(*n_rows)++] = (i64)(packed >> START_SHIFT);
        else
            slots[(*n_slots)++] = slot;
    }
}

/* Counts the members that the lists at `slots` hold. Each step is done for all lists at once: it misses the cache, and
 * the misses overlap. Unrolled, or it takes half as long again.
 */
#define READ_MEMBERS(name, type)                                                                         \
    static inline void name(const Lists *lists, const i64 *slots, i64 size, type *restrict counts) {     \
        const u64 *entries = lists->entries;                                                             \
        const u32 *restrict pool = lists->pool;                                                          \
        for (i64 k = 0; k < size; k++) {                                                                 \
            const PostingList list = unpacked(entries[2 * slots[k] + 1]);                                \
            if (list.is_inline) {                                                                        \
                counts[list.start]++;                                                                    \
            } else {                                                                                     \
                for (i64 p = 0; p < list.length; p += POSTINGS_OF_LINE) prefetch(pool + list.start + p); \
            }                                                                                            \
        }                                                                                                \
        for (i64 k = 0; k < size; k++) {                                                                 \
            const PostingList list = unpacked(entries[2 * slots[k] + 1]);                                \
            if (list.is_inline) continue;                                                                \
            const u32 *members = pool + list.start;                                                      \
            _Pragma("GCC unroll 8") for (i64 p = 0; p < list.length; p++) counts[members[p]]++;          \
        }                                                                                                \
    }

READ_MEMBERS(read_members_u16, u16)
READ_MEMBERS(read_members_i32, i32)

KERNEL(tally, LISTS_READ ", bits u8, keys u8, offsets i8, counts u2|i4!") {
    const Lists lists = lists_of(&a);
    const u64 *bits = a[0].data, *keys = a[1].data;
    const i64 *offsets = a[2].data, size = a[3].length, width = a[3].width, all_keys = a[1].length;
    const i64 rows_of_block = a[0].width / PLANE_WORDS;
    const bool is_short = a[3].item == 2;
    i64 *room = malloc((size_t)(2 * all_keys + AT_ONCE * size + 3 * size + 1) * sizeof *room);
    if (!room) return NO_MEMORY;
    i64 *rows = room, *slots = rows + all_keys + AT_ONCE * size;
    i64 *begins = slots + all_keys, *n_slots = begins + size + 1;
    begins[0] = 0;
    for (i64 i = 0; i < size; i++) {
        i64 n_rows = 0;
        n_slots[i] = 0;
        find_lists(&lists, keys + offsets[i], offsets[i + 1] - offsets[i], rows + begins[i], &n_rows,
                   slots + offsets[i], n_slots + i);
        const i64 filled = (n_rows + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
        memset(rows + begins[i] + n_rows, 0, (size_t)(filled - n_rows) * sizeof *rows); /* row 0 has no member */
        begins[i + 1] = begins[i] + filled;
    }
    u64 planes[PLANES_SIZE];
    for (i64 block = 0; block < width / PLANE_BITS; block++) {
        for (i64 i = 0; i < size; i++) {
            const i64 at = i * width + block * PLANE_BITS;
            add_rows(bits, block * rows_of_block * PLANE_WORDS, PLANE_WORDS, rows, begins[i], begins[i + 1], planes);
            if (is_short)
                set_counts_u16(planes, (u16 *)a[3].data + at);
            else
                set_counts_i32(planes, (i32 *)a[3].data + at);
        }
    }
    for (i64 i = 0; i < size; i++) {
        if (is_short)
            read_members_u16(&lists, slots + offsets[i], n_slots[i], (u16 *)a[3].data + i * width);
        else
            read_members_i32(&lists, slots + offsets[i], n_slots[i], (i32 *)a[3].data + i * width);
    }
    free(room);
    return 0;
}

#endif
