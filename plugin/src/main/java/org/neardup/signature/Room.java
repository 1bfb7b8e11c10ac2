package org.neardup.signature;

import java.util.Arrays;

/** Arrays that are used again and grow: each method gives one of at least {@code size}, its content undefined. */
final class Room {
    private Room() {}

    static int[] of(int[] array, int size) {
        return array.length >= size ? array : new int[Math.max(size, 2 * array.length)];
    }

    static long[] of(long[] array, int size) {
        return array.length >= size ? array : new long[Math.max(size, 2 * array.length)];
    }

    static byte[] of(byte[] array, int size) {
        return array.length >= size ? array : new byte[Math.max(size, 2 * array.length)];
    }

    static char[] of(char[] array, int size) {
        return array.length >= size ? array : new char[Math.max(size, 2 * array.length)];
    }

    /** The same array or a longer one with its content. */
    static int[] keeping(int[] array, int size) {
        return array.length >= size ? array : Arrays.copyOf(array, Math.max(size, 2 * array.length));
    }
}
