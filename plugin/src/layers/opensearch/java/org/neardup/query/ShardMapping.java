package org.neardup.query;

import java.util.Map;
import org.elasticsearch.common.lucene.Lucene;
import org.elasticsearch.index.analysis.NamedAnalyzer;
import org.elasticsearch.index.mapper.DocumentMapper;
import org.elasticsearch.index.mapper.KeywordFieldMapper.KeywordFieldType;
import org.elasticsearch.index.mapper.MappedFieldType;
import org.elasticsearch.index.query.SearchExecutionContext;

/** What OpenSearch knows of the mapping of an index. */
final class ShardMapping {
    private ShardMapping() {}

    /** What the mapping says about itself ({@code _meta}); null if nothing. */
    static Map<String, Object> meta(SearchExecutionContext context) {
        DocumentMapper mapper = context.getMapperService().documentMapper();
        return mapper == null ? null : mapper.meta();
    }

    /** Whether the terms of a keyword are other than its values. */
    static boolean hasNormalizer(KeywordFieldType keyword) {
        return keyword.indexAnalyzer() != Lucene.KEYWORD_ANALYZER;
    }

    /** The name of the analyzer that cuts a text field; null if it has none. */
    static String analyzer(MappedFieldType text) {
        NamedAnalyzer analyzer = text.getTextSearchInfo().getSearchAnalyzer();
        return analyzer == null ? null : analyzer.name();
    }
}
