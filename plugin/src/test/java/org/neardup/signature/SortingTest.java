package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Sorting numbers by what they stand for")
class SortingTest {
    @Test
    @DisplayName("gives the order asked for, keeps equal ones in theirs, and touches nothing outside the range")
    void sorts() {
        Random random = new Random(5);
        for (int round = 0; round < 2000; round++) {
            int length = random.nextInt(200);
            int distinct = 1 + random.nextInt(50);
            int[] values = random.ints(length, 0, distinct).toArray();
            int[] items = new int[length + 2];
            Arrays.setAll(items, i -> i);
            Integer[] expected = new Integer[length];
            Arrays.setAll(expected, i -> i + 1);
            Arrays.sort(expected, (a, b) -> Integer.compare(values[a - 1], values[b - 1]));

            Sorting.sort(
                    items, 1, length + 1, new int[length + 2], (a, b) -> Integer.compare(values[a - 1], values[b - 1]));

            int[] all = new int[length + 2];
            all[length + 1] = length + 1;
            for (int i = 0; i < length; i++) {
                all[i + 1] = expected[i];
            }
            assertArrayEquals(all, items);
        }
    }
}
