package org.neardup.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.elasticsearch.ExceptionsHelper;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.get.GetRequest;
import org.elasticsearch.action.get.GetResponse;
import org.elasticsearch.client.internal.Client;
import org.elasticsearch.common.bytes.BytesArray;
import org.elasticsearch.common.bytes.BytesReference;
import org.elasticsearch.common.io.stream.BytesStreamOutput;
import org.elasticsearch.common.io.stream.NamedWriteableAwareStreamInput;
import org.elasticsearch.common.io.stream.NamedWriteableRegistry;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.index.IndexNotFoundException;
import org.elasticsearch.index.get.GetResult;
import org.elasticsearch.index.query.BoolQueryBuilder;
import org.elasticsearch.index.query.QueryBuilder;
import org.elasticsearch.index.query.QueryRewriteContext;
import org.elasticsearch.index.query.Rewriteable;
import org.elasticsearch.rest.RestStatus;
import org.elasticsearch.xcontent.NamedXContentRegistry;
import org.elasticsearch.xcontent.ParseField;
import org.elasticsearch.xcontent.XContentBuilder;
import org.elasticsearch.xcontent.XContentType;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.neardup.signature.Lexicon;

@DisplayName("The query in a request")
class NeardupQueryBuilderTest {
    static {
        Requests.prepare();
    }

    private static final PlanCache PLANS = new PlanCache(name -> Lexicon.getDefault(), MemoryCheck.NONE);
    private static final NamedXContentRegistry NAMES =
            new NamedXContentRegistry(List.of(new NamedXContentRegistry.Entry(
                    QueryBuilder.class,
                    new ParseField("neardup"),
                    (parser, context) -> NeardupQueryBuilder.parse(parser, PLANS))));
    private static final NamedWriteableRegistry SENT = new NamedWriteableRegistry(List.of(
            new NamedWriteableRegistry.Entry(QueryBuilder.class, "neardup", in -> new NeardupQueryBuilder(in, PLANS))));

    private static final String LIKE_TEXT = "\"like\":{\"text\":\"A rose is a rose.\"}";
    private static final String LIKE_ID = "\"like\":{\"_index\":\"news\",\"_id\":\"7\"}";
    private static final String FULL = "{\"neardup\":{\"field\":\"signs\"," + LIKE_TEXT
            + ",\"threshold\":0.35,\"ignore_unmapped\":true,\"boost\":2.0,\"_name\":\"copies\"}}";

    private static QueryBuilder parsed(String json) throws IOException {
        return Requests.parsed(NAMES, json);
    }

    /** A query with these members. */
    private static QueryBuilder query(String members) throws IOException {
        return parsed("{\"neardup\":{" + members + "}}");
    }

    private static QueryBuilder sent(QueryBuilder query) throws IOException {
        BytesStreamOutput out = new BytesStreamOutput();
        out.writeNamedWriteable(query);
        try (StreamInput in = new NamedWriteableAwareStreamInput(out.bytes().streamInput(), SENT)) {
            QueryBuilder arrived = in.readNamedWriteable(QueryBuilder.class);
            assertEquals(-1, in.read());
            return arrived;
        }
    }

    @Test
    @DisplayName("is read with every option, and written as it was read")
    void full() throws IOException {
        QueryBuilder query = parsed(FULL);
        assertEquals(FULL, Requests.written(query));
        assertEquals(2, query.boost());
        assertEquals("copies", query.queryName());
        assertEquals("neardup", query.getWriteableName());
    }

    @ParameterizedTest
    @ValueSource(strings = {LIKE_TEXT, LIKE_ID, "\"like\":{\"_index\":\"news\",\"_id\":\"7\",\"routing\":\"left\"}"})
    @DisplayName("needs no more than [like]")
    void minimal(String like) throws IOException {
        String written =
                "{\"neardup\":{\"field\":\"neardup\"," + like + ",\"threshold\":0.7,\"ignore_unmapped\":false}}";
        assertEquals(written.replace("false}", "false,\"boost\":1.0}"), withBoost(Requests.written(query(like))));
        assertEquals(query(like), parsed(written));
    }

