/* The bitmaps of short texts, stored by bit: for each bit a bitset of docs. src/neardup/kernels/bitmap_columns.py
 *
 * Any two log lines of one template have more keys in common than a search asks for, but few are copies. To compare
 * their bitmaps one after another (bitmap_filter.h) costs some nanoseconds a pair; here the bits that a document has in
 * common with 512 of them are counted at once (bit_planes.h), as signature files are read by bit slices (Faloutsos &
 * Christodoulakis 1984).
 *
 * The bitmap of a text of level 0 is of its whole set: a doc at the threshold t lacks at most |A| - ceil(t |A|) of A's
 * keys, so no more of A's bits. Docs that are left out here would be left out by bitmap_filter.h as well.
 */
#ifndef NEARDUP_BITMAP_COLUMNS_H
#define NEARDUP_BITMAP_COLUMNS_H

#include "bitmap_filter.h"
#include "bitset_cache.h"
#include "core.h"

enum {
    OTHERS_ROW = HELD_BITS, /* behind the rows of the bits: docs of another level, or without a bitmap */
    NOBODY_ROW,
    TRIED = 32, /* docs by which copies are told from what only shares a template */
};

typedef struct {
    u64 *bits;
    i64 words; /* a row; 0: there are none */
    const u8 *levels;
    const u64 *bitmaps; /* of a batch: at three levels each */
} BitmapColumns;

#define BITMAP_COLUMNS "columns.bits u8, columns.levels u1, columns.bitmaps u8"

static inline BitmapColumns bitmap_columns_of(const Arg **rest) {
    const Arg *a = take(rest, 3);
    return (BitmapColumns){a[0].data, a[0].width, a[1].data, a[2].data};
}

/* The bits that the bitmap of one text has, and how many of them a doc must have to be alike. */
typedef struct {
    i64 rows[HELD_BITS + AT_ONCE];
    i64 size;
    i64 least; /* 0: every doc may be alike */
} OwnBits;

/* Sets the bits of document i of a batch, which has `count` q-grams. */
static inline void set_own_bits(const BitmapColumns *columns, i64 i, i64 count, i64 numerator, i64 denominator,
                                OwnBits *own) {
    own->size = own->least = 0;
    if (columns->words == 0 || columns->levels[i] != 0 || count < 0) return;
    const u64 *bitmap = columns->bitmaps + (BITMAP_LEVELS * i + 1) * BITMAP_WORDS;
    for (i64 word = 0; word < HELD_WORDS; word++)
        for (u64 rest = bitmap[word] | bitmap[word + HELD_WORDS]; rest; rest &= rest - 1)
            own->rows[own->size++] = 64 * word + low_zeros(rest);
    own->least = max_i64(own->size - (count - required_overlap(count, numerator, denominator)), 0);
}

static inline bool is_alike(const BitmapColumns *columns, const OwnBits *own, i64 doc) {
    i64 common = 0;
    for (i64 k = 0; k < own->size; k++) common += bit_of(columns->bits + own->rows[k] * columns->words, doc);
    return common >= own->least || bit_of(columns->bits + OTHERS_ROW * columns->words, doc);
}

/* Whether half or more of the docs whose bits are 1 in `reached[:words]` are alike, judged by some of them. */
static inline bool are_mostly_alike(const BitmapColumns *columns, const OwnBits *own, const u64 *reached, i64 words) {
    i64 tried = 0, alike = 0;
    const i64 step = max_i64(words / TRIED, 1);
    for (i64 word = 0; word < words; word += step) {
        if (!reached[word]) continue;
        tried++;
        alike += is_alike(columns, own, 64 * word + low_zeros(reached[word]));
    }
    return 2 * alike >= tried;
}

/* Sets `alike[:words]` to the docs that the bitmaps do not rule out; to all docs if most of those `reached` are alike.
 */
static inline void set_alike(const BitmapColumns *columns, OwnBits *own, const u64 *reached, i64 words, u64 *alike) {
    if (own->least == 0 || are_mostly_alike(columns, own, reached, words)) {
        memset(alike, 0xFF, (size_t)words * sizeof *alike);
        return;
    }
    const BitsetCache bitsets = {.bits = columns->bits, .stride = columns->words, .most = NOBODY_ROW};
    count_bitsets(&bitsets, own->rows, own->size, own->least, words, NULL, alike);
    const u64 *others = columns->bits + OTHERS_ROW * columns->words;
    for (i64 word = 0; word < words; word++) alike[word] |= others[word];
}

KERNEL(fill_columns, "levels u1, bitmaps u8, first int, last int, bits u8!") {
    const u8 *levels = a[0].data;
    const u64 *bitmaps = a[1].data;
    u64 *bits = a[4].data;
    const i64 words = a[4].width;
    for (i64 doc = a[2].number; doc < a[3].number; doc++) {
        if (levels[doc] != 0) {
            set_bit(bits + OTHERS_ROW * words, doc);
            continue;
        }
        for (i64 word = 0; word < HELD_WORDS; word++)
            for (u64 rest = bitmaps[HELD_WORDS * doc + word]; rest; rest &= rest - 1)
                set_bit(bits + (64 * word + low_zeros(rest)) * words, doc);
    }
    return 0;
}

#endif
