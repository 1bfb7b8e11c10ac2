/* A text to its normal form with marks: what of it is figures, addresses and ids, quoted, a footer.
 * src/neardup/kernels/marks.py
 *
 * The slow counterpart, by regular expressions, is neardup.oracle.kind_marks; docs/definitions.md (Kinds) defines them.
 */
#ifndef NEARDUP_MARKS_H
#define NEARDUP_MARKS_H

#include "addresses.h"
#include "core.h"
#include "quoted_lines.h"
#include "signs.h"
#include "text.h"

/* Flags of a code point of a normal form, beside those of its line: in a figure; its first; in a token; before it a
 * sign of a number was left out.
 */
enum { FIGURE = 1, BEGINS = 2, TOKEN = 4, POINT = 32 };

/* The bits of an index into a form; above them the digits before it are counted. */
#define FORM_INDEX 0xFFFFFFFFLL

enum { W_BITS = 23 }; /* that w and W have, of which an address begins with three; few other letters have them all */

typedef struct {
    u32 *points;
    u8 *classes;
    TextLines lines;
    i64 *starts;
    i64 *maybe;
    i64 *chosen;
} MarkScratch;

#define MARK_SCRATCH \
    "mark.points u4!, mark.classes u1!, mark.lines i8!, mark.starts i8!, mark.maybe i8!, mark.chosen i8!"

enum { MARK_SCRATCH_ARGS = 6 };

static inline MarkScratch mark_scratch_of(const Arg *a) {
    return (MarkScratch){a[0].data, a[1].data, text_lines_of(a + 2), a[3].data, a[4].data, a[5].data};
}

typedef struct {
    u32 *form;
    u8 *flags;
    i64 *indexes;
} MarkedForm;

#define MARKED_FORM(name) name ".form u4!, " name ".flags u1!, " name ".indexes i8!"

enum { MARKED_FORM_ARGS = 3 };

static inline MarkedForm marked_form_of(const Arg *a) { return (MarkedForm){a[0].data, a[1].data, a[2].data}; }

#if defined(__AVX512VBMI__) && defined(__AVX512BW__)
/* Which of 16 code points are above 0x7F. */
static inline u64 above_ascii(__m512i points) { return _mm512_cmpgt_epu32_mask(points, _mm512_set1_epi32(0x7F)); }
#endif

/* Writes the class of each of `points[:n]`; 64 at once where the processor looks up bytes, those of ASCII. */
static inline void classify(const u32 *restrict points, i64 n, const u8 *restrict classes, u8 *restrict out) {
    i64 at = 0;
#if defined(__AVX512VBMI__) && defined(__AVX512BW__)
    const __m512i lower = _mm512_loadu_si512(classes), upper = _mm512_loadu_si512(classes + 64);
    for (; at + 64 <= n; at += 64) {
        const u32 *few = points + at;
        const __m512i p = _mm512_loadu_si512(few), q = _mm512_loadu_si512(few + 16);
        const __m512i r = _mm512_loadu_si512(few + 32), s = _mm512_loadu_si512(few + 48);
        const __m256i begin = _mm256_set_m128i(_mm512_cvtepi32_epi8(q), _mm512_cvtepi32_epi8(p));
        const __m256i end = _mm256_set_m128i(_mm512_cvtepi32_epi8(s), _mm512_cvtepi32_epi8(r));
        const __m512i low = _mm512_inserti64x4(_mm512_castsi256_si512(begin), end, 1);
        _mm512_storeu_si512(out + at, _mm512_permutex2var_epi8(lower, low, upper));
        u64 others = above_ascii(p) | above_ascii(q) << 16 | above_ascii(r) << 32 | above_ascii(s) << 48;
        for (; others; others &= others - 1) {
            const i64 each = at + low_zeros(others);
            out[each] = classes[points[each]];
        }
    }
#endif
    for (; at < n; at++) out[at] = classes[points[at]];
}

