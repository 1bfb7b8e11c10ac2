package org.neardup.query;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.util.function.LongSupplier;
import org.elasticsearch.client.internal.Client;
import org.elasticsearch.common.Strings;
import org.elasticsearch.common.io.stream.NamedWriteableRegistry;
import org.elasticsearch.index.query.AbstractQueryBuilder;
import org.elasticsearch.index.query.QueryBuilder;
import org.elasticsearch.index.query.QueryRewriteContext;
import org.elasticsearch.xcontent.NamedXContentRegistry;
import org.elasticsearch.xcontent.XContentParser;
import org.elasticsearch.xcontent.XContentType;
import org.elasticsearch.xcontent.json.JsonXContent;

/** Queries as OpenSearch reads, writes and rewrites them. */
final class Requests {
    private Requests() {}

    /** Nothing that a node provides is needed. */
    static void prepare() {}

    static QueryBuilder parsed(NamedXContentRegistry names, String json) throws IOException {
        try (XContentParser parser = JsonXContent.jsonXContent.createParser(names, null, json)) {
            return AbstractQueryBuilder.parseInnerQueryBuilder(parser);
        }
    }

    /** The query of a request in CBOR. */
    static QueryBuilder parsed(NamedXContentRegistry names, byte[] cbor) throws IOException {
        try (XContentParser parser = XContentType.CBOR.xContent().createParser(names, null, cbor)) {
            return AbstractQueryBuilder.parseInnerQueryBuilder(parser);
        }
    }

    static String written(QueryBuilder query) {
        return Strings.toString(XContentType.JSON, query);
    }

    /** A context, of the class QueryRewriteContext (2) or of the one that implements the interface of this name (3). */
    static QueryRewriteContext rewriting(Client client) {
        try {
            Class<?> frame = QueryRewriteContext.class;
            String name = frame.getPackageName()
                    + (frame.isInterface() ? ".BaseQueryRewriteContext" : ".QueryRewriteContext");
            Constructor<?> made = Class.forName(name)
                    .getConstructor(
                            NamedXContentRegistry.class,
                            NamedWriteableRegistry.class,
                            Client.class,
                            LongSupplier.class);
            return (QueryRewriteContext) made.newInstance(null, null, client, (LongSupplier) () -> 0);
        } catch (ReflectiveOperationException cause) {
            throw new IllegalStateException(cause);
        }
    }
}
