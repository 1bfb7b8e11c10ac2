package org.neardup.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Random;
import org.elasticsearch.common.io.stream.BytesStreamOutput;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A threshold")
class ThresholdTest {
    private static final Duration AT_ONCE = Duration.ofSeconds(30); // written out, the number would take hours

    @ParameterizedTest
    @CsvSource({
        "0.7, 7, 10",
        "0.70, 7, 10",
        "7e-1, 7, 10",
        "+.7, 7, 10",
        "700E-3, 7, 10",
        "1, 1, 1",
        "1.0, 1, 1",
        "1e0, 1, 1",
        "0.1e1, 1, 1",
        "0.000001, 1, 1000000",
        "0.999999, 999999, 1000000",
        "0.5000000000, 5, 10",
    })
    @DisplayName("is the fraction that a decimal number writes, however it is written")
    void parsed(String text, int numerator, int denominator) {
        assertEquals(new Threshold(numerator, denominator), Threshold.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "0.0",
                "-0",
                "-1",
                "1.01",
                "1.000001",
                "2",
                "NaN",
                "Infinity",
                "abc",
                "",
                " 0.7",
                "0,7",
                "0x1p-1",
                "true",
                "1e999999999",
                "10e2147483647",
                "1e99999999999",
            })
    @DisplayName("outside of (0, 1], or no number, is refused with its text and what it must be")
    void outside(String text) {
        String message = refused(text);
        assertTrue(message.contains("[" + text + "]"), message);
        assertTrue(message.endsWith("it must be a number above 0 and at most 1, such as 0.7"), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.1234567", "0.70000001", "1e-7", "1e-999999999", "0.1e-2147483646"})
    @DisplayName("of more than six decimals is refused, without writing them out")
    void tooFine(String text) {
        String message = refused(text);
        assertTrue(message.contains("[" + text + "]"), message);
        assertTrue(message.endsWith("it must be a number of at most six decimals"), message);
    }

    @Test
    @DisplayName("of a million digits is refused at once and not repeated")
    void digits() {
        for (String head : new String[] {"0.7", "0.0", "9"}) {
            assertTrue(refused(head + head.charAt(head.length() - 1) + "0".repeat(1_000_000) + "1")
                            .length()
                    < 300);
        }
    }

    private static String refused(String text) {
        return assertTimeoutPreemptively(
                AT_ONCE, () -> assertThrows(IllegalArgumentException.class, () -> Threshold.parse(text))
                        .getMessage());
    }

    @Test
    @DisplayName("asks for the smallest whole number that is at least t times a size")
    void ceiling() {
        Random random = new Random(1);
        for (int round = 0; round < 20_000; round++) {
            int numerator = 1 + random.nextInt(1_000_000);
            Threshold threshold = new Threshold(numerator, 1_000_000);
            long size = round % 2 == 0 ? random.nextInt(2_000) : random.nextInt(Integer.MAX_VALUE);
            BigInteger asked = BigInteger.valueOf(threshold.of(size)).multiply(BigInteger.valueOf(1_000_000));
            BigInteger exact = BigInteger.valueOf(size).multiply(BigInteger.valueOf(numerator));
            assertTrue(asked.compareTo(exact) >= 0);
            assertTrue(asked.subtract(BigInteger.valueOf(1_000_000)).compareTo(exact) < 0);
        }
        assertEquals(7, Threshold.parse("0.7").of(10)); // 0.7 * 10 is above 7 in binary numbers
        assertEquals(Integer.MAX_VALUE, Threshold.parse("1").of(Integer.MAX_VALUE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.7", "1", "0.000001", "0.123456", "0.25"})
    @DisplayName("is told, and sent to another node, as it was given")
    void told(String text) throws Exception {
        Threshold threshold = Threshold.parse(text);
        assertEquals(text, threshold.toString());
        BytesStreamOutput out = new BytesStreamOutput();
        threshold.writeTo(out);
        assertEquals(threshold, Threshold.read(out.bytes().streamInput()));
    }
}
