package org.neardup.plugin;

/** The memory of a node, of which signing a long text holds a part while it lasts: several are signed side by side. */
@FunctionalInterface
interface SigningMemory {
    /** Never refuses. */
    SigningMemory ENDLESS = (bytes, signing) -> signing.run();

    /**
     * Runs {@code signing}, which takes so many {@code bytes}.
     *
     * @throws RuntimeException if the node does not have them, in place of running it
     */
    void with(long bytes, Runnable signing);
}
