package org.neardup.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.elasticsearch.common.bytes.BytesReference;
import org.elasticsearch.common.xcontent.XContentHelper;
import org.elasticsearch.ingest.IngestDocument;
import org.elasticsearch.xcontent.XContentBuilder;
import org.elasticsearch.xcontent.json.JsonXContent;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.neardup.query.MemoryCheck;
import org.neardup.signature.Parts;
import org.neardup.signature.Threads;

@DisplayName("The processor")
class NeardupProcessorTest {
    private static final String TEXT = "A rose is a rose. What is in a name, asked Juliet?\n\nNothing at all!";
    private static final String OTHER = "It was the best of times, it was the worst of times.";

    private final NeardupProcessor plain = Processors.make(Map.of());

    private static Map<String, Object> signature(String text) {
        return Processors.SIGNER.sign(text, true).toMap();
    }

    private static Map<String, Object> with(Map<String, ?> map, Object... pairs) {
        Map<String, Object> more = new HashMap<>(map);
        for (int i = 0; i < pairs.length; i += 2) {
            more.put((String) pairs[i], pairs[i + 1]);
        }
        return more;
    }

    private static Map<String, Object> without(Map<String, ?> map, String... keys) {
        Map<String, Object> fewer = new HashMap<>(map);
        fewer.keySet().removeAll(List.of(keys));
        return fewer;
    }

    private static String refused(NeardupProcessor processor, Map<String, ?> source) {
        IngestDocument document = Processors.document(source);
        Map<String, Object> before = IngestDocument.deepCopyMap(Documents.source(document));
        String message = assertThrows(IllegalArgumentException.class, () -> processor.execute(document))
                .getMessage();
        assertEquals(before, Documents.source(document));
        return message;
    }

    @Test
    @DisplayName("signs no long text that the node has no memory for, whatever becomes of those over the limit")
    void noMemory() {
        MemoryCheck full = bytes -> {
            throw new IllegalArgumentException("no memory for " + bytes);
        };
        NeardupProcessor processor = Processors.make(Path.of("nowhere"), Map.of("on_too_long", "mark"), full);
        assertEquals("no memory for 16000000", refused(processor, Map.of("text", "rose ".repeat(20_000))));
        Map<String, Object> source = Map.of("text", TEXT);
        assertEquals(with(source, "neardup", signature(TEXT)), Processors.processed(processor, source));
    }

    @Test
    @DisplayName("adds the signature of the text, and changes nothing else")
    void signs() {
        Map<String, Object> source = Map.of("text", TEXT, "title", "Roses", "tags", List.of("a", "b"));
        assertEquals(with(source, "neardup", signature(TEXT)), Processors.processed(plain, source));
    }

    @ParameterizedTest
    @ValueSource(strings = {"neardup", "_source.neardup"})
    @DisplayName("takes fields away that have a dot in their name and would be a part of the signature to an index")
    void dotted(String target) {
        NeardupProcessor processor = Processors.make(Map.of("target_field", target));
        Map<String, Object> source = Map.of("text", TEXT, "neardup.status", "near", "neardup.qgramsx", 1);
        Map<String, Object> signed = with(source, "neardup", signature(TEXT));
        for (String key : List.of("qgrams", "qgram_count", "recipe", "qgram_bitmap", "unsigned")) {
            assertEquals(signed, Processors.processed(processor, with(source, "neardup." + key, "5")));
            assertEquals(signed, Processors.processed(processor, with(signed, "neardup." + key, "5")));
        }
    }

