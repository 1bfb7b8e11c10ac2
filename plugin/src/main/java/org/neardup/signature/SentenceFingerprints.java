package org.neardup.signature;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
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

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final VarHandle BEGINNINGS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    /** The words of a sentence: the beginning of each in the upper half of a long, its number in the lower one. */
    private long[] chosen = {};

    private int[] sorted = {};
    private int[] spare = {};
    private byte[] joined = {};

    /** The fingerprints in text order, each once, 16 hex digits; sentences with too few rare words have none. */
    List<String> of(WordList words, Lexicon lexicon) {
        chosen = Buffers.growNoCopy(chosen, words.count);
        sorted = Buffers.growNoCopy(sorted, words.count);
        spare = Buffers.growNoCopy(spare, words.count);
        joined = Buffers.growNoCopy(joined, words.utf8.length);
        List<String> fingerprints = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        int at = 0;
        while (at < words.count) {
            int sentence = words.sentences[at];
            int n = 0;
            for (; at < words.count && words.sentences[at] == sentence; at++) {
                // Written always, counted only if it is not common: a branch would be mispredicted.
                chosen[n] = beginning(words.utf8, words.starts[at], words.ends[at]) << 32 | at;
                n += lexicon.isCommon(words.classes[at]) ? 0 : 1;
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
        sort(words, n);
        int out = 0;
        for (int i = 0; i < n; i++) {
            int start = words.starts[sorted[i]];
            int length = words.ends[sorted[i]] - start;
            // Eight bytes at a time, the last ones overwritten by what follows: words are too short for a copy by call.
            for (int at = 0; at < length; at += Long.BYTES) {
                LONGS.set(joined, out + at, (long) LONGS.get(words.utf8, start + at));
            }
            out += length;
            joined[out++] = ' ';
        }
        return XxHash64.hash(joined, 0, out - 1, 0);
    }

    /** Sorts the chosen words: by what they begin with, as numbers, and those that begin alike by their bytes. */
    private void sort(WordList words, int n) {
        byte[] utf8 = words.utf8;
        Arrays.sort(chosen, 0, n);
        for (int i = 0; i < n; i++) {
            sorted[i] = (int) chosen[i];
        }
        int from = 0;
        for (int i = 1; i <= n; i++) {
            if (i < n && chosen[i] >> 32 == chosen[from] >> 32) {
                continue;
            }
            if (i - from > 1) {
                Sorting.sort(
                        sorted,
                        from,
                        i,
                        spare,
                        (a, b) -> Arrays.compareUnsigned(
                                utf8, words.starts[a], words.ends[a], utf8, words.starts[b], words.ends[b]));
            }
            from = i;
        }
    }

    /** The first four bytes of a word as a number: their order, the order of UTF-8, is that of code points. */
    private static long beginning(byte[] utf8, int start, int end) {
        int beyond = Math.max(0, Integer.BYTES - (end - start));
        return (int) BEGINNINGS.get(utf8, start) & -1 << Byte.SIZE * beyond ^ Integer.MIN_VALUE;
    }
}
