package org.neardup.query;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.neardup.signature.QGramBitmap;
import org.neardup.signature.QGramKeys;
import org.neardup.signature.Signer;

/**
 * What the documents of a segment are compared with one by one: the q-grams of A, and their bitmap in every size that
 * documents have, each made when it is first needed. One plan serves all shards of a node, and is kept for a while. So
 * no bitmap is made in sizes where it is of little use, those of sets many times as large as A, which only match at a
 * low t.
 */
final class ScanPlan extends QueryPlan {
    /**
     * No bitmap is made that is more than this many times as large as that of A's own size: all others together take 40
     * of the {@link #QGRAM_BYTES}.
     */
    private static final int LARGEST = 4;

    private final QGramKeys keys;
    private final int q;

    /** By the binary logarithm of the number of words; of two sizes with the same logarithm, the smaller one first. */
    private final AtomicReferenceArray<SetBitmap> bitmaps = new AtomicReferenceArray<>(2 * Integer.SIZE);

    /** @param q code points in a q-gram */
    ScanPlan(QGramKeys keys, int q, Threshold threshold) {
        super(keys.size(), threshold);
        this.keys = keys;
        this.q = q;
    }

    /**
     * How many q-grams of A a normal form has. Cutting a long one reserves {@code memory}, as several may be cut at
     * once.
     */
    int shared(String normalForm, MemoryCheck memory) {
        return normalForm.length() <= Signer.KEPT_LENGTH
                ? keys.shared(normalForm, q)
                : memory.during(QGRAM_BYTES * normalForm.length(), () -> keys.shared(normalForm, q));
    }

    /** The bitmap of A in the size of documents with {@code other} q-grams; null for a size in which none is made. */
    SetBitmap bitmap(int other, MemoryCheck memory) {
        int words = QGramBitmap.words(other);
        if (words > LARGEST * QGramBitmap.words(size())) {
            return null;
        }
        int place = 2 * Integer.numberOfTrailingZeros(Integer.highestOneBit(words)) + (Integer.bitCount(words) - 1);
        SetBitmap bitmap = bitmaps.get(place);
        if (bitmap == null) {
            memory.ensure(SetBitmap.weight(words));
            bitmap = new SetBitmap(keys, words);
            bitmaps.set(place, bitmap);
        }
        return bitmap;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ScanPlan plan
                && q == plan.q
                && threshold().equals(plan.threshold())
                && keys.equals(plan.keys);
    }

    @Override
    public int hashCode() {
        return 31 * keys.hashCode() + threshold().hashCode();
    }
}
