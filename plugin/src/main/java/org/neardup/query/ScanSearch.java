package org.neardup.query;

import java.io.IOException;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.TwoPhaseIterator;
import org.apache.lucene.util.BytesRef;

/**
 * By a scan: the documents are looked at one by one, most of them by the bitmap of their q-grams alone; of who is left the
 * normal form is read, and its q-grams are counted.
 *
 * @param field of the normal forms, which are stored
 * @param bitmaps the field of the bitmaps, with doc values
 * @param counts the field of the number of q-grams
 * @param plan the q-grams of the query
 */
record ScanSearch(String field, String bitmaps, String counts, ScanPlan plan) implements SegmentSearch {
    /** Operations that a match takes, about, as Lucene counts them: two words of a bitmap for each of 64 q-grams. */
    private static final float MATCH_COST = 64;

    /**
     * So many normal forms after which a search that has been cancelled, or is out of time, ends: Elasticsearch looks for
     * that where points are opened, and between some thousands of documents, which may be a second of counting.
     */
    static final int FORMS_BETWEEN_CHECKS = 64;

    @Override
    public boolean isIn(LeafReader reader) {
        return reader.getFieldInfos().fieldInfo(field) != null;
    }

    @Override
    public long cost(LeafReader reader) {
        return reader.maxDoc();
    }

    @Override
    public ScoredMatches matches(LeafReader reader, SortedNumericDocValues sizes, MemoryCheck memory)
            throws IOException {
        return new Matches(reader, sizes, memory);
    }

    @Override
    public int shared(LeafReader reader, int doc) throws IOException {
        String form = new StoredForms(reader, field, MemoryCheck.NONE).of(doc);
        return form == null ? 0 : plan.shared(form);
    }

    private final class Matches extends TwoPhaseIterator implements ScoredMatches {
        private final LeafReader reader;
        private final SortedNumericDocValues sizes;
        private final BinaryDocValues ownBitmaps;
        private final MemoryCheck memory;
        private final StoredForms forms;
        private int read;
        private int shared;
        private long other;

        Matches(LeafReader reader, SortedNumericDocValues sizes, MemoryCheck memory) throws IOException {
            super(sizes);
            this.reader = reader;
            this.sizes = sizes;
            this.memory = memory;
            ownBitmaps = reader.getBinaryDocValues(bitmaps);
            forms = new StoredForms(reader, field, memory);
        }

        @Override
        public DocIdSetIterator iterator() {
            return TwoPhaseIterator.asDocIdSetIterator(this);
        }

        @Override
        public TwoPhaseIterator twoPhase() {
            return this;
        }

        @Override
        public float matchCost() {
            return MATCH_COST;
        }

        @Override
        public boolean matches() throws IOException {
            other = sizes.nextValue();
            if (!plan.reachable(other) || !mayMatch(sizes.docID())) {
                return false;
            }
            if (++read % FORMS_BETWEEN_CHECKS == 0) {
                reader.getPointValues(counts);
            }
            String form = forms.of(sizes.docID());
            if (form == null) {
                return false; // what cannot be read, or not by this user, is in no answer
            }
            shared = plan.shared(form);
            return shared >= plan.required(other);
        }

        /** Whether bitmaps allow that a document of {@link #other} q-grams matches; one without a bitmap may. */
        private boolean mayMatch(int doc) throws IOException {
            if (ownBitmaps == null || !ownBitmaps.advanceExact(doc)) {
                return true;
            }
            SetBitmap ours = plan.bitmap((int) other, memory);
            BytesRef value = ownBitmaps.binaryValue();
            // The server puts before a value how many there are, and how long it is.
            int start = value.offset + value.length - ours.bytes();
            long required = plan.required(other);
            return start < value.offset || ours.mayShare(value.bytes, start, plan.size() - required, other - required);
        }

        @Override
        public double docQ() {
            return (double) shared / Math.max(plan.size(), other);
        }
    }
}
