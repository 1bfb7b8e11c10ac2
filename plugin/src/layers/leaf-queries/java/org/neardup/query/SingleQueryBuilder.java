package org.neardup.query;

import java.io.IOException;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.index.query.LeafQueryBuilder;

/** The frame of a query that has no others in it, which is counted as one clause: Elasticsearch 9.5. */
abstract class SingleQueryBuilder<Q extends LeafQueryBuilder<Q>> extends LeafQueryBuilder<Q> {
    SingleQueryBuilder() {}

    SingleQueryBuilder(StreamInput in) throws IOException {
        super(in);
    }
}
