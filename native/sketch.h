/* Sketches: from the keys of a text's windows to the few keys that it is posted by.
 *
 * docs/definitions.md, Sketch, says which; `neardup.oracle.definitions.sketch` is the slow counterpart. No set of
 * q-grams is made of a text that surely has more of them than every limit: its windows are read as they come.
 */
#ifndef NEARDUP_SKETCH_H
#define NEARDUP_SKETCH_H

#include "core.h"
#include "qgrams.h"
#include "scratch.h"
#include "vectors.h"

enum {
    UNCOUNTED = -1,     /* |A| of a text whose set was not made: it is larger than every limit of a sketch */
    GUESS_FROM = 3,     /* fewer grams than so many times the sketch's size are all looked at: a guess leaves out few */
    MOST_RANKED = 192,  /* so many values are sorted by counting for each the smaller ones: no branch depends on them */
    LETTERS_SEEN = 256, /* letters that the size of an alphabet is estimated from */
    SEEN_FLAGS = 4096,
    SEEN_BLOCK = 256, /* keys after which the flags are counted */
};

/* The numbers of a recipe that a sketch depends on: `SketchRules` in src/neardup/kernels/sketch.py. */
typedef struct {
    i64 size;
    i64 whole;
    i64 also_whole;
    i64 wide_above;
    i64 also_middle;
    i64 middle;
    i64 wide_second;
    i64 wide_third;
    const u64 *multipliers;
} SketchRules;

#define SKETCH_RULES                                                                                       \
    "rules.size int, rules.whole int, rules.also_whole int, rules.wide_above int, rules.also_middle int, " \
    "rules.middle int, rules.wide_second int, rules.wide_third int, rules.multipliers u8"

static inline SketchRules sketch_rules_of(const Arg **rest) {
    const Arg *a = take(rest, 9);
    return (SketchRules){a[0].number, a[1].number, a[2].number, a[3].number, a[4].number,
                         a[5].number, a[6].number, a[7].number, a[8].data};
}

/* Vectors of what the processor has: gcc works larger ones through memory. */
#if defined(__AVX512BW__)
enum { SKETCH_VECTOR = 64 };
#elif defined(__AVX2__)
enum { SKETCH_VECTOR = 32 };
#else
enum { SKETCH_VECTOR = 16 };
#endif
enum { SKETCH_LANES = SKETCH_VECTOR / 8 };
typedef u8 SketchFlags __attribute__((vector_size(SKETCH_VECTOR)));
typedef i64 SketchValues __attribute__((vector_size(SKETCH_VECTOR)));

/* How many of SEEN_FLAGS flags are 1; the others are 0. */
static inline i64 flags_set(const u8 *flags) {
    i64 count = 0;
    for (i64 part = 0; part < SEEN_FLAGS; part += 128 * SKETCH_VECTOR) { /* a byte can count no more */
        SketchFlags sums = {0};
        const i64 end = min_i64(part + 128 * SKETCH_VECTOR, SEEN_FLAGS);
        for (i64 i = part; i < end; i += SKETCH_VECTOR) sums += *(const SketchFlags *)(flags + i);
        for (int i = 0; i < SKETCH_VECTOR; i++) count += sums[i];
    }
    return count;
}

/* Whether more than `limit` of `keys[:windows]` are certainly different: by 4,096 flags, of which each key sets one.
 *
 * Stops as soon as it knows; reads everything where keys repeat so often that it cannot tell. A flag is a byte: bits
 * would have to be read before they are set.
 */
static inline bool surely_more(const u64 *keys, i64 windows, i64 limit) {
    u8 seen[SEEN_FLAGS] __attribute__((aligned(64)));
    memset(seen, 0, SEEN_FLAGS);
    for (i64 block = 0; block < windows; block += SEEN_BLOCK) {
        const i64 end = min_i64(block + SEEN_BLOCK, windows);
        for (i64 i = block; i < end; i += READ_FIRST) {
            u32 few[READ_FIRST];
            for (int j = 0; j < READ_FIRST; j++) few[j] = keys[min_i64(i + j, end - 1)] >> 20 & (SEEN_FLAGS - 1);
            for (int j = 0; j < READ_FIRST; j++) seen[few[j]] = 1;
        }
        if (end <= limit) continue;
        if (flags_set(seen) > limit) return true;
    }
    return false;
}

/* How many different keys there are, or UNCOUNTED if they are surely more than `limit`. */
static inline i64 count_unless_larger(const u64 *keys, i64 windows, i64 limit, u64 *table) {
    if (windows > limit && surely_more(keys, windows, limit)) return UNCOUNTED;
    return distinct(keys, windows, table);
}

/* The grams of a part of a sketch: up to three keys of windows, each times a multiplier. */
typedef struct {
    i64 second, third; /* how far behind the first the others stand */
    u64 multipliers[3];
} SketchGram;

/* `count`, here and below: how many keys a gram has. It is a constant at every call, so that loops are compiled for
 * each.
 */
