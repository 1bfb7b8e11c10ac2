package org.neardup.query;

import java.io.IOException;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.TwoPhaseIterator;
import org.apache.lucene.util.BytesRef;

/**
 * A search by a scan: documents are looked at one by one, most of them only by the bitmap of their q-grams; of the rest
 * the normal form is read, and its q-grams are counted.
 *
 * @param field of the normal forms, which are stored
 * @param bitmaps the field of the bitmaps, with doc values
 * @param counts the field of the number of q-grams
 * @param plan the q-grams of the query
 */
record ScanSearch(String field, String bitmaps, String counts, ScanPlan plan) implements SegmentSearch {
    /** Operations that a match takes, about, as Lucene counts them: a bitmap has two words for every 64 q-grams. */
    private static final float MATCH_COST = 64;

    /**
     * Characters after which a search that has been cancelled, or is out of time, ends: Elasticsearch itself checks for
     * that only where points are opened, and between some thousands of documents, which may be minutes of counting.
     */
    static final int CHARACTERS_BETWEEN_CHECKS = 1 << 16;

    /** About how many characters are counted in the time that it takes to read a normal form. */
    static final int FORM_CHARACTERS = 1 << 10;

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
    public int shared(LeafReader reader, int doc, MemoryCheck memory) throws IOException {
        String form = new StoredForms(reader, field, memory).of(doc);
        return form == null ? 0 : plan.shared(form, memory);
    }

    private final class Matches extends TwoPhaseIterator implements ScoredMatches {
        private final LeafReader reader;
        private final SortedNumericDocValues sizes;
        private final BinaryDocValues ownBitmaps;
        private final MemoryCheck memory;
        private final StoredForms forms;
        private long read;
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
            if (sizes.docValueCount() > 1 || !plan.reachable(other) || !mayMatch(sizes.docID())) {
                return false; // several signatures have no doc_q
            }
            String form = forms.of(sizes.docID());
            if (form == null) {
                return false; // a document that cannot be read, or not by this user, is no match
            }
            read += FORM_CHARACTERS + form.length();
            if (read >= CHARACTERS_BETWEEN_CHECKS) {
                read = 0;
                reader.getPointValues(counts);
            }
            shared = plan.shared(form, memory);
            return shared >= plan.required(other);
        }

        /**
         * Whether bitmaps allow a document of {@link #other} q-grams to match; true if there is no bitmap to compare.
         */
        private boolean mayMatch(int doc) throws IOException {
            if (ownBitmaps == null || !ownBitmaps.advanceExact(doc)) {
                return true;
            }
            SetBitmap ours = plan.bitmap((int) other, memory);
            if (ours == null) {
                return true;
            }
            BytesRef value = ownBitmaps.binaryValue();
            int start = ours.in(value);
            long required = plan.required(other);
            return start < 0 || ours.mayShare(value.bytes, start, plan.size() - required, other - required);
        }

        @Override
        public double docQ() {
            return plan.docQ(shared, other);
        }
    }
}
