package org.neardup.plugin;

import java.util.Collection;
import java.util.List;
import org.elasticsearch.common.breaker.CircuitBreaker;
import org.elasticsearch.plugins.Plugin;

/** A plugin that gets the circuit breaker of requests, in the way of Elasticsearch. */
abstract class ServerPlugin extends Plugin {
    /** Called with the breaker when the node has one, which is after the queries are registered. */
    abstract void setBreaker(CircuitBreaker breaker);

    @Override
    public final Collection<?> createComponents(PluginServices services) {
        setBreaker(services.indicesService().getCircuitBreakerService().getBreaker(CircuitBreaker.REQUEST));
        return List.of();
    }
}
