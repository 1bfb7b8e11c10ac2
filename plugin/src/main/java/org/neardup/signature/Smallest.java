package org.neardup.signature;

import java.util.HexFormat;
import java.util.List;

/** The smallest of many keys, taken as unsigned integers, each once. Used again and again. */
final class Smallest {
    /** Turns the order of unsigned numbers into that of signed ones, and back. */
    private static final long SIGN = Long.MIN_VALUE;

    private final long[] held;
    private int count;
    private int limit;

    /** @param most the largest number of keys that will be asked for */
    Smallest(int most) {
        held = new long[most];
    }

    /** Takes the {@code most} smallest of the keys of all grams of a text, whose windows of q code points have these keys. */
    void take(Gram gram, long[] keys, int windows, int most) {
        int grams = gram.count(windows);
        int second = gram.second();
        int third = gram.third();
        long one = gram.one();
        long two = gram.two();
        long three = gram.three();
        count = 0;
        limit = most;
        long bound = Long.MAX_VALUE; // the largest key that may still come in
        for (int i = 0; i < grams; i++) {
            long key = keys[i] * one + keys[i + second] * two + keys[i + third] * three ^ SIGN;
            // Nearly every key is turned away here.
            if (key <= bound) {
                bound = insert(key);
            }
        }
    }

    /** Puts {@code key} where it belongs, if it is not there; returns the new bound. */
    private long insert(long key) {
        int at = count;
        while (at > 0 && held[at - 1] > key) {
            at--;
        }
        boolean there = at > 0 && held[at - 1] == key;
        if (!there && at < limit) {
            count = Math.min(count + 1, limit);
            System.arraycopy(held, at, held, at + 1, count - 1 - at);
            held[at] = key;
        }
        return count < limit ? Long.MAX_VALUE : held[limit - 1];
    }

    /** Appends the keys to {@code digits}, ascending, 16 hex digits each. */
    void appendTo(List<String> digits) {
        for (int i = 0; i < count; i++) {
            digits.add(HexFormat.of().toHexDigits(held[i] ^ SIGN));
        }
    }
}
