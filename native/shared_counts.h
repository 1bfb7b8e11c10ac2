/* Finds the docs that are in at least a given number of the posting lists of a document's keys.
 *
 * `count_shared` takes the cheapest of three ways, which all find the same docs:
 *
 *     count_read         the lists are read into one array, and counted by a counter a doc (counters.h); of the two
 *                        longest, if they are long, only the docs are looked up that the others leave
 *     count_by_bitsets   where many lists are long, as in a crowd of copies: 64 docs at a time (bitset_cache.h)
 *     count_densely      where a document has more keys than a sketch, and half as many postings as there are docs:
 *                        counters of all docs, cleared each time
 */
#ifndef NEARDUP_SHARED_COUNTS_H
#define NEARDUP_SHARED_COUNTS_H

#include "bitmap_columns.h"
#include "bitset_cache.h"
#include "candidate_filter.h"
#include "core.h"
#include "counters.h"
#include "documents.h"
#include "packed_lists.h"
#include "posting_lists.h"

enum {
    CACHE_LINE_POSTINGS = 16,
    LISTS_AHEAD = 4,
    MANY_LISTS = 64,      /* more than a sketch has */
    CLEARED_AT_ONCE = 16, /* counters that lie side by side, in the time in which one by itself is cleared */
};

/* A search for one document: which docs are in enough of the lists of its keys?
 *
 * keys      so many, of lists that are `located`
 * minimum   lists that a doc must be in: from 1 to 2^bits - 2, `bits` those of `counters`
 * limit     living docs of the hours wanted that a list may have to be read; 0: no limit
 * own       the bits of the document's text, to be held against `columns`
 */
typedef struct {
    const Located *located;
    const BitsetCache *bitsets;
    const u64 *keys;
    i64 size;
    i64 minimum;
    i64 limit;
    const Documents *documents;
    const Filter *wanted;
    const Counters *counters;
    const BitmapColumns *columns;
    OwnBits *own;
} SharedSearch;

/* Where the docs go, each once: `docs[at:end]`, with room to `room`.
 *
 * certain_end   behind those that are certain candidates (candidate_filter.h)
 * left_out      how many lists were
 */
typedef struct {
    i32 *docs;
    i64 room;
    i64 at;
    i64 certain_end;
    i64 end;
    i64 left_out;
} SharedOutput;

/* How many living docs of the hours wanted list j holds: dead docs must not affect the result. */
static inline i64 living_of(const SharedSearch *search, i64 j) {
    const Located *located = search->located;
    const Documents *documents = search->documents;
    const PostingList list = table_part(located, j);
    const u32 *packed = packed_part(located, j), *pool = located->lists->pool;
    const i64 size = located->sizes[j], mask = doc_mask(located->packed);
    const i64 low = search->wanted->low, high = search->wanted->high;
    i64 count = 0;
    for (i64 p = 0; p < size + list.length; p++) {
        const i64 doc = p < size ? packed[p] & mask : list.is_inline ? list.start : (i64)pool[list.start + p - size];
        const i64 hour = documents->hours[doc];
        count += (low <= hour) & (hour <= high) & (documents->alive[doc] == 1);
    }
    return count;
}

/* The two longest of some lists that are worth a bitset, with this number of documents: the longest first, -1 for none.
 */
static inline void two_longest(const i64 *lengths, i64 size, i64 documents, i64 *first, i64 *second) {
    i64 longest = looked_up_from(documents) - 1, next_longest = longest;
    *first = *second = -1;
    for (i64 j = 0; j < size; j++) {
        if (lengths[j] > longest) {
            *second = *first;
            next_longest = max_i64(longest, next_longest);
            *first = j;
            longest = lengths[j];
        } else if (lengths[j] > next_longest) {
            *second = j;
            next_longest = lengths[j];
        }
    }
}

/* Whether counting all long lists by their bitsets costs less than reading them, but for the two longest. */
static inline bool is_crowded(const i64 *lengths, i64 size, i64 documents) {
    const i64 shortest = long_from(documents);
    i64 many = 0, postings = 0, longest = 0, next_longest = 0;
    for (i64 j = 0; j < size; j++) {
        if (lengths[j] < shortest) continue;
        many++;
        postings += lengths[j];
        next_longest = max_i64(next_longest, min_i64(lengths[j], longest));
        longest = max_i64(longest, lengths[j]);
    }
    return many > 2 && postings - longest - next_longest > many * (documents / 64);
}

