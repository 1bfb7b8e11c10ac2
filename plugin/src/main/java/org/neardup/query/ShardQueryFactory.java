package org.neardup.query;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.FieldExistsQuery;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.join.ToChildBlockJoinQuery;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.UnicodeUtil;
import org.elasticsearch.index.IndexSettings;
import org.elasticsearch.index.mapper.BinaryFieldMapper;
import org.elasticsearch.index.mapper.IdFieldMapper;
import org.elasticsearch.index.mapper.KeywordFieldMapper;
import org.elasticsearch.index.mapper.MappedFieldType;
import org.elasticsearch.index.mapper.NumberFieldMapper;
import org.elasticsearch.index.mapper.RoutingFieldMapper;
import org.elasticsearch.index.mapper.SeqNoFieldMapper;
import org.elasticsearch.index.mapper.TextFieldMapper;
import org.elasticsearch.index.query.QueryShardException;
import org.elasticsearch.index.query.SearchExecutionContext;
import org.neardup.signature.QGramRecipe;
import org.neardup.signature.Signature;
import org.neardup.signature.Signer;
import org.neardup.signature.UnpairedSurrogateException;

/**
 * Makes the Lucene query of one shard; parameters that do not fit its index are an error, which says what would fit.
 */
final class ShardQueryFactory {
    /** The analyzer that cuts a normal form into its q-grams, as {@code neardup setup} names it. */
    private static final String QGRAM_ANALYZER = "neardup_qgrams";

    private static final Set<String> WHOLE_NUMBERS = Set.of("short", "integer", "long");

    private final SearchExecutionContext context;
    private final QueryParams params;
    private final PlanCache plans;

    ShardQueryFactory(SearchExecutionContext context, QueryParams params, PlanCache plans) {
        this.context = context;
        this.params = params;
        this.plans = plans;
    }

    /** The query; a {@link MatchNoDocsQuery} where nothing can match. */
    Query create() throws IOException {
        String qgrams = params.fieldOf(Signature.QGRAMS);
        if (params.ignoreUnmapped() && context.getFieldType(qgrams) == null) {
            return new MatchNoDocsQuery("[" + qgrams + "] is not mapped");
        }
        boolean scan = isScanned();
        String field = scan ? nameOf(Signature.QGRAMS) : qgramTerms().name();
        MappedFieldType counts = mapped(Signature.QGRAM_COUNT, "an integer with doc values", ShardQueryFactory::counts);
        IndexSigning signing = IndexSigning.of(context, params.fieldOf(Signature.RECIPE), params.ignoreUnmapped());
        if (signing == null) {
            return new MatchNoDocsQuery("there is no signed document");
        }
        if (!scan) {
            refuseUncut(field, signing.recipe().q());
        }
        QueryGrams grams = grams(signing, scan);
        if (grams.blank()) {
            return new MatchNoDocsQuery("a text without letters and numbers has no copies");
        }
        if (grams.plan() == null) {
            return withoutSource(equalTo(grams.fingerprints()));
        }
        SegmentSearch search = grams.plan() instanceof ScanPlan plan
                ? new ScanSearch(field, nameOf(Signature.QGRAM_BITMAP), counts.name(), plan)
                : new TermSearch(field, (SeekPlan) grams.plan());
        NearDuplicateQuery query = new NearDuplicateQuery(search, counts.name(), plans.memory());
        IndexReader reader = context.getIndexReader();
        if (reader != null && !query.canMatch(reader)) {
            return new MatchNoDocsQuery(NearDuplicateQuery.OUT_OF_REACH);
        }
        return withoutSource(query);
    }

    /** {@code query} without the document whose copies are to be found. */
    private Query withoutSource(Query query) {
        String index = context.getFullyQualifiedIndex().getName();
        if (!(params.like() instanceof LikeSource.Document document)
                || !document.reference().index().equals(index)) {
            return query;
        }
        return new BooleanQuery.Builder()
                .add(query, BooleanClause.Occur.MUST)
                .add(referenced(document.reference()), BooleanClause.Occur.MUST_NOT)
                .build();
    }

