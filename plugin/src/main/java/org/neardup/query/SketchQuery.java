package org.neardup.query;

import java.io.IOException;
import java.util.Objects;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.search.Explanation;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.search.ScorerSupplier;
import org.apache.lucene.search.TwoPhaseIterator;
import org.apache.lucene.search.Weight;

/** The documents whose sketches share enough keys with one of the given ones, found by a scan; all score the same. */
final class SketchQuery extends Query {
    /** Operations that a match takes, about, as Lucene counts them: a sketch has some 60 keys. */
    private static final float MATCH_COST = 64;

    private final String field;
    private final Sketches sketches;

    /** @param field of the stored sketches, with doc values */
    SketchQuery(String field, Sketches sketches) {
        this.field = field;
        this.sketches = sketches;
    }

    @Override
    public Weight createWeight(IndexSearcher searcher, ScoreMode mode, float boost) {
        return new SketchWeight(mode, boost);
    }

    private final class SketchWeight extends SegmentWeight {
        private final ScoreMode mode;
        private final float boost;

        SketchWeight(ScoreMode mode, float boost) {
            super(SketchQuery.this);
            this.mode = mode;
            this.boost = boost;
        }

        /** False: each query is asked once, and a cache would count it as a kilobyte. */
        @Override
        public boolean isCacheable(LeafReaderContext context) {
            return false;
        }

        @Override
        public ScorerSupplier scorerSupplier(LeafReaderContext context) throws IOException {
            BinaryDocValues stored = context.reader().getBinaryDocValues(field);
            if (stored == null) {
                return null;
            }
            return new ScorerSupplier() {
                @Override
                public Scorer get(long leadCost) {
                    return constantScorer(boost, mode, new Matches(stored));
                }

                @Override
                public long cost() {
                    return stored.cost();
                }
            };
        }

        @Override
        public Explanation explain(LeafReaderContext context, int doc) throws IOException {
            BinaryDocValues stored = context.reader().getBinaryDocValues(field);
            boolean matches =
                    stored != null && stored.advanceExact(doc) && sketches.new Counter().matches(stored.binaryValue());
            String what = "enough keys of the sketch";
            return matches ? Explanation.match(boost, what) : Explanation.noMatch("not " + what);
        }
    }

    private final class Matches extends TwoPhaseIterator {
        private final BinaryDocValues stored;
        private final Sketches.Counter counter = sketches.new Counter();

        Matches(BinaryDocValues stored) {
            super(stored);
            this.stored = stored;
        }

        @Override
        public boolean matches() throws IOException {
            return counter.matches(stored.binaryValue());
        }

        @Override
        public float matchCost() {
            return MATCH_COST;
        }
    }

    @Override
    public void visit(QueryVisitor visitor) {
        if (visitor.acceptField(field)) {
            visitor.visitLeaf(this);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SketchQuery query && field.equals(query.field) && sketches.equals(query.sketches);
    }

    @Override
    public int hashCode() {
        return Objects.hash(classHash(), field, sketches);
    }

    /** Short: profiles and slow logs print it. */
    @Override
    public String toString(String ignored) {
        return "neardup_sketch(" + field + ": of " + sketches.count() + ")";
    }
}
