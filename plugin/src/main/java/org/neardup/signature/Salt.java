package org.neardup.signature;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * What a secret makes of sketches (docs/definitions.md, Sketch and Recipe); the secret itself is not kept.
 *
 * @param seed what the multipliers of the sketch are made from, besides their numbers
 * @param mark 8 hex digits by which recipes tell one secret from another
 */
public record Salt(long seed, String mark) {
    /** How many digits of a hash are in a recipe. */
    private static final int MARK_DIGITS = 8;

    /** That of a secret of any bytes. */
    public static Salt of(byte[] secret) {
        return hashed(Sha256.digest().digest(secret));
    }

    /**
     * That of the bytes of a file, white space at its ends among them; a {@link DataFileException} if it has none. Whatever
     * the file's size, it takes no memory to speak of.
     */
    public static Salt load(Path file) throws IOException, DataFileException {
        MessageDigest digest = Sha256.digest();
        long bytes;
        try (InputStream secret = new DigestInputStream(Files.newInputStream(file), digest)) {
            bytes = secret.transferTo(OutputStream.nullOutputStream());
        }
        if (bytes == 0) {
            throw new DataFileException(file.toString(), "an empty file", "a secret", "put 32 random bytes into it");
        }
        return hashed(digest.digest());
    }

    private static Salt hashed(byte[] hash) {
        String mark = HexFormat.of().formatHex(Sha256.digest().digest(hash)).substring(0, MARK_DIGITS);
        return new Salt(ByteBuffer.wrap(hash).getLong(), mark);
    }
}
