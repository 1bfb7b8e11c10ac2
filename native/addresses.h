/* Finds where web and mail addresses end (docs/definitions.md, Kinds).
 *
 * It looks at the classes of code points; the slow counterpart, by regular expressions, is neardup.oracle.kind_marks.
 */
#ifndef NEARDUP_ADDRESSES_H
#define NEARDUP_ADDRESSES_H

#include "core.h"
#include "signs.h"

/* Whether these two letters stand at `at`, in either case. */
static inline bool is_letters(const u32 *points, i64 at, u32 first, u32 second) {
    return (points[at] | 0x20) == first && (points[at + 1] | 0x20) == second;
}

/* Where http://, https:// or ftp:// at `at` ends; `at` if it is none of them. */
static inline i64 after_scheme(const u32 *points, i64 at, i64 end) {
    bool is_scheme;
    i64 stop;
    if ((points[at] | 0x20) == 'h') {
        is_scheme = at + 3 < end && is_letters(points, at + 1, 't', 't') && (points[at + 3] | 0x20) == 'p';
        stop = at + 4;
        if (is_scheme && stop < end && (points[stop] | 0x20) == 's') stop++;
    } else {
        is_scheme = at + 2 < end && is_letters(points, at + 1, 't', 'p');
        stop = at + 3;
    }
    if (!is_scheme || stop + 2 >= end) return at;
    return points[stop] == ':' && points[stop + 1] == '/' && points[stop + 2] == '/' ? stop + 3 : at;
}

static inline i64 visible_end(const u32 *points, i64 at, i64 end, const u8 *classes) {
    while (at < end && classes[points[at]] & SIGN_VISIBLE) at++;
    return at;
}

static inline i64 host_end(const u32 *points, i64 at, i64 end, const u8 *classes) {
    while (at < end && is_in_label(points[at], classes)) at++;
    return at;
}

/* Where the address of mail that begins at `at` ends: name@host.part; `at` if none does. */
static inline i64 mail_end(const u32 *points, i64 at, i64 end, const u8 *classes) {
    i64 stop = at;
    while (stop < end && classes[points[stop]] & (SIGN_KEEP | SIGN_IN_NAME)) stop++;
    if (stop == at || stop + 1 >= end || points[stop] != '@' || !is_in_label(points[stop + 1], classes)) return at;
    stop = host_end(points, stop + 1, end, classes);
    i64 parts = 0;
    for (; stop + 1 < end && points[stop] == '.' && is_in_label(points[stop + 1], classes); parts++)
        stop = host_end(points, stop + 1, end, classes);
    return parts ? stop : at;
}

/* Where the address that begins at `at`, in a line from `start` to `end`, ends; `at` if none does. */
static inline i64 address_end(const u32 *points, i64 start, i64 at, i64 end, const u8 *classes, bool has_name) {
    const u32 first = points[at] | 0x20;
    if (first == 'h' || first == 'f') {
        const i64 stop = after_scheme(points, at, end);
        if (stop > at && stop < end && classes[points[stop]] & SIGN_VISIBLE)
            return visible_end(points, stop, end, classes);
    }
    const u8 before = at > start ? classes[points[at - 1]] : 0;
    if (first == 'w' && !(before & SIGN_KEEP) && at + 4 < end && points[at + 3] == '.') {
        const bool is_web = is_letters(points, at + 1, 'w', 'w');
        if (is_web && classes[points[at + 4]] & SIGN_VISIBLE) return visible_end(points, at + 4, end, classes);
    }
    if (has_name && !(before & (SIGN_KEEP | SIGN_IN_NAME))) return mail_end(points, at, end, classes);
    return at;
}

#endif
