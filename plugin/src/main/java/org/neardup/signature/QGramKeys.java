package org.neardup.signature;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** The keys of a set of q-grams, to count how many of them other sets have. Immutable; one serves all threads. */
public final class QGramKeys {
    /** As in {@link QGrams}: a number that no sender knows. */
    private static final long SPREAD = ThreadLocalRandom.current().nextLong() | 1;

    private static final int FEWEST_SLOTS = 4;

    private static final ThreadLocal<Workspace> KEPT = ThreadLocal.withInitial(Workspace::new);

    private final long[] keys;
    private final int shift;

    /** By open addressing: the place of a key in {@link #keys} plus 1, or 0. */
    private final int[] slots;

    /** @param qgrams distinct ones, as their own characters */
    public QGramKeys(List<String> qgrams) {
        keys = qgrams.stream().mapToLong(QGrams::key).toArray();
        // A load of at most a half.
        slots = new int[Math.max(FEWEST_SLOTS, Integer.highestOneBit(Math.max(1, keys.length)) << 2)];
        shift = Long.SIZE - Integer.numberOfTrailingZeros(slots.length);
        for (int i = 0; i < keys.length; i++) {
            slots[slot(keys[i])] = i + 1;
        }
    }

    /** The number of keys. */
    public int size() {
        return keys.length;
    }

    /** The key at {@code place}. */
    public long get(int place) {
        return keys[place];
    }

    /** The slot that holds {@code key}, or the free one where it would be. */
    private int slot(long key) {
        int slot = (int) (key * SPREAD >>> shift);
        while (slots[slot] != 0 && keys[slots[slot] - 1] != key) {
            slot = slot + 1 & slots.length - 1;
        }
        return slot;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof QGramKeys set && Arrays.equals(keys, set.keys);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(keys);
    }

    /** How many q-grams, of {@code q} code points, {@code normalForm} has in common with the set. */
    public int shared(String normalForm, int q) {
        Workspace work = normalForm.length() <= Signer.KEPT_LENGTH ? KEPT.get() : new Workspace();
        work.form.take(normalForm);
        work.qgrams.build(work.form, q);
        int shared = 0;
        for (int i = 0; i < work.qgrams.count; i++) {
            shared += slots[slot(work.qgrams.distinctKey(i))] == 0 ? 0 : 1;
        }
        return shared;
    }

    /** The working memory of one thread at one normal form. */
    private static final class Workspace {
        final NormalForm form = new NormalForm();
        final QGrams qgrams = new QGrams();
    }
}
