package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A recipe")
class RecipeTest {
    @Test
    @DisplayName("is one string that names everything")
    void text() {
        assertEquals("neardup-1:q4:case:u16:lex-0123abcd:sketch-32-1.5:simhash-1", Recipe.DEFAULT.text("0123abcd"));
        Recipe other = new Recipe(16, true, 10, 64, 0);
        assertEquals("neardup-1:q16:fold:u16:lex-x:sketch-64-0.0:simhash-10", other.text("x"));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0.0", "1, 1.0", "2.5, 2.5", "0.1, 0.1", "0.30000000000000004, 0.30000000000000004", "0.001, 0.001",
        "0.0001, 0.0001", "0.00012, 0.00012", "0.00099, 0.00099", "1e-5, 1e-05", "1.25e-7, 1.25e-07", "1e-10, 1e-10",
        "3e-100, 3e-100", "1.4142135623730951, 1.4142135623730951"
    })
    @DisplayName("writes alpha as Python does")
    void alpha(double alpha, String written) {
        String text = new Recipe(4, false, 1, 32, alpha).text("x");
        assertEquals("neardup-1:q4:case:u16:lex-x:sketch-32-" + written + ":simhash-1", text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, 32, 1.5, q", "17, 1, 32, 1.5, q", "4, 0, 32, 1.5, simhash_variants", "4, 11, 32, 1.5, simhash_variants",
        "4, 1, 0, 1.5, sketch_size", "4, 1, 65, 1.5, sketch_size", "4, 1, 32, -0.1, alpha", "4, 1, 32, 2.6, alpha",
        "4, 1, 32, NaN, alpha"
    })
    @DisplayName("refuses what is out of range, by name")
    void outOfRange(int q, int variants, int size, double alpha, String name) {
        IllegalArgumentException error =
                assertThrows(IllegalArgumentException.class, () -> new Recipe(q, false, variants, size, alpha));
        assertEquals(name, error.getMessage().split(" ")[0]);
    }
}
