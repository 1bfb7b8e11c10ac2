package org.neardup.signature;

import java.util.Arrays;

/** Arrays that are used again and grow; as {@code ArrayUtil} of Lucene, which nothing here depends on. */
final class Buffers {
    private Buffers() {}

    /** An array of at least {@code size} elements, their values undefined. */
    static int[] growNoCopy(int[] array, int size) {
        return array.length >= size ? array : new int[Math.max(size, 2 * array.length)];
    }

    /** An array of at least {@code size} elements, their values undefined. */
    static long[] growNoCopy(long[] array, int size) {
        return array.length >= size ? array : new long[Math.max(size, 2 * array.length)];
    }

    /** An array of at least {@code size} elements, their values undefined. */
    static byte[] growNoCopy(byte[] array, int size) {
        return array.length >= size ? array : new byte[Math.max(size, 2 * array.length)];
    }

    /** An array of at least {@code size} elements, their values undefined. */
    static char[] growNoCopy(char[] array, int size) {
        return array.length >= size ? array : new char[Math.max(size, 2 * array.length)];
    }

    /** The same array, or a longer one that begins with its elements. */
    static int[] grow(int[] array, int size) {
        return array.length >= size ? array : Arrays.copyOf(array, Math.max(size, 2 * array.length));
    }
}
