package org.neardup.signature;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A data file")
class DataFileTest {
    private static final byte[] PAYLOAD = "what it holds, what it holds, what it holds".getBytes();
    private static final long CHECKSUM = XxHash64.hash(PAYLOAD, 0, PAYLOAD.length, 0);

    @Test
    @DisplayName("gives its payload and the checksum of it")
    void whole() throws DataFileException {
        DataFile read = DataFile.read("x", DataFiles.file("TEST", PAYLOAD), "TEST", "mend it");
        assertArrayEquals(PAYLOAD, read.payload().array());
        assertEquals(CHECKSUM, read.checksum());
    }

    static Stream<Arguments> damaged() {
        byte[] whole = DataFiles.file("TEST", PAYLOAD);
        byte[] otherMagic = whole.clone();
        otherMagic[0] = 'X';
        byte[] broken = whole.clone();
        broken[24] ^= 0x55;
        return Stream.of(
                Arguments.of("found 5 bytes", Arrays.copyOf(whole, 5)),
                Arguments.of("magic [XDUP]", otherMagic),
                Arguments.of("kind [LEXI]", DataFiles.file("LEXI", PAYLOAD)),
                Arguments.of("version [2]", DataFiles.file("TEST", 2, PAYLOAD, PAYLOAD.length, CHECKSUM)),
                Arguments.of("version [4294967295]", DataFiles.file("TEST", -1, PAYLOAD, PAYLOAD.length, CHECKSUM)),
                Arguments.of("checksum [", DataFiles.file("TEST", 1, PAYLOAD, PAYLOAD.length, CHECKSUM + 1)),
                Arguments.of("a payload of 43 bytes", DataFiles.file("TEST", 1, PAYLOAD, 100, CHECKSUM)),
                Arguments.of("at least 11 bytes", DataFiles.file("TEST", 1, PAYLOAD, 10, CHECKSUM)),
                Arguments.of("a payload of 43 bytes", DataFiles.file("TEST", 1, PAYLOAD, -1, CHECKSUM)),
                Arguments.of("without its end", Arrays.copyOf(whole, whole.length - 5)),
                Arguments.of("3 bytes after the payload", Arrays.copyOf(whole, whole.length + 3)),
                Arguments.of("a broken zlib stream", broken));
    }

    @ParameterizedTest
    @MethodSource("damaged")
    @DisplayName("that is damaged in any way is an error that says how, and what to do")
    void damage(String said, byte[] file) {
        DataFileException error =
                assertThrows(DataFileException.class, () -> DataFile.read("some.file", file, "TEST", "mend it"));
        assertTrue(error.getMessage().startsWith("some.file: found "), error.getMessage());
        assertTrue(error.getMessage().endsWith(": mend it"), error.getMessage());
        assertTrue(error.getMessage().contains(said), error.getMessage());
    }

    @Test
    @DisplayName("with any one bit of it turned is refused, or still gives the same payload")
    void everyBit() {
        byte[] whole = DataFiles.file("TEST", PAYLOAD);
        int refused = 0;
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] turned = whole.clone();
            turned[bit / 8] ^= (byte) (1 << bit % 8);
            try {
                // A repetition may be told in two ways, and zlib has bits that mean nothing.
                assertArrayEquals(
                        PAYLOAD,
                        DataFile.read("x", turned, "TEST", "").payload().array(),
                        "bit " + bit);
            } catch (DataFileException expected) {
                refused++;
            }
        }
        assertTrue(refused > 8 * whole.length - 20, refused + " of " + 8 * whole.length);
    }
}
