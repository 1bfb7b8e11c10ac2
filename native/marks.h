/* From a text to its normal form with marks: of figures, addresses and ids, quoted lines, a footer.
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
#include "word_scan.h"

/* Flags of a code point of a normal form, beside those of its line: in a figure; its first; in a token; before it a
 * sign of a number was left out.
 */
enum { FIGURE = 1, BEGINS = 2, TOKEN = 4, POINT = 32 };

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

static inline MarkScratch mark_scratch_of(const Arg **rest) {
    const Arg *a = take(rest, 6);
    return (MarkScratch){a[0].data, a[1].data, text_lines_of(a + 2), a[3].data, a[4].data, a[5].data};
}

typedef struct {
    u32 *form;
    u8 *flags;
    i64 *indexes;
} MarkedForm;

#define MARKED_FORM(name) name ".form u4!, " name ".flags u1!, " name ".indexes i8!"

static inline MarkedForm marked_form_of(const Arg **rest) {
    const Arg *a = take(rest, 3);
    return (MarkedForm){a[0].data, a[1].data, a[2].data};
}

/* A line that is marked: `points[start:end]`, which begins at `low` after white space, with an @ perhaps. `scanned`: the
 * words of the whole text.
 */
typedef struct {
    const Scanned *scanned;
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
static inline bool is_special(const MarkedLine *line, i64 word) {
    const u32 *points = line->points;
    const i64 *starts = line->scanned->starts, *indexes = line->scanned->indexes;
    const i64 at = starts[word], rest = indexes[word + 1] - indexes[word];
    const i64 size = rest & FORM_INDEX;
    const bool is_web = ((points[at] & points[at + 1] & W_BITS) == W_BITS) & (size == 3);
    const bool is_scheme = points[min_i64(at + size, line->end - 1)] == ':';
    return is_web | is_scheme | (rest > FORM_INDEX) | (size > LONGEST_WORD);
}

/* Writes to `chosen` which of the words from `first` to before `last` are special, or all if the line has a name;
 * returns how many. `maybe`: the words that may be special, from this line on; moved behind the line.
 */
static inline i64 special_words(const MarkedLine *line, i64 first, i64 last, const i64 **maybe, i64 *chosen) {
    i64 count = 0;
    const i64 *each = *maybe;
    for (; *each < last; each++) {
        chosen[count] = *each;
        count += is_special(line, *each);
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

/* Marks the addresses that begin with another sign than a letter or digit, from `at` on and before `stop`; returns up
 * to where all is marked.
 */
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

/* Whether `point` may stand between the digits of a number: .,:/'’- */
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

/* Marks a line, whose first word is `word`; returns the first word behind it. `maybe`: as `special_words` has it;
 * `chosen` is room for all words of the line.
 *
 * Only words that may need a mark are looked at more closely: few do.
 */
static inline i64 mark_line(const MarkedLine *line, i64 word, const i64 **maybe, i64 *chosen) {
    const u32 *points = line->points;
    const u8 *classes = line->tables->classes;
    const i64 *starts = line->scanned->starts, *indexes = line->scanned->indexes;
    const i64 low = line->low, end = line->end, first = word;
    while (word < line->scanned->words && starts[word] < end) word++;
    const i64 form_start = indexes[first] & FORM_INDEX, form_end = indexes[word] & FORM_INDEX;
    memset(line->flags + form_start, line->whose, (size_t)(form_end - form_start));
    const i64 special = special_words(line, first, word, maybe, chosen);
    i64 done = low; /* up to where all is marked */
    for (i64 i = 0; i < special; i++) {
        const i64 each = chosen[i];
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
    const i64 decoded = decode_nfc(data, 0, length, tables, scratch->points);
    classify(points, decoded, classes, scratch->classes);
    const i64 n = without_unseen(scratch->points, scratch->classes, decoded);
    Scanned scanned = {
        .form = out->form,
        .starts = scratch->starts,
        .indexes = out->indexes,
        .maybe = scratch->maybe,
        .line_ends = lines->end,
    };
    scan_words(points, n, scratch->classes, &scanned);
    *words = scanned.words;
    const i64 count = split_lines(points, n, classes, lines, scanned.breaks);
    find_origins(points, classes, lines, count);
    const bool any_name = memchr(data, '@', (size_t)length) != NULL;
    const i64 *maybe = scratch->maybe;
    i64 word = 0;
    for (i64 i = 0; i < count; i++) {
        const i64 low = lines->low[i], end = lines->end[i];
        bool has_name = false;
        for (i64 at = low; any_name && at < end; at++) has_name |= points[at] == '@';
        const MarkedLine line = {
            .scanned = &scanned,
            .points = points,
            .start = lines->start[i],
            .low = low,
            .end = end,
            .has_name = has_name,
            .whose = (u8)lines->whose[i],
            .flags = out->flags,
            .tables = sign_tables,
        };
        word = mark_line(&line, word, &maybe, scratch->chosen);
    }
    return scanned.index & FORM_INDEX;
}

/* Marks those of the `words` words of a form that are figures without digits: months, numerals. */
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
    const Arg *data = take(&a, 1);
    const TextTables tables = text_tables_of(&a);
    const SignTables sign_tables = sign_tables_of(&a);
    const MarkScratch scratch = mark_scratch_of(&a);
    const MarkedForm out = marked_form_of(&a);
    return mark_text(data->data, data->length, &tables, &sign_tables, &scratch, &out, a[0].data);
}

KERNEL(mark_figure_words, MARKED_FORM("text") ", words int, " SIGN_TABLES) {
    const MarkedForm text = marked_form_of(&a);
    const i64 words = take(&a, 1)->number;
    const SignTables sign_tables = sign_tables_of(&a);
    mark_figure_words(&text, words, &sign_tables);
    return 0;
}

#endif