    @Test
    @DisplayName("takes them away inside of objects, too")
    void dottedInside() {
        NeardupProcessor processor = Processors.make(Map.of("target_field", "signs.of.text"));
        Map<String, Object> own = Map.of("of", Map.of("text", signature(TEXT)));
        Map<String, Object> signed = Map.of("text", TEXT, "signs", own);
        Map<String, Object> rest = Map.of("status", "near");
        assertEquals(signed, Processors.processed(processor, with(signed, "signs.of.text.qgram_count", 5)));
        assertEquals(
                signed, Processors.processed(processor, with(signed, "signs", with(own, "of.text.qgram_count", 5))));
        for (String dotted : List.of("signs.of.text", "signs.of")) {
            boolean whole = dotted.equals("signs.of.text");
            Map<String, Object> other = with(rest, "qgram_count", 5);
            assertEquals(
                    with(signed, dotted, whole ? rest : Map.of("text", rest)),
                    Processors.processed(processor, with(signed, dotted, whole ? other : Map.of("text", other))));
        }
    }

    @Test
    @DisplayName("takes them away in the element that a foreach is at, too")
    void dottedInElement() {
        NeardupProcessor processor =
                Processors.make(Map.of("field", "_ingest._value.text", "target_field", "_ingest._value.neardup"));
        IngestDocument document = Processors.document(Map.of());
        Map<String, Object> element =
                new HashMap<>(Map.of("text", TEXT, "neardup.status", "near", "neardup.qgram_count", 5));
        document.getIngestMetadata().put("_value", element);
        processor.execute(document);
        assertEquals(Map.of("text", TEXT, "neardup.status", "near", "neardup", signature(TEXT)), element);
    }

