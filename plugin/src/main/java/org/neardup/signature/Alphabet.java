package org.neardup.signature;

import java.util.Arrays;

/**
 * Whether the letters of a normal form are so few that two sets of its q-grams are alike by chance (docs/definitions.md,
 * Sketch). Used again and again.
 */
final class Alphabet {
    /** The most code points of a form that are looked at. */
    private static final int SAMPLE = 256;

    /** A load of at most a half. */
    private static final int SLOTS = 2 * SAMPLE;

    private static final int SPREAD = 0x9E3779B9;
    private static final int SHIFT = Integer.SIZE - Integer.numberOfTrailingZeros(SLOTS);

    private final int[] points = new int[SLOTS];
    private final int[] counts = new int[SLOTS];

    /** Whether the alphabet of {@code form}, which has {@code count} distinct q-grams, is narrow. */
    boolean isNarrow(NormalForm form, int q, int count) {
        int step = (form.count + SAMPLE - 1) / SAMPLE;
        long letters = 0;
        long pairs = 0;
        Arrays.fill(counts, 0);
        for (int at = 0; at < form.count; at += step) {
            // The c-th of the same letter makes c - 1 more pairs, each counted twice.
            pairs += 2L * counts[slot(form.points[at])]++;
            letters++;
        }
        if (pairs == 0) {
            return false;
        }
        double alphabet = (double) (letters * (letters - 1)) / pairs;
        double possible = 1;
        for (int i = 0; i < q; i++) {
            possible *= alphabet;
        }
        return 4.0 * count >= possible;
    }

    private int slot(int point) {
        int slot = point * SPREAD >>> SHIFT;
        while (counts[slot] != 0 && points[slot] != point) {
            slot = slot + 1 & SLOTS - 1;
        }
        points[slot] = point;
        return slot;
    }
}
