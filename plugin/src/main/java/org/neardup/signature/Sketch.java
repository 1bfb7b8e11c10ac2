package org.neardup.signature;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The sketch of a document: its q-grams of the smallest ranks, a bottom-k sample with exponential ranks that prefers
 * rare q-grams (Cohen & Kaplan 2007; in integers: docs/definitions.md, Sketch). Safe for several threads.
 */
final class Sketch {
    /** A set of at most so many q-grams is its own sketch. */
    private static final int COMPLETE_BELOW = 64;

    private final int size;
    private final char[] exponential = RankTable.exponential();
    private final int[] classWeights;
    private final byte[] classes;

    Sketch(Recipe recipe, Lexicon lexicon) {
        size = recipe.sketchSize();
        classWeights = RankTable.classWeights(recipe.alpha());
        // A lexicon of another q knows nothing of these q-grams.
        classes = lexicon.q() == recipe.q() ? lexicon.qgramClasses() : null;
    }

    /** The keys of the sketch of these q-grams, 16 hex digits each, by (rank, key). */
    List<String> of(QGrams qgrams) {
        int limit = qgrams.count <= COMPLETE_BELOW ? qgrams.count : size;
        int[] ranks = new int[limit];
        long[] keys = new long[limit];
        int held = 0;
        int last = Integer.MAX_VALUE; // the rank of the last one once the sketch is full
        for (int i = 0; i < qgrams.count; i++) {
            long key = qgrams.keys[i];
            int rank = rank(key);
            // Nearly every q-gram is turned away here.
            if (rank > last) {
                continue;
            }
            if (held == limit && !before(rank, key, ranks[held - 1], keys[held - 1])) {
                continue;
            }
            int at = held < limit ? held++ : held - 1;
            for (; at > 0 && before(rank, key, ranks[at - 1], keys[at - 1]); at--) {
                ranks[at] = ranks[at - 1];
                keys[at] = keys[at - 1];
            }
            ranks[at] = rank;
            keys[at] = key;
            last = held == limit ? ranks[held - 1] : last;
        }
        List<String> sketch = new ArrayList<>(held);
        for (int i = 0; i < held; i++) {
            sketch.add(HexFormat.of().toHexDigits(keys[i]));
        }
        return sketch;
    }

    private int rank(long key) {
        int known =
                classes == null ? RankTable.UNKNOWN_CLASS : classes[(int) (key >>> Lexicon.QGRAM_SLOT_SHIFT)] & 0xFF;
        return exponential[(int) key & 0xFFFF] + classWeights[known];
    }

    private static boolean before(int rankA, long keyA, int rankB, long keyB) {
        return rankA != rankB ? rankA < rankB : Long.compareUnsigned(keyA, keyB) < 0;
    }
}
