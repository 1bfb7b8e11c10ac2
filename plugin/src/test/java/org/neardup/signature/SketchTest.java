package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A sketch")
class SketchTest {
    private static final String LATIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    private static final List<String> ALPHABETS = List.of(
            LATIN, "ACGT", "0123456789", "x", "\u4E00\u4E8C\u4E09\u56DB\u4E94", "\uD801\uDC00\uD801\uDC01\u00E9ab");

    /** Numbers of windows at both sides of every limit of either reach. */
    private static final int[] LENGTHS = {
        0, 1, 23, 24, 25, 32, 33, 40, 41, 64, 65, 512, 513, 853, 854, 1024, 1025, 1300, 5000
    };

    private final Random random = new Random(32);

    private String text(String alphabet, int length) {
        int[] letters = alphabet.codePoints().toArray();
        int[] points =
                random.ints(length, 0, letters.length).map(i -> letters[i]).toArray();
        return new String(points, 0, length);
    }

    private static Recipe recipe(int q, int size, Reach reach, String salt) {
        return new Recipe(
                q, false, 1, size, reach, salt == null ? null : Salt.of(salt.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<String> sketch(Recipe recipe, String text) {
        return new Signer(recipe, Lexicon.getDefault())
                .sign(text, false)
                .sketch()
                .digits();
    }

    /** C1 to C6 of docs/definitions.md are 0 to 5 here. */
    private static long factor(int index, Salt salt) {
        return QGrams.splitmix64((index + 1) * 0x9E3779B97F4A7C15L + (salt == null ? 0 : salt.seed())) | 1;
    }

    /** The sketch of a normal form, gram by gram as the definition says. */
    private static List<String> plain(Recipe recipe, String form) {
        int q = recipe.q();
        int[] points = form.codePoints().toArray();
        List<Long> keys = IntStream.rangeClosed(0, points.length - q)
                .mapToObj(at -> QGrams.key(new String(points, at, q)))
                .toList();
        int count = (int) keys.stream().distinct().count();
        boolean half = recipe.reach() == Reach.HALF;
        int whole = half ? 32 : 24;
        int alsoWhole = half ? 64 : 40;
        int alsoMiddle = half ? 1024 : 853;
        int[] middle = half ? new int[] {0, (int) Math.ceil(q / 2.0)} : new int[] {0, q};
        int[] wide = half ? new int[] {0, q} : new int[] {0, q, 2 * q - 1};
        List<String> expected = new ArrayList<>();
        if (count <= alsoWhole) {
            expected.addAll(smallest(keys, new int[] {0}, 0, recipe, count));
        }
        if (whole < count && count <= alsoMiddle) {
            expected.addAll(smallest(keys, middle, 1, recipe, recipe.sketchSize()));
        }
        if (count > 512) {
            expected.addAll(smallest(keys, wide, 3, recipe, recipe.sketchSize()));
        }
        if (count > alsoWhole && isNarrow(points, q, count)) {
            expected.addAll(smallest(keys, new int[] {0}, 0, recipe, recipe.sketchSize()));
        }
        return expected;
    }

    private static List<String> smallest(List<Long> keys, int[] offsets, int first, Recipe recipe, int most) {
        int last = offsets[offsets.length - 1];
        return IntStream.range(0, Math.max(0, keys.size() - last))
                .mapToObj(at -> IntStream.range(0, offsets.length)
                        .mapToLong(part -> keys.get(at + offsets[part]) * factor(first + part, recipe.salt()))
                        .sum())
                .distinct()
                .sorted(Long::compareUnsigned)
                .limit(most)
                .map(key -> HexFormat.of().toHexDigits(key))
                .toList();
    }

    private static boolean isNarrow(int[] points, int q, int count) {
        int step = (int) Math.ceil(points.length / 256.0);
        List<Integer> letters = IntStream.range(0, points.length)
                .filter(at -> at % step == 0)
                .mapToObj(at -> points[at])
                .toList();
        Map<Integer, Long> counts =
                letters.stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        long pairs = counts.values().stream().mapToLong(n -> n * (n - 1)).sum();
        long size = letters.size();
        double possible = 1;
        for (int i = 0; i < q && pairs > 0; i++) {
            possible *= (double) (size * (size - 1)) / pairs;
        }
        return pairs > 0 && 4.0 * count >= possible;
    }

    @ParameterizedTest
    @CsvSource({
        "4, 32, SIX_TENTHS,", "4, 32, HALF,", "4, 1, SIX_TENTHS, secret", "4, 64, HALF, other", "1, 32, SIX_TENTHS,",
        "2, 7, HALF,", "3, 33, SIX_TENTHS, secret", "5, 32, HALF,", "8, 32, SIX_TENTHS,", "16, 64, SIX_TENTHS,",
        "15, 20, HALF, secret"
    })
    @DisplayName("is what the definition gives gram by gram, at both sides of every limit and of every alphabet")
    void plainly(int q, int size, Reach reach, String salt) {
        Recipe recipe = recipe(q, size, reach, salt);
        for (int length : LENGTHS) {
            for (String alphabet : ALPHABETS) {
                String text = text(alphabet, length == 0 ? 0 : length + q - 1);
                assertEquals(plain(recipe, text), sketch(recipe, text), alphabet + " " + length);
            }
        }
    }

    @Test
    @DisplayName("takes keys of either sign in the order of unsigned numbers, each once, wherever they come")
    void order() {
        long[] values = {-1, 0, 1, Long.MIN_VALUE, Long.MAX_VALUE, 5, -5, 7, 7, 0, -1};
        Smallest smallest = new Smallest(64);
        for (int round = 0; round < 200; round++) {
            long[] keys =
                    random.ints(60, 0, values.length).mapToLong(i -> values[i]).toArray();
            for (int most = 1; most <= 12; most++) {
                smallest.take(Gram.of(new int[] {0}, new long[] {1}, 0), keys, keys.length, most);
                List<Long> expected = Arrays.stream(keys)
                        .distinct()
                        .boxed()
                        .sorted(Long::compareUnsigned)
                        .limit(most)
                        .toList();
                List<Long> taken =
                        Arrays.stream(smallest.behind(new long[] {9})).boxed().toList();
                assertEquals(9, taken.get(0));
                assertEquals(expected, taken.subList(1, taken.size()));
            }
        }
    }

    @Test
    @DisplayName("of a large set is nearly all there in a copy with more in front and behind")
    void copies() {
        String text = text(LATIN, 4000);
        List<String> one = sketch(Recipe.DEFAULT, text);
        List<String> other = sketch(Recipe.DEFAULT, "Reprinted" + text + "byourownhands");
        List<String> both = new ArrayList<>(one);
        both.retainAll(other);
        assertEquals(32, one.size());
        assertTrue(both.size() > 28, both.size() + " of 32");
        assertTrue(Collections.disjoint(one, sketch(Recipe.DEFAULT, text(LATIN, 4000))));
    }

    @Test
    @DisplayName("with another salt has nothing in common, and nothing else of the signature changes")
    void salted() {
        String text = text(LATIN, 30) + text(LATIN, 900);
        Signature plain = new Signer(Recipe.DEFAULT, Lexicon.getDefault()).sign(text, true);
        Signature one = new Signer(recipe(4, 32, Reach.SIX_TENTHS, "one"), Lexicon.getDefault()).sign(text, true);
        Signature two = new Signer(recipe(4, 32, Reach.SIX_TENTHS, "two"), Lexicon.getDefault()).sign(text, true);
        assertTrue(Collections.disjoint(plain.sketch().digits(), one.sketch().digits()));
        assertTrue(Collections.disjoint(two.sketch().digits(), one.sketch().digits()));
        assertNotEquals(two.recipe(), one.recipe());
        assertEquals(plain.fingerprint(), one.fingerprint());
        assertEquals(plain.qgrams(), one.qgrams());
        assertEquals(plain.sentences(), one.sentences());
        assertEquals(plain.simhash(), one.simhash());
    }
}
