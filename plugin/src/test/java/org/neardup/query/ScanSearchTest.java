package org.neardup.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.SortedNumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.FilterDirectoryReader;
import org.apache.lucene.index.FilterLeafReader;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.PointValues;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.Explanation;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.neardup.signature.Lexicon;
import org.neardup.signature.Parts;
import org.neardup.signature.QGramKeys;
import org.neardup.signature.QGramSet;
import org.neardup.signature.Recipe;
import org.neardup.signature.Signature;
import org.neardup.signature.Signer;

/** Held against brute force over sets of strings. */
@DisplayName("A search by a scan, on plain Lucene,")
class ScanSearchTest {
    private static final String FORM = "neardup.qgrams";
    private static final String BITMAP = "neardup.qgram_bitmap";
    private static final String COUNT = "neardup.qgram_count";
    private static final String ID = "id";
    private static final List<String> THRESHOLDS = List.of("0.000001", "0.3", "0.5", "0.666667", "0.7", "0.9", "1");
    private static final List<String> LETTERS =
            List.of("a", "b", "c", "d", "e", "\u00E9", "\u4E00", "\uFF21", "\uD801\uDC00");

    /** What of bitmaps a document has. */
    enum Bitmaps {
        ALL,
        SOME,
        NONE,
        /** Some of them of another length than that of their sets. */
        STRANGE
    }

    private final Random random = new Random(7);
    private final List<String> forms = new ArrayList<>();
    private final Map<String, Set<String>> sets = new HashMap<>();
    private final Set<Integer> deleted = new HashSet<>();
    private final Signer signer = new Signer(Recipe.DEFAULT, Lexicon.getDefault());

    private String fresh(int length, int letters) {
        StringBuilder form = new StringBuilder();
        for (int i = 0; i < length; i++) {
            form.append(LETTERS.get(random.nextInt(letters)));
        }
        return form.toString();
    }

    /** Of all lengths, of few letters and of many, most of them edited copies of earlier ones. */
    private void write(int count) {
        for (int i = 0; i < count; i++) {
            if (forms.isEmpty() || random.nextInt(4) == 0) {
                int length = random.nextInt(6) == 0 ? random.nextInt(1500) : random.nextInt(200);
                forms.add(fresh(length, random.nextInt(4) == 0 ? 2 : LETTERS.size()));
                continue;
            }
            String form = forms.get(random.nextInt(forms.size()));
            int edits = random.nextInt(1 + form.length() / 20);
            for (int edit = 0; edit < edits && !form.isEmpty(); edit++) {
                int at = form.offsetByCodePoints(0, random.nextInt(form.codePointCount(0, form.length())));
                form = form.substring(0, at)
                        + fresh(random.nextInt(4), 9)
                        + form.substring(form.offsetByCodePoints(at, 1));
            }
            forms.add(form);
        }
    }

    private Set<String> set(String form) {
        return sets.computeIfAbsent(form, each -> new HashSet<>(QGramSet.cut(each, 4)));
    }

    private byte[] bitmap(String form) {
        Map<String, Object> fields = signer.compact(form, new Parts(true, true, true));
        assertEquals(form, fields.get(Signature.QGRAMS)); // letters alone
        return Base64.getDecoder().decode((String) fields.get(Signature.QGRAM_BITMAP));
    }

