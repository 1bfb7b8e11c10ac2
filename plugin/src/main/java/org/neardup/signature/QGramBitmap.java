package org.neardup.signature;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;

/**
 * A bit for each q-gram of a set, by which a search tells that two sets have too little in common without reading them
 * (docs/definitions.md, Bitmap of q-grams).
 */
public final class QGramBitmap {
    private static final int QGRAMS_PER_WORD = 32;

    private QGramBitmap() {}

    /** How many 64-bit words the bitmap of a set of {@code count} q-grams has: two to three bits for each of them. */
    public static int words(int count) {
        int needed = Math.max(1, count / QGRAMS_PER_WORD + (count % QGRAMS_PER_WORD == 0 ? 0 : 1));
        int power = Integer.highestOneBit(needed);
        if (power == needed) {
            return power;
        }
        return needed <= power + power / 2 ? power + power / 2 : 2 * power;
    }

    /** The bit that the q-gram of {@code key} sets in a bitmap of {@code words} words. */
    public static int bit(long key, int words) {
        return (int) ((key >>> Integer.SIZE) * ((long) Long.SIZE * words) >>> Integer.SIZE);
    }

    /** The bitmap of a set in base 64, word by word, each with its lowest byte first. */
    static String text(QGrams qgrams) {
        int words = words(qgrams.count);
        long[] bits = new long[words];
        for (int i = 0; i < qgrams.windows; i++) {
            int bit = bit(qgrams.keys[i], words);
            bits[bit / Long.SIZE] |= 1L << bit;
        }
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * words).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(bits);
        return Base64.getEncoder().encodeToString(bytes.array());
    }
}
