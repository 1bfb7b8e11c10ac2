package org.neardup.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.SortedNumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.ExitableDirectoryReader;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.DisjunctionMaxQuery;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.Explanation;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.LRUQueryCache;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryCachingPolicy;
import org.apache.lucene.search.QueryVisitor;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Scorer;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.Weight;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("The query, on plain Lucene,")
class NearDuplicateQueryTest {
    private static final List<String> THRESHOLDS = List.of("0.000001", "0.3", "0.5", "0.666667", "0.7", "0.9", "1");

    /** Caches whatever it is allowed to. */
    private static final QueryCachingPolicy ALWAYS = new QueryCachingPolicy() {
        @Override
        public void onUse(Query query) {}

        @Override
        public boolean shouldCache(Query query) {
            return true;
        }
    };

    private static NearDuplicateQuery query(List<String> grams, Threshold threshold, int shared) {
        return query(Corpus.QGRAMS, Corpus.COUNT, new SeekPlan(grams, threshold, shared), MemoryCheck.NONE);
    }

    private static NearDuplicateQuery query(String field, String counts, SeekPlan plan, MemoryCheck memory) {
        return new NearDuplicateQuery(new TermSearch(field, plan), counts, memory);
    }

    private static NearDuplicateQuery query(List<String> grams, String threshold) {
        return query(grams, Threshold.parse(threshold), SeekPlan.COMPLETE_SHARED);
    }

    private static IndexSearcher searcher(IndexReader reader) {
        return searcher(reader, null);
    }

    /** One that caches whatever may be. */
    private static IndexSearcher searcher(IndexReader reader, LRUQueryCache cache) {
        IndexSearcher searcher = new IndexSearcher(reader);
        searcher.setQueryCache(cache);
        searcher.setQueryCachingPolicy(ALWAYS);
        return searcher;
    }

