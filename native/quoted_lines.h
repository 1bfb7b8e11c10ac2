/* Lines of a text, and which of them are quoted, or a footer (docs/definitions.md, Kinds).
 * src/neardup/kernels/quoted_lines.py
 *
 * By the conventions of mail and news, not by words of any language. The slow counterpart is neardup.oracle.quoting.
 */
#ifndef NEARDUP_QUOTED_LINES_H
#define NEARDUP_QUOTED_LINES_H

#include "core.h"
#include "signs.h"

/* Whose words a line has; as flags of the code points in it. */
enum { OWN = 0, QUOTED = 8, FOOTER = 16 };

/* For each line: where it begins and ends, where it does without white space; whose it is; whether it has a quote mark.
 */
typedef struct {
    i64 *start;
    i64 *end;
    i64 *low;
    i64 *high;
    i64 *whose;
    i64 *marked;
} TextLines;

/* The lines in an array of `LINE_ROWS` rows (src/neardup/kernels/quoted_lines.py). */
static inline TextLines text_lines_of(const Arg *a) {
    i64 *rows = a->data;
    const i64 width = a->width;
    return (TextLines){rows, rows + width, rows + 2 * width, rows + 3 * width, rows + 4 * width, rows + 5 * width};
}

static inline void add_line(const u32 *points, i64 start, i64 end, const u8 *classes, const TextLines *lines, i64 at) {
    i64 low = start, high = end;
    while (low < high && classes[points[low]] & SIGN_SPACE) low++;
    while (low < high && classes[points[high - 1]] & SIGN_SPACE) high--;
    lines->start[at] = start;
    lines->end[at] = end;
    lines->low[at] = low;
    lines->high[at] = high;
}

/* Fills the first four rows of `lines` from the code points `points[:n]`; returns how many lines. Before, the row `end`
 * has the places of the `breaks` line breaks, both of a CR LF.
 */
static inline i64 split_lines(const u32 *points, i64 n, const u8 *classes, const TextLines *lines, i64 breaks) {
    i64 count = 0, start = 0;
    for (i64 i = 0; i < breaks; i++) {
        const i64 at = lines->end[i];
        if (at < start) continue;
        add_line(points, start, at, classes, lines, count++);
        start = at + 1 + (points[at] == '\r' && at + 1 < n && points[at + 1] == '\n');
    }
    if (start < n) add_line(points, start, n, classes, lines, count++);
    return count;
}

static inline bool is_blank_line(const TextLines *lines, i64 at) { return lines->low[at] == lines->high[at]; }

static inline bool is_ascii_letter(u32 point) { return (point | 0x20) >= 'a' && (point | 0x20) <= 'z'; }

/* A line between two bars is a row of a table. */
static inline bool has_quote_mark(const u32 *points, i64 low, i64 high) {
    if (low == high) return false;
    const u32 first = points[low];
    if (first == '|') return points[high - 1] != '|';
    if (first == ':' && high - low > 1 && points[low + 1] == ' ') return true;
    i64 at = low;
    while (at < high && at - low < MOST_INITIALS && is_ascii_letter(points[at])) at++;
    return at < high && points[at] == '>';
}

/* The weak mark that a line begins with, 0 if there is none. */
static inline u32 weak_mark(const u32 *points, const TextLines *lines, i64 at) {
    if (is_blank_line(lines, at)) return 0;
    const u32 first = points[lines->low[at]];
    const bool is_weak = first == ':' || first == '}' || first == ']' || first == '!' || first == '%' || first == '~';
    return is_weak ? first : 0;
}

/* Whether a line begins with a weak mark, and the one before or behind it with the same. */
static inline bool has_weak_mark(const u32 *points, const TextLines *lines, i64 count, i64 at) {
    const u32 mark = weak_mark(points, lines, at);
    if (mark == 0) return false;
    if (at > 0 && weak_mark(points, lines, at - 1) == mark) return true;
    return at + 1 < count && weak_mark(points, lines, at + 1) == mark;
}

/* Whether a line ends with a colon, "..." or "…". */
static inline bool ends_open(const u32 *points, i64 low, i64 high) {
    if (low == high) return false;
    const u32 last = points[high - 1];
    if (last == ':' || last == 0x2026) return true;
    return high - low >= 3 && last == '.' && points[high - 2] == '.' && points[high - 3] == '.';
}

