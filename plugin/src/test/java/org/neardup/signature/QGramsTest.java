package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("q-grams")
class QGramsTest {
    private static final Comparator<String> BY_CODE_POINT =
            Comparator.comparing(gram -> gram.codePoints().toArray(), Arrays::compare);

    /** Letters of one script each, the last ones at both sides of the surrogates and above U+FFFF. */
    private static final List<int[]> ALPHABETS = List.of(
            "ab".codePoints().toArray(),
            "abcdefghijklmnopqrstuvwxyzäé0123456789".codePoints().toArray(),
            new int[] {'a', 0x3B1, 0x4E00, 0xD7A3, 0xF900, 0xFF21, 0xFFDC},
            new int[] {'a', 0x4E00, 0xFF21, 0x10400, 0x1D400, 0x20BB7, 0x2F9F4});

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 8, 16})
    @DisplayName("are the set of all windows, sorted by code point, whatever was taken before")
    void allWindows(int q) {
        Random random = new Random(q);
        NfcText text = new NfcText();
        NormalForm form = new NormalForm();
        QGrams qgrams = new QGrams();
        for (int round = 0; round < 400; round++) {
            int[] alphabet = ALPHABETS.get(random.nextInt(ALPHABETS.size()));
            int length = random.nextInt(round % 10 == 0 ? 3000 : 40);
            int[] points = random.ints(length, 0, alphabet.length)
                    .map(i -> alphabet[i])
                    .toArray();
            text.read(new String(points, 0, length));
            form.build(text, false);
            qgrams.build(form, q);

            TreeSet<String> expected = new TreeSet<>(BY_CODE_POINT);
            for (int at = 0; at + q <= form.count; at++) {
                expected.add(new String(form.points, at, q));
            }
            assertEquals(new ArrayList<>(expected), qgrams.sorted());
            assertEquals(expected.size(), qgrams.count);
        }
    }
}
