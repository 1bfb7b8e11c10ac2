package org.neardup.signature;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * The checked payload of a binary data file: header, checksum, zlib stream (format: {@code neardup/tables/container.py}).
 *
 * @param name where it came from, for messages
 * @param payload its content
 * @param checksum xxh64 (seed 0) of the payload
 */
record DataFile(String name, ByteBuffer payload, long checksum) {
    private static final int HEADER_BYTES = 24;
    private static final String MAGIC = "NDUP";

    /** The data file that ships in the jar under {@code data/}. */
    static DataFile shipped(String file, String kind) {
        String name = "data/" + file;
        try (InputStream stream = DataFile.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new IllegalStateException(name + " is not in the jar of the neardup plugin: build it again");
            }
            return read(name, stream.readAllBytes(), kind, "install the neardup plugin again");
        } catch (IOException cause) {
            throw new UncheckedIOException(cause);
        } catch (DataFileException cause) {
            throw new IllegalStateException(cause.getMessage(), cause);
        }
    }

    /** The data file in {@code file}, of this kind and format version 1. */
    static DataFile read(String name, byte[] file, String kind, String remedy) throws DataFileException {
        if (file.length < HEADER_BYTES) {
            throw new DataFileException(name, file.length + " bytes", "a header of 24 bytes", remedy);
        }
        ByteBuffer header = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        expect(name, "magic", ascii(file, 0), MAGIC, remedy);
        expect(name, "a file of kind", ascii(file, 4), kind, remedy);
        expect(name, "format version", Integer.toUnsignedString(header.getInt(8)), "1", remedy);
        byte[] payload = inflated(name, file, Integer.toUnsignedLong(header.getInt(12)), remedy);
        long checksum = XxHash64.hash(payload, 0, payload.length, 0);
        HexFormat hex = HexFormat.of();
        expect(name, "a payload of checksum", hex.toHexDigits(checksum), hex.toHexDigits(header.getLong(16)), remedy);
        return new DataFile(name, ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN), checksum);
    }

    private static void expect(String name, String what, String found, String expected, String remedy)
            throws DataFileException {
        if (!found.equals(expected)) {
            throw new DataFileException(name, what + " [" + found + "]", "[" + expected + "]", remedy);
        }
    }

    private static String ascii(byte[] file, int from) {
        return new String(file, from, 4, StandardCharsets.ISO_8859_1);
    }

    private static byte[] inflated(String name, byte[] file, long length, String remedy) throws DataFileException {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(file, HEADER_BYTES, file.length - HEADER_BYTES);
            // Grown as the stream gives, not as the header promises: a hostile header cannot fill the memory.
            byte[] payload = new byte[(int) Math.min(length + 1, 1 << 23)];
            int filled = 0;
            while (filled <= length && !inflater.finished()) {
                if (filled == payload.length) {
                    payload = Arrays.copyOf(payload, (int) Math.min(length + 1, 2L * payload.length));
                }
                int more = inflater.inflate(payload, filled, payload.length - filled);
                if (more == 0 && !inflater.finished()) {
                    throw new DataFileException(name, "a zlib stream without its end", "a whole one", remedy);
                }
                filled += more;
            }
            if (filled != length) {
                String found = "a payload of " + (filled > length ? "at least " : "") + filled + " bytes";
                throw new DataFileException(name, found, length + " bytes", remedy);
            }
            if (inflater.getRemaining() > 0) {
                String found = inflater.getRemaining() + " bytes after the payload";
                throw new DataFileException(name, found, "the end of the file", remedy);
            }
            return payload.length == filled ? payload : Arrays.copyOf(payload, filled);
        } catch (DataFormatException cause) {
            throw new DataFileException(
                    name, "a broken zlib stream (" + cause.getMessage() + ")", "a whole one", remedy);
        } finally {
            inflater.end();
        }
    }
}
