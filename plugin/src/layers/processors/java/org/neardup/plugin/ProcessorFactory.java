package org.neardup.plugin;

import java.util.Map;
import org.elasticsearch.ingest.Processor;

/** The frame of a factory where a cluster is one project: up to Elasticsearch 9.0. */
abstract class ProcessorFactory implements Processor.Factory {
    /** The processor of these options, which it takes out of {@code configuration}. */
    abstract NeardupProcessor create(String tag, String description, Map<String, Object> configuration);

    @Override
    public final NeardupProcessor create(
            Map<String, Processor.Factory> factories,
            String tag,
            String description,
            Map<String, Object> configuration) {
        return create(tag, description, configuration);
    }
}
