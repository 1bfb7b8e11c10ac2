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

    /** The number of features of the largest weight, twice 254, that fit in a lane of 16 bits. */
    private static final int FEATURES_PER_FLUSH = 129;

    private static final int LANE_BITS = 16;

    /** The number of sums that the registers of a processor hold besides everything else. */
    private static final int AT_ONCE = 4;

    private final long[] ones = new long[Long.SIZE];
    private long[] hashes = {};
    private long[] weights = {};
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
        utf8 = Buffers.growNoCopy(utf8, (words.count == 0 ? 0 : words.ends[words.count - 1]) + Long.BYTES);
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
        features = Math.max(0, count - 1);
        hashes = Buffers.growNoCopy(hashes, features);
        weights = Buffers.growNoCopy(weights, features);
        long total = 0;
        for (int i = 0; i < features; i++) {
            hashes[i] = XxHash64.hashWords(text, from[i], to[i + 1]);
            weights[i] = lexicon.weight(wordClasses[i]) + lexicon.weight(wordClasses[i + 1]);
            total += weights[i];
        }
        Arrays.fill(ones, 0);
        for (int i = 0; i < features; i += FEATURES_PER_FLUSH) {
            int end = Math.min(features, i + FEATURES_PER_FLUSH);
            for (int bit = 0; bit < LANE_BITS; bit += AT_ONCE) {
                addUp(bit, i, end);
            }
        }
        value = 0;
        for (int bit = 0; bit < ones.length; bit++) {
            // The weight of the features with this bit against those without; a tie gives 0.
            value |= (total - 2 * ones[bit] >>> Long.SIZE - 1) << bit;
        }
    }

    /** Adds the weights of some features to the sums of {@link #AT_ONCE} bits of every lane, which registers hold. */
    private void addUp(int bit, int begin, int end) {
        long first = 0;
        long second = 0;
        long third = 0;
        long fourth = 0;
        for (int i = begin; i < end; i++) {
            long feature = hashes[i] >>> bit;
            long weight = weights[i];
            first += (feature & LANES) * weight;
            second += (feature >>> 1 & LANES) * weight;
            third += (feature >>> 2 & LANES) * weight;
            fourth += (feature >>> 3 & LANES) * weight;
        }
        flush(bit, first);
        flush(bit + 1, second);
        flush(bit + 2, third);
        flush(bit + 3, fourth);
    }

    private void flush(int bit, long sums) {
        for (int at = 0; at < Long.SIZE; at += LANE_BITS) {
            ones[at + bit] += sums >>> at & (1 << LANE_BITS) - 1;
        }
    }
}
