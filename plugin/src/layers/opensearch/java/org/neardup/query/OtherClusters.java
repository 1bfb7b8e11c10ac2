package org.neardup.query;

import org.elasticsearch.action.search.SearchResponse;

/** What OpenSearch tells of the other clusters that a search went to. */
final class OtherClusters {
    private OtherClusters() {}

    /** How many were left out, as a server does with one that cannot be reached and may be skipped. */
    static int skipped(SearchResponse response) {
        return response.getClusters().getSkipped();
    }
}
