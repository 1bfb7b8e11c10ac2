package org.neardup.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.elasticsearch.ElasticsearchParseException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.neardup.plugin.NeardupProcessor.OnTooLong;
import org.neardup.plugin.NeardupProcessor.Task;
import org.neardup.query.MemoryCheck;
import org.neardup.signature.DataFiles;
import org.neardup.signature.Lexicon;
import org.neardup.signature.Parts;
import org.neardup.signature.Recipe;
import org.neardup.signature.Signer;

@DisplayName("The factory of the processor")
class NeardupProcessorFactoryTest {
    private static final String DEFAULT_RECIPE = Processors.SIGNER.recipe();

    @TempDir
    Path config;

    private static Task task(Map<String, ?> options) {
        return Processors.make(options).task();
    }

    private static String refused(Map<String, ?> options) {
        return assertThrows(ElasticsearchParseException.class, () -> Processors.make(options))
                .getMessage();
    }

    private String refusedHere(Map<String, ?> options) {
        return assertThrows(ElasticsearchParseException.class, () -> Processors.make(config, options))
                .getMessage();
    }

    private void store(String file, byte[] content) throws Exception {
        Files.createDirectories(config.resolve("neardup"));
        Files.write(config.resolve("neardup").resolve(file), content);
    }

    @Test
    @DisplayName("needs no option: these are the defaults")
    void defaults() {
        Task task = task(Map.of());
        assertEquals("text", task.field());
        assertEquals("neardup", task.target());
        assertEquals(
                "neardup-2:q4:case:u16:lex-" + Lexicon.getDefault().id() + ":sketch-32-0.6:simhash-1",
                task.signer().recipe());
        assertEquals(new Parts(true, false, true), task.parts());
        assertFalse(task.compact());
        assertFalse(task.ignoreMissing());
        assertEquals(1_000_000, task.maxLength());
        assertEquals(OnTooLong.FAIL, task.onTooLong());
    }

    @Test
    @DisplayName("takes null for an option as if it were not there")
    void nulls() {
        Map<String, Object> options = new HashMap<>();
        for (String option : List.of(
                "field",
                "target_field",
                "q",
                "fold_case",
                "simhash_variants",
                "sketch_size",
                "reach",
                "salt",
                "lexicon",
                "qgrams",
                "compact",
                "scanned",
                "words",
                "ignore_missing",
                "max_length",
                "on_too_long",
                "recipe")) {
            options.put(option, null);
        }
        Task task = task(options);
        assertEquals("text", task.field());
        assertEquals(DEFAULT_RECIPE, task.signer().recipe());
    }

    @Test
    @DisplayName("takes every option")
    void everyOption() throws Exception {
        store("news.lexicon", DataFiles.lexicon("news", 5));
        String id = Lexicon.load(config.resolve("neardup/news.lexicon")).id();
        store("pepper.salt", "a pinch".getBytes(StandardCharsets.UTF_8));
        String recipe = "neardup-2:q5:fold:u16:lex-" + id + ":sketch-64-0.5:simhash-3:salt-075060e5";
        Map<String, Object> options = new HashMap<>(Map.of(
                "field",
                "page.body",
                "target_field",
                "signs.own",
                "q",
                5,
                "fold_case",
                true,
                "simhash_variants",
                3,
                "sketch_size",
                64,
                "reach",
                0.5,
                "lexicon",
                "news",
                "qgrams",
                false));
        options.putAll(Map.of(
                "compact",
                true,
                "scanned",
                true,
                "words",
                false,
                "salt",
                "pepper",
                "ignore_missing",
                true,
                "max_length",
                77,
                "on_too_long",
                "mark",
                "recipe",
                recipe));
        NeardupProcessor processor = new NeardupProcessorFactory(
                        "node-1", new Lexicons(config), new Salts(config), MemoryCheck.NONE)
                .create("some-tag", "some words", options);

        // What is left over, Elasticsearch refuses.
        assertEquals(Map.of(), options);
        assertEquals("some-tag", processor.getTag());
        assertEquals("some words", processor.getDescription());
        assertEquals("neardup", processor.getType());
        Task task = processor.task();
        assertEquals("page.body", task.field());
        assertEquals("signs.own", task.target());
        assertEquals(recipe, task.signer().recipe());
        assertEquals(new Parts(false, true, false), task.parts());
        assertTrue(task.compact());
        assertTrue(task.ignoreMissing());
        assertEquals(77, task.maxLength());
        assertEquals(OnTooLong.MARK, task.onTooLong());
    }

