package org.neardup.query;

import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.util.SetOnce;
import org.elasticsearch.common.ParsingException;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.index.query.QueryBuilder;
import org.elasticsearch.index.query.QueryRewriteContext;
import org.elasticsearch.index.query.SearchExecutionContext;
import org.elasticsearch.plugins.SearchPlugin.QuerySpec;
import org.elasticsearch.xcontent.XContentBuilder;
import org.elasticsearch.xcontent.XContentLocation;
import org.elasticsearch.xcontent.XContentParser;
import org.neardup.signature.Lexicon;
import org.neardup.signature.Signature;

/**
 * The query {@code neardup}: exactly the documents with doc_q &gt;= t, scored by doc_q.
 *
 * <p>A document given by its id is fetched once, where the search begins; a text travels as it is, because only an
 * index knows by which recipe it is signed ({@link ShardQueryFactory}).
 */
public final class NeardupQueryBuilder extends ServerQueryBuilder<NeardupQueryBuilder> {
    static final String NAME = "neardup";

    private static final String FIELD = "field";
    private static final String LIKE = "like";
    private static final String THRESHOLD = "threshold";
    private static final String IGNORE_UNMAPPED = "ignore_unmapped";
    private static final String BOOST = "boost";
    private static final String QUERY_NAME = "_name";

    /** Each but {@code like} has one value. */
    private static final List<String> OPTIONS = List.of(FIELD, LIKE, THRESHOLD, IGNORE_UNMAPPED, BOOST, QUERY_NAME);

    /**
     * The most characters in the name of an object, or in a path to it: every message about a shard repeats it, and a
     * path of thousands of names makes objects so deep that a node crashes when it writes them.
     */
    public static final int LONGEST_FIELD = 1_000;

    private final PlanCache plans;
    private final QueryParams params;

    /** Where the document given by its id will be; null unless it is being fetched. */
    private final SetOnce<LikeSource.Document> fetched;

    /**
     * The query as a plugin offers it.
     *
     * @param lexicons gives the lexicon of a name (null: the default one), or another if it is missing: it only affects
     *     the order
     * @param memory of the node
     */
    public static QuerySpec<?> spec(Function<String, Lexicon> lexicons, MemoryCheck memory) {
        PlanCache plans = new PlanCache(lexicons, memory);
        return new QuerySpec<>(NAME, in -> new NeardupQueryBuilder(in, plans), parser -> parse(parser, plans));
    }

    private NeardupQueryBuilder(PlanCache plans, QueryParams params, SetOnce<LikeSource.Document> fetched) {
        this.plans = plans;
        this.params = params;
        this.fetched = fetched;
    }

    /** The query that another node has sent. */
    NeardupQueryBuilder(StreamInput in, PlanCache plans) throws IOException {
        super(in);
        this.plans = plans;
        params = QueryParams.read(in, plans.memory());
        fetched = null;
    }

    @Override
    protected void doWriteTo(StreamOutput out) throws IOException {
        if (fetched != null) {
            throw new IllegalStateException("a query whose document is being fetched is not sent");
        }
        params.writeTo(out);
    }

    /** The query of a request; every mistake in it is named. */
    static NeardupQueryBuilder parse(XContentParser parser, PlanCache plans) throws IOException {
        XContentLocation start = parser.getTokenLocation();
        String field = Signature.DEFAULT_FIELD;
        LikeSource like = null;
        Threshold threshold = Threshold.DEFAULT;
        boolean ignoreUnmapped = false;
        float boost = DEFAULT_BOOST;
        String name = null;
        while (parser.nextToken() != XContentParser.Token.END_OBJECT) {
            String key = parser.currentName();
            XContentParser.Token token = parser.nextToken();
            if (LIKE.equals(key)) {
                like = LikeSource.parse(parser);
                continue;
            }
            if (!hasText(token) && OPTIONS.contains(key)) {
                String given =
                        switch (token) {
                            case VALUE_NULL -> "null";
                            case VALUE_EMBEDDED_OBJECT -> "a string of bytes";
                            default -> "an object or an array";
                        };
                throw new ParsingException(
                        parser.getTokenLocation(),
                        "[neardup] has a [" + key + "] that is " + given + ": it must be one value");
            }
            switch (key) {
                case FIELD -> field = field(parser);
                case THRESHOLD -> threshold = threshold(parser);
                case IGNORE_UNMAPPED -> ignoreUnmapped = isTrue(parser);
                case BOOST -> boost = boost(parser, NAME);
                case QUERY_NAME -> name = parser.text();
                default ->
                    throw new ParsingException(
                            parser.getTokenLocation(),
                            "[neardup] has no option [" + Shown.of(key) + "]: its options are ["
                                    + String.join("], [", OPTIONS) + "]");
            }
        }
        if (like == null) {
            throw new ParsingException(start, "[neardup] needs [like], " + LikeSource.EXPECTED);
        }
        QueryParams params = new QueryParams(field, like, threshold, ignoreUnmapped);
        return new NeardupQueryBuilder(plans, params, null).boost(boost).queryName(name);
    }

