package org.neardup.signature;

/**
 * The code points of a text in Normalization Form C of Unicode 16 (UAX #15; The Unicode Standard, 3.11 and 3.12).
 *
 * <p>Our own, because {@code java.text.Normalizer} follows the Unicode version of the JVM. Nearly every text is in NFC
 * already, which one table bit a code point shows; only stretches around a code point with that bit are decomposed,
 * reordered and composed. Used again for text after text.
 */
final class NfcText {
    private static final int S_BASE = 0xAC00;
    private static final int L_BASE = 0x1100;
    private static final int V_BASE = 0x1161;
    private static final int T_BASE = 0x11A7;
    private static final int L_COUNT = 19;
    private static final int V_COUNT = 21;
    private static final int T_COUNT = 28;
    private static final int S_COUNT = L_COUNT * V_COUNT * T_COUNT;

    /** No code point decomposes into more. */
    private static final int LONGEST_DECOMPOSITION = 4;

    /** A run of marks longer than this (no language has one) is sorted by counting, so that time stays linear. */
    private static final int LONG_RUN = 32;

    private final UnicodeTable table = UnicodeTable.get();
    private char[] units = {};

    /** The code points; only the first {@link #count} mean anything. */
    int[] points = {};
    /** How many code points. */
    int count;

    /** How many UTF-16 units or code points {@code text} has in NFC, at most: a few characters become two or three. */
    static long longest(String text) {
        UnicodeTable table = UnicodeTable.get();
        int[] parts = new int[LONGEST_DECOMPOSITION];
        long longest = text.length();
        for (int at = 0; at < text.length(); at++) {
            int point = text.codePointAt(at);
            if ((table.classes[point] & UnicodeTable.NFC_CHECK) != 0) {
                longest += table.decompose(point, parts, 0) - 1;
            }
        }
        return longest;
    }

    /** Reads {@code text}, whose unpaired surrogates are an error. */
    void read(String text) {
        int length = text.length();
        units = Buffers.growNoCopy(units, length);
        points = Buffers.growNoCopy(points, length + 1);
        text.getChars(0, length, units, 0);
        byte[] classes = table.classes;
        int plainBelow = table.plainBelow;
        int[] out = points;
        int n = 0;
        int stretch = -1; // where the code points to be normalised begin, or -1
        int at = 0;
        while (at < length) {
            if (stretch < 0) {
                while (at < length && units[at] < plainBelow) {
                    out[n++] = units[at++];
                }
                if (at == length) {
                    break;
                }
            }
            int point = units[at++];
            if (Character.isSurrogate((char) point)) {
                point = codePoint(text, at - 1);
                at++;
            }
            if ((classes[point] & UnicodeTable.NFC_CHECK) != 0) {
                // Buffers for the code point before, this one and all that follow, one each until the next stretch.
                out = points = Buffers.grow(points, n + 2 * LONGEST_DECOMPOSITION + length - at);
                if (stretch < 0) {
                    stretch = Math.max(n - 1, 0);
                    // The code point before may compose with this one; those before it cannot.
                    n = n == 0 ? 0 : decompose(out[n - 1], n - 1);
                }
                n = decompose(point, n);
                continue;
            }
            if (stretch >= 0) {
                n = normalised(stretch, n);
                stretch = -1;
            }
            out[n++] = point;
        }
        count = stretch < 0 ? n : normalised(stretch, n);
    }

    private static int codePoint(String text, int at) {
        int point = text.codePointAt(at);
        if (point < Character.MIN_SUPPLEMENTARY_CODE_POINT) {
            throw new UnpairedSurrogateException(point, text.codePointCount(0, at));
        }
        return point;
    }

    private int decompose(int point, int at) {
        int index = point - S_BASE;
        if (index < 0 || index >= S_COUNT) {
            return table.decompose(point, points, at);
        }
        points[at] = L_BASE + index / (V_COUNT * T_COUNT);
        points[at + 1] = V_BASE + index % (V_COUNT * T_COUNT) / T_COUNT;
        if (index % T_COUNT == 0) {
            return at + 2;
        }
        points[at + 2] = T_BASE + index % T_COUNT;
        return at + 3;
    }

    /** Reorders and composes the decomposed points from {@code start} to {@code end}; returns the new end. */
    private int normalised(int start, int end) {
        int run = start;
        for (int at = start; at < end; at++) {
            if (table.ccc[points[at]] == 0) {
                reorder(run, at);
                run = at + 1;
            }
        }
        reorder(run, end);
        return composed(start, end);
    }

    /** Canonical ordering (D109): the marks from {@code start} to {@code end}, stably sorted by combining class. */
    private void reorder(int start, int end) {
        if (end - start > LONG_RUN) {
            reorderByCounting(start, end);
            return;
        }
        for (int at = start + 1; at < end; at++) {
            int mark = points[at];
            int to = at;
            for (; to > start && combiningClass(points[to - 1]) > combiningClass(mark); to--) {
                points[to] = points[to - 1];
            }
            points[to] = mark;
        }
    }

    private void reorderByCounting(int start, int end) {
        int[] next = new int[257];
        for (int at = start; at < end; at++) {
            next[combiningClass(points[at]) + 1]++;
        }
        for (int i = 1; i < next.length; i++) {
            next[i] += next[i - 1];
        }
        int[] sorted = new int[end - start];
        for (int at = start; at < end; at++) {
            sorted[next[combiningClass(points[at])]++] = points[at];
        }
        System.arraycopy(sorted, 0, points, start, sorted.length);
    }

    /** Canonical composition (D117) in place; returns the new end. */
    private int composed(int start, int end) {
        int starter = -1;
        int lastClass = 0;
        int out = start;
        for (int at = start; at < end; at++) {
            int point = points[at];
            int pointClass = combiningClass(point);
            // Blocked: something stands between it and the starter whose class is 0 or not below its own.
            boolean blocked = starter < 0 || out - starter > 1 && lastClass >= pointClass;
            int composite = blocked ? -1 : compose(points[starter], point);
            if (composite >= 0) {
                points[starter] = composite;
                continue;
            }
            if (pointClass == 0) {
                starter = out;
            }
            lastClass = pointClass;
            points[out++] = point;
        }
        return out;
    }

    private int compose(int first, int second) {
        int lead = first - L_BASE;
        int vowel = second - V_BASE;
        if (lead >= 0 && lead < L_COUNT && vowel >= 0 && vowel < V_COUNT) {
            return S_BASE + (lead * V_COUNT + vowel) * T_COUNT;
        }
        int syllable = first - S_BASE;
        int tail = second - T_BASE;
        if (syllable >= 0 && syllable < S_COUNT && syllable % T_COUNT == 0 && tail > 0 && tail < T_COUNT) {
            return first + tail;
        }
        return table.compose(first, second);
    }

    private int combiningClass(int point) {
        return table.ccc[point] & 0xFF;
    }
}
