package org.neardup.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.store.Directory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The matches of a segment")
class SegmentMatchIteratorTest {
    private static final List<String> THRESHOLDS = List.of("0.000001", "0.3", "0.5", "0.7", "0.9", "1");

    private static SegmentMatchIterator matches(SeekPlan plan, LeafReader reader, int window) throws IOException {
        SortedNumericDocValues sizes = DocValues.getSortedNumeric(reader, Corpus.COUNT);
        return new SegmentMatchIterator(
                plan, reader.maxDoc(), reader.terms(Corpus.QGRAMS), sizes, MemoryCheck.NONE, window);
    }

    private static TreeMap<Integer, Double> all(SegmentMatchIterator matches) throws IOException {
        TreeMap<Integer, Double> all = new TreeMap<>();
        assertEquals(-1, matches.docID());
        for (int doc = matches.nextDoc(); doc != DocIdSetIterator.NO_MORE_DOCS; doc = matches.nextDoc()) {
            assertEquals(doc, matches.docID());
            assertTrue(all.isEmpty() || doc > all.lastKey());
            all.put(doc, matches.docQ());
        }
        assertEquals(DocIdSetIterator.NO_MORE_DOCS, matches.docID());
        return all;
    }

    private interface Check {
        void check(SeekPlan plan, LeafReader reader, TreeMap<Integer, Double> expected) throws IOException;
    }

    /** Random questions to every segment of random collections, in many and in one. */
    private static void everywhere(Check check) throws IOException {
        for (int seed = 21; seed < 23; seed++) {
            Corpus corpus = new Corpus(80, seed);
            try (Directory directory = corpus.index(Corpus.Counts.values()[seed % 3])) {
                for (int merged = 0; merged < 2; merged++) {
                    try (IndexReader reader = DirectoryReader.open(directory)) {
                        for (int round = 0; round < 12; round++) {
                            Threshold threshold = Threshold.parse(THRESHOLDS.get(round % THRESHOLDS.size()));
                            SeekPlan plan = new SeekPlan(
                                    corpus.queryGrams(), threshold, round % 2 == 0 ? 2 : SeekPlan.COMPLETE_SHARED);
                            for (LeafReaderContext leaf : reader.leaves()) {
                                check.check(
                                        plan,
                                        leaf.reader(),
                                        all(matches(plan, leaf.reader(), SegmentMatchIterator.WINDOW)));
                            }
                        }
                    }
                    Corpus.merge(directory);
                }
            }
        }
    }

    @Test
    @DisplayName("are the same in small windows as in one")
    void windows() throws IOException {
        int[] found = new int[1];
        everywhere((plan, reader, expected) -> {
            found[0] += expected.size();
            for (int window : new int[] {1, 3, 64}) {
                assertEquals(expected, all(matches(plan, reader, window)), "window " + window);
            }
        });
        assertTrue(found[0] > 60, "only " + found[0]);
    }

    @Test
    @DisplayName("are the same from any document on, and after any leap")
    void advance() throws IOException {
        Random random = new Random(3);
        everywhere((plan, reader, expected) -> {
            for (int window : new int[] {3, 64, SegmentMatchIterator.WINDOW}) {
                SegmentMatchIterator matches = matches(plan, reader, window);
                int doc = -1;
                while (doc != DocIdSetIterator.NO_MORE_DOCS) {
                    int target = doc + 1 + random.nextInt(random.nextBoolean() ? 3 : 60);
                    Map.Entry<Integer, Double> next = expected.ceilingEntry(target);
                    doc = matches.advance(target);
                    assertEquals(next == null ? DocIdSetIterator.NO_MORE_DOCS : next.getKey(), doc);
                    assertEquals(doc, matches.docID());
                    if (next != null) {
                        assertEquals(next.getValue(), matches.docQ());
                    }
                }
            }
        });
    }
}
