package org.neardup.signature;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/** The normal form of a text: of its NFC the letters, marks and numbers, lower-cased if case is folded. Used again and again. */
final class NormalForm {
    private static final int FINGERPRINT_DIGITS = 32;

    private final MessageDigest digest = Sha256.digest();
    private final UnicodeTable table = UnicodeTable.get();
    private byte[] utf8 = {};
    private int bytes;

    /** The code points; only the first {@link #count} mean anything. */
    int[] points = {};
    /** How many code points. */
    int count;
    /** Whether a code point is above U+FFFF. */
    boolean astral;

    /** Makes the normal form of {@code text}. */
    void build(NfcText text, boolean foldCase) {
        points = Buffers.growNoCopy(points, text.count + 1);
        int[] from = text.points;
        int[] to = points;
        byte[] classes = table.classes;
        int n = 0;
        int seen = 0;
        for (int i = 0; i < text.count; i++) {
            int point = from[i];
            int keep = classes[point] & UnicodeTable.KEEP; // 0 or 1
            int written = foldCase ? table.lower(point) : point;
            // Written always, counted only if kept: a branch would be mispredicted at every word's end.
            to[n] = written;
            n += keep;
            seen |= written & -keep;
        }
        count = n;
        astral = seen > 0xFFFF;
        encode();
    }

    /** Takes a normal form as it is. */
    void take(String form) {
        points = form.codePoints().toArray();
        count = points.length;
        astral = count < form.length();
        encode();
    }

    private void encode() {
        utf8 = Buffers.growNoCopy(utf8, Utf8.LONGEST * count);
        int at = 0;
        for (int i = 0; i < count; i++) {
            at = Utf8.encode(points[i], utf8, at);
        }
        bytes = at;
    }

    /** The first 128 bits of the SHA-256 of its UTF-8, 32 hex digits: equal for equal normal forms. */
    String fingerprint() {
        digest.update(utf8, 0, bytes);
        return HexFormat.of().formatHex(digest.digest()).substring(0, FINGERPRINT_DIGITS);
    }

    /** The fingerprint of version 1 of the recipe: xxh64 with the seeds 0 and 1. */
    String firstFingerprint() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(XxHash64.hash(utf8, 0, bytes, 0)) + hex.toHexDigits(XxHash64.hash(utf8, 0, bytes, 1));
    }

    @Override
    public String toString() {
        return new String(utf8, 0, bytes, StandardCharsets.UTF_8);
    }
}
