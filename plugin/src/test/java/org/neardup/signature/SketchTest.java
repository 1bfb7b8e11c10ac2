package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.CharBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A sketch")
class SketchTest {
    private final Random random = new Random(32);

    @TempDir
    Path directory;

    private String text(int length) {
        StringBuilder text = new StringBuilder(length);
        random.ints(length, 'a', 'z' + 1).forEach(letter -> text.append((char) letter));
        return text.toString();
    }

    private static int rank(long key, byte[] classes, double alpha) {
        int known = classes == null ? 255 : classes[(int) (key >>> 42)] & 0xFF;
        // All the alphas used here are exact in binary, and so is their product.
        int weight = known == 255 ? 25_000 : (int) Math.floor(1024 * alpha * known / 16 + 0.5);
        return RankTable.exponential()[(int) (key & 0xFFFF)] + weight;
    }

    @ParameterizedTest
    @CsvSource({"4, 32, 1.5", "4, 1, 1.5", "4, 64, 0", "4, 33, 2.5", "5, 32, 1.5", "2, 32, 0.25"})
    @DisplayName("holds the keys of smallest (rank, key); all of them if there are at most 64")
    void smallest(int q, int size, double alpha) throws Exception {
        Path file = directory.resolve("own.lexicon");
        Files.write(file, DataFiles.lexicon("own", 4));
        Lexicon lexicon = Lexicon.load(file);
        byte[] classes = q == 4 ? lexicon.qgramClasses() : null; // what is known of 4-grams says nothing of others
        Signer signer = new Signer(new Recipe(q, false, 1, size, alpha), lexicon);
        for (int length : new int[] {0, 3, 20, 63, 64, 65, 66, 67, 68, 69, 70, 200, 3000}) {
            String text = text(length);
            List<Long> keys = signer.keys(text).stream()
                    .map(key -> HexFormat.fromHexDigitsToLong(key))
                    .toList();
            List<String> expected = keys.stream()
                    .sorted(Comparator.comparingInt((Long key) -> rank(key, classes, alpha))
                            .thenComparing(Long::compareUnsigned))
                    .limit(keys.size() <= 64 ? 64 : size)
                    .map(key -> HexFormat.of().toHexDigits(key))
                    .toList();
            assertEquals(expected, signer.sign(text, false).sketch());
        }
    }

    @Test
    @DisplayName("weighs classes for alpha = 1.5 as the table that ships")
    void shippedWeights() {
        CharBuffer table =
                DataFile.shipped("rank16.bin", "RANK").payload().asCharBuffer().position(0x10000);
        int[] shipped = table.chars().toArray();
        assertArrayEquals(shipped, RankTable.classWeights(1.5));
    }

    @Test
    @DisplayName("takes alpha as a decimal and rounds halves up")
    void decimalWeights() {
        int[] weights = RankTable.classWeights(0.1);
        assertEquals(6, weights[1]); // 6.4
        assertEquals(32, weights[5]); // 32, which ten times the float 0.1 would not be
        assertEquals(25_000, weights[255]);
        assertEquals(1, RankTable.classWeights(0.0078125)[1]); // 0.5
    }
}
