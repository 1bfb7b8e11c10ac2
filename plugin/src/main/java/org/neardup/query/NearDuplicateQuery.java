package org.neardup.query;

import java.io.IOException;
import java.util.Objects;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.FilterLeafReader;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PointValues;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.Explanation;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.search.ScorerSupplier;
import org.apache.lucene.search.TwoPhaseIterator;
import org.apache.lucene.search.Weight;
import org.apache.lucene.util.RamUsageEstimator;

/**
 * Exactly the documents with doc_q &gt;= t, scored by doc_q (times the boost, rounded to a float).
 *
 * <p>Profiles name this class.
 */
final class NearDuplicateQuery extends Query {
    static final String OUT_OF_REACH = "no document has a length that can reach the threshold";

    private final SegmentSearch search;
    private final String counts;
    private final QueryPlan plan;
    private final MemoryCheck memory;

    /**
     * @param search how a segment is searched
     * @param counts the field of the number of q-grams, with doc values
     * @param memory of the node
     */
    NearDuplicateQuery(SegmentSearch search, String counts, MemoryCheck memory) {
        this.search = search;
        this.counts = counts;
        this.memory = memory;
        plan = search.plan();
    }

    /**
     * Whether a segment of {@code reader} holds q-grams and a document of a length that can reach t.
     *
     * <p>Reads the segments themselves, not as a search wraps them: there every access checks for a timeout, which
     * leads to a partial answer while documents are searched for, but in OpenSearch to an error before that.
     */
    boolean canMatch(IndexReader reader) throws IOException {
        for (LeafReaderContext context : reader.leaves()) {
            if (canMatch(FilterLeafReader.unwrap(context.reader()))) {
                return true;
            }
        }
        return false;
    }

    private boolean canMatch(LeafReader reader) throws IOException {
        if (!search.isIn(reader)) {
            return false;
        }
        PointValues points = reader.getPointValues(counts);
        if (points == null || points.getBytesPerDimension() != Integer.BYTES) {
            return true;
        }
        int low = IntPoint.decodeDimension(points.getMinPackedValue(), 0);
        int high = IntPoint.decodeDimension(points.getMaxPackedValue(), 0);
        return plan.reachable(low, high);
    }

    @Override
    public Query rewrite(IndexSearcher searcher) throws IOException {
        return canMatch(searcher.getIndexReader()) ? super.rewrite(searcher) : new MatchNoDocsQuery(OUT_OF_REACH);
    }

    @Override
    public Weight createWeight(IndexSearcher searcher, ScoreMode mode, float boost) {
        return new NearDuplicateWeight(boost);
    }

    private final class NearDuplicateWeight extends SegmentWeight {
        private final float boost;

        NearDuplicateWeight(float boost) {
            super(NearDuplicateQuery.this);
            this.boost = boost;
        }

        /**
         * False for a large query, as with Lucene's own: a cache keeps the whole query, alone or in a compound, and
         * counts it as a kilobyte.
         */
        @Override
        public boolean isCacheable(LeafReaderContext context) {
            return plan.weight() <= RamUsageEstimator.QUERY_DEFAULT_RAM_BYTES_USED
                    && DocValues.isCacheable(context, counts);
        }

        @Override
        public ScorerSupplier scorerSupplier(LeafReaderContext context) throws IOException {
            LeafReader reader = context.reader();
            if (!canMatch(reader)) {
                return null;
            }
            return new ScorerSupplier() {
                @Override
                public Scorer get(long leadCost) throws IOException {
                    SortedNumericDocValues sizes = DocValues.getSortedNumeric(reader, counts);
                    ScoredMatches matches = search.matches(reader, sizes, memory);
                    return new DocQScorer(NearDuplicateWeight.this, matches, boost);
                }

                @Override
                public long cost() {
                    return search.cost(reader);
                }
            };
        }

        @Override
        public Explanation explain(LeafReaderContext context, int doc) throws IOException {
            SortedNumericDocValues sizes = DocValues.getSortedNumeric(context.reader(), counts);
            if (!search.isIn(context.reader()) || !sizes.advanceExact(doc)) {
                return Explanation.noMatch("no q-grams in [" + search.field() + "]");
            }
            if (sizes.docValueCount() > 1) {
                return Explanation.noMatch("several signatures in [" + counts
                        + "] have no doc_q: map the objects around them as nested, and put this query in a nested one");
            }
            long other = sizes.nextValue();
            int shared = search.shared(context.reader(), doc, memory);
            double docQ = plan.docQ(shared, other);
            Explanation[] parts = {
                Explanation.match(shared, "shared q-grams"),
                Explanation.match(plan.size(), "q-grams of the query"),
                Explanation.match(other, "q-grams of the document"),
            };
            if (!plan.reachable(other) || shared < plan.required(other)) {
                return Explanation.noMatch("doc_q is " + docQ + ", below the threshold: " + plan, parts);
            }
            String how = "doc_q, shared q-grams over the larger number of q-grams";
            return Explanation.match(boost * (float) docQ, boost == 1 ? how : how + ", times boost " + boost, parts);
        }
    }

    private static final class DocQScorer extends SegmentWeight.SegmentScorer {
        private final ScoredMatches matches;
        private final DocIdSetIterator iterator;
        private final float boost;

        DocQScorer(Weight weight, ScoredMatches matches, float boost) {
            super(weight);
            this.matches = matches;
            this.boost = boost;
            iterator = matches.iterator();
        }

        @Override
        public int docID() {
            return iterator.docID();
        }

        @Override
        public DocIdSetIterator iterator() {
            return iterator;
        }

        @Override
        public TwoPhaseIterator twoPhaseIterator() {
            return matches.twoPhase();
        }

        @Override
        public float getMaxScore(int upTo) {
            return boost;
        }

        @Override
        public float score() {
            return boost * (float) matches.docQ();
        }
    }

    @Override
    public void visit(QueryVisitor visitor) {
        if (visitor.acceptField(search.field())) {
            visitor.visitLeaf(this);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NearDuplicateQuery query && search.equals(query.search) && counts.equals(query.counts);
    }

    @Override
    public int hashCode() {
        return Objects.hash(classHash(), search, counts);
    }

    /** Short: profiles and slow logs print it. */
    @Override
    public String toString(String field) {
        return "neardup(" + search.field() + ": " + plan + ")";
    }
}
