package org.neardup.query;

import java.io.IOException;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.SortedNumericDocValues;

/**
 * A search by posting lists: every q-gram is a term.
 *
 * @param field of the q-grams
 * @param plan the order in which they are looked up
 */
record TermSearch(String field, SeekPlan plan) implements SegmentSearch {
    @Override
    public boolean isIn(LeafReader reader) throws IOException {
        return reader.terms(field) != null;
    }

    @Override
    public long cost(LeafReader reader) {
        return SegmentMatchIterator.COST;
    }

    @Override
    public ScoredMatches matches(LeafReader reader, SortedNumericDocValues sizes, MemoryCheck memory)
            throws IOException {
        return new SegmentMatchIterator(plan, reader.maxDoc(), reader.terms(field), sizes, memory);
    }

    /** Every q-gram is looked up. */
    @Override
    public int shared(LeafReader reader, int doc, MemoryCheck memory) throws IOException {
        PlanPostings lists = new PlanPostings(plan, reader.terms(field));
        int shared = 0;
        for (int index = 0; index < plan.size(); index++) {
            PostingsEnum postings = lists.of(index);
            shared += postings != null && postings.advance(doc) == doc ? 1 : 0;
        }
        return shared;
    }
}
