package org.neardup.query;

import org.elasticsearch.common.ParsingException;
import org.elasticsearch.common.breaker.CircuitBreakingException;
import org.elasticsearch.rest.RestStatus;

/**
 * The refusal of a breaker, in its own words, as an error of a query. The server turns any other error that occurs
 * while a query is made from a request into an error of the request (400), from which no client learns that the request
 * may be sent again.
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
