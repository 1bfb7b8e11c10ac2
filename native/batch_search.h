/* A batch of documents searched in posting lists and added to them, one after another.
 * src/neardup/kernels/batch_search.py
 *
 * A repeated text is not posted again: its document joins the chain of the first document with that text, which is
 * posted for all of them (Documents), and a search that finds the first one finds the whole chain.
 */
#ifndef NEARDUP_BATCH_SEARCH_H
#define NEARDUP_BATCH_SEARCH_H

#include "bitmap_columns.h"
#include "bitset_cache.h"
#include "candidate_filter.h"
#include "core.h"
#include "documents.h"
#include "packed_lists.h"
#include "posting_lists.h"
#include "ranges.h"
#include "shared_counts.h"

/* From this number of documents on, those of a few candidates are in no cache. */
enum { FAR_DOCUMENTS = 1 << 18 };

/* Texts of very many documents that searches have found, `size` of them; texts for which there is no room are noted
 * when they are found again.
 */
typedef struct {
    i32 *docs; /* as which they are posted */
    i64 room;
    i64 *size;
} Met;

static inline void meet(const Met *met, i64 doc) {
    if (*met->size < met->room) met->docs[(*met->size)++] = (i32)doc;
}

/* Docs that each represent all copies of a repeated text: those for document i are `docs[offsets[i]:offsets[i + 1]]`.
 */
typedef struct {
    i32 *docs;
    i64 room;
    i64 *offsets;
} StandIns;

/* The output of a batch search: candidates of document i are `candidates[offsets[i]:offsets[i + 1]]`. */
typedef struct {
    i32 *candidates;
    i64 room;
    i64 *offsets;
    i64 *left_out; /* of each document, how many of its posting lists were above the limit */
    StandIns stand_ins;
    i64 *same_as; /* of each document, the posted doc of the same text, or -1 */
    Met met;
} SearchOutput;

#define SEARCH_OUTPUT                                                                                      \
    "out.candidates i4!, out.offsets i8!, out.left_out i8!, out.stand_ins i4!, out.stand_in_offsets i8!, " \
    "out.same_as i8!, out.met i4!, out.met_size i8!"

static inline SearchOutput search_output_of(const Arg **rest) {
    const Arg *a = take(rest, 8);
    return (SearchOutput){
        .candidates = a[0].data,
        .room = a[0].length,
        .offsets = a[1].data,
        .left_out = a[2].data,
        .stand_ins = {a[3].data, a[3].length, a[4].data},
        .same_as = a[5].data,
        .met = {a[6].data, a[6].length, a[7].data},
    };
}

/* Whether the text that is posted as `doc` is one for which a single document stands in for all. */
static inline bool is_repeated(const Query *query, i64 doc) {
    const i64 at = first_not_below_i32(query->repeated, query->repeated_length, (i32)doc);
    return at < query->repeated_length && query->repeated[at] == doc;
}

/* Whether a document can be found, and lies in the hours that are searched. */
ALWAYS bool may_be(const Documents *documents, const Filter *wanted, i64 doc) {
    const i64 hour = documents->hours[doc];
    return (wanted->low <= hour) & (hour <= wanted->high) & (documents->alive[doc] == 1);
}

/* The doc that stands in for all of the text that is posted as `doc`: `doc`, or the newest of its chain that `may_be`;
 * -1 if there is none.
 */
static inline i64 stand_in_of(const Documents *documents, const Filter *wanted, i64 doc) {
    if (may_be(documents, wanted, doc)) return doc;
    i64 other = documents->next_of[doc];
    while (other >= 0 && !may_be(documents, wanted, other)) other = documents->next_of[other];
    return other;
}

/* Prefetches what `write_candidates` reads of a doc. */
ALWAYS void ask_for(const Documents *documents, u32 doc, bool is_chained) {
    prefetch(documents->counts + doc);
    prefetch(documents->hours + doc);
    prefetch(documents->alive + doc);
    if (is_chained) prefetch(documents->halves + doc);
    if (is_chained) prefetch(documents->next_of + doc);
}

/* Writes the docs behind `doc` in its chain that `may_be` to `candidates[at:]`, in order of arrival. Returns the next
 * position, -1 if there is no room.
 */
ALWAYS i64 write_chain(const Documents *documents, const Filter *wanted, const Query *query, i64 doc, i32 *candidates,
                       i64 at, const SearchOutput *out) {
    const i64 chain = at;
    i64 others = 0;
    for (i64 other = documents->next_of[doc]; other >= 0; other = documents->next_of[other], others++) {
        if (at == out->room) return -1;
        candidates[at] = (i32)other;
        at += may_be(documents, wanted, other);
    }
    if (query->many > 0 && others >= query->many) meet(&out->met, doc);
    for (i64 k = 0; k < (at - chain) / 2; k++) { /* the chain has the newest next to its first */
        const i32 held = candidates[chain + k];
        candidates[chain + k] = candidates[at - 1 - k];
        candidates[at - 1 - k] = held;
    }
    return at;
}

/* Writes the docs that `candidates[begin:end]` stand for to `candidates[end:]`, as candidates of document i: with
 * fingerprints their chains, in order of arrival, else themselves. Dead docs, docs outside the hours and docs of sizes
 * that cannot match are left out. Also sets the rest of the output for document i.
 *
 * Returns the next position, -1 if there is no room.
 */