/* What `scan_words` finds: the arrays that it fills, and how much it has found so far.
 *
 * form       the normal form
 * starts     where each word, a run of what is kept, begins among the code points
 * indexes    where it does in the form, and above FORM_INDEX how many digits are before it
 * maybe      words that may be special, all that are (`is_special`) among them
 * line_ends  where lines break
 */
typedef struct {
    u32 *form;
    i64 *starts;
    i64 *indexes;
    i64 *maybe;
    i64 *line_ends;
    i64 words;
    i64 specials;
    i64 breaks;
    i64 index;  /* into the form, with the digits before it, as in `indexes` */
    i64 before; /* whether the code point before is kept */
} Scanned;

#if defined(__AVX512VBMI2__) && defined(__AVX512BW__)
/* Where 26 kept code points in a row end. */
static inline u64 long_runs(u64 keep) {
    const u64 by_2 = keep & keep << 1, by_4 = by_2 & by_2 << 2, by_8 = by_4 & by_4 << 4, by_16 = by_8 & by_8 << 8;
    return by_16 & by_8 << 16 & by_2 << 24;
}

_Static_assert(LONGEST_WORD == 25, "long_runs finds words that are longer");

/* The code points of a block of 64 for `scan_words`, of these classes. */
static inline void scan_block(const u32 *restrict points, i64 at, const u8 *restrict classes, Scanned *found) {
    const __m512i each = _mm512_loadu_si512(classes + at);
    const __m512i w_bits = _mm512_set1_epi32(W_BITS), colon = _mm512_set1_epi32(':');
    const u64 keep = _mm512_test_epi8_mask(each, _mm512_set1_epi8(SIGN_KEEP));
    const u64 digits = _mm512_test_epi8_mask(each, _mm512_set1_epi8(SIGN_DIGIT));
    i64 out = found->index & FORM_INDEX;
    u64 colons = 0, may_be_w = 0;
    for (int i = 0; i < 64; i += 16) {
        const __mmask16 kept = (__mmask16)(keep >> i);
        const __m512i few = _mm512_loadu_si512(points + at + i);
        _mm512_storeu_si512(found->form + out, _mm512_maskz_compress_epi32(kept, few));
        out += ones(kept);
        colons |= (u64)_mm512_cmpeq_epi32_mask(few, colon) << i;
        may_be_w |= (u64)_mm512_cmpeq_epi32_mask(_mm512_and_si512(few, w_bits), w_bits) << i;
    }
    const u64 begins = keep & ~(keep << 1 | (u64)found->before);
    i64 words = found->words;
    for (u64 left = begins; left; left &= left - 1) {
        const u64 below = (left & -left) - 1;
        found->starts[words] = at + low_zeros(left);
        found->indexes[words++] = found->index + ones(keep & below) + (ones(digits & below) << 32);
    }
    const u64 www = begins & may_be_w & may_be_w >> 1 & keep >> 2 & ~(keep >> 3);
    const u64 last = keep & 1ULL << 63; /* its word may go on */
    for (u64 left = digits | (colons & keep << 1) | www | long_runs(keep) | last; left; left &= left - 1) {
        const i64 begun = ones(begins & (left ^ (left - 1)));
        const i64 word = found->words + begun - 1;
        found->maybe[found->specials] = word;
        found->specials += begun && (found->specials == 0 || found->maybe[found->specials - 1] != word);
    }
    for (u64 left = _mm512_test_epi8_mask(each, _mm512_set1_epi8(SIGN_BREAK)); left; left &= left - 1)
        found->line_ends[found->breaks++] = at + low_zeros(left);
    found->words = words;
    found->index += ones(keep) + (ones(digits) << 32);
    found->before = keep >> 63;
}
#endif

/* Fills the arrays of `found` from the code points `points[:n]`. `own_classes`: room for one of each code point.
 *
 * Written always, counted only if it is so: a branch would be mispredicted at every word's end.
 */
