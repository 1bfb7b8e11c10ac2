/* The measures from which a kind is computed, of two marked normal forms (docs/definitions.md, Kinds).
 * src/neardup/kernels/pairs.py
 *
 * They are whole numbers: sizes of sets of q-grams and their overlaps, passages, what is quoted from the other text.
 * The slow counterpart is neardup.oracle.kinds.
 */
#ifndef NEARDUP_PAIRS_H
#define NEARDUP_PAIRS_H

#include "core.h"
#include "gram_sets.h"
#include "marks.h"
#include "signs.h"
#include "text.h"

enum { SHORT_TEXT = 200 };   /* own words of fewer code points are compared by short q-grams */
enum { FIGURE_SIGN = 0x23 }; /* what stands for a figure: no normal form has it */
enum { NOT_OWN = TOKEN | QUOTED | FOOTER };

/* A limit times this decides whether a measure can matter: kinds/kind.py divides where this code multiplies, and by
 * rounding it may reach a limit that a product just misses. To measure too much changes no kind.
 */
#define NEARLY (1 - 1e-9)

/* Where each measure begins in a row; see `measure_pairs` in Python. */
enum {
    DECIDED = 0,
    LIKENESS = 1,
    PASSAGES = 4,
    PLAIN = 6,
    WITH_SIGNS = 9,
    BORROWED_A = 12,
    BORROWED_B = 16,
    COLUMNS = 20,
};
enum { SAME_TEXT = 1, OTHER_NUMBERS = 2, BOTH_EMPTY = 3, ENOUGH = 4 };

typedef struct {
    MarkScratch mark;
    MarkedForm a;
    MarkedForm b;
    u32 *own_a;
    u32 *own_b;
    GramScratch grams;
} PairScratch;

#define PAIR_SCRATCH \
    MARK_SCRATCH ", " MARKED_FORM("a") ", " MARKED_FORM("b") ", scratch.own_a u4!, scratch.own_b u4!, " GRAM_SCRATCH

static inline PairScratch pair_scratch_of(const Arg **rest) {
    const MarkScratch mark = mark_scratch_of(rest);
    const MarkedForm a = marked_form_of(rest), b = marked_form_of(rest);
    const Arg *own = take(rest, 2);
    return (PairScratch){mark, a, b, own[0].data, own[1].data, gram_scratch_of(rest)};
}

typedef struct {
    double enough;
    double form_below;
    double alike;
    double spread;
    double form_share;
    i64 passage;
    i64 spread_run;
} PairLimits;

#define PAIR_LIMITS                                                                           \
    "limits.enough float, limits.form_below float, limits.alike float, limits.spread float, " \
    "limits.form_share float, limits.passage int, limits.spread_run int"

static inline PairLimits pair_limits_of(const Arg **rest) {
    const Arg *a = take(rest, 7);
    return (PairLimits){a[0].real, a[1].real, a[2].real, a[3].real, a[4].real, a[5].number, a[6].number};
}

#define EACH_BYTE 0x0101010101010101ULL

/* The bits that any of the flags has. */
static inline u8 marks_of(const u8 *flags, i64 n) {
    u8 marks = 0;
    for (i64 i = 0; i < n; i++) marks |= flags[i];
    return marks;
}

/* Writes the own words of a marked normal form to `out`, perhaps with signs for figures; returns how many.
 *
 * Writes all of the form if no words are its own. Eight code points at once where they stay as they are; otherwise each
 * is written, and counted only if it is kept, as in `scan_words`.
 */
static inline i64 own_words(const u32 *restrict form, const u8 *restrict flags, i64 n, bool with_signs,
                            u32 *restrict out) {
    bool any_own = false;
    if (marks_of(flags, n) & NOT_OWN)
        for (i64 i = 0; i < n; i++) any_own |= (flags[i] & NOT_OWN) == 0;
    if (!(any_own || with_signs)) {
        memcpy(out, form, (size_t)n * sizeof *out);
        return n;
    }
    const u8 left_out = any_own ? NOT_OWN : 0, as_sign = with_signs ? FIGURE : 0;
    const u64 not_as_it_is = (left_out | as_sign) * EACH_BYTE;
    i64 count = 0;
    for (i64 i = 0; i < n;) {
        if (i + 8 <= n && !(read64(flags + i) & not_as_it_is)) {
            memcpy(out + count, form + i, 8 * sizeof *out);
            count += 8;
            i += 8;
            continue;
        }
        const u8 flag = flags[i];
        const bool is_sign = flag & as_sign;
        out[count] = is_sign ? FIGURE_SIGN : form[i];
        count += ((flag & left_out) == 0) & (!is_sign | ((flag & BEGINS) != 0));
        i++;
    }
    return count;
}

