package org.neardup.plugin;

import org.elasticsearch.common.breaker.CircuitBreaker;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.indices.breaker.BreakerSettings;
import org.elasticsearch.plugins.CircuitBreakerPlugin;
import org.elasticsearch.plugins.Plugin;

/** A plugin that gets a circuit breaker, in the way of OpenSearch: one of its own, besides that of requests. */
abstract class ServerPlugin extends Plugin implements CircuitBreakerPlugin {
    /** Called with the breaker when the node has one, which is after the queries are registered. */
    abstract void setBreaker(CircuitBreaker breaker);

    /** A breaker without a limit of its own: the parent of all breakers, which checks the actual heap, has one. */
    @Override
    public final BreakerSettings getCircuitBreaker(Settings settings) {
        return new BreakerSettings("neardup", Runtime.getRuntime().maxMemory(), 1.0);
    }

    @Override
    public final void setCircuitBreaker(CircuitBreaker breaker) {
        setBreaker(breaker);
    }
}
