package org.neardup.signature;

import java.util.Arrays;

/** The smallest of many keys, taken as unsigned integers, each once. Used again and again. */
final class Smallest {
    /** Turns the order of unsigned numbers into that of signed ones, and back. */
    private static final long SIGN = Long.MIN_VALUE;

    /**
     * If there are fewer grams than this many times the keys asked for, all are looked at: a guess would leave out few.
     */
    private static final int GUESS_FROM = 3;

    /** About this many times the keys asked for lie below the bound that is guessed. */
    private static final int GUESSED = 2;

    /** Keys that are sorted are put into two to the power of this parts. */
    private static final int PART_BITS = 7;

    private final long[] held;
    private final long[] parted;
    private final int[] begins = new int[(1 << PART_BITS) + 1];
    private int count;
    private int limit;
    private long[] likely = {};

    /** @param most the largest number of keys that will be asked for */
    Smallest(int most) {
        held = new long[most];
        parted = new long[2 * GUESSED * most];
    }

    /**
     * Takes the {@code most} smallest of the keys of all grams of a text, whose windows of q code points have these keys.
     *
     * <p>Keys are spread evenly, so a bound is guessed below which enough of them should lie. If there are too few,
     * because grams repeat, all are looked at: the guess affects only the speed, never the result.
     */
    void take(Gram gram, long[] keys, int windows, int most) {
        int grams = gram.count(windows);
        count = 0;
        limit = most;
        if (grams > GUESS_FROM * most) {
            long bound = Long.divideUnsigned(-1L, grams) * (GUESSED * most) ^ SIGN;
            int taken = takeBelow(bound, gram, keys, grams);
            sort(taken, bound);
            for (int i = 0; i < taken && count < limit; i++) {
                held[count] = likely[i];
                count += i == 0 || likely[i] != likely[i - 1] ? 1 : 0;
            }
            if (count == limit) {
                return;
            }
            count = 0;
        }
        long bound = Long.MAX_VALUE; // the largest key that may still come in
        int taken = takeBelow(bound, gram, keys, grams);
        for (int i = 0; i < taken; i++) {
            if (likely[i] <= bound) {
                bound = insert(likely[i]);
            }
        }
    }

    /**
     * Sorts the {@code taken} first of {@link #likely}, which are at most {@code bound}.
     *
     * <p>Keys are spread evenly, so each is put into one of many parts by its place below the bound, after which few
     * are out of order. If there are more keys than expected, their spread is unknown, and they are sorted like any
     * numbers.
     */
    private void sort(int taken, long bound) {
        if (taken > parted.length) {
            Arrays.sort(likely, 0, taken);
            return;
        }
        int shift = Long.SIZE - Long.numberOfLeadingZeros(bound ^ SIGN) - PART_BITS;
        Arrays.fill(begins, 0);
        for (int i = 0; i < taken; i++) {
            begins[part(likely[i], shift) + 1]++;
        }
        for (int part = 1; part < begins.length; part++) {
            begins[part] += begins[part - 1];
        }
        for (int i = 0; i < taken; i++) {
            parted[begins[part(likely[i], shift)]++] = likely[i];
        }
        for (int i = 0; i < taken; i++) {
            int at = i;
            for (; at > 0 && likely[at - 1] > parted[i]; at--) {
                likely[at] = likely[at - 1];
            }
            likely[at] = parted[i];
        }
    }

    private static int part(long key, int shift) {
        return (int) ((key ^ SIGN) >>> shift);
    }

    /** Writes those keys of {@code grams} grams that are at most {@code bound} to {@link #likely}; returns how many. */
    private int takeBelow(long bound, Gram gram, long[] keys, int grams) {
        likely = Buffers.growNoCopy(likely, grams);
        long[] out = likely;
        int second = gram.second();
        int third = gram.third();
        long one = gram.one();
        long two = gram.two();
        long three = gram.three();
        int taken = 0;
        for (int i = 0; i < grams; i++) {
            long key = keys[i] * one + keys[i + second] * two + keys[i + third] * three ^ SIGN;
            // Written always, counted only if taken: a branch would be mispredicted.
            out[taken] = key;
            taken += key <= bound ? 1 : 0;
        }
        return taken;
    }

    /** Puts {@code key} where it belongs, if it is not there; returns the new bound. */
    private long insert(long key) {
        int at = count;
        while (at > 0 && held[at - 1] > key) {
            at--;
        }
        boolean there = at > 0 && held[at - 1] == key;
        if (!there && at < limit) {
            count = Math.min(count + 1, limit);
            System.arraycopy(held, at, held, at + 1, count - 1 - at);
            held[at] = key;
        }
        return count < limit ? Long.MAX_VALUE : held[limit - 1];
    }

    /** The keys {@code before}, followed by those that were taken, ascending. */
    long[] behind(long[] before) {
        long[] all = Arrays.copyOf(before, before.length + count);
        for (int i = 0; i < count; i++) {
            all[before.length + i] = held[i] ^ SIGN;
        }
        return all;
    }
}
