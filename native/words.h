/* Words, sentence fingerprints and simhash of one text (docs/definitions.md).
 *
 * Works on the text in NFC, not on its normal form: words and sentences are what the normal form throws away. Sentence
 * fingerprints are after Yoon et al. 2012, section 2, the simhash after Fan & Huang 2011, section 3.
 */
#ifndef NEARDUP_WORDS_H
#define NEARDUP_WORDS_H

#include "core.h"
#include "hashing.h"
#include "text.h"

/* Of tables/unicode.py, beside KEEP: a word by itself, what stands between words, breaks lines, ends sentences. */
enum { WORD_ALONE = 0x02, WORD_SPACE = 0x10, WORD_BREAK = 0x20, SENTENCE_END = 0x40, END_BEFORE_SPACE = 0x80 };

enum {
    WORD_SLOT_BITS = 20,
    WORD_SLOT_SHIFT = 64 - WORD_SLOT_BITS, /* a word's slot in the lexicon's word table: the top bits of its xxh64 */
    UNKNOWN_WORD_CLASS = 255,
    MIN_SENTENCE_WORDS = 3,
    SORTED_FIRST = 16,
    SIMHASH_BLOCK = 1 << 20, /* weights of so many shingles add up to less than 2^32 */
};

#define WORDS_KEPT_BELOW 0xAAAAAAAAAAAAAAAAULL

/* The lexicon's part: frequency class of each word slot, the class from which words are common, that of N. */
typedef struct {
    const u8 *classes;
    i64 common_class;
    i64 documents_class;
} WordTables;

#define WORD_TABLES "lexicon.classes u1, lexicon.common_class int, lexicon.documents_class int"

static inline WordTables word_tables_of(const Arg **rest) {
    const Arg *a = take(rest, 3);
    return (WordTables){a[0].data, a[1].number, a[2].number};
}

/* The words of a text: word i is `text[starts[i]:ends[i]]`, lower-cased UTF-8, one space between two.
 *
 * `sentences[i]`: how many sentences end before it.
 */
typedef struct {
    u8 *text;
    i64 *starts;
    i64 *ends;
    i64 *sentences;
    i64 count;
} Words;

/* A word of a sentence: its number, and its first bytes, by which most are told apart. */
typedef struct {
    u64 head;
    i64 word;
} Headed;

/* The memory for a text of up to `points` code points. Sentences are finished before the random lexicons begin, so
 * these use the same memory.
 */
typedef struct {
    i64 points;
    void *memory;
    Words words;
    i64 *weights;
    u8 *classes;
    Words some; /* of a random lexicon */
    i64 *some_weights;
    Headed *chosen, *spare; /* words of a sentence */
    u8 *joined;
} WordMemory;

enum { HEAD_BYTES = 8 };

/* Makes room for the words of `points` code points; returns whether there is enough. Earlier contents may be lost. */
static inline bool room_for_words(WordMemory *memory, i64 points) {
    if (memory->memory != NULL && points <= memory->points) return true;
    free(memory->memory);
    memory->points = max_i64(points, 2 * memory->points); /* few texts in a batch make room once more */
    const size_t n = (size_t)memory->points;
    /* A code point makes at most one word, and at most 4 bytes of UTF-8 and a space (5: one may also double by
     * folding). A sentence's words are joined by spaces: no more. The heads of words are read beyond their ends.
     */
    const size_t text = 5 * n + HEAD_BYTES;
    i64 *numbers = memory->memory = malloc(8 * n * sizeof *numbers + 2 * text + n);
    if (numbers == NULL) return false;
    u8 *bytes = (u8 *)(numbers + 8 * n);
    memory->words = (Words){bytes, numbers, numbers + n, numbers + 2 * n, 0};
    memory->weights = numbers + 3 * n;
    memory->some = (Words){bytes + text, numbers + 4 * n, numbers + 5 * n, memory->words.sentences, 0};
    memory->some_weights = numbers + 6 * n;
    memory->chosen = (Headed *)(numbers + 4 * n);
    memory->spare = memory->chosen + n;
    memory->joined = bytes + text;
    memory->classes = bytes + 2 * text;
    return true;
}

