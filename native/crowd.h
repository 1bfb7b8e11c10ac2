/* Exact |A ∩ B| with many B of one crowd, and the best of many matches, inside kernels. src/neardup/kernels/crowd.py
 *
 * A crowd is documents of one template: all share most of a core C. Of each is known what it has beyond the core and
 * what it lacks of it, D = (B \ C, C \ B), in posting lists. Then
 *
 *     |A ∩ B| = |C| - |C \ A| - |C \ B| + |(C \ A) ∩ (C \ B)| + |(A \ C) ∩ (B \ C)|
 *
 * whose last two terms are counted for all B at once by reading the posting lists of A's own differences: a pair costs
 * a few additions where reading B's text would take thousands (overlap.h, the slow way to the same number).
 */
#ifndef NEARDUP_CROWD_H
#define NEARDUP_CROWD_H

#include "core.h"
#include "documents.h"
#include "qgrams.h"
#include "scratch.h"

enum { UNKNOWN, BELOW, NEAR, EXACT }; /* what is known of a pair: as in crowd.py */

/* `Tallied` in crowd.py: a set A against one crowd, columns by member of it. */
typedef struct {
    i64 crowd;
    i64 base;
    const i32 *lacking;
    const i32 *sizes;
    const void *tallied;
    i64 length;    /* of the columns */
    bool is_short; /* `tallied` is of u16, else of i32 */
    const i32 *docs;
} Tallied;

#define TALLIED                                                                                          \
    "against.crowd int, against.base int, against.lacking i4, against.sizes i4, against.tallied u2|i4, " \
    "against.docs i4"

enum { TALLIED_ARGS = 6 };

static inline Tallied tallied_of(const Arg *a) {
    return (Tallied){a[0].number, a[1].number, a[2].data, a[3].data, a[4].data, a[4].length, a[4].item == 2, a[5].data};
}

/* What posting lists tell of a member. */
ALWAYS i64 tallied_at(const void *tallied, bool is_short, i64 member) {
    return is_short ? ((const u16 *)tallied)[member] : ((const i32 *)tallied)[member];
}

/* Columns by doc that matches are ranked by: `Ranking` in crowd.py. */
typedef struct {
    const i32 *counts;
    const i32 *first_of;
    const u8 *times;
    i64 time_stride;
    const u8 *names;
    const i64 *name_starts;
    const u8 *stands;
} Ranking;

#define RANKING                                                                     \
    "ranking.counts i4, ranking.first_of i4, ranking.times i8/, ranking.names u1, " \
    "ranking.name_starts i8, ranking.stands u1"

enum { RANKING_ARGS = 6 };

static inline Ranking ranking_of(const Arg *a) {
    return (Ranking){a[0].data, a[1].data, a[2].data, a[2].stride, a[3].data, a[4].data, a[5].data};
}

static inline i64 time_of(const Ranking *ranking, i64 doc) {
    return (i64)read64(ranking->times + doc * ranking->time_stride);
}

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

static inline Core core_of(const Arg *a) { return (Core){a[0].data, a[0].length, a[1].data, a[1].length}; }

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
    const Core core = core_of(a + 2);
    u64 *out = a[4].data;
    i64 *out_offsets = a[5].data, *lacking = a[6].data;
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
    const Scratch scratch = scratch_of(a + 4);
    const Arg *after = a + 4 + SCRATCH_ARGS;
    const Core core = core_of(after);
    i64 *counts = after[2].data, *out_offsets = after[4].data, *lacking = after[5].data;
    u64 *out = after[3].data;
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

/* The overlap with a member, and whether it is near: doc_q >= `numerator` / `denominator`. */
ALWAYS i64 overlap_with(const Tallied *against, bool is_short, i64 member, i64 count, i64 numerator, i64 denominator,
                        u8 *known) {
    const i64 overlap = against->base - against->lacking[member] + tallied_at(against->tallied, is_short, member);
    const bool near = overlap * denominator >= numerator * max_i64(count, against->sizes[member]);
    *known = near && count > 0 ? NEAR : BELOW;
    return overlap;
}

