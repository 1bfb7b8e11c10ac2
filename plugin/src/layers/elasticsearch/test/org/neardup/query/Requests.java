package org.neardup.query;

import java.io.IOException;
import org.elasticsearch.client.internal.Client;
import org.elasticsearch.common.Strings;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.index.query.AbstractQueryBuilder;
import org.elasticsearch.index.query.QueryBuilder;
import org.elasticsearch.index.query.QueryRewriteContext;
import org.elasticsearch.xcontent.NamedXContentRegistry;
import org.elasticsearch.xcontent.XContentParser;
import org.elasticsearch.xcontent.XContentParserConfiguration;
import org.elasticsearch.xcontent.XContentType;
import org.elasticsearch.xcontent.json.JsonXContent;

/** Queries as Elasticsearch reads, writes and rewrites them. */
final class Requests {
    private Requests() {}

    /** The server's exceptions ask for a logger when they are loaded; a node would have provided one. */
    static void prepare() {
        LogConfigurator.configureESLogging();
    }

    static QueryBuilder parsed(NamedXContentRegistry names, String json) throws IOException {
        XContentParserConfiguration configuration = XContentParserConfiguration.EMPTY.withRegistry(names);
        try (XContentParser parser = JsonXContent.jsonXContent.createParser(configuration, json)) {
            return AbstractQueryBuilder.parseTopLevelQuery(parser);
        }
    }

    /** The query of a request in CBOR. */
    static QueryBuilder parsed(NamedXContentRegistry names, byte[] cbor) throws IOException {
        try (XContentParser parser = XContentType.CBOR
                .xContent()
                .createParser(XContentParserConfiguration.EMPTY.withRegistry(names), cbor)) {
            return AbstractQueryBuilder.parseTopLevelQuery(parser);
        }
    }

    static String written(QueryBuilder query) {
        return Strings.toString(query);
    }

    static QueryRewriteContext rewriting(Client client) {
        return new QueryRewriteContext(XContentParserConfiguration.EMPTY, client, () -> 0);
    }
}
