package org.neardup.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.FilterLeafReader.FilterTermsEnum;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.index.TermState;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** On a segment that is made up: every q-gram is in every document. */
@DisplayName("A search that should end")
class CancellationTest {
    private static final int MILLION = 1 << 20;

    private static final TermState FOUND = new TermState() {
        @Override
        public void copyFrom(TermState other) {}
    };

    /** Terms that count what is read between two openings, at which Elasticsearch asks whether a search goes on. */
    private static final class Counted extends Terms {
        private final int maxDoc;
        private int openings;
        private int left = Integer.MAX_VALUE;
        private RuntimeException end;
        private int seeks;
        private int postings;
        private int mostSeeks;
        private int mostPostings;

        Counted(int maxDoc) {
            this.maxDoc = maxDoc;
        }

        /** Throws {@code end} at the opening after the next {@code openings}. */
        void endAfter(int openings, RuntimeException end) {
            left = openings;
            this.end = end;
        }

        @Override
        public TermsEnum iterator() {
            if (left-- == 0) {
                throw end;
            }
            openings++;
            seeks = 0;
            postings = 0;
            return new FilterTermsEnum(TermsEnum.EMPTY) {
                @Override
                public boolean seekExact(BytesRef term) {
                    mostSeeks = Math.max(mostSeeks, ++seeks);
                    return true;
                }

                @Override
                public void seekExact(BytesRef term, TermState state) {
                    seekExact(term);
                }

                @Override
                public TermState termState() {
                    return FOUND;
                }

                @Override
                public PostingsEnum postings(PostingsEnum reuse, int flags) {
                    return new Everyone();
                }
            };
        }

        @Override
        public long size() {
            return -1;
        }

        @Override
        public long getSumTotalTermFreq() {
            return -1;
        }

        @Override
        public long getSumDocFreq() {
            return -1;
        }

        @Override
        public int getDocCount() {
            return maxDoc;
        }

        @Override
        public boolean hasFreqs() {
            return false;
        }

        @Override
        public boolean hasOffsets() {
            return false;
        }

        @Override
        public boolean hasPositions() {
            return false;
        }

        @Override
        public boolean hasPayloads() {
            return false;
        }

        private void read() {
            mostPostings = Math.max(mostPostings, ++postings);
        }

        private final class Everyone extends PostingsEnum {
            private int doc = -1;

            @Override
            public int docID() {
                return doc;
            }

            @Override
            public int nextDoc() {
                return advance(doc + 1);
            }

            @Override
            public int advance(int target) {
                read();
                doc = target < maxDoc ? target : NO_MORE_DOCS;
                return doc;
            }

            @Override
            public long cost() {
                return maxDoc;
            }

            @Override
            public int freq() {
                return 1;
            }

            @Override
            public int nextPosition() {
                return -1;
            }

            @Override
            public int startOffset() {
                return -1;
            }

            @Override
            public int endOffset() {
                return -1;
            }

            @Override
            public BytesRef getPayload() {
                return null;
            }
        }
    }

    /** Says of every document that it has so many q-grams. */
    private static SortedNumericDocValues sizes(int maxDoc, int size) {
        DocIdSetIterator all = DocIdSetIterator.all(maxDoc);
        return DocValues.singleton(new NumericDocValues() {
            @Override
            public long longValue() {
                return size;
            }

            @Override
            public boolean advanceExact(int target) throws IOException {
                return (all.docID() == target ? target : all.advance(target)) == target;
            }

            @Override
            public int docID() {
                return all.docID();
            }

            @Override
            public int nextDoc() throws IOException {
                return all.nextDoc();
            }

            @Override
            public int advance(int target) throws IOException {
                return all.advance(target);
            }

            @Override
            public long cost() {
                return all.cost();
            }
        });
    }

    private static SegmentMatchIterator matches(Counted terms, int size, int shared, int window) {
        List<String> grams = IntStream.range(0, size).mapToObj(i -> "g" + i).toList();
        SeekPlan plan = new SeekPlan(grams, Threshold.parse("1"), shared);
        return new SegmentMatchIterator(plan, terms.maxDoc, terms, sizes(terms.maxDoc, size), MemoryCheck.NONE, window);
    }

    private static int count(SegmentMatchIterator matches) throws IOException {
        int count = 0;
        while (matches.nextDoc() != DocIdSetIterator.NO_MORE_DOCS) {
            assertEquals(1, matches.docQ());
            count++;
        }
        return count;
    }

    @Test
    @DisplayName("is asked at the latest after 256 seeks, in the prefix and behind it")
    void seeks() throws IOException {
        for (int shared : new int[] {1, 5000}) {
            Counted terms = new Counted(10);
            assertEquals(10, count(matches(terms, 5000, shared, SegmentMatchIterator.WINDOW)));
            assertTrue(terms.mostSeeks <= 256, "after " + terms.mostSeeks);
            assertTrue(terms.openings >= 5000 / 256);
        }
    }

    @Test
    @DisplayName("is so too where a segment has many windows")
    void windows() throws IOException {
        for (int shared : new int[] {1, 300}) {
            Counted terms = new Counted(200);
            assertEquals(200, count(matches(terms, 300, shared, 1)));
            assertTrue(terms.mostSeeks <= 256, "after " + terms.mostSeeks);
            assertTrue(terms.openings >= 200 * 300 / 256);
        }
    }

    @Test
    @DisplayName("is asked after a million postings, more or less one list, in the prefix and behind it")
    void postings() throws IOException {
        for (int shared : new int[] {1, 30}) {
            Counted terms = new Counted(MILLION / 4);
            assertEquals(MILLION / 4, count(matches(terms, 30, shared, SegmentMatchIterator.WINDOW)));
            assertTrue(
                    terms.mostPostings <= MILLION + SegmentMatchIterator.WINDOW + 100, "after " + terms.mostPostings);
        }
    }

    @Test
    @DisplayName("ends with the exception that is thrown when it is asked")
    void ends() {
        for (int shared : new int[] {1, 5000}) {
            for (int openings : new int[] {0, 1, 7, 18}) {
                Counted terms = new Counted(10);
                RuntimeException end = new IllegalStateException("cancelled");
                terms.endAfter(openings, end);
                SegmentMatchIterator matches = matches(terms, 5000, shared, SegmentMatchIterator.WINDOW);
                assertSame(end, assertThrows(IllegalStateException.class, matches::nextDoc));
                assertEquals(openings, terms.openings);
            }
        }
    }
}
