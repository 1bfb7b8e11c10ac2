package org.neardup.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.BytesRef;
import org.elasticsearch.ExceptionsHelper;
import org.elasticsearch.common.ParsingException;
import org.elasticsearch.common.bytes.BytesReference;
import org.elasticsearch.common.io.stream.BytesStreamOutput;
import org.elasticsearch.index.query.QueryBuilder;
import org.elasticsearch.xcontent.NamedXContentRegistry;
import org.elasticsearch.xcontent.ParseField;
import org.elasticsearch.xcontent.XContentBuilder;
import org.elasticsearch.xcontent.XContentType;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.neardup.signature.SketchKeys;

/** Held against brute force over lists of keys. */
@DisplayName("The query by sketches")
class SketchQueryTest {
    static {
        Requests.prepare();
    }

    private static final String FIELD = "neardup.packed_sketch";
    private static final int LARGEST = (1 << 30) - 1;
    private static final NamedXContentRegistry NAMES =
            new NamedXContentRegistry(List.of(new NamedXContentRegistry.Entry(
                    QueryBuilder.class,
                    new ParseField("neardup_sketch"),
                    (parser, context) -> SketchQueryBuilder.parse(parser, MemoryCheck.NONE))));

    private final Random random = new Random(11);

    /** Keys near one another, which meet in the table, the smallest and the largest, and others. */
    private int key() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(60);
            case 1 -> LARGEST - random.nextInt(3);
            case 2 -> random.nextInt(20) << 20;
            default -> random.nextInt(LARGEST);
        };
    }

    private int[] sketch() {
        return IntStream.range(0, random.nextInt(12)).map(i -> key()).toArray();
    }

    private static boolean matches(int[] stored, int[][] keys, int[] atLeast) {
        for (int text = 0; text < keys.length; text++) {
            int[] own = keys[text];
            long shared = Arrays.stream(stored)
                    .filter(key -> Arrays.stream(own).anyMatch(each -> each == key))
                    .count();
            if (shared >= atLeast[text]) {
                return true;
            }
        }
        return false;
    }

    private static BytesRef kept(int[] keys) {
        return Corpus.kept(Base64.getDecoder().decode(SketchKeys.packed(keys)));
    }

    @Test
    @DisplayName("finds whose sketch shares enough keys with one of the given ones, and nobody else")
    void bruteForce() throws IOException {
        List<int[]> stored = new ArrayList<>();
        int found = 0;
        try (Directory directory = new ByteBuffersDirectory()) {
            IndexWriterConfig config = new IndexWriterConfig().setMergePolicy(NoMergePolicy.INSTANCE);
            try (IndexWriter writer = new IndexWriter(directory, config)) {
                for (int i = 0; i < 300; i++) {
                    Document document = new Document();
                    int[] keys = sketch();
                    if (i % 17 == 0) {
                        keys = new int[0]; // what is no value, or several
                        document.add(new BinaryDocValuesField(FIELD, new BytesRef(new byte[] {2, 4, 1, 0})));
                    } else if (i % 13 > 0) {
                        document.add(new BinaryDocValuesField(FIELD, kept(keys)));
                    } else {
                        keys = new int[0];
                    }
                    stored.add(keys);
                    writer.addDocument(document);
                    if (i % 90 == 89) {
                        writer.commit();
                    }
                }
            }
            try (IndexReader reader = DirectoryReader.open(directory)) {
                IndexSearcher searcher = new IndexSearcher(reader);
                for (int round = 0; round < 200; round++) {
                    int[][] keys = IntStream.range(0, random.nextInt(9))
                            .mapToObj(text -> random.nextBoolean() ? sketch() : stored.get(random.nextInt(300)))
                            .toArray(int[][]::new);
                    int[] atLeast = IntStream.range(0, keys.length)
                            .map(text -> 1 + random.nextInt(4))
                            .toArray();
                    SketchQuery query = new SketchQuery(FIELD, Sketches.of(keys, atLeast, MemoryCheck.NONE));
                    TreeSet<Integer> docs = new TreeSet<>();
                    for (ScoreDoc hit : searcher.search(query, 300).scoreDocs) {
                        docs.add(hit.doc);
                        assertEquals(1f, hit.score);
                    }
                    TreeSet<Integer> expected = new TreeSet<>();
                    for (int doc = 0; doc < 300; doc++) {
                        boolean matches = matches(stored.get(doc), keys, atLeast);
                        assertEquals(matches, searcher.explain(query, doc).isMatch(), "of " + doc);
                        if (matches) {
                            expected.add(doc);
                        }
                    }
                    assertEquals(expected, docs);
                    found += docs.size();
                }
            }
        }
        assertTrue(found > 3_000 && found < 40_000, "found " + found);
    }

    @Test
    @DisplayName("matches nothing in a segment without sketches")
    void without() throws IOException {
        try (Directory directory = new ByteBuffersDirectory()) {
            try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
                writer.addDocument(new Document());
            }
            try (IndexReader reader = DirectoryReader.open(directory)) {
                Sketches sketches = Sketches.of(new int[][] {{1}}, new int[] {1}, MemoryCheck.NONE);
                assertEquals(0, new IndexSearcher(reader).count(new SketchQuery(FIELD, sketches)));
            }
        }
    }

    @Test
    @DisplayName("takes so many keys, and none for which the node has no memory")
    void limits() throws IOException {
        String full = "\"sketches\":[\"" + SketchKeys.packed(new int[SketchQueryBuilder.MOST_KEYS]) + "\"]";
        parsed(full + ",\"at_least\":[1]");
        ParsingException failure = assertThrows(
                ParsingException.class, () -> parsed(full.replace("]", ",\"AAAAAA==\"]") + ",\"at_least\":[1,1]"));
        assertTrue(failure.getMessage().contains("262144 keys at most"), failure.getMessage());
        MemoryCheck small = bytes -> {
            if (bytes > 1_000) {
                throw new IllegalStateException("no memory");
            }
        };
        int[] atLeast = {1};
        Sketches.of(new int[][] {new int[10]}, atLeast, small);
        assertThrows(IllegalStateException.class, () -> Sketches.of(new int[][] {new int[11]}, atLeast, small));
    }

    @Test
    @DisplayName("refuses a number that it cannot use, and says which it takes")
    void numbers() {
        String own = "\"sketches\":[\"AAAAAA==\"],\"at_least\":";
        for (String number : List.of("0", "-1", "1.5", "3000000000", "1e10", "1e400", "\"1\"", "null", "[1]")) {
            String told = refusal(own + "[" + number + "]");
            assertTrue(told.contains("it must have a whole number from 1 to 2147483647 for each sketch"), told);
        }
        for (String boost : List.of("-1", "1e400", "\"NaN\"", "\"much\"", "true")) {
            String told = refusal(own + "[1],\"boost\":" + boost);
            assertTrue(told.contains("[neardup_sketch]: [boost] is ["), told);
            assertTrue(told.contains("it must be a number of at least 0, such as 2"), told);
        }
    }

    /** All that is said of a query of these members. */
    private static String refusal(String members) {
        StringBuilder told = new StringBuilder();
        for (Throwable each = assertThrows(Exception.class, () -> parsed(members));
                each != null;
                each = each.getCause()) {
            told.append(each.getMessage()).append(' ');
        }
        return told.toString();
    }

    @Test
    @DisplayName("shows the beginning of a long name alone")
    void longNames() {
        String name = "k".repeat(40_000); // OpenSearch parses names of up to 50,000
        for (String members : List.of("\"" + name + "\":1", "\"" + name + "\":[1]")) {
            String told =
                    assertThrows(ParsingException.class, () -> parsed(members)).getMessage();
            assertTrue(told.contains("[" + "k".repeat(100) + "...]") && told.length() < 400, told);
        }
    }

    private static QueryBuilder parsed(String members) throws IOException {
        return Requests.parsed(NAMES, "{\"neardup_sketch\":{" + members + "}}");
    }

    @Test
    @DisplayName("is the same when it was written, and when it was sent to another node")
    void roundTrip() throws IOException {
        String members = "\"field\":\"signs\",\"sketches\":[\"" + SketchKeys.packed(new int[] {7, LARGEST})
                + "\",\"AAAAAA==\"],\"at_least\":[2,1],\"boost\":2.0,\"_name\":\"alike\"";
        QueryBuilder query = parsed(members);
        assertEquals(query, Requests.parsed(NAMES, Requests.written(query)));
        BytesStreamOutput out = new BytesStreamOutput();
        query.writeTo(out);
        SketchQueryBuilder arrived = new SketchQueryBuilder(out.bytes().streamInput(), MemoryCheck.NONE);
        assertEquals(query, arrived);
        assertEquals(query.hashCode(), arrived.hashCode());
        assertNotEquals(query, parsed(members.replace("[2,1]", "[2,3]")));
        assertNotEquals(query, parsed(members.replace("signs", "neardup")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"sketches\":[]",
                "\"at_least\":[1]",
                "\"sketches\":[\"AAAAAA==\"],\"at_least\":[]",
                "\"sketches\":[\"AAAAAA==\"],\"at_least\":[0]",
                "\"sketches\":[\"AAAAAA==\"],\"at_least\":[\"x\"]",
                "\"sketches\":[\"AAAAAA==\"],\"at_least\":[null]",
                "\"sketches\":[\"AAAAAA==\"],\"at_least\":[{}]",
                "\"sketches\":[null],\"at_least\":[1]",
                "\"sketches\":[[]],\"at_least\":[1]",
                "\"sketches\":[{}],\"at_least\":[1]",
                "\"sketches\":[\"\"],\"at_least\":[1]",
                "\"sketches\":[\"?\"],\"at_least\":[1]",
                "\"sketches\":[\"AAA=\"],\"at_least\":[1]",
                "\"sketches\":[\"/////w==\"],\"at_least\":[1]",
                "\"sketches\":\"AAAAAA==\",\"at_least\":[1]",
                "\"sketches\":[\"AAAAAA==\"],\"at_least\":1",
                "\"sketches\":[\"AAAAAA==\"],\"at_least\":[1],\"field\":[]",
                "\"sketches\":[\"AAAAAA==\"],\"at_least\":[1],\"like\":1",
            })
    @DisplayName("names what is wrong with it")
    void refused(String members) {
        ParsingException failure = assertThrows(ParsingException.class, () -> parsed(members));
        assertTrue(failure.getMessage().startsWith("[neardup_sketch] "), failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"field", "boost", "_name"})
    @DisplayName("names an option that is a string of bytes, which a request in CBOR may contain")
    void bytes(String option) throws IOException {
        XContentBuilder request = XContentBuilder.builder(XContentType.CBOR.xContent());
        request.startObject().startObject("neardup_sketch");
        request.field(option, new byte[] {'1'}).endObject().endObject();
        byte[] cbor = BytesReference.toBytes(BytesReference.bytes(request));
        Exception thrown = assertThrows(Exception.class, () -> Requests.parsed(NAMES, cbor));
        String expected = "[neardup_sketch] needs [" + option + "] to be one value";
        assertTrue(ExceptionsHelper.stackTrace(thrown).contains(expected), thrown.toString());
    }
}
