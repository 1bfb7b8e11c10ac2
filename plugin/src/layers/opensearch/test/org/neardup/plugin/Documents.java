package org.neardup.plugin;

import java.util.HashMap;
import java.util.Map;
import org.elasticsearch.index.VersionType;
import org.elasticsearch.ingest.IngestDocument;

/** Documents of OpenSearch, no node needed. */
final class Documents {
    /** What the names of what is told with an error begin with. */
    static final String METADATA = "opensearch.";

    private Documents() {}

    /** Nothing that a node provides is needed. */
    static void prepare() {}

    /** A document with this source. */
    static IngestDocument of(Map<String, Object> source) {
        return new IngestDocument("index", "id", null, 1L, VersionType.INTERNAL, source);
    }

    /** The source of a document as it is now. */
    static Map<String, Object> source(IngestDocument document) {
        Map<String, Object> source = new HashMap<>(document.getSourceAndMetadata());
        for (IngestDocument.Metadata metadata : IngestDocument.Metadata.values()) {
            source.remove(metadata.getFieldName());
        }
        return source;
    }
}
