package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Unicode 16, on any JVM")
class UnicodeTest {
    private static final UnicodeTable TABLE = UnicodeTable.get();

    private static IntStream scalars() {
        return IntStream.range(0, 0x110000).filter(point -> point < 0xD800 || point > 0xDFFF);
    }

    private static String nfc(String text) {
        NfcText read = new NfcText();
        read.read(text);
        return new String(read.points, 0, read.count);
    }

    private static long digest(IntFunction<String> value) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        scalars().forEach(point -> {
            all.writeBytes(value.apply(point).getBytes(StandardCharsets.UTF_8));
            all.write('\n');
        });
        return XxHash64.hash(all.toByteArray(), 0, all.size(), 0);
    }

    // The numbers in the next three tests are xxh64 of the same bytes as Python's oracle makes them.

    @Test
    @DisplayName("classes and combining classes are those that Python reads")
    void classes() {
        assertEquals(0xAA7E51A099C24301L, XxHash64.hash(TABLE.classes, 0, TABLE.classes.length, 0));
        assertEquals(0x37D606019ECCF454L, XxHash64.hash(TABLE.ccc, 0, TABLE.ccc.length, 0));
    }

    @Test
    @DisplayName("the lower case of every code point is Python's")
    void lower() {
        assertEquals(0xE702522B312284D3L, digest(point -> Character.toString(TABLE.lower(point))));
        scalars()
                .forEach(point ->
                        assertEquals(TABLE.lower(point) != point, (TABLE.classes[point] & UnicodeTable.LOWER) != 0));
    }

    @Test
    @DisplayName("the NFC of every code point, alone and among others, is Python's")
    void normalised() {
        assertEquals(0xEFBC92F76E03D79FL, digest(point -> nfc(Character.toString(point))));
        assertEquals(0x99795D4DCAFD8576L, digest(point -> nfc("a" + Character.toString(point) + "\u0301\u0323")));
        assertEquals(0xF9BCA1435033684EL, digest(point -> nfc("\u1100" + Character.toString(point) + "\u11A8")));
    }

    @Test
    @DisplayName("the NFC of every code point that the JVM knows is the JVM's")
    void sameAsTheJvm() {
        // Normalisation of what is assigned never changes (Unicode Character Encoding Stability Policies), so an older
        // JVM can be asked about all it knows. A newer one may know code points that Unicode 16 does not.
        int sibe = 0x1E6C0; // TAI YO LETTER LOW KO, new in Unicode 17
        boolean newer = Character.getType(sibe) != Character.UNASSIGNED;
        int[] known = scalars()
                .filter(point -> Character.getType(point) != Character.UNASSIGNED)
                .filter(point -> !newer || TABLE.classes[point] != 0)
                .toArray();
        assertTrue(known.length > 130_000);
        for (int point : known) {
            String alone = Character.toString(point);
            sameAsTheJvm(alone);
            sameAsTheJvm("a" + alone + "\u0301\u0323");
            sameAsTheJvm("\u1100" + alone + "\u11A8");
            sameAsTheJvm("\uAC00" + alone + "\u0338\u0345");
        }
    }

    private static void sameAsTheJvm(String text) {
        assertEquals(Normalizer.normalize(text, Normalizer.Form.NFC), nfc(text));
    }

    @Test
    @DisplayName("the NFC of random sequences of marks, composites and Hangul is the JVM's")
    void sequences() {
        int[] interesting = scalars()
                .filter(point -> (TABLE.classes[point] & UnicodeTable.NFC_CHECK) != 0
                        || !Normalizer.isNormalized(Character.toString(point), Normalizer.Form.NFD))
                .filter(point -> Character.getType(point) != Character.UNASSIGNED)
                .toArray();
        int[] plain = {'a', 'e', 'o', 'A', 0x3B1, 0x9A8, 0x1100, 0x1161, 0x11A8, 0xAC00, 0xAC01, 0x301, 0x323, 0x345};
        Random random = new Random(16);
        for (int round = 0; round < 30_000; round++) {
            StringBuilder text = new StringBuilder();
            // Now and then a run of marks that is sorted by counting.
            int length = round % 50 == 0 ? 120 : 1 + random.nextInt(12);
            for (int i = 0; i < length; i++) {
                int[] pool = random.nextInt(3) == 0 ? plain : interesting;
                text.appendCodePoint(pool[random.nextInt(pool.length)]);
            }
            assertEquals(Normalizer.normalize(text, Normalizer.Form.NFC), nfc(text.toString()), () -> escaped(text));
        }
    }

    private static String escaped(CharSequence text) {
        List<String> points = new ArrayList<>();
        text.codePoints().forEach(point -> points.add("U+%04X".formatted(point)));
        return points.toString();
    }

    @Test
    @DisplayName("a text of nothing but marks takes linear time")
    void manyMarks() {
        int times = 200_000;
        String text = "q" + "\u0301\u0323\u0345\u0334".repeat(times);
        String sorted = assertTimeout(Duration.ofSeconds(30), () -> nfc(text));
        // By combining class; no mark composes with q. (The JVM's own normaliser needs minutes.)
        String expected =
                "q" + "\u0334".repeat(times) + "\u0323".repeat(times) + "\u0301".repeat(times) + "\u0345".repeat(times);
        assertEquals(expected, sorted);
    }

    @Test
    @DisplayName("reading a text leaves nothing behind for the next")
    void usedAgain() {
        NfcText read = new NfcText();
        for (String text :
                new String[] {"", "e\u0301", "\uFB2C".repeat(50), "e", "\u1161", "", "\uD834\uDD60\uD834\uDD60"}) {
            read.read(text);
            String expected = Normalizer.normalize(text, Normalizer.Form.NFC);
            assertArrayEquals(expected.codePoints().toArray(), Arrays.copyOf(read.points, read.count));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'\uD83D', U+D83D, 0",
        "'a\uDE00', U+DE00, 1",
        "'\uD83D\uDE00\uD83D', U+D83D, 1",
        "'ab\uD83Dc', U+D83D, 2"
    })
    @DisplayName("an unpaired surrogate is an error that names it and its place in code points")
    void surrogates(String text, String unit, int position) {
        UnpairedSurrogateException error = assertThrows(UnpairedSurrogateException.class, () -> nfc(text));
        assertEquals("text has the unpaired surrogate " + unit + " at position " + position, error.getMessage());
    }
}
