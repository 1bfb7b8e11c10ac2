package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A salt")
class SaltTest {
    @TempDir
    Path directory;

    private Salt load(byte[] secret) throws Exception {
        Path file = directory.resolve("some.salt");
        Files.write(file, secret);
        return Salt.load(file);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName("begins with the first 8 bytes of the SHA-256 of the secret, and is told by the SHA-256 of that")
    void numbers() {
        assertEquals(new Salt(0x537F955C3BB48BFEL, "075060e5"), Salt.of(bytes("a pinch")));
    }

    @Test
    @DisplayName("is all bytes of a file: white space at the ends, those that are no text, and however many")
    void file() throws Exception {
        byte[] large = new byte[100_000];
        new Random(1).nextBytes(large);
        for (byte[] secret : List.of(bytes("a pinch"), bytes(" a pinch\n"), new byte[] {0}, large)) {
            assertEquals(Salt.of(secret), load(secret));
        }
        assertNotEquals(load(bytes("a pinch")), load(bytes("a pinch\n")));
    }

    @Test
    @DisplayName("is not made from an empty file, or from none")
    void nothing() {
        DataFileException error = assertThrows(DataFileException.class, () -> load(new byte[0]));
        assertTrue(
                error.getMessage()
                        .endsWith("some.salt: found an empty file, expected a secret: put 32 random bytes into it"),
                error.getMessage());
        assertThrows(NoSuchFileException.class, () -> Salt.load(directory.resolve("none.salt")));
    }
}