/* Fills in the words of the NFC text `points[:n]`. */
static inline void split_words(const u32 *points, i64 n, const TextTables *tables, Words *words) {
    const u8 *classes = tables->classes;
    const u32 *lower = tables->lower;
    u8 *text = words->text;
    i64 count = 0, at = 0, sentence = 0, i = 0;
    bool inside = false;
    while (i < n) {
        const u32 point = points[i];
        const u8 flags = classes[point];
        if (flags & KEEP) {
            if (!inside || flags & WORD_ALONE) {
                if (count) text[at++] = ' ';
                words->starts[count] = at;
                words->sentences[count] = sentence;
                count++;
            }
            at = encode_one(lower[point], text, at);
            words->ends[count - 1] = at;
            inside = !(flags & WORD_ALONE);
            i++;
            continue;
        }
        inside = false;
        if (flags & SENTENCE_END) {
            sentence++;
        } else if (flags & END_BEFORE_SPACE) {
            if (i + 1 == n || classes[points[i + 1]] & WORD_SPACE) sentence++;
        } else if (flags & WORD_SPACE) {
            i64 breaks = 0;
            for (; i < n && classes[points[i]] & WORD_SPACE; i++)
                if (classes[points[i]] & WORD_BREAK) breaks += !(points[i] == '\n' && i > 0 && points[i - 1] == '\r');
            sentence += breaks >= 2;
            continue;
        }
        i++;
    }
    words->count = count;
}

/* The words of the UTF-8 text `data[start:end]`, in `memory`; returns whether there was enough. Linear; up to 75 bytes
 * of memory a code point, of which only what is needed is touched.
 *
 * `points` is scratch of 4 * (end - start) + 4 code points.
 */
static inline bool words_of(const u8 *data, i64 start, i64 end, const TextTables *tables, u32 *points,
                            WordMemory *memory) {
    const i64 n = decode_nfc(data, start, end, tables, points);
    if (!room_for_words(memory, n)) return false;
    split_words(points, n, tables, &memory->words);
    return true;
}

/* A word's first bytes as a number that sorts as they do; 0 behind its end, which no word has in it. */
static inline u64 head_of(const Words *words, i64 word) {
    const i64 size = words->ends[word] - words->starts[word];
    const u64 head = __builtin_bswap64(read64(words->text + words->starts[word]));
    return size < HEAD_BYTES ? head & ~(UINT64_MAX >> (8 * size)) : head;
}

/* Whether word a sorts before word b; byte order of UTF-8 is code point order. */
static inline bool is_before(const Words *words, Headed a, Headed b) {
    if (a.head != b.head) return a.head < b.head;
    const i64 a_size = words->ends[a.word] - words->starts[a.word];
    const i64 b_size = words->ends[b.word] - words->starts[b.word];
    if (a_size <= HEAD_BYTES || b_size <= HEAD_BYTES) return a_size < b_size;
    const u8 *a_text = words->text + words->starts[a.word], *b_text = words->text + words->starts[b.word];
    const int order = memcmp(a_text, b_text, (size_t)min_i64(a_size, b_size));
    return order ? order < 0 : a_size < b_size;
}

/* Sorts `chosen[:n]`: insertion sort, then merges for a "sentence" of a list's size. */
static inline void sort_words(const Words *words, Headed *chosen, i64 n, Headed *spare) {
    for (i64 low = 0; low < n; low += SORTED_FIRST) {
        for (i64 i = low + 1; i < min_i64(low + SORTED_FIRST, n); i++) {
            const Headed word = chosen[i];
            i64 j = i;
            for (; j > low && is_before(words, word, chosen[j - 1]); j--) chosen[j] = chosen[j - 1];
            chosen[j] = word;
        }
    }
    for (i64 sorted = SORTED_FIRST; sorted < n; sorted *= 2) {
        for (i64 low = 0; low < n; low += 2 * sorted) {
            const i64 middle = min_i64(low + sorted, n), high = min_i64(low + 2 * sorted, n);
            i64 i = low, j = middle;
            for (i64 k = low; k < high; k++) {
                const bool take_right = i == middle || (j < high && is_before(words, chosen[j], chosen[i]));
                spare[k] = take_right ? chosen[j++] : chosen[i++];
            }
        }
        memcpy(chosen, spare, (size_t)n * sizeof *chosen);
    }
}

