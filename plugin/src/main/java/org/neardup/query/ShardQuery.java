package org.neardup.query;

import java.io.IOException;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.elasticsearch.index.IndexSettings;
import org.elasticsearch.index.mapper.IdFieldMapper;
import org.elasticsearch.index.mapper.KeywordFieldMapper;
import org.elasticsearch.index.mapper.MappedFieldType;
import org.elasticsearch.index.mapper.NumberFieldMapper;
import org.elasticsearch.index.mapper.RoutingFieldMapper;
import org.elasticsearch.index.query.QueryShardException;
import org.elasticsearch.index.query.SearchExecutionContext;
import org.neardup.signature.QGramRecipe;
import org.neardup.signature.Signature;
import org.neardup.signature.UnpairedSurrogateException;

/** A question as the query of one shard; whatever does not fit its index is an error that says what does. */
final class ShardQuery {
    private static final Set<String> WHOLE_NUMBERS = Set.of("short", "integer", "long");

    private final SearchExecutionContext context;
    private final Question question;
    private final QGramSets sets;

    ShardQuery(SearchExecutionContext context, Question question, QGramSets sets) {
        this.context = context;
        this.question = question;
        this.sets = sets;
    }

    /** The query; a {@link MatchNoDocsQuery} where nothing can match. */
    Query query() throws IOException {
        String qgrams = question.part(Signature.QGRAMS);
        if (question.ignoreUnmapped() && context.getFieldType(qgrams) == null) {
            return new MatchNoDocsQuery("[" + qgrams + "] is not mapped");
        }
        MappedFieldType terms = terms(Signature.QGRAMS);
        MappedFieldType counts = mapped(Signature.QGRAM_COUNT, "an integer with doc values", ShardQuery::counts);
        Signed signed = Signed.of(context, question.part(Signature.RECIPE), question.ignoreUnmapped());
        if (signed == null) {
            return new MatchNoDocsQuery("there is no signed document");
        }
        QGramSets.Sought sought = sought(signed);
        if (sought.blank()) {
            return new MatchNoDocsQuery("nothing is a copy of a text without letters and numbers");
        }
        if (sought.plan() == null) {
            return others(equalTo(sought.fingerprint()));
        }
        NearDuplicateQuery query = new NearDuplicateQuery(terms.name(), counts.name(), sought.plan(), sets.room());
        IndexReader reader = context.getIndexReader();
        if (reader != null && !query.canMatch(reader)) {
            return new MatchNoDocsQuery(NearDuplicateQuery.OUT_OF_REACH);
        }
        return others(query);
    }

    /** {@code query} without the document that is asked about. */
    private Query others(Query query) {
        String index = context.getFullyQualifiedIndex().getName();
        if (!(question.like() instanceof Like.Document document)
                || !document.place().index().equals(index)) {
            return query;
        }
        return new BooleanQuery.Builder()
                .add(query, BooleanClause.Occur.MUST)
                .add(at(document.place()), BooleanClause.Occur.MUST_NOT)
                .build();
    }

    /** The one document of a place: another shard may hold another of the same id, under another routing. */
    private Query at(Like.Reference place) {
        BooleanQuery.Builder itself = new BooleanQuery.Builder()
                .add(
                        context.getFieldType(IdFieldMapper.NAME).termQuery(place.id(), context),
                        BooleanClause.Occur.FILTER);
        if (place.routing() == null) {
            Query routed = new PrefixQuery(new Term(RoutingFieldMapper.NAME));
            itself.add(routed, BooleanClause.Occur.MUST_NOT);
        } else {
            Query routed = context.getFieldType(RoutingFieldMapper.NAME).termQuery(place.routing(), context);
            itself.add(routed, BooleanClause.Occur.FILTER);
        }
        return itself.build();
    }

    /** Documents of the same normal form, one that is too short for a q-gram: their doc_q is 1. */
    private Query equalTo(String fingerprint) {
        return new ConstantScoreQuery(terms(Signature.FINGERPRINT).termQuery(fingerprint, context));
    }

    private QGramSets.Sought sought(Signed signed) {
        switch (question.like()) {
            case Like.Text(String text) -> checkLength(text, signed.maxLength());
            case Like.Document document -> checkRecipe(document, signed.recipe());
            case Like.Reference reference ->
                throw failure(
                        "has not fetched document {} here: such a query can only"
                                + " stand in a search, not in a filter that is stored",
                        reference);
        }
        int most = context.getIndexSettings().getMaxTermsCount();
        QGramSets.Sought sought;
        try {
            sought = sets.sought(question.like(), signed, question.threshold(), most);
        } catch (UnpairedSurrogateException cause) {
            throw failure("has a [like.text] that cannot be signed: {}", cause.getMessage());
        }
        if (sought.count() > most) {
            throw failure(
                    "has a [like] of {} distinct q-grams, and [{}] of this index allows {}: ask by the command neardup"
                            + " query, or raise the setting",
                    sought.count(),
                    IndexSettings.MAX_TERMS_COUNT_SETTING.getKey(),
                    most);
        }
        return sought;
    }

    private void checkLength(String text, int most) {
        int length = text.codePointCount(0, text.length());
        if (length > most) {
            throw failure(
                    "has a [like.text] of {} characters: the texts of this index are signed up to {}", length, most);
        }
    }

    private void checkRecipe(Like.Document document, QGramRecipe wanted) {
        QGramRecipe recipe;
        try {
            recipe = QGramRecipe.of(document.recipe());
        } catch (IllegalArgumentException cause) {
            throw failure("cannot read document {}: {}", document.place(), cause.getMessage());
        }
        if (!recipe.equals(wanted)) {
            throw failure(
                    "cannot compare document {} with this index: its q-grams are [{}], those of the index [{}];"
                            + " ask by [like.text]",
                    document.place(),
                    recipe,
                    wanted);
        }
    }

    /** The field of a part that is looked up by term; one with doc values alone has none. */
    private MappedFieldType terms(String part) {
        return mapped(
                part,
                "an indexed keyword without normalizer",
                type -> type instanceof KeywordFieldMapper.KeywordFieldType keyword
                        && keyword.isIndexed()
                        && !keyword.hasNormalizer());
    }

    /** Whether the doc values of a field are whole numbers; those of a float only look like it. */
    private static boolean counts(MappedFieldType type) {
        return type instanceof NumberFieldMapper.NumberFieldType
                && WHOLE_NUMBERS.contains(type.typeName())
                && type.hasDocValues();
    }

    private MappedFieldType mapped(String part, String wanted, Predicate<MappedFieldType> fits) {
        String name = question.part(part);
        MappedFieldType type = context.getFieldType(name);
        if (type != null && fits.test(type)) {
            return type;
        }
        String is = type == null ? "not mapped" : "another " + type.typeName();
        throw failure(
                "needs the field [{}] to be {}, but it is {}: make the index by neardup setup, or say in [field] which"
                        + " object holds the signatures",
                name,
                wanted,
                is);
    }

    private QueryShardException failure(String message, Object... details) {
        return new QueryShardException(context, "[neardup] " + message, details);
    }
}
