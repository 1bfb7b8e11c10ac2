package org.neardup.query;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.util.BytesRef;
import org.elasticsearch.index.mapper.MappedFieldType;
import org.elasticsearch.index.query.SearchExecutionContext;
import org.neardup.signature.SketchKeys;

/**
 * The sketches of the texts whose copies are sought, and the fewest keys that a copy of each shares with it. Immutable;
 * equal if all of that is.
 *
 * <p>A stored sketch is compared with all of them at once; for a key that is in none of them, as most are, one bit
 * shows that.
 */
final class Sketches {
    /** Bits for each key: of the keys that are in no sketch one in 16 is looked up. */
    private static final int BITS = 16;

    /** Places in the table for each key. */
    private static final int PLACES = 4;

    /** Bytes of memory for each key, about: itself, its places, and what is sorted meanwhile. */
    private static final long KEY_BYTES = 96;

    /** Bytes of memory for each term that is looked up, about. */
    private static final long TERM_BYTES = 200;

    /** More clauses might exceed Lucene's limit; then keys share clauses. */
    private static final int MOST_CLAUSES = 512;

    private static final int NONE = -1;
    private static final VarHandle KEYS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final int[][] keys;
    private final int[] atLeast;
    private final long[] bits;

    /**
     * In turn a key, and where in {@link #holders} the texts with that key begin; {@link #NONE} where there is no key.
     */
    private final int[] table;

    /** Texts by key, the last one of a key inverted. */
    private final int[] holders;

    /**
     * These sketches; the caller must not use the arrays any more.
     *
     * @param keys of each text, in any order
     * @param atLeast of each text, one or more
     */
    static Sketches of(int[][] keys, int[] atLeast, MemoryCheck memory) {
        memory.ensure(
                KEY_BYTES * Arrays.stream(keys).mapToLong(own -> own.length).sum());
        return new Sketches(keys, atLeast);
    }

    private Sketches(int[][] keys, int[] atLeast) {
        this.keys = keys;
        this.atLeast = atLeast;
        long[] pairs = pairs(keys);
        int size = Integer.highestOneBit(Math.max(pairs.length, 4));
        bits = new long[BITS * 2 * size / Long.SIZE];
        table = new int[2 * PLACES * 2 * size];
        holders = new int[pairs.length];
        Arrays.fill(table, NONE);
        for (int i = 0; i < pairs.length; i++) {
            int key = (int) (pairs[i] >>> Integer.SIZE);
            boolean last = i + 1 == pairs.length || (int) (pairs[i + 1] >>> Integer.SIZE) != key;
            holders[i] = last ? ~(int) pairs[i] : (int) pairs[i];
            if (i == 0 || (int) (pairs[i - 1] >>> Integer.SIZE) != key) {
                put(key, i);
            }
        }
    }

    /** Each key of each text once, with its text in the lower half, ascending. */
    private static long[] pairs(int[][] keys) {
        return IntStream.range(0, keys.length)
                .boxed()
                .flatMapToLong(text -> Arrays.stream(keys[text]).mapToLong(key -> (long) key << Integer.SIZE | text))
                .sorted()
                .distinct()
                .toArray();
    }

    private void put(int key, int first) {
        int bit = key & Long.SIZE * bits.length - 1;
        bits[bit / Long.SIZE] |= 1L << bit;
        int place = place(key);
        table[place] = key;
        table[place + 1] = first;
    }

    /** Where in the table a key is, or would be. */
    private int place(int key) {
        int place = 2 * key & table.length - 1;
        while (table[place] != NONE && table[place] != key) {
            place = place + 2 & table.length - 1;
        }
        return place;
    }

    /** Where in {@link #holders} the texts begin that have a key; {@link #NONE} for a key that is in no sketch. */
    private int firstHolder(int key) {
        int bit = key & Long.SIZE * bits.length - 1;
        return (bits[bit / Long.SIZE] >>> bit & 1) == 0 ? NONE : table[place(key) + 1];
    }

    /** How many texts there are. */
    int count() {
        return keys.length;
    }

    /**
     * The query for the same documents, and some more, where an index has terms of its sketches. The first keys of all
     * texts are one clause, the second ones another: a document that shares n keys with one text matches n clauses.
     */
    Query byTerms(MappedFieldType field, SearchExecutionContext context, MemoryCheck memory) {
        memory.ensure(TERM_BYTES * holders.length);
        int most = Arrays.stream(keys).mapToInt(own -> own.length).max().orElse(0);
        int least = Arrays.stream(atLeast).min().orElse(1);
        List<Set<String>> clauses = new ArrayList<>();
        for (int i = 0; i < Math.min(most, MOST_CLAUSES); i++) {
            clauses.add(new TreeSet<>());
        }
        for (int[] own : keys) {
            for (int i = 0; i < own.length; i++) {
                clauses.get(i % clauses.size()).add(SketchKeys.shortDigits(own[i]));
            }
        }
        int inEach = Math.max(most / MOST_CLAUSES + (most % MOST_CLAUSES == 0 ? 0 : 1), 1);
        BooleanQuery.Builder enough =
                new BooleanQuery.Builder().setMinimumNumberShouldMatch((least + inEach - 1) / inEach);
        clauses.forEach(terms -> enough.add(field.termsQuery(List.copyOf(terms), context), BooleanClause.Occur.SHOULD));
        return new ConstantScoreQuery(enough.build());
    }

    /** The counts of one thread. */
    final class Counter {
        private final int[] shared = new int[keys.length];
        private final int[] touched = new int[keys.length];
        private int count;

        /**
         * Whether a stored sketch, as the server keeps it, shares as many keys with one of the texts as a copy of that.
         */
        boolean matches(BytesRef kept) {
            int at = BinaryValue.start(kept);
            if (at < 0) {
                return false;
            }
            boolean found = false;
            for (int end = BinaryValue.end(kept) - Integer.BYTES; at <= end; at += Integer.BYTES) {
                int first = firstHolder((int) KEYS.get(kept.bytes, at));
                if (first != NONE) {
                    found |= share(first);
                }
            }
            while (count > 0) {
                shared[touched[--count]] = 0;
            }
            return found;
        }

        /**
         * Counts a key for all its holders, from the {@code first} on; whether the sketch now shares enough with one of
         * them.
         */
        private boolean share(int first) {
            boolean found = false;
            boolean last = false;
            for (int i = first; !last; i++) {
                last = holders[i] < 0;
                int text = last ? ~holders[i] : holders[i];
                if (shared[text]++ == 0) {
                    touched[count++] = text;
                }
                found |= shared[text] >= atLeast[text];
            }
            return found;
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Sketches sketches
                && Arrays.equals(atLeast, sketches.atLeast)
                && Arrays.deepEquals(keys, sketches.keys);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.deepHashCode(keys) + Arrays.hashCode(atLeast);
    }
}
