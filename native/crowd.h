/* Exact |A ∩ B| with many B of one crowd. src/neardup/kernels/crowd.py
 *
 * A crowd is documents of one template: all share most of a core C. Posting lists have for each what it has beyond the
 * core and what it lacks of it, D = (B \ C, C \ B). Then
 *
 *     |A ∩ B| = |C| - |C \ A| - |C \ B| + |(C \ A) ∩ (C \ B)| + |(A \ C) ∩ (B \ C)|
 *
 * whose last two terms are counted for all B at once by reading the posting lists of A's own differences: a pair costs
 * a few additions where reading B's text would take thousands (overlap.h, the slow way to the same number).
 *
 * Among documents of one text only the first is posted, and only that one is a member:
 *
 *     first_of[doc]       the doc that is posted for the text of `doc`
 *     members[posted]     which crowd that is of, and which of its members it is; a crowd below 0: of none
 */
#ifndef NEARDUP_CROWD_H
#define NEARDUP_CROWD_H

#include "core.h"
#include "documents.h"
#include "qgrams.h"
#include "scratch.h"

/* ---- in what a set differs from the core ---- */

KERNEL(core_table, "keys u8, core.table u8!, core.slots i8!") {
    const u64 *keys = a[0].data;
    u64 *table = a[1].data;
    i64 *slots = a[2].data;
    const i64 mask = a[1].length - 1;
    for (i64 i = 0; i < a[0].length; i++) insert(table, mask, keys[i]);
    for (i64 i = 0; i < a[0].length; i++) slots[i] = slot_of(table, mask, keys[i]);
    return 0;
}

/* The core of a crowd, as `core_table` makes it: `Core` in crowd.py. */
typedef struct {
    const u64 *table;
    i64 table_length;
    const i64 *slots;
    i64 size;
} Core;

#define CORE "core.table u8, core.slots i8"

static inline Core core_of(const Arg **rest) {
    const Arg *a = take(rest, 2);
    return (Core){a[0].data, a[0].length, a[1].data, a[1].length};
}

/* Writes those of `keys[first:last]` that are not in the core to `out[at:]`; returns the next position. `seen` becomes
 * 1 at the slots of the others.
 */
static inline i64 write_beyond(const u64 *keys, i64 first, i64 last, const Core *core, u8 *restrict seen,
                               u64 *restrict out, i64 at) {
    const u64 *const table = core->table;
    const i64 mask = core->table_length - 1;
    memset(seen, 0, (size_t)core->table_length);
    for (i64 i = first; i < last; i++) {
        /* Written whether beyond the core or not: a branch would be mispredicted. */
        const u64 key = keys[i];
        const i64 slot = slot_of(table, mask, key);
        const u8 inside = (table[slot] == key) & (key != 0);
        seen[slot] |= inside;
        out[at] = key;
        at += 1 - inside;
    }
    return at;
}

/* Writes the keys of the core that were not `seen` to `out[at:]`; returns the next position. */
static inline i64 write_lacking(const Core *core, const u8 *seen, u64 *restrict out, i64 at) {
    const u64 *const table = core->table;
    const i64 *const slots = core->slots;
    const i64 size = core->size;
    for (i64 i = 0; i < size; i++) {
        out[at] = table[slots[i]];
        at += 1 - seen[slots[i]];
    }
    return at;
}

/* `Differences` in crowd.py. */
#define DIFFERENCES "out.keys u8!, out.offsets i8!, out.lacking i8!"

KERNEL(differences, "keys u8, offsets i8, " CORE ", " DIFFERENCES) {
    const u64 *keys = a[0].data;
    const i64 *offsets = a[1].data;
    const Arg *rest = a + 2;
    const Core core = core_of(&rest);
    u64 *out = rest[0].data;
    i64 *out_offsets = rest[1].data, *lacking = rest[2].data;
    u8 *seen = malloc((size_t)core.table_length);
    if (!seen) return NO_MEMORY;
    i64 at = 0;
    out_offsets[0] = 0;
    for (i64 i = 0; i < a[1].length - 1; i++) {
        const i64 beyond = write_beyond(keys, offsets[i], offsets[i + 1], &core, seen, out, at);
        at = write_lacking(&core, seen, out, beyond);
        lacking[i] = at - beyond;
        out_offsets[i + 1] = at;
    }
    free(seen);
    return 0;
}

