package org.neardup.signature;

import java.util.Arrays;

/**
 * The simhash of a text's word 2-shingles (Charikar 2002; Manku et al. 2007; weights and random lexicons as Fan & Huang,
 * section 3). Used again for text after text.
 */
final class Simhash {
    /** A random lexicon keeps two words of three. */
    private static final long WORDS_KEPT_BELOW = 0xAAAAAAAAAAAAAAAAL;

    /** One bit in each of four lanes of 16, so that one multiplication adds a weight to four sums. */
    private static final long LANES = 0x0001_0001_0001_0001L;

    /** So many features of the largest weight, twice 254, fit in a lane of 16 bits. */
    private static final int FEATURES_PER_FLUSH = 129;

    private final long[] lanes = new long[16];
    private final long[] ones = new long[64];
    private byte[] utf8 = {};
    private int[] starts = {};
    private int[] ends = {};
    private int[] classes = {};

    /** The simhash of the last call. */
    long value;
    /** How many features it was made of. */
    int features;

    /** Makes the simhash of {@code words} as the random lexicon {@code variant} sees them; variant 0 sees all. */
    void build(WordList words, Lexicon lexicon, int variant) {
        if (variant == 0) {
            addUp(words.utf8, words.starts, words.ends, words.classes, words.count, lexicon);
        } else {
            int kept = keep(words, variant);
            addUp(utf8, starts, ends, classes, kept, lexicon);
        }
    }

    /** Copies the words that a random lexicon keeps, one space between; returns their number. */
    private int keep(WordList words, int variant) {
        utf8 = Buffers.growNoCopy(utf8, words.count == 0 ? 0 : words.ends[words.count - 1] + 1);
        starts = Buffers.growNoCopy(starts, words.count);
        ends = Buffers.growNoCopy(ends, words.count);
        classes = Buffers.growNoCopy(classes, words.count);
        int kept = 0;
        int out = 0;
        for (int i = 0; i < words.count; i++) {
            long hash = XxHash64.hash(words.utf8, words.starts[i], words.ends[i], variant);
            if (Long.compareUnsigned(hash, WORDS_KEPT_BELOW) < 0) {
                int length = words.ends[i] - words.starts[i];
                System.arraycopy(words.utf8, words.starts[i], utf8, out, length);
                starts[kept] = out;
                ends[kept] = out + length;
                classes[kept++] = words.classes[i];
                out += length;
                utf8[out++] = ' ';
            }
        }
        return kept;
    }

    private void addUp(byte[] text, int[] from, int[] to, int[] wordClasses, int count, Lexicon lexicon) {
        Arrays.fill(lanes, 0);
        Arrays.fill(ones, 0);
        long total = 0;
        features = Math.max(0, count - 1);
        for (int i = 0; i < features; i++) {
            int weight = lexicon.weight(wordClasses[i]) + lexicon.weight(wordClasses[i + 1]);
            long feature = XxHash64.hash(text, from[i], to[i + 1], 0);
            for (int bit = 0; bit < lanes.length; bit++) {
                lanes[bit] += (feature >>> bit & LANES) * weight;
            }
            total += weight;
            if (i % FEATURES_PER_FLUSH == FEATURES_PER_FLUSH - 1) {
                flush();
            }
        }
        flush();
        value = 0;
        for (int bit = 0; bit < ones.length; bit++) {
            // The weight of the features with this bit against those without; a tie gives 0.
            if (2 * ones[bit] > total) {
                value |= 1L << bit;
            }
        }
    }

    private void flush() {
        for (int bit = 0; bit < ones.length; bit++) {
            ones[bit] += lanes[bit % 16] >>> 16 * (bit / 16) & 0xFFFF;
        }
        Arrays.fill(lanes, 0);
    }
}
