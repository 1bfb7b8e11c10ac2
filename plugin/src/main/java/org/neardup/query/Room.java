package org.neardup.query;

/** The memory of the node that a search runs on. */
@FunctionalInterface
public interface Room {
    /** As much as is asked for. */
    Room ENDLESS = bytes -> {};

    /**
     * Makes sure that {@code bytes} more can be taken now. Nothing is kept for whoever asks, so ask just before taking.
     *
     * @throws RuntimeException if they cannot: the search is to end with it, before the node runs out of memory
     */
    void demand(long bytes);
}
