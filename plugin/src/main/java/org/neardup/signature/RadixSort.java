package org.neardup.signature;

import java.util.Arrays;

/** Sorts 64-bit numbers without sign in linear time, byte by byte from the last. Used again and again. */
final class RadixSort {
    private static final int BYTES = Long.BYTES;
    private static final int VALUES = 256;

    private final int[] counts = new int[BYTES * VALUES];
    private long[] spare = {};

    /** Sorts {@code numbers[0]} to {@code numbers[count - 1]}. */
    void sort(long[] numbers, int count) {
        if (count == 0) {
            return;
        }
        spare = Buffers.growNoCopy(spare, count);
        count(numbers, count);
        long[] from = numbers;
        long[] to = spare;
        for (int place = 0; place < BYTES; place++) {
            // A byte that all numbers share orders nothing: half of them, in q-grams of one script.
            if (counts[slot(from[0], place)] == count) {
                continue;
            }
            placesFromCounts(place);
            for (int i = 0; i < count; i++) {
                to[counts[slot(from[i], place)]++] = from[i];
            }
            long[] sorted = to;
            to = from;
            from = sorted;
        }
        if (from != numbers) {
            System.arraycopy(from, 0, numbers, 0, count);
        }
    }

    private void count(long[] numbers, int count) {
        Arrays.fill(counts, 0);
        for (int i = 0; i < count; i++) {
            long number = numbers[i];
            for (int place = 0; place < BYTES; place++) {
                counts[slot(number, place)]++;
            }
        }
    }

    private static int slot(long number, int place) {
        return place * VALUES | (int) (number >>> Byte.SIZE * place) & 0xFF;
    }

    /** Turns the counts of one byte's values into where the first number with each value goes. */
    private void placesFromCounts(int place) {
        int next = 0;
        for (int slot = place * VALUES; slot < (place + 1) * VALUES; slot++) {
            int count = counts[slot];
            counts[slot] = next;
            next += count;
        }
    }
}
