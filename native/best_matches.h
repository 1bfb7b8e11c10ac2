/* The best of many matches, best first: by doc_q, then the earlier one, then by id.
 * src/neardup/kernels/best_matches.py
 *
 * Most matches of a flood of copies are no better than those that are listed already: of these only the overlap is
 * read, without a division, a time or an id.
 */
#ifndef NEARDUP_BEST_MATCHES_H
#define NEARDUP_BEST_MATCHES_H

#include "core.h"
#include "crowd.h"

/* Columns by doc that matches are ranked by: `Ranking` in best_matches.py. */
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

static inline Ranking ranking_of(const Arg **rest) {
    const Arg *a = take(rest, 6);
    return (Ranking){a[0].data, a[1].data, a[2].data, a[2].stride, a[3].data, a[4].data, a[5].data};
}

static inline i64 time_of(const Ranking *ranking, i64 doc) {
    return (i64)read64(ranking->times + doc * ranking->time_stride);
}

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

/* Replaces the first of `size` matches in the heap by `match`, and moves worse ones before it. */
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

/* Puts a match among the best, if it is one of them. Returns whether it is, and the list is then full.
 *
 * The list is a heap, because all matches may be wanted: moving worse ones in an array would take quadratic time.
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

/* ---- where all match, as members of one crowd ---- */

/* What `best_if_all_match` takes: docs, A, and the first half of the fingerprint of A's text. */
typedef struct {
    const i32 *docs;
    i64 length;
    const u64 *halves;
    u64 half;
    Against against;
    Ranking ranking;
} AllMatching;

/* Writes the overlaps of all members, -1 for those that do not match; several at a time. */
ALWAYS void write_overlaps(const Against *with, bool is_short, i32 *restrict overlaps) {
    const Against against = *with;
    for (i64 member = 0; member < against.length; member++) {
        const i64 overlap = overlap_with(&against, is_short, member);
        overlaps[member] = is_near(&against, overlap, member) ? (i32)overlap : -1;
    }
}

/* Whether the docs are the first members, in order, as they are in a steady stream of copies. */
static inline bool are_first_members(const AllMatching *given) {
    const Against *against = &given->against;
    return given->length <= against->length &&
           memcmp(given->docs, against->docs, (size_t)given->length * sizeof *given->docs) == 0;
}

/* Writes the overlap of each doc, from the `overlaps` of all members; false if a doc is not a member. */
static inline bool write_overlaps_of_docs(const AllMatching *given, const i32 *restrict overlaps, i32 *restrict out) {
    const AllMatching g = *given;
    for (i64 i = 0; i < g.length; i++) {
        const i64 first = (u32)g.ranking.first_of[(u32)g.docs[i]];
        if (!is_tallied(&g.against, first)) return false;
        out[i] = overlaps[(u32)member_of(&g.against, first)];
    }
    return true;
}

/* This many docs are skipped together unless one of them may be listed, or stands for a group. */
enum { RANKED_AT_ONCE = 16 };

/* The larger one of |A| and |B|, of the doc at a place. */
static inline i64 larger_at(const AllMatching *given, i64 place) {
    const i64 member = member_of(&given->against, given->ranking.first_of[given->docs[place]]);
    return max_i64(given->against.count, given->against.sizes[member]);
}

/* Lists the best docs by their `overlaps`, and sets the best that stands for a group; false if one does not match, or
 * may be of A's own text.
 */
static inline bool list_best(const AllMatching *given, const i32 *restrict overlaps, Listed *listed, Ranked *head) {
    const AllMatching g = *given;
    const u8 *const stands = g.ranking.stands;
    const i64 count = g.against.count;
    i32 all = 0;
    for (i64 i = 0; i < g.length; i++) all |= overlaps[i];
    if (all < 0) return false;
    i32 least = 0; /* to be listed */
    for (i64 begin = 0; begin < g.length; begin += RANKED_AT_ONCE) {
        const i64 end = min_i64(begin + RANKED_AT_ONCE, g.length);
        i32 may_be = 0;
        for (i64 i = begin; i < end; i++) may_be |= overlaps[i] >= least;
        for (i64 i = begin; i < end; i++) may_be |= stands[(u32)g.docs[i]];
        if (!may_be) continue;
        for (i64 i = begin; i < end; i++) {
            const bool is_head = stands[(u32)g.docs[i]];
            if (overlaps[i] < least && !is_head) continue;
            /* One text has one set. */
            if (overlaps[i] == count && g.halves[g.ranking.first_of[(u32)g.docs[i]]] == g.half) return false;
            const Ranked match = {i, -1, (double)overlaps[i] / (double)larger_at(given, i)};
            if (is_head && is_better(listed, match, *head)) *head = match;
            if (list_match(listed, match)) {
                /* overlap / max(|A|, |B|) >= o / l needs an overlap of o · |A| / l. */
                const i64 worst = listed->best[0].place, larger = larger_at(given, worst);
                least = (i32)((overlaps[worst] * count + larger - 1) / larger);
            }
        }
    }
    sort_listed(listed);
    return true;
}

