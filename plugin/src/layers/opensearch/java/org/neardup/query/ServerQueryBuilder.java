package org.neardup.query;

import java.io.IOException;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.index.query.MatchNoneQueryBuilder;
import org.elasticsearch.index.query.QueryBuilder;
import org.elasticsearch.index.query.QueryRewriteContext;
import org.elasticsearch.index.query.SearchExecutionContext;
import org.elasticsearch.xcontent.XContentBuilder;

/** Adapts queries to OpenSearch, which has no method of its own for rewriting on a shard. */
abstract class ServerQueryBuilder<Q extends ServerQueryBuilder<Q>> extends SingleQueryBuilder<Q> {
    ServerQueryBuilder() {}

    ServerQueryBuilder(StreamInput in) throws IOException {
        super(in);
    }

    /** The query that matches nothing; it cannot carry a reason. */
    static QueryBuilder none(String ignored) {
        return new MatchNoneQueryBuilder();
    }

    @Override
    protected QueryBuilder doRewrite(QueryRewriteContext context) throws IOException {
        SearchExecutionContext shard = context.convertToShardContext();
        return shard == null ? this : doSearchRewrite(shard);
    }

    /** This query as it is on a shard, before its search begins. */
    protected QueryBuilder doSearchRewrite(SearchExecutionContext context) throws IOException {
        return this;
    }

    protected final void boostAndQueryNameToXContent(XContentBuilder builder) throws IOException {
        printBoostAndQueryName(builder);
    }
}
