package org.neardup.plugin;

import org.elasticsearch.common.breaker.CircuitBreaker;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.indices.breaker.BreakerSettings;
import org.elasticsearch.plugins.CircuitBreakerPlugin;
import org.elasticsearch.plugins.Plugin;

/** A plugin that is told of a circuit breaker, as OpenSearch does it: of one of its own, beside that of requests. */
abstract class ServerPlugin extends Plugin implements CircuitBreakerPlugin {
    /** The breaker, when the node has one: queries are known before. */
    abstract void setBreaker(CircuitBreaker breaker);

    /** Without a limit of its own: the parent of all breakers, which looks at the heap as it is, has one. */
    @Override
    public final BreakerSettings getCircuitBreaker(Settings settings) {
        return new BreakerSettings("neardup", Runtime.getRuntime().maxMemory(), 1.0);
    }

    @Override
    public final void setCircuitBreaker(CircuitBreaker breaker) {
        setBreaker(breaker);
    }
}
