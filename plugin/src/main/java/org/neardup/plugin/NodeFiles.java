package org.neardup.plugin;

import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.neardup.signature.DataFileException;

/** The files of one kind that a node has in {@code neardup} in its directory of settings, by name. */
abstract class NodeFiles<T> {
    /** The names that files may have, without the ending: none can lead out of the directory. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,99}");

    private final Path directory;
    private final String kind;

    /**
     * @param config the node's directory of settings
     * @param kind the kind of file, which is also the ending of its name
     */
    NodeFiles(Path config, String kind) {
        directory = config.resolve("neardup");
        this.kind = kind;
    }

    /** The file called {@code name}; an {@link IllegalArgumentException} if no file may be called so. */
    final Path file(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("[" + name + "] is not the name of a " + kind);
        }
        return directory.resolve(name + "." + kind);
    }

    /** The contents of the file called {@code name}, which may be what {@link #file} refuses. */
    abstract T named(String name) throws IOException, DataFileException;
}
