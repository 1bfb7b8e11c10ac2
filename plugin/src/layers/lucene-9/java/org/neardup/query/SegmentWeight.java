package org.neardup.query;

import java.io.IOException;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.search.ConstantScoreScorer;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.search.ScorerSupplier;
import org.apache.lucene.search.TwoPhaseIterator;
import org.apache.lucene.search.Weight;

/** A weight as Lucene 9 has it: that its scorers are made by a supplier has to be declared. */
abstract class SegmentWeight extends Weight {
    SegmentWeight(Query query) {
        super(query);
    }

    @Override
    public abstract ScorerSupplier scorerSupplier(LeafReaderContext context) throws IOException;

    @Override
    public final Scorer scorer(LeafReaderContext context) throws IOException {
        ScorerSupplier supplier = scorerSupplier(context);
        return supplier == null ? null : supplier.get(Long.MAX_VALUE);
    }

    /** A scorer of {@code matches}, all of which score the same. */
    final Scorer constantScorer(float score, ScoreMode mode, TwoPhaseIterator matches) {
        return new ConstantScoreScorer(this, score, mode, matches);
    }

    /** A scorer, which knows its weight. */
    abstract static class SegmentScorer extends Scorer {
        SegmentScorer(Weight weight) {
            super(weight);
        }
    }
}
