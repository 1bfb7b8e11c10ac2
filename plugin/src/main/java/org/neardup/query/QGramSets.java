package org.neardup.query;

import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.elasticsearch.common.cache.Cache;
import org.elasticsearch.common.cache.CacheBuilder;
import org.neardup.signature.Lexicon;
import org.neardup.signature.QGramRecipe;
import org.neardup.signature.QGramSet;

/** What is sought, by what is asked: made once for all shards of a node, and kept for a while. */
final class QGramSets {
    private static final long KEPT_BYTES = 16L << 20;

    private final Function<String, Lexicon> lexicons;
    private final Cache<Key, Sought> kept = CacheBuilder.<Key, Sought>builder()
            .setMaximumWeight(KEPT_BYTES)
            .weigher((key, sought) -> key.weight() + sought.weight())
            .build();

    /** @param lexicons the lexicon of a name, or another one if it is not there: it orders, and decides nothing */
    QGramSets(Function<String, Lexicon> lexicons) {
        this.lexicons = lexicons;
    }

    /** All that shapes a set and its plan. */
    private record Key(Like like, QGramRecipe recipe, String lexicon, Threshold threshold) {
        long weight() {
            return like instanceof Like.Text(String text) ? 2L * text.length() : 0;
        }
    }

    /**
     * The set of q-grams, and how it is sought.
     *
     * @param plan null if there is no q-gram
     */
    record Sought(QGramSet set, SeekPlan plan) {
        private long weight() {
            return 256 + 64L * set.qgrams().size() + (plan == null ? 0 : plan.weight());
        }
    }

    /** What is sought of a text or a fetched document, in an index whose documents are signed so. */
    Sought sought(Like like, Signed signed, Threshold threshold) {
        try {
            return kept.computeIfAbsent(new Key(like, signed.recipe(), signed.lexicon(), threshold), this::make);
        } catch (ExecutionException cause) {
            throw cause.getCause() instanceof RuntimeException inner ? inner : new IllegalStateException(cause);
        }
    }

    private Sought make(Key key) {
        QGramSet set = switch (key.like()) {
            case Like.Text(String text) -> QGramSet.of(text, key.recipe());
            case Like.Document document -> QGramSet.signed(document.fingerprint(), document.qgrams());
            case Like.Reference reference -> throw new IllegalStateException(reference + " has not been fetched");
        };
        boolean empty = set.qgrams().isEmpty();
        return new Sought(set, empty ? null : new SeekPlan(set.rarestFirst(lexicons.apply(key.lexicon())), key.threshold()));
    }
}
