package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What of a recipe shapes q-grams")
class QGramRecipeTest {
    @Test
    @DisplayName("is read from every recipe that there is")
    void every() {
        for (int q = 1; q <= Recipe.MAX_Q; q++) {
            for (boolean fold : new boolean[] {false, true}) {
                String whole = new Recipe(q, fold, 3, 5, Reach.HALF, null).text("01234567");
                assertEquals(new QGramRecipe(q, fold), QGramRecipe.of(whole));
                assertTrue(whole.startsWith("neardup-2:" + QGramRecipe.of(whole) + ":"));
            }
        }
    }

    @Test
    @DisplayName("is equal for recipes that differ in the rest")
    void rest() {
        String one = Recipe.DEFAULT.text("01234567");
        String other = new Recipe(4, false, 10, 64, Reach.HALF, Salt.of(new byte[] {1})).text("76543210");
        assertEquals(QGramRecipe.of(one), QGramRecipe.of(other));
        assertEquals(QGramRecipe.of(one), QGramRecipe.of("neardup-1:q4:case:u16:lex-01234567:sketch-32-1.5:simhash-1"));
        assertNotEquals(QGramRecipe.of(one), new QGramRecipe(4, true));
        assertNotEquals(QGramRecipe.of(one), new QGramRecipe(5, false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "neardup",
                "neardup-1:q4",
                "neardup-1:q4:case:u16",
                "neardup-3:q4:case:u16:lex-01234567:sketch-32-0.6:simhash-1",
                "neardup-12:q4:case:u16:lex-01234567:sketch-32-0.6:simhash-1",
                "neardup-1:q0:case:u16:lex",
                "neardup-1:q17:case:u16:lex",
                "neardup-1:q04:case:u16:lex",
                "neardup-1:q4:Case:u16:lex",
                "neardup-1:q4:case:u17:lex",
                " neardup-1:q4:case:u16:lex",
                "neardup-1:q99999999999:case:u16:lex",
            })
    @DisplayName("is not guessed from anything else")
    void refused(String text) {
        String message = assertThrows(IllegalArgumentException.class, () -> QGramRecipe.of(text))
                .getMessage();
        assertEquals("[" + text + "] is no recipe of this version of neardup", message);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 17})
    @DisplayName("has a q from 1 to 16")
    void range(int q) {
        assertThrows(IllegalArgumentException.class, () -> new QGramRecipe(q, false));
    }
}
