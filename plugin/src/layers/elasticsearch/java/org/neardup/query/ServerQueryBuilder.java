package org.neardup.query;

import java.io.IOException;
import org.elasticsearch.TransportVersion;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.index.query.MatchNoneQueryBuilder;
import org.elasticsearch.index.query.QueryBuilder;

/** What Elasticsearch requires of every query. */
abstract class ServerQueryBuilder<Q extends ServerQueryBuilder<Q>> extends SingleQueryBuilder<Q> {
    ServerQueryBuilder() {}

    ServerQueryBuilder(StreamInput in) throws IOException {
        super(in);
    }

    /** The query that matches nothing, and why. */
    static QueryBuilder none(String reason) {
        return new MatchNoneQueryBuilder(reason);
    }

    @Override
    public final TransportVersion getMinimalSupportedVersion() {
        return TransportVersion.zero();
    }
}
