/* Exact |A ∩ B| of two ASCII texts that are alike, inside kernels, along the runs that they have in common; q = 4.
 *
 * |A ∩ B| is |B| minus the number of distinct q-grams of B that are not in A. From a common q-gram on, as long as the
 * texts continue alike, every window of B is in A: eight bytes are compared at once. Only between such runs are windows
 * looked up, in a filter of A's q-grams that fits into the first cache level, and in A's table if they pass it.
 *
 * A q-gram is its four bytes as one number; so nothing is hashed to a key, and tables have half the size.
 */
#ifndef NEARDUP_COMMON_RUNS_H
#define NEARDUP_COMMON_RUNS_H

#include "core.h"
#include "slots.h"

#define GRAM_MULTIPLIER 0x9E3779B1U
#define GRAM_IN_USE 0x80000000U /* set in every q-gram, of which no byte has it: 0 is a free slot */

enum { GRAM_HASH_BITS = 32, GRAM_FILTER_WORDS = 1024 };

/* The q-grams of A.
 *
 * table      open addressing, a power of two of slots, four for every window or more: the q-gram; 0 = free
 * positions  by slot: where it stands in A
 * passing    GRAM_FILTER_WORDS: a bit for every 16 high bits of a hash that some q-gram has
 */
typedef struct {
    u32 *table;
    i32 *positions;
    u64 *passing;
} Grams;

/* Binary digits of the slots of a table for so many q-grams. */
static inline i64 gram_bits_for(i64 windows) {
    i64 bits = 6;
    while (((i64)1 << bits) < 4 * windows) bits++;
    return bits;
}

static inline u32 gram_at(const u8 *at) { return read32(at) | GRAM_IN_USE; }

static inline u32 gram_hash(u32 gram) { return gram * GRAM_MULTIPLIER; }

/* Slot of a q-gram in the first 2^bits slots of a table, or the free one where it would go. */
static inline i64 gram_slot(const u32 *table, i64 bits, u32 gram, u32 hashed) {
    const i64 mask = ((i64)1 << bits) - 1;
    i64 slot = hashed >> (GRAM_HASH_BITS - bits), tried = 0;
    for (u32 held = table[slot]; (held != 0) & (held != gram); held = table[slot])
        slot = slot_after(slot, mask, gram, &tried);
    return slot;
}

/* Fills `grams` with A = `text[start:end]`, ASCII, and sets `slots[i]` to the slot of its window that begins at
 * `text[start + i]`. Returns |A|, and sets `bits` for what follows. Linear.
 */
static inline i64 gram_set(const u8 *text, i64 start, i64 end, const Grams *grams, i64 *bits, u32 *restrict slots) {
    u32 *restrict table = grams->table;
    i32 *restrict positions = grams->positions;
    u64 *restrict passing = grams->passing;
    const i64 digits = gram_bits_for(end - start);
    memset(table, 0, sizeof *table << digits);
    memset(passing, 0, GRAM_FILTER_WORDS * sizeof *passing);
    i64 size = 0;
    for (i64 at = start; at < end - 3; at++) {
        const u32 gram = gram_at(text + at), hashed = gram_hash(gram);
        passing[hashed >> 22] |= 1ULL << (hashed >> 16 & 63);
        const i64 slot = gram_slot(table, digits, gram, hashed);
        size += table[slot] == 0;
        table[slot] = gram;
        positions[slot] = (i32)at;
        slots[at - start] = (u32)slot;
    }
    *bits = digits;
    return size;
}

/* The slot of a q-gram that is in A; -1 for any other. */
ALWAYS i64 slot_in_set(const Grams *grams, i64 bits, u32 gram, u32 hashed) {
    if (!(grams->passing[hashed >> 22] >> (hashed >> 16 & 63) & 1)) return -1;
    const i64 slot = gram_slot(grams->table, bits, gram, hashed);
    return grams->table[slot] ? slot : -1;
}