/* Writes a row of a match: doc, time, |A ∩ B|, max(|A|, |B|); for the place -1 a doc of -1. */
static inline void write_row(const AllMatching *given, const i32 *overlaps, i64 place, i64 *row) {
    row[0] = -1;
    if (place < 0) return;
    row[0] = given->docs[place];
    row[1] = time_of(&given->ranking, row[0]);
    row[2] = overlaps[place];
    row[3] = larger_at(given, place);
}

KERNEL(best_if_all_match, "docs i4, halves u8, half int, " AGAINST ", " RANKING ", rows i8!") {
    AllMatching given = {.docs = a[0].data, .length = a[0].length, .halves = a[1].data, .half = (u64)a[2].number};
    const Arg *rest = a + 3;
    given.against = against_of(&rest);
    given.ranking = ranking_of(&rest);
    const Against *against = &given.against;
    i64 *rows = rest[0].data;
    const i64 most = rest[0].length - 1;
    const size_t room = (size_t)(against->length + given.length) * sizeof(i32);
    Ranked *memory = malloc((size_t)most * sizeof *memory + room + 1);
    if (!memory) return NO_MEMORY;
    i32 *of_members = (i32 *)(memory + most), *of_docs = of_members + against->length;
    if (against->is_short)
        write_overlaps(against, true, of_members);
    else
        write_overlaps(against, false, of_members);
    if (are_first_members(&given)) of_docs = of_members;
    Listed listed = {&given.ranking, given.docs, memory, most, 0};
    Ranked head = {-1, -1, -1};
    i64 filled = -1;
    if ((of_docs == of_members || write_overlaps_of_docs(&given, of_members, of_docs)) &&
        list_best(&given, of_docs, &listed, &head)) {
        for (i64 k = 0; k < listed.size; k++) write_row(&given, of_docs, listed.best[k].place, rows + 4 * k);
        write_row(&given, of_docs, head.place, rows + 4 * listed.size);
        filled = listed.size + 1;
    }
    free(memory);
    return filled;
}

/* ---- where some do not ---- */

/* The doc_q of a match of |B| = `other` with A. */
typedef struct {
    i64 numerator;
    i64 denominator;
} DocQ;

static inline DocQ doc_q(u8 outcome, i64 shared, i64 count, i64 other) {
    return outcome == EXACT ? (DocQ){1, 1} : (DocQ){shared, max_i64(count, other)};
}

KERNEL(best_matches,
       "docs i4, starts i8, outcome u1, shared i8, " RANKING ", count int, best i8!, texts i8!, found i8!") {
    const i32 *docs = a[0].data;
    const i64 *starts = a[1].data, *shared = a[3].data;
    const u8 *outcome = a[2].data;
    const Arg *rest = a + 4;
    const Ranking ranking = ranking_of(&rest);
    const i64 count = rest[0].number, most = rest[1].length, length = a[1].length - 1;
    i64 *best = rest[1].data, *texts = rest[2].data, *found = rest[3].data;
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
        if (outcome[j] == UNKNOWN) continue;
        const i64 begin = starts[j], end = starts[j + 1];
        compared += end - begin;
        if (outcome[j] == BELOW) continue;
        matches += end - begin;
        const DocQ q = doc_q(outcome[j], shared[j], count, counts[first_of[docs[begin]]]);
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
                worst_q = doc_q(outcome[text], shared[text], count, counts[first_of[last]]);
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