    /**
     * The one document of a reference, or its nested objects where those are searched: another shard may hold another
     * document of the same id, under another routing.
     */
    private Query referenced(LikeSource.Reference reference) {
        BooleanQuery.Builder itself = new BooleanQuery.Builder()
                .add(
                        context.getFieldType(IdFieldMapper.NAME).termQuery(reference.id(), context),
                        BooleanClause.Occur.FILTER);
        if (reference.routing() == null) {
            Query routed = new PrefixQuery(new Term(RoutingFieldMapper.NAME));
            itself.add(routed, BooleanClause.Occur.MUST_NOT);
        } else {
            Query routed = context.getFieldType(RoutingFieldMapper.NAME).termQuery(reference.routing(), context);
            itself.add(routed, BooleanClause.Occur.FILTER);
        }
        if (context.nestedScope().getObjectMapper() == null) {
            return itself.build();
        }
        // Nested objects have the id of their document, and no routing.
        Query whole = new FieldExistsQuery(SeqNoFieldMapper.PRIMARY_TERM_NAME);
        itself.add(whole, BooleanClause.Occur.FILTER);
        return new ToChildBlockJoinQuery(itself.build(), context.bitsetFilter(whole));
    }

    /** Documents with the same normal form, if it is too short for a q-gram: their doc_q is 1. */
    private Query equalTo(List<String> fingerprints) {
        return new ConstantScoreQuery(terms(Signature.FINGERPRINT).termsQuery(fingerprints, context));
    }

    private QueryGrams grams(IndexSigning signing, boolean scan) {
        if (params.like() instanceof LikeSource.Reference reference) {
            throw failure(
                    "could not fetch document {} here: a query by [_id] works neither in a stored filter nor in the"
                            + " [highlight_query] of [top_hits]; give its text as [text] there",
                    reference);
        }
        if (params.like() instanceof LikeSource.Document document) {
            checkRecipe(document, signing.recipe());
        }
        if (params.like() instanceof LikeSource.Text like) {
            checkLength(like.text(), scan ? Signer.LARGEST_MAX_LENGTH : signing.maxLength());
        }
        int most = scan ? Integer.MAX_VALUE : context.getIndexSettings().getMaxTermsCount();
        QueryGrams grams;
        try {
            grams = plans.get(params.like(), signing, params.threshold(), most, scan);
        } catch (UnpairedSurrogateException cause) {
            throw failure("has a [like.text] that cannot be signed: {}", cause.getMessage());
        }
        if (grams.count() > most) {
            throw failure(
                    "has a [like] of {} distinct q-grams, but [{}] of this index allows {}: use the command neardup"
                            + " query, or raise the setting",
                    grams.count(),
                    IndexSettings.MAX_TERMS_COUNT_SETTING.getKey(),
                    most);
        }
        return grams;
    }

    private void checkLength(String text, int most) {
        int length = text.codePointCount(0, text.length());
        if (length > most) {
            throw failure("has a [like.text] of {} characters: this index takes texts of up to {}", length, most);
        }
    }

    private void checkRecipe(LikeSource.Document document, QGramRecipe wanted) {
        QGramRecipe recipe;
        try {
            recipe = QGramRecipe.of(document.recipe());
        } catch (IllegalArgumentException cause) {
            throw failure("cannot read document {}: {}", document.reference(), cause.getMessage());
        }
        if (!recipe.equals(wanted)) {
            throw failure(
                    "cannot compare document {} with this index: its q-grams are [{}], those of the index [{}];"
                            + " search by [like.text]",
                    document.reference(),
                    recipe,
                    wanted);
        }
    }

