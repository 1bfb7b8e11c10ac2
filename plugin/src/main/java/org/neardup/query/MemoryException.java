package org.neardup.query;

import org.elasticsearch.common.ParsingException;
import org.elasticsearch.common.breaker.CircuitBreakingException;
import org.elasticsearch.rest.RestStatus;

/**
 * A breaker's no, in its own words, as a query says it: of every other error that comes up while a query is made from a
 * request the server makes one of the request (400), by which nobody knows that it may be sent again.
 */
public final class MemoryException extends ParsingException {
    private static final long serialVersionUID = 1;

    public MemoryException(CircuitBreakingException cause) {
        super(UNKNOWN_POSITION, UNKNOWN_POSITION, cause.getMessage(), cause);
    }

    @Override
    public RestStatus status() {
        return RestStatus.TOO_MANY_REQUESTS;
    }
}
