package org.neardup.plugin;

import java.util.Collection;
import java.util.List;
import org.elasticsearch.common.breaker.CircuitBreaker;
import org.elasticsearch.plugins.Plugin;

/** A plugin that is told of the circuit breaker of requests, as Elasticsearch does it. */
abstract class ServerPlugin extends Plugin {
    /** The breaker, when the node has one: queries are known before. */
    abstract void setBreaker(CircuitBreaker breaker);

    @Override
    public final Collection<?> createComponents(PluginServices services) {
        setBreaker(services.indicesService().getCircuitBreakerService().getBreaker(CircuitBreaker.REQUEST));
        return List.of();
    }
}