    /** The scores of all that is found, by id. */
    private static Map<String, Float> found(IndexSearcher searcher, Query query) throws IOException {
        TopDocs found = searcher.search(query, searcher.getIndexReader().maxDoc());
        Map<String, Float> scores = new HashMap<>();
        float last = Float.POSITIVE_INFINITY;
        for (ScoreDoc hit : found.scoreDocs) {
            assertTrue(hit.score <= last);
            last = hit.score;
            scores.put(searcher.storedFields().document(hit.doc).get(Corpus.ID), hit.score);
        }
        assertEquals(found.scoreDocs.length, scores.size());
        assertEquals(Searchers.total(found), scores.size());
        return scores;
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("finds and scores what brute force does, before and after a merge")
    void bruteForce(Corpus.Counts counts) throws IOException {
        int copies = 0;
        for (int seed = 0; seed < 3; seed++) {
            Corpus corpus = new Corpus(seed == 0 ? 300 : 80, seed);
            Random random = new Random(seed);
            try (Directory directory = corpus.index(counts)) {
                for (int merged = 0; merged < 2; merged++) {
                    try (IndexReader reader = DirectoryReader.open(directory)) {
                        assertEquals(merged == 1, reader.leaves().size() == 1);
                        assertEquals(merged == 1, !reader.hasDeletions());
                        for (int round = 0; round < 21; round++) {
                            List<String> grams = corpus.queryGrams();
                            Threshold threshold = Threshold.parse(THRESHOLDS.get(round % THRESHOLDS.size()));
                            int shared =
                                    List.of(1, 2, 10, SeekPlan.COMPLETE_SHARED).get(random.nextInt(4));
                            Query query = query(grams, threshold, shared);
                            Map<String, Float> expected = corpus.copies(grams, threshold, i -> true);
                            copies += expected.size();
                            assertEquals(expected, found(searcher(reader), query));
                            assertEquals(expected.size(), searcher(reader).count(query));
                        }
                    }
                    Corpus.merge(directory);
                }
            }
        }
        assertTrue(copies > 200, "only " + copies);
    }

    @Test
    @DisplayName("finds the same in several threads, one a segment or several in one segment")
    void threads() throws IOException {
        Corpus corpus = new Corpus(200, 11);
        ExecutorService pool = Executors.newFixedThreadPool(3);
        try (Directory directory = corpus.index(Corpus.Counts.WITH_POINTS)) {
            for (int merged = 0; merged < 2; merged++) {
                try (IndexReader reader = DirectoryReader.open(directory)) {
                    IndexSearcher searcher = Searchers.parallel(reader, pool, merged == 1);
                    searcher.setQueryCache(null);
                    assertTrue(searcher.getSlices().length > (merged == 0 || Searchers.PARTS ? 4 : 0));
                    for (int round = 0; round < 14; round++) {
                        List<String> grams = corpus.queryGrams();
                        Threshold threshold = Threshold.parse(THRESHOLDS.get(round % THRESHOLDS.size()));
                        Query query = query(grams, threshold, 5);
                        assertEquals(corpus.copies(grams, threshold, i -> true), found(searcher, query));
                    }
                }
                Corpus.merge(directory);
            }
        } finally {
            pool.shutdown();
        }
    }

    private static Query label(String label) {
        return new TermQuery(new Term(Corpus.LABEL, label));
    }

    private static Query filtered(Query query, String label) {
        return new BooleanQuery.Builder()
                .add(query, Occur.MUST)
                .add(label(label), Occur.FILTER)
                .build();
    }

    @Test
    @DisplayName("finds the same in compounds, whichever clause leads")
    void compounds() throws IOException {
        Corpus corpus = new Corpus(150, 12);
        try (Directory directory = corpus.index(Corpus.Counts.WITH_POINTS)) {
            for (int merged = 0; merged < 2; merged++) {
                try (IndexReader reader = DirectoryReader.open(directory)) {
                    for (int round = 0; round < 10; round++) {
                        compound(corpus, searcher(reader), round);
                    }
                }
                Corpus.merge(directory);
            }
        }
    }

    private static void compound(Corpus corpus, IndexSearcher searcher, int round) throws IOException {
        List<String> grams = corpus.queryGrams();
        Threshold threshold = Threshold.parse(THRESHOLDS.get(round % THRESHOLDS.size()));
        Query query = query(grams, threshold, SeekPlan.COMPLETE_SHARED);
        for (String label : List.of("even", "rare", "n" + round, "none")) {
            Map<String, Float> fitting =
                    corpus.copies(grams, threshold, i -> Corpus.labels(i).contains(label));
            assertEquals(fitting, found(searcher, filtered(query, label)), label);
            Map<String, Float> others =
                    corpus.copies(grams, threshold, i -> !Corpus.labels(i).contains(label));
            Query without = new BooleanQuery.Builder()
                    .add(query, Occur.MUST)
                    .add(label(label), Occur.MUST_NOT)
                    .build();
            assertEquals(others, found(searcher, without), label);
            Query filter = new BooleanQuery.Builder()
                    .add(new ConstantScoreQuery(label(label)), Occur.MUST)
                    .add(query, Occur.FILTER)
                    .build();
            Map<String, Float> ones = new HashMap<>();
            fitting.keySet().forEach(id -> ones.put(id, 1f));
            assertEquals(ones, found(searcher, filter), label);
        }
        Map<String, Float> all = corpus.copies(grams, threshold, i -> true);
        Map<String, Float> either = new HashMap<>();
        all.forEach((id, score) -> either.put(id, score));
        IntStream.range(0, corpus.sets.size())
                .filter(i -> Corpus.labels(i).contains("rare") && !corpus.deleted.contains(i))
                .forEach(i -> either.merge(Integer.toString(i), 0.5f, Math::max));
        Query halves = new BoostQuery(new ConstantScoreQuery(label("rare")), 0.5f);
        assertEquals(either, found(searcher, new DisjunctionMaxQuery(List.of(query, halves), 0)));
    }

    @Test
    @DisplayName("promises no score that is lower than one it gives, nor a clause that is dear")
    void bounds() throws IOException {
        Corpus corpus = new Corpus(100, 16);
        try (Directory directory = corpus.index(Corpus.Counts.SORTED);
                IndexReader reader = DirectoryReader.open(directory)) {
            Query query = query(new ArrayList<>(corpus.sets.get(3)), "0.000001");
            Weight weight = searcher(reader).createWeight(query, ScoreMode.TOP_SCORES, 2.5f);
            for (LeafReaderContext leaf : reader.leaves()) {
                assertTrue(weight.scorerSupplier(leaf).cost() < 100);
                Scorer scorer = weight.scorer(leaf);
                while (scorer.iterator().nextDoc() != DocIdSetIterator.NO_MORE_DOCS) {
                    assertTrue(scorer.score() <= scorer.getMaxScore(DocIdSetIterator.NO_MORE_DOCS));
                    assertTrue(scorer.score() <= scorer.getMaxScore(scorer.docID()));
                }
            }
        }
    }

    @Test
    @DisplayName("multiplies doc_q by the boost")
    void boost() throws IOException {
        Corpus corpus = new Corpus(200, 13);
        try (Directory directory = corpus.index(Corpus.Counts.PLAIN);
                IndexReader reader = DirectoryReader.open(directory)) {
            for (float boost : new float[] {0, 0.1f, 2.5f}) {
                List<String> grams = new ArrayList<>(corpus.sets.get(3));
                Map<String, Float> expected = corpus.copies(grams, Threshold.parse("0.3"), i -> true);
                assertFalse(expected.isEmpty());
                expected.replaceAll((id, score) -> boost * score);
                assertEquals(expected, found(searcher(reader), new BoostQuery(query(grams, "0.3"), boost)));
            }
        }
    }

    @Test
    @DisplayName("explains the score of a match, and of all others why they are none")
    void explain() throws IOException {
        Corpus corpus = new Corpus(120, 14);
        try (Directory directory = corpus.index(Corpus.Counts.WITH_POINTS);
                IndexReader reader = DirectoryReader.open(directory)) {
            IndexSearcher searcher = searcher(reader);
            int matches = 0;
            for (int round = 0; round < 10; round++) {
                List<String> grams = corpus.queryGrams();
                Threshold threshold = Threshold.parse("0.5");
                Map<String, Float> expected = corpus.copies(grams, threshold, i -> true);
                for (int doc = 0; doc < reader.maxDoc(); doc++) {
                    String id = searcher.storedFields().document(doc).get(Corpus.ID);
                    int original = Integer.parseInt(id);
                    if (corpus.deleted.contains(original)) {
                        continue;
                    }
                    Explanation explanation = searcher.explain(query(grams, threshold, 3), doc);
                    assertEquals(expected.containsKey(id), explanation.isMatch(), explanation.toString());
                    if (explanation.isMatch()) {
                        matches++;
                        assertEquals(expected.get(id), explanation.getValue());
                        Explanation twice = searcher.explain(new BoostQuery(query(grams, threshold, 3), 2), doc);
                        assertEquals(2 * expected.get(id), twice.getValue().floatValue());
                        assertTrue(twice.toString().contains("times boost 2.0"), twice.toString());
                    } else {
                        checkMiss(explanation, grams.size(), corpus, original, grams);
                    }
                }
            }
            assertTrue(matches > 10);
        }
    }

    private static void checkMiss(Explanation explanation, int size, Corpus corpus, int original, List<String> grams) {
        if (explanation.getDescription().startsWith("no q-grams")) {
            assertEquals(0, corpus.shared(original, grams));
            return;
        }
        int shared = corpus.shared(original, grams);
        int other = corpus.sets.get(original).size();
        String docQ = "doc_q is " + (double) shared / Math.max(size, other) + ", below the threshold: ";
        assertTrue(explanation.getDescription().startsWith(docQ), explanation.toString());
        List<Number> values = new ArrayList<>();
        for (Explanation part : explanation.getDetails()) {
            values.add(part.getValue());
        }
        assertEquals(List.<Number>of(shared, size, (long) other), values);
    }

    /**
     * A segment of documents with every part of a signature, one without q-grams, one without numbers, one of neither; in
     * the last one a document with its signature, and one with two of them.
     */
    private static Directory patchy(List<String> grams) throws IOException {
        Directory directory = new ByteBuffersDirectory();
        IndexWriterConfig config = new IndexWriterConfig().setMergePolicy(NoMergePolicy.INSTANCE);
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            for (int segment = 0; segment < 5; segment++) {
                for (int i = 0; i < 4; i++) {
                    boolean twice = segment == 4 && i == 3;
                    boolean both = segment == 4 && i == 2 || twice;
                    Document document = new Document();
                    document.add(new StringField(Corpus.ID, segment + "/" + i, Field.Store.YES));
                    if (both || segment == 0 || segment == 2) {
                        grams.forEach(gram -> document.add(new StringField(Corpus.QGRAMS, gram, Field.Store.NO)));
                    }
                    if (both || segment == 0 || segment == 1) {
                        document.add(new SortedNumericDocValuesField(Corpus.COUNT, grams.size()));
                    }
                    if (twice) {
                        document.add(new SortedNumericDocValuesField(Corpus.COUNT, grams.size()));
                    }
                    writer.addDocument(document);
                }
                writer.commit();
            }
        }
        return directory;
    }

