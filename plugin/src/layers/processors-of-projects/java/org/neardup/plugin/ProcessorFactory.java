package org.neardup.plugin;

import java.util.Map;
import org.elasticsearch.cluster.metadata.ProjectId;
import org.elasticsearch.ingest.Processor;

/** The frame of a factory where a cluster can hold several projects: from Elasticsearch 9.1 on. */
abstract class ProcessorFactory implements Processor.Factory {
    /** The processor of these options, which it takes out of {@code configuration}. */
    abstract NeardupProcessor create(String tag, String description, Map<String, Object> configuration);

    @Override
    public final NeardupProcessor create(
            Map<String, Processor.Factory> factories,
            String tag,
            String description,
            Map<String, Object> configuration,
            ProjectId project) {
        return create(tag, description, configuration);
    }
}