    private Document document(int i, Bitmaps bitmaps) {
        String form = forms.get(i);
        Document document = new Document();
        document.add(new StringField(ID, "" + i, Field.Store.YES));
        document.add(new StringField("parity", i % 2 == 0 ? "even" : "odd", Field.Store.NO));
        document.add(new StoredField("before", "before " + form));
        // As a pipeline without [compact] writes it: the q-grams themselves.
        boolean listed = bitmaps == Bitmaps.NONE && i % 3 == 0;
        (listed ? set(form) : Set.of(form)).forEach(value -> document.add(new StoredField(FORM, value)));
        document.add(new StoredField("behind", "behind " + form));
        int count = set(form).size();
        document.add(new IntPoint(COUNT, count));
        document.add(new SortedNumericDocValuesField(COUNT, count));
        if (bitmaps == Bitmaps.ALL || bitmaps != Bitmaps.NONE && i % 3 > 0) {
            document.add(new BinaryDocValuesField(BITMAP, Corpus.kept(bitmap(form))));
        } else if (bitmaps == Bitmaps.STRANGE) {
            // Nothing, something else, and a bitmap that is longer, or as long and one of several.
            byte[] longer = Corpus.kept(new byte[bitmap(form).length + 16]).bytes;
            longer[0] = (byte) (i % 2 + 1);
            document.add(new BinaryDocValuesField(BITMAP, new BytesRef(i % 4 == 0 ? new byte[i % 5] : longer)));
        }
        return document;
    }

