package org.neardup.signature;

/**
 * Sorts ints by what they stand for, without boxing them: the JDK sorts only objects by a comparator.
 *
 * <p>Kept beside {@code Arrays.sort(Integer[], Comparator)} by measurement (the 6-grams of English texts of 100 to
 * 50,000 characters, JDK 25): that one takes 1.1 to 2.1 times as long, 1.3 times as a rule, and an object a number.
 */
final class Sorting {
    /** Up to this many items are sorted by insertion. */
    private static final int INSERTION_SIZE = 12;

    private Sorting() {}

    /** The order of what two numbers stand for. */
    @FunctionalInterface
    interface Order {
        int compare(int a, int b);
    }

    /** Sorts {@code items[from]} to {@code items[to - 1]}, stably; {@code spare} is as long as {@code items}. */
    static void sort(int[] items, int from, int to, int[] spare, Order order) {
        if (to - from <= INSERTION_SIZE) {
            insertionSort(items, from, to, order);
            return;
        }
        int middle = from + to >>> 1;
        sort(items, from, middle, spare, order);
        sort(items, middle, to, spare, order);
        if (order.compare(items[middle - 1], items[middle]) <= 0) {
            return;
        }
        System.arraycopy(items, from, spare, from, middle - from);
        int left = from;
        int right = middle;
        for (int at = from; left < middle; at++) {
            boolean takesRight = right < to && order.compare(items[right], spare[left]) < 0;
            items[at] = takesRight ? items[right++] : spare[left++];
        }
    }

    private static void insertionSort(int[] items, int from, int to, Order order) {
        for (int i = from + 1; i < to; i++) {
            int item = items[i];
            int at = i;
            for (; at > from && order.compare(items[at - 1], item) > 0; at--) {
                items[at] = items[at - 1];
            }
            items[at] = item;
        }
    }
}
