package org.neardup.signature;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** The keys of one sketch, its parts one behind the other, each ascending. Equal if all keys are. */
public final class SketchKeys {
    private static final byte[] DIGITS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".getBytes(StandardCharsets.US_ASCII);
    private static final int DIGIT_BITS = 6;
    private static final int SHORT_DIGITS = 5;

    private final long[] keys;

    /** These keys, the caller's no more. */
    SketchKeys(long[] keys) {
        this.keys = keys;
    }

    /** 16 hex digits a key; a list of the caller's own. */
    public List<String> digits() {
        List<String> digits = new ArrayList<>(keys.length);
        for (long key : keys) {
            digits.add(HexFormat.of().toHexDigits(key));
        }
        return digits;
    }

    /** Of each key the lowest 30 bits as five digits of base 64, one space between two. */
    String shortDigits() {
        byte[] text = new byte[Math.max((SHORT_DIGITS + 1) * keys.length - 1, 0)];
        int at = 0;
        for (long key : keys) {
            if (at > 0) {
                text[at++] = ' ';
            }
            for (int i = SHORT_DIGITS - 1; i >= 0; i--) {
                text[at++] = DIGITS[(int) (key >>> DIGIT_BITS * i) & DIGITS.length - 1];
            }
        }
        return new String(text, StandardCharsets.US_ASCII);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SketchKeys sketch && Arrays.equals(keys, sketch.keys);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(keys);
    }

    @Override
    public String toString() {
        return digits().toString();
    }
}
