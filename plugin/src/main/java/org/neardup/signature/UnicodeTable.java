package org.neardup.signature;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The properties of code points in Unicode 16.0, whatever version of Unicode the running JVM knows (format: {@code
 * tables/unicode.py}).
 *
 * <p>About 2.4 MB, read once.
 */
final class UnicodeTable {
    /** General category L, M or N: what the normal form consists of. The lowest bit: loops count with it. */
    static final int KEEP = 0x01;
    /** A word by itself: of a script written without spaces. */
    static final int ALONE = 0x02;
    /** May change under NFC; a text without any such code point is in NFC. */
    static final int NFC_CHECK = 0x04;
    /** Has a simple lower-case mapping to another code point. */
    static final int LOWER = 0x08;
    /** White_Space. */
    static final int SPACE = 0x10;
    /** A line break. */
    static final int BREAK = 0x20;
    /** Ends a sentence wherever it stands. */
    static final int END = 0x40;
    /** Ends a sentence before white space and at the end of the text. */
    static final int END_BEFORE_SPACE = 0x80;

    private static final int CODE_POINTS = 0x110000;
    private static final int PAGE = 256;

    /** The class of each code point: the bits above. */
    final byte[] classes = new byte[CODE_POINTS];
    /** The canonical combining class of each code point. */
    final byte[] ccc = new byte[CODE_POINTS];
    /** The lowest code point that may change under NFC. */
    final int plainBelow;

    /** Lower case by pages of 256 code points; null: the page has no upper case. */
    private final int[][] lowerPages = new int[CODE_POINTS / PAGE][];

    private final int[] decomposed;
    private final int[] decompositionStarts;
    private final int[] decompositions;
    private final long[] pairs;
    private final int[] composites;

    private UnicodeTable(ByteBuffer payload) {
        payload.get(classes).get(ccc);
        int plain = 0;
        while ((classes[plain] & NFC_CHECK) == 0) {
            plain++;
        }
        plainBelow = plain;
        int lowered = payload.getInt();
        int[] upper = ints(payload, lowered);
        int[] lower = ints(payload, lowered);
        for (int i = 0; i < lowered; i++) {
            int page = upper[i] / PAGE;
            if (lowerPages[page] == null) {
                lowerPages[page] = new int[PAGE];
                Arrays.setAll(lowerPages[page], offset -> page * PAGE + offset);
            }
            lowerPages[page][upper[i] % PAGE] = lower[i];
        }
        int decomposing = payload.getInt();
        int values = payload.getInt();
        decomposed = ints(payload, decomposing);
        decompositionStarts = ints(payload, decomposing + 1);
        decompositions = ints(payload, values);
        pairs = new long[payload.getInt()];
        payload.asLongBuffer().get(pairs);
        payload.position(payload.position() + Long.BYTES * pairs.length);
        composites = ints(payload, pairs.length);
    }

    /** The table that ships with the plugin. */
    static UnicodeTable get() {
        return Holder.TABLE;
    }

    private static int[] ints(ByteBuffer payload, int count) {
        int[] values = new int[count];
        payload.asIntBuffer().get(values);
        payload.position(payload.position() + Integer.BYTES * count);
        return values;
    }

    /** The simple lower case of a code point: itself if it has none. */
    int lower(int point) {
        int[] page = lowerPages[point / PAGE];
        return page == null ? point : page[point % PAGE];
    }

    /** Writes the full canonical decomposition of {@code point} by the table to {@code out}; returns the next index. */
    int decompose(int point, int[] out, int at) {
        int slot = Arrays.binarySearch(decomposed, point);
        if (slot < 0) {
            out[at] = point;
            return at + 1;
        }
        int start = decompositionStarts[slot];
        int length = decompositionStarts[slot + 1] - start;
        System.arraycopy(decompositions, start, out, at, length);
        return at + length;
    }

    /** The primary composite of two code points by the table, or -1. */
    int compose(int first, int second) {
        int slot = Arrays.binarySearch(pairs, (long) first << 32 | second);
        return slot < 0 ? -1 : composites[slot];
    }

    private static final class Holder {
        static final UnicodeTable TABLE =
                new UnicodeTable(DataFile.shipped("unicode16.bin", "UNIC").payload());
    }
}
