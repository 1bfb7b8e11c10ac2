package org.neardup.signature;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The distinct q-grams of a normal form with their keys (docs/definitions.md, q-gram and Key). Used again and again.
 *
 * <p>q-grams of up to four code points below 65,536 are kept as packed numbers, whose order is that of the code
 * points; all others as positions in the normal form. Both are gathered by open addressing.
 */
final class QGrams {
    private static final int PACKABLE_Q = 4;
    private static final int FEWEST_SLOTS = 64;

    /** Slots are spread by a number that no sender knows, so that no text can be made whose q-grams all collide. */
    private static final long SPREAD = ThreadLocalRandom.current().nextLong() | 1;

    private final byte[] utf32 = new byte[Integer.BYTES * Recipe.MAX_Q];
    private long[] slots = {};
    private int[] positionSlots = {};
    private int mask;
    private int shift;

    private NormalForm form;
    private int q;
    private boolean packing;
    private long[] packed = {};
    private int[] positions = {};
    private final RadixSort sort = new RadixSort();
    private long[] order = {};

    /** The key of the q-gram at each code point, repeated ones too; only the first {@link #windows} mean anything. */
    long[] keys = {};
    /** At how many code points a q-gram begins. */
    int windows;
    /** How many distinct q-grams. */
    int count;

    /** Gathers the q-grams of {@code normalForm}, which must stay as it is while these are used. */
    void build(NormalForm normalForm, int length) {
        form = normalForm;
        q = length;
        packing = q <= PACKABLE_Q && !form.astral;
        count = 0;
        windows = Math.max(0, form.count - q + 1);
        if (windows == 0) {
            return;
        }
        keys = Buffers.growNoCopy(keys, windows);
        // A load of at most a half.
        int size = Math.max(FEWEST_SLOTS, Integer.highestOneBit(windows) << 2);
        mask = size - 1;
        shift = Long.SIZE - Integer.numberOfTrailingZeros(size);
        if (packing) {
            packed = Buffers.growNoCopy(packed, windows);
            slots = Buffers.growNoCopy(slots, size);
            Arrays.fill(slots, 0, size, 0);
            buildPacked();
        } else {
            positions = Buffers.growNoCopy(positions, windows);
            positionSlots = Buffers.growNoCopy(positionSlots, size);
            Arrays.fill(positionSlots, 0, size, 0);
            buildByPosition();
        }
    }

    private void buildPacked() {
        int[] points = form.points;
        long kept = q == PACKABLE_Q ? -1L : (1L << Character.SIZE * q) - 1;
        long gram = 0;
        for (int i = 0; i < q - 1; i++) {
            gram = gram << Character.SIZE | points[i];
        }
        // Fields in local variables: the JIT would read them again after every write.
        long[] table = slots;
        long[] grams = packed;
        long[] gramKeys = keys;
        int n = 0;
        for (int i = 0, end = windows; i < end; i++) {
            gram = (gram << Character.SIZE | points[i + q - 1]) & kept;
            long key = splitmix64(gram);
            gramKeys[i] = key;
            int slot = (int) (key * SPREAD >>> shift);
            // No normal form holds U+0000, so 0 marks a free slot.
            long held = table[slot];
            while (held != 0 && held != gram) {
                slot = slot + 1 & mask;
                held = table[slot];
            }
            // Written whether new or not, counted only if new: a branch would be mispredicted at every third window.
            table[slot] = gram;
            grams[n] = gram;
            n += held == 0 ? 1 : 0;
        }
        count = n;
    }

    private void buildByPosition() {
        int n = 0;
        for (int i = 0; i < windows; i++) {
            long key = key(form.points, i, q, utf32);
            keys[i] = key;
            int slot = (int) (key * SPREAD >>> shift);
            // A slot holds the position of a q-gram plus 1; 0 marks a free one.
            while (positionSlots[slot] != 0 && compare(positionSlots[slot] - 1, i) != 0) {
                slot = slot + 1 & mask;
            }
            if (positionSlots[slot] == 0) {
                positionSlots[slot] = i + 1;
                positions[n++] = i;
            }
        }
        count = n;
    }

    /** The key of one of the {@link #count} distinct q-grams, by its place. */
    long distinctKey(int place) {
        return packing ? splitmix64(packed[place]) : keys[positions[place]];
    }

    /** The key of a q-gram (docs/definitions.md, Key), given as its own characters. */
    static long key(String gram) {
        int[] points = gram.codePoints().toArray();
        return key(points, 0, points.length, new byte[Integer.BYTES * points.length]);
    }

    /** The key of the q-gram at {@code at}; {@code utf32} is a buffer for it. */
    private static long key(int[] points, int at, int q, byte[] utf32) {
        long gram = 0;
        boolean packable = q <= PACKABLE_Q;
        for (int i = 0; i < q; i++) {
            int point = points[at + i];
            packable &= point <= Character.MAX_VALUE;
            gram = gram << Character.SIZE | point;
            utf32[4 * i] = (byte) point;
            utf32[4 * i + 1] = (byte) (point >> 8);
            utf32[4 * i + 2] = (byte) (point >> 16);
            utf32[4 * i + 3] = 0;
        }
        return packable ? splitmix64(gram) : XxHash64.hash(utf32, 0, Integer.BYTES * q, 0);
    }

    /** The finaliser of splitmix64 (Steele, Lea & Flood 2014): a bijection. */
    static long splitmix64(long value) {
        long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    private int compare(int positionA, int positionB) {
        return Arrays.compare(form.points, positionA, positionA + q, form.points, positionB, positionB + q);
    }

    /** The q-grams as their own characters, by code point; a list of the caller's own. */
    List<String> sorted() {
        return packing ? sortedPacked() : sortedPositions();
    }

    private List<String> sortedPacked() {
        order = Buffers.growNoCopy(order, count);
        System.arraycopy(packed, 0, order, 0, count);
        sort.sort(order, count);
        List<String> sorted = new ArrayList<>(count);
        char[] gram = new char[q];
        for (int at = 0; at < count; at++) {
            long rest = order[at];
            for (int i = q - 1; i >= 0; i--) {
                gram[i] = (char) rest;
                rest >>>= Character.SIZE;
            }
            sorted.add(new String(gram));
        }
        return sorted;
    }

    private List<String> sortedPositions() {
        int[] sortedPositions = Arrays.copyOf(positions, count);
        Sorting.sort(sortedPositions, 0, count, new int[count], this::compare);
        List<String> sorted = new ArrayList<>(count);
        for (int position : sortedPositions) {
            sorted.add(new String(form.points, position, q));
        }
        return sorted;
    }
}
