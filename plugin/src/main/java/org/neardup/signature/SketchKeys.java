package org.neardup.signature;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/** The keys of one sketch, its parts one behind the other, each ascending. Equal if all keys are. */
public final class SketchKeys {
    private static final byte[] DIGITS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".getBytes(StandardCharsets.US_ASCII);
    private static final int DIGIT_BITS = 6;
    private static final int SHORT_DIGITS = 5;
    private static final int SHORT = (1 << DIGIT_BITS * SHORT_DIGITS) - 1;

    private final long[] keys;

    /** A sketch of these keys; the caller must not use the array any more. */
    SketchKeys(long[] keys) {
        this.keys = keys;
    }

    /** 16 hex digits for each key, in a list that belongs to the caller. */
    public List<String> digits() {
        List<String> digits = new ArrayList<>(keys.length);
        for (long key : keys) {
            digits.add(HexFormat.of().toHexDigits(key));
        }
        return digits;
    }

    /** The lowest 30 bits of one key as five digits of base 64. */
    public static String shortDigits(long key) {
        return new SketchKeys(new long[] {key}).shortDigits();
    }

    /** The lowest 30 bits of each key as a number of four bytes, the lowest byte first; all of them in base 64. */
    String packed() {
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES * keys.length).order(ByteOrder.LITTLE_ENDIAN);
        for (long key : keys) {
            bytes.putInt((int) key & SHORT);
        }
        return Base64.getEncoder().encodeToString(bytes.array());
    }

    /** The packed form of keys of 30 bits. */
    public static String packed(int[] numbers) {
        return new SketchKeys(Arrays.stream(numbers).asLongStream().toArray()).packed();
    }

    /**
     * The numbers of packed keys.
     *
     * @throws IllegalArgumentException for a string that is no packed sketch
     */
    public static int[] unpacked(String packed) {
        byte[] bytes = Base64.getDecoder().decode(packed);
        int[] numbers = new int[bytes.length / Integer.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(numbers);
        if (bytes.length % Integer.BYTES != 0 || Arrays.stream(numbers).anyMatch(number -> (number & ~SHORT) != 0)) {
            throw new IllegalArgumentException("not a packed sketch");
        }
        return numbers;
    }

    /** The lowest 30 bits of each key as five digits of base 64, separated by single spaces. */
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