/* By head, then by number. */
static inline int order_of(const void *a, const void *b) {
    const Headed *one = a, *other = b;
    if (one->head != other->head) return one->head < other->head ? -1 : 1;
    return (one->word > other->word) - (one->word < other->word);
}

/* Compacts `values[:n]` to the first occurrence of each, in order; returns their number.
 *
 * The values are sorted with their places, as texts can be made whose values collide in any table. `spare` has room for
 * n.
 */
static inline i64 first_occurrences(u64 *values, i64 n, Headed *spare) {
    for (i64 i = 0; i < n; i++) spare[i] = (Headed){values[i], i};
    qsort(spare, (size_t)n, sizeof *spare, order_of);
    i64 kept = 0;
    for (i64 i = 0; i < n; i++)
        if (i == 0 || spare[i].head != spare[kept - 1].head) spare[kept++] = spare[i];
    if (kept == n) return n;
    for (i64 i = 0; i < kept; i++) spare[i] = (Headed){(u64)spare[i].word, (i64)spare[i].head};
    qsort(spare, (size_t)kept, sizeof *spare, order_of);
    for (i64 i = 0; i < kept; i++) values[i] = (u64)spare[i].word;
    return kept;
}

/* Writes the fingerprints of the sentences of `memory->words` to `out` in text order, each once; their number.
 *
 * `memory->classes` has each word's frequency class.
 */
static inline i64 sentence_fingerprints(const WordMemory *memory, i64 common_class, u64 *out) {
    const Words *words = &memory->words;
    const u8 *classes = memory->classes;
    Headed *chosen = memory->chosen;
    u8 *joined = memory->joined;
    i64 count = 0, i = 0;
    while (i < words->count) {
        const i64 sentence = words->sentences[i];
        i64 n = 0;
        for (; i < words->count && words->sentences[i] == sentence; i++)
            if (classes[i] == UNKNOWN_WORD_CLASS || classes[i] < common_class)
                chosen[n++] = (Headed){head_of(words, i), i};
        if (n < MIN_SENTENCE_WORDS) continue;
        sort_words(words, chosen, n, memory->spare);
        i64 at = 0;
        for (i64 k = 0; k < n; k++) {
            if (k) joined[at++] = ' ';
            const i64 start = words->starts[chosen[k].word], size = words->ends[chosen[k].word] - start;
            memcpy(joined + at, words->text + start, (size_t)size);
            at += size;
        }
        out[count++] = xxh64(joined, joined + at, 0);
    }
    return first_occurrences(out, count, memory->spare);
}

/* Adds `weight` to the sum of each bit that is set. */
static inline void add_weight(u32 bits, u32 weight, u32 *restrict sums) {
    for (int bit = 0; bit < 32; bit++) sums[bit] += -(bits >> bit & 1) & weight;
}

/* 64-bit simhash of the word 2-shingles of `words`, and the number of these: features.
 *
 * A shingle weighs as much as its two words together, by `weights`.
 * Charikar 2002 and Manku et al. 2007 over shingles, as Fan & Huang, section 3.1.
 */
static inline u64 simhash(const Words *words, const i64 *weights, i64 *features) {
    i64 sums[64] = {0}, whole = 0; /* of the weights of those features that have the bit, and of all */
    const i64 last = words->count - 1;
    for (i64 begin = 0; begin < last; begin += SIMHASH_BLOCK) {
        u32 parts[64] = {0};
        for (i64 i = begin; i < min_i64(begin + SIMHASH_BLOCK, last); i++) {
            const u64 feature = xxh64(words->text + words->starts[i], words->text + words->ends[i + 1], 0);
            const u32 weight = (u32)(weights[i] + weights[i + 1]);
            whole += weight;
            add_weight((u32)feature, weight, parts);
            add_weight((u32)(feature >> 32), weight, parts + 32);
        }
        for (int bit = 0; bit < 64; bit++) sums[bit] += parts[bit];
    }
    u64 value = 0;
    for (int bit = 0; bit < 64; bit++) value |= (u64)(2 * sums[bit] > whole) << bit;
    *features = max_i64(last, 0);
    return value;
}