    @Test
    @DisplayName("gives back the same document: it never drops one")
    void sameDocument() {
        IngestDocument document = Processors.document(Map.of("text", TEXT));
        assertSame(document, plain.execute(document));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "...", "abc", "\uD83D\uDE00"})
    @DisplayName("signs a text that has no q-grams, too")
    void shortText(String text) {
        Map<?, ?> signed =
                (Map<?, ?>) Processors.processed(plain, Map.of("text", text)).get("neardup");
        assertEquals(signature(text), signed);
        assertEquals(0, signed.get("qgram_count"));
        assertEquals(List.of(), signed.get("qgrams"));
    }

    @Test
    @DisplayName("reads and writes fields inside of objects, making those that are not there")
    void dotted() {
        NeardupProcessor dotted = Processors.make(Map.of("field", "page.body", "target_field", "signs.of.text"));
        Map<String, Object> signed = Processors.processed(dotted, Map.of("page", Map.of("body", TEXT)));
        assertEquals(
                Map.of("page", Map.of("body", TEXT), "signs", Map.of("of", Map.of("text", signature(TEXT)))), signed);
        // Beside the text, too.
        NeardupProcessor beside = Processors.make(Map.of("field", "page.body", "target_field", "page.neardup"));
        Map<String, Object> page = Processors.processed(beside, Map.of("page", Map.of("body", TEXT)));
        assertEquals(Map.of("page", Map.of("body", TEXT, "neardup", signature(TEXT))), page);
    }

    @Test
    @DisplayName("writes what its recipe says")
    void recipe() {
        NeardupProcessor other =
                Processors.make(Map.of("q", 6, "fold_case", true, "simhash_variants", 3, "sketch_size", 5));
        Map<?, ?> signed = (Map<?, ?>)
                Processors.processed(other, Map.of("text", TEXT.repeat(3))).get("neardup");
        assertEquals(other.task().signer().sign(TEXT.repeat(3), true).toMap(), signed);
        assertEquals(3, ((List<?>) signed.get("simhash")).size());
        assertTrue(((List<?>) signed.get("qgrams")).contains("arosei"));
    }

    @Test
    @DisplayName("writes strings instead of lists if so told, and over lists")
    void compact() {
        NeardupProcessor compact = Processors.make(Map.of("compact", true));
        Map<String, Object> expected = Processors.SIGNER.compact(TEXT, new Parts(true, false, true));
        Map<String, Object> bare = Map.of("text", TEXT);
        assertEquals(expected, Processors.processed(compact, bare).get("neardup"));
        Map<String, Object> signed = with(bare, "neardup", signature(TEXT));
        assertEquals(expected, Processors.processed(compact, signed).get("neardup"));
        signed = with(bare, "neardup", expected);
        assertEquals(signature(TEXT), Processors.processed(plain, signed).get("neardup"));
    }

    @Test
    @DisplayName("writes what is scanned if so told, also over what was signed otherwise, and takes it away again")
    void scanned() {
        NeardupProcessor compact = Processors.make(Map.of("compact", true));
        NeardupProcessor mapped = Processors.make(Map.of("compact", true, "scanned", true));
        Map<String, Object> with = Processors.SIGNER.compact(TEXT, new Parts(true, true, true));
        Map<String, Object> without = Processors.SIGNER.compact(TEXT, new Parts(true, false, true));
        assertEquals(without(without, "sketch"), without(with, "qgram_bitmap", "packed_sketch"));
        Map<String, Object> source = Processors.processed(compact, Map.of("text", TEXT));
        assertEquals(without, source.get("neardup"));
        source = Processors.processed(mapped, source);
        assertEquals(with, source.get("neardup"));
        assertEquals(with, Processors.processed(mapped, source).get("neardup"));
        assertEquals(without, Processors.processed(compact, source).get("neardup"));
    }

    @Test
    @DisplayName("leaves out what is made of words if so told, takes it away from what has it, and brings it back")
    void withoutWords() {
        NeardupProcessor whole = Processors.make(Map.of("compact", true, "scanned", true));
        NeardupProcessor bare = Processors.make(Map.of("compact", true, "scanned", true, "words", false));
        Map<String, Object> with = Processors.SIGNER.compact(TEXT, new Parts(true, true, true));
        Map<String, Object> without = without(with, "sentences", "simhash", "simhash_bands");
        assertEquals(without, Processors.processed(bare, Map.of("text", TEXT)).get("neardup"));
        Map<String, Object> source = Processors.processed(whole, Map.of("text", TEXT));
        source = Processors.processed(bare, source);
        assertEquals(without, source.get("neardup"));
        assertEquals(without, Processors.processed(bare, source).get("neardup"));
        assertEquals(with, Processors.processed(whole, source).get("neardup"));
    }

    @Test
    @DisplayName(
            "signs anew what came with the fingerprint of the text and with other parts of a signature than its own")
    void forged() {
        NeardupProcessor mapped = Processors.make(Map.of("compact", true, "scanned", true));
        Map<String, Object> own = Processors.SIGNER.compact(TEXT, new Parts(true, true, true));
        Map<String, Object> other = Processors.SIGNER.compact(TEXT.repeat(9) + "violets", new Parts(true, true, true));
        for (String key : List.of("qgrams", "qgram_count", "qgram_bitmap")) {
            Map<String, Object> source = with(Map.of("text", TEXT), "neardup", with(own, key, other.get(key)));
            assertEquals(own, Processors.processed(mapped, source).get("neardup"), key);
        }
    }

    @Test
    @DisplayName("leaves the q-grams themselves out if so told")
    void withoutQgrams() {
        NeardupProcessor bare = Processors.make(Map.of("qgrams", false));
        Map<String, Object> expected = without(signature(TEXT), "qgrams");
        assertEquals(expected, Processors.processed(bare, Map.of("text", TEXT)).get("neardup"));
        // Those that came with the document are none of this signature.
        assertEquals(
                expected,
                Processors.processed(bare, Map.of("text", TEXT, "neardup", signature(TEXT)))
                        .get("neardup"));
    }

    // -- texts that cannot be signed

    @Test
    @DisplayName("reads a field whose name has dots, which an index takes for the same field, as the scorer does")
    void namedWithDots() {
        NeardupProcessor lenient = Processors.make(Map.of("field", "page.body.text", "ignore_missing", true));
        for (Map<String, Object> source : List.<Map<String, Object>>of(
                Map.of("page.body.text", TEXT),
                Map.of("page", Map.of("body.text", TEXT)),
                Map.of("page.body", OTHER, "page", Map.of("body", Map.of("text", TEXT))))) {
            assertEquals(with(source, "neardup", signature(TEXT)), Processors.processed(lenient, source));
        }
        assertEquals(
                "field [page.body.text] is of type [java.lang.Integer], not a string: it cannot be signed",
                refused(lenient, Map.of("page.body.text", 7)));
    }

    @Test
    @DisplayName("refuses a document without the field, naming it")
    void missing() {
        assertTrue(refused(plain, Map.of("title", "x")).contains("[text]"));
        assertTrue(refused(Processors.make(Map.of("field", "page.body")), Map.of("page", Map.of()))
                .contains("[page.body]"));
        String message = refused(plain, with(Map.of(), "text", null));
        assertEquals("field [text] is null, not a string: it cannot be signed", message);
    }

    static Stream<Arguments> without() {
        return Stream.of(
                Arguments.of("text", Map.of("title", "x")),
                Arguments.of("text", with(Map.of(), "text", null)),
                Arguments.of("page.body", Map.of("title", "x")),
                Arguments.of("page.body", Map.of("page", Map.of("title", "x"))),
                Arguments.of("page.body", with(Map.of(), "page", null)),
                Arguments.of("page.body", Map.of("page", "not an object")));
    }

    @ParameterizedTest
    @MethodSource("without")
    @DisplayName("leaves a document without the field as it is if so told")
    void ignoresMissing(String field, Map<String, ?> source) {
        NeardupProcessor lenient = Processors.make(Map.of("field", field, "ignore_missing", true));
        assertEquals(source, Processors.processed(lenient, source));
        Map<String, Object> signed = with(source, "neardup", Map.of("status", "unique"));
        assertEquals(signed, Processors.processed(lenient, signed));
    }

    static Stream<Arguments> notStrings() {
        return Stream.of(
                Arguments.of(7, "java.lang.Integer"),
                Arguments.of(true, "java.lang.Boolean"),
                Arguments.of(1.5, "java.lang.Double"),
                Arguments.of(new ArrayList<>(List.of("a", "b")), "java.util.ArrayList"),
                Arguments.of(new HashMap<>(Map.of("a", "b")), "java.util.HashMap"));
    }

    @ParameterizedTest
    @MethodSource("notStrings")
    @DisplayName("refuses what is not a string, naming its type, missing fields ignored or not")
    void notAString(Object value, String type) {
        String expected = "field [text] is of type [" + type + "], not a string: it cannot be signed";
        assertEquals(expected, refused(plain, Map.of("text", value)));
        assertEquals(expected, refused(Processors.make(Map.of("ignore_missing", true)), Map.of("text", value)));
    }

    @Test
    @DisplayName("refuses a text with an unpaired surrogate, naming it and its place")
    void surrogates() {
        assertEquals(
                "field [text] cannot be signed: text has the unpaired surrogate U+D83D at position 2",
                refused(plain, Map.of("text", "\uD83D\uDE00a\uD83D")));
        assertEquals(
                "field [text] cannot be signed: text has the unpaired surrogate U+DE00 at position 0",
                refused(plain, Map.of("text", "\uDE00abc")));
    }

    @Test
    @DisplayName("refuses a text longer than the limit, counted in code points, and says what to do")
    void tooLong() {
        NeardupProcessor five = Processors.make(Map.of("max_length", 5));
        Processors.processed(five, Map.of("text", "abcde"));
        Processors.processed(five, Map.of("text", "\uD83D\uDE00".repeat(5)));
        assertTrue(
                refused(five, Map.of("text", "abcdef"))
                        .startsWith(
                                "field [text] has 6 characters, the limit [max_length] is 5: raise it, or set [on_too_long] to [mark]"));
        assertTrue(refused(five, Map.of("text", "\uD83D\uDE00".repeat(6))).startsWith("field [text] has 6 characters"));
    }

    @Test
    @DisplayName("marks such a text as unsigned if so told, in place of all that was said of an earlier one")
    void marksTooLong() {
        NeardupProcessor five = Processors.make(Map.of("max_length", 5, "on_too_long", "mark"));
        Map<String, Object> mark = Map.of("recipe", Processors.SIGNER.recipe(), "unsigned", "too_long");
        assertEquals(Map.of("text", "abcdef", "neardup", mark), Processors.processed(five, Map.of("text", "abcdef")));
        Map<String, Object> verdict = with(signature("abc"), "status", "unique");
        assertEquals(
                mark,
                Processors.processed(five, Map.of("text", "abcdef", "neardup", verdict))
                        .get("neardup"));
        assertEquals(
                mark,
                Processors.processed(five, Map.of("text", "abcdef", "neardup", mark))
                        .get("neardup"));
        assertEquals(
                signature("\uD83D\uDE00".repeat(5)),
                Processors.processed(five, Map.of("text", "\uD83D\uDE00".repeat(5)))
                        .get("neardup"));
    }

    @Test
    @DisplayName("takes the mark away when the text can be signed")
    void signsMarked() {
        Map<String, Object> mark = Map.of("recipe", Processors.SIGNER.recipe(), "unsigned", "too_long");
        Map<String, Object> signed = Processors.processed(plain, Map.of("text", TEXT, "neardup", mark));
        assertEquals(signature(TEXT), signed.get("neardup"));
        Map<String, Object> both = with(signature(TEXT), "unsigned", "too_long");
        assertEquals(
                signature(TEXT),
                Processors.processed(plain, Map.of("text", TEXT, "neardup", both))
                        .get("neardup"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", ""})
    @DisplayName("refuses to write into what is not an object")
    void targetIsNoObject(String present) {
        String message = refused(plain, Map.of("text", TEXT, "neardup", present));
        assertTrue(
                message.startsWith("field [neardup] is of type [java.lang.String], not an object: rename it"), message);
        NeardupProcessor five = Processors.make(Map.of("max_length", 5, "on_too_long", "mark"));
        assertEquals(message, refused(five, Map.of("text", "abcdef", "neardup", "mine")));
    }

    @Test
    @DisplayName("writes where there was null")
    void targetIsNull() {
        Map<String, Object> source = with(Map.of("text", TEXT), "neardup", null);
        assertEquals(signature(TEXT), Processors.processed(plain, source).get("neardup"));
    }

    // -- what else stands in the target

    @Test
    @DisplayName("keeps a verdict that came along, and adds the signature")
    void keepsVerdict() {
        Map<String, Object> verdict =
                Map.of("status", "near", "duplicate_of", "4711", "score", 0.75, "matches", List.of());
        Map<String, Object> signed = Processors.processed(plain, Map.of("text", TEXT, "neardup", verdict));
        assertEquals(
                with(
                        verdict,
                        signature(TEXT).entrySet().stream()
                                .flatMap(entry -> Stream.of(entry.getKey(), entry.getValue()))
                                .toArray()),
                signed.get("neardup"));
    }

    @Test
    @DisplayName("keeps a verdict whose fingerprint is that of the text, and makes the rest of the signature anew")
    void keepsVerdictOnThisText() {
        Map<String, Object> whole = with(signature(TEXT), "status", "unique");
        for (Map<String, Object> present : List.of(
                whole,
                with(whole, "recipe", "neardup-1:another"),
                without(whole, "qgrams"),
                without(whole, "simhash_bands"),
                with(whole, "sketch", "not a list"),
                with(whole, "qgram_count", 3),
                with(Map.of("status", "unique"), "fingerprint", whole.get("fingerprint")))) {
            assertEquals(
                    whole,
                    Processors.processed(plain, Map.of("text", TEXT, "neardup", present))
                            .get("neardup"));
        }
    }

    @Test
    @DisplayName("removes a verdict on another text")
    void removesVerdictOnAnotherText() {
        Map<String, Object> present = with(signature(OTHER), "status", "near", "duplicate_of", "4711", "mine", 1);
        assertEquals(
                signature(TEXT),
                Processors.processed(plain, Map.of("text", TEXT, "neardup", present))
                        .get("neardup"));
        Map<String, Object> onlyFingerprint = Map.of("fingerprint", "0".repeat(32), "status", "near");
        assertEquals(
                signature(TEXT),
                Processors.processed(plain, Map.of("text", TEXT, "neardup", onlyFingerprint))
                        .get("neardup"));
        Map<String, Object> nonsense = Map.of("fingerprint", 5, "status", "near");
        assertEquals(
                signature(TEXT),
                Processors.processed(plain, Map.of("text", TEXT, "neardup", nonsense))
                        .get("neardup"));
    }

    @Test
    @DisplayName("changes nothing when it runs again, on the document as it was or as it was read back from JSON")
    void idempotent() throws Exception {
        for (Map<String, ?> options : List.<Map<String, ?>>of(
                Map.of(),
                Map.of("qgrams", false),
                Map.of("compact", true),
                Map.of("compact", true, "qgrams", false),
                Map.of("q", 7, "simhash_variants", 2),
                Map.of("target_field", "a.b"))) {
            NeardupProcessor processor = Processors.make(options);
            Map<String, Object> source =
                    Map.of("text", TEXT, "n", 1, "neardup", new HashMap<>(Map.of("status", "near")));
            Map<String, Object> once = Processors.processed(processor, source);
            assertNotEquals(source, once);
            assertEquals(once, Processors.processed(processor, once));
            assertEquals(once, Processors.processed(processor, readBack(once)));
        }
    }

    private static Map<String, Object> readBack(Map<String, Object> source) throws Exception {
        try (XContentBuilder json = JsonXContent.contentBuilder()) {
            String written = BytesReference.bytes(json.map(source)).utf8ToString();
            return XContentHelper.convertToMap(JsonXContent.jsonXContent, written, false);
        }
    }

    @Test
    @DisplayName("does not make again what a client has signed: only recipe and fingerprint are looked at")
    void clientSigned() {
        // Recognisable, for no text has this sketch.
        Map<String, Object> signed = with(signature(TEXT), "sketch", List.of("0123456789abcdef"), "status", "unique");
        assertEquals(
                signed,
                Processors.processed(plain, Map.of("text", TEXT, "neardup", signed))
                        .get("neardup"));
        Map<String, Object> again = Processors.processed(plain, Map.of("text", OTHER, "neardup", signed));
        assertEquals(signature(OTHER), again.get("neardup"));
    }

    @Test
    @DisplayName("hands over lists that later processors may change")
    void mutable() {
        Map<?, ?> signed =
                (Map<?, ?>) Processors.processed(plain, Map.of("text", TEXT)).get("neardup");
        IngestDocument document = Processors.document(Map.of());
        document.setFieldValue("neardup", signed);
        for (String field : List.of("qgrams", "sketch", "sentences", "simhash", "simhash_bands")) {
            document.appendFieldValue("neardup." + field, "more");
            assertTrue(((List<?>) signed.get(field)).contains("more"), field);
        }
        document.removeField("neardup.recipe");
        assertFalse(signed.containsKey("recipe"));
    }

    @Test
    @DisplayName("serves several threads at once")
    void threads() throws Exception {
        Threads.run(6, thread -> {
            String text = TEXT.repeat(thread + 1) + thread;
            Map<String, Object> expected = Map.of("text", text, "neardup", signature(text));
            return () -> {
                for (int round = 0; round < 300; round++) {
                    assertEquals(expected, Processors.processed(plain, Map.of("text", text)));
                }
                return null;
            };
        });
    }
}
