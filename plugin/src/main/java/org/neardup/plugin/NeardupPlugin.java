package org.neardup.plugin;

import java.util.Map;
import org.elasticsearch.ingest.Processor;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.IngestPlugin;
import org.elasticsearch.plugins.Plugin;

/** What neardup adds to a node: the ingest processor {@code neardup}. */
public final class NeardupPlugin extends Plugin implements IngestPlugin {
    @Override
    public Map<String, Processor.Factory> getProcessors(Processor.Parameters parameters) {
        String node = Node.NODE_NAME_SETTING.get(parameters.env.settings());
        Lexicons lexicons = new Lexicons(parameters.env.configDir());
        return Map.of(NeardupProcessor.TYPE, new NeardupProcessorFactory(node, lexicons));
    }
}