ALWAYS u64 sketch_hash(const u64 *key, const SketchGram *gram, int count) {
    u64 hash = key[0] * gram->multipliers[0];
    if (count > 1) hash += key[gram->second] * gram->multipliers[1];
    if (count > 2) hash += key[gram->third] * gram->multipliers[2];
    return hash;
}

/* Writes the hashes of `n` grams that are at most `bound` to `out`, which has room for all; returns how many. */
ALWAYS i64 take_below(const u64 *keys, i64 n, const SketchGram *gram, int count, u64 bound, u64 *restrict out) {
    i64 taken = 0, i = 0;
#if HAS_VECTORS
    const Factor a = factor_of(gram->multipliers[0]), b = factor_of(gram->multipliers[1]),
                 c = factor_of(gram->multipliers[2]);
    const Vector most = every_lane(bound);
    for (; i + LANES <= n; i += LANES) {
        Sum hash = product_of(vector_at(keys + i), a);
        if (count > 1) hash = sum_with(hash, vector_at(keys + i + gram->second), b);
        if (count > 2) hash = sum_with(hash, vector_at(keys + i + gram->third), c);
        taken += put_taken(out + taken, at_most(total_of(hash), most), total_of(hash));
    }
#endif
    for (; i < n; i++) {
        const u64 hash = sketch_hash(keys + i, gram, count);
        out[taken] = hash;
        taken += hash <= bound;
    }
    return taken;
}

/* Puts the smallest of `hashes[:n]` among `out[:kept]`, ascending, each once, `size` at most; returns how many. */
static inline i64 insert_smallest(const u64 *hashes, i64 n, i64 size, u64 *out, i64 kept) {
    for (i64 i = 0; i < n; i++) {
        const u64 value = hashes[i];
        if (kept == size && value >= out[kept - 1]) continue;
        i64 at = kept;
        while (at > 0 && out[at - 1] > value) at--;
        if (at > 0 && out[at - 1] == value) continue;
        for (i64 j = kept < size ? kept : size - 1; j > at; j--) out[j] = out[j - 1];
        out[at] = value;
        kept = min_i64(kept + 1, size);
    }
    return kept;
}

/* Writes the smallest of `hashes[:n]`, at most MOST_RANKED, to `out`, as `insert_smallest` does; returns how many.
 *
 * A value's place is the number of smaller ones. Equal values share a place, and leave the places behind it at 0.
 */
static inline i64 rank_smallest(const u64 *hashes, i64 n, i64 size, u64 *out) {
    i64 values[MOST_RANKED] __attribute__((aligned(64))), places[MOST_RANKED] __attribute__((aligned(64)));
    u64 sorted[MOST_RANKED];
    /* Processors of level 3 compare signed numbers only. */
    for (i64 i = 0; i < n; i++) values[i] = (i64)(hashes[i] ^ 1ULL << 63);
    memset(values + n, 0, (size_t)(-n & (2 * SKETCH_LANES - 1)) * sizeof *values);
    for (i64 i = 0; i < n; i += 2 * SKETCH_LANES) {
        const SketchValues *own = (const SketchValues *)(values + i);
        SketchValues smaller[2] = {0};
        for (i64 j = 0; j < n; j++) {
            const SketchValues other = values[j] - (SketchValues){0}; /* in every lane */
            smaller[0] -= other < own[0];
            smaller[1] -= other < own[1];
        }
        memcpy(places + i, smaller, sizeof smaller);
    }
    memset(sorted, 0, (size_t)n * sizeof *sorted);
    for (i64 i = 0; i < n; i++) sorted[places[i]] = hashes[i];
    i64 kept = 0;
    for (i64 i = 0; i < n && kept < size; i++) {
        out[kept] = sorted[i];
        kept += sorted[i] != 0 || i == 0;
    }
    return kept;
}

/* Writes the `size` smallest different hashes of `n` grams to `out`, ascending; returns how many there are.
 *
 * A bound is guessed below which about twice as many lie; those are taken out without a branch, and sorted. If they are
 * too few, everything is looked at: the guess affects only the speed, never the result.
 */
ALWAYS i64 smallest(const u64 *keys, i64 n, const SketchGram *gram, int count, i64 size, const Scratch *scratch,
                    u64 *out) {
    if (n > GUESS_FROM * size) {
        const u64 bound = UINT64_MAX / (u64)n * (u64)(2 * size);
        const i64 taken = take_below(keys, n, gram, count, bound, scratch->chosen);
        const i64 kept = taken <= MOST_RANKED ? rank_smallest(scratch->chosen, taken, size, out)
                                              : insert_smallest(scratch->chosen, taken, size, out, 0);
        if (kept == size) return kept;
    }
    for (i64 i = 0; i < n; i++) scratch->grams[i] = sketch_hash(keys + i, gram, count);
    return insert_smallest(scratch->grams, n, size, out, 0);
}

