package org.neardup.plugin;

import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.neardup.signature.DataFileException;

/** The files of one kind that a node has in {@code neardup} in its directory of settings, by name. */
abstract class NodeFiles<T> {
    /** What a file may be called, without its ending: nothing that could lead out of the directory. */
    static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,99}");

    private final Path directory;
    private final String kind;

    /**
     * @param config the node's directory of settings
     * @param kind what such a file is, and its ending
     */
    NodeFiles(Path config, String kind) {
        directory = config.resolve("neardup");
        this.kind = kind;
    }

    /** The file called {@code name}. */
    final Path file(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("[" + name + "] is not the name of a " + kind);
        }
        return directory.resolve(name + "." + kind);
    }

    /** What is in the file called {@code name}. */
    abstract T named(String name) throws IOException, DataFileException;
}
