package org.neardup.query;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.util.Bits;
import org.elasticsearch.index.mapper.MappedFieldType;
import org.elasticsearch.index.query.QueryShardException;
import org.elasticsearch.index.query.SearchExecutionContext;
import org.neardup.signature.QGramRecipe;
import org.neardup.signature.Signature;
import org.neardup.signature.Signer;

/**
 * How the documents of one index are signed.
 *
 * @param recipe the recipe of their q-grams
 * @param lexicon the name of the lexicon that they are signed by; null for the default one
 * @param maxLength characters of the longest text that is signed
 */
record IndexSigning(QGramRecipe recipe, String lexicon, int maxLength) {
    /** Our key in {@code _meta} of a mapping. */
    private static final String META = "neardup";

    /**
     * How the index of {@code context} is signed: by its mapping ({@code _meta.neardup}), or else by its documents,
     * which name their recipe in {@code recipeField}. Null if the mapping says nothing and there are no documents (an
     * empty shard, or no shard, as when the filter of an alias is checked); if documents {@code mayBeUnsigned}, also if
     * none is signed.
     */
    static IndexSigning of(SearchExecutionContext context, String recipeField, boolean mayBeUnsigned)
            throws IOException {
        Map<?, ?> meta = meta(context);
        QGramRecipe recipe = meta.get(Signature.RECIPE) instanceof String stated
                ? stated(context, stated, nameOf(context, recipeField))
                : indexed(context, recipeField, mayBeUnsigned);
        if (recipe == null) {
            return null;
        }
        String lexicon = meta.get("lexicon") instanceof String named ? named : null;
        int maxLength = meta.get("max_length") instanceof Integer stated ? stated : Signer.DEFAULT_MAX_LENGTH;
        return new IndexSigning(recipe, lexicon, maxLength);
    }

    private static Map<?, ?> meta(SearchExecutionContext context) {
        Map<String, Object> meta = ShardMapping.meta(context);
        return meta != null && meta.get(META) instanceof Map<?, ?> ours ? ours : Map.of();
    }

    /**
     * The recipe in the mapping; an error if all documents of this shard name another, because nothing would ever be
     * found.
     */
    private static QGramRecipe stated(SearchExecutionContext context, String text, String name) throws IOException {
        QGramRecipe recipe = parsed(context, text);
        IndexReader reader = context.getIndexReader();
        Set<String> found = reader == null ? Set.of() : recipes(reader, name, false, recipe::isOf);
        if (!found.isEmpty() && found.stream().noneMatch(recipe::isOf)) {
            found = recipes(reader, name, true, recipe::isOf);
            if (!found.isEmpty()) {
                throw new QueryShardException(
                        context,
                        "[neardup] cannot search this index: [_meta.neardup.recipe] of its mapping is [{}], but its"
                                + " documents are signed by [{}]; correct the mapping, or index the documents again",
                        Shown.of(text),
                        Shown.of(found.iterator().next()));
            }
        }
        return recipe;
    }

    private static String nameOf(SearchExecutionContext context, String field) {
        MappedFieldType type = context.getFieldType(field);
        return type == null ? field : type.name(); // another one for a field alias
    }

    /** The one recipe of the documents of this shard. Reads every term of the field, of which there are few. */
    private static QGramRecipe indexed(SearchExecutionContext context, String field, boolean mayBeUnsigned)
            throws IOException {
        IndexReader reader = context.getIndexReader();
        if (reader == null) {
            return null;
        }
        String name = nameOf(context, field);
        Set<String> found = recipes(reader, name, false, any -> false);
        if (!agree(found)) {
            // Terms outlive their documents at least until segments are merged.
            found = recipes(reader, name, true, any -> false);
        }
        Set<QGramRecipe> distinct = parsed(context, found);
        if (distinct.size() > 1) {
            throw new QueryShardException(
                    context,
                    "[neardup] cannot search this index: its documents are signed by the"
                            + " recipes {}, whose q-grams differ; index the documents again by one of them",
                    found);
        }
        if (found.isEmpty() && reader.numDocs() > 0 && !mayBeUnsigned) {
            throw new QueryShardException(
                    context,
                    "[neardup] does not know the recipe of this index: neither [_meta.neardup.recipe] of its mapping"
                            + " nor [{}] of a document names it; create the index with neardup setup, or index its"
                            + " documents through the neardup pipeline",
                    field);
        }
        return found.isEmpty() ? null : distinct.iterator().next();
    }

    /** Whether all strings are recipes, with the same q-grams. */
    private static boolean agree(Set<String> recipes) {
        try {
            return recipes.stream().map(QGramRecipe::of).distinct().count() <= 1;
        } catch (IllegalArgumentException none) {
            return false;
        }
    }

    private static Set<QGramRecipe> parsed(SearchExecutionContext context, Set<String> recipes) {
        return recipes.stream().map(each -> parsed(context, each)).collect(Collectors.toSet());
    }

    /**
     * The recipes that documents of a shard name, or only {@code living} documents. Stops at the first recipe that is
     * {@code enough}: a search may have a thousand clauses, and a shard a hundred segments.
     */
    static Set<String> recipes(IndexReader reader, String field, boolean living, Predicate<String> enough)
            throws IOException {
        Set<String> found = new TreeSet<>();
        for (LeafReaderContext leaf : reader.leaves()) {
            Terms terms = leaf.reader().terms(field);
            TermsEnum recipes = terms == null ? TermsEnum.EMPTY : terms.iterator();
            while (recipes.next() != null) {
                if (!living || hasLivingDocument(recipes, leaf.reader().getLiveDocs())) {
                    String recipe = recipes.term().utf8ToString();
                    found.add(recipe);
                    if (enough.test(recipe)) {
                        return found;
                    }
                }
            }
        }
        return found;
    }

    private static boolean hasLivingDocument(TermsEnum term, Bits living) throws IOException {
        PostingsEnum postings = term.postings(null, PostingsEnum.NONE);
        int doc = postings.nextDoc();
        while (doc != DocIdSetIterator.NO_MORE_DOCS && living != null && !living.get(doc)) {
            doc = postings.nextDoc();
        }
        return doc != DocIdSetIterator.NO_MORE_DOCS;
    }

    private static QGramRecipe parsed(SearchExecutionContext context, String recipe) {
        try {
            return QGramRecipe.of(recipe);
        } catch (IllegalArgumentException cause) {
            throw new QueryShardException(context, "[neardup] cannot search this index: {}", cause, cause.getMessage());
        }
    }
}
