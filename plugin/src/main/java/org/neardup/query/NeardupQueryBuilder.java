package org.neardup.query;

import java.io.IOException;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.util.SetOnce;
import org.elasticsearch.TransportVersion;
import org.elasticsearch.common.ParsingException;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.index.query.AbstractQueryBuilder;
import org.elasticsearch.index.query.MatchNoneQueryBuilder;
import org.elasticsearch.index.query.QueryBuilder;
import org.elasticsearch.index.query.QueryRewriteContext;
import org.elasticsearch.index.query.SearchExecutionContext;
import org.elasticsearch.xcontent.XContentBuilder;
import org.elasticsearch.xcontent.XContentLocation;
import org.elasticsearch.xcontent.XContentParser;

/**
 * The query {@code neardup}: exactly the documents with doc_q &gt;= t, scored by doc_q.
 *
 * <p>A document that is asked about is fetched once, where the search begins; a text travels as it is, because only an
 * index knows by which recipe it is signed ({@link ShardQuery}).
 */
final class NeardupQueryBuilder extends AbstractQueryBuilder<NeardupQueryBuilder> {
    static final String NAME = "neardup";

    private static final String FIELD = "field";
    private static final String LIKE = "like";
    private static final String THRESHOLD = "threshold";
    private static final String IGNORE_UNMAPPED = "ignore_unmapped";
    private static final String STANDARD_FIELD = "neardup";

    private final QGramSets sets;
    private final Question question;

    /** Where the document that is asked about will be; null if none has been sent for. */
    private final SetOnce<Like.Document> fetched;

    private NeardupQueryBuilder(QGramSets sets, Question question, SetOnce<Like.Document> fetched) {
        this.sets = sets;
        this.question = question;
        this.fetched = fetched;
    }

    /** One that another node has sent. */
    NeardupQueryBuilder(StreamInput in, QGramSets sets) throws IOException {
        super(in);
        this.sets = sets;
        question = Question.read(in);
        fetched = null;
    }

    @Override
    protected void doWriteTo(StreamOutput out) throws IOException {
        if (fetched != null) {
            throw new IllegalStateException("a query whose document is being fetched is not sent");
        }
        question.writeTo(out);
    }

    /** One as a request has it; every mistake is named. */
    static NeardupQueryBuilder parse(XContentParser parser, QGramSets sets) throws IOException {
        XContentLocation start = parser.getTokenLocation();
        String field = STANDARD_FIELD;
        Like like = null;
        Threshold threshold = Threshold.STANDARD;
        boolean ignoreUnmapped = false;
        float boost = DEFAULT_BOOST;
        String name = null;
        while (parser.nextToken() != XContentParser.Token.END_OBJECT) {
            String key = parser.currentName();
            XContentParser.Token token = parser.nextToken();
            if (LIKE.equals(key)) {
                like = Like.parse(parser);
                continue;
            }
            if (!token.isValue()) {
                String given = token == XContentParser.Token.VALUE_NULL ? "null" : "an object or an array";
                throw new ParsingException(
                        parser.getTokenLocation(),
                        "[neardup] has a [" + key + "] that is " + given + ": it must be one value");
            }
            switch (key) {
                case FIELD -> field = parser.text();
                case THRESHOLD -> threshold = threshold(parser);
                case IGNORE_UNMAPPED -> ignoreUnmapped = parser.booleanValue();
                case "boost" -> boost = parser.floatValue();
                case "_name" -> name = parser.text();
                default ->
                    throw new ParsingException(
                            parser.getTokenLocation(),
                            "[neardup] has no option [" + key
                                    + "]: there are [field], [like], [threshold], [ignore_unmapped], [boost] and [_name]");
            }
        }
        if (like == null) {
            throw new ParsingException(start, "[neardup] needs [like], " + Like.WANTED);
        }
        Question question = new Question(field, like, threshold, ignoreUnmapped);
        return new NeardupQueryBuilder(sets, question, null).boost(boost).queryName(name);
    }

    private static Threshold threshold(XContentParser parser) throws IOException {
        try {
            return Threshold.parse(parser.text());
        } catch (IllegalArgumentException cause) {
            throw new ParsingException(parser.getTokenLocation(), "[neardup]: " + cause.getMessage(), cause);
        }
    }

    @Override
    protected void doXContent(XContentBuilder builder, Params params) throws IOException {
        builder.startObject(NAME);
        builder.field(FIELD, question.field());
        builder.field(LIKE, question.like());
        builder.field(THRESHOLD, question.threshold().decimal());
        builder.field(IGNORE_UNMAPPED, question.ignoreUnmapped());
        boostAndQueryNameToXContent(builder);
        builder.endObject();
    }

    /** Fetches the document that is asked about; this and all that follows is the frame that Elasticsearch has for it. */
    @Override
    protected QueryBuilder doRewrite(QueryRewriteContext context) throws IOException {
        if (!(question.like() instanceof Like.Reference reference)) {
            return super.doRewrite(context);
        }
        if (fetched != null) {
            Like.Document document = fetched.get();
            return document == null ? this : new NeardupQueryBuilder(sets, question.with(document), null);
        }
        SetOnce<Like.Document> pending = new SetOnce<>();
        context.registerAsyncAction((client, listener) -> new LikeFetcher(client, question.field(), reference)
                .fetch(listener.delegateFailureAndWrap((next, document) -> {
                    pending.set(document);
                    next.onResponse(null);
                })));
        return new NeardupQueryBuilder(sets, question, pending);
    }

    /** Nothing, where nothing can match: such a shard is left out before its search begins. */
    @Override
    protected QueryBuilder doSearchRewrite(SearchExecutionContext context) throws IOException {
        Query query = new ShardQuery(context, question, sets).query();
        return query instanceof MatchNoDocsQuery none ? new MatchNoneQueryBuilder(none.toString()) : this;
    }

    @Override
    protected Query doToQuery(SearchExecutionContext context) throws IOException {
        return new ShardQuery(context, question, sets).query();
    }

    @Override
    protected boolean doEquals(NeardupQueryBuilder other) {
        return question.equals(other.question) && fetched == other.fetched;
    }

    @Override
    protected int doHashCode() {
        return question.hashCode();
    }

    @Override
    public String getWriteableName() {
        return NAME;
    }

    @Override
    public TransportVersion getMinimalSupportedVersion() {
        return TransportVersion.zero();
    }
}