    @Test
    @DisplayName("passes over segments and documents without q-grams or without their number, or with two")
    void patchy() throws IOException {
        List<String> grams = List.of("abcd", "bcde", "cdef");
        Set<String> signed = Set.of("0/0", "0/1", "0/2", "0/3", "4/2");
        try (Directory directory = patchy(grams)) {
            for (int merged = 0; merged < 2; merged++) {
                try (IndexReader reader = DirectoryReader.open(directory)) {
                    IndexSearcher searcher = searcher(reader);
                    assertEquals(signed, found(searcher, query(grams, "1")).keySet());
                    for (int doc = 0; doc < reader.maxDoc(); doc++) {
                        String id = searcher.storedFields().document(doc).get(Corpus.ID);
                        assertEquals(
                                signed.contains(id),
                                searcher.explain(query(grams, "1"), doc).isMatch());
                    }
                }
                Corpus.merge(directory);
            }
        }
    }

    @Test
    @DisplayName("becomes one that matches nothing where the numbers of q-grams say so, if there are points")
    void rewrite() throws IOException {
        List<String> grams = IntStream.range(0, 100).mapToObj(i -> "g" + i).toList();
        Corpus corpus = new Corpus(0, 0);
        corpus.sets.add(new HashSet<>(grams.subList(0, 10)));
        corpus.sets.add(new HashSet<>(grams.subList(0, 20)));
        for (Corpus.Counts counts : Corpus.Counts.values()) {
            boolean points = counts == Corpus.Counts.WITH_POINTS;
            try (Directory directory = corpus.index(counts)) {
                Corpus.merge(directory);
                try (IndexReader reader = DirectoryReader.open(directory)) {
                    assertEquals(points, rewritten(reader, query(grams, "0.21")) instanceof MatchNoDocsQuery);
                    assertEquals(
                            points, rewritten(reader, query(grams.subList(0, 4), "0.5")) instanceof MatchNoDocsQuery);
                    List<Query> within = List.of(query(grams, "0.2"), query(grams.subList(0, 4), "0.4"));
                    for (Query query : within) {
                        assertInstanceOf(NearDuplicateQuery.class, rewritten(reader, query));
                    }
                    assertEquals(0, searcher(reader).count(query(grams, "0.21")));
                    assertEquals(
                            Set.of("1"),
                            found(searcher(reader), query(grams, "0.2")).keySet());
                }
            }
        }
        try (Directory directory = new Corpus(0, 0).index(Corpus.Counts.WITH_POINTS);
                IndexReader reader = DirectoryReader.open(directory)) {
            assertInstanceOf(MatchNoDocsQuery.class, rewritten(reader, query(grams, "0.1")));
        }
    }

