package org.neardup.signature;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * The sentence fingerprints of a text: a hash of each sentence's sorted words that are not common (Yoon et al. 2012).
 * Used again for text after text.
 */
final class SentenceFingerprints {
    private static final int MIN_SENTENCE_WORDS = 3;

    private int[] chosen = {};
    private int[] spare = {};
    private long[] beginnings = {};
    private byte[] joined = {};

    /** The fingerprints in text order, each once, 16 hex digits; sentences with too few rare words have none. */
    List<String> of(WordList words, Lexicon lexicon) {
        chosen = Buffers.growNoCopy(chosen, words.count);
        spare = Buffers.growNoCopy(spare, words.count);
        beginnings = Buffers.growNoCopy(beginnings, words.count);
        List<String> fingerprints = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        int at = 0;
        while (at < words.count) {
            int sentence = words.sentences[at];
            int n = 0;
            for (; at < words.count && words.sentences[at] == sentence; at++) {
                if (!lexicon.isCommon(words.classes[at])) {
                    chosen[n++] = at;
                }
            }
            if (n >= MIN_SENTENCE_WORDS) {
                String fingerprint = HexFormat.of().toHexDigits(hash(words, n));
                if (seen.add(fingerprint)) {
                    fingerprints.add(fingerprint);
                }
            }
        }
        return fingerprints;
    }

    private long hash(WordList words, int n) {
        byte[] utf8 = words.utf8;
        for (int i = 0; i < n; i++) {
            beginnings[chosen[i]] = beginning(utf8, words.starts[chosen[i]], words.ends[chosen[i]]);
        }
        Sorting.sort(
                chosen,
                0,
                n,
                spare,
                (a, b) -> beginnings[a] != beginnings[b]
                        ? Long.compare(beginnings[a], beginnings[b])
                        : Arrays.compareUnsigned(
                                utf8, words.starts[a], words.ends[a], utf8, words.starts[b], words.ends[b]));
        int out = 0;
        for (int i = 0; i < n; i++) {
            int start = words.starts[chosen[i]];
            int length = words.ends[chosen[i]] - start;
            if (joined.length < out + length + 1) {
                joined = Arrays.copyOf(joined, 2 * (out + length + 1));
            }
            System.arraycopy(utf8, start, joined, out, length);
            out += length;
            joined[out++] = ' ';
        }
        return XxHash64.hash(joined, 0, out - 1, 0);
    }

    /** The first seven bytes of a word as a number: their order, the order of UTF-8, is that of code points. */
    private static long beginning(byte[] utf8, int start, int end) {
        long bytes = 0;
        for (int i = 0; i < 7; i++) {
            bytes = bytes << Byte.SIZE | (start + i < end ? utf8[start + i] & 0xFF : 0);
        }
        return bytes;
    }
}
