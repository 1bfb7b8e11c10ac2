/* The data by which marks are made: the bits of a code point's class, figure words, and the limits of all rules, which
 * src/neardup/tables/signs.py has and explains.
 */
#ifndef NEARDUP_SIGNS_H
#define NEARDUP_SIGNS_H

#include "core.h"

enum {
    SIGN_KEEP = 0x01,
    SIGN_DIGIT = 0x02,
    SIGN_SPACE = 0x04,
    SIGN_BREAK = 0x08,
    SIGN_RULE = 0x10,
    SIGN_IN_NAME = 0x20,
    SIGN_VISIBLE = 0x40,
    SIGN_UNSEEN = 0x80,
};

enum {
    MOST_INITIALS = 3,
    MOST_ATTRIBUTION = 3,
    MOST_FOOTER = 10,
    SHORTEST_RULE = 20,
    LOOKED_AT = 7,
    HEADERS_LOOKED_AT = 3,
    LONGEST_HEADER = 15,
    SHORTEST_ID = 6,
    LONGEST_WORD = 25,
    LONGEST_SUFFIX = 2,
};

/* Classes of code points and figure words, in the order that kernels take them. */
typedef struct {
    const u8 *classes;
    const u8 *words; /* so many lines of so many bytes: the length, then a word no longer than the rest of the line */
    i64 words_length;
    i64 words_width;
    const u32 *lengths;
} SignTables;

#define SIGN_TABLES "sign_tables.classes u1, sign_tables.words u1, sign_tables.lengths u4"

static inline SignTables sign_tables_of(const Arg **rest) {
    const Arg *a = take(rest, 3);
    return (SignTables){a[0].data, a[1].data, a[1].length, a[1].width, a[2].data};
}

/* Whether a part of a host's name, or the name of a header, may have this code point. */
static inline bool is_in_label(u32 point, const u8 *classes) {
    return point == '-' || point == '_' || classes[point] & SIGN_KEEP;
}

/* See `neardup.tables.signs.letters_slot`. */
static inline u32 letters_slot(u32 first, u32 second, u32 third, u32 last) {
    return ((first | second << 5 | third << 10 | last << 15) * 0x9E3779B1u) >> 20;
}

/* See `neardup.tables.signs.lowered`. */
static inline u32 lowered(u32 point) {
    if ((point >= 0x41 && point <= 0x5A) || (point >= 0xC0 && point <= 0xDE && point != 0xD7)) return point + 0x20;
    return point == 0x1E9E ? 0xDF : point;
}

/* Whether a word of `size` code points is one of the figure words. */
static inline bool is_figure_word(const u32 *points, i64 size, const SignTables *tables) {
    const i64 width = tables->words_width, mask = tables->words_length - 1;
    if (size > width - 1) return false;
    u32 value = 0;
    for (i64 i = 0; i < size; i++) {
        const u32 letter = lowered(points[i]);
        if (letter > 0xFF) return false;
        value = value * 31 + letter;
    }
    for (i64 slot = value & mask; tables->words[slot * width]; slot = (slot + 1) & mask) {
        const u8 *word = tables->words + slot * width;
        bool is_same = word[0] == size;
        for (i64 i = 0; is_same && i < size; i++) is_same = word[i + 1] == lowered(points[i]);
        if (is_same) return true;
    }
    return false;
}

#endif
