package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("xxh64")
class XxHash64Test {
    @Test
    @DisplayName("gives the published values")
    void published() {
        assertEquals(0xEF46DB3751D8E999L, of("", 0));
        assertEquals(0xD24EC4F1A98C6E5BL, of("a", 0));
        assertEquals(0x44BC2CF5AD770999L, of("abc", 0));
    }

    @Test
    @DisplayName("is that of the xxhash package for every length to 299 bytes and three seeds")
    void everyLength() {
        byte[] data = bytes(300);
        long folded = 0;
        for (int length = 0; length < 300; length++) {
            for (long seed : new long[] {0, 1, 0x9E3779B97F4A7C15L}) {
                folded = folded * 31 ^ XxHash64.hash(data, 0, length, seed);
            }
        }
        assertEquals(0x7928363929CD77B8L, folded); // folded so by Python over the hashes of its xxhash package
    }

    @Test
    @DisplayName("looks only at the range it is given")
    void range() {
        byte[] data = "..a sentence of more than thirty-two bytes..".getBytes(StandardCharsets.UTF_8);
        assertEquals(of("a sentence of more than thirty-two bytes", 1), XxHash64.hash(data, 2, data.length - 2, 1));
    }

    @Test
    @DisplayName("of words is the same, wherever they lie")
    void words() {
        byte[] data = bytes(64);
        for (int from = 0; from < 8; from++) {
            for (int to = from; to <= data.length - Long.BYTES; to++) {
                assertEquals(XxHash64.hash(data, from, to, 0), XxHash64.hashWords(data, from, to));
            }
        }
    }

    private static byte[] bytes(int length) {
        byte[] data = new byte[length];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) (i * 131 + 7);
        }
        return data;
    }

    private static long of(String text, long seed) {
        byte[] data = text.getBytes(StandardCharsets.UTF_8);
        return XxHash64.hash(data, 0, data.length, seed);
    }
}
