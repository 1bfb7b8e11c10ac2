package org.neardup.plugin;

import java.io.IOException;
import java.nio.file.Path;
import org.neardup.signature.DataFileException;
import org.neardup.signature.Salt;

/** The salts of a node, by name: read whenever a processor is made. */
final class Salts extends NodeFiles<Salt> {
    /** @param config the node's directory of settings */
    Salts(Path config) {
        super(config, "salt");
    }

    @Override
    Salt named(String name) throws IOException, DataFileException {
        return Salt.load(file(name));
    }
}