/* Writes the `size` smallest of the keys `keys[:n]` times the first multiplier to `out`; returns how many there are. */
static inline i64 whole_part(const u64 *keys, i64 n, const SketchRules *rules, i64 size, const Scratch *scratch,
                             u64 *out) {
    const SketchGram gram = {.multipliers = {rules->multipliers[0]}};
    return smallest(keys, n, &gram, 1, size, scratch, out);
}

static inline i64 middle_part(const u64 *keys, i64 windows, const SketchRules *rules, const Scratch *scratch,
                              u64 *out) {
    const SketchGram gram = {.second = rules->middle, .multipliers = {rules->multipliers[1], rules->multipliers[2]}};
    return smallest(keys, max_i64(windows - rules->middle, 0), &gram, 2, rules->size, scratch, out);
}

static inline i64 wide_part(const u64 *keys, i64 windows, const SketchRules *rules, const Scratch *scratch, u64 *out) {
    const u64 *multipliers = rules->multipliers;
    const SketchGram gram = {rules->wide_second, rules->wide_third, {multipliers[3], multipliers[4], multipliers[5]}};
    const i64 n = max_i64(windows - max_i64(gram.second, gram.third), 0);
    return gram.third ? smallest(keys, n, &gram, 3, rules->size, scratch, out)
                      : smallest(keys, n, &gram, 2, rules->size, scratch, out);
}

/* About how many q-grams an alphabet allows if two of the `size` letters looked at are equal in `pairs` ordered pairs;
 * infinite if all differ.
 */
static inline double qgrams_of_alphabet(i64 size, i64 pairs, i64 q) {
    if (pairs == 0) return INFINITY;
    const double alphabet = (double)(size * (size - 1)) / (double)pairs;
    double possible = 1.0;
    for (i64 i = 0; i < q; i++) possible *= alphabet;
    return possible;
}

/* About how many q-grams an alphabet allows in which two letters are as often the same as in the `n` bytes of ASCII
 * at `letters`, of which at most 256 are looked at; infinite if all differ.
 */
static inline double possible_qgrams_of_ascii(const u8 *letters, i64 n, i64 q) {
    int16_t counts[256] = {0};
    const i64 step = (n + LETTERS_SEEN - 1) / LETTERS_SEEN;
    i64 size = 0;
    for (i64 i = 0; i < n; i += step, size++) counts[letters[i]]++;
    i32 squares = 0;
    for (int i = 0; i < 256; i++) squares += counts[i] * counts[i];
    return qgrams_of_alphabet(size, squares - size, q);
}

/* `possible_qgrams_of_ascii` for the `n` code points at `letters`. */
static inline double possible_qgrams(const u32 *letters, i64 n, i64 q) {
    enum { SLOTS = 2 * LETTERS_SEEN };
    u32 seen[SLOTS] = {0};
    int16_t counts[SLOTS] = {0};
    const i64 step = (n + LETTERS_SEEN - 1) / LETTERS_SEEN;
    i64 size = 0, pairs = 0;
    for (i64 i = 0; i < n; i += step, size++) {
        u32 slot = letters[i] & (SLOTS - 1);
        while (counts[slot] != 0 && seen[slot] != letters[i]) slot = (slot + 1) & (SLOTS - 1);
        seen[slot] = letters[i];
        pairs += 2 * counts[slot]++; /* (c + 1) * c - c * (c - 1) */
    }
    return qgrams_of_alphabet(size, pairs, q);
}

/* Writes the sketch of a text to `out`; returns its length, and |A| or UNCOUNTED.
 *
 * keys, windows   the key of every window of the normal form, in text order
 * possible        `possible_qgrams` of its letters
 * scratch         for the text; all but `keys` is overwritten
 * out             with room for 3 * M keys, and for `also_whole` + M
 *
 * Linear in the text.
 */
static inline i64 fill_sketch(const u64 *keys, i64 windows, double possible, const SketchRules *rules,
                              const Scratch *scratch, u64 *out, i64 *counted) {
    i64 count = count_unless_larger(keys, windows, rules->also_middle, scratch->table);
    *counted = count;
    if (count == 0) return 0;
    bool is_narrow = (double)(4 * windows) >= possible;
    if (is_narrow) {
        if (count == UNCOUNTED) *counted = count = distinct(keys, windows, scratch->table);
        is_narrow = (double)(4 * count) >= possible;
    }
    i64 at = 0;
    if (0 < count && count <= rules->also_whole)
        at += whole_part(keys, windows, rules, rules->also_whole, scratch, out);
    if (rules->whole < count && count <= rules->also_middle) at += middle_part(keys, windows, rules, scratch, out + at);
    if (count > rules->wide_above || count == UNCOUNTED) at += wide_part(keys, windows, rules, scratch, out + at);
    if (is_narrow && count > rules->also_whole) at += whole_part(keys, windows, rules, rules->size, scratch, out + at);
    return at;
}

#endif
