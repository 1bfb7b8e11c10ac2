/* Normal form to the keys of its windows, the set of them and its rarest-first prefix.
 *
 * A set is built by open addressing, not by sorting: on 4 KB of English the 3,200 windows cost half of a sort, and the
 * same table then answers "is this key in A?" when a candidate is verified (overlap.h).
 */
#ifndef NEARDUP_QGRAMS_H
#define NEARDUP_QGRAMS_H

#include "core.h"
#include "hashing.h"
#include "scratch.h"
#include "slots.h"
#include "text.h"
#include "vectors.h"

enum { QGRAM_SLOT_BITS = 22, KEY_SLOT_SHIFT = 64 - QGRAM_SLOT_BITS }; /* a key's slot in a lexicon: its top bits */

/* Power of two giving a load of at most a quarter for `entries` keys: a collision costs a mispredicted branch. */
static inline i64 table_size(i64 entries) {
    i64 size = 64;
    while (size < 4 * entries) size *= 2;
    return size;
}

/* Slot of `key` in an open-addressing `table` of `mask` + 1 slots, or the free one where it would go.
 *
 * 0 marks a free slot, so key 0 is in no table.
 */
static inline i64 slot_of(const u64 *table, i64 mask, u64 key) {
    i64 slot = (i64)key & mask, tried = 0;
    while (true) {
        const u64 held = table[slot];
        bool is_other = (held != 0) & (held != key);
        __asm__("" : "+r"(is_other)); /* gcc would branch twice, and one would be mispredicted at every third window */
        if (LIKELY(!is_other)) return slot;
        slot = slot_after(slot, mask, key, &tried);
    }
}

/* Puts `key` into a table with open addressing; returns 1 if it is new, else 0. Key 0 changes nothing, and returns 1.
 *
 * Written whether new or not: a branch here would be mispredicted at every third window.
 */
static inline i64 insert(u64 *table, i64 mask, u64 key) {
    const i64 slot = slot_of(table, mask, key);
    const i64 is_new = table[slot] == 0;
    table[slot] = key;
    return is_new;
}

/* Key of the q-gram `points[at:at + q]`; if that does not fit into 64 bits, it is made from its little-endian bytes. */
static inline u64 gram_key(const u32 *points, i64 at, i64 q) {
    bool packable = q <= 4;
    u64 value = 0;
    if (packable) {
        for (i64 i = at; i < at + q; i++) {
            packable &= points[i] < 0x10000;
            value = value << 16 | points[i];
        }
    }
    return packable ? splitmix64(value) : xxh64((const u8 *)(points + at), (const u8 *)(points + at + q), 0);
}

/* Key of the 4-gram of ASCII at `text`, as `gram_key` has it. */
static inline u64 ascii_key(const u8 *text) {
    return splitmix64((u64)text[0] << 48 | (u64)text[1] << 32 | (u64)text[2] << 16 | text[3]);
}

/* Writes the keys of the first of `windows` windows of ASCII, a vector at a time; returns how many. */
static inline i64 vectors_of_ascii_keys(const u8 *text, i64 windows, u64 *restrict out) {
    i64 i = 0;
#if HAS_VECTORS
    const Factor first = factor_of(0xBF58476D1CE4E5B9ULL), second = factor_of(0x94D049BB133111EBULL);
    for (; i + 13 <= windows; i += LANES) { /* 16 bytes are read */
        Vector z = four_letters(text + i);
        z = total_of(product_of(z ^ z >> 30, first));
        z = total_of(product_of(z ^ z >> 27, second));
        put_vector(out + i, z ^ z >> 31);
    }
#else
    (void)text, (void)windows, (void)out;
#endif
    return i;
}

/* Writes the key of every window of the normal form `text[start:end]` (UTF-8) to `out`; their number.
 *
 * Repeated ones too, in text order. The loops of the usual case (q = 4, nothing above U+FFFF) have no branch and carry
 * nothing from one window to the next: they are vectorised, a rolling key is not.
 */
static inline i64 window_keys(const u8 *text, i64 start, i64 end, i64 q, const Scratch *scratch, u64 *restrict out) {
    if (q == 4 && is_ascii(text, start, end)) {
        const u8 *restrict begin = text + start;
        const i64 windows = end - start - 3;
        for (i64 i = vectors_of_ascii_keys(begin, windows, out); i < windows; i++) out[i] = ascii_key(begin + i);
        return max_i64(windows, 0);
    }
    u32 *restrict points = scratch->kept;
    bool astral;
    const i64 n = decode(text, start, end, points, &astral);
    if (q == 4 && !astral) {
        for (i64 i = 0; i < n - 3; i++)
            out[i] =
                splitmix64((u64)points[i] << 48 | (u64)points[i + 1] << 32 | (u64)points[i + 2] << 16 | points[i + 3]);
    } else {
        for (i64 i = 0; i < n - q + 1; i++) out[i] = gram_key(points, i, q);
    }
    return max_i64(n - q + 1, 0);
}

