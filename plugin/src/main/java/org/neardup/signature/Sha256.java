package org.neardup.signature;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 (FIPS 180-4), by the JDK. */
final class Sha256 {
    private Sha256() {}

    /** A digest for one thread, used again and again. */
    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException cause) {
            throw new IllegalStateException("every Java platform has SHA-256", cause);
        }
    }
}
