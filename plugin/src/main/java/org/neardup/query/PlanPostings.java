package org.neardup.query;

import java.io.IOException;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.TermState;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;

/**
 * The posting lists of a plan's q-grams in a segment. One is open at a time: opening a list ends the one before.
 *
 * <p>The terms are opened again now and then, which ends a search that has been cancelled or is out of time: Elasticsearch
 * checks for that there (ExitableDirectoryReader), not at seeks and postings.
 */
final class PlanPostings {
    private static final int SEEKS_BETWEEN_CHECKS = 256;

    private static final int POSTINGS_BETWEEN_CHECKS = 1 << 20;

    private final SeekPlan plan;
    private final Terms terms;

    private TermsEnum seeker;
    private PostingsEnum postings;
    private int seeks = SEEKS_BETWEEN_CHECKS;
    private int read;

    PlanPostings(SeekPlan plan, Terms terms) {
        this.plan = plan;
        this.terms = terms;
    }

    /** The list of a q-gram, by its index in the plan; null if no document has it. */
    PostingsEnum of(int index) throws IOException {
        reopenIfDue();
        return seeker.seekExact(plan.term(index)) ? open() : null;
    }

    /** The list of a q-gram whose {@link #state} was kept: it is not looked up again. */
    PostingsEnum of(int index, TermState state) throws IOException {
        reopenIfDue();
        seeker.seekExact(plan.term(index), state);
        return open();
    }

    /** The location of the list that was opened last. */
    TermState state() throws IOException {
        return seeker.termState();
    }

    /** Notes that {@code count} postings of the open list have been read. */
    void hasRead(int count) {
        read += count;
    }

    private PostingsEnum open() throws IOException {
        return postings = seeker.postings(postings, PostingsEnum.NONE);
    }

    private void reopenIfDue() throws IOException {
        if (++seeks >= SEEKS_BETWEEN_CHECKS || read > POSTINGS_BETWEEN_CHECKS) {
            seeker = terms.iterator();
            seeks = 0;
            read = 0;
        }
    }
}
