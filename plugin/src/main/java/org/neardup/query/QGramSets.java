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

    private final Room room;

    /**
     * None yet.
     *
     * @param lexicons the lexicon of a name, or another one if it is not there: it orders, and decides nothing
     * @param room the memory they are made in
     */
    QGramSets(Function<String, Lexicon> lexicons, Room room) {
        this.lexicons = lexicons;
        this.room = room;
    }

    /** The memory of this node. */
    Room room() {
        return room;
    }

    /** All that shapes what is sought; {@code most}: of larger sets only the size is wanted. */
    private record Key(Like like, QGramRecipe recipe, String lexicon, Threshold threshold, int most) {
        long weight() {
            return switch (like) {
                case Like.Text(String text) -> 2L * text.length();
                case Like.Document document ->
                    SeekPlan.TERM_BYTES * document.qgrams().size();
                case Like.Reference reference -> 0;
            };
        }

        /** Bytes of what is sought, at most: a text has no more q-grams than characters. */
        long largest() {
            return like instanceof Like.Text(String text) ? SeekPlan.TERM_BYTES * text.length() : weight();
        }
    }

    /**
     * What is sought.
     *
     * @param fingerprint that of the normal form
     * @param blank whether the normal form is empty
     * @param count how many distinct q-grams
     * @param plan how they are sought; null if there is none, or more than may be sought
     */
    record Sought(String fingerprint, boolean blank, int count, SeekPlan plan) {
        private long weight() {
            return 256 + (plan == null ? 0 : plan.weight());
        }
    }

    /**
     * What is sought of a text or a fetched document, in an index whose documents are signed so.
     *
     * @param most how many q-grams may be sought
     */
    Sought sought(Like like, Signed signed, Threshold threshold, int most) {
        try {
            return kept.computeIfAbsent(new Key(like, signed.recipe(), signed.lexicon(), threshold, most), this::make);
        } catch (ExecutionException cause) {
            throw cause.getCause() instanceof RuntimeException inner ? inner : new IllegalStateException(cause);
        }
    }

    private Sought make(Key key) {
        room.demand(key.largest());
        QGramSet set =
                switch (key.like()) {
                    case Like.Text(String text) -> QGramSet.of(text, key.recipe());
                    case Like.Document document -> QGramSet.signed(document.fingerprint(), document.qgrams());
                    case Like.Reference reference ->
                        throw new IllegalStateException(reference + " has not been fetched");
                };
        int count = set.qgrams().size();
        boolean seekable = 0 < count && count <= key.most();
        SeekPlan plan = seekable ? new SeekPlan(set.rarestFirst(lexicons.apply(key.lexicon())), key.threshold()) : null;
        return new Sought(set.fingerprint(), set.blank(), count, plan);
    }
}
