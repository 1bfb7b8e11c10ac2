package org.neardup.signature;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * The frequency classes of words and q-grams in a sample collection (format: {@code tables/lexicon.py}).
 *
 * <p>It weighs words and q-grams; it never changes a doc_q. About 5 MB.
 */
public final class Lexicon {
    static final int QGRAM_SLOT_SHIFT = 42;
    static final int WORD_SLOT_SHIFT = 44;

    private static final int UNKNOWN_CLASS = 255;
    private static final int HEAD_BYTES = 10;
    private static final int QGRAM_SLOTS = 1 << 22;
    private static final int WORD_SLOTS = 1 << 20;
    private static final String KIND = "LEXI";
    private static final String REMEDY = "build the lexicon again and copy it anew, or use the default one";

    private final String id;
    private final int q;
    private final byte[] qgramClasses = new byte[QGRAM_SLOTS];
    private final byte[] wordClasses = new byte[WORD_SLOTS];
    private final boolean[] common = new boolean[256];
    private final int[] weights = new int[256];

    private Lexicon(DataFile file) throws DataFileException {
        ByteBuffer payload = file.payload();
        int size = payload.remaining();
        if (size < HEAD_BYTES) {
            throw new DataFileException(file.name(), "a payload of " + size + " bytes", "a lexicon", REMEDY);
        }
        q = payload.get() & 0xFF;
        int foldCase = payload.get() & 0xFF;
        int sampleClass = payload.get() & 0xFF;
        int commonClass = payload.get() & 0xFF;
        payload.getInt(); // how many documents are in the sample
        int nameBytes = payload.getChar();
        if (size != HEAD_BYTES + nameBytes + QGRAM_SLOTS + WORD_SLOTS) {
            String found = "a payload of " + size + " bytes with a name of " + nameBytes + " bytes";
            throw new DataFileException(file.name(), found, "a lexicon", REMEDY);
        }
        if (q < 1 || q > Recipe.MAX_Q || foldCase > 1) {
            String found = "q = " + q + " and fold_case = " + foldCase;
            throw new DataFileException(file.name(), found, "a lexicon", REMEDY);
        }
        payload.position(HEAD_BYTES + nameBytes);
        payload.get(qgramClasses).get(wordClasses);
        id = HexFormat.of().toHexDigits(file.checksum()).substring(0, 8);
        for (int known = 0; known < UNKNOWN_CLASS; known++) {
            common[known] = known >= commonClass;
            weights[known] = Math.max(1, sampleClass - known);
        }
        weights[UNKNOWN_CLASS] = Math.max(1, sampleClass);
    }

    /** The lexicon that ships with the plugin. */
    public static Lexicon getDefault() {
        return Holder.LEXICON;
    }

    /** The lexicon in a file; about 30 ms. */
    public static Lexicon load(Path file) throws IOException, DataFileException {
        return new Lexicon(DataFile.read(file.toString(), Files.readAllBytes(file), KIND, REMEDY));
    }

    /** The first 8 hex digits of the checksum: equal for equal contents, part of every recipe. */
    public String id() {
        return id;
    }

    /** The length of the q-grams it knows. */
    int q() {
        return q;
    }

    /** The frequency class of each slot of q-gram keys. */
    byte[] qgramClasses() {
        return qgramClasses;
    }

    /** The frequency class of a word, by its hash: 0 to 255. */
    int wordClass(long hash) {
        return wordClasses[(int) (hash >>> WORD_SLOT_SHIFT)] & 0xFF;
    }

    /** Whether words of this class are too common to say what a sentence is about. */
    boolean isCommon(int wordClass) {
        return common[wordClass];
    }

    /** How much a word of this class weighs in a simhash: its IDF, an integer of at most 254. */
    int weight(int wordClass) {
        return weights[wordClass];
    }

    private static final class Holder {
        static final Lexicon LEXICON;

        static {
            try {
                LEXICON = new Lexicon(DataFile.shipped("default.lexicon", KIND));
            } catch (DataFileException cause) {
                throw new IllegalStateException(cause.getMessage(), cause);
            }
        }
    }
}
