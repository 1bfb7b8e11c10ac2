package org.neardup.signature;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.DeflaterOutputStream;

/** Writes data files as {@code neardup/tables/container.py} and {@code tables/lexicon.py} do, for tests that need some of their own. */
public final class DataFiles {
    private static final int LEXICON_SLOTS = (1 << 22) + (1 << 20);

    private DataFiles() {}

    /** A whole file with this payload. */
    public static byte[] file(String kind, byte[] payload) {
        return file(kind, 1, payload, payload.length, XxHash64.hash(payload, 0, payload.length, 0));
    }

    /** A file whose header says what it is told to say. */
    static byte[] file(String kind, int version, byte[] payload, int length, long checksum) {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(ByteBuffer.allocate(24)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(("NDUP" + kind).getBytes(StandardCharsets.US_ASCII))
                .putInt(version)
                .putInt(length)
                .putLong(checksum)
                .array());
        try (DeflaterOutputStream zlib = new DeflaterOutputStream(file)) {
            zlib.write(payload);
        } catch (IOException cause) {
            throw new UncheckedIOException(cause);
        }
        return file.toByteArray();
    }

    /** The payload of a lexicon in which every slot has a class of its own number, by a simple rule. */
    static byte[] lexiconPayload(String name, int q, int foldCase, int sampleClass, int commonClass) {
        byte[] label = name.getBytes(StandardCharsets.UTF_8);
        ByteBuffer payload =
                ByteBuffer.allocate(10 + label.length + LEXICON_SLOTS).order(ByteOrder.LITTLE_ENDIAN);
        payload.put((byte) q).put((byte) foldCase).put((byte) sampleClass).put((byte) commonClass);
        payload.putInt(1000).putChar((char) label.length).put(label);
        for (int slot = 0; slot < LEXICON_SLOTS; slot++) {
            payload.put((byte) (slot % 3 == 0 ? 255 : slot * 7));
        }
        return payload.array();
    }

    /** A lexicon file, all of its own. */
    public static byte[] lexicon(String name, int q) {
        return file("LEXI", lexiconPayload(name, q, 0, 160, 100));
    }
}
