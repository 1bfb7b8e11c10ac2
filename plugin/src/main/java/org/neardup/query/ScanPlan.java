package org.neardup.query;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.neardup.signature.QGramBitmap;
import org.neardup.signature.QGramKeys;
import org.neardup.signature.Signer;

/**
 * What the documents of a segment are held against one by one: the q-grams of A, and their bitmaps of every size that
 * documents have, made when the first one of it comes. One serves all shards of a node, and is kept for a while; so
 * there are none of sizes that tell little, those of sets many times as large as A, which only match at a low t.
 */
final class ScanPlan extends QueryPlan {
    /** Larger than so many times that of A no bitmap is made: all others take 40 bytes of the {@link #QGRAM_BYTES}. */
    private static final int LARGEST = 4;

    private final QGramKeys keys;
    private final int q;

    /** By the binary logarithm of how many words; of two sizes with the same logarithm the smaller one first. */
    private final AtomicReferenceArray<SetBitmap> bitmaps = new AtomicReferenceArray<>(2 * Integer.SIZE);

    /** @param q code points in a q-gram */
    ScanPlan(QGramKeys keys, int q, Threshold threshold) {
        super(keys.size(), threshold);
        this.keys = keys;
        this.q = q;
    }

    /** How many q-grams of A a normal form has; cutting a long one holds {@code memory}: several are cut side by side. */
    int shared(String normalForm, MemoryCheck memory) {
        return normalForm.length() <= Signer.KEPT_LENGTH
                ? keys.shared(normalForm, q)
                : memory.during(QGRAM_BYTES * normalForm.length(), () -> keys.shared(normalForm, q));
    }

    /** The bitmap of A of the size that documents of {@code other} q-grams have; null for one that is not made. */
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