/* Whether counters of all docs are the cheapest way to count some lists: they cost about half a nanosecond a posting.
 * Long lists cost, as bitsets, three nanoseconds a line of 512 docs; lists that are read otherwise cost two a posting.
 */
static inline bool are_dense(const i64 *lengths, i64 size, i64 documents) {
    const i64 shortest = long_from(documents);
    i64 bitsets = 0, read = 0, postings = 0;
    for (i64 j = 0; j < size; j++) {
        postings += lengths[j];
        if (lengths[j] >= shortest)
            bitsets++;
        else
            read += lengths[j];
    }
    return 2 * postings >= documents && postings < 4 * read + bitsets * (6 * documents / PLANE_BITS);
}

static inline void copy_docs(const u32 *restrict postings, i64 length, u32 mask, i32 *restrict out) {
    for (i64 p = 0; p < length; p++) out[p] = (i32)(postings[p] & mask);
}

/* Writes the docs of the lists `chosen[:size]` of `located` to `out[at:]`, list by list; returns the next position.
 *
 * All are prefetched first, so that their cache misses overlap.
 */
static inline i64 read_lists(const Located *located, const i64 *chosen, i64 size, i32 *out, i64 at) {
    const u32 mask = (u32)doc_mask(located->packed);
    for (i64 k = 0; k < size; k++) {
        const u32 *list = packed_part(located, chosen[k]);
        for (i64 p = 0; p < located->sizes[chosen[k]]; p += CACHE_LINE_POSTINGS) prefetch(list + p);
    }
    for (i64 k = 0; k < size; k++) {
        const i64 j = chosen[k];
        copy_docs(packed_part(located, j), located->sizes[j], mask, out + at);
        at += located->sizes[j];
        const PostingList list = table_part(located, j);
        if (list.is_inline)
            out[at] = (i32)list.start;
        else
            copy_docs(located->lists->pool + list.start, list.length, ~0U, out + at);
        at += list.length;
    }
    return at;
}

/* Moves the bits of certain candidates from `reached` to `certain`, in words with many bits. */
static inline void take_certain(u64 *reached, u64 *certain, i64 words, const Documents *documents,
                                const Filter *wanted) {
    memset(certain, 0, (size_t)words * sizeof *certain);
    for (i64 word = 0; word < min_i64(documents->length / 64, words); word++) {
        if (ones(reached[word]) < MANY_BITS) continue;
        certain[word] = reached[word] & are_certain(wanted, documents, word);
        reached[word] &= ~certain[word];
    }
}

/* `count_shared` where many lists are long: those are counted by their bitsets, the others are read. */
static inline i64 count_by_bitsets(const SharedSearch *search, SharedOutput *out) {
    const Located *located = search->located;
    const i64 *lengths = located->lengths;
    const i64 size = search->size, minimum = search->minimum, total = search->counters->hits_length;
    const i64 shortest = long_from(total), words = (total + 63) / 64;
    i64 *rows = malloc((size_t)(2 * size + AT_ONCE) * sizeof *rows);
    if (!rows) return NO_MEMORY;
    i64 *others = rows + size + AT_ONCE;
    i64 n_rows = 0, n_others = 0, postings = 0;
    for (i64 j = 0; j < size; j++) {
        const i64 row = lengths[j] >= shortest ? bitset_row(search->bitsets, search->keys[j], located, j) : -1;
        if (row >= 0) {
            rows[n_rows++] = row;
        } else {
            others[n_others++] = j;
            postings += lengths[j];
        }
    }
    const i64 digits = max_i64(digits_of(n_rows), digits_of(minimum));
    u64 *planes = malloc((size_t)((digits + 4) * words) * sizeof *planes);
    if (!planes) {
        free(rows);
        return NO_MEMORY;
    }
    u64 *reached = planes + digits * words, *rest = reached + words, *certain = rest + words, *alike = certain + words;
    i64 reaching = 0;
    i64 status = CANDIDATES_FULL;
    count_bitsets(search->bitsets, rows, n_rows, minimum, words, planes, reached);
    set_alike(search->columns, search->own, reached, words, alike);
    for (i64 word = 0; word < words; word++) reaching += ones(reached[word] &= alike[word]);
    if (out->at + reaching + 64 <= out->room) {
        i32 *docs = out->docs;
        memcpy(rest, reached, (size_t)words * sizeof *rest);
        take_certain(rest, certain, words, search->documents, search->wanted);
        out->certain_end = write_members(words, certain, docs, out->at);
        const i64 by_list = write_members(words, rest, docs, out->certain_end);
        if (by_list + postings + COUNTERS_AHEAD <= out->room) {
            u8 *hits = search->counters->hits;
            const i64 base = next_stamp(search->counters), goal = base + minimum;
            u8 after[256];
            counted_once_more(base, goal, after);
            i64 at = read_lists(located, others, n_others, docs, by_list);
            at = count_docs(docs, by_list, at, after, max_i64(goal - n_rows, base + 1), hits, by_list);
            i64 kept = by_list;
            for (i64 p = by_list; p < at; p++) {
                const i64 doc = docs[p];
                if (bit_of(reached, doc)) continue; /* written already */
                docs[kept] = (i32)doc;
                kept += bit_of(alike, doc) && hits[doc] - base + counted_bits(planes, digits, words, doc) >= minimum;
            }
            out->end = kept;
            status = DONE;
        }
    }
    free(planes);
    free(rows);
    return status;
}

