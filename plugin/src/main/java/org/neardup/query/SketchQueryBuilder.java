package org.neardup.query;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.Query;
import org.elasticsearch.common.ParsingException;
import org.elasticsearch.common.io.stream.StreamInput;
import org.elasticsearch.common.io.stream.StreamOutput;
import org.elasticsearch.index.mapper.BinaryFieldMapper;
import org.elasticsearch.index.mapper.MappedFieldType;
import org.elasticsearch.index.mapper.TextFieldMapper;
import org.elasticsearch.index.query.QueryBuilders;
import org.elasticsearch.index.query.QueryShardException;
import org.elasticsearch.index.query.SearchExecutionContext;
import org.elasticsearch.plugins.SearchPlugin.QuerySpec;
import org.elasticsearch.xcontent.XContentBuilder;
import org.elasticsearch.xcontent.XContentLocation;
import org.elasticsearch.xcontent.XContentParser;
import org.neardup.signature.Signature;
import org.neardup.signature.SketchKeys;

/**
 * The query {@code neardup_sketch}: the documents whose sketches share enough keys with one of several given sketches;
 * where an index has sketches as terms, a few more documents.
 *
 * <p>Scorers that hold no window in memory ask it (docs/scorers.md).
 */
public final class SketchQueryBuilder extends ServerQueryBuilder<SketchQueryBuilder> {
    static final String NAME = "neardup_sketch";

    /** The most keys in all sketches of one query: more than the largest batch of a scorer has, 3 * 2^16. */
    static final int MOST_KEYS = 1 << 18;

    private static final String FIELD = "field";
    private static final String SKETCHES = "sketches";
    private static final String AT_LEAST = "at_least";

    private final String field;
    private final int[][] keys;
    private final int[] atLeast;
    private final MemoryCheck memory;

    /** Made only where shards are searched: the server turns a breaker's refusal while a request is read into a 400. */
    private Sketches sketches;

    /**
     * The query as a plugin offers it.
     *
     * @param memory of the node
     */
    public static QuerySpec<?> spec(MemoryCheck memory) {
        return new QuerySpec<>(NAME, in -> new SketchQueryBuilder(in, memory), parser -> parse(parser, memory));
    }

    private SketchQueryBuilder(String field, int[][] keys, int[] atLeast, MemoryCheck memory) {
        this.field = field;
        this.keys = keys;
        this.atLeast = atLeast;
        this.memory = memory;
    }

    /** The query that another node has sent. */
    SketchQueryBuilder(StreamInput in, MemoryCheck memory) throws IOException {
        super(in);
        this.memory = memory;
        field = in.readString();
        keys = new int[in.readVInt()][];
        atLeast = new int[keys.length];
        for (int text = 0; text < keys.length; text++) {
            keys[text] = in.readIntArray();
            atLeast[text] = in.readVInt();
        }
    }

    @Override
    protected void doWriteTo(StreamOutput out) throws IOException {
        out.writeString(field);
        out.writeVInt(keys.length);
        for (int text = 0; text < keys.length; text++) {
            out.writeIntArray(keys[text]);
            out.writeVInt(atLeast[text]);
        }
    }

    /** The query of a request; every mistake in it is named. */
    static SketchQueryBuilder parse(XContentParser parser, MemoryCheck memory) throws IOException {
        XContentLocation start = parser.getTokenLocation();
        String field = Signature.DEFAULT_FIELD;
        List<int[]> keys = null;
        List<Integer> atLeast = null;
        float boost = DEFAULT_BOOST;
        String name = null;
        while (parser.nextToken() != XContentParser.Token.END_OBJECT) {
            String key = parser.currentName();
            XContentParser.Token token = parser.nextToken();
            boolean isList = SKETCHES.equals(key) || AT_LEAST.equals(key);
            if (isList != (token == XContentParser.Token.START_ARRAY)
                    || !isList && !NeardupQueryBuilder.hasText(token)) {
                throw failure(parser, "needs [" + Shown.of(key) + "] to be " + (isList ? "a list" : "one value"));
            }
            switch (key) {
                case FIELD -> field = parser.text();
                case SKETCHES -> keys = sketches(parser);
                case AT_LEAST -> atLeast = numbers(parser);
                case "boost" -> boost = NeardupQueryBuilder.boost(parser, NAME);
                case "_name" -> name = parser.text();
                default ->
                    throw failure(
                            parser,
                            "has no option [" + Shown.of(key)
                                    + "]: its options are [field], [sketches], [at_least], [boost] and [_name]");
            }
        }
        if (keys == null || atLeast == null || keys.size() != atLeast.size()) {
            throw new ParsingException(
                    start, "[" + NAME + "] needs packed sketches in [sketches], and in [at_least] a number for each");
        }
        int[] numbers = atLeast.stream().mapToInt(Integer::intValue).toArray();
        return new SketchQueryBuilder(field, keys.toArray(int[][]::new), numbers, memory)
                .boost(boost)
                .queryName(name);
    }

