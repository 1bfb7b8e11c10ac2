package org.neardup.signature;

/**
 * Makes sketches: the smallest keys of a text's grams, which are runs of code points longer than q, or of all q-grams of a
 * small set (docs/definitions.md, Sketch). Safe for several threads.
 */
final class Sketch {
    /** Sets of more q-grams are sampled by wide grams. */
    private static final int WIDE_ABOVE = 512;

    private static final int FACTORS = 6;
    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private final int q;
    private final int size;
    private final Reach reach;
    private final Gram own;
    private final Gram middle;
    private final Gram wide;

    Sketch(Recipe recipe) {
        q = recipe.q();
        size = recipe.sketchSize();
        reach = recipe.reach();
        long[] factors = factors(recipe.salt());
        own = Gram.of(new int[] {0}, factors, 0);
        middle = Gram.of(reach.middle(q), factors, 1);
        wide = Gram.of(reach.wide(q), factors, 3);
    }

    /** C1 to C6: odd, and others for every salt. */
    private static long[] factors(Salt salt) {
        long seed = salt == null ? 0 : salt.seed();
        long[] factors = new long[FACTORS];
        for (int j = 1; j <= FACTORS; j++) {
            factors[j - 1] = QGrams.splitmix64(j * GOLDEN_RATIO + seed) | 1;
        }
        return factors;
    }

    /** Working memory of one thread. */
    static final class Scratch {
        private final Smallest smallest =
                new Smallest(Math.max(Recipe.MAX_SKETCH_SIZE, Reach.HALF.also(Reach.HALF.whole())));
        private final Alphabet alphabet = new Alphabet();
    }

    /** The sketch of a normal form with these q-grams. */
    SketchKeys of(NormalForm form, QGrams qgrams, Scratch scratch) {
        int count = qgrams.count;
        int whole = reach.also(reach.whole());
        long[] keys = {};
        if (count <= whole) {
            keys = with(keys, own, qgrams, count, scratch);
        }
        if (count > reach.whole() && count <= reach.also(WIDE_ABOVE)) {
            keys = with(keys, middle, qgrams, size, scratch);
        }
        if (count > WIDE_ABOVE) {
            keys = with(keys, wide, qgrams, size, scratch);
        }
        if (count > whole && scratch.alphabet.isNarrow(form, q, count)) {
            keys = with(keys, own, qgrams, size, scratch);
        }
        return new SketchKeys(keys);
    }

    private static long[] with(long[] keys, Gram gram, QGrams qgrams, int most, Scratch scratch) {
        scratch.smallest.take(gram, qgrams.keys, qgrams.windows, most);
        return scratch.smallest.behind(keys);
    }
}
