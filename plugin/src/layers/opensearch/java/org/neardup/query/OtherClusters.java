package org.neardup.query;

import java.util.Optional;
import org.elasticsearch.action.search.SearchResponse;

/** The information of OpenSearch about other clusters that a search went to. */
final class OtherClusters {
    private OtherClusters() {}

    /** How many clusters were skipped: a server does that with one that cannot be reached and may be skipped. */
    static int skipped(SearchResponse response) {
        return response.getClusters().getSkipped();
    }

    /** Always empty: OpenSearch does not say why it has skipped a cluster. */
    static Optional<String> lackOfIndex(SearchResponse response) {
        return Optional.empty();
    }
}
