package org.neardup.query;

import org.elasticsearch.index.mapper.MappedFieldType;

/** How a field is indexed, where an {@code IndexType} says so: Elasticsearch 9.5. */
final class IndexedFields {
    private IndexedFields() {}

    /** Whether the terms of a keyword field can be looked up; those of one with doc values alone cannot. */
    static boolean hasTerms(MappedFieldType keyword) {
        return keyword.indexType().hasTerms();
    }
}
