package org.neardup.signature;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** The logarithms of the sketch's ranks as integers (Cohen & Kaplan 2007; tables and format: {@code tables/ranks.py}). */
final class RankTable {
    /** No q-gram, or one that is too rare to tell: ranks last. */
    static final int UNKNOWN_CLASS = 255;

    private static final int UNKNOWN_WEIGHT = 25_000;
    private static final char[] EXPONENTIAL = new char[0x10000];

    static {
        DataFile.shipped("rank16.bin", "RANK").payload().asCharBuffer().get(EXPONENTIAL);
    }

    private RankTable() {}

    /** EL: the logarithm of an exponential variate for each value of a key's low 16 bits. */
    static char[] exponential() {
        return EXPONENTIAL;
    }

    /** WL: what each frequency class adds to a rank; {@code alpha} counts as the decimal it prints as. */
    static int[] classWeights(double alpha) {
        int[] weights = new int[UNKNOWN_CLASS + 1];
        // 1024 · alpha · class / 16, halves rounded up.
        BigDecimal step = new BigDecimal(Double.toString(alpha)).multiply(BigDecimal.valueOf(64));
        for (int known = 0; known < UNKNOWN_CLASS; known++) {
            weights[known] = step.multiply(BigDecimal.valueOf(known))
                    .setScale(0, RoundingMode.HALF_UP)
                    .intValueExact();
        }
        weights[UNKNOWN_CLASS] = UNKNOWN_WEIGHT;
        return weights;
    }
}