KERNEL(differences_of_texts, "texts u1, offsets i8, which i8, q int, " SCRATCH ", " CORE ", counts i8!, " DIFFERENCES) {
    const u8 *texts = a[0].data;
    const i64 *offsets = a[1].data, *which = a[2].data;
    const i64 q = a[3].number;
    const Arg *rest = a + 4;
    const Scratch scratch = scratch_of(&rest);
    const Core core = core_of(&rest);
    i64 *counts = rest[0].data, *out_offsets = rest[2].data, *lacking = rest[3].data;
    u64 *out = rest[1].data;
    u8 *seen = malloc((size_t)core.table_length);
    if (!seen) return NO_MEMORY;
    i64 at = 0;
    out_offsets[0] = 0;
    for (i64 k = 0; k < a[2].length; k++) {
        const i64 i = which[k];
        const i64 windows = window_keys(texts, offsets[i], offsets[i + 1], q, &scratch, scratch.keys);
        const i64 outside = write_beyond(scratch.keys, 0, windows, &core, seen, scratch.chosen, 0);
        const i64 beyond = write_distinct(scratch.chosen, outside, scratch.table, out, at);
        const i64 end = write_lacking(&core, seen, out, beyond);
        lacking[k] = end - beyond;
        counts[i] = beyond - at + core.size - lacking[k];
        out_offsets[k + 1] = at = end;
    }
    free(seen);
    return 0;
}

/* ---- compared with members ---- */

enum { UNKNOWN, BELOW, NEAR, EXACT }; /* what is known of a pair: as in crowd.py */

/* A set A and the members of one crowd, as they were when it was tallied: `Tallied` in crowd.py. Columns by member. */
typedef struct {
    i64 count; /* |A| */
    const i32 *members;
    i64 crowd;
    i64 base;            /* |C| - |C \ A| */
    const i32 *lacking;  /* |C \ B| */
    const i32 *sizes;    /* |B| */
    const void *tallied; /* what posting lists tell: the last two terms of the formula */
    i64 length;          /* of the columns */
    bool is_short;       /* `tallied` is of u16, else of i32 */
    const i32 *docs;
    i64 numerator, denominator; /* of the threshold of doc_q */
} Against;

#define AGAINST                                                                                          \
    "count int, members i4, against.crowd int, against.base int, against.lacking i4, against.sizes i4, " \
    "against.tallied u2|i4, against.docs i4, numerator int, denominator int"

static inline Against against_of(const Arg **rest) {
    const Arg *a = take(rest, 10);
    return (Against){
        .count = a[0].number,
        .members = a[1].data,
        .crowd = a[2].number,
        .base = a[3].number,
        .lacking = a[4].data,
        .sizes = a[5].data,
        .tallied = a[6].data,
        .length = a[6].length,
        .is_short = a[6].item == 2,
        .docs = a[7].data,
        .numerator = a[8].number,
        .denominator = a[9].number,
    };
}

/* Which member of its crowd a posted doc is. */
ALWAYS i64 member_of(const Against *against, i64 posted) { return against->members[2 * posted + 1]; }

/* Whether a posted doc is of the crowd, and not newer than what was tallied. */
ALWAYS bool is_tallied(const Against *against, i64 posted) {
    return against->members[2 * posted] == against->crowd && member_of(against, posted) < against->length;
}

/* |A ∩ B| of a member. `is_short` apart from `against`: where it is a constant, loops over members have no branch. */
ALWAYS i64 overlap_with(const Against *against, bool is_short, i64 member) {
    const i64 tallied = is_short ? ((const u16 *)against->tallied)[member] : ((const i32 *)against->tallied)[member];
    return against->base - against->lacking[member] + tallied;
}

/* Whether a member with this `overlap` has doc_q >= the threshold. */
ALWAYS bool is_near(const Against *against, i64 overlap, i64 member) {
    return overlap * against->denominator >= against->numerator * max_i64(against->count, against->sizes[member]);
}

