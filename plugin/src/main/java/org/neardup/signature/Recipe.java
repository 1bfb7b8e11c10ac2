package org.neardup.signature;

import java.math.BigDecimal;

/**
 * What shapes a signature besides the lexicon; only signatures of equal recipes can be compared ({@code model/settings.py}).
 *
 * @param q code points in a q-gram, 1 to 16
 * @param foldCase whether the normal form is lower-cased
 * @param simhashVariants how many simhashes, 1 to 10
 * @param sketchSize how many q-grams a sketch holds, 1 to 64
 * @param alpha how much rarity weighs in the sketch, 0 to 2.5
 */
public record Recipe(int q, boolean foldCase, int simhashVariants, int sketchSize, double alpha) {
    public static final int MAX_Q = 16;
    public static final int MAX_SIMHASH_VARIANTS = 10;
    public static final int MAX_SKETCH_SIZE = 64;
    public static final double MAX_ALPHA = 2.5;

    /** The recipe where no option says otherwise. */
    public static final Recipe DEFAULT = new Recipe(4, false, 1, 32, 1.5);

    public Recipe {
        check("q", q, 1, MAX_Q);
        check("simhash_variants", simhashVariants, 1, MAX_SIMHASH_VARIANTS);
        check("sketch_size", sketchSize, 1, MAX_SKETCH_SIZE);
        check("alpha", alpha, 0, MAX_ALPHA);
    }

    private static void check(String name, double value, double low, double high) {
        if (!(low <= value && value <= high)) {
            throw new IllegalArgumentException(name + " is " + value + ": it must be from " + low + " to " + high);
        }
    }

    /** The whole recipe as one string, to the letter what Python writes. */
    public String text(String lexiconId) {
        return "neardup-1:q" + q + (foldCase ? ":fold" : ":case") + ":u16:lex-" + lexiconId + ":sketch-" + sketchSize
                + "-" + decimal(alpha) + ":simhash-" + simhashVariants;
    }

    /** A number as Python's {@code repr} writes it: Java's shortest digits, an exponent only below 0.0001. */
    private static String decimal(double value) {
        if (value == 0 || value >= 1e-3) {
            return Double.toString(value);
        }
        BigDecimal exact = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        if (value >= 1e-4) {
            return exact.toPlainString();
        }
        String digits = exact.unscaledValue().toString();
        int exponent = exact.scale() - digits.length() + 1;
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        return mantissa + (exponent < 10 ? "e-0" : "e-") + exponent;
    }
}
