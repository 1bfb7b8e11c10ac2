package org.neardup.query;

import java.util.List;
import java.util.concurrent.Executor;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TopDocs;

/** What tests ask of Lucene 10, which may search a segment in several threads. */
final class Searchers {
    /** Whether parts of one segment are searched by several threads. */
    static final boolean PARTS = true;

    private Searchers() {}

    /** A searcher with a thread for each segment; or, where that can be, for {@code parts} of them. */
    static IndexSearcher parallel(IndexReader reader, Executor pool, boolean parts) {
        return new IndexSearcher(reader, pool) {
            @Override
            protected LeafSlice[] slices(List<LeafReaderContext> leaves) {
                return slices(leaves, parts ? 15 : 1, 1, parts);
            }
        };
    }

    /** How many documents a search found in all. */
    static long total(TopDocs found) {
        return found.totalHits.value();
    }
}