ALWAYS i64 write_candidates_if(bool is_chained, bool are_far, const Documents *documents, const Filter *wanted,
                               const Query *query, i64 i, i64 begin, i64 end, const SearchOutput *out) {
    const Documents among = *documents;
    const Filter filter = *wanted;
    const StandIns *stand_ins = &out->stand_ins;
    i32 *restrict candidates = out->candidates;
    const u64 second = is_chained ? second_half(query->fingerprints, i) : 0;
    i64 at = end, stand_ins_end = stand_ins->offsets[i], same_as = -1;
    for (i64 p = begin; p < end; p++) {
        if (are_far) ask_for(&among, (u32)candidates[min_i64(p + AHEAD, end - 1)], is_chained);
        const u32 doc = (u32)candidates[p];
        if (is_chained && among.halves[doc] == filter.half && second_half(among.fingerprints, doc) == second)
            same_as = doc;
        if (!size_fits(&filter, among.counts[doc])) continue;
        if (at == out->room) return -1;
        const bool has_chain = is_chained && among.next_of[doc] >= 0;
        if (has_chain && is_repeated(query, doc)) {
            const i64 stand_in = stand_in_of(&among, &filter, doc);
            if (stand_in < 0) continue;
            if (stand_ins_end == stand_ins->room) return -1;
            stand_ins->docs[stand_ins_end++] = (i32)stand_in;
            continue;
        }
        candidates[at] = (i32)doc;
        at += may_be(&among, &filter, doc);
        if (has_chain && (at = write_chain(&among, &filter, query, doc, candidates, at, out)) < 0) return -1;
    }
    stand_ins->offsets[i + 1] = stand_ins_end;
    out->same_as[i] = same_as;
    return at;
}

static inline i64 write_candidates(const Documents *documents, const Filter *wanted, const Query *query, i64 i,
                                   i64 begin, i64 end, const SearchOutput *out) {
    const bool are_far = documents->length > FAR_DOCUMENTS;
    if (wanted->is_chained) return write_candidates_if(true, are_far, documents, wanted, query, i, begin, end, out);
    return write_candidates_if(false, are_far, documents, wanted, query, i, begin, end, out);
}

KERNEL(chain_behind, "next_of i4, doc int, after int, out i4!") {
    const i32 *next_of = a[0].data;
    i32 *out = a[3].data;
    const i64 after = a[2].number, room = a[3].length;
    i64 size = 0;
    for (i64 doc = next_of[a[1].number]; doc > after; doc = next_of[doc]) {
        if (size < room) out[size] = (i32)doc;
        size++;
    }
    return size;
}

/* Puts `doc` into the chain of the doc that is `posted` for its text, right behind it. */
static inline void join_chain(const Documents *documents, i64 doc, i64 posted) {
    documents->first_of[doc] = (i32)posted;
    documents->next_of[doc] = documents->next_of[posted];
    documents->next_of[posted] = (i32)doc;
}

KERNEL(search_and_add,
       LISTS ", " PACKED_LISTS ", " BITSET_CACHE ", keys u8, key_offsets i8, min_shared i8, limit int, " QUERY
             ", " BITMAP_COLUMNS ", " DOCUMENTS ", " COUNTERS ", " SEARCH_OUTPUT ", progress i8!") {
    const Lists lists = lists_of(&a);
    const PackedLists packed = packed_lists_of(&a);
    const BitsetCache bitsets = bitset_cache_of(&a);
    const u64 *keys = a[0].data;
    const i64 *key_offsets = a[1].data, *min_shared = a[2].data;
    const i64 offsets_length = a[1].length, limit = a[3].number;
    a += 4;
    const Query query = query_of(&a);
    const BitmapColumns columns = bitmap_columns_of(&a);
    const Documents documents = documents_of(&a);
    const Counters counters = counters_of(&a);
    const SearchOutput out = search_output_of(&a);
    i64 *progress = a[0].data;

    Located located;
    if (!room_to_locate(&lists, &packed, widest_of(key_offsets, offsets_length), &located)) return NO_MEMORY;
    OwnBits own;
    i64 status = DONE;
    while (progress[AT_DOCUMENT] < query.length) {
        const i64 i = progress[AT_DOCUMENT], first = key_offsets[i], last = key_offsets[i + 1];
        if (!progress[IS_SEARCHED]) {
            locate(&located, keys + first, last - first);
            const Filter wanted = filter_of(&query, i);
            set_own_bits(&columns, i, query.counts[i], query.numerator, query.denominator, &own);
            const SharedSearch search = {
                .located = &located,
                .bitsets = &bitsets,
                .keys = keys + first,
                .size = last - first,
                .minimum = min_shared[i],
                .limit = limit,
                .documents = &documents,
                .wanted = &wanted,
                .counters = &counters,
                .columns = &columns,
                .own = &own,
            };
            SharedOutput sharing = {.docs = out.candidates, .room = out.room, .at = out.offsets[i]};
            status = count_shared(&search, &sharing);
            if (status != DONE) break;
            const i64 certain_end = sharing.certain_end, end = sharing.end;
            out.left_out[i] = sharing.left_out;
            const i64 at = write_candidates(&documents, &wanted, &query, i, certain_end, end, &out);
            if (at < 0) {
                status = CANDIDATES_FULL;
                break;
            }
            memmove(out.candidates + certain_end, out.candidates + end, (size_t)(at - end) * sizeof *out.candidates);
            out.offsets[i + 1] = certain_end + at - end;
            progress[IS_SEARCHED] = 1;
        }
        if (query.docs[i] >= 0 && out.same_as[i] >= 0) {
            join_chain(&documents, query.docs[i], out.same_as[i]);
        } else if (query.docs[i] >= 0) {
            status = add_doc(&lists, keys, first, last, (u32)query.docs[i], progress);
            if (status != DONE) break;
        }
        progress[AT_DOCUMENT] = i + 1;
        progress[KEYS_ADDED] = 0;
        progress[IS_SEARCHED] = 0;
    }
    free_located(&located);
    return status;
}

#endif
