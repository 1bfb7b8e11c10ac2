package org.neardup.query;

import java.io.IOException;
import java.math.BigDecimal;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.common.io.stream.Writeable;

/**
 * A threshold t of doc_q as an exact decimal fraction, 0 &lt; t &lt;= 1: 0.7 is 7/10, not the nearest binary number
 * ({@code model/settings.py}, exact_threshold).
 */
record Threshold(int numerator, int denominator) implements Writeable {
    /** The threshold of a query that does not give one. */
    static final Threshold DEFAULT = new Threshold(7, 10);

    private static final int DECIMALS = 6;

    /** The most characters in a written number: a million digits would be seconds of work. */
    private static final int MAX_CHARACTERS = 100;

    /** The threshold that {@code text} writes as a decimal number of at most six decimals. */
    static Threshold parse(String text) {
        if (text.length() > MAX_CHARACTERS) {
            throw wrong(text, "a number of at most six decimals");
        }
        BigDecimal value;
        try {
            value = new BigDecimal(text).stripTrailingZeros();
        } catch (NumberFormatException cause) {
            throw wrong(text, "a number above 0 and at most 1, such as 0.7");
        }
        if (value.signum() <= 0 || value.compareTo(BigDecimal.ONE) > 0) {
            throw wrong(text, "a number above 0 and at most 1, such as 0.7");
        }
        if (value.scale() > DECIMALS) {
            throw wrong(text, "a number of at most six decimals");
        }
        return new Threshold(
                value.unscaledValue().intValueExact(),
                BigDecimal.ONE.movePointRight(value.scale()).intValueExact());
    }

    private static IllegalArgumentException wrong(String text, String expected) {
        return new IllegalArgumentException("[threshold] is [" + Shown.of(text) + "]: it must be " + expected);
    }

    static Threshold read(StreamInput in) throws IOException {
        return new Threshold(in.readVInt(), in.readVInt());
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
        out.writeVInt(numerator);
        out.writeVInt(denominator);
    }

    /** The smallest whole number that is at least t times {@code size}. */
    long of(long size) {
        return (size * numerator + denominator - 1) / denominator;
    }

    /** As a decimal number. */
    BigDecimal decimal() {
        return BigDecimal.valueOf(numerator).divide(BigDecimal.valueOf(denominator));
    }

    @Override
    public String toString() {
        return decimal().toPlainString();
    }
}
