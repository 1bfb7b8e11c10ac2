package org.neardup.signature;

/** Sorts numbers that stand for something else, without boxing them. */
final class Sorting {
    private static final int RUN = 12;

    private Sorting() {}

    /** The order of what two numbers stand for. */
    @FunctionalInterface
    interface Order {
        int compare(int a, int b);
    }

    /** Sorts {@code items[from]} to {@code items[to - 1]}, stably; {@code spare} is as long as {@code items}. */
    static void sort(int[] items, int from, int to, int[] spare, Order order) {
        if (to - from <= RUN) {
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
