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
     * @throws RuntimeException if they cannot: what asked is to end with it, before the node runs out of memory
     */
    void ensure(long bytes);

    /** What {@code work} gives, which takes {@code bytes} while it lasts: a node holds them then. As {@link #ensure}. */
    default <T> T during(long bytes, Supplier<T> work) {
        ensure(bytes);
        return work.get();
    }
}
