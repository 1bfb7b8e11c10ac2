package org.neardup.plugin;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.neardup.query.MemoryCheck;
import org.neardup.query.NeardupQueryBuilder;
import org.neardup.query.Shown;
import org.neardup.signature.DataFileException;
import org.neardup.signature.Lexicon;
import org.neardup.signature.Parts;
import org.neardup.signature.Reach;
import org.neardup.signature.Recipe;
import org.neardup.signature.Signature;
import org.neardup.signature.Signer;

/** Makes processors from the options in a pipeline; refuses what it does not understand, and files it does not have. */
final class NeardupProcessorFactory extends ProcessorFactory {
    static final String DEFAULT_FIELD = "text";

    /** The metadata that a pipeline finds beside the fields of a document; none of it is an object. */
    private static final Set<String> METADATA = Set.of(
            "_dynamic_templates",
            "_id",
            "_if_primary_term",
            "_if_seq_no",
            "_index",
            "_routing",
            "_type",
            "_version",
            "_version_type");

    private final String node;
    private final Lexicons lexicons;
    private final Salts salts;
    private final MemoryCheck memory;

    /**
     * @param node the name of this node, for messages: pipelines are made on every node
     * @param memory the memory of this node
     */
    NeardupProcessorFactory(String node, Lexicons lexicons, Salts salts, MemoryCheck memory) {
        this.node = node;
        this.lexicons = lexicons;
        this.salts = salts;
        this.memory = memory;
    }

    @Override
    NeardupProcessor create(String tag, String description, Map<String, Object> configuration) {
        OptionReader options = new OptionReader(tag, configuration);
        String field = path(options, "field", DEFAULT_FIELD);
        String target = path(options, "target_field", Signature.DEFAULT_FIELD);
        refuseOverlap(options, field, target);
        refuseNowhere(options, target);
        Signer signer = signer(options);
        boolean compact = options.flag("compact", false);
        NeardupProcessor.Task task = new NeardupProcessor.Task(
                field,
                target,
                signer,
                parts(options, compact),
                compact,
                options.flag("ignore_missing", false),
                options.whole("max_length", Signer.DEFAULT_MAX_LENGTH, 1, Signer.LARGEST_MAX_LENGTH),
                onTooLong(options));
        expectRecipe(options, signer.recipe());
        return new NeardupProcessor(tag, description, task, memory);
    }

    private static Parts parts(OptionReader options, boolean compact) {
        Parts parts =
                new Parts(options.flag("qgrams", true), options.flag("scanned", false), options.flag("words", true));
        if (parts.scanned() && !compact) {
            throw options.failure(
                    "scanned", "is true, which needs [compact] true: set [compact], or leave [scanned] out");
        }
        if (!parts.words() && !compact) {
            throw options.failure("words", "is false, which needs [compact] true: set [compact], or leave [words] out");
        }
        return parts;
    }

    private static String path(OptionReader options, String option, String defaultValue) {
        String path = options.text(option, defaultValue);
        if (path.length() > NeardupQueryBuilder.LONGEST_FIELD) {
            throw options.wrong(option, path, "of at most " + NeardupQueryBuilder.LONGEST_FIELD + " characters");
        }
        // Split with every empty part kept: ".a", "a." and "a..b" lead nowhere.
        for (String part : path.split("\\.", -1)) {
            if (part.isEmpty()) {
                throw options.wrong(option, path, "a field name, or names joined by single dots");
            }
        }
        return path;
    }

    /**
     * Refuses a target that would overwrite the text, or in which the text would be cleared away with old signatures.
     */
    private static void refuseOverlap(OptionReader options, String field, String target) {
        String from = bare(field) + ".";
        String to = bare(target) + ".";
        if (from.startsWith(to) || to.startsWith(from)) {
            throw options.wrong("target_field", target, "outside of [field], which is \"" + Shown.of(field) + "\"");
        }
    }

