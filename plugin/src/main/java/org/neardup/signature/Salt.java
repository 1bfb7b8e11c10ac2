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
 * What is derived from a secret for sketches (docs/definitions.md, Sketch and Recipe); the secret itself is not kept.
 *
 * @param seed what the multipliers of the sketch are made from, besides their numbers
 * @param mark 8 hex digits by which recipes tell one secret from another
 */
public record Salt(long seed, String mark) {
    /** How many digits of a hash are in a recipe. */
    private static final int MARK_DIGITS = 8;

    /** The salt of a secret of any bytes. */
    public static Salt of(byte[] secret) {
        return hashed(Sha256.digest().digest(secret));
    }

    /**
     * The salt of all bytes of a file, including white space at its ends; a {@link DataFileException} if the file is
     * empty. Takes hardly any memory, whatever the file's size.
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