    /** The field of the signature's {@code key}, which must have terms; a field with doc values alone has none. */
    private MappedFieldType terms(String key) {
        return mapped(
                key,
                "an indexed keyword without normalizer",
                type -> type instanceof KeywordFieldMapper.KeywordFieldType keyword
                        && IndexedFields.hasTerms(keyword)
                        && !ShardMapping.hasNormalizer(keyword));
    }

    /**
     * Whether q-grams are not terms here, but normal forms are stored; then there must be bitmaps that say which to
     * read.
     */
    private boolean isScanned() {
        MappedFieldType forms = context.getFieldType(params.fieldOf(Signature.QGRAMS));
        boolean isStored =
                forms instanceof TextFieldMapper.TextFieldType && forms.isStored() && !IndexedFields.hasTerms(forms);
        if (isStored) {
            mapped(
                    Signature.QGRAM_BITMAP,
                    "binary with doc values",
                    bitmaps -> bitmaps instanceof BinaryFieldMapper.BinaryFieldType && bitmaps.hasDocValues());
        }
        return isStored;
    }

    /**
     * Refuses an index that has no q-gram among its terms, as where normal forms are keywords: nothing would be found.
     * Such a term is the text of a document, which the user who searches may have no right to read, so no message shows
     * it.
     */
    private void refuseUncut(String field, int q) throws IOException {
        IndexReader reader = context.getIndexReader();
        int other = -1;
        for (LeafReaderContext leaf : reader == null ? List.<LeafReaderContext>of() : reader.leaves()) {
            Terms terms = leaf.reader().terms(field);
            TermsEnum each = terms == null ? TermsEnum.EMPTY : terms.iterator();
            for (BytesRef term = terms == null ? null : terms.getMin(); term != null; term = each.next()) {
                int length = UnicodeUtil.codePointCount(term);
                if (length == q) {
                    return;
                }
                other = Math.max(other, length);
            }
        }
        if (other >= 0) {
            throw failure(
                    "cannot search this index: no value of [{}] is a q-gram of {} characters, but one has {};"
                            + " remove [compact] from the pipeline, or create the index with neardup setup",
                    field,
                    q,
                    other);
        }
    }

    /**
     * The name, in a segment, of the mapped field of the signature's {@code key}: that of its target if it is an alias.
     */
    private String nameOf(String key) {
        return context.getFieldType(params.fieldOf(key)).name();
    }

    /** The field of the q-grams: a keyword, or a text that our analyzer has cut into them. */
    private MappedFieldType qgramTerms() {
        MappedFieldType type = context.getFieldType(params.fieldOf(Signature.QGRAMS));
        boolean isCut = type instanceof TextFieldMapper.TextFieldType
                && IndexedFields.hasTerms(type)
                && QGRAM_ANALYZER.equals(ShardMapping.analyzer(type));
        return isCut ? type : terms(Signature.QGRAMS);
    }

    /** Whether the doc values of a field are whole numbers; those of a float only look like it. */
    private static boolean counts(MappedFieldType type) {
        return type instanceof NumberFieldMapper.NumberFieldType
                && WHOLE_NUMBERS.contains(type.typeName())
                && type.hasDocValues();
    }

    private MappedFieldType mapped(String key, String wanted, Predicate<MappedFieldType> fits) {
        String name = params.fieldOf(key);
        MappedFieldType type = context.getFieldType(name);
        if (type != null && fits.test(type)) {
            return type;
        }
        String is = type == null ? "not mapped" : "mapped differently, as [" + type.typeName() + "]";
        // Its type does not tell a runtime field from the mapped one that it hides.
        String unhide = type == null ? "" : ", remove any runtime field of this name";
        throw failure(
                "needs the field [{}] to be {}, but it is {}: create the index with neardup setup"
                        + " (without --no-lossless){}, or name in [field] the object that holds the signatures;"
                        + " in a window without q-grams only the command neardup query finds copies",
                name,
                wanted,
                is,
                unhide);
    }

    private QueryShardException failure(String message, Object... details) {
        return new QueryShardException(context, "[neardup] " + message, details);
    }
}
