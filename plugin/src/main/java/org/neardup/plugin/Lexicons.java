package org.neardup.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import org.elasticsearch.logging.LogManager;
import org.elasticsearch.logging.Logger;
import org.neardup.signature.DataFileException;
import org.neardup.signature.Lexicon;

/** The lexicons of a node, by name: each is read once and shared by all processors, until its file changes. */
final class Lexicons extends NodeFiles<Lexicon> {
    private static final Logger logger = LogManager.getLogger(Lexicons.class);

    private final Map<String, Loaded> loaded = new HashMap<>();

    private record Loaded(FileTime modified, long size, Lexicon lexicon) {}

    /** @param config the node's directory of settings */
    Lexicons(Path config) {
        super(config, "lexicon");
    }

    @Override
    synchronized Lexicon named(String name) throws IOException, DataFileException {
        Path file = file(name);
        BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
        Loaded held = loaded.get(name);
        if (held == null || held.size() != found.size() || !held.modified().equals(found.lastModifiedTime())) {
            held = new Loaded(found.lastModifiedTime(), found.size(), Lexicon.load(file));
            loaded.put(name, held);
        }
        return held.lexicon();
    }

    /** The lexicon {@code name}; the one that ships with the plugin if the name is null or its file cannot be read. */
    Lexicon orDefault(String name) {
        if (name == null) {
            return Lexicon.getDefault();
        }
        try {
            return named(name);
        } catch (IOException | DataFileException | IllegalArgumentException cause) {
            logger.debug(
                    () -> "lexicon [" + name + "] cannot be read; the standard one is used to order q-grams", cause);
            return Lexicon.getDefault();
        }
    }
}