/* Puts a q-gram among the `others`; returns 1 if it is new, else 0. */
ALWAYS i64 insert_gram(u32 *restrict others, i64 bits, u32 gram, u32 hashed) {
    const i64 slot = gram_slot(others, bits, gram, hashed);
    const i64 is_new = others[slot] == 0;
    others[slot] = gram;
    return is_new;
}

/* The end of the run from `data[at]` on in which `data[:end]` continues as `text[behind:text_end]` does. */
static inline i64 end_of_run(const u8 *text, i64 behind, i64 text_end, const u8 *data, i64 at, i64 end) {
    for (; at + 8 <= end && behind + 8 <= text_end; at += 8, behind += 8) {
        const u64 differing = read64(data + at) ^ read64(text + behind);
        if (differing) return at + (low_zeros(differing) >> 3); /* the first byte is the lowest */
    }
    while (at < end && behind < text_end && data[at] == text[behind]) {
        at++;
        behind++;
    }
    return at;
}

/* |A ∩ B|, or a number from it up to below `needed`, for A of `gram_set`, which ends at `text[text_end]`, and
 * B = `data[start:end]`, ASCII, of `size` q-grams, `needed` or more.
 *
 * `others`: a free table for what is not in A, as large as A's would be for B.
 */
static inline i64 shared_along_runs(const Grams *grams, i64 bits, const u8 *text, i64 text_end, const u8 *data,
                                    i64 start, i64 end, i64 size, i64 needed, u32 *restrict others) {
    const i64 other_bits = gram_bits_for(min_i64(size - needed + 1, size)); /* no more of them before it stops */
    memset(others, 0, sizeof *others << other_bits);
    i64 outside = 0;
    for (i64 at = start; at < end - 3; at++) {
        const u32 gram = gram_at(data + at), hashed = gram_hash(gram);
        const i64 slot = slot_in_set(grams, bits, gram, hashed);
        if (slot >= 0) {
            at = end_of_run(text, grams->positions[slot] + (i64)4, text_end, data, at + 4, end) - 4;
            continue;
        }
        outside += insert_gram(others, other_bits, gram, hashed);
        if (size - outside < needed) break;
    }
    return size - outside;
}

/* |A ∩ B|, and |B| as `size`; or a number below `needed`, and -1 as `size`: of A = `text[text_start:text_end]`, of
 * `gram_set`, and B = `data[start:end]`, ASCII.
 *
 * A window of B in a run that A also has is equal to the window of A at that place: its slot is known without a
 * look-up.
 *
 * seen     a flag a slot of A's table, and `others`, as large: working memory
 */
static inline i64 shared_and_size(const Grams *grams, i64 bits, const u8 *text, i64 text_start, i64 text_end,
                                  const u32 *restrict slots, const u8 *data, i64 start, i64 end, i64 needed,
                                  u8 *restrict seen, u32 *restrict others, i64 *size) {
    const i64 windows = max_i64(end - start - 3, 0);
    *size = -1;
    if (windows < needed) return 0;
    /* No more windows than these can lie outside A before it stops. */
    const i64 other_bits = gram_bits_for(min_i64(windows - needed + 1, windows));
    memset(seen, 0, (size_t)1 << bits);
    memset(others, 0, sizeof *others << other_bits);
    i64 shared = 0, outside = 0;
    for (i64 at = start; at < end - 3; at++) {
        const u32 gram = gram_at(data + at), hashed = gram_hash(gram);
        const i64 slot = slot_in_set(grams, bits, gram, hashed);
        if (slot >= 0) {
            const i64 position = grams->positions[slot];
            const u32 *restrict run = slots + (position - text_start);
            const i64 length = end_of_run(text, position + 4, text_end, data, at + 4, end) - 3 - at;
            for (i64 i = 0; i < length; i++) {
                shared += 1 - seen[run[i]];
                seen[run[i]] = 1;
            }
            at += length - 1;
            continue;
        }
        outside += insert_gram(others, other_bits, gram, hashed);
        if (shared + (end - 4 - at) < needed) return shared;
    }
    if (shared < needed) return shared;
    *size = shared + outside;
    return shared;
}

#endif