/* What `compare_texts` takes and tells beside its columns. */
typedef struct {
    const i32 *docs;
    i64 length;
    const i32 *first_of;
    const u64 *halves;
    Fingerprints fingerprints;
    const u64 *fingerprint;
    i64 count;
    const i32 *members;
    i64 numerator;
    i64 denominator;
} Comparison;

ALWAYS i64 compare_texts(const Comparison *comparison, const Tallied *against, bool is_short, i64 *restrict starts,
                         i64 *restrict shared, u8 *restrict state, i64 *restrict found) {
    const Comparison c = *comparison;
    const Tallied tallied = *against;
    const u64 half = c.fingerprint[0], rest_of_it = c.fingerprint[1];
    i64 size = 0, exact = 0, rest = 0, same = -1, last = -1;
    for (i64 i = 0; i < c.length; i++) {
        const i64 first = c.first_of[c.docs[i]];
        if (first == last) continue;
        last = first;
        starts[size] = i;
        i64 overlap = c.count;
        u8 known = UNKNOWN;
        if (c.halves[first] == half && second_half(c.fingerprints, first) == rest_of_it) {
            known = EXACT;
            exact++;
            same = first;
        } else if (c.members[2 * first] == tallied.crowd && c.members[2 * first + 1] < tallied.length) {
            overlap =
                overlap_with(&tallied, is_short, c.members[2 * first + 1], c.count, c.numerator, c.denominator, &known);
        }
        shared[size] = overlap;
        state[size] = known;
        size++;
        rest += known < NEAR;
    }
    starts[size] = c.length;
    found[0] = exact;
    found[1] = rest;
    found[2] = same;
    return size;
}

KERNEL(compare_texts,
       "docs i4, first_of i4, halves u8, fingerprints u8/, fingerprint u8, count int, members i4, " TALLIED
       ", numerator int, denominator int, starts i8!, shared i8!, state u1!, found i8!") {
    const Tallied against = tallied_of(a + 7);
    const Arg *after = a + 7 + TALLIED_ARGS;
    const Comparison comparison = {
        .docs = a[0].data,
        .length = a[0].length,
        .first_of = a[1].data,
        .halves = a[2].data,
        .fingerprints = fingerprints_of(a + 3),
        .fingerprint = a[4].data,
        .count = a[5].number,
        .members = a[6].data,
        .numerator = after[0].number,
        .denominator = after[1].number,
    };
    i64 *starts = after[2].data, *shared = after[3].data, *found = after[5].data;
    u8 *state = after[4].data;
    return against.is_short ? compare_texts(&comparison, &against, true, starts, shared, state, found)
                            : compare_texts(&comparison, &against, false, starts, shared, state, found);
}