/* Keeps those of `docs[begin:end]` that reach the `goal` with two bitsets; returns their end. */
static inline i64 keep_reaching(const u64 *one, const u64 *two, i64 goal, const u8 *hits, i32 *docs, i64 begin,
                                i64 end) {
    i64 likely = begin;
    for (i64 p = begin; p < end; p++) {
        const i64 doc = docs[p];
        docs[likely] = (i32)doc;
        likely += hits[doc] + bit_of(two, doc) >= goal - 1;
    }
    /* Few are left: the bitset of the longest list is read only for these. */
    i64 at = begin;
    for (i64 p = begin; p < likely; p++) {
        const i64 doc = docs[p];
        docs[at] = (i32)doc;
        at += hits[doc] + bit_of(one, doc) + bit_of(two, doc) >= goal;
    }
    return at;
}

static inline void count_postings(const u32 *restrict postings, i64 length, u32 mask, u8 *restrict counts) {
#pragma GCC unroll 8
    for (i64 p = 0; p < length; p++) counts[postings[p] & mask]++;
}

/* Adds `counts` to `sums`, which stop at UINT8_MAX, and clears them. */
static inline void add_counts(u8 *restrict counts, u8 *restrict sums, i64 length) {
    for (i64 d = 0; d < length; d++) {
        const u8 most = UINT8_MAX - counts[d];
        sums[d] = (sums[d] < most ? sums[d] : most) + counts[d];
        counts[d] = 0;
    }
}

/* Prefetches all of list j. */
static inline void ask_for_list(const Located *located, i64 j) {
    const u32 *packed = packed_part(located, j), *pool = located->lists->pool;
    for (i64 p = 0; p < located->sizes[j]; p += CACHE_LINE_POSTINGS) prefetch(packed + p);
    const PostingList list = table_part(located, j);
    if (list.is_inline) return;
    for (i64 p = 0; p < list.length; p += CACHE_LINE_POSTINGS) prefetch(pool + list.start + p);
}

/* `count_shared` for so many postings that clearing and reading a counter of every doc costs little in comparison:
 * writes the docs in at least `minimum` of the lists `read[:n_read]`, without stamps, and without copying the docs of
 * the lists.
 *
 * counters   two a doc: of 8 bits, half of which the first cache level holds for twice as many docs as it would of 16.
 *            Lists are counted UINT8_MAX at a time, and these counts added up; `minimum` is no more than that.
 */
static inline i64 count_densely(const Located *located, const i64 *read, i64 n_read, i64 minimum, i64 total,
                                u8 *counters, i32 *out, i64 at) {
    const u32 mask = (u32)doc_mask(located->packed);
    u8 *restrict counts = counters, *restrict sums = counters + total;
    memset(counters, 0, (size_t)(2 * total));
    for (i64 k = 0; k < n_read; k++) {
        if (k + LISTS_AHEAD < n_read) ask_for_list(located, read[k + LISTS_AHEAD]);
        const i64 j = read[k];
        const PostingList list = table_part(located, j);
        count_postings(packed_part(located, j), located->sizes[j], mask, counts);
        if (list.is_inline)
            counts[list.start]++;
        else
            count_postings(located->lists->pool + list.start, list.length, ~0U, counts);
        if ((k + 1) % UINT8_MAX == 0) add_counts(counts, sums, total);
    }
    add_counts(counts, sums, total);
    for (i64 doc = 0; doc < total; doc += 64) {
        const i64 end = min_i64(doc + 64, total);
        u8 most = 0;
        for (i64 d = doc; d < end; d++) most = sums[d] > most ? sums[d] : most;
        if (most < minimum) continue;
        for (i64 d = doc; d < end; d++) {
            out[at] = (i32)d;
            at += sums[d] >= minimum;
        }
    }
    return at;
}