    static Stream<Arguments> bounds() {
        return Stream.of(
                Arguments.of("q", List.of(1, 16, 4L)),
                Arguments.of("simhash_variants", List.of(1, 10)),
                Arguments.of("sketch_size", List.of(1, 64)),
                Arguments.of("reach", List.of(0.6, 0.5, 0.6f, 0.5f, new BigDecimal("0.6"))),
                Arguments.of("max_length", List.of(1, 10_000_000)),
                Arguments.of("fold_case", List.of(true, false)),
                Arguments.of("qgrams", List.of(true, false)),
                Arguments.of("compact", List.of(true, false)),
                Arguments.of("words", List.of(true)),
                Arguments.of("ignore_missing", List.of(true, false)),
                Arguments.of("on_too_long", List.of("fail", "mark")),
                Arguments.of("field", List.of("a", "a.b.c", "_source.a", "ä b")),
                Arguments.of("target_field", List.of("a", "a.b.c", "texts", "text_", "_source.a")),
                Arguments.of("recipe", List.of(DEFAULT_RECIPE)));
    }

    @ParameterizedTest
    @MethodSource("bounds")
    @DisplayName("takes the first and the last value of each range")
    void withinBounds(String option, List<?> values) {
        for (Object value : values) {
            Processors.make(Map.of(option, value));
        }
    }

