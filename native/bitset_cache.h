/* Bitsets of the longest posting lists, so that a search need not read its two longest.
 * src/neardup/kernels/bitset_cache.py
 *
 * Half of all postings that a sketch would read lie in its two longest lists (a third in the longest). A document in at
 * least m lists is in at least m - 2 of the others: those are counted, and for the few documents that reach m - 2, two
 * bits tell the rest. The same documents are found; only the order of work differs (as in DivideSkip, Li, Lu & Lu 2008,
 * with bitsets for binary searches).
 *
 * A bitset is filled when it is first needed, and brought up to date with its list, which only ever grows, when it is
 * needed again.
 *
 * In a crowd of copies most lists of a sketch are as long as the crowd. Then all of them are counted at once
 * (bit_planes.h).
 */
#ifndef NEARDUP_BITSET_CACHE_H
#define NEARDUP_BITSET_CACHE_H

#include "bit_planes.h"
#include "core.h"
#include "packed_lists.h"
#include "posting_lists.h"

enum {
    LONG_LIST = 1024,      /* a list is long from so many documents */
    LONG_SHARE = 64,       /* and a 64th of all on: shorter ones are read faster than looked up */
    LOOKED_UP_SHARE = 512, /* one of the two longest is worth a bitset from a 512th of all on: reading it costs more */
    MANY_BITS = 12,        /* bits of a word from which on it is faster to look at all 64 */
};

/* Bitsets by key, at most as many as `filled` is long. */
typedef struct {
    u64 *keys;
    i64 *rows;   /* open addressing: row + 1 of the bitset of a key; 0 = free */
    i64 slots;   /* of both, a power of two */
    i64 *filled; /* by row: postings of the list that are in its bitset */
    i64 most;    /* rows; one more, the last, has no doc */
    u64 *bits;   /* by row: one bit a doc, that of doc d in word d / 64 */
    i64 stride;  /* words a row */
    i64 *used;   /* its one value is the number of rows in use */
} BitsetCache;

#define BITSET_CACHE "bitsets.keys u8!, bitsets.rows i8!, bitsets.filled i8!, bitsets.bits u8!, bitsets.used i8!"

static inline BitsetCache bitset_cache_of(const Arg **rest) {
    const Arg *a = take(rest, 5);
    return (BitsetCache){a[0].data, a[1].data, a[0].length, a[2].data, a[2].length, a[3].data, a[3].width, a[4].data};
}

/* The length from which on a posting list is long, with this number of documents. */
static inline i64 long_from(i64 documents) { return max_i64(LONG_LIST, documents / LONG_SHARE); }

/* Length from which on a posting list is looked up in a bitset, if it is one of the two longest. */
static inline i64 looked_up_from(i64 documents) { return max_i64(LONG_LIST, documents / LOOKED_UP_SHARE); }

static inline void set_bit(u64 *bits, i64 doc) { bits[doc >> 6] |= 1ULL << (doc & 63); }

static inline i64 bit_of(const u64 *bits, i64 doc) { return (i64)(bits[doc >> 6] >> (doc & 63) & 1); }

/* The bitset `row`. */
static inline u64 *bitset_at(const BitsetCache *bitsets, i64 row) { return bitsets->bits + row * bitsets->stride; }

/* The row of the bitset of `key`, brought up to date with its list, which is list j of `located`; -1 if there is no
 * room for another.
 *
 * A list keeps the order of its docs when it is packed, so that the part filled before stays valid.
 */
static inline i64 bitset_row(const BitsetCache *bitsets, u64 key, const Located *located, i64 j) {
    i64 slot = first_slot_of(bitsets->slots, key);
    while (bitsets->rows[slot] != 0 && bitsets->keys[slot] != key) slot = (slot + 1) & (bitsets->slots - 1);
    if (bitsets->rows[slot] == 0) {
        if (bitsets->used[0] == bitsets->most) return -1;
        bitsets->keys[slot] = key;
        bitsets->rows[slot] = ++bitsets->used[0];
    }
    const i64 row = bitsets->rows[slot] - 1, filled = bitsets->filled[row];
    u64 *bits = bitset_at(bitsets, row);
    const u32 *packed = packed_part(located, j);
    const i64 size = located->sizes[j], mask = doc_mask(located->packed);
    for (i64 p = filled; p < size; p++) set_bit(bits, packed[p] & mask);
    const PostingList list = table_part(located, j);
    for (i64 p = list.start + max_i64(filled - size, 0); p < list.start + list.length; p++)
        set_bit(bits, list.is_inline ? list.start : (i64)located->lists->pool[p]);
    bitsets->filled[row] = size + list.length;
    return row;
}

/* Finds the docs that are in at least `minimum` of the bitsets `rows[:size]`, and in how many every doc is.
 *
 * rows      with room for AT_ONCE more, which are filled
 * planes    digits of `size` and of `minimum` x words: bit d of the words `planes[p]` becomes digit p of the number of
 *           bitsets that doc d is in; NULL: this is not wanted
 * reached   words: bit d becomes 1 if that number is `minimum` or more
 */
static inline void count_bitsets(const BitsetCache *bitsets, i64 *rows, i64 size, i64 minimum, i64 words, u64 *planes,
                                 u64 *reached) {
    const i64 digits = max_i64(digits_of(size), digits_of(minimum));
    const i64 end = (size + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
    for (i64 j = size; j < end; j++) rows[j] = bitsets->most;
    u64 sums[PLANES_SIZE];
    for (i64 begin = 0; begin < words; begin += PLANE_WORDS) {
        add_rows(bitsets->bits, begin, bitsets->stride, rows, 0, end, sums);
        for (i64 w = begin; w < min_i64(begin + PLANE_WORDS, words); w++) {
            u64 above = 0, level = ~0ULL;
            for (i64 p = digits - 1; p >= 0; p--) {
                const u64 digit = sums[PLANE_WORDS * p + w - begin];
                if (planes) planes[p * words + w] = digit;
                if (minimum >> p & 1) {
                    level &= digit;
                } else {
                    above |= level & digit;
                    level &= ~digit;
                }
            }
            reached[w] = above | level;
        }
    }
}

/* The count of `doc` whose binary digits are `planes[:digits]`, of `words` words each. */
static inline i64 counted_bits(const u64 *planes, i64 digits, i64 words, i64 doc) {
    i64 count = 0;
    for (i64 p = 0; p < digits; p++) count += bit_of(planes + p * words, doc) << p;
    return count;
}

/* Writes the places of the bits of `bits[:words]` that are 1 to `out[at:]`, ascending; returns the next position.
 *
 * If many bits of a word are 1, a place is written for every bit, and counted only if the bit is 1: a search for the
 * next one costs several times as much. `out` has room for 64 more.
 */
static inline i64 write_members(i64 words, const u64 *bits, i32 *out, i64 at) {
    for (i64 w = 0; w < words; w++) {
        u64 rest = bits[w];
        const i32 first = (i32)(64 * w);
        if (ones(rest) >= MANY_BITS) {
            for (int bit = 0; bit < 64; bit++) {
                out[at] = first + bit;
                at += (i64)(rest >> bit & 1);
            }
            continue;
        }
        for (; rest; rest &= rest - 1) out[at++] = first + (i32)low_zeros(rest);
    }
    return at;
}

#endif
