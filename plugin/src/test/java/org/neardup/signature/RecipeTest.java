package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A recipe")
class RecipeTest {
    @Test
    @DisplayName("is one string that names everything, of a salt only a mark")
    void text() {
        assertEquals("neardup-2:q4:case:u16:lex-0123abcd:sketch-32-0.6:simhash-1", Recipe.DEFAULT.text("0123abcd"));
        Salt salt = Salt.of("a pinch".getBytes(StandardCharsets.UTF_8));
        Recipe other = new Recipe(16, true, 10, 64, Reach.HALF, salt);
        assertEquals("neardup-2:q16:fold:u16:lex-x:sketch-64-0.5:simhash-10:salt-075060e5", other.text("x"));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, 32, q",
        "17, 1, 32, q",
        "4, 0, 32, simhash_variants",
        "4, 11, 32, simhash_variants",
        "4, 1, 0, sketch_size",
        "4, 1, 65, sketch_size"
    })
    @DisplayName("refuses what is out of range, by name")
    void outOfRange(int q, int variants, int size, String name) {
        IllegalArgumentException error = assertThrows(
                IllegalArgumentException.class, () -> new Recipe(q, false, variants, size, Reach.HALF, null));
        assertEquals(name, error.getMessage().split(" ")[0]);
    }
}
