/* The sets of q-grams of two texts: how large they are, what they share, and where. src/neardup/kernels/gram_sets.py
 *
 * Two texts that are compared share most of their contents, in the same order. So the q-grams of one are put into a
 * table, and those of the other are looked up only where the two differ: in a common run the next q-gram of one is that
 * of the other. The result is exact: code points are compared, names of q-grams only say where to look.
 */
#ifndef NEARDUP_GRAM_SETS_H
#define NEARDUP_GRAM_SETS_H

#include "core.h"
#include "slots.h"

enum { SHORT_Q = 4, LONG_Q = 12 }; /* the two lengths of a q-gram */

typedef struct {
    u32 *names;
    i32 *same;
    i32 *next;
    u8 *shared;
    i32 *table;
    u64 *seen;
} GramScratch;

#define GRAM_SCRATCH \
    "grams.names u4!, grams.same i4!, grams.next i4!, grams.shared u1!, grams.table i4!, grams.seen u8!"

static inline GramScratch gram_scratch_of(const Arg **rest) {
    const Arg *a = take(rest, 6);
    return (GramScratch){a[0].data, a[1].data, a[2].data, a[3].data, a[4].data, a[5].data};
}

/* The q-grams that have been entered: those of `a` and, behind its `last_a`, those of `b`. `table` has by slot of the
 * name 1 + the index of the one entered last, and `next` by index the one before it in the same slot. A filter by
 * `SEEN_BITS` more bits of the names rules out most of those that are not there.
 */
typedef struct {
    const u32 *a;
    const u32 *b;
    i64 last_a;
    const u32 *names;
    i32 *next;
    i32 *table;
    u64 *seen;
    int bits;
} GramTable;

enum { SEEN_BITS = 4, MOST_BITS = 32 - SEEN_BITS };

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

static inline u32 rotated_32(u32 value, int by) { return value << by | value >> (32 - by); }

/* Writes the names of the first `last` q-grams, whose highest bits differ most. They depend on a secret, or texts could
 * be made of q-grams of one name.
 */
ALWAYS void fill_names(const u32 *restrict points, i64 last, i64 q, u32 *restrict names) {
    if (last <= 0) return;
    const u64 one = splitmix64(secret_of_process), other = splitmix64(~secret_of_process);
    const u32 by[] = {(u32)one | 1, (u32)(one >> 32) | 1, (u32)other | 1, (u32)(other >> 32) | 1};
    for (i64 at = 0; at < last + q - SHORT_Q; at++) {
        const u32 mixed = points[at] * by[0] + points[at + 1] * by[1] + points[at + 2] * by[2] + points[at + 3] * by[3];
        names[at] = (mixed ^ mixed >> 15) * 0x2C1B3C6Du;
    }
    if (q == SHORT_Q) return;
    for (i64 at = 0; at < last; at++) {
        const u32 mixed = names[at] + rotated_32(names[at + 4], 11) + rotated_32(names[at + 8], 21);
        names[at] = (mixed ^ mixed >> 14) * 0x297A2D39u;
    }
}

/* The index of the entered q-gram that is equal to the one at index `at`, which is at `points`; or -1, and then that
 * one is entered.
 */
ALWAYS i64 find_or_enter(const GramTable *grams, i64 at, const u32 *points, i64 q) {
    const u32 name = grams->names[at], bit = name >> (32 - SEEN_BITS - grams->bits);
    const u32 slot = name >> (32 - grams->bits);
    u64 *seen = grams->seen + (bit >> 6);
    const u64 mask = 1ULL << (bit & 63);
    if (*seen & mask) {
        for (i64 held = grams->table[slot]; held != 0; held = grams->next[held - 1]) {
            const i64 index = held - 1;
            const u32 *there = index < grams->last_a ? grams->a + index : grams->b + (index - grams->last_a);
            /* Four code points are compared as quickly as names. */
            if ((q == SHORT_Q || grams->names[index] == name) && !difference_of(there, points, q)) return index;
        }
    }
    *seen |= mask;
    grams->next[at] = grams->table[slot];
    grams->table[slot] = (i32)(at + 1);
    return -1;
}

/* Enters the q-grams of the first text; returns how many there are. */
ALWAYS i64 enter_grams(const GramTable *grams, i64 q, i32 *restrict same) {
    i64 own = 0;
    for (i64 at = 0; at < grams->last_a; at++) {
        const i64 held = find_or_enter(grams, at, grams->a + at, q);
        own += held < 0;
        same[at] = (i32)(held < 0 ? at : held);
    }
    return own;
}

/* Notes that both texts have the q-grams `same[from:from + count]` of the first, which are written to `out`; returns
 * how many of these were not known to be shared. Most runs have no q-gram that came before in the first text.
 */
