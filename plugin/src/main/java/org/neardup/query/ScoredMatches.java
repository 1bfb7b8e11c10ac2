package org.neardup.query;

import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.TwoPhaseIterator;

/** The documents of one segment with doc_q &gt;= t; deleted ones too, which searches leave out. */
interface ScoredMatches {
    DocIdSetIterator iterator();

    /** The matches in two steps, of which the second costs more; null if there are no such steps. */
    default TwoPhaseIterator twoPhase() {
        return null;
    }

    /** doc_q of the current document. */
    double docQ();
}
