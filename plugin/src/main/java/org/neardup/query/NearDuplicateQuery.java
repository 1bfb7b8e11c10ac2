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
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.Explanation;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.search.ScorerSupplier;
import org.apache.lucene.search.Weight;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.RamUsageEstimator;

/**
 * Exactly the documents with doc_q &gt;= t, scored by doc_q (times the boost, rounded to a float).
 *
 * <p>Profiles name this class.
 */
final class NearDuplicateQuery extends Query {
    static final String OUT_OF_REACH = "no document is of a length that can reach the threshold";

    /** Said to be cheap, so that it leads a conjunction: it has few matches, and finding them is what costs. */
    static final long COST = 16;

    private final String qgrams;
    private final String counts;
    private final SeekPlan plan;
    private final MemoryCheck memory;

    /**
     * @param qgrams the field of q-grams, each a term
     * @param counts the field of their number, with doc values
     * @param plan the q-grams of the query, in the order in which they are looked up
     * @param memory of the node
     */
    NearDuplicateQuery(String qgrams, String counts, SeekPlan plan, MemoryCheck memory) {
        this.qgrams = qgrams;
        this.counts = counts;
        this.plan = plan;
        this.memory = memory;
    }

    /**
     * Whether a segment of {@code reader} holds q-grams and a document of a length that can reach t.
     *
     * <p>Of segments as they are, not as a search wraps them: there every look asks whether the time is over, which is
     * an answer while documents are searched for, and in OpenSearch an error before.
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
        if (reader.terms(qgrams) == null) {
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
         * Not if it is large, as with Lucene's own: a cache keeps it whole, alone or in a compound, and takes it for a
         * kilobyte.
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
                    Terms terms = reader.terms(qgrams);
                    SegmentMatchIterator matches =
                            new SegmentMatchIterator(plan, reader.maxDoc(), terms, sizes, memory);
                    return new DocQScorer(NearDuplicateWeight.this, matches, boost);
                }

                @Override
                public long cost() {
                    return COST;
                }
            };
        }

        @Override
        public Explanation explain(LeafReaderContext context, int doc) throws IOException {
            SortedNumericDocValues sizes = DocValues.getSortedNumeric(context.reader(), counts);
            if (context.reader().terms(qgrams) == null || !sizes.advanceExact(doc)) {
                return Explanation.noMatch("no q-grams in [" + qgrams + "]");
            }
            long other = sizes.nextValue();
            int shared = shared(context.reader(), doc);
            double docQ = (double) shared / Math.max(plan.size(), other);
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

        /** How many q-grams a document shares: every one is looked up. */
        private int shared(LeafReader reader, int doc) throws IOException {
            TermsEnum terms = reader.terms(qgrams).iterator();
            PostingsEnum postings = null;
            int shared = 0;
            for (BytesRef term : plan.byBytes()) {
                if (terms.seekExact(term)) {
                    postings = terms.postings(postings, PostingsEnum.NONE);
                    shared += postings.advance(doc) == doc ? 1 : 0;
                }
            }
            return shared;
        }
    }

    private static final class DocQScorer extends SegmentWeight.SegmentScorer {
        private final SegmentMatchIterator matches;
        private final float boost;

        DocQScorer(Weight weight, SegmentMatchIterator matches, float boost) {
            super(weight);
            this.matches = matches;
            this.boost = boost;
        }

        @Override
        public int docID() {
            return matches.docID();
        }

        @Override
        public DocIdSetIterator iterator() {
            return matches;
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
        if (visitor.acceptField(qgrams)) {
            visitor.visitLeaf(this);
        }
    }

    @Override
    public boolean equals(Object other) {
        return sameClassAs(other) && equalTo((NearDuplicateQuery) other);
    }

    private boolean equalTo(NearDuplicateQuery other) {
        return qgrams.equals(other.qgrams) && counts.equals(other.counts) && plan.equals(other.plan);
    }

    @Override
    public int hashCode() {
        return Objects.hash(classHash(), qgrams, counts, plan);
    }

    /** Short: profiles and slow logs print it. */
    @Override
    public String toString(String field) {
        return "neardup(" + qgrams + ": " + plan + ")";
    }
}