static inline i64 share_grams(const i32 *same, i64 from, i64 count, u8 *restrict shared, i32 *restrict out) {
    i64 moved = 0, known = 0;
    for (i64 at = 0; at < count; at++) moved |= same[from + at] ^ (from + at);
    memcpy(out, same + from, (size_t)count * sizeof *out);
    if (moved == 0) {
        for (i64 at = 0; at < count; at++) known += shared[from + at];
        memset(shared + from, 1, (size_t)count);
        return count - known;
    }
    for (i64 at = 0; at < count; at++) {
        known += shared[out[at]];
        shared[out[at]] = 1;
    }
    return count - known;
}

/* Finds the q-grams of `b` among those of `a`; returns how many are only in `b`, sets how many both have, and what
 * `longest_outside` gives for `b`: every common q-gram lies in a run here.
 */
ALWAYS i64 follow_grams(const GramTable *grams, i64 last_b, i64 q, const GramScratch *scratch, i64 *both,
                        i64 *longest) {
    const u32 *a = grams->a, *b = grams->b;
    const i64 last_a = grams->last_a;
    i32 *same = scratch->same;
    i64 own = 0, in_both = 0, most_outside = 0;
    i64 free = 0; /* from where on none is covered so far */
    for (i64 at = 0; at < last_b;) {
        const i64 held = find_or_enter(grams, last_a + at, b + at, q);
        if (held < 0 || held >= last_a) {
            own += held < 0;
            same[last_a + at] = (i32)(held < 0 ? last_a + at : held);
            at++;
            continue;
        }
        most_outside = max_i64(most_outside, at - free);
        const i64 most = min_i64(last_b - at, last_a - held);
        const i64 run = 1 + common_begin(a + held + q, b + at + q, most - 1);
        in_both += share_grams(same, held, run, scratch->shared, same + last_a + at);
        at += run;
        free = at + q - 1;
    }
    *both = in_both;
    *longest = max_i64(most_outside, last_b + q - 1 - free);
    return own;
}

static inline int bits_for(i64 windows) {
    int bits = 6;
    while (bits < MOST_BITS && ((i64)1 << bits) < windows) bits++;
    return bits;
}

ALWAYS i64 count_sets_of(const u32 *a, i64 n_a, const u32 *b, i64 n_b, i64 q, const GramScratch *scratch, i64 *out) {
    const i64 last_a = max_i64(n_a - q + 1, 0), last_b = max_i64(n_b - q + 1, 0);
    const int bits = bits_for(last_a + last_b);
    const GramTable grams = {a, b, last_a, scratch->names, scratch->next, scratch->table, scratch->seen, bits};
    memset(grams.table, 0, sizeof *grams.table << bits);
    memset(grams.seen, 0, (size_t)1 << (bits + SEEN_BITS - 3));
    memset(scratch->shared, 0, (size_t)(last_a + last_b));
    fill_names(a, last_a, q, scratch->names);
    fill_names(b, last_b, q, scratch->names + last_a);
    const i64 own_a = enter_grams(&grams, q, scratch->same);
    i64 both, longest;
    const i64 own_b = follow_grams(&grams, last_b, q, scratch, &both, &longest);
    out[0] = own_a;
    out[1] = own_b + both;
    out[2] = both;
    return last_b ? longest : n_b;
}

/* A close lower bound of the number of long q-grams of `a[:n]`: by the filter alone, in a sixth of the time of entering
 * them.
 */
static inline i64 least_grams(const u32 *a, i64 n, const GramScratch *scratch) {
    const i64 last = max_i64(n - LONG_Q + 1, 0);
    const int bits = bits_for(last) + SEEN_BITS, shift = 32 - bits;
    const u32 *restrict names = scratch->names;
    u64 *restrict seen = scratch->seen;
    fill_names(a, last, LONG_Q, scratch->names);
    memset(seen, 0, (size_t)1 << (bits - 3));
    for (i64 at = 0; at < last; at++) seen[names[at] >> shift >> 6] |= 1ULL << (names[at] >> shift & 63);
    i64 count = 0;
    for (i64 i = 0; i < 1LL << (bits - 6); i++) count += ones(seen[i]);
    return count;
}

/* Sets out[:3] to |A|, |B|, |A ∩ B| of the q-grams of `a[:n_a]` and `b[:n_b]`, q = 4 or 12; `scratch` then says where
 * they are, for `longest_outside` and `is_shared`. Returns what `longest_outside` gives for `b`. Linear.
 */
static inline i64 count_sets(const u32 *a, i64 n_a, const u32 *b, i64 n_b, i64 q, const GramScratch *scratch,
                             i64 *out) {
    return q == SHORT_Q ? count_sets_of(a, n_a, b, n_b, SHORT_Q, scratch, out)
                        : count_sets_of(a, n_a, b, n_b, LONG_Q, scratch, out);
}

/* Whether both texts have the q-gram at `index`; those of the second text come behind those of the first. */
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