/* Sets `memory->some` to the words, and their weights, that the random lexicon `variant` keeps. */
static inline void keep_some(WordMemory *memory, u64 variant) {
    const Words *words = &memory->words;
    Words *some = &memory->some;
    i64 kept = 0, at = 0;
    for (i64 i = 0; i < words->count; i++) {
        const u8 *word = words->text + words->starts[i];
        const i64 size = words->ends[i] - words->starts[i];
        if (xxh64(word, word + size, variant) >= WORDS_KEPT_BELOW) continue;
        if (kept) some->text[at++] = ' ';
        memcpy(some->text + at, word, (size_t)size);
        some->starts[kept] = at;
        at += size;
        some->ends[kept] = at;
        memory->some_weights[kept++] = memory->weights[i];
    }
    some->count = kept;
}

/* Writes sentence fingerprints and simhashes of `memory->words`; returns the number of sentences.
 *
 * `sentences` must hold a value a word; `simhashes[i]`, `features[i]`: of variant i, of which there are `variants`.
 */
static inline i64 sign_words(WordMemory *memory, const WordTables *lexicon, i64 variants, u64 *sentences,
                             u64 *simhashes, i64 *features) {
    const Words *words = &memory->words;
    for (i64 i = 0; i < words->count; i++) {
        const u64 slot = xxh64(words->text + words->starts[i], words->text + words->ends[i], 0) >> WORD_SLOT_SHIFT;
        const u8 class = lexicon->classes[slot];
        memory->classes[i] = class;
        memory->weights[i] = max_i64(1, lexicon->documents_class - (class == UNKNOWN_WORD_CLASS ? 0 : class));
    }
    const i64 count = sentence_fingerprints(memory, lexicon->common_class, sentences);
    simhashes[0] = simhash(words, memory->weights, features);
    for (i64 variant = 1; variant < variants; variant++) {
        keep_some(memory, (u64)variant);
        simhashes[variant] = simhash(&memory->some, memory->some_weights, features + variant);
    }
    return count;
}

KERNEL(sign_words_batch,
       "data u1, offsets i8, " TEXT_TABLES ", " WORD_TABLES
       ", points u4!, out.sentences u8!, out.sentence_offsets i8!, out.simhashes u8!, out.features i8!") {
    const u8 *data = a[0].data;
    const i64 *offsets = a[1].data;
    const i64 n = a[1].length - 1;
    a += 2;
    const TextTables tables = text_tables_of(&a);
    const WordTables lexicon = word_tables_of(&a);
    u32 *points = a[0].data;
    u64 *sentences = a[1].data, *simhashes = a[3].data;
    i64 *sentence_offsets = a[2].data, *features = a[4].data;
    const i64 variants = a[3].width;
    WordMemory memory = {0};
    sentence_offsets[0] = 0;
    for (i64 i = 0; i < n; i++) {
        if (!words_of(data, offsets[i], offsets[i + 1], &tables, points, &memory)) return NO_MEMORY;
        const i64 first = sentence_offsets[i];
        sentence_offsets[i + 1] = first + sign_words(&memory, &lexicon, variants, sentences + first,
                                                     simhashes + i * variants, features + i * variants);
    }
    free(memory.memory);
    return 0;
}

/* Returns how many words there are. */
KERNEL(word_hashes, "data u1, start int, end int, " TEXT_TABLES ", points u4!, out u8!") {
    const Arg *rest = a + 3;
    const TextTables tables = text_tables_of(&rest);
    u32 *points = rest[0].data;
    u64 *out = rest[1].data;
    WordMemory memory = {0};
    if (!words_of(a[0].data, a[1].number, a[2].number, &tables, points, &memory)) return NO_MEMORY;
    const Words words = memory.words;
    for (i64 i = 0; i < words.count; i++) out[i] = xxh64(words.text + words.starts[i], words.text + words.ends[i], 0);
    free(memory.memory);
    return words.count;
}

#endif