    static Stream<Arguments> wrong() {
        String whole = "a whole number from ";
        return Stream.of(
                Arguments.of(
                        "q",
                        Arrays.asList(0, 17, -1, 4.0, 4.5, "4", true, List.of(4), 1L << 32 | 4),
                        whole + "1 to 16"),
                Arguments.of("simhash_variants", Arrays.asList(0, 11, "1", 1.0), whole + "1 to 10"),
                Arguments.of("sketch_size", Arrays.asList(0, 65, "32", 32.5), whole + "1 to 64"),
                Arguments.of(
                        "reach",
                        Arrays.asList(0.7, 0.55, 0, 1, -0.6, "0.6", true, Double.NaN, List.of(0.6)),
                        "0.6 or 0.5, without quotes"),
                Arguments.of("max_length", Arrays.asList(0, -5, 10_000_001, "9", 1e3), whole + "1 to 10000000"),
                Arguments.of("fold_case", Arrays.asList("true", 1, "yes"), "true or false, without quotes"),
                Arguments.of("qgrams", Arrays.asList("false", 0), "true or false, without quotes"),
                Arguments.of("ignore_missing", Arrays.asList("true", 0.0), "true or false, without quotes"),
                Arguments.of("on_too_long", Arrays.asList("drop", "MARK", "Fail"), "\"fail\" or \"mark\""),
                Arguments.of("on_too_long", Arrays.asList(1, true, ""), "a string that is not empty"),
                Arguments.of("field", Arrays.asList("", 1, List.of("text"), Map.of()), "a string that is not empty"),
                Arguments.of(
                        "field",
                        Arrays.asList(".", "a.", ".a", "a..b"),
                        "a field name, or names joined by single dots"),
                Arguments.of(
                        "field",
                        Arrays.asList("a".repeat(1_001), "a.".repeat(5_000) + "a"),
                        "of at most 1000 characters"),
                Arguments.of("target_field", Arrays.asList("a".repeat(1_001)), "of at most 1000 characters"),
                Arguments.of("target_field", Arrays.asList("", false), "a string that is not empty"),
                Arguments.of(
                        "target_field",
                        Arrays.asList("a.", ".a", "a..b"),
                        "a field name, or names joined by single dots"),
                Arguments.of(
                        "target_field",
                        Arrays.asList("text", "text.neardup", "_source.text", "_source.text.x"),
                        "outside of [field], which is \"text\""),
                Arguments.of(
                        "target_field",
                        Arrays.asList(
                                "_ingest.neardup",
                                "_ingest._values.x",
                                "_ingest._value",
                                "_routing",
                                "_source._id",
                                "_if_seq_no.x",
                                "_dynamic_templates",
                                "_source._dynamic_templates.x"),
                        "a field of the document, or of [_ingest._value] in a foreach"),
                Arguments.of("lexicon", Arrays.asList("", 7), "a string that is not empty"),
                Arguments.of("salt", Arrays.asList("", 7), "a string that is not empty"),
                Arguments.of(
                        "salt",
                        Arrays.asList("../news", "/etc/passwd", "a/b", ".hidden"),
                        "the name of a salt without directory and ending"),
                Arguments.of(
                        "lexicon",
                        Arrays.asList(
                                "../news",
                                "a/b",
                                "a\\b",
                                ".hidden",
                                "..",
                                "/etc/passwd",
                                "a b",
                                "ä",
                                "a\u0000",
                                "a".repeat(101)),
                        "the name of a lexicon without directory and ending"),
                Arguments.of("recipe", Arrays.asList("", 1), "a string that is not empty"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    @DisplayName("refuses each wrong value, naming option and value and what it must be")
    void wrongValues(String option, List<?> values, String expected) {
        for (Object value : values) {
            String whole = String.valueOf(value);
            String cut = whole.length() <= 100 ? whole : whole.substring(0, 100) + "...";
            String shown = value instanceof String ? "\"" + cut + "\"" : cut;
            String message = refused(Collections.singletonMap(option, value));
            assertTrue(message.startsWith("[" + option + "] is " + shown + ": it must be " + expected), message);
        }
    }

    @Test
    @DisplayName("refuses for lists what only compact fields can have, or can be without")
    void onlyCompact() {
        assertTrue(refused(Map.of("scanned", true)).startsWith("[scanned] is true, which needs [compact] true"));
        assertTrue(refused(Map.of("words", false)).startsWith("[words] is false, which needs [compact] true"));
    }

    @Test
    @DisplayName("refuses a text inside of the object that signatures go to")
    void textInsideTarget() {
        String message = refused(Map.of("field", "page.text", "target_field", "page"));
        assertEquals("[target_field] is \"page\": it must be outside of [field], which is \"page.text\"", message);
    }

    @Test
    @DisplayName("takes the element that a foreach is at for text and signature")
    void element() {
        Task task = task(Map.of("field", "_ingest._value.text", "target_field", "_ingest._value.neardup"));
        assertEquals("_ingest._value.neardup", task.target());
    }

    @Test
    @DisplayName("tells tag, type and option to whoever reads the error by machine")
    void metadata() {
        ElasticsearchParseException error =
                assertThrows(ElasticsearchParseException.class, () -> Processors.make(Map.of("q", 99)));
        assertEquals(List.of("neardup"), error.getMetadata(Documents.METADATA + "processor_type"));
        assertEquals(List.of("some-tag"), error.getMetadata(Documents.METADATA + "processor_tag"));
        assertEquals(List.of("q"), error.getMetadata(Documents.METADATA + "property_name"));
    }

    @Test
    @DisplayName("leaves an unknown option where it is, for Elasticsearch to refuse it by name")
    void unknownOption() {
        Map<String, Object> options = new HashMap<>(Map.of("filed", "text"));
        new NeardupProcessorFactory("node-1", new Lexicons(config), new Salts(config), MemoryCheck.NONE)
                .create(null, null, options);
        assertEquals(Map.of("filed", "text"), options);
    }

    @Test
    @DisplayName("refuses another recipe than the node's, naming both and the node")
    void otherRecipe() {
        String other = DEFAULT_RECIPE.replace("q4", "q5");
        String message = refused(Map.of("recipe", other));
        assertTrue(
                message.startsWith(
                        "[recipe] is \"" + other + "\", but node [node-1] signs by \"" + DEFAULT_RECIPE + "\""),
                message);
    }

    @Test
    @DisplayName("finds a node with another lexicon of the same name by the recipe")
    void otherLexicon() throws Exception {
        store("news.lexicon", DataFiles.lexicon("here", 4));
        String here = Processors.make(config, Map.of("lexicon", "news"))
                .task()
                .signer()
                .recipe();
        Files.write(config.resolve("neardup/news.lexicon"), DataFiles.lexicon("elsewhere", 4));
        String message = refusedHere(Map.of("lexicon", "news", "recipe", here));
        assertTrue(message.contains(here), message);
        assertTrue(message.contains("node [node-1] signs by"), message);
    }

    @Test
    @DisplayName("says of a lexicon that is not there where it looked, and on which node")
    void missingLexicon() {
        String message = refusedHere(Map.of("lexicon", "news"));
        String file = config.resolve("neardup").resolve("news.lexicon").toString();
        assertTrue(message.startsWith("[lexicon] is \"news\", but node [node-1] has no file " + file), message);
        assertTrue(message.contains("copy the lexicon there, on every node"), message);
    }

    @Test
    @DisplayName("takes a salt from its file as it is now, to the last byte, and tells nothing of it but the mark")
    void salt() throws Exception {
        Map<String, String> options = Map.of("salt", "pepper");
        store("pepper.salt", "a pinch".getBytes(StandardCharsets.UTF_8));
        assertEquals(
                DEFAULT_RECIPE + ":salt-075060e5",
                Processors.make(config, options).task().signer().recipe());
        store("pepper.salt", " a pinch\n".getBytes(StandardCharsets.UTF_8));
        assertEquals(
                DEFAULT_RECIPE + ":salt-0cca2ff5",
                Processors.make(config, options).task().signer().recipe());
    }

    @Test
    @DisplayName("says of a salt that is not there, empty, or cannot be read, which file on which node")
    void badSalt() throws Exception {
        Map<String, String> options = Map.of("salt", "pepper");
        String file = config.resolve("neardup").resolve("pepper.salt").toString();
        String missing = refusedHere(options);
        assertTrue(missing.startsWith("[salt] is \"pepper\", but node [node-1] has no file " + file), missing);
        assertTrue(missing.contains("copy the salt there, on every node, or leave the option out"), missing);
        store("pepper.salt", new byte[0]);
        String empty = refusedHere(options);
        assertTrue(
                empty.startsWith("[salt] is \"pepper\", but on node [node-1] " + file + ": found an empty file"),
                empty);
        Files.delete(config.resolve("neardup/pepper.salt"));
        Files.createDirectory(config.resolve("neardup/pepper.salt"));
        String unreadable = refusedHere(options);
        assertTrue(unreadable.contains("node [node-1] cannot read " + file), unreadable);
    }

    @Test
    @DisplayName("says of the option alpha, which version 1 had, what to do instead")
    void alpha() {
        String message = refused(Map.of("alpha", 1.5, "recipe", "neardup-1:q4:case:u16:lex-x:sketch-32-1.5:simhash-1"));
        assertTrue(message.startsWith("[alpha] is no longer an option: leave it out, and sign the"), message);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 5_000})
    @DisplayName("says of a lexicon that is damaged what is wrong with it")
    void damagedLexicon(int length) throws Exception {
        store("news.lexicon", Arrays.copyOf(DataFiles.lexicon("news", 4), length));
        String message = refusedHere(Map.of("lexicon", "news"));
        assertTrue(message.startsWith("[lexicon] is \"news\", but on node [node-1] "), message);
        assertTrue(message.contains("news.lexicon: found "), message);
        assertTrue(message.contains("build the lexicon again"), message);
    }

    @Test
    @DisplayName("says of a lexicon that cannot be read why")
    void unreadableLexicon() throws Exception {
        Files.createDirectories(config.resolve("neardup/news.lexicon"));
        String message = refusedHere(Map.of("lexicon", "news"));
        assertTrue(message.contains("node [node-1] cannot read"), message);
    }

    @Test
    @DisplayName("reads a lexicon once for all processors, and again when its file has changed")
    void sharedLexicon() throws Exception {
        store("news.lexicon", DataFiles.lexicon("first", 4));
        Lexicons lexicons = new Lexicons(config);
        Lexicon first = lexicons.named("news");
        assertTrue(first == lexicons.named("news"));
        store("news.lexicon", DataFiles.lexicon("then another", 4));
        Lexicon second = lexicons.named("news");
        assertNotEquals(first.id(), second.id());
        assertTrue(second == lexicons.named("news"));
    }

    @Test
    @DisplayName("knows nothing of q-grams by a lexicon of another q, but is told so by no error")
    void lexiconOfAnotherQ() throws Exception {
        store("fives.lexicon", DataFiles.lexicon("fives", 5));
        Signer signer =
                Processors.make(config, Map.of("lexicon", "fives")).task().signer();
        Lexicon other = Lexicon.load(config.resolve("neardup/fives.lexicon"));
        assertEquals(new Signer(Recipe.DEFAULT, other).recipe(), signer.recipe());
    }
}