    private Directory index(Bitmaps bitmaps) throws IOException {
        Directory directory = new ByteBuffersDirectory();
        IndexWriterConfig config = new IndexWriterConfig().setMergePolicy(NoMergePolicy.INSTANCE);
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            for (int i = 0; i < forms.size(); i++) {
                writer.addDocument(document(i, bitmaps));
                if (random.nextInt(40) == 0) {
                    writer.commit();
                }
            }
            Document unsigned = new Document();
            unsigned.add(new StringField(ID, "unsigned", Field.Store.YES));
            writer.addDocument(unsigned);
            for (int i = 0; i < forms.size() / 10; i++) {
                int gone = random.nextInt(forms.size());
                deleted.add(gone);
                writer.deleteDocuments(new Term(ID, "" + gone));
            }
        }
        return directory;
    }

    private static ScanPlan plan(String form, String threshold) {
        return new ScanPlan(new QGramKeys(QGramSet.cut(form, 4)), 4, Threshold.parse(threshold));
    }

    private static NearDuplicateQuery query(String form, String threshold, MemoryCheck memory) {
        return new NearDuplicateQuery(new ScanSearch(FORM, BITMAP, COUNT, plan(form, threshold)), COUNT, memory);
    }

    private static NearDuplicateQuery query(String form, String threshold) {
        return query(form, threshold, MemoryCheck.NONE);
    }

    private static Map<String, Float> found(IndexReader reader, Query query) throws IOException {
        IndexSearcher searcher = new IndexSearcher(reader);
        searcher.setQueryCache(null);
        Map<String, Float> scores = new HashMap<>();
        for (ScoreDoc hit : searcher.search(query, reader.maxDoc()).scoreDocs) {
            scores.put(searcher.storedFields().document(hit.doc).get(ID), hit.score);
        }
        assertEquals(scores.size(), searcher.count(query));
        return scores;
    }

    private Map<String, Float> copies(String form, String threshold, int parity) {
        Threshold exact = Threshold.parse(threshold);
        Set<String> own = set(form);
        Map<String, Float> copies = new HashMap<>();
        for (int i = 0; i < forms.size(); i++) {
            Set<String> other = set(forms.get(i));
            int larger = Math.max(own.size(), other.size());
            int common = (int) other.stream().filter(own::contains).count();
            boolean counts = !deleted.contains(i) && (parity < 0 || i % 2 == parity);
            if (counts && larger > 0 && common >= exact.of(larger)) {
                copies.put("" + i, Corpus.quotient(common, larger));
            }
        }
        return copies;
    }

    /** A form with a q-gram, of a document or near one. */
    private String asked() {
        for (; ; ) {
            String form = forms.get(random.nextInt(forms.size()));
            form = random.nextBoolean() ? form : form + fresh(random.nextInt(20), 9);
            if (!set(form).isEmpty()) {
                return form;
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("finds and scores what brute force does, whatever bitmaps there are, before and after a merge")
    void bruteForce(Bitmaps bitmaps) throws IOException {
        write(260);
        int copies = 0;
        try (Directory directory = index(bitmaps)) {
            for (int merged = 0; merged < 2; merged++) {
                try (IndexReader reader = DirectoryReader.open(directory)) {
                    for (int round = 0; round < 35; round++) {
                        String threshold = THRESHOLDS.get(round % THRESHOLDS.size());
                        String form = asked();
                        Map<String, Float> expected = copies(form, threshold, -1);
                        copies += expected.size();
                        assertEquals(expected, found(reader, query(form, threshold)));
                        Query odd = new BooleanQuery.Builder()
                                .add(query(form, threshold), Occur.MUST)
                                .add(new TermQuery(new Term("parity", "odd")), Occur.FILTER)
                                .build();
                        assertEquals(copies(form, threshold, 1), found(reader, odd));
                    }
                }
                Corpus.merge(directory);
            }
        }
        assertTrue(copies > 200, "only " + copies);
    }

    @Test
    @DisplayName("reads the normal forms of few others than copies, if they have bitmaps")
    void selective() {
        for (int i = 0; i < 300; i++) {
            forms.add(fresh(400, LETTERS.size()));
        }
        forms.add(forms.get(0) + "abcde");
        ScanPlan plan = plan(forms.get(0), "0.7");
        long passed = forms.stream()
                .filter(form -> {
                    int other = set(form).size();
                    long required = plan.required(other);
                    return plan.bitmap(other, MemoryCheck.NONE)
                            .mayShare(bitmap(form), 0, plan.size() - required, other - required);
                })
                .count();
        assertEquals(2, passed);
    }

    @Test
    @DisplayName("explains the score of a match, and of all others why they are none")
    void explain() throws IOException {
        write(80);
        try (Directory directory = index(Bitmaps.SOME);
                IndexReader reader = DirectoryReader.open(directory)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            String form = asked();
            Map<String, Float> expected = copies(form, "0.5", -1);
            assertFalse(expected.isEmpty());
            for (int doc = 0; doc < reader.maxDoc(); doc++) {
                String id = searcher.storedFields().document(doc).get(ID);
                Explanation explanation = searcher.explain(query(form, "0.5"), doc);
                if (!id.equals("unsigned") && !deleted.contains(Integer.parseInt(id))) {
                    assertEquals(expected.containsKey(id), explanation.isMatch(), explanation.toString());
                    assertEquals(
                            expected.getOrDefault(id, 0f),
                            explanation.getValue().floatValue());
                }
            }
        }
    }

    @Test
    @DisplayName("matches nothing where normal forms are hidden from who asks, or no document is of a size that can")
    void hidden() throws IOException {
        write(50);
        String form = asked();
        try (Directory directory = index(Bitmaps.ALL);
                DirectoryReader reader = DirectoryReader.open(directory)) {
            assertInstanceOf(
                    MatchNoDocsQuery.class, new IndexSearcher(reader).rewrite(query(fresh(100_000, 9), "0.9")));
            SegmentSearch search = new ScanSearch("other.qgrams", BITMAP, COUNT, plan(form, "0.7"));
            NearDuplicateQuery elsewhere = new NearDuplicateQuery(search, COUNT, MemoryCheck.NONE);
            assertEquals(Map.of(), found(reader, elsewhere));
        }
    }

    /** A reader that ends a search when points are opened for the n-th time, as Elasticsearch does. */
    private static final class Ending extends FilterDirectoryReader {
        Ending(DirectoryReader in, int openings) throws IOException {
            super(in, new SubReaderWrapper() {
                @Override
                public LeafReader wrap(LeafReader leaf) {
                    return new FilterLeafReader(leaf) {
                        private int left = openings;

                        @Override
                        public PointValues getPointValues(String field) throws IOException {
                            if (left-- == 0) {
                                throw new IllegalStateException("over");
                            }
                            return super.getPointValues(field);
                        }

                        @Override
                        public CacheHelper getCoreCacheHelper() {
                            return null;
                        }

                        @Override
                        public CacheHelper getReaderCacheHelper() {
                            return null;
                        }
                    };
                }
            });
        }

        @Override
        protected DirectoryReader doWrapDirectoryReader(DirectoryReader in) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CacheHelper getReaderCacheHelper() {
            return null;
        }
    }

    @Test
    @DisplayName("ends while normal forms are read, when it should")
    void cancelled() throws IOException {
        String form = fresh(100, 9);
        int between = ScanSearch.CHARACTERS_BETWEEN_CHECKS / ScanSearch.FORM_CHARACTERS;
        for (int i = 0; i < 4 * between; i++) {
            forms.add(form);
        }
        try (Directory directory = index(Bitmaps.ALL)) {
            Corpus.merge(directory);
            try (DirectoryReader reader = DirectoryReader.open(directory)) {
                assertTrue(found(reader, query(form, "1")).size() > 3 * between);
                assertThrows(IllegalStateException.class, () -> found(new Ending(reader, 3), query(form, "1")));
            }
        }
    }

    @Test
    @DisplayName("asks whether there is memory for its bitmaps, and ends with what that says")
    void memory() throws IOException {
        write(100);
        String form = asked();
        try (Directory directory = index(Bitmaps.ALL);
                DirectoryReader reader = DirectoryReader.open(directory)) {
            List<Long> asked = new ArrayList<>();
            found(reader, query(form, "0.5", asked::add));
            assertFalse(asked.isEmpty());
            MemoryCheck full = bytes -> {
                throw new IllegalStateException("full");
            };
            assertThrows(IllegalStateException.class, () -> found(reader, query(form, "0.5", full)));
        }
    }

    @Test
    @DisplayName("cuts a long normal form, to find it or to explain it, while the memory for it is held")
    void longForm() throws IOException {
        forms.add(fresh(Signer.KEPT_LENGTH + 1, 5));
        MemoryCheck full = new MemoryCheck() {
            @Override
            public void ensure(long bytes) {}

            @Override
            public <T> T during(long bytes, Supplier<T> work) {
                throw new IllegalStateException("no memory for " + bytes);
            }
        };
        Query query = query(forms.get(0), "0.5", full);
        try (Directory directory = index(Bitmaps.ALL);
                DirectoryReader reader = DirectoryReader.open(directory)) {
            for (Executable look : List.<Executable>of(
                    () -> found(reader, query), () -> new IndexSearcher(reader).explain(query, 0))) {
                String told = assertThrows(IllegalStateException.class, look).getMessage();
                assertEquals("no memory for " + 64 * (Signer.KEPT_LENGTH + 1), told);
            }
        }
    }

    @Test
    @DisplayName(
            "keeps no more bitmaps than a plan is counted for, whatever sizes documents have or say that they have")
    void weight() {
        String form = fresh(300, 9);
        ScanPlan plan = plan(form, "0.000001");
        long[] bytes = {0};
        for (int other = 1; other > 0; other *= 2) {
            plan.bitmap(other, asked -> bytes[0] += asked);
            plan.bitmap(other + other / 2, asked -> bytes[0] += asked);
        }
        assertTrue(bytes[0] > 0 && bytes[0] < plan.weight(), bytes[0] + " of " + plan.weight());
    }

    @Test
    @DisplayName("is equal to one of the same q-grams, threshold and fields")
    void equality() {
        assertEquals(query("abcdefgh", "0.7"), query("abcdefgh", "0.7"));
        assertEquals(
                query("abcdefgh", "0.7").hashCode(), query("abcdefgh", "0.7").hashCode());
        assertNotEquals(query("abcdefgh", "0.7"), query("abcdefgh", "0.8"));
        assertNotEquals(query("abcdefgh", "0.7"), query("abcdefgi", "0.7"));
    }
}
