package org.neardup.query;

import java.util.Optional;
import org.elasticsearch.ExceptionsHelper;
import org.elasticsearch.action.search.SearchResponse;
import org.elasticsearch.action.search.ShardSearchFailure;
import org.elasticsearch.index.IndexNotFoundException;

/** The information of Elasticsearch about other clusters that a search went to. */
final class OtherClusters {
    private OtherClusters() {}

    /** How many clusters were skipped: a server does that with one that cannot be reached and may be skipped. */
    static int skipped(SearchResponse response) {
        return response.getClusters().getClusterStateCount(SearchResponse.Cluster.Status.SKIPPED);
    }

    /** The cluster that lacks an index named in the search, and its message, in words; empty if there is none. */
    static Optional<String> lackOfIndex(SearchResponse response) {
        for (String alias : response.getClusters().getClusterAliases()) {
            SearchResponse.Cluster cluster = response.getClusters().getCluster(alias);
            for (ShardSearchFailure failure : cluster.getFailures()) {
                Throwable cause = ExceptionsHelper.unwrapCause(failure.getCause());
                if (cause instanceof IndexNotFoundException) {
                    return Optional.of("cluster [" + alias + "] says: " + cause.getMessage());
                }
            }
        }
        return Optional.empty();
    }
}
