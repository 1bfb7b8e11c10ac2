package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The test vectors shared with Python")
class VectorsTest {
    private static final Set<String> EXPECTED_KINDS = Set.of(
            "short",
            "symbols",
            "scripts",
            "normalization",
            "lowercase",
            "sentences",
            "passages",
            "settings",
            "sketches");

    @Test
    @DisplayName("there are vectors of every kind, and more than a hundred in all")
    void count() {
        List<String> kinds = Vectors.kinds();
        assertTrue(new HashSet<>(kinds).containsAll(EXPECTED_KINDS), kinds.toString());
        for (String kind : kinds) {
            assertFalse(Vectors.of(kind).isEmpty(), kind);
        }
        assertTrue(Vectors.all().count() > 100);
    }

    @ParameterizedTest
    @MethodSource("org.neardup.signature.Vectors#all")
    @DisplayName("every field of a signature is what the vector says")
    void signature(Vectors.Vector vector) {
        Signer signer = new Signer(vector.recipe(), Lexicon.getDefault());
        Map<String, Object> expected = new LinkedHashMap<>();
        for (String key : Signature.KEYS) {
            assertTrue(vector.values().containsKey(key), key);
            expected.put(key, vector.values().get(key));
        }
        expected.remove(Signature.QGRAM_BITMAP); // of the compact fields alone, as this one
        expected.remove(Signature.PACKED_SKETCH);
        Map<String, Object> made = signer.sign(vector.text(), true).toMap();
        for (String key : expected.keySet()) {
            assertEquals(expected.get(key), made.get(key), key);
        }
        assertEquals(expected, made);
        expected.remove(Signature.QGRAMS);
        assertEquals(expected, signer.sign(vector.text(), false).toMap());
    }

    @ParameterizedTest
    @MethodSource("org.neardup.signature.Vectors#all")
    @DisplayName("the compact fields say the same")
    void compact(Vectors.Vector vector) {
        Signer signer = new Signer(vector.recipe(), Lexicon.getDefault());
        Signature signature = signer.sign(vector.text(), true);
        Map<String, Object> compact = signer.compact(vector.text(), new Parts(true, true, true));
        Object packed = compact.remove(Signature.PACKED_SKETCH);
        assertEquals(vector.values().get(Signature.PACKED_SKETCH), packed);
        assertEquals(vector.values().get(Signature.QGRAM_BITMAP), compact.remove(Signature.QGRAM_BITMAP));
        String form = (String) compact.get(Signature.QGRAMS);
        compact.put(Signature.SKETCH, signature.sketch().shortDigits());
        assertEquals(compact, signer.compact(vector.text(), new Parts(true, false, true)));
        assertEquals(signer.normalForm(vector.text()), form);
        assertEquals(signature.qgrams(), QGramSet.cut(form, vector.recipe().q()));
        assertEquals(signature.sentences(), words(compact.get(Signature.SENTENCES)));
        assertEquals(signature.simhash(), words(compact.get(Signature.SIMHASH)));
        assertEquals(signature.simhashBands(), words(compact.get(Signature.SIMHASH_BANDS)));
        List<Long> low = signature.sketch().digits().stream()
                .map(key -> Long.parseUnsignedLong(key, 16) & (1 << 30) - 1)
                .toList();
        assertEquals(
                low,
                Arrays.stream(SketchKeys.unpacked((String) packed))
                        .asLongStream()
                        .boxed()
                        .toList());
        assertEquals(
                low,
                words(compact.get(Signature.SKETCH)).stream()
                        .map(VectorsTest::key)
                        .toList());
        compact.remove(Signature.QGRAMS);
        assertEquals(compact, signer.compact(vector.text(), new Parts(false, false, true)));
        compact.keySet().removeAll(Signature.OF_WORDS);
        assertEquals(compact, signer.compact(vector.text(), new Parts(false, false, false)));
    }

    private static List<String> words(Object value) {
        String text = (String) value;
        return text.isEmpty() ? List.of() : List.of(text.split(" "));
    }

    /** A key of five digits of base 64, of which eight, the first three 0, are six bytes. */
    private static long key(String digits) {
        byte[] bytes = Base64.getUrlDecoder().decode("AAA" + digits);
        return new BigInteger(1, bytes).longValueExact();
    }

    @ParameterizedTest
    @MethodSource("org.neardup.signature.Vectors#all")
    @DisplayName("so are normal form, keys and words")
    void steps(Vectors.Vector vector) {
        Signer signer = new Signer(vector.recipe(), Lexicon.getDefault());
        assertEquals(vector.values().get("normal_form"), signer.normalForm(vector.text()));
        assertEquals(vector.values().get("words"), signer.words(vector.text()));
        List<?> qgrams = (List<?>) vector.values().get("qgrams");
        List<?> keys = (List<?>) vector.values().get("keys");
        assertEquals(keys.size(), qgrams.size());
        Recipe exactRecipe = new Recipe(vector.recipe().q(), false, 1, 32, Reach.SIX_TENTHS, null);
        Signer exact = new Signer(exactRecipe, Lexicon.getDefault()); // q-grams are folded already
        for (int i = 0; i < keys.size(); i++) {
            String gram = (String) qgrams.get(i);
            if (exact.normalForm(gram).equals(gram)) {
                assertEquals(List.of(keys.get(i)), exact.keys(gram), gram);
            }
        }
        assertEquals(new TreeSet<Object>(keys), new TreeSet<Object>(signer.keys(vector.text())));
        assertEquals(keys.size(), signer.keys(vector.text()).size());
    }
}
