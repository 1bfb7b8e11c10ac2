package org.neardup.query;

/**
 * The set A of a query and its threshold t: how many q-grams a document of a size must share, and which sizes can
 * match.
 */
abstract class QueryPlan {
    /** Bytes that a q-gram takes in memory, about. */
    static final long QGRAM_BYTES = 64;

    private final int size;
    private final Threshold threshold;

    QueryPlan(int size, Threshold threshold) {
        this.size = size;
        this.threshold = threshold;
    }

    /** |A|. */
    final int size() {
        return size;
    }

    final Threshold threshold() {
        return threshold;
    }

    /** How many q-grams a document of {@code other} ones shares at least, if it has doc_q &gt;= t. */
    final long required(long other) {
        return threshold.of(Math.max(other, size));
    }

    /** Whether a document of {@code other} q-grams can have doc_q &gt;= t; none has more than an int says. */
    final boolean reachable(long other) {
        return other <= Integer.MAX_VALUE && required(other) <= Math.min(other, size);
    }

    /** Whether doc_q &gt;= t is possible with some number of q-grams from {@code low} to {@code high}. */
    final boolean reachable(long low, long high) {
        return low <= size && size <= high || reachable(low) || reachable(high);
    }

    /** doc_q of a document of {@code other} q-grams, {@code shared} of which are in A. */
    final double docQ(int shared, long other) {
        return (double) shared / Math.max(size, other);
    }

    /** Bytes of memory, about. */
    final long weight() {
        return QGRAM_BYTES * size;
    }

    @Override
    public final String toString() {
        return size + " q-grams, doc_q >= " + threshold;
    }
}
