/* The sets of q-grams of two texts: how large they are, what they share, and where. src/neardup/kernels/gram_sets.py
 *
 * Two texts that are compared share most of what they say, in the same order. So the q-grams of one are put into a
 * table, and those of the other are looked up only where the two part: in a run of what both have the next q-gram of
 * one is that of the other. Exact: code points are compared, names of q-grams only say where to look.
 */
#ifndef NEARDUP_GRAM_SETS_H
#define NEARDUP_GRAM_SETS_H

#include "core.h"

enum { SHORT_Q = 4, LONG_Q = 12 }; /* the two lengths of a q-gram */

typedef struct {
    u32 *names;
    i32 *same;
    u8 *shared;
    i32 *table;
} GramScratch;

#define GRAM_SCRATCH "grams.names u4!, grams.same i4!, grams.shared u1!, grams.table i4!"

enum { GRAM_SCRATCH_ARGS = 4 };

static inline GramScratch gram_scratch_of(const Arg *a) {
    return (GramScratch){a[0].data, a[1].data, a[2].data, a[3].data};
}

/* Two code points as one number, the first in its lower half. */
static inline u64 two_points(const u32 *at) { return read64((const u8 *)at); }

/* How many code points `a` and `b`, of `most` each, begin with that are the same. */
static inline i64 common_begin(const u32 *a, const u32 *b, i64 most) {
    i64 n = 0;
    for (; n + 8 <= most; n += 8) {
        const u64 differ = (two_points(a + n) ^ two_points(b + n)) | (two_points(a + n + 2) ^ two_points(b + n + 2)) |
                           (two_points(a + n + 4) ^ two_points(b + n + 4)) |
                           (two_points(a + n + 6) ^ two_points(b + n + 6));
        if (differ) break;
    }
    while (n < most && a[n] == b[n]) n++;
    return n;
}

/* How many code points before `a` and `b`, of `most` each, are the same. */
static inline i64 common_end(const u32 *a, const u32 *b, i64 most) {
    i64 n = 0;
    for (; n + 8 <= most; n += 8) {
        const u32 *x = a - n - 8, *y = b - n - 8;
        const u64 differ = (two_points(x) ^ two_points(y)) | (two_points(x + 2) ^ two_points(y + 2)) |
                           (two_points(x + 4) ^ two_points(y + 4)) | (two_points(x + 6) ^ two_points(y + 6));
        if (differ) break;
    }
    while (n < most && a[-1 - n] == b[-1 - n]) n++;
    return n;
}

/* 0 if two q-grams are the same. */
ALWAYS u64 difference_of(const u32 *a, const u32 *b, i64 q) {
    u64 differ = 0;
    for (i64 i = 0; i < q; i += 2) differ |= two_points(a + i) ^ two_points(b + i);
    return differ;
}

/* Writes the names of the first `last` q-grams, of which the highest bits differ most. */
ALWAYS void fill_names(const u32 *restrict points, i64 last, i64 q, u32 *restrict names) {
    if (last <= 0) return;
    for (i64 at = 0; at < last + q - SHORT_Q; at++) {
        const u32 mixed = points[at] * 0x9E3779B1u + points[at + 1] * 0x85EBCA77u + points[at + 2] * 0xC2B2AE3Du +
                          points[at + 3] * 0x27D4EB2Fu;
        names[at] = (mixed ^ mixed >> 15) * 0x2C1B3C6Du;
    }
    if (q == SHORT_Q) return;
    for (i64 at = 0; at < last; at++) {
        const u32 mixed = names[at] + (names[at + 4] >> 7) * 0x85EBCA77u + (names[at + 8] >> 13) * 0xC2B2AE3Du;
        names[at] = (mixed ^ mixed >> 14) * 0x297A2D39u;
    }
}

/* Whether at an index, and 1 more, that was found in the table, `held`, is another q-gram than at `at`; not if it is 0.
 *
 * Compared even then if q is short: whether a slot is free nobody foresees. Of the long ones most are new.
 */
ALWAYS bool is_other_gram(const u32 *a, i64 held, i64 at, i64 q) {
    if (q == LONG_Q && held == 0) return false;
    const i64 is_taken = held != 0;
    return difference_of(a + held - is_taken, a + at, q) & (u64)-is_taken;
}

/* Puts the q-grams of the first text into the table; returns how many there are. */
ALWAYS i64 enter_grams(const u32 *restrict a, i64 last, i64 q, const u32 *restrict names, i32 *restrict same,
                       i32 *restrict table, int bits) {
    const u32 mask = ((u32)1 << bits) - 1;
    const int shift = 32 - bits;
    i64 own = 0;
    for (i64 at = 0; at < last; at++) {
        u32 slot = names[at] >> shift;
        i64 held = table[slot];
        while (UNLIKELY(is_other_gram(a, held, at, q))) {
            slot = (slot + 1) & mask;
            held = table[slot];
        }
        const i64 is_new = held == 0;
        own += is_new;
        held |= -is_new & (at + 1); /* written whether new or not */
        table[slot] = (i32)held;
        same[at] = (i32)(held - 1);
    }
    return own;
}

