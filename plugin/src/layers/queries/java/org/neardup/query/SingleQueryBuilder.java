package org.neardup.query;

import java.io.IOException;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.index.query.AbstractQueryBuilder;

/** The frame of a query that has no others in it, where all queries have the same one: Elasticsearch up to 9.3, OpenSearch. */
abstract class SingleQueryBuilder<Q extends AbstractQueryBuilder<Q>> extends AbstractQueryBuilder<Q> {
    SingleQueryBuilder() {}

    SingleQueryBuilder(StreamInput in) throws IOException {
        super(in);
    }
}
