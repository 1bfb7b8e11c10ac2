package org.neardup.query;

/** Whether the node that a search runs on has memory left. */
@FunctionalInterface
public interface MemoryCheck {
    /** Never refuses. */
    MemoryCheck NONE = bytes -> {};

    /**
     * Makes sure that {@code bytes} more can be allocated now. Nothing is reserved, so call it just before allocating.
     *
     * @throws RuntimeException if they cannot: the search is to end with it, before the node runs out of memory
     */
    void ensure(long bytes);
}
