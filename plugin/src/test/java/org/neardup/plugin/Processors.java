package org.neardup.plugin;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.elasticsearch.ingest.IngestDocument;
import org.neardup.query.MemoryCheck;
import org.neardup.signature.Lexicon;
import org.neardup.signature.Recipe;
import org.neardup.signature.Signer;

/** Makes processors and documents for tests, no node needed. */
final class Processors {
    static final Signer SIGNER = new Signer(Recipe.DEFAULT, Lexicon.getDefault());

    static {
        Documents.prepare();
    }

    private Processors() {}

    /** The processor that a node called node-1 with this directory of settings makes of a pipeline's options. */
    static NeardupProcessor make(Path config, Map<String, ?> options) {
        return make(config, options, MemoryCheck.NONE);
    }

    /** The same of a node with this memory. */
    static NeardupProcessor make(Path config, Map<String, ?> options, MemoryCheck memory) {
        NeardupProcessorFactory factory =
                new NeardupProcessorFactory("node-1", new Lexicons(config), new Salts(config), memory);
        return factory.create("some-tag", "some words", new HashMap<>(options));
    }

    /** The processor that these options give on a node without settings. */
    static NeardupProcessor make(Map<String, ?> options) {
        return make(Path.of("nowhere"), options);
    }

    /** A document with a deep, mutable copy of this source. */
    static IngestDocument document(Map<String, ?> source) {
        return Documents.of(IngestDocument.deepCopyMap(new HashMap<>(source)));
    }

    /** The source of a document after {@code processor} has worked on it. */
    static Map<String, Object> processed(NeardupProcessor processor, Map<String, ?> source) {
        return Documents.source(processor.execute(document(source)));
    }
}
