package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The radix sort")
class RadixSortTest {
    @Test
    @DisplayName("sorts numbers without sign, and leaves what is behind them alone")
    void sorts() {
        Random random = new Random(8);
        RadixSort sort = new RadixSort();
        for (int round = 0; round < 1000; round++) {
            // Some bytes shared by all numbers, others not.
            long mask = round % 3 == 0 ? -1 : random.nextLong() & random.nextLong();
            long[] numbers = random.longs(random.nextInt(300))
                    .map(number -> number & mask)
                    .toArray();
            int count = numbers.length == 0 ? 0 : random.nextInt(numbers.length + 1);
            Long[] head = Arrays.stream(numbers, 0, count).boxed().toArray(Long[]::new);
            Arrays.sort(head, Long::compareUnsigned);
            long[] expected = numbers.clone();
            for (int i = 0; i < count; i++) {
                expected[i] = head[i];
            }
            sort.sort(numbers, count);
            assertArrayEquals(expected, numbers);
        }
    }
}