/* `count_shared` for `docs[at:end]`, a doc for each posting of all lists but two that may have bitsets, `one` and
 * `two`. Returns the end of the docs that reach the minimum.
 */
static inline i64 count_read(const SharedSearch *search, i32 *docs, i64 at, i64 end, i64 one, i64 two) {
    const Counters *counters = search->counters;
    const BitsetCache *bitsets = search->bitsets;
    const i64 looked_up = (one >= 0) + (two >= 0);
    const i64 base = next_stamp(counters), goal = base + search->minimum;
    u8 after[256];
    counted_once_more(base, goal, after);
    const bool forgets = CLEARED_AT_ONCE * last_stamp(counters) * (end - at) < counters->hits_length;
    const i64 begin = forgets ? end : at;
    i64 last = count_docs(docs, at, end, after, goal - looked_up, counters->hits, begin);
    if (looked_up)
        last =
            keep_reaching(bitset_at(bitsets, one >= 0 ? one : bitsets->most),
                          bitset_at(bitsets, two >= 0 ? two : bitsets->most), goal, counters->hits, docs, begin, last);
    return forgets ? forget_counts(counters, docs, at, end, last) : last;
}

/* Writes the docs in at least the minimum of the lists; returns a status: DONE, CANDIDATES_FULL or NO_MEMORY.
 *
 * Costs 1 to 3 ns a posting read; if lists are long, the two longest are not read, but docs that the others leave are
 * looked up in them. If many are long, docs of short texts whose bitmaps rule them out are left out by `columns`.
 */
static inline i64 count_shared(const SharedSearch *search, SharedOutput *out) {
    const Located *located = search->located;
    const i64 *lengths = located->lengths;
    const i64 size = search->size, minimum = search->minimum, limit = search->limit;
    const i64 total = search->counters->hits_length;
    out->certain_end = out->at;
    out->left_out = 0;
    i64 one = -1, two = -1, row_one = -1, row_two = -1;
    /* The limit is applied as lists are read. Bitsets are not read, and counters of all docs take the room of all lists.
     */
    const bool is_dense = size > MANY_LISTS && limit == 0 && are_dense(lengths, size, total);
    if (limit == 0 && !is_dense) {
        if (minimum > 1 && is_crowded(lengths, size, total)) return count_by_bitsets(search, out);
        if (minimum > 2) two_longest(lengths, size, total, &one, &two);
        if (one >= 0) row_one = bitset_row(search->bitsets, search->keys[one], located, one);
        /* Not at m = 3: one shared key of the others would be enough, and every doc of these would be looked up. */
        if (two >= 0 && minimum > 3) row_two = bitset_row(search->bitsets, search->keys[two], located, two);
    }
    i64 few[MANY_LISTS], *read = size <= MANY_LISTS ? few : malloc((size_t)size * sizeof *read);
    if (!read) return NO_MEMORY;
    i64 n_read = 0, to_read = 0;
    for (i64 j = 0; j < size; j++) {
        if (lengths[j] == 0 || (j == one && row_one >= 0) || (j == two && row_two >= 0)) continue;
        if (limit > 0 && lengths[j] > limit && living_of(search, j) > limit) {
            out->left_out++;
            continue;
        }
        read[n_read++] = j;
        to_read += lengths[j];
    }
    /* What is read, and behind it what is kept of it or two counters a doc. */
    const bool has_room = out->at + 2 * to_read + 1 + COUNTERS_AHEAD <= out->room;
    if (has_room && is_dense) {
        u8 *counters = (u8 *)(out->docs + out->at + to_read);
        out->end = count_densely(located, read, n_read, minimum, total, counters, out->docs, out->at);
    } else if (has_room) {
        const i64 end = read_lists(located, read, n_read, out->docs, out->at);
        out->end = count_read(search, out->docs, out->at, end, row_one, row_two);
    }
    if (read != few) free(read);
    return has_room ? DONE : CANDIDATES_FULL;
}

#endif
