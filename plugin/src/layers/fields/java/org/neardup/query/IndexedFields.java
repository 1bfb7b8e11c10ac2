package org.neardup.query;

import org.elasticsearch.index.mapper.MappedFieldType;

/** How a field is indexed, where its type says so itself: up to Elasticsearch 9.2, OpenSearch. */
final class IndexedFields {
    private IndexedFields() {}

    /** Whether the terms of a field can be looked up; those of one with doc values alone cannot. */
    static boolean hasTerms(MappedFieldType field) {
        return field.isIndexed();
    }
}
