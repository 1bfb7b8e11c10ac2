package org.neardup.plugin;

import org.apache.lucene.analysis.ngram.NGramTokenizer;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.index.analysis.TokenizerFactory;
import org.neardup.signature.Recipe;

/** Cuts a normal form into its q-grams, where the server's own tokenizer {@code ngram} is not there. */
final class QGramTokenizer {
    static final String TYPE = "neardup_qgrams";

    private QGramTokenizer() {}

    /** The tokenizer {@code name} with the settings that {@code ngram} has; both limits must be the same. */
    static TokenizerFactory of(String name, Settings settings) {
        // Elasticsearch makes one of every type for every index, without settings.
        int least = settings.getAsInt("min_gram", Recipe.DEFAULT.q());
        int most = settings.getAsInt("max_gram", Recipe.DEFAULT.q());
        if (least < 1 || least != most) {
            throw new IllegalArgumentException("tokenizer [" + name + "] of type [" + TYPE + "] has [min_gram] " + least
                    + " and [max_gram] " + most + ": both must be q, at least 1");
        }
        return TokenizerFactory.newFactory(name, () -> new NGramTokenizer(least, most));
    }
}
