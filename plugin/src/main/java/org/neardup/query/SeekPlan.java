package org.neardup.query;

import java.util.Arrays;
import java.util.List;
import org.apache.lucene.util.BytesRef;

/**
 * The order in which the q-grams of A are looked up in a segment. Immutable; one serves all shards of a node.
 *
 * <p>The prefix argument (Chaudhuri, Ganti &amp; Kaushik 2006; Bayardo, Ma &amp; Srikant 2007): a document with doc_q
 * &gt;= t shares at least r = ceil(t |A|) q-grams with A, of which at most |A| - p can be outside of the p rarest. So
 * it shares at least k of the |A| - r + k rarest ones, whatever the order of rarity is. Those are the first stage; the
 * others follow in stages of doubling size, for the candidates that are left. Within a stage, q-grams are looked up in
 * byte order, the order of the terms in a segment.
 */
final class SeekPlan extends QueryPlan {
    /**
     * k. Nearly all documents that share this many q-grams of the prefix are copies; a smaller k leaves more documents
     * to be verified, which costs more seeks than it saves (benchmarks/README.md, section 8).
     */
    static final int COMPLETE_SHARED = 100;

    private final BytesRef[] terms;
    private final int[] ends;
    private final int least;
    private final int hash;

    /** @param rarestFirst the q-grams of A, one at least; any order is right, a good one is fast */
    SeekPlan(List<String> rarestFirst, Threshold threshold) {
        this(rarestFirst, threshold, COMPLETE_SHARED);
    }

    SeekPlan(List<String> rarestFirst, Threshold threshold, int shared) {
        super(rarestFirst.size(), threshold);
        terms = rarestFirst.stream().map(BytesRef::new).toArray(BytesRef[]::new);
        int required = (int) threshold.of(terms.length);
        least = Math.min(shared, required);
        ends = stages(terms.length, terms.length - required + least, shared);
        int start = 0;
        for (int end : ends) {
            Arrays.sort(terms, start, end);
            start = end;
        }
        hash = 31 * Arrays.hashCode(terms) + threshold.hashCode();
    }

    private static int[] stages(int size, int prefix, int step) {
        int[] ends = new int[2 + Integer.SIZE];
        int count = 0;
        ends[count++] = prefix;
        for (long end = prefix, width = step; end < size; width *= 2) {
            end = Math.min(size, end + width);
            ends[count++] = (int) end;
        }
        return Arrays.copyOf(ends, count);
    }

    /** A q-gram, by its index in the order of seeking. */
    BytesRef term(int index) {
        return terms[index];
    }

    /** How many stages. */
    int stages() {
        return ends.length;
    }

    /** Where stage {@code stage} ends and the next one begins; stage 0 is the prefix. */
    int end(int stage) {
        return ends[stage];
    }

    /** How many q-grams of the prefix a document shares at least, if it has doc_q &gt;= t. */
    int least() {
        return least;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SeekPlan plan
                && hash == plan.hash
                && threshold().equals(plan.threshold())
                && Arrays.equals(terms, plan.terms);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
