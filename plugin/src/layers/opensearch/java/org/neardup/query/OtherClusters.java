package org.neardup.query;

import java.util.Optional;
import org.elasticsearch.action.search.SearchResponse;

/** What OpenSearch tells of the other clusters that a search went to. */
final class OtherClusters {
    private OtherClusters() {}

    /** How many were left out, as a server does with one that cannot be reached and may be skipped. */
    static int skipped(SearchResponse response) {
        return response.getClusters().getSkipped();
    }

    /** Which of these lacks an index: OpenSearch does not tell why it has left one out. */
    static Optional<String> lackOfIndex(SearchResponse response) {
        return Optional.empty();
    }
}
