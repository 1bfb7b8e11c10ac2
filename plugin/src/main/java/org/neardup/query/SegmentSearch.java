package org.neardup.query;

import java.io.IOException;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.SortedNumericDocValues;

/** How the documents of a segment are searched for those that are like A. Immutable, and equal if the search is. */
interface SegmentSearch {
    /** The set A and the threshold. */
    QueryPlan plan();

    /** The field that is searched. */
    String field();

    /** Whether a segment has that field. */
    boolean isIn(LeafReader reader) throws IOException;

    /** How much there is to search, as Lucene counts it: the cheapest clause leads a conjunction. */
    long cost(LeafReader reader);

    /** The documents with doc_q &gt;= t; {@code sizes}: how many q-grams each has. */
    ScoredMatches matches(LeafReader reader, SortedNumericDocValues sizes, MemoryCheck memory) throws IOException;

    /** How many q-grams of A a document has, whatever t is. */
    int shared(LeafReader reader, int doc, MemoryCheck memory) throws IOException;
}
