package org.neardup.plugin;

import java.util.Map;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.index.VersionType;
import org.elasticsearch.ingest.IngestDocument;

/** Documents of Elasticsearch, no node needed. */
final class Documents {
    /** What the names of what is told with an error begin with. */
    static final String METADATA = "es.";

    private Documents() {}

    /** The server's exceptions ask for a logger when they are loaded; a node would have provided one. */
    static void prepare() {
        LogConfigurator.configureESLogging();
    }

    /** A document with this source. */
    static IngestDocument of(Map<String, Object> source) {
        return new IngestDocument("index", "id", 1, null, VersionType.INTERNAL, source);
    }

    /** The source of a document as it is now. */
    static Map<String, Object> source(IngestDocument document) {
        return document.getSource();
    }
}
