package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The q-grams of a text")
class QGramSetTest {
    private static final QGramRecipe DEFAULT = new QGramRecipe(4, false);
    private static final int UNKNOWN = 255;

    private static QGramSet check(String text, Recipe recipe) {
        Signature signature = new Signer(recipe, Lexicon.getDefault()).sign(text, true);
        QGramSet set = QGramSet.of(text, new QGramRecipe(recipe.q(), recipe.foldCase()));
        assertEquals(signature.qgrams(), set.qgrams());
        assertEquals(signature.fingerprint(), set.fingerprints().get(0));
        for (String fingerprint : set.fingerprints()) {
            QGramSet signed = QGramSet.signed(fingerprint, signature.qgrams());
            assertEquals(new QGramSet(List.of(fingerprint), set.blank(), set.qgrams()), signed);
        }
        return set;
    }

    @ParameterizedTest
    @MethodSource("org.neardup.signature.Vectors#all")
    @DisplayName("are those of its signature, and so is the fingerprint")
    void vectors(Vectors.Vector vector) {
        QGramSet set = check(vector.text(), vector.recipe());
        assertEquals(vector.values().get("qgrams"), set.qgrams());
        assertEquals(vector.values().get("normal_form").equals(""), set.blank());
    }

    @Test
    @DisplayName("have two fingerprints: as documents of version 2 and 1 of the recipe have them")
    void fingerprints() {
        assertEquals(
                List.of("e3b0c44298fc1c149afbf4c8996fb924", "ef46db3751d8e999d5afba1336a3be4b"),
                QGramSet.of(" - ", DEFAULT).fingerprints());
        assertEquals(
                List.of("ca978112ca1bbdcafac231b39a23dc4d", "d24ec4f1a98c6e5bdec2bc81c3cd46c6"),
                QGramSet.of("a", DEFAULT).fingerprints());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "abc",
                "a b-c",
                "e\u0301t\u00E9",
                "\uD801\uDC00",
                "\uD801\uDC00\uD801\uDC01 x",
                "\uD835\uDD04 rose is a ro\uD835\uDD04e",
            })
    @DisplayName("of few characters, or of some above U+FFFF, are so too")
    void shortTexts(String text) {
        assertTrue(!check(text, Recipe.DEFAULT).blank());
        check(text, new Recipe(2, true, 1, 32, Reach.SIX_TENTHS, null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "... !?", "\uD83D\uDE00\n"})
    @DisplayName("of a text without letters and numbers are none, and it is blank")
    void blank(String text) {
        QGramSet set = check(text, Recipe.DEFAULT);
        assertTrue(set.blank());
        assertEquals(List.of(), set.qgrams());
        assertEquals(List.of(), set.rarestFirst(Lexicon.getDefault()));
    }

    @Test
    @DisplayName("of a text without UTF-8 are refused")
    void surrogate() {
        assertThrows(UnpairedSurrogateException.class, () -> QGramSet.of("abc\uDC00def", DEFAULT));
    }

    private static int known(Lexicon lexicon, String gram) {
        return lexicon.qgramClasses()[(int) (QGrams.key(gram) >>> Lexicon.QGRAM_SLOT_SHIFT)] & 0xFF;
    }

    @Test
    @DisplayName("come rarest first: all of them, unknown ones before the others, then by class")
    void rarestFirst(@TempDir Path place) throws Exception {
        Path file = Files.write(place.resolve("own.lexicon"), DataFiles.lexicon("own", 4));
        StringBuilder text = new StringBuilder("\uD801\uDC00\uD801\uDC01");
        for (Vectors.Vector vector : Vectors.of("passages")) {
            text.append(vector.text());
        }
        QGramSet set = QGramSet.of(text.toString(), DEFAULT);
        assertTrue(set.qgrams().size() > 1000);
        for (Lexicon lexicon : List.of(Lexicon.getDefault(), Lexicon.load(file))) {
            List<String> order = set.rarestFirst(lexicon);
            Comparator<String> rarity =
                    Comparator.comparing(gram -> known(lexicon, gram) == UNKNOWN ? -1 : known(lexicon, gram));
            List<String> expected = new ArrayList<>(set.qgrams());
            expected.sort(rarity); // stable: ties stay by code point
            assertEquals(expected, order);
            assertTrue(new TreeSet<>(order.stream()
                                    .map(gram -> known(lexicon, gram))
                                    .toList())
                            .size()
                    > 20);
            assertEquals(UNKNOWN, known(lexicon, order.get(0)));
        }
    }

    @Test
    @DisplayName("come by code point where the lexicon is of another q")
    void otherQ() {
        QGramSet set = QGramSet.of("A rose is a rose.", new QGramRecipe(3, false));
        assertEquals(set.qgrams(), set.rarestFirst(Lexicon.getDefault()));
    }
}