/* Marks the paragraph right before quoted lines that says whose they are; of a long one its last line. */
static inline void add_attributions(const u32 *points, const TextLines *lines, i64 count) {
    for (i64 at = 1; at < count; at++) {
        if (!lines->marked[at] || lines->marked[at - 1]) continue;
        const i64 last = is_blank_line(lines, at - 1) ? at - 2 : at - 1;
        if (last < 0 || lines->marked[last] || !ends_open(points, lines->low[last], lines->high[last])) continue;
        i64 first = last;
        while (last - first < MOST_ATTRIBUTION && first && !is_blank_line(lines, first - 1) &&
               !lines->marked[first - 1])
            first--;
        if (last - first == MOST_ATTRIBUTION) first = last;
        for (i64 i = first; i <= last; i++) lines->whose[i] = QUOTED;
    }
}

static inline bool is_rule(const u32 *points, const u8 *classes, i64 low, i64 high) {
    if (high - low < SHORTEST_RULE || !(classes[points[low]] & SIGN_RULE)) return false;
    i64 count = 0;
    for (i64 at = low; at < high; at++) count += (classes[points[at]] & SIGN_RULE) != 0;
    return 3 * count >= 2 * (high - low);
}

/* Where a signature or footer begins: at the first mark behind which few lines are left. */
static inline i64 footer_from(const u32 *points, const u8 *classes, const TextLines *lines, i64 count) {
    i64 start = count, left = 0;
    for (i64 at = count - 1; at > 0; at--) {
        const i64 low = lines->low[at], high = lines->high[at];
        const bool is_mark = high - low == 2 && points[low] == '-' && points[low + 1] == '-';
        if (is_mark || is_rule(points, classes, low, high)) start = at;
        left += low < high;
        if (left > MOST_FOOTER) break;
    }
    return start;
}

/* Whether a line begins and ends with three signs of a rule. */
static inline bool divides(const u32 *points, const u8 *classes, i64 low, i64 high) {
    if (high - low < 3) return false;
    u8 all = SIGN_RULE;
    for (i64 i = 0; i < 3; i++) all &= classes[points[low + i]] & classes[points[high - 1 - i]];
    return all != 0;
}

/* Whether a line begins as a header: a name, a colon, white space. */
static inline bool is_header(const u32 *points, const u8 *classes, i64 low, i64 end) {
    if ((classes[points[low]] & (SIGN_KEEP | SIGN_DIGIT)) != SIGN_KEEP) return false;
    i64 at = low + 1;
    while (at < end && at - low < LONGEST_HEADER && is_in_label(points[at], classes)) at++;
    if (at - low < 2 || at + 1 >= end || points[at] != ':') return false;
    return classes[points[at + 1]] & SIGN_SPACE;
}

/* Where a whole message follows, divided off and with its headers; the number of lines if none does. */
static inline i64 forwarded_from(const u32 *points, const u8 *classes, const TextLines *lines, i64 count) {
    for (i64 at = 1; at < count; at++) {
        if (!divides(points, classes, lines->low[at], lines->high[at])) continue;
        const i64 stop = min_i64(at + 1 + LOOKED_AT, count);
        i64 seen = 0, headers = 0;
        for (i64 i = at + 1; i < stop && seen < HEADERS_LOOKED_AT; i++) {
            if (is_blank_line(lines, i)) continue;
            seen++;
            headers += is_header(points, classes, lines->low[i], lines->end[i]);
        }
        if (headers >= 2) return at;
    }
    return count;
}

/* Fills the last two rows of `lines`: whose words each of the `count` lines has. */
static inline void find_origins(const u32 *points, const u8 *classes, const TextLines *lines, i64 count) {
    for (i64 at = 0; at < count; at++) {
        const bool has_mark = has_quote_mark(points, lines->low[at], lines->high[at]);
        lines->marked[at] = has_mark || has_weak_mark(points, lines, count, at);
        lines->whose[at] = lines->marked[at] ? QUOTED : OWN;
    }
    add_attributions(points, lines, count);
    const i64 footer = footer_from(points, classes, lines, count);
    const i64 forwarded = forwarded_from(points, classes, lines, count);
    for (i64 at = footer; at < count; at++) lines->whose[at] = FOOTER;
    for (i64 at = forwarded; at < count; at++) lines->whose[at] = QUOTED;
}

KERNEL(most_lines, "data u1") {
    const u8 *data = a[0].data;
    i64 count = 1;
    for (i64 at = 0; at < a[0].length;) {
        const i64 stop = min_i64(at + 128, a[0].length); /* so few that a byte counts them: they are added at once */
        u8 few = 0;
        for (; at < stop; at++)
            few += (data[at] <= '\r') | (data[at] == 0x85) | (data[at] == 0xA8) | (data[at] == 0xA9);
        count += few;
    }
    return count;
}

#endif