    /**
     * Refuses a target that is no field of the document: metadata of the pipeline itself, or of the document. The
     * current element of a foreach is allowed.
     */
    private static void refuseNowhere(OptionReader options, String target) {
        if (target.startsWith(NeardupProcessor.INGEST) && !target.startsWith(NeardupProcessor.INGEST + "_value.")
                || METADATA.contains(bare(target).split("\\.")[0])) {
            throw options.wrong("target_field", target, "a field of the document, or of [_ingest._value] in a foreach");
        }
    }

    /** A path within the source, without the prefix {@code _source.} that it may have. */
    static String bare(String path) {
        return path.startsWith("_source.") ? path.substring("_source.".length()) : path;
    }

    private Signer signer(OptionReader options) {
        refuseAlpha(options);
        Recipe defaults = Recipe.DEFAULT;
        Recipe recipe = new Recipe(
                options.whole("q", defaults.q(), 1, Recipe.MAX_Q),
                options.flag("fold_case", defaults.foldCase()),
                options.whole("simhash_variants", defaults.simhashVariants(), 1, Recipe.MAX_SIMHASH_VARIANTS),
                options.whole("sketch_size", defaults.sketchSize(), 1, Recipe.MAX_SKETCH_SIZE),
                options.number("reach", defaults.reach(), Reach::of, "0.6 or 0.5, without quotes"),
                named(options, "salt", salts));
        Lexicon lexicon = named(options, "lexicon", lexicons);
        return new Signer(recipe, lexicon == null ? Lexicon.getDefault() : lexicon);
    }

    /** Refuses {@code alpha}, the option that version 1 of the recipe had instead of a reach. */
    private static void refuseAlpha(OptionReader options) {
        if (options.isGiven("alpha")) {
            throw options.failure(
                    "alpha",
                    "is no longer an option: leave it out, and sign the documents again that were signed with it"
                            + " (neardup setup makes the pipeline of a window anew; [reach] sets the lowest threshold"
                            + " for sketches)");
        }
    }

    /** The contents of the file that the option names; null if the option is not given. */
    private <T> T named(OptionReader options, String option, NodeFiles<T> files) {
        String name = options.text(option, null);
        if (name == null) {
            return null;
        }
        String is = "is \"" + name + "\", but ";
        try {
            return files.named(name);
        } catch (IllegalArgumentException cause) {
            throw options.wrong(
                    option,
                    name,
                    "the name of a " + option + " without directory and ending, of letters, digits, '.', '_' and '-',"
                            + " such as \"news\"");
        } catch (NoSuchFileException cause) {
            throw options.failure(
                    option,
                    is + "node [" + node + "] has no file " + files.file(name) + ": copy the " + option
                            + " there, on every node, or leave the option out");
        } catch (DataFileException cause) {
            throw options.failure(option, is + "on node [" + node + "] " + cause.getMessage());
        } catch (IOException cause) {
            throw options.failure(
                    option,
                    is + "node [" + node + "] cannot read " + files.file(name) + " (" + cause
                            + "): give read permission to the user that Elasticsearch runs as");
        }
    }

    private static NeardupProcessor.OnTooLong onTooLong(OptionReader options) {
        String given = options.text("on_too_long", "fail");
        for (NeardupProcessor.OnTooLong known : NeardupProcessor.OnTooLong.values()) {
            if (known.name().toLowerCase(Locale.ROOT).equals(given)) {
                return known;
            }
        }
        throw options.wrong("on_too_long", given, "\"fail\" or \"mark\"");
    }

    private void expectRecipe(OptionReader options, String recipe) {
        String expected = options.text("recipe", null);
        if (expected != null && !expected.equals(recipe)) {
            throw options.failure(
                    "recipe",
                    "is \"" + Shown.of(expected) + "\", but node [" + node + "] signs by \"" + recipe
                            + "\": give every node the same plugin, lexicon and salt, or correct the recipe");
        }
    }
}