KERNEL(compare_in_crowd, "docs i4, starts i8, first_of i4, count int, members i4, " TALLIED
                         ", numerator int, denominator int, shared i8!, state u1!") {
    const i32 *docs = a[0].data, *first_of = a[2].data, *members = a[4].data;
    const i64 *starts = a[1].data;
    const i64 count = a[3].number;
    const Tallied against = tallied_of(a + 5);
    const Arg *after = a + 5 + TALLIED_ARGS;
    const i64 numerator = after[0].number, denominator = after[1].number;
    i64 *shared = after[2].data;
    u8 *state = after[3].data;
    for (i64 j = 0; j < after[3].length; j++) {
        const i64 first = first_of[docs[starts[j]]];
        const i64 member = members[2 * first + 1];
        if (members[2 * first] != against.crowd || state[j] == EXACT || member >= against.length) continue;
        shared[j] = overlap_with(&against, against.is_short, member, count, numerator, denominator, state + j);
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

/* ---- the best of them ---- */

/* Whether `doc` comes before `other`: by time, then by id, byte by byte. */
static inline bool comes_before(const Ranking *ranking, i64 doc, i64 other) {
    const i64 time = time_of(ranking, doc), other_time = time_of(ranking, other);
    if (time != other_time) return time < other_time;
    const i64 length = ranking->name_starts[doc + 1] - ranking->name_starts[doc];
    const i64 other_length = ranking->name_starts[other + 1] - ranking->name_starts[other];
    const int order = memcmp(ranking->names + ranking->name_starts[doc], ranking->names + ranking->name_starts[other],
                             (size_t)min_i64(length, other_length));
    return order ? order < 0 : length < other_length;
}

/* A match, by its place among the docs; its text, where that is known. */
typedef struct {
    i64 place; /* -1: none */
    i64 text;
    double score;
} Ranked;

/* The best matches so far, `most` of them: a heap, whose first is the worst. `sort_listed` puts them best first. */
typedef struct {
    const Ranking *ranking;
    const i32 *docs;
    Ranked *best;
    i64 most;
    i64 size;
} Listed;

static inline bool is_better(const Listed *listed, Ranked match, Ranked other) {
    const i32 *docs = listed->docs;
    return match.score > other.score ||
           (match.score == other.score && comes_before(listed->ranking, docs[match.place], docs[other.place]));
}

/* Puts a match at the first place of the heap of so many, and what is worse before it. */
static inline void put_first(const Listed *listed, i64 size, Ranked match) {
    Ranked *best = listed->best;
    i64 at = 0;
    for (i64 next = 1; next < size; next = 2 * at + 1) {
        if (next + 1 < size && is_better(listed, best[next], best[next + 1])) next++;
        if (!is_better(listed, match, best[next])) break;
        best[at] = best[next];
        at = next;
    }
    best[at] = match;
}

/* Puts a match among the best, where it is one of them. Returns whether it is, and the list is full.
 *
 * A heap, for all may be wanted: to move those that are worse takes a time that grows with the square of their number.
 */
static inline bool list_match(Listed *listed, Ranked match) {
    if (listed->size == listed->most) {
        if (!is_better(listed, match, listed->best[0])) return false;
        put_first(listed, listed->most, match);
        return true;
    }
    Ranked *best = listed->best;
    i64 at = listed->size++;
    for (; at > 0 && is_better(listed, best[(at - 1) / 2], match); at = (at - 1) / 2) best[at] = best[(at - 1) / 2];
    best[at] = match;
    return listed->size == listed->most;
}

static inline void sort_listed(const Listed *listed) {
    for (i64 last = listed->size - 1; last > 0; last--) {
        const Ranked worst = listed->best[0];
        put_first(listed, last, listed->best[last]);
        listed->best[last] = worst;
    }
}

/* The overlaps of all members; -1 of those that do not match. Several at once. */
ALWAYS void write_overlaps(const Tallied *against, bool is_short, i64 count, i64 numerator, i64 denominator,
                           i32 *restrict overlaps) {
    const i32 *restrict lacking = against->lacking;
    const i32 *restrict sizes = against->sizes;
    const void *restrict tallied = against->tallied;
    const i64 length = against->length;
    const i32 base = (i32)against->base;
    for (i64 member = 0; member < length; member++) {
        const i32 overlap = base - lacking[member] + (i32)tallied_at(tallied, is_short, member);
        const i64 larger = max_i64(count, sizes[member]);
        overlaps[member] = overlap * denominator >= numerator * larger ? overlap : -1;
    }
}

/* What `best_if_all_match` takes, all that its loop reads, and its rows. */
typedef struct {
    const i32 *docs;
    i64 length;
    const u64 *halves;
    u64 half;
    i64 count;
    const i32 *members;
    Tallied against;
    Ranking ranking;
    i64 *rows;
    i64 most;
} AllMatching;

/* Whether the docs are the first members, in their order: where one text comes on and on, they are. */
static inline bool are_first_members(const AllMatching *given) {
    const Tallied *against = &given->against;
    return given->length <= against->length &&
           memcmp(given->docs, against->docs, (size_t)given->length * sizeof *given->docs) == 0;
}

/* Writes of each doc its overlap, by the `overlaps` of all members; false if some are none. */
static inline bool write_overlaps_of_docs(const AllMatching *given, const i32 *restrict overlaps, i32 *restrict out) {
    const i32 *restrict docs = given->docs, *restrict first_of = given->ranking.first_of;
    const i32 *restrict members = given->members;
    const i64 crowd = given->against.crowd, known = given->against.length;
    for (i64 i = 0; i < given->length; i++) {
        const u64 first = (u64)(u32)first_of[(u32)docs[i]];
        const u32 member = (u32)members[2 * first + 1];
        if (members[2 * first] != crowd || member >= known) return false;
        out[i] = overlaps[member];
    }
    return true;
}

/* Of so many docs none is looked at closer unless one may be listed, or stands for a group. */
enum { RANKED_AT_ONCE = 16 };

/* The larger one of |A| and |B|, of the doc at a place. */
static inline i64 larger_at(const AllMatching *given, i64 place) {
    const i64 first = given->ranking.first_of[(u32)given->docs[place]];
    return max_i64(given->count, given->against.sizes[given->members[2 * first + 1]]);
}

/* Fills the rows from the overlaps `found` of all docs; returns how many, or -1 if one does not match. */
static inline i64 best_of_members(const AllMatching *given, const i32 *restrict found, Listed listed) {
    const AllMatching g = *given;
    const i32 *const docs = g.docs;
    const u8 *const stands = g.ranking.stands;
    const i64 count = g.count;
    i32 all = 0;
    for (i64 i = 0; i < g.length; i++) all |= found[i];
    if (all < 0) return -1;
    Ranked head = {-1, -1, -1};
    i32 least = 0; /* to be listed */
    for (i64 begin = 0; begin < g.length; begin += RANKED_AT_ONCE) {
        const i64 end = min_i64(begin + RANKED_AT_ONCE, g.length);
        i32 may_be = 0;
        for (i64 i = begin; i < end; i++) may_be |= found[i] >= least;
        for (i64 i = begin; i < end; i++) may_be |= stands[(u32)docs[i]];
        if (!may_be) continue;
        for (i64 i = begin; i < end; i++) {
            const bool is_head = stands[(u32)docs[i]];
            if (found[i] < least && !is_head) continue;
            if (found[i] == count && g.halves[g.ranking.first_of[(u32)docs[i]]] == g.half)
                return -1; /* one text, one set */
            const Ranked match = {i, -1, (double)found[i] / (double)larger_at(given, i)};
            if (is_head && is_better(&listed, match, head)) head = match;
            if (list_match(&listed, match)) {
                /* overlap / max(|A|, |B|) >= o / l needs an overlap of o · |A| / l. */
                const i64 worst = listed.best[0].place, larger = larger_at(given, worst);
                least = (i32)((found[worst] * count + larger - 1) / larger);
            }
        }
    }
    sort_listed(&listed);
    for (i64 row = 0; row <= listed.size; row++) {
        const i64 at = (row < listed.size ? listed.best[row] : head).place;
        i64 *const out = g.rows + 4 * row;
        out[0] = -1;
        if (at < 0) continue;
        out[0] = docs[at];
        out[1] = time_of(&g.ranking, docs[at]);
        out[2] = found[at];
        out[3] = larger_at(given, at);
    }
    return listed.size + 1;
}

KERNEL(best_if_all_match, "docs i4, halves u8, half int, count int, members i4, " TALLIED
                          ", numerator int, denominator int, " RANKING ", rows i8!") {
    const Arg *after = a + 5 + TALLIED_ARGS;
    const AllMatching given = {
        .docs = a[0].data,
        .length = a[0].length,
        .halves = a[1].data,
        .half = (u64)a[2].number,
        .count = a[3].number,
        .members = a[4].data,
        .against = tallied_of(a + 5),
        .ranking = ranking_of(after + 2),
        .rows = after[2 + RANKING_ARGS].data,
    };
    const Tallied *against = &given.against;
    const i64 numerator = after[0].number, denominator = after[1].number, most = after[2 + RANKING_ARGS].length - 1;
    const size_t room = (size_t)(against->length + given.length) * sizeof(i32);
    Ranked *memory = malloc((size_t)most * sizeof *memory + room + 1);
    if (!memory) return NO_MEMORY;
    i32 *overlaps = (i32 *)(memory + most), *found = overlaps + against->length;
    if (against->is_short)
        write_overlaps(against, true, given.count, numerator, denominator, overlaps);
    else
        write_overlaps(against, false, given.count, numerator, denominator, overlaps);
    const Listed listed = {&given.ranking, given.docs, memory, most, 0};
    if (are_first_members(&given)) found = overlaps;
    const bool are_members = found == overlaps || write_overlaps_of_docs(&given, overlaps, found);
    const i64 filled = are_members ? best_of_members(&given, found, listed) : -1;
    free(memory);
    return filled;
}

/* The doc_q of a match of |B| = `other` with A. */
typedef struct {
    i64 numerator;
    i64 denominator;
} DocQ;

static inline DocQ doc_q(u8 state, i64 shared, i64 count, i64 other) {
    return state == EXACT ? (DocQ){1, 1} : (DocQ){shared, max_i64(count, other)};
}

KERNEL(best_matches,
       "docs i4, starts i8, state u1, shared i8, " RANKING ", count int, best i8!, texts i8!, found i8!") {
    const i32 *docs = a[0].data;
    const i64 *starts = a[1].data, *shared = a[3].data;
    const u8 *state = a[2].data;
    const Ranking ranking = ranking_of(a + 4);
    const Arg *after = a + 4 + RANKING_ARGS;
    const i64 count = after[0].number, most = after[1].length, length = a[1].length - 1;
    i64 *best = after[1].data, *texts = after[2].data, *found = after[3].data;
    const i32 *counts = ranking.counts, *first_of = ranking.first_of;
    const u8 *stands = ranking.stands;

    Listed listed = {&ranking, docs, malloc((size_t)most * sizeof *listed.best), most, 0};
    if (!listed.best) return NO_MEMORY;
    i64 matches = 0, compared = 0;
    Ranked head = {-1, -1, -1};
    double worst = -1; /* of a full list: what is worse changes nothing */
    i64 worst_time = 0;
    DocQ worst_q = {-1, 1};
    for (i64 j = 0; j < length; j++) {
        if (state[j] == UNKNOWN) continue;
        const i64 begin = starts[j], end = starts[j + 1];
        compared += end - begin;
        if (state[j] == BELOW) continue;
        matches += end - begin;
        const DocQ q = doc_q(state[j], shared[j], count, counts[first_of[docs[begin]]]);
        if (end - begin == 1 && !stands[docs[begin]] &&
            q.numerator * worst_q.denominator < worst_q.numerator * q.denominator)
            continue; /* so do nearly all: no division for them */
        const double score = (double)q.numerator / (double)q.denominator;
        for (i64 i = begin; i < end; i++) {
            const i64 doc = docs[i];
            const Ranked match = {i, j, score};
            if (stands[doc] && is_better(&listed, match, head)) head = match;
            if (score < worst || (score == worst && time_of(&ranking, doc) > worst_time)) continue;
            if (list_match(&listed, match)) {
                const i64 last = docs[listed.best[0].place], text = listed.best[0].text;
                worst = listed.best[0].score;
                worst_time = time_of(&ranking, last);
                worst_q = doc_q(state[text], shared[text], count, counts[first_of[last]]);
            }
        }
    }
    sort_listed(&listed);
    for (i64 i = 0; i < most; i++) best[i] = -1;
    for (i64 i = 0; i < listed.size; i++) {
        best[i] = listed.best[i].place;
        texts[i] = listed.best[i].text;
    }
    free(listed.best);
    found[0] = compared;
    found[1] = head.place;
    found[2] = head.text;
    return matches;
}

#endif
