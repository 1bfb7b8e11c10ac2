package org.neardup.signature;

/**
 * The q-grams of which a gram is made: its key is the sum of theirs, each times a factor.
 *
 * @param second where the second q-gram begins, in code points behind the first; 0 if there is none
 * @param third where the third one begins
 * @param one the first one's factor
 * @param two the second one's; 0 if there is none
 * @param three the third one's
 */
record Gram(int second, int third, long one, long two, long three) {
    /** The gram whose q-grams begin at {@code offsets}, from 0 up, with the factors from {@code first} on. */
    static Gram of(int[] offsets, long[] factors, int first) {
        boolean second = offsets.length > 1;
        boolean third = offsets.length > 2;
        return new Gram(
                second ? offsets[1] : 0,
                third ? offsets[2] : 0,
                factors[first],
                second ? factors[first + 1] : 0,
                third ? factors[first + 2] : 0);
    }

    /** How many such grams a text with {@code windows} windows of q code points has, including repeated ones. */
    int count(int windows) {
        return windows - Math.max(second, third);
    }
}