static inline void scan_words(const u32 *restrict points, i64 n, const u8 *restrict classes, u8 *restrict own_classes,
                              Scanned *found) {
    i64 at = 0;
    classify(points, n, classes, own_classes);
#if defined(__AVX512VBMI2__) && defined(__AVX512BW__)
    for (; at + 64 <= n; at += 64) scan_block(points, at, own_classes, found);
#endif
    for (; at < n; at++) {
        const i64 class = own_classes[at];
        const i64 keep = class & SIGN_KEEP, begins = keep & ~found->before;
        found->form[found->index & FORM_INDEX] = points[at];
        found->starts[found->words] = at;
        found->indexes[found->words] = found->index;
        found->maybe[found->specials] = found->words;
        found->words += begins;
        found->specials += begins;
        found->line_ends[found->breaks] = at;
        found->breaks += (class & SIGN_BREAK) != 0;
        found->index += keep + ((class & SIGN_DIGIT) << 31);
        found->before = keep;
    }
    found->starts[found->words] = n;
    found->indexes[found->words] = found->index;
    found->maybe[found->specials] = found->words;
}

/* A line that is marked: `points[start:end]`, which begins at `low` after white space, with an @ perhaps. */
typedef struct {
    const u32 *points;
    i64 start;
    i64 low;
    i64 end;
    bool has_name;
    u8 whose;
    u8 *flags;
    const SignTables *tables;
} MarkedLine;

/* Whether a word may have a digit, be an address or a random string. */
static inline bool is_special(const MarkedLine *line, i64 word, const i64 *starts, const i64 *indexes) {
    const u32 *points = line->points;
    const i64 at = starts[word], rest = indexes[word + 1] - indexes[word];
    const i64 size = rest & FORM_INDEX;
    const bool is_web = ((points[at] & points[at + 1] & W_BITS) == W_BITS) & (size == 3);
    const bool is_scheme = points[min_i64(at + size, line->end - 1)] == ':';
    return is_web | is_scheme | (rest > FORM_INDEX) | (size > LONGEST_WORD);
}

/* Writes to `chosen` which words from `first` on and before `last` are special, or all where the line has a name;
 * returns how many. `maybe` are those that may be special, from the line on; sets where they go on behind it.
 */
static inline i64 special_words(const MarkedLine *line, i64 first, i64 last, const i64 *starts, const i64 *indexes,
                                const i64 **maybe, i64 *chosen) {
    i64 count = 0;
    const i64 *each = *maybe;
    for (; *each < last; each++) {
        chosen[count] = *each;
        count += is_special(line, *each, starts, indexes);
    }
    *maybe = each;
    if (!line->has_name) return count;
    for (i64 word = first; word < last; word++) chosen[word - first] = word;
    return last - first;
}

/* Flags what is kept of `points[at:stop]`, which is in the form from `index` on; returns where that ends. */
static inline i64 flag_kept(const MarkedLine *line, i64 at, i64 stop, u8 flag, i64 index) {
    for (; at < stop; at++)
        if (line->tables->classes[line->points[at]] & SIGN_KEEP) line->flags[index++] = flag;
    return index;
}

/* Marks what from `at` on, before `stop`, no letter or digit, begins an address; returns where all is marked. */
static inline i64 mark_names(const MarkedLine *line, i64 at, i64 stop, i64 index) {
    const u8 *classes = line->tables->classes;
    while (at < stop) {
        i64 after = at;
        if (classes[line->points[at]] & SIGN_IN_NAME) {
            after = address_end(line->points, line->start, at, line->end, classes, true);
            flag_kept(line, at, after, line->whose | TOKEN, index);
        }
        at = max_i64(after, at + 1);
    }
    return at;
}

/* Whether it may stand between the digits of a number: .,:/'’- */
static inline bool joins_digits(u32 point) {
    return point == '.' || point == ',' || point == ':' || point == '/' || point == '\'' || point == 0x2019 ||
           point == '-';
}

/* Whether the sign at `at` groups digits: one of .,'’ before exactly three. */
static inline bool groups_digits(const u32 *points, i64 at, i64 stop, const u8 *classes) {
    const u32 point = points[at];
    if (point != '.' && point != ',' && point != '\'' && point != 0x2019) return false;
    i64 count = 0;
    while (at + 1 + count < stop && count < 4 && classes[points[at + 1 + count]] & SIGN_DIGIT) count++;
    return count == 3;
}

