package org.neardup.query;

import java.io.IOException;
import java.util.Arrays;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.SortedNumericDocValues;
import org.apache.lucene.index.TermState;
import org.apache.lucene.index.Terms;
import org.apache.lucene.search.DocIdSetIterator;

/**
 * The documents of one segment with doc_q &gt;= t, by posting lists.
 *
 * <p>Works in windows of Lucene's doc ids, so that memory does not grow with the segment, and only when needed:
 * documents that another clause of the query skips are not read. In a window the postings of the prefix are counted; a
 * document that has enough of them, and a length that can reach t, is a candidate. The remaining q-grams are looked up
 * for candidates only, and each candidate is dropped as soon as it can no longer reach t. Between windows only the
 * matches of the last one are held: a search may have thousands of such clauses at once.
 */
final class SegmentMatchIterator extends DocIdSetIterator implements ScoredMatches {
    /**
     * Declared as cheap, so that this iterator leads a conjunction: it has few matches, and the cost is in finding
     * them.
     */
    static final long COST = 16;

    /** Documents in a window: counters of half a megabyte, which stay in the second cache level. */
    static final int WINDOW = 1 << 17;

    /** Bytes of a document in a window, while it is worked on: its counter, and what is held of a candidate. */
    private static final long DOC_BYTES = 16;

    /** Bytes of a term's state, about. */
    private static final long STATE_BYTES = 128;

    private final SeekPlan plan;
    private final PlanPostings lists;
    private final SortedNumericDocValues sizes;
    private final int maxDoc;
    private final MemoryCheck memory;
    private final int window;

    /**
     * Where the lists of the prefix lie, if there are more windows; null for a list without documents from the next
     * window on.
     */
    private TermState[] states;

    private int nextWindow;

    /** The matches of the last window: their documents, the q-grams shared with A, and how many they have. */
    private int[] docs = {};

    private int[] shared = {};
    private int[] others = {};
    private int count;
    private int at = -1;
    private int doc = -1;

    /** The matches in a segment of {@code maxDoc} documents; {@code terms}, {@code sizes}: their q-grams and how many. */
    SegmentMatchIterator(SeekPlan plan, int maxDoc, Terms terms, SortedNumericDocValues sizes, MemoryCheck memory) {
        this(plan, maxDoc, terms, sizes, memory, WINDOW);
    }

    SegmentMatchIterator(
            SeekPlan plan, int maxDoc, Terms terms, SortedNumericDocValues sizes, MemoryCheck memory, int window) {
        this.plan = plan;
        this.maxDoc = maxDoc;
        this.lists = new PlanPostings(plan, terms);
        this.sizes = sizes;
        this.memory = memory;
        this.window = window;
    }

    @Override
    public int docID() {
        return doc;
    }

    @Override
    public int nextDoc() throws IOException {
        return advance(doc + 1);
    }

    @Override
    public int advance(int target) throws IOException {
        for (; ; ) {
            for (at++; at < count; at++) {
                if (docs[at] >= target) {
                    return doc = docs[at];
                }
            }
            int start = Math.max(target, nextWindow);
            if (start >= maxDoc) {
                return doc = NO_MORE_DOCS;
            }
            matchWindow(start);
        }
    }

    @Override
    public long cost() {
        return COST;
    }

    @Override
    public DocIdSetIterator iterator() {
        return this;
    }

    @Override
    public double docQ() {
        return plan.docQ(shared[at], others[at]);
    }

    /** Finds the matches of the window that begins at {@code start}, and where the next one begins. */
    private void matchWindow(int start) throws IOException {
        count = 0;
        at = -1;
        findCandidates(start, start + Math.min(window, maxDoc - start));
        dropUnreachable(plan.end(0));
        for (int stage = 1; stage < plan.stages() && count > 0; stage++) {
            lookUp(plan.end(stage - 1), plan.end(stage));
            dropUnreachable(plan.end(stage));
        }
        docs = Arrays.copyOf(docs, count);
        shared = Arrays.copyOf(shared, count);
        others = Arrays.copyOf(others, count);
    }

    /** Finds the documents that have enough q-grams of the prefix, and a length that can reach t. */
    private void findCandidates(int start, int end) throws IOException {
        boolean keepsStates = states == null && end < maxDoc;
        memory.ensure(DOC_BYTES * (end - start) + (keepsStates ? STATE_BYTES * plan.end(0) : 0));
        int[] counts = new int[end - start];
        countPrefix(start, end, counts);
        Arrays.sort(docs, 0, count);
        takeSizes(start, counts);
    }

    /** Counts the shared q-grams of the prefix, for every document of the window; those with enough are candidates. */
    private void countPrefix(int start, int end, int[] counts) throws IOException {
        boolean isFirst = states == null;
        if (isFirst) {
            states = new TermState[end < maxDoc ? plan.end(0) : 0];
        }
        nextWindow = maxDoc;
        for (int index = 0; index < plan.end(0); index++) {
            if (!isFirst && states[index] == null) {
                continue;
            }
            PostingsEnum postings = isFirst ? lists.of(index) : lists.of(index, states[index]);
            if (postings == null) {
                continue;
            }
            int next = countList(postings, start, end, counts);
            nextWindow = Math.min(nextWindow, next);
            if (isFirst && next < maxDoc) {
                states[index] = lists.state();
            } else if (!isFirst && next >= maxDoc) {
                states[index] = null;
            }
        }
    }

    /** Counts one list from {@code start} on; returns its first document that is not before {@code end}. */
    private int countList(PostingsEnum postings, int start, int end, int[] counts) throws IOException {
        int least = plan.least();
        int read = 0;
        int posting = start == 0 ? postings.nextDoc() : postings.advance(start);
        for (; posting < end; posting = postings.nextDoc()) {
            read++;
            if (++counts[posting - start] == least) {
                add(posting);
            }
        }
        lists.hasRead(read);
        return posting;
    }

    private void add(int candidate) {
        if (count == docs.length) {
            docs = Arrays.copyOf(docs, Math.max(16, 2 * count));
        }
        docs[count++] = candidate;
    }

    /** Sets how many q-grams the candidates have, and share so far; drops those of a length that cannot reach t. */
    private void takeSizes(int start, int[] counts) throws IOException {
        shared = new int[count];
        others = new int[count];
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (!sizes.advanceExact(docs[i]) || sizes.docValueCount() > 1) {
                continue; // several signatures have no doc_q
            }
            long other = sizes.nextValue();
            if (plan.reachable(other)) {
                docs[kept] = docs[i];
                shared[kept] = counts[docs[i] - start];
                others[kept++] = (int) other;
            }
        }
        count = kept;
    }

    /** Looks q-grams {@code first} to {@code end - 1} up for the candidates. */
    private void lookUp(int first, int end) throws IOException {
        for (int index = first; index < end; index++) {
            PostingsEnum postings = lists.of(index);
            if (postings == null) {
                continue;
            }
            int posting = -1;
            int read = 0;
            for (int i = 0; i < count; i++) {
                if (posting < docs[i]) {
                    posting = postings.advance(docs[i]);
                    read++;
                }
                if (posting == docs[i]) {
                    shared[i]++;
                }
            }
            lists.hasRead(read);
        }
    }

    /** Drops the candidates that cannot reach t any more, now that q-grams up to {@code end} have been looked up. */
    private void dropUnreachable(int end) {
        int left = plan.size() - end;
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (shared[i] + left >= plan.required(others[i])) {
                docs[kept] = docs[i];
                shared[kept] = shared[i];
                others[kept++] = others[i];
            }
        }
        count = kept;
    }
}