    /** Whether a boost of 1 is written is Elasticsearch's choice. */
    private static String withBoost(String json) {
        return json.contains("\"boost\"") ? json : json.replace("false}", "false,\"boost\":1.0}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.7", "0.70", "7e-1", "\"0.7\"", "\"0.700000\""})
    @DisplayName("takes the threshold from its digits, as a number or a string")
    void threshold(String text) throws IOException {
        assertEquals(query(LIKE_TEXT), query(LIKE_TEXT + ",\"threshold\":" + text));
        assertEquals(
                query(LIKE_TEXT).hashCode(),
                query(LIKE_TEXT + ",\"threshold\":" + text).hashCode());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | [neardup] needs [like], an object: {\"text\": \"...\"} or {\"_index\": \"...\", \"_id\": \"...\"}",
                "\"field\":\"x\" | [neardup] needs [like], an object",
                "\"like\":\"a rose\" | [like] is [a rose]: it must be an object: {\"text\": \"...\"} or {\"_index\": \"...\", \"_id\": \"...\"}",
                "\"like\":null | [like] is [null]: it must be an object",
                "\"like\":[] | [like] is an array: it must be an object",
                "\"like\":7 | [like] is [7]: it must be an object",
                "\"like\":{} | [like] has the keys []: it must be an object",
                "\"like\":{\"text\":7} | [like.text] is [7]: it must be a string",
                "\"like\":{\"text\":null} | [like.text] is [null]: it must be a string",
                "\"like\":{\"text\":[\"a\"]} | [like.text] is [[a]]: it must be a string",
                "\"like\":{\"_index\":\"a\",\"_id\":7} | [like._id] is [7]: it must be a string",
                "\"like\":{\"_index\":\",\",\"_id\":\"7\"} | [like._index] is [,]: it must name an index",
                "\"like\":{\"_index\":\"\",\"_id\":\"7\"} | [like._index] is []: it must name an index",
                "\"like\":{\"_index\":\"a\",\"_id\":\"\"} | [like._id] is []: it must name a document",
                "\"like\":{\"words\":\"a\"} | [like] has the key [words]: it must be an object",
                "\"like\":{\"_id\":\"7\"} | [like] has the keys [_id]: it must be",
                "\"like\":{\"_index\":\"a\"} | [like] has the keys [_index]: it must be",
                "\"like\":{\"text\":\"a\",\"_id\":\"7\",\"_index\":\"a\"} | it must be an object",
                "\"like\":{\"text\":\"a\",\"routing\":\"x\"} | it must be an object",
                "LIKE,\"treshold\":0.7 | [neardup] has no option [treshold]: its options are [field], [like], [threshold], [ignore_unmapped], [boost], [_name]",
                "LIKE,\"threshold\":{\"gte\":0.7} | [neardup] has a [threshold] that is an object or an array: it must be one value",
                "LIKE,\"threshold\":[0.7] | [neardup] has a [threshold] that is an object or an array: it must be one value",
                "LIKE,\"threshold\":null | [neardup] has a [threshold] that is null: it must be one value",
                "LIKE,\"threshold\":0 | [neardup]: [threshold] is [0]: it must be a number above 0 and at most 1, such as 0.7",
                "LIKE,\"threshold\":-1 | it must be a number above 0 and at most 1, such as 0.7",
                "LIKE,\"threshold\":1.01 | [threshold] is [1.01]: it must be a number above 0 and at most 1, such as 0.7",
                "LIKE,\"threshold\":1e999999999 | it must be a number above 0 and at most 1, such as 0.7",
                "LIKE,\"threshold\":1e-999999999 | it must be a number of at most six decimals",
                "LIKE,\"threshold\":\"NaN\" | [threshold] is [NaN]: it must be a number above 0 and at most 1, such as 0.7",
                "LIKE,\"threshold\":\"abc\" | [threshold] is [abc]: it must be a number above 0 and at most 1, such as 0.7",
                "LIKE,\"threshold\":true | [threshold] is [true]: it must be a number above 0 and at most 1, such as 0.7",
                "LIKE,\"threshold\":0.1234567 | [threshold] is [0.1234567]: it must be a number of at most six decimals",
                "LIKE,\"field\":[\"a\"] | [neardup] has a [field] that is an object or an array: it must be one value",
                "LIKE,\"boost\":-1 | [neardup]: [boost] is [-1]: it must be a number of at least 0, such as 2",
                "LIKE,\"boost\":1e39 | [neardup]: [boost] is [1e39]: it must be a number of at least 0, such as 2",
                "LIKE,\"boost\":\"NaN\" | [neardup]: [boost] is [NaN]: it must be a number of at least 0, such as 2",
                "LIKE,\"boost\":\"much\" | [neardup]: [boost] is [much]: it must be a number of at least 0, such as 2",
                "LIKE,\"ignore_unmapped\":\"perhaps\" | [neardup]: [ignore_unmapped] is [perhaps]: it must be true or false",
                "LIKE,\"ignore_unmapped\":1 | [neardup]: [ignore_unmapped] is [1]: it must be true or false",
                "LIKE,\"field\":\"LONG\" | [field] is [SHOWN]: it must be the name, of at most 1000 characters, of the object that holds the signatures",
                "LIKE,\"boost\":\"LONG\" | [boost] is [SHOWN]: it must be a number",
                "LIKE,\"threshold\":\"LONG\" | [threshold] is [SHOWN]: it must be a number",
                "LIKE,\"LONG\":1 | [neardup] has no option [SHOWN]: its options are",
                "LIKE,\"LONG\":[] | [neardup] has no option [SHOWN]: its options are",
                "LIKE,\"filter\":{\"term\":{\"a\":1}} | [neardup] has no option [filter]: its options are [field], [like]",
                "LIKE,\"filter\":null | [neardup] has no option [filter]: its options are [field], [like], [threshold]",
                "\"like\":\"LONG\" | [like] is [SHOWN]: it must be",
                "\"like\":{\"LONG\":1} | [like] has the key [SHOWN]: it must be",
            })
    @DisplayName("is refused with a sentence that says what is wrong and what it must be")
    void mistakes(String members, String expected) {
        String json = members.replace("LIKE", LIKE_TEXT).replace("LONG", "x".repeat(40_000));
        Exception thrown = assertThrows(Exception.class, () -> query(json));
        StringBuilder messages = new StringBuilder();
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            messages.append(cause.getMessage()).append('\n');
        }
        String shown = expected.replace("SHOWN", "x".repeat(100) + "...");
        assertTrue(messages.toString().contains(shown), messages.toString());
        assertEquals(RestStatus.BAD_REQUEST, ExceptionsHelper.status(thrown), messages.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"field", "threshold", "ignore_unmapped", "boost", "_name"})
    @DisplayName("is refused if an option is a string of bytes, which a request in CBOR may contain")
    void bytes(String option) throws IOException {
        XContentBuilder request = XContentBuilder.builder(XContentType.CBOR.xContent());
        request.startObject().startObject("neardup");
        request.startObject("like").field("text", "A rose is a rose.").endObject();
        request.field(option, new byte[] {'1'}).endObject().endObject();
        byte[] cbor = BytesReference.toBytes(BytesReference.bytes(request));
        Exception thrown = assertThrows(Exception.class, () -> Requests.parsed(NAMES, cbor));
        String expected = "[neardup] has a [" + option + "] that is a string of bytes: it must be one value";
        assertTrue(ExceptionsHelper.stackTrace(thrown).contains(expected), thrown.toString());
        assertEquals(RestStatus.BAD_REQUEST, ExceptionsHelper.status(thrown));
    }

    @Test
    @DisplayName("reaches another node as it is")
    void stream() throws IOException {
        QueryBuilder byText = parsed(FULL);
        QueryBuilder byId = query(LIKE_ID + ",\"threshold\":0.000001");
        QueryBuilder routed = query("\"like\":{\"_index\":\"news\",\"_id\":\"7\",\"routing\":\"left\"}");
        for (QueryBuilder query : List.of(byText, byId, routed)) {
            QueryBuilder arrived = sent(query);
            assertEquals(query, arrived);
            assertEquals(query.hashCode(), arrived.hashCode());
            assertEquals(Requests.written(query), Requests.written(arrived));
        }
        assertNotEquals(byId, routed);
    }

    @Test
    @DisplayName("reaches another node with the document that was fetched, and with any text")
    void streamLike() throws IOException {
        LikeSource.Reference reference = new LikeSource.Reference("news", "7", null);
        List<LikeSource> all = List.of(
                reference,
                new LikeSource.Text("lone \uD800, pair \uD801\uDC00, \u0000, \u00E9"),
                new LikeSource.Document(reference, "a recipe", "a fingerprint", List.of("abcd", "\uD801\uDC00bcd")),
                new LikeSource.Document(new LikeSource.Reference("news", "7", "left"), "", "", List.of()));
        for (LikeSource like : all) {
            QueryParams params = new QueryParams("neardup", like, Threshold.parse("0.5"), true);
            BytesStreamOutput out = new BytesStreamOutput();
            params.writeTo(out);
            assertEquals(params, QueryParams.read(out.bytes().streamInput(), MemoryCheck.NONE));
        }
        StreamInput unknown = new BytesArray(new byte[] {9}).streamInput();
        assertThrows(IOException.class, () -> LikeSource.read(unknown, MemoryCheck.NONE));
    }

    @Test
    @DisplayName("equals one that asks the same")
    void equality() throws IOException {
        assertEquals(parsed(FULL), parsed(FULL));
        List<String> others = List.of(
                FULL.replace("signs", "others"),
                FULL.replace("rose", "tulip"),
                FULL.replace("0.35", "0.36"),
                FULL.replace("true", "false"),
                FULL.replace("2.0", "3.0"),
                FULL.replace("copies", "others"));
        for (String other : others) {
            assertNotEquals(parsed(FULL), parsed(other));
        }
        assertNotEquals(query(LIKE_TEXT), query(LIKE_ID));
    }

    // -- the document given by its id, as a cluster would give it --

    /** A cluster that has one answer to a get, and keeps the requests. */
    private static final class Answering {
        private final Object answer;
        private final List<Object> requests = new ArrayList<>();
        private final Client client = (Client) Proxy.newProxyInstance(
                Client.class.getClassLoader(), new Class<?>[] {Client.class}, (proxy, method, arguments) -> {
                    answer(method, arguments);
                    return null;
                });

        /** @param answer a source, null for none, or an exception */
        Answering(Object answer) {
            this.answer = answer;
        }

        @SuppressWarnings("unchecked")
        private void answer(Method method, Object[] arguments) {
            requests.add(arguments[0]);
            ActionListener<GetResponse> listener = (ActionListener<GetResponse>) arguments[1];
            if (answer instanceof Exception failure) {
                listener.onFailure(failure);
                return;
            }
            assertEquals("get", method.getName());
            BytesReference source = answer == null ? null : new BytesArray((String) answer);
            long seqNo = answer == null ? -2 : 0;
            long term = answer == null ? 0 : 1;
            GetResult found = new GetResult("news-09", "7", seqNo, term, 1, answer != null, source, Map.of(), Map.of());
            listener.onResponse(new GetResponse(found));
        }
    }

    private static final String SIGNED =
            "{\"neardup\":{\"recipe\":\"neardup-1:q4:case:u16:lex\",\"fingerprint\":\"ff\","
                    + "\"qgram_count\":2,\"qgrams\":[\"abcd\",\"bcde\"]}}";

    private static QueryBuilder rewritten(QueryBuilder query, Answering client) throws Exception {
        QueryRewriteContext context = Requests.rewriting(client.client);
        AtomicReference<QueryBuilder> result = new AtomicReference<>();
        AtomicReference<Exception> failure = new AtomicReference<>();
        Rewriteable.rewriteAndFetch(query, context, ActionListener.wrap(result::set, failure::set));
        if (failure.get() != null) {
            throw failure.get();
        }
        return result.get();
    }

    @Test
    @DisplayName("takes an empty routing for none, as where a document is indexed")
    void emptyRouting() throws IOException {
        QueryBuilder empty = query("\"like\":{\"_index\":\"news\",\"_id\":\"7\",\"routing\":\"\"}");
        assertEquals(query("\"like\":{\"_index\":\"news\",\"_id\":\"7\"}"), empty);
    }

    @Test
    @DisplayName("fetches the document that it is about, once, with its routing; boost and name stay")
    void fetch() throws Exception {
        String asked =
                "\"like\":{\"_index\":\"news\",\"_id\":\"7\",\"routing\":\"left\"},\"boost\":3,\"_name\":\"copies\"";
        Answering client = new Answering(SIGNED);
        QueryBuilder fetched = rewritten(query(asked), client);

        assertEquals(1, client.requests.size());
        GetRequest request = assertInstanceOf(GetRequest.class, client.requests.get(0));
        assertEquals("news 7 left", request.index() + " " + request.id() + " " + request.routing());
        assertEquals(
                List.of("neardup.recipe", "neardup.fingerprint", "neardup.qgrams", "neardup.qgram_count"),
                List.of(request.fetchSourceContext().includes()));
        assertEquals(3, fetched.boost());
        assertEquals("copies", fetched.queryName());
        // It is where it was found, not where it was asked for.
        assertTrue(Requests.written(fetched).contains("\"_index\":\"news-09\""), Requests.written(fetched));
        assertEquals(fetched, sent(fetched));
        assertEquals(fetched, rewritten(fetched, client));
        assertEquals(1, client.requests.size());
        assertNotEquals(query(asked), fetched);
    }

    private static BoolQueryBuilder either(QueryBuilder... clauses) {
        BoolQueryBuilder query = new BoolQueryBuilder();
        List.of(clauses).forEach(query::should);
        return query;
    }

    @Test
    @DisplayName("fetches a document that several clauses of a search name once, and each of several")
    void fetchOfSeveral() throws Exception {
        Answering client = new Answering(SIGNED);
        QueryBuilder other = query(LIKE_ID.replace("7", "8"));
        QueryBuilder fetched = rewritten(either(query(LIKE_ID), other, query(LIKE_ID + ",\"threshold\":0.5")), client);
        assertEquals(2, client.requests.size());
        BoolQueryBuilder sent = assertInstanceOf(BoolQueryBuilder.class, fetched);
        for (QueryBuilder clause : sent.should()) {
            assertTrue(Requests.written(clause).contains("\"_index\":\"news-09\""), Requests.written(clause));
            assertEquals(clause, arrived(clause, PLANS));
        }
    }

    @Test
    @DisplayName("looks up no further document, and sends none, where there is no memory for it")
    void noMemoryForSeveral() throws Exception {
        long weight = 2 * QueryPlan.QGRAM_BYTES;
        PlanCache plans = new PlanCache(name -> Lexicon.getDefault(), bytes -> {
            if (bytes > 2 * 3 * weight) {
                throw new IllegalStateException("no memory for " + bytes);
            }
        });
        QueryBuilder one = arrived(query(LIKE_ID), plans);
        QueryBuilder other = arrived(query(LIKE_ID.replace("7", "8")), plans);
        Answering client = new Answering(SIGNED);
        rewritten(either(one, one), client);
        assertThrows(IllegalStateException.class, () -> rewritten(either(one, one, one), client));
        assertEquals(2, client.requests.size());
        assertThrows(IllegalStateException.class, () -> rewritten(either(one, other), client));
        assertEquals(3, client.requests.size());
    }

    private static NeardupQueryBuilder arrived(QueryBuilder query, PlanCache plans) throws IOException {
        BytesStreamOutput out = new BytesStreamOutput();
        query.writeTo(out);
        return new NeardupQueryBuilder(out.bytes().streamInput(), plans);
    }

    @Test
    @DisplayName(
            "takes no more q-grams of a document than there is memory for: not where it is fetched, nor where it is"
                    + " sent")
    void noMemory() throws Exception {
        MemoryCheck full = bytes -> {
            if (bytes >= 2 * QueryPlan.QGRAM_BYTES) {
                throw new IllegalStateException("no memory for " + bytes);
            }
        };
        PlanCache plans = new PlanCache(name -> Lexicon.getDefault(), full);
        QueryBuilder asked = arrived(query(LIKE_ID), plans);
        assertThrows(IllegalStateException.class, () -> rewritten(asked, new Answering(SIGNED)));
        QueryBuilder fetched = rewritten(query(LIKE_ID), new Answering(SIGNED));
        assertThrows(IllegalStateException.class, () -> arrived(fetched, plans));
    }

    @Test
    @DisplayName("sends the normal form of a document, not the q-grams, which take many times its memory")
    void normalForm() throws Exception {
        StringBuilder form = new StringBuilder();
        for (int i = 0; i < 10_000; i++) {
            form.append((char) ('\u4E00' + i));
        }
        String source =
                "{\"neardup\":{\"recipe\":\"neardup-2:q4:case:u16:lex\",\"fingerprint\":\"ff\",\"qgram_count\":9997,\"qgrams\":\""
                        + form + "\"}}";
        BytesStreamOutput out = new BytesStreamOutput();
        rewritten(query(LIKE_ID), new Answering(source)).writeTo(out);
        assertTrue(out.size() < 31_000, out.size() + " bytes");
    }

    @Test
    @DisplayName("is not sent while its document is being fetched")
    void pending() throws IOException {
        QueryRewriteContext context = Requests.rewriting(new Answering(SIGNED).client);
        QueryBuilder pending = query(LIKE_ID).rewrite(context);
        assertTrue(context.hasAsyncActions());
        assertThrows(IllegalStateException.class, () -> sent(pending));
    }

    @Test
    @DisplayName("by text fetches nothing")
    void textIsNotFetched() throws Exception {
        Answering client = new Answering(SIGNED);
        assertEquals(query(LIKE_TEXT), rewritten(query(LIKE_TEXT), client));
        assertEquals(List.of(), client.requests);
    }

    @Test
    @DisplayName("about a document that is not there says so")
    void missing() throws IOException {
        Exception thrown = assertThrows(Exception.class, () -> rewritten(query(LIKE_ID), new Answering(null)));
        assertEquals("[like] is document [7] in [news], which does not exist", thrown.getMessage());
        String noId = "\"like\":{\"_index\":\"news\",\"_id\":\"" + "7".repeat(70_000) + "\"}";
        thrown = assertThrows(Exception.class, () -> rewritten(query(noId), new Answering(null)));
        assertEquals(
                "[like] is document [" + "7".repeat(100) + "...] in [news], which does not exist", thrown.getMessage());
        assertEquals(RestStatus.NOT_FOUND, ExceptionsHelper.status(thrown));
        IndexNotFoundException noIndex = new IndexNotFoundException("news");
        Exception none = assertThrows(Exception.class, () -> rewritten(query(LIKE_ID), new Answering(noIndex)));
        assertEquals(RestStatus.NOT_FOUND, ExceptionsHelper.status(none));
    }

    @Test
    @DisplayName(
            "asks by the fingerprint of a document without q-grams, where a source made anew has no empty list of them")
    void noQgrams() throws Exception {
        String signed = "\"recipe\":\"neardup-2:q4:case:u16:lex\",\"fingerprint\":\"ff\",\"qgram_count\":0";
        QueryBuilder listed = rewritten(query(LIKE_ID), new Answering("{\"neardup\":{" + signed + ",\"qgrams\":[]}}"));
        assertEquals(listed, rewritten(query(LIKE_ID), new Answering("{\"neardup\":{" + signed + "}}")));
        assertNotEquals(query(LIKE_ID), listed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"neardup\":7}",
                "{\"neardup\":{\"recipe\":\"r\",\"fingerprint\":\"ff\",\"qgram_count\":2}}",
                "{\"neardup\":{\"recipe\":\"r\",\"fingerprint\":\"ff\",\"qgrams\":[\"abcd\"]}}",
                "{\"neardup\":{\"recipe\":\"r\",\"fingerprint\":\"ff\",\"qgram_count\":2,\"qgrams\":[\"abcd\"]}}",
                "{\"neardup\":{\"recipe\":\"r\",\"fingerprint\":\"ff\",\"qgram_count\":1,\"qgrams\":[1234]}}",
                "{\"neardup\":{\"recipe\":\"r\",\"fingerprint\":\"ff\",\"qgram_count\":1,\"qgrams\":[[\"abcd\"]]}}",
                "{\"neardup\":{\"recipe\":\"r\",\"qgram_count\":1,\"qgrams\":[\"abcd\"]}}",
                "{\"neardup\":{\"fingerprint\":\"ff\",\"qgram_count\":1,\"qgrams\":[\"abcd\"]}}",
                "{\"neardup\":[{\"recipe\":\"r\",\"fingerprint\":\"ff\",\"qgram_count\":1,\"qgrams\":[\"abcd\"]}]}",
            })
    @DisplayName("about a document without a full signature says so")
    void unsigned(String source) throws IOException {
        Exception thrown = assertThrows(Exception.class, () -> rewritten(query(LIKE_ID), new Answering(source)));
        String expected = "[like] is document [7] in [news], whose source has no full signature in [neardup]: ";
        assertTrue(thrown.getMessage().startsWith(expected), thrown.toString());
        assertEquals(RestStatus.BAD_REQUEST, ExceptionsHelper.status(thrown));
    }
}
