package org.neardup.query;

import org.elasticsearch.index.mapper.MappedFieldType;

/** How a field is indexed, where an {@code IndexType} says so: from Elasticsearch 9.3 on. */
final class IndexedFields {
    private IndexedFields() {}

    /** Whether the terms of a field can be looked up; those of one with doc values alone cannot. */
    static boolean hasTerms(MappedFieldType field) {
        return field.indexType().hasTerms();
    }
}