/* See DECIDED of `measure_pairs`. */
static inline i64 sameness_of(const u32 *form_a, const u8 *flags_a, i64 n_a, const u32 *form_b, const u8 *flags_b,
                              i64 n_b) {
    if (n_a != n_b || memcmp(form_a, form_b, (size_t)n_a * sizeof *form_a)) return 0;
    if (n_a == 0) return BOTH_EMPTY;
    u8 differ = 0;
    for (i64 i = 0; i < n_a; i++) differ |= flags_a[i] ^ flags_b[i];
    return differ & (FIGURE | BEGINS | POINT) ? OTHER_NUMBERS : SAME_TEXT;
}

enum {
    ANCHOR = 4,       /* code points that are looked for at once */
    FIRST_ANCHOR = 8, /* how far behind a difference the first of them lies, and each one more than twice as far */
    LAST_ANCHOR = 400,
    LOOKED_BEHIND = 24, /* how much farther than twice that it is looked for */
};

/* Where the code points `anchor[:ANCHOR]` first stand in `points[:n]`; n if they do not. */
static inline i64 find_anchor(const u32 *restrict points, i64 n, const u32 *restrict anchor) {
    i64 at = 0;
    for (; at + 16 + ANCHOR <= n; at += 16) {
        const u32 *few = points + at;
        u32 differ[16], any = 0;
        for (int i = 0; i < 16; i++)
            differ[i] =
                (few[i] ^ anchor[0]) | (few[i + 1] ^ anchor[1]) | (few[i + 2] ^ anchor[2]) | (few[i + 3] ^ anchor[3]);
        for (int i = 0; i < 16; i++) any |= differ[i] == 0;
        if (!any) continue;
        for (int i = 0;; i++)
            if (differ[i] == 0) return at + i;
    }
    for (; at + ANCHOR <= n; at++)
        if (!difference_of(points + at, anchor, ANCHOR)) return at;
    return n;
}

/* Sets how many code points of `a[:n_a]` and of `b[:n_b]` must be skipped until both continue alike for a long q-gram;
 * returns whether such a place was found: a few are tried.
 */
static inline bool find_next_run(const u32 *a, i64 n_a, const u32 *b, i64 n_b, i64 *pass_a, i64 *pass_b) {
    for (i64 ahead = FIRST_ANCHOR; ahead <= LAST_ANCHOR && ahead + LONG_Q <= n_b; ahead += ahead + FIRST_ANCHOR) {
        const i64 most = min_i64(n_a, 2 * ahead + LOOKED_BEHIND);
        const i64 at = find_anchor(a, most, b + ahead);
        if (at + LONG_Q > n_a || difference_of(a + at, b + ahead, LONG_Q)) continue;
        const i64 before = common_end(a + at, b + ahead, min_i64(at, ahead));
        *pass_a = at - before;
        *pass_b = ahead - before;
        return true;
    }
    return false;
}

/* Whether two texts are so alike that they are copies whatever the other measures are, by runs that both have in the
 * same order: only long q-grams outside runs can be in one text alone, and only text between runs can be a passage of
 * its own. Both together have at least `in_short` short q-grams, and as many long ones, but for eight of each text;
 * those long q-grams of the first text that lie in runs are in the second, too.
 *
 * Often enough this misses that texts are alike, but a positive answer is certain. Linear, and much faster than
 * counting.
 */
static inline bool is_surely_alike(const u32 *a, i64 n_a, const u32 *b, i64 n_b, i64 in_short, const PairLimits *limits,
                                   const GramScratch *grams) {
    const i64 windows_a = n_a - LONG_Q + 1, windows = windows_a + n_b - LONG_Q + 1;
    const double may_be_outside = (1 - limits->form_below) * (double)windows;
    i64 at_a = 0, at_b = 0, inside = 0, gap_a = 0, gap_b = 0;
    while (true) {
        const i64 run = common_begin(a + at_a, b + at_b, min_i64(n_a - at_a, n_b - at_b));
        i64 pass_a, pass_b;
        if (run >= LONG_Q) {
            inside += run - LONG_Q + 1;
            at_a += run;
            at_b += run;
        }
        if ((double)(at_a + at_b - 2 * inside) > may_be_outside) return false;
        if (!find_next_run(a + at_a, n_a - at_a, b + at_b, n_b - at_b, &pass_a, &pass_b)) break;
        gap_a = max_i64(gap_a, pass_a);
        gap_b = max_i64(gap_b, pass_b);
        at_a += pass_a;
        at_b += pass_b;
    }
    gap_a = max_i64(gap_a, n_a - at_a);
    gap_b = max_i64(gap_b, n_b - at_b);
    const double outside = (double)(windows - 2 * inside);
    const double enough = min_i64(gap_a, gap_b) < limits->passage ? limits->form_below : limits->enough;
    if (outside > (1 - enough) * (double)windows) return false;
    if (outside <= (1 - enough) * (double)(in_short - 2 * (LONG_Q - SHORT_Q))) return true;
    return outside <= (1 - enough) * (double)(2 * least_grams(a, n_a, grams) - (windows_a - inside));
}

