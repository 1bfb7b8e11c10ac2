package org.neardup.query;

import java.util.Map;
import org.elasticsearch.index.analysis.NamedAnalyzer;
import org.elasticsearch.index.mapper.KeywordFieldMapper.KeywordFieldType;
import org.elasticsearch.index.mapper.MappedFieldType;
import org.elasticsearch.index.mapper.Mapping;
import org.elasticsearch.index.query.SearchExecutionContext;

/** What Elasticsearch knows of the mapping of an index. */
final class ShardMapping {
    private ShardMapping() {}

    /** What the mapping says about itself ({@code _meta}); null if nothing. */
    static Map<String, Object> meta(SearchExecutionContext context) {
        Mapping mapping = context.getMappingLookup().getMapping();
        return mapping == null ? null : mapping.getMeta();
    }

    /** Whether the terms of a keyword are other than its values. */
    static boolean hasNormalizer(KeywordFieldType keyword) {
        return keyword.hasNormalizer();
    }

    /** The name of the analyzer that cuts a text field; null if it has none. */
    static String analyzer(MappedFieldType text) {
        NamedAnalyzer analyzer = text.getTextSearchInfo().searchAnalyzer();
        return analyzer == null ? null : analyzer.name();
    }
}
