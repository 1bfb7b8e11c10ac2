package org.neardup.query;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.SortedNumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.Term;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.BytesRef;

/** Random sets of q-grams, most of them near-copies of others; an index of them, and brute force over them. */
final class Corpus {
    static final String QGRAMS = "neardup.qgrams";
    static final String COUNT = "neardup.qgram_count";
    static final String ID = "id";
    /** "even" or "odd", "rare" in one of 50, "n" and its number in each. */
    static final String LABEL = "label";

    /** How the number of q-grams is indexed: as Elasticsearch does, or with less. */
    enum Counts {
        WITH_POINTS,
        SORTED,
        PLAIN
    }

    private static final List<String> LETTERS =
            List.of("a", "b", "c", "\u00E9", "\u4E00", "\uFF21", "\uD801\uDC00", "\uD83D\uDE00");

    final List<Set<String>> sets = new ArrayList<>();
    final Set<Integer> deleted = new HashSet<>();
    private final Random random;

    Corpus(int size, long seed) {
        random = new Random(seed);
        for (int i = 0; i < size; i++) {
            boolean copy = i > 0 && random.nextInt(4) > 0;
            sets.add(copy ? edited(sets.get(random.nextInt(i))) : fresh(random.nextInt(5) == 0 ? 300 : 40));
        }
    }

    private String gram() {
        StringBuilder gram = new StringBuilder();
        for (int i = 0; i < 4; i++) {
            gram.append(LETTERS.get(random.nextInt(LETTERS.size())));
        }
        return gram.toString();
    }

    /** At most so many; none, now and then. */
    Set<String> fresh(int most) {
        Set<String> set = new LinkedHashSet<>();
        int size = random.nextInt(most + 1);
        while (set.size() < size) {
            set.add(gram());
        }
        return set;
    }

    /** A copy in which something is changed, from nothing to most of it; or an extract, or more of the same. */
    Set<String> edited(Set<String> set) {
        List<String> grams = new ArrayList<>(set);
        Collections.shuffle(grams, random);
        int less = random.nextInt(2) == 0 ? 0 : random.nextInt(1 + grams.size() * random.nextInt(1, 11) / 10);
        Set<String> copy = new LinkedHashSet<>(grams.subList(less, grams.size()));
        int more = random.nextInt(2) == 0 ? 0 : random.nextInt(1 + grams.size() * random.nextInt(1, 11) / 10);
        for (int i = 0; i < more; i++) {
            copy.add(gram());
        }
        return copy;
    }

    /** The q-grams of a query: a document's own set, a near-copy of one, or one that has little to do with any. */
    List<String> queryGrams() {
        for (; ; ) {
            Set<String> one = sets.get(random.nextInt(sets.size()));
            int kind = random.nextInt(5);
            List<String> grams = new ArrayList<>(kind < 2 ? one : kind < 4 ? edited(one) : fresh(100));
            Collections.shuffle(grams, random);
            if (!grams.isEmpty()) {
                return grams;
            }
        }
    }

    /** An index of many segments, in which some documents are deleted. */
    Directory index(Counts counts) throws IOException {
        Directory directory = new ByteBuffersDirectory();
        IndexWriterConfig config = new IndexWriterConfig().setMergePolicy(NoMergePolicy.INSTANCE);
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            for (int i = 0; i < sets.size(); i++) {
                writer.addDocument(document(i, counts));
                if (random.nextInt(30) == 0) {
                    writer.commit();
                }
            }
            for (int i = 0; i < sets.size() / 8; i++) {
                int gone = random.nextInt(sets.size());
                deleted.add(gone);
                writer.deleteDocuments(new Term(ID, Integer.toString(gone)));
            }
        }
        return directory;
    }

    /** As Elasticsearch keeps a value: how many there are, how long it is, and it. */
    static BytesRef kept(byte[] value) {
        boolean isLong = value.length > 0x7F;
        byte[] kept = new byte[value.length + (isLong ? 3 : 2)];
        kept[0] = 1;
        kept[1] = (byte) (isLong ? value.length & 0x7F | 0x80 : value.length);
        if (isLong) {
            kept[2] = (byte) (value.length >> 7);
        }
        System.arraycopy(value, 0, kept, kept.length - value.length, value.length);
        return new BytesRef(kept);
    }

    /** The same as one segment, in which nothing is deleted. */
    static void merge(Directory directory) throws IOException {
        try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
            writer.forceMerge(1);
        }
    }

    private Document document(int doc, Counts counts) {
        Document document = new Document();
        document.add(new StringField(ID, Integer.toString(doc), Field.Store.YES));
        for (String label : labels(doc)) {
            document.add(new StringField(LABEL, label, Field.Store.NO));
        }
        Set<String> set = sets.get(doc);
        set.forEach(gram -> document.add(new StringField(QGRAMS, gram, Field.Store.NO)));
        if (counts == Counts.PLAIN) {
            document.add(new NumericDocValuesField(COUNT, set.size()));
        } else {
            document.add(new SortedNumericDocValuesField(COUNT, set.size()));
        }
        if (counts == Counts.WITH_POINTS) {
            document.add(new IntPoint(COUNT, set.size()));
        }
        return document;
    }

    static Set<String> labels(int doc) {
        Set<String> labels = new HashSet<>(Set.of(doc % 2 == 0 ? "even" : "odd", "n" + doc));
        if (doc % 50 == 7) {
            labels.add("rare");
        }
        return labels;
    }

    /** doc_q of every document, that is there and fits, with {@code grams}; by brute force, for those at or above t. */
    Map<String, Float> copies(List<String> grams, Threshold threshold, IntPredicate fits) {
        Map<String, Float> copies = new HashMap<>();
        IntStream.range(0, sets.size())
                .filter(i -> !deleted.contains(i))
                .filter(fits)
                .forEach(i -> {
                    int shared = shared(i, grams);
                    int larger = Math.max(grams.size(), sets.get(i).size());
                    if ((long) shared * threshold.denominator() >= (long) threshold.numerator() * larger) {
                        copies.put(Integer.toString(i), quotient(shared, larger));
                    }
                });
        return copies;
    }

    int shared(int doc, List<String> grams) {
        return (int) grams.stream().filter(sets.get(doc)::contains).count();
    }

    /** The float that is next to the exact quotient. */
    static float quotient(int dividend, int divisor) {
        return new BigDecimal(dividend)
                .divide(new BigDecimal(divisor), new MathContext(80))
                .floatValue();
    }
}