static inline double likeness_of(const i64 *row) {
    const i64 both = row[LIKENESS + 2], sizes = row[LIKENESS] + row[LIKENESS + 1];
    return sizes ? (double)(2 * both) / (double)sizes : 0.0;
}

/* Fills the row of a pair of marked normal forms of `n_a` and `n_b` code points, except for what figures decide and
 * what is borrowed; returns whether these are needed.
 */
static inline bool measure_words(i64 n_a, i64 n_b, i64 larger, i64 shared, const PairLimits *limits,
                                 const PairScratch *scratch, i64 *row) {
    memset(row, 0, COLUMNS * sizeof *row);
    const u32 *own_a = scratch->a.form, *own_b = scratch->b.form;
    const u8 *flags_a = scratch->a.flags, *flags_b = scratch->b.flags;
    row[DECIDED] = sameness_of(own_a, flags_a, n_a, own_b, flags_b, n_b);
    if (row[DECIDED]) return false;
    const GramScratch *grams = &scratch->grams;
    i64 size_a = n_a, size_b = n_b;
    if ((marks_of(flags_a, n_a) | marks_of(flags_b, n_b)) & NOT_OWN) {
        size_a = own_words(own_a, flags_a, n_a, false, scratch->own_a);
        size_b = own_words(own_b, flags_b, n_b, false, scratch->own_b);
        own_a = scratch->own_a;
        own_b = scratch->own_b;
    }
    const bool is_known = larger > 0 && size_a == n_a && size_b == n_b;
    const i64 q = min_i64(size_a, size_b) < SHORT_TEXT ? SHORT_Q : LONG_Q;
    /* Few others are that much alike by long q-grams. */
    const bool may_be_alike = is_known && q == LONG_Q && 10 * shared >= 9 * larger;
    if (may_be_alike && is_surely_alike(own_a, size_a, own_b, size_b, larger + shared, limits, grams)) {
        row[DECIDED] = ENOUGH;
        return false;
    }
    const i64 passage = count_sets(own_a, size_a, own_b, size_b, q, grams, row + LIKENESS);
    const double likeness = likeness_of(row);
    if (likeness >= limits->enough) {
        row[DECIDED] = ENOUGH;
        return false;
    }
    const bool is_spread =
        likeness < limits->alike && (!is_known || (double)shared >= limits->spread * (double)larger * NEARLY);
    row[PASSAGES + 1] = passage;
    const bool may_be_frame = likeness >= limits->alike && passage >= limits->passage;
    if (may_be_frame || (is_spread && passage <= limits->spread_run)) row[PASSAGES] = longest_outside(size_a, q, grams);
    if (likeness >= limits->form_below) return false;
    if (is_known) {
        row[PLAIN] = row[PLAIN + 1] = larger;
        row[PLAIN + 2] = shared;
    } else {
        count_sets(own_a, size_a, own_b, size_b, SHORT_Q, grams, row + PLAIN);
    }
    return true;
}

typedef struct {
    i64 count;
    i64 touched;
} FigureCounts;

/* How many figures there are, and how many short q-grams at most touch one. */
static inline FigureCounts count_figures(const u8 *flags, i64 n) {
    i64 count = 0, inside = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        const u64 eight = read64(flags + i);
        count += ones(eight & BEGINS * EACH_BYTE);
        inside += ones(eight & FIGURE * EACH_BYTE);
    }
    for (; i < n; i++) {
        count += (flags[i] & BEGINS) != 0;
        inside += (flags[i] & FIGURE) != 0;
    }
    return (FigureCounts){count, inside + (SHORT_Q - 1) * count};
}

/* Whether figures can be the share `form_share` of the differences. `plain` has |A|, |B|, |A ∩ B| of the short q-grams,
 * or twice the larger size and the overlap. No more than four q-grams a figure contain its sign, and only those that
 * touch a figure disappear. A q-gram with a sign that both have is also in the set of either text, so that it counts in
 * the numerator and in the denominator.
 */
static inline bool may_be_form(FigureCounts a, FigureCounts b, const i64 *plain, double form_share) {
    const i64 larger = max_i64(plain[0], plain[1]);
    const i64 rest = larger - max_i64(a.touched, b.touched);
    if (rest <= 0) return true;
    const i64 most = SHORT_Q * min_i64(a.count, b.count);
    const double masked = (double)(plain[2] + most) / (double)(rest + most);
    const double score = (double)plain[2] / (double)larger;
    return masked - score >= form_share * (1 - score) * NEARLY;
}

