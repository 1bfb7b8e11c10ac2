package org.neardup.query;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
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
 * @param recipe what their q-grams are
 * @param lexicon the name of the lexicon that they are signed by; null for the default one
 * @param maxLength characters of the longest text that is signed
 */
record IndexSigning(QGramRecipe recipe, String lexicon, int maxLength) {
    /** What of {@code _meta} of a mapping is ours. */
    private static final String META = "neardup";

    /**
     * How the index of {@code context} is signed, whose documents name their recipe in {@code recipeField}: what its
     * mapping says ({@code _meta.neardup}), else what its documents say. Null where the mapping says nothing and there are
     * no documents: an empty shard, or none, as when the filter of an alias is checked; and, if they {@code mayBeUnsigned},
     * where no document is signed.
     */
    static IndexSigning of(SearchExecutionContext context, String recipeField, boolean mayBeUnsigned)
            throws IOException {
        Map<?, ?> meta = meta(context);
        QGramRecipe recipe = meta.get(Signature.RECIPE) instanceof String stated
                ? parsed(context, stated)
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

    /** The one recipe of the documents of this shard, of which there are few: every term of the field is read. */
    private static QGramRecipe indexed(SearchExecutionContext context, String field, boolean mayBeUnsigned)
            throws IOException {
        IndexReader reader = context.getIndexReader();
        if (reader == null) {
            return null;
        }
        MappedFieldType type = context.getFieldType(field);
        String name = type == null ? field : type.name(); // another one for a field alias
        Map<String, QGramRecipe> found = recipes(context, name, false);
        if (distinct(found) > 1) {
            found = recipes(context, name, true); // terms outlive their documents, until segments are merged and longer
        }
        if (distinct(found) > 1) {
            throw new QueryShardException(
                    context,
                    "[neardup] cannot search this index: its documents are signed by the"
                            + " recipes {}, whose q-grams differ; index them again by one of them",
                    found.keySet());
        }
        if (found.isEmpty() && reader.numDocs() > 0 && !mayBeUnsigned) {
            throw new QueryShardException(
                    context,
                    "[neardup] does not know how this index is signed: neither"
                            + " [_meta.neardup.recipe] of its mapping says it nor a document in [{}]; make the index by neardup"
                            + " setup, or index its documents through the pipeline of neardup",
                    field);
        }
        return found.isEmpty() ? null : found.values().iterator().next();
    }

    private static long distinct(Map<String, QGramRecipe> recipes) {
        return recipes.values().stream().distinct().count();
    }

    /** The recipes that documents of this shard name, by their texts; or only those of {@code living} documents. */
    private static Map<String, QGramRecipe> recipes(SearchExecutionContext context, String field, boolean living)
            throws IOException {
        Map<String, QGramRecipe> found = new TreeMap<>();
        for (LeafReaderContext leaf : context.getIndexReader().leaves()) {
            Terms terms = leaf.reader().terms(field);
            TermsEnum recipes = terms == null ? TermsEnum.EMPTY : terms.iterator();
            while (recipes.next() != null) {
                String text = recipes.term().utf8ToString();
                if (!living || hasLivingDocument(recipes, leaf.reader().getLiveDocs())) {
                    found.put(text, parsed(context, text));
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
