package org.neardup.query;

import java.util.Optional;
import org.elasticsearch.ExceptionsHelper;
import org.elasticsearch.action.search.SearchResponse;
import org.elasticsearch.action.search.ShardSearchFailure;
import org.elasticsearch.index.IndexNotFoundException;

/** What Elasticsearch tells of the other clusters that a search went to. */
final class OtherClusters {
    private OtherClusters() {}

    /** How many were left out, as a server does with one that cannot be reached and may be skipped. */
    static int skipped(SearchResponse response) {
        return response.getClusters().getClusterStateCount(SearchResponse.Cluster.Status.SKIPPED);
    }

    /** Which of these has answered, that it lacks an index that was asked by its name, and what it says. */
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