/* Sets out[:4] to how many code points a normal form has, and how many of them lie in long q-grams (at the indexes from
 * `first` on) that both texts have: of all, of quoted lines, of footers.
 */
static inline void count_borrowed(i64 n, const u8 *flags, i64 first, const GramScratch *grams, i64 *out) {
    const i64 last = n - LONG_Q + 1;
    i64 covered = 0, all = 0, quoted = 0, in_footers = 0;
    for (i64 at = 0; at < n; at++) {
        if (at < last && is_shared(grams, first + at)) covered = at + LONG_Q;
        const i64 is_covered = at < covered;
        all += is_covered;
        quoted += is_covered & ((flags[at] & QUOTED) != 0);
        in_footers += is_covered & ((flags[at] & FOOTER) != 0);
    }
    out[0] = n;
    out[1] = all;
    out[2] = quoted;
    out[3] = in_footers;
}

/* Fills in the rest of a row, of texts whose figure words are marked, too. */
static inline void measure_figures(i64 n_a, i64 n_b, const PairLimits *limits, const PairScratch *scratch, i64 *row) {
    const u32 *form_a = scratch->a.form, *form_b = scratch->b.form;
    const u8 *flags_a = scratch->a.flags, *flags_b = scratch->b.flags;
    const GramScratch *grams = &scratch->grams;
    if (may_be_form(count_figures(flags_a, n_a), count_figures(flags_b, n_b), row + PLAIN, limits->form_share)) {
        const i64 size_a = own_words(form_a, flags_a, n_a, true, scratch->own_a);
        const i64 size_b = own_words(form_b, flags_b, n_b, true, scratch->own_b);
        count_sets(scratch->own_a, size_a, scratch->own_b, size_b, SHORT_Q, grams, row + WITH_SIGNS);
    }
    const u8 marks = marks_of(flags_a, n_a) | marks_of(flags_b, n_b);
    if (likeness_of(row) >= limits->alike || !(marks & (QUOTED | FOOTER))) return;
    i64 sizes[3];
    count_sets(form_a, n_a, form_b, n_b, LONG_Q, grams, sizes);
    count_borrowed(n_a, flags_a, 0, grams, row + BORROWED_A);
    count_borrowed(n_b, flags_b, max_i64(n_a - LONG_Q + 1, 0), grams, row + BORROWED_B);
}

/* `mark_text`, lower-cased if `fold`. */
static inline i64 mark_folded(const u8 *data, i64 length, bool fold, const TextTables *tables,
                              const SignTables *sign_tables, const MarkScratch *scratch, const MarkedForm *out,
                              i64 *words) {
    const i64 n = mark_text(data, length, tables, sign_tables, scratch, out, words);
    for (i64 i = 0; fold && i < n; i++) out->form[i] = tables->lower[out->form[i]];
    return n;
}

KERNEL(measure_pairs, "data u1, offsets i8, first i8, second i8, known i8, fold int, " PAIR_LIMITS ", " TEXT_TABLES
                      ", " SIGN_TABLES ", " PAIR_SCRATCH ", out i8!") {
    const u8 *data = a[0].data;
    const i64 *offsets = a[1].data, *first = a[2].data, *second = a[3].data, *known = a[4].data;
    const bool fold = a[5].number != 0;
    const Arg *rest = a + 6;
    const PairLimits limits = pair_limits_of(&rest);
    const TextTables tables = text_tables_of(&rest);
    const SignTables sign_tables = sign_tables_of(&rest);
    const PairScratch scratch = pair_scratch_of(&rest);
    i64 *row = rest[0].data;
    i64 last = -1, n_b = 0, words_a, words_b = 0;
    for (i64 i = 0; i < a[2].length; i++, row += COLUMNS) {
        const i64 from_a = offsets[first[i]], from_b = offsets[second[i]];
        const i64 n_a = mark_folded(data + from_a, offsets[first[i] + 1] - from_a, fold, &tables, &sign_tables,
                                    &scratch.mark, &scratch.a, &words_a);
        if (second[i] != last) {
            n_b = mark_folded(data + from_b, offsets[second[i] + 1] - from_b, fold, &tables, &sign_tables,
                              &scratch.mark, &scratch.b, &words_b);
            last = second[i];
        }
        if (!measure_words(n_a, n_b, known[2 * i], known[2 * i + 1], &limits, &scratch, row)) continue;
        mark_figure_words(&scratch.a, words_a, &sign_tables);
        mark_figure_words(&scratch.b, words_b, &sign_tables);
        measure_figures(n_a, n_b, &limits, &scratch, row);
    }
    return 0;
}

KERNEL(own_words, "form u4, flags u1, out u4!") {
    return own_words(a[0].data, a[1].data, a[0].length, false, a[2].data);
}

#endif