/* Marks the digits from `at` on and what follows them of their number; see `mark_word`. */
static inline i64 mark_number(const MarkedLine *line, i64 at, i64 stop, i64 *index) {
    const u32 *points = line->points;
    const u8 *classes = line->tables->classes;
    while (stop + 1 < line->end && joins_digits(points[stop]) && classes[points[stop + 1]] & SIGN_DIGIT) {
        stop++;
        while (stop < line->end && classes[points[stop]] & SIGN_DIGIT) stop++;
    }
    u8 flag = line->whose | FIGURE | BEGINS;
    for (i64 i = at; i < stop; i++) {
        if (classes[points[i]] & SIGN_DIGIT) {
            line->flags[(*index)++] = flag;
            flag = line->whose | FIGURE;
        } else if (!groups_digits(points, i, stop, classes)) {
            flag |= POINT;
        }
    }
    return stop;
}

/* Marks the word or number `points[at:stop]`, in the form from `index` on, or the address that begins with it; returns
 * where that ends, and sets where in the form.
 */
static inline i64 mark_word(const MarkedLine *line, i64 at, i64 stop, i64 *index) {
    const u32 *points = line->points;
    const u8 *classes = line->tables->classes;
    const i64 after = address_end(points, line->start, at, line->end, classes, line->has_name);
    if (after > at) {
        *index = flag_kept(line, at, after, line->whose | TOKEN, *index);
        return after;
    }
    const i64 size = stop - at;
    i64 digits = 0, leading = 0;
    bool is_ascii = true;
    for (i64 i = at; i < stop; i++) {
        const bool is_digit = classes[points[i]] & SIGN_DIGIT;
        leading += is_digit & (leading == i - at);
        digits += is_digit;
        is_ascii &= points[i] < 0x80;
    }
    if (digits == size) return mark_number(line, at, stop, index);
    u8 flag = line->whose;
    const bool is_suffixed = digits > 0 && leading == digits && size - digits <= LONGEST_SUFFIX;
    if (is_suffixed || (digits == 0 && is_figure_word(points + at, size, line->tables)))
        flag |= FIGURE;
    else if (is_ascii && (size > LONGEST_WORD || (size >= SHORTEST_ID && digits > 0)))
        flag |= TOKEN;
    memset(line->flags + *index, flag, (size_t)size);
    if (flag & FIGURE) line->flags[*index] |= BEGINS;
    *index += size;
    return stop;
}

/* Marks a line, whose first word is `word` of so many `words`; returns the first word behind it.
 *
 * A word is looked at more closely only if something may be to be said of it: few are.
 */
static inline i64 mark_line(const MarkedLine *line, i64 word, i64 words, const i64 *indexes, const i64 **maybe,
                            const MarkScratch *scratch) {
    const u32 *points = line->points;
    const u8 *classes = line->tables->classes;
    const i64 *starts = scratch->starts;
    const i64 low = line->low, end = line->end, first = word;
    while (word < words && starts[word] < end) word++;
    const i64 form_start = indexes[first] & FORM_INDEX, form_end = indexes[word] & FORM_INDEX;
    memset(line->flags + form_start, line->whose, (size_t)(form_end - form_start));
    const i64 special = special_words(line, first, word, starts, indexes, maybe, scratch->chosen);
    i64 done = low; /* up to where all is marked */
    for (i64 i = 0; i < special; i++) {
        const i64 each = scratch->chosen[i];
        i64 at = starts[each], index = indexes[each] & FORM_INDEX;
        i64 stop = at + (indexes[each + 1] & FORM_INDEX) - index;
        if (line->has_name) done = mark_names(line, done, at, index);
        if (at < done && done < stop) {
            index += done - at;
            at = done;
        }
        while (done < stop) { /* once, but for what an address or a number leaves of a word */
            done = mark_word(line, at, stop, &index);
            at = stop = done;
            while (done > low && stop < end && classes[points[done - 1]] & classes[points[stop]] & SIGN_KEEP) stop++;
        }
    }
    return word;
}