/* Notes that both texts have the q-grams at the indexes `firsts`, which are written to `same`; returns how many of
 * these, so many, were not known of.
 */
static inline i64 share_grams(const i32 *firsts, i64 count, u8 *shared, i32 *same) {
    i64 new = 0;
    for (i64 at = 0; at < count; at++) {
        const i32 index = firsts[at];
        new += 1 - shared[index];
        shared[index] = 1;
        same[at] = index;
    }
    return new;
}

/* Finds the q-grams of `b` among those of `a`; returns how many are `b`'s alone, sets how many both have, and what
 * `longest_outside` has of `b`, which every q-gram of both is in a run of.
 */
ALWAYS i64 follow_grams(const u32 *restrict a, i64 last_a, const u32 *restrict b, i64 last_b, i64 q,
                        const GramScratch *scratch, int bits, i64 *both, i64 *longest) {
    const u32 *restrict names = scratch->names;
    i32 *restrict table = scratch->table;
    i32 *same = scratch->same;
    const u32 mask = ((u32)1 << bits) - 1;
    const int shift = 32 - bits;
    i64 own = 0, in_both = 0, most_outside = 0;
    i64 free = 0; /* from where on none is covered so far */
    for (i64 at = 0; at < last_b;) {
        const u32 name = names[last_a + at];
        u32 slot = name >> shift;
        i64 held = table[slot];
        while (held != 0) {
            const u32 *there = held <= last_a ? a + held - 1 : b + held - 1 - last_a;
            /* Four code points are compared as quickly as names. */
            if ((q == SHORT_Q || names[held - 1] == name) && !difference_of(there, b + at, q)) break;
            slot = (slot + 1) & mask;
            held = table[slot];
        }
        if (held == 0) {
            own++;
            held = last_a + at + 1;
            table[slot] = (i32)held;
        }
        if (held > last_a) {
            same[last_a + at] = (i32)(held - 1);
            at++;
            continue;
        }
        const i64 other = held - 1;
        most_outside = max_i64(most_outside, at - free);
        const i64 most = min_i64(last_b - at, last_a - other);
        const i64 run = 1 + common_begin(a + other + q, b + at + q, most - 1);
        in_both += share_grams(same + other, run, scratch->shared, same + last_a + at);
        at += run;
        free = at + q - 1;
    }
    *both = in_both;
    *longest = max_i64(most_outside, last_b + q - 1 - free);
    return own;
}

ALWAYS i64 count_sets_of(const u32 *a, i64 n_a, const u32 *b, i64 n_b, i64 q, const GramScratch *scratch, i64 *out) {
    const i64 last_a = max_i64(n_a - q + 1, 0), last_b = max_i64(n_b - q + 1, 0);
    int bits = 6;
    while (((i64)1 << bits) < 2 * (last_a + last_b)) bits++;
    memset(scratch->table, 0, sizeof *scratch->table << bits);
    memset(scratch->shared, 0, (size_t)(last_a + last_b));
    fill_names(a, last_a, q, scratch->names);
    fill_names(b, last_b, q, scratch->names + last_a);
    const i64 own_a = enter_grams(a, last_a, q, scratch->names, scratch->same, scratch->table, bits);
    i64 both, longest;
    const i64 own_b = follow_grams(a, last_a, b, last_b, q, scratch, bits, &both, &longest);
    out[0] = own_a;
    out[1] = own_b + both;
    out[2] = both;
    return last_b ? longest : n_b;
}

/* Sets out[:3] to |A|, |B|, |A ∩ B| of the q-grams of `a[:n_a]` and `b[:n_b]`, q = 4 or 12; `scratch` then says where
 * they are, for `longest_outside` and `is_shared`. Returns what `longest_outside` has of `b`. Linear.
 */
static inline i64 count_sets(const u32 *a, i64 n_a, const u32 *b, i64 n_b, i64 q, const GramScratch *scratch,
                             i64 *out) {
    return q == SHORT_Q ? count_sets_of(a, n_a, b, n_b, SHORT_Q, scratch, out)
                        : count_sets_of(a, n_a, b, n_b, LONG_Q, scratch, out);
}

/* Whether both texts have the q-gram at `index`: of the second text behind those of the first. */
static inline bool is_shared(const GramScratch *scratch, i64 index) {
    return scratch->shared[scratch->same[index]] != 0;
}

/* The most code points in a row of the first text, of `n`, of which none lies in a q-gram of both texts. */
static inline i64 longest_outside(i64 n, i64 q, const GramScratch *scratch) {
    if (n < q) return n;
    const i32 *restrict same = scratch->same;
    const u8 *restrict shared = scratch->shared;
    i64 longest = 0, free = 0; /* `free`: from where on none is covered so far */
    for (i64 at = 0; at <= n - q; at++) {
        if (!shared[same[at]]) continue;
        longest = max_i64(longest, at - free);
        free = at + q;
    }
    return max_i64(longest, n - free);
}

#endif
