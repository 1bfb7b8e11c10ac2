package org.neardup.query;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.lucene.util.BytesRef;
import org.neardup.signature.QGramBitmap;
import org.neardup.signature.QGramKeys;

/**
 * The bitmap of A, by which sets that share too little with A are left out.
 *
 * <p>A q-gram of A whose bit is not set in the bitmap of B is surely not in B, and the other way round (Sandes, Teodoro
 * &amp; Melo 2020). No match is lost by that.
 */
final class SetBitmap {
    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Words between two checks of whether the answer is known. */
    private static final int WORDS_AT_ONCE = 8;

    private final long[] bits;

    /** By bit: how many q-grams besides the first one set it, 127 at most. */
    private final byte[] more;

    /** The bitmap of {@code keys} in a number of {@code words}. */
    SetBitmap(QGramKeys keys, int words) {
        bits = new long[words];
        more = new byte[Long.SIZE * words];
        for (int i = 0; i < keys.size(); i++) {
            int bit = QGramBitmap.bit(keys.get(i), words);
            long one = 1L << bit;
            if ((bits[bit / Long.SIZE] & one) == 0) {
                bits[bit / Long.SIZE] |= one;
            } else if (more[bit] < Byte.MAX_VALUE) {
                more[bit]++;
            }
        }
    }

    /** Bytes of memory of a bitmap of {@code words} words: each bit, and a byte for it. */
    static long weight(int words) {
        return (long) (Long.BYTES + Long.SIZE) * words;
    }

    /** Where in {@code value} the bitmap of a document, of the size of this one, begins; -1 if there is none. */
    int in(BytesRef value) {
        int start = BinaryValue.start(value);
        return start >= 0 && BinaryValue.end(value) - start == Long.BYTES * bits.length ? start : -1;
    }

    /**
     * Whether, as far as bitmaps tell, a set B lacks at most {@code most} q-grams of A, and A at most {@code mostOfB}
     * of B. The bitmap of B begins at {@code start} of {@code bytes}.
     */
    boolean mayShare(byte[] bytes, int start, long most, long mostOfB) {
        int lacking = 0;
        int lackingOfB = 0;
        for (int first = 0; first < bits.length; first += WORDS_AT_ONCE) {
            int end = Math.min(first + WORDS_AT_ONCE, bits.length);
            for (int i = first; i < end; i++) {
                long theirs = (long) WORDS.get(bytes, start + Long.BYTES * i);
                lacking += Long.bitCount(bits[i] & ~theirs);
                lackingOfB += Long.bitCount(theirs & ~bits[i]);
            }
            if (lacking > most || lackingOfB > mostOfB) {
                return false;
            }
        }
        return lacking + moreLacking(bytes, start) <= most;
    }

    /** How many q-grams of A the set B lacks besides one for each bit. */
    private int moreLacking(byte[] bytes, int start) {
        int lacking = 0;
        for (int i = 0; i < bits.length; i++) {
            long rest = bits[i] & ~(long) WORDS.get(bytes, start + Long.BYTES * i);
            for (; rest != 0; rest &= rest - 1) {
                lacking += more[Long.SIZE * i + Long.numberOfTrailingZeros(rest)];
            }
        }
        return lacking;
    }
}
