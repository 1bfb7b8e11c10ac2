package org.neardup.query;

import java.util.function.Supplier;

/** Whether a node has memory left for a search, or for signing a text. */
@FunctionalInterface
public interface MemoryCheck {
    /** Never refuses. */
    MemoryCheck NONE = bytes -> {};

    /**
     * Makes sure that {@code bytes} more can be allocated now. Nothing is reserved, so call it just before allocating.
     *
     * @throws RuntimeException if they cannot: it must end the caller's work, before the node runs out of memory
     */
    void ensure(long bytes);

    /**
     * Runs {@code work} and returns its result; a node reserves {@code bytes} meanwhile. Throws as {@link #ensure}
     * does.
     */
    default <T> T during(long bytes, Supplier<T> work) {
        ensure(bytes);
        return work.get();
    }
}
