package org.neardup.signature;

import java.util.Objects;

/**
 * What shapes a signature besides the lexicon; only signatures of equal recipes can be compared ({@code model/settings.py}).
 *
 * @param q code points in a q-gram, 1 to 16
 * @param foldCase whether the normal form is lower-cased
 * @param simhashVariants how many simhashes, 1 to 10
 * @param sketchSize how many keys each part of a sketch holds, 1 to 64
 * @param reach the lowest threshold that the sketch is made for
 * @param salt the salt that makes the sketch secret; null for none
 */
public record Recipe(int q, boolean foldCase, int simhashVariants, int sketchSize, Reach reach, Salt salt) {
    public static final int MAX_Q = 16;
    public static final int MAX_SIMHASH_VARIANTS = 10;
    public static final int MAX_SKETCH_SIZE = 64;

    /** The recipe where no option says otherwise. */
    public static final Recipe DEFAULT = new Recipe(4, false, 1, 32, Reach.SIX_TENTHS, null);

    public Recipe {
        check("q", q, 1, MAX_Q);
        check("simhash_variants", simhashVariants, 1, MAX_SIMHASH_VARIANTS);
        check("sketch_size", sketchSize, 1, MAX_SKETCH_SIZE);
        Objects.requireNonNull(reach, "reach");
    }

    private static void check(String name, int value, int low, int high) {
        if (value < low || value > high) {
            throw new IllegalArgumentException(name + " is " + value + ": it must be from " + low + " to " + high);
        }
    }

    /** The whole recipe as one string, to the letter what Python writes. */
    public String text(String lexiconId) {
        return "neardup-2:q" + q + (foldCase ? ":fold" : ":case") + ":u16:lex-" + lexiconId + ":sketch-" + sketchSize
                + "-" + reach + ":simhash-" + simhashVariants + (salt == null ? "" : ":salt-" + salt.mark());
    }
}
