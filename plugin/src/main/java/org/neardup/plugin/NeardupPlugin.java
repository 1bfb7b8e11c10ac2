package org.neardup.plugin;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.elasticsearch.common.breaker.CircuitBreaker;
import org.elasticsearch.common.breaker.CircuitBreakingException;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.index.analysis.TokenizerFactory;
import org.elasticsearch.indices.analysis.AnalysisModule.AnalysisProvider;
import org.elasticsearch.ingest.Processor;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.AnalysisPlugin;
import org.elasticsearch.plugins.IngestPlugin;
import org.elasticsearch.plugins.SearchPlugin;
import org.neardup.query.MemoryCheck;
import org.neardup.query.MemoryException;
import org.neardup.query.NeardupQueryBuilder;
import org.neardup.query.SketchQueryBuilder;

/**
 * What neardup adds to a node: the ingest processor {@code neardup}, the queries {@code neardup} and
 * {@code neardup_sketch}, and a tokenizer.
 */
public final class NeardupPlugin extends ServerPlugin implements AnalysisPlugin, IngestPlugin, SearchPlugin {
    private static final String SHORTER_TEXTS =
            "set [max_length] of the processor lower, and [on_too_long] to [mark] to"
                    + " index such documents unsigned";

    private final String node;
    private final Lexicons lexicons;
    private final Salts salts;

    /** Null until the node has set it, which is after the queries are registered. */
    private volatile CircuitBreaker requests;

    /** As Elasticsearch makes it: with the node's settings and its directory of configuration. */
    public NeardupPlugin(Settings settings, Path config) {
        node = Node.NODE_NAME_SETTING.get(settings);
        lexicons = new Lexicons(config);
        salts = new Salts(config);
    }

    @Override
    public Map<String, Processor.Factory> getProcessors(Processor.Parameters parameters) {
        return Map.of(NeardupProcessor.TYPE, new NeardupProcessorFactory(node, lexicons, salts, new SigningMemory()));
    }

    @Override
    public Map<String, AnalysisProvider<TokenizerFactory>> getTokenizers() {
        return Map.of(QGramTokenizer.TYPE, (index, environment, name, settings) -> QGramTokenizer.of(name, settings));
    }

    @Override
    public List<QuerySpec<?>> getQueries() {
        return List.of(
                NeardupQueryBuilder.spec(lexicons::orDefault, new QueryMemory()),
                SketchQueryBuilder.spec(new QueryMemory()));
    }

    @Override
    void setBreaker(CircuitBreaker breaker) {
        requests = breaker;
    }

    /**
     * Runs {@code work} while the breaker reserves {@code bytes}. If its limit is too low for that at any time, the
     * error for {@code what} is not one after which a client may send the request again.
     */
    private <T> T hold(long bytes, String what, String remedy, Supplier<T> work) {
        CircuitBreaker breaker = requests;
        if (breaker == null) {
            return work.get();
        }
        if (0 < breaker.getLimit() && breaker.getLimit() < bytes) {
            throw new IllegalArgumentException(what + " takes [" + bytes + "] bytes, but breaker [" + breaker.getName()
                    + "] of node [" + node + "] never allows more than [" + breaker.getLimit()
                    + "]: give the node a larger heap, or " + remedy);
        }
        breaker.addEstimateBytesAndMaybeBreak(bytes, "<neardup>");
        try {
            return work.get();
        } finally {
            breaker.addWithoutBreaking(-bytes);
        }
    }

    /** The memory that signing takes. */
    final class SigningMemory implements MemoryCheck {
        @Override
        public void ensure(long bytes) {
            during(bytes, () -> null);
        }

        @Override
        public <T> T during(long bytes, Supplier<T> work) {
            return hold(bytes, "signing a text of this length", SHORTER_TEXTS, work);
        }
    }

    /**
     * The memory that a search takes. The parent of all breakers checks the actual heap whenever one of them is asked
     * for more. Memory is reserved only during a piece of work, because a search has no end at which a query could give
     * it back.
     */
    final class QueryMemory implements MemoryCheck {
        @Override
        public void ensure(long bytes) {
            during(bytes, () -> null);
        }

        @Override
        public <T> T during(long bytes, Supplier<T> work) {
            try {
                return hold(bytes, "[neardup]: this search", "search for fewer or shorter texts at once", work);
            } catch (CircuitBreakingException cause) {
                throw new MemoryException(cause);
            }
        }
    }
}
