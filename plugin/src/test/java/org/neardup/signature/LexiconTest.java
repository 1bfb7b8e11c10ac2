package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A lexicon")
class LexiconTest {
    @TempDir
    Path directory;

    @Test
    @DisplayName("read from the file that ships with Python is the default one")
    void shipped() throws Exception {
        Lexicon lexicon = Lexicon.load(Vectors.ROOT.resolve("src/neardup/data/default.lexicon"));
        assertEquals(Lexicon.getDefault().id(), lexicon.id());
        assertEquals(
                new Signer(Recipe.DEFAULT, Lexicon.getDefault()).recipe(),
                new Signer(Recipe.DEFAULT, lexicon).recipe());
    }

    @Test
    @DisplayName("says of every class whether it is common and how much it weighs")
    void classes() throws Exception {
        Lexicon lexicon = load(DataFiles.lexicon("own", 4));
        for (int known = 0; known < 255; known++) {
            assertEquals(known >= 100, lexicon.isCommon(known));
            assertEquals(Math.max(1, 160 - known), lexicon.weight(known));
        }
        assertFalse(lexicon.isCommon(255));
        assertEquals(160, lexicon.weight(255));
        assertEquals(
                1,
                load(DataFiles.file("LEXI", DataFiles.lexiconPayload("", 4, 1, 0, 0)))
                        .weight(255));
    }

    @Test
    @DisplayName("of other content has another id, and so another recipe")
    void id() throws Exception {
        String one = load(DataFiles.lexicon("one", 4)).id();
        assertNotEquals(one, load(DataFiles.lexicon("two", 4)).id());
        assertEquals(8, one.length());
    }

    @Test
    @DisplayName("that is none is an error that says what was found")
    void damaged() {
        byte[] payload = DataFiles.lexiconPayload("own", 4, 0, 160, 100);
        refused("a payload of 3 bytes", DataFiles.file("LEXI", new byte[3]));
        refused("with a name of 3 bytes", DataFiles.file("LEXI", Arrays.copyOf(payload, payload.length - 1)));
        refused("with a name of 3 bytes", DataFiles.file("LEXI", Arrays.copyOf(payload, payload.length + 1)));
        refused("q = 0 and fold_case = 0", DataFiles.file("LEXI", DataFiles.lexiconPayload("own", 0, 0, 1, 1)));
        refused("q = 17 and fold_case = 0", DataFiles.file("LEXI", DataFiles.lexiconPayload("own", 17, 0, 1, 1)));
        refused("q = 4 and fold_case = 2", DataFiles.file("LEXI", DataFiles.lexiconPayload("own", 4, 2, 1, 1)));
        refused("kind [UNIC]", DataFiles.file("UNIC", payload));
    }

    @Test
    @DisplayName("that is not there is the file system's error")
    void missing() {
        assertThrows(NoSuchFileException.class, () -> Lexicon.load(directory.resolve("none.lexicon")));
    }

    private void refused(String said, byte[] file) {
        DataFileException error = assertThrows(DataFileException.class, () -> load(file));
        assertTrue(error.getMessage().contains(said), error.getMessage());
        assertTrue(error.getMessage().contains("build the lexicon again"), error.getMessage());
    }

    private Lexicon load(byte[] file) throws Exception {
        Path path = directory.resolve("some.lexicon");
        Files.write(path, file);
        return Lexicon.load(path);
    }
}