/* Writes the normal form of the UTF-8 text `data[:length]` to `out`, with its marks, but for those of figure words: see
 * `mark_figure_words`. `out` has room for one and a half code points a byte, and one more. Returns how many code points
 * there are, and sets how many words. Linear.
 */
static inline i64 mark_text(const u8 *data, i64 length, const TextTables *tables, const SignTables *sign_tables,
                            const MarkScratch *scratch, const MarkedForm *out, i64 *words) {
    const u32 *points = scratch->points;
    const TextLines *lines = &scratch->lines;
    const u8 *classes = sign_tables->classes;
    const i64 n = decode_nfc(data, 0, length, tables, scratch->points);
    Scanned found = {out->form, scratch->starts, out->indexes, scratch->maybe, lines->end, 0, 0, 0, 0, 0};
    scan_words(points, n, classes, scratch->classes, &found);
    *words = found.words;
    const i64 count = split_lines(points, n, classes, lines, found.breaks);
    find_origins(points, classes, lines, count);
    const bool any_name = memchr(data, '@', (size_t)length) != NULL;
    const i64 *maybe = scratch->maybe;
    i64 word = 0;
    for (i64 i = 0; i < count; i++) {
        const i64 low = lines->low[i], end = lines->end[i];
        bool has_name = false;
        for (i64 at = low; any_name && at < end; at++) has_name |= points[at] == '@';
        const MarkedLine line = {points,   lines->start[i],     low,        end,
                                 has_name, (u8)lines->whose[i], out->flags, sign_tables};
        word = mark_line(&line, word, *words, out->indexes, &maybe, scratch);
    }
    return found.index & FORM_INDEX;
}

/* Marks the words of a form of so many `words` that are figures though none has a digit: months, numerals. */
static inline void mark_figure_words(const MarkedForm *text, i64 words, const SignTables *sign_tables) {
    const u32 *restrict form = text->form;
    u8 *restrict flags = text->flags;
    const i64 *restrict indexes = text->indexes;
    const u32 *restrict lengths = sign_tables->lengths;
    const i64 longest = sign_tables->words_width - 1;
    for (i64 word = 0; word < words; word++) {
        const i64 at = indexes[word] & FORM_INDEX;
        const i64 size = (indexes[word + 1] & FORM_INDEX) - at;
        const u32 second = form[at + (size > 1)] & 31, third = form[at + min_i64(size - 1, 2)] & 31;
        const u32 slot = letters_slot(form[at] & 31, second, third, form[at + size - 1] & 31);
        const bool may_be = (size <= longest) & (lengths[slot] >> min_i64(size, 31) & 1);
        if (!may_be || flags[at] & (FIGURE | TOKEN) || !is_figure_word(form + at, size, sign_tables)) continue;
        flags[at] |= BEGINS;
        for (i64 i = at; i < at + size; i++) flags[i] |= FIGURE;
    }
}

KERNEL(mark_text, "data u1, " TEXT_TABLES ", " SIGN_TABLES ", " MARK_SCRATCH ", " MARKED_FORM("out") ", words i8!") {
    const Arg *rest = a + 1;
    const TextTables tables = text_tables_of(rest);
    const SignTables sign_tables = sign_tables_of(rest += TEXT_TABLES_ARGS);
    const MarkScratch scratch = mark_scratch_of(rest += SIGN_TABLES_ARGS);
    const MarkedForm out = marked_form_of(rest += MARK_SCRATCH_ARGS);
    i64 *words = rest[MARKED_FORM_ARGS].data;
    return mark_text(a[0].data, a[0].length, &tables, &sign_tables, &scratch, &out, words);
}

KERNEL(mark_figure_words, MARKED_FORM("text") ", words int, " SIGN_TABLES) {
    const MarkedForm text = marked_form_of(a);
    const SignTables sign_tables = sign_tables_of(a + MARKED_FORM_ARGS + 1);
    mark_figure_words(&text, a[MARKED_FORM_ARGS].number, &sign_tables);
    return 0;
}

#endif