    @Test
    @DisplayName("is rewritten though the time of a search is over: that is for the search to say")
    void rewriteOutOfTime() throws IOException {
        List<String> grams = IntStream.range(0, 100).mapToObj(i -> "g" + i).toList();
        Corpus corpus = new Corpus(0, 0);
        corpus.sets.add(new HashSet<>(grams.subList(0, 20)));
        try (Directory directory = corpus.index(Corpus.Counts.WITH_POINTS);
                DirectoryReader reader = DirectoryReader.open(directory)) {
            IndexReader over = ExitableDirectoryReader.wrap(reader, () -> true);
            assertInstanceOf(NearDuplicateQuery.class, rewritten(over, query(grams, "0.2")));
            assertInstanceOf(MatchNoDocsQuery.class, rewritten(over, query(grams, "0.21")));
        }
    }

    private static Query rewritten(IndexReader reader, Query query) throws IOException {
        return searcher(reader).rewrite(query);
    }

    @Test
    @DisplayName(
            "is cached if it is small: equal ones share an entry, others do not, and scores are never those of a cache")
    void cache() throws IOException {
        LRUQueryCache cache = new LRUQueryCache(1000, 1 << 24, context -> true, Float.POSITIVE_INFINITY);
        try (Directory directory = new ByteBuffersDirectory()) {
            try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
                for (int i = 0; i < 40; i++) {
                    Document document = new Document();
                    document.add(new StringField(Corpus.ID, "" + i, Field.Store.YES));
                    document.add(new SortedNumericDocValuesField(Corpus.COUNT, 4));
                    IntStream.range(i, i + 4)
                            .forEach(gram -> document.add(new StringField(Corpus.QGRAMS, "g" + gram, Field.Store.NO)));
                    writer.addDocument(document);
                }
                writer.forceMerge(1);
            }
            try (IndexReader reader = DirectoryReader.open(directory)) {
                IndexSearcher searcher = searcher(reader, cache);
                for (int again = 0; again < 3; again++) {
                    for (int i = 3; i < 36; i++) {
                        List<String> grams = IntStream.range(i, i + 4)
                                .mapToObj(gram -> "g" + gram)
                                .toList();
                        Map<String, Float> half = Map.of(
                                "" + (i - 2),
                                .5f,
                                "" + (i - 1),
                                .75f,
                                "" + i,
                                1f,
                                "" + (i + 1),
                                .75f,
                                "" + (i + 2),
                                .5f);
                        for (String threshold : List.of("0.5", "1")) {
                            Map<String, Float> expected = threshold.equals("1") ? Map.of("" + i, 1f) : half;
                            Query filter = new ConstantScoreQuery(query(grams, threshold));
                            assertEquals(
                                    expected.keySet(), found(searcher, filter).keySet());
                            assertEquals(expected, found(searcher, query(grams, threshold)));
                        }
                    }
                }
                assertEquals(2 * 33, cache.getCacheSize());
                assertTrue(cache.getHitCount() >= 2 * 2 * 33, "only " + cache.getHitCount());
            }
        }
    }

    @Test
    @DisplayName("is not cached if it is large, neither alone nor in a compound: no cache knows what it weighs")
    void tooLargeForCache() throws IOException {
        LRUQueryCache cache = new LRUQueryCache(1000, 1 << 24, context -> true, Float.POSITIVE_INFINITY);
        try (Directory directory = new Corpus(50, 16).index(Corpus.Counts.WITH_POINTS);
                IndexReader reader = DirectoryReader.open(directory)) {
            IndexSearcher searcher = searcher(reader, cache);
            Query large =
                    query(IntStream.range(0, 5_000).mapToObj("%04x"::formatted).toList(), "0.000001");
            Query compound = new BooleanQuery.Builder()
                    .add(large, Occur.SHOULD)
                    .add(new BoostQuery(large, 2), Occur.SHOULD)
                    .build();
            searcher.count(new ConstantScoreQuery(large));
            searcher.count(new ConstantScoreQuery(compound));
        }
        assertEquals(0, cache.getCacheCount());
    }

    @Test
    @DisplayName("checks the memory before it allocates, and ends with the refusal")
    void memory() throws IOException {
        Corpus corpus = new Corpus(80, 17);
        try (Directory directory = corpus.index(Corpus.Counts.WITH_POINTS);
                IndexReader reader = DirectoryReader.open(directory)) {
            List<Long> checked = new ArrayList<>();
            SeekPlan plan = new SeekPlan(corpus.queryGrams(), Threshold.parse("0.000001"));
            found(searcher(reader), query(Corpus.QGRAMS, Corpus.COUNT, plan, checked::add));
            assertEquals(
                    reader.leaves().stream()
                            .map(leaf -> 16L * leaf.reader().maxDoc())
                            .sorted()
                            .toList(),
                    checked.stream().sorted().toList());
            MemoryCheck full = bytes -> {
                throw new IllegalStateException("no room for " + bytes);
            };
            Query refused = query(Corpus.QGRAMS, Corpus.COUNT, plan, full);
            assertThrows(IllegalStateException.class, () -> searcher(reader).count(refused));
        }
    }

    @Test
    @DisplayName("holds no counters between windows: thousands of clauses fit where thousands of counters would not")
    void manyClauses() throws IOException {
        int documents = SegmentMatchIterator.WINDOW;
        try (Directory directory = new ByteBuffersDirectory()) {
            try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
                for (int i = 0; i < documents; i++) {
                    Document document = new Document();
                    document.add(new StringField(Corpus.QGRAMS, "g" + i % 4_000, Field.Store.NO));
                    document.add(new SortedNumericDocValuesField(Corpus.COUNT, 1));
                    writer.addDocument(document);
                }
                writer.forceMerge(1);
            }
            // A gigabyte of counters; the tests have half of one.
            BooleanQuery.Builder any = new BooleanQuery.Builder();
            IntStream.range(0, 1_000).forEach(i -> any.add(query(List.of("g" + 4 * i), "1"), Occur.SHOULD));
            Query twice = new BooleanQuery.Builder()
                    .add(any.build(), Occur.SHOULD)
                    .add(new BoostQuery(any.build(), 2), Occur.SHOULD)
                    .build();
            try (IndexReader reader = DirectoryReader.open(directory)) {
                IndexSearcher searcher = searcher(reader);
                TopDocs found = searcher.search(twice, 1);
                int expected = (int) IntStream.range(0, documents)
                        .filter(i -> i % 4_000 % 4 == 0)
                        .count();
                assertEquals(3, found.scoreDocs[0].score);
                assertEquals(expected, searcher.count(twice));
            }
        }
    }

    @Test
    @DisplayName("equals one of the same fields, q-grams and threshold; says in short what it is")
    void equality() {
        List<String> grams = List.of("abcd", "bcde", "cdef", "defg");
        NearDuplicateQuery query = query(grams, "0.7");
        assertEquals(query, query(grams, "0.70"));
        assertEquals(query.hashCode(), query(grams, "7e-1").hashCode());
        SeekPlan plan = new SeekPlan(grams, Threshold.parse("0.7"));
        List<String> fewer = grams.subList(0, 3);
        List<Query> others = List.of(
                query(grams, "0.71"),
                query(fewer, "0.7"),
                new MatchNoDocsQuery(""),
                query("other.qgrams", Corpus.COUNT, plan, MemoryCheck.NONE),
                query(Corpus.QGRAMS, "other.count", plan, MemoryCheck.NONE));
        for (Query other : others) {
            assertNotEquals(query, other);
            assertNotEquals(query.hashCode(), other.hashCode());
        }
        assertEquals("neardup(neardup.qgrams: 4 q-grams, doc_q >= 0.7)", query.toString());
    }

    @Test
    @DisplayName("is seen by visitors of its field alone")
    void visit() {
        NearDuplicateQuery query = query(List.of("abcd"), "0.7");
        for (String field : List.of(Corpus.QGRAMS, "title")) {
            List<Query> seen = new ArrayList<>();
            query.visit(new QueryVisitor() {
                @Override
                public boolean acceptField(String name) {
                    return name.equals(field);
                }

                @Override
                public void visitLeaf(Query leaf) {
                    seen.add(leaf);
                }
            });
            assertEquals(field.equals(Corpus.QGRAMS) ? List.of(query) : Collections.emptyList(), seen);
        }
    }
}