/* What is known of a pair with a member of this `overlap`: nothing is near an empty set. */
ALWAYS u8 known_of(const Against *against, i64 overlap, i64 member) {
    return is_near(against, overlap, member) && against->count > 0 ? NEAR : BELOW;
}

/* The docs that `compare_texts` compares, and the fingerprint of A's text. */
typedef struct {
    const i32 *docs;
    i64 length;
    const i32 *first_of;
    const u64 *halves;
    Fingerprints fingerprints;
    const u64 *fingerprint;
} Compared;

ALWAYS i64 compare_texts(const Compared *compared, const Against *with, bool is_short, i64 *restrict starts,
                         i64 *restrict shared, u8 *restrict outcome, i64 *restrict found) {
    const Compared c = *compared; /* copies: what is written could not be theirs */
    const Against against = *with;
    const u64 half = c.fingerprint[0], rest_of_it = c.fingerprint[1];
    i64 size = 0, exact = 0, rest = 0, same = -1, last = -1;
    for (i64 i = 0; i < c.length; i++) {
        const i64 first = c.first_of[c.docs[i]];
        if (first == last) continue;
        last = first;
        starts[size] = i;
        i64 overlap = against.count;
        u8 known = UNKNOWN;
        if (c.halves[first] == half && second_half(c.fingerprints, first) == rest_of_it) {
            known = EXACT;
            exact++;
            same = first;
        } else if (is_tallied(&against, first)) {
            const i64 member = member_of(&against, first);
            overlap = overlap_with(&against, is_short, member);
            known = known_of(&against, overlap, member);
        }
        shared[size] = overlap;
        outcome[size] = known;
        size++;
        rest += known < NEAR;
    }
    starts[size] = c.length;
    found[0] = exact;
    found[1] = rest;
    found[2] = same;
    return size;
}

KERNEL(compare_texts, "docs i4, first_of i4, halves u8, fingerprints u8/, fingerprint u8, " AGAINST
                      ", starts i8!, shared i8!, outcome u1!, found i8!") {
    const Compared compared = {
        .docs = a[0].data,
        .length = a[0].length,
        .first_of = a[1].data,
        .halves = a[2].data,
        .fingerprints = fingerprints_of(a + 3),
        .fingerprint = a[4].data,
    };
    a += 5;
    const Against against = against_of(&a);
    i64 *starts = a[0].data, *shared = a[1].data, *found = a[3].data;
    u8 *outcome = a[2].data;
    return against.is_short ? compare_texts(&compared, &against, true, starts, shared, outcome, found)
                            : compare_texts(&compared, &against, false, starts, shared, outcome, found);
}

KERNEL(compare_in_crowd, "docs i4, starts i8, first_of i4, " AGAINST ", shared i8!, outcome u1!") {
    const i32 *docs = a[0].data, *first_of = a[2].data;
    const i64 *starts = a[1].data;
    a += 3;
    const Against against = against_of(&a);
    i64 *shared = a[0].data;
    u8 *outcome = a[1].data;
    for (i64 j = 0; j < a[1].length; j++) {
        const i64 first = first_of[docs[starts[j]]];
        if (outcome[j] == EXACT || !is_tallied(&against, first)) continue;
        const i64 member = member_of(&against, first);
        shared[j] = overlap_with(&against, against.is_short, member);
        outcome[j] = known_of(&against, shared[j], member);
    }
    return 0;
}

KERNEL(count_crowds, "docs i4, first_of i4, members i4, step int, sizes i8!") {
    const i32 *docs = a[0].data, *first_of = a[1].data, *members = a[2].data;
    const i64 step = a[3].number;
    i64 *sizes = a[4].data;
    for (i64 i = 0; i < a[0].length; i += step) {
        const i64 crowd = members[2 * (i64)first_of[docs[i]]];
        if (crowd >= 0) sizes[crowd] += step;
    }
    i64 largest = -1;
    for (i64 crowd = 0; crowd < a[4].length; crowd++)
        if (sizes[crowd] > (largest < 0 ? 0 : sizes[largest])) largest = crowd;
    return largest;
}

#endif