/* Writes the different ones of `keys[:n]` to `out[at:]`; returns the next position. `zero`: key 0 is among them. */
static inline i64 compacted(const u64 *keys, i64 n, u64 *table, i64 mask, u64 *out, i64 at, bool *zero) {
    memset(table, 0, (size_t)(mask + 1) * sizeof *table);
    *zero = false;
    for (i64 i = 0; i < n; i++) {
        const u64 key = keys[i];
        if (UNLIKELY(key == 0)) { /* 0 marks a free slot, so no slot can hold this one key */
            if (!*zero) out[at++] = key;
            *zero = true;
            continue;
        }
        out[at] = key;
        at += insert(table, mask, key);
    }
    return at;
}

/* Writes the distinct keys of the normal form `text[start:end]` to `out`; returns how many.
 *
 * In order of first occurrence. `out` must have room for every window: keys are written where they will be read, and
 * compacted in place. Leaves the set itself in `scratch->table`, an open-addressing table of `mask` + 1 slots, for
 * `shared_keys`; `zero`: key 0, which no slot can hold, is in the set. Linear.
 */
static inline i64 key_set(const u8 *text, i64 start, i64 end, i64 q, const Scratch *scratch, u64 *out, i64 *mask,
                          bool *zero) {
    const i64 windows = window_keys(text, start, end, q, scratch, out);
    *mask = table_size(windows) - 1;
    return compacted(out, windows, scratch->table, *mask, out, 0, zero);
}

/* Writes the different ones among `keys[:n]` to `out[at:]`, with room for all, where these may lie themselves; returns
 * the next position. Leaves the set in `table`, as `key_set` does. Linear.
 */
static inline i64 write_distinct(const u64 *keys, i64 n, u64 *table, u64 *out, i64 at) {
    bool zero;
    return compacted(keys, n, table, table_size(n) - 1, out, at, &zero);
}

/* How many different keys there are among `keys[:n]`. Leaves the set in `table`, as `key_set` does. Linear. */
static inline i64 distinct(const u64 *keys, i64 n, u64 *table) {
    const i64 mask = table_size(n) - 1;
    memset(table, 0, (size_t)(mask + 1) * sizeof *table);
    i64 count = 0;
    bool zero = false;
    for (i64 i = 0; i < n; i++) {
        const u64 key = keys[i];
        zero |= key == 0;
        count += insert(table, mask, key) * (key != 0);
    }
    return count + zero;
}

static inline void swap_keys(u64 *a, u64 *b) {
    const u64 held = *a;
    *a = *b;
    *b = held;
}

/* Puts the `length` smallest of `keys[:n]`, which are all different, at their beginning, in any order. Linear: byte by
 * byte, the keys say in which of 256 parts the border lies.
 */
static inline void select_smallest(u64 *keys, i64 n, i64 length) {
    for (int shift = 56; length > 0 && length < n; shift -= 8) {
        i64 counts[256] = {0};
        for (i64 i = 0; i < n; i++) counts[keys[i] >> shift & 0xFF]++;
        u64 cut = 0;
        i64 below = 0;
        while (below + counts[cut] < length) below += counts[cut++];
        i64 at = 0;
        for (i64 i = 0; i < n; i++)
            if ((keys[i] >> shift & 0xFF) < cut) swap_keys(keys + at++, keys + i);
        i64 border = at;
        for (i64 i = at; i < n; i++)
            if ((keys[i] >> shift & 0xFF) == cut) swap_keys(keys + border++, keys + i);
        keys += at;
        n = border - at;
        length -= at;
    }
}

/* Writes the `length` rarest of `keys[start:end]` to `out[out_at:]`, which has room for all; returns the next position.
 *
 * Rarest first: unknown, then by frequency class, ties by key: a total order, which the prefix argument needs
 * (Chaudhuri, Ganti & Kaushik 2006; Bayardo, Ma & Srikant 2007). In any order inside the prefix. Linear.
 */
static inline i64 prefix(const u64 *keys, i64 start, i64 end, const u8 *classes, i64 length, u64 *out, i64 out_at) {
    if (length >= end - start) {
        memcpy(out + out_at, keys + start, (size_t)(end - start) * sizeof *out);
        return out_at + end - start;
    }
    i64 counts[257] = {0};
    u8 known[8192]; /* classes of so many keys, or as many as there are: the table of them is in no near cache */
    const i64 n_known = min_i64(end - start, sizeof known);
    for (i64 i = 0; i < end - start; i++) {
        const u8 bucket = (u8)(classes[keys[start + i] >> KEY_SLOT_SHIFT] + 1); /* 255 becomes 0 */
        if (i < n_known) known[i] = bucket;
        counts[bucket]++;
    }
    i64 cut = 0, below = 0;
    while (below + counts[cut] < length) below += counts[cut++];
    i64 at = out_at;
    u64 *const edge = out + out_at + below;
    i64 n = 0;
    for (i64 i = 0; i < end - start; i++) {
        const u64 key = keys[start + i];
        const i64 bucket = i < n_known ? known[i] : (u8)(classes[key >> KEY_SLOT_SHIFT] + 1);
        if (bucket < cut)
            out[at++] = key;
        else if (bucket == cut)
            edge[n++] = key;
    }
    select_smallest(edge, n, length - below);
    return out_at + length;
}

KERNEL(window_keys, "text u1, start int, end int, q int, " SCRATCH ", out u8!") {
    const Arg *rest = a + 4;
    const Scratch scratch = scratch_of(&rest);
    return window_keys(a[0].data, a[1].number, a[2].number, a[3].number, &scratch, rest[0].data);
}

#endif
