package org.neardup.query;

import org.apache.lucene.search.ConstantScoreScorer;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.search.TwoPhaseIterator;
import org.apache.lucene.search.Weight;

/** A weight as Lucene 10 has it: its scorers are made by a supplier. */
abstract class SegmentWeight extends Weight {
    SegmentWeight(Query query) {
        super(query);
    }

    /** A scorer of {@code matches}, all of which score the same. */
    final Scorer constantScorer(float score, ScoreMode mode, TwoPhaseIterator matches) {
        return new ConstantScoreScorer(score, mode, matches);
    }

    /** A scorer, which does not know its weight. */
    abstract static class SegmentScorer extends Scorer {
        SegmentScorer(Weight ignored) {}
    }
}