    /** Whether a value has a text; bytes, which a request in CBOR, Smile or YAML may contain, have none. */
    static boolean hasText(XContentParser.Token token) {
        return token.isValue() && token != XContentParser.Token.VALUE_EMBEDDED_OBJECT;
    }

    private static String field(XContentParser parser) throws IOException {
        String field = parser.text();
        if (field.length() <= LONGEST_FIELD) {
            return field;
        }
        throw wrong(
                parser,
                NAME,
                "the name, of at most " + LONGEST_FIELD + " characters, of the object that holds the signatures");
    }

    private static boolean isTrue(XContentParser parser) throws IOException {
        return switch (parser.text()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw wrong(parser, NAME, "true or false");
        };
    }

    /** The boost of a {@code query} of this name. */
    static float boost(XContentParser parser, String query) throws IOException {
        float boost;
        try {
            boost = Float.parseFloat(parser.text());
        } catch (NumberFormatException cause) {
            boost = Float.NaN;
        }
        if (boost >= 0 && boost <= Float.MAX_VALUE) {
            return boost;
        }
        throw wrong(parser, query, "a number of at least 0, such as 2");
    }

    private static ParsingException wrong(XContentParser parser, String query, String expected) throws IOException {
        return new ParsingException(
                parser.getTokenLocation(),
                "[" + query + "]: [" + parser.currentName() + "] is [" + Shown.of(parser.text()) + "]: it must be "
                        + expected);
    }

    private static Threshold threshold(XContentParser parser) throws IOException {
        try {
            return Threshold.parse(parser.text());
        } catch (IllegalArgumentException cause) {
            throw new ParsingException(parser.getTokenLocation(), "[neardup]: " + cause.getMessage(), cause);
        }
    }

    @Override
    protected void doXContent(XContentBuilder builder, Params ignored) throws IOException {
        builder.startObject(NAME);
        builder.field(FIELD, params.field());
        builder.field(LIKE, params.like());
        builder.field(THRESHOLD, params.threshold().decimal());
        builder.field(IGNORE_UNMAPPED, params.ignoreUnmapped());
        boostAndQueryNameToXContent(builder);
        builder.endObject();
    }

    /** Fetches the document given by its id; this and the methods below are the framework of Elasticsearch for that. */
    @Override
    protected QueryBuilder doRewrite(QueryRewriteContext context) throws IOException {
        if (!(params.like() instanceof LikeSource.Reference reference)) {
            return super.doRewrite(context);
        }
        if (fetched != null) {
            LikeSource.Document document = fetched.get();
            return document == null ? this : new NeardupQueryBuilder(plans, params.with(document), null);
        }
        SetOnce<LikeSource.Document> pending = LikeFetches.add(context, params.field(), reference, plans.memory());
        return new NeardupQueryBuilder(plans, params, pending);
    }

    /** A query for nothing if nothing can match, so that the shard is left out before its search begins. */
    @Override
    protected QueryBuilder doSearchRewrite(SearchExecutionContext context) throws IOException {
        Query query = new ShardQueryFactory(context, params, plans).create();
        return query instanceof MatchNoDocsQuery none ? none(none.toString()) : this;
    }

    @Override
    protected Query doToQuery(SearchExecutionContext context) throws IOException {
        return new ShardQueryFactory(context, params, plans).create();
    }

    @Override
    protected boolean doEquals(NeardupQueryBuilder other) {
        return params.equals(other.params) && fetched == other.fetched;
    }

    @Override
    protected int doHashCode() {
        return params.hashCode();
    }

    @Override
    public String getWriteableName() {
        return NAME;
    }
}