    private static List<int[]> sketches(XContentParser parser) throws IOException {
        List<int[]> sketches = new ArrayList<>();
        long keys = 0;
        while (parser.nextToken() != XContentParser.Token.END_ARRAY) {
            if (parser.currentToken() != XContentParser.Token.VALUE_STRING) {
                throw failure(parser, "has a value in [sketches] that is not a string");
            }
            String packed = parser.text();
            keys += packed.length() * 3L / (4 * Integer.BYTES);
            if (keys > MOST_KEYS) {
                throw failure(
                        parser, "takes [sketches] of " + MOST_KEYS + " keys at most: search for fewer texts at once");
            }
            sketches.add(unpacked(parser, packed));
        }
        return sketches;
    }

    private static int[] unpacked(XContentParser parser, String packed) {
        int[] keys;
        try {
            keys = SketchKeys.unpacked(packed);
        } catch (IllegalArgumentException cause) {
            keys = new int[0];
        }
        if (keys.length == 0) {
            throw failure(
                    parser,
                    "has \"" + Shown.of(packed) + "\" in [sketches]: each must be one or more keys, packed as in ["
                            + Signature.PACKED_SKETCH + "]");
        }
        return keys;
    }

    private static List<Integer> numbers(XContentParser parser) throws IOException {
        List<Integer> numbers = new ArrayList<>();
        while (parser.nextToken() != XContentParser.Token.END_ARRAY) {
            boolean isNumber = parser.currentToken() == XContentParser.Token.VALUE_NUMBER;
            boolean isWhole = isNumber && parser.numberType() == XContentParser.NumberType.INT;
            if (!isWhole || parser.intValue() < 1 || numbers.size() == MOST_KEYS) {
                throw failure(
                        parser,
                        "has " + (isNumber ? Shown.of(parser.text()) : "a value that is not a number")
                                + " in [at_least]: it must have a whole number from 1 to " + Integer.MAX_VALUE
                                + " for each sketch");
            }
            numbers.add(parser.intValue());
        }
        return numbers;
    }

    private static ParsingException failure(XContentParser parser, String what) {
        return new ParsingException(parser.getTokenLocation(), "[" + NAME + "] " + what);
    }

    @Override
    protected void doXContent(XContentBuilder builder, Params ignored) throws IOException {
        builder.startObject(NAME);
        builder.field(FIELD, field);
        builder.startArray(SKETCHES);
        for (int[] own : keys) {
            builder.value(SketchKeys.packed(own));
        }
        builder.endArray();
        builder.array(AT_LEAST, atLeast);
        boostAndQueryNameToXContent(builder);
        builder.endObject();
    }

    @Override
    protected Query doToQuery(SearchExecutionContext context) throws IOException {
        if (keys.length == 0) {
            return new MatchNoDocsQuery("no sketch is given");
        }
        MappedFieldType packed = context.getFieldType(field + "." + Signature.PACKED_SKETCH);
        if (packed instanceof BinaryFieldMapper.BinaryFieldType && packed.hasDocValues()) {
            return withOthers(new SketchQuery(packed.name(), sketches()), packed, context);
        }
        MappedFieldType terms = context.getFieldType(field + "." + Signature.SKETCH);
        if (terms instanceof TextFieldMapper.TextFieldType && IndexedFields.hasTerms(terms)) {
            return withOthers(sketches().byTerms(terms, context, memory), terms, context);
        }
        throw new QueryShardException(
                context,
                "[{}] finds neither doc values of [{}.{}] nor terms of [{}.{}] in this index: create the index with"
                        + " neardup setup, or name in [field] the object that holds the signatures",
                NAME,
                Shown.of(field),
                Signature.PACKED_SKETCH,
                Shown.of(field),
                Signature.SKETCH);
    }

    private synchronized Sketches sketches() {
        if (sketches == null) {
            sketches = Sketches.of(keys, atLeast, memory);
        }
        return sketches;
    }

    /**
     * The matches of {@code query}, and the documents with q-grams whose sketch is not in the field that it searches:
     * they came later, signed like other hours of the window, and the caller must look at them.
     */
    private Query withOthers(Query query, MappedFieldType searched, SearchExecutionContext context) throws IOException {
        Query counted = QueryBuilders.rangeQuery(field + "." + Signature.QGRAM_COUNT)
                .gte(1)
                .toQuery(context);
        Query others = new BooleanQuery.Builder()
                .add(counted, BooleanClause.Occur.FILTER)
                .add(searched.existsQuery(context), BooleanClause.Occur.MUST_NOT)
                .build();
        return new BooleanQuery.Builder()
                .add(query, BooleanClause.Occur.SHOULD)
                .add(new ConstantScoreQuery(others), BooleanClause.Occur.SHOULD)
                .build();
    }

    @Override
    protected boolean doEquals(SketchQueryBuilder other) {
        return field.equals(other.field)
                && Arrays.equals(atLeast, other.atLeast)
                && Arrays.deepEquals(keys, other.keys);
    }

    @Override
    protected int doHashCode() {
        return 31 * field.hashCode() + Arrays.deepHashCode(keys);
    }

    @Override
    public String getWriteableName() {
        return NAME;
    }
}
