/* The documents that a search filters by, and a batch of those that are searched with.
 * src/neardup/kernels/batch_search.py
 */
#ifndef NEARDUP_DOCUMENTS_H
#define NEARDUP_DOCUMENTS_H

#include "core.h"

/* Two values each, whose rows may lie apart. */
typedef struct {
    const u8 *data;
    i64 stride; /* bytes from one to the next */
    i64 length;
} Fingerprints;

static inline Fingerprints fingerprints_of(const Arg *a) { return (Fingerprints){a->data, a->stride, a->length}; }

static inline u64 first_half(Fingerprints fingerprints, i64 i) {
    return read64(fingerprints.data + i * fingerprints.stride);
}

static inline u64 second_half(Fingerprints fingerprints, i64 i) {
    return read64(fingerprints.data + i * fingerprints.stride + 8);
}

/* Columns indexed by doc. */
typedef struct {
    const i32 *hours;  /* hours since 1970, of the document's time */
    const i32 *counts; /* |A|; negative: not counted yet */
    const u8 *alive;   /* 1 = can be found */
    const u64 *halves; /* first halves of `fingerprints`, side by side: most of them differ already in these */
    Fingerprints fingerprints;
    i32 *first_of; /* the doc that stands in the posting lists for all of the same text */
    i32 *next_of;  /* the next doc of that text, -1 after the last: a chain that begins with the one posted */
    i64 length;    /* docs */
} Documents;

#define DOCUMENTS                                                                        \
    "documents.hours i4, documents.counts i4, documents.alive u1, documents.halves u8, " \
    "documents.fingerprints u8/, documents.first_of i4!, documents.next_of i4!"

static inline Documents documents_of(const Arg **rest) {
    const Arg *a = take(rest, 7);
    return (Documents){
        a[0].data, a[1].data, a[2].data, a[3].data, fingerprints_of(a + 4), a[5].data, a[6].data, a[0].length,
    };
}

/* A batch to search, one value a document, and the threshold t = numerator / denominator. */
typedef struct {
    const i64 *docs;   /* the doc to add it as after its search, -1 to search only */
    const i64 *counts; /* |A|; negative: not counted yet */
    const i64 *low_hours, *high_hours;
    i64 numerator, denominator;
    Fingerprints fingerprints; /* none, or one a document */
    i64 largest;
    const i32 *repeated; /* posted docs, ascending: of each such text one document stands in for all */
    i64 repeated_length;
    i64 many;   /* documents of one text that are worth telling; 0: none are */
    i64 length; /* documents */
} Query;

#define QUERY                                                                                        \
    "query.docs i8, query.counts i8, query.low_hours i8, query.high_hours i8, query.numerator int, " \
    "query.denominator int, query.fingerprints u8/, query.largest int, query.repeated i4, query.many int"

static inline Query query_of(const Arg **rest) {
    const Arg *a = take(rest, 10);
    return (Query){
        .docs = a[0].data,
        .counts = a[1].data,
        .low_hours = a[2].data,
        .high_hours = a[3].data,
        .numerator = a[4].number,
        .denominator = a[5].number,
        .fingerprints = fingerprints_of(a + 6),
        .largest = a[7].number,
        .repeated = a[8].data,
        .repeated_length = a[8].length,
        .many = a[9].number,
        .length = a[0].length,
    };
}

#endif
