package org.neardup.signature;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The lower-cased words of a text in order, and in which sentence each stands (docs/definitions.md, Words and
 * Sentences). Used again for text after text.
 */
final class WordList {
    private final UnicodeTable table = UnicodeTable.get();
    private long[] hashes = {};

    /**
     * The words in UTF-8, separated by one space; eight bytes can be read from any byte of a word, and from its end.
     */
    byte[] utf8 = {};
    /** Where each word begins in {@link #utf8}. */
    int[] starts = {};
    /** Where each word ends in {@link #utf8}. */
    int[] ends = {};
    /** How many sentences ended before each word. */
    int[] sentences = {};
    /** The frequency class of each word in the lexicon. */
    int[] classes = {};
    /** How many words. */
    int count;

    /** Splits {@code text} into its words. */
    void build(NfcText text, Lexicon lexicon) {
        utf8 = Buffers.growNoCopy(utf8, (Utf8.LONGEST + 1) * text.count + Long.BYTES);
        starts = Buffers.growNoCopy(starts, text.count);
        ends = Buffers.growNoCopy(ends, text.count);
        sentences = Buffers.growNoCopy(sentences, text.count);
        split(text.points, text.count);
        classes = Buffers.growNoCopy(classes, count);
        hashes = Buffers.growNoCopy(hashes, count);
        for (int i = 0; i < count; i++) {
            hashes[i] = XxHash64.hashWords(utf8, starts[i], ends[i]);
        }
        // A loop of its own: the lexicon is in no cache of a busy node, and so the waits for its classes overlap.
        for (int i = 0; i < count; i++) {
            classes[i] = lexicon.wordClass(hashes[i]);
        }
    }

    private void split(int[] points, int length) {
        // Fields in local variables: the JIT would read them again after every write.
        byte[] classOf = table.classes;
        byte[] written = utf8;
        count = 0;
        int sentence = 0;
        boolean inside = false;
        int out = 0;
        int at = 0;
        while (at < length) {
            int point = points[at];
            int flags = classOf[point];
            if ((flags & UnicodeTable.KEEP) != 0) {
                boolean alone = (flags & UnicodeTable.ALONE) != 0;
                if (!inside || alone) {
                    out = beginWord(out, sentence);
                }
                int lower = (flags & UnicodeTable.LOWER) != 0 ? table.lower(point) : point;
                out = Utf8.encode(lower, written, out);
                inside = !alone;
                at++;
                continue;
            }
            inside = false;
            if ((flags & UnicodeTable.SPACE) != 0) {
                int end = endOfSpace(points, at, length);
                sentence += end - at > 1 && isBlankLine(points, at, end) ? 1 : 0;
                at = end;
                continue;
            }
            at++;
            if ((flags & UnicodeTable.END) != 0
                    || (flags & UnicodeTable.END_BEFORE_SPACE) != 0 && (at == length || isSpace(points[at]))) {
                sentence++;
            }
        }
        if (count > 0) {
            ends[count - 1] = out;
        }
    }

    /** Ends the word before, if there is one; returns where the next one begins. */
    private int beginWord(int out, int sentence) {
        int start = out;
        if (count > 0) {
            ends[count - 1] = out;
            utf8[start++] = ' ';
        }
        starts[count] = start;
        sentences[count++] = sentence;
        return start;
    }

    private boolean isSpace(int point) {
        return (table.classes[point] & UnicodeTable.SPACE) != 0;
    }

    private int endOfSpace(int[] points, int from, int length) {
        int at = from + 1;
        while (at < length && isSpace(points[at])) {
            at++;
        }
        return at;
    }

    /** Whether white space holds two line breaks; CR LF is one. */
    private boolean isBlankLine(int[] points, int from, int to) {
        int breaks = 0;
        for (int at = from; at < to; at++) {
            boolean isBreak = (table.classes[points[at]] & UnicodeTable.BREAK) != 0;
            boolean endsCrLf = points[at] == '\n' && at > from && points[at - 1] == '\r';
            if (isBreak && !endsCrLf) {
                breaks++;
            }
        }
        return breaks >= 2;
    }

    /** The words as strings. */
    List<String> toStrings() {
        List<String> words = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            words.add(new String(utf8, starts[i], ends[i] - starts[i], StandardCharsets.UTF_8));
        }
        return words;
    }
}
