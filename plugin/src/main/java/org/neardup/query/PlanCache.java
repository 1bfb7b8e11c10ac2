package org.neardup.query;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.elasticsearch.common.cache.Cache;
import org.elasticsearch.common.cache.CacheBuilder;
import org.neardup.signature.Lexicon;
import org.neardup.signature.QGramKeys;
import org.neardup.signature.QGramRecipe;
import org.neardup.signature.QGramSet;
import org.neardup.signature.Signer;

/**
 * The q-grams of recent queries, made once for all shards of a node. They take at most a twentieth of its heap; beyond
 * that, large ones are shared for as long as a search holds them.
 */
final class PlanCache {
    /**
     * A search with clauses about more texts than are kept cuts all of them for each of its shards, twice: when 16 MB
     * were kept, 90 texts of 4 KB took twenty times as long as 50, over 42 shards.
     */
    private static final long MAX_BYTES = Runtime.getRuntime().maxMemory() / 20;

    /** Bytes that a character takes while q-grams are cut: the q-grams, and the tables in which they are made distinct. */
    private static final long CUT_BYTES = 144;

    /** From this number of q-grams on, clauses share the q-grams that a search holds. */
    private static final int LARGE = 10_000;

    private final Function<String, Lexicon> lexicons;
    private final MemoryCheck memory;
    private final Cache<Key, QueryGrams> cache = CacheBuilder.<Key, QueryGrams>builder()
            .setMaximumWeight(MAX_BYTES)
            .weigher((key, grams) -> key.weight() + grams.weight())
            .build();

    /**
     * Large q-grams in use: a search may have many clauses about one large text, with different thresholds, of which
     * the cache keeps few.
     */
    private final List<Held> held = new ArrayList<>();

    private record Held(
            WeakReference<LikeSource> like, QGramRecipe recipe, QueryGrams grams, WeakReference<QGramKeys> keys) {
        boolean isOf(Key key) {
            return recipe.equals(key.recipe()) && key.like().equals(like.get());
        }
    }

    /**
     * An empty cache.
     *
     * @param lexicons gives the lexicon of a name, or another one if it is missing: it only affects the order
     * @param memory of this node
     */
    PlanCache(Function<String, Lexicon> lexicons, MemoryCheck memory) {
        this.lexicons = lexicons;
        this.memory = memory;
    }

    /** The memory of this node. */
    MemoryCheck memory() {
        return memory;
    }

    /**
     * All that shapes the q-grams of a query; of sets larger than {@code most} only the size is needed. {@code scan}:
     * documents are compared with them one by one.
     */
    private record Key(
            LikeSource like, QGramRecipe recipe, String lexicon, Threshold threshold, int most, boolean scan) {
        long weight() {
            if (like instanceof LikeSource.Document document) {
                return document.weight();
            }
            return like instanceof LikeSource.Text given ? 2L * given.text().length() : 0;
        }

        /** Bytes that making the q-grams takes, at most: a text has no more of them than characters. */
        long largest() {
            if (like instanceof LikeSource.Text given) {
                return CUT_BYTES * Signer.longest(given.text());
            }
            String uncut = like instanceof LikeSource.Document document ? document.uncut() : null;
            return uncut == null ? weight() : CUT_BYTES * uncut.length();
        }
    }

    /**
     * The q-grams of a text or a fetched document, for an index that is signed as {@code signing} says.
     *
     * @param most how many q-grams the index allows in a query
     * @param scan whether its documents are compared with them one by one
     */
    QueryGrams get(LikeSource like, IndexSigning signing, Threshold threshold, int most, boolean scan) {
        try {
            return cache.computeIfAbsent(
                    new Key(like, signing.recipe(), signing.lexicon(), threshold, most, scan), this::make);
        } catch (ExecutionException cause) {
            throw cause.getCause() instanceof RuntimeException inner ? inner : new IllegalStateException(cause);
        }
    }

    private QueryGrams make(Key key) {
        QueryGrams shared = key.scan() ? shared(key) : null;
        return shared == null ? memory.during(key.largest(), () -> cut(key)) : shared;
    }

    private QueryGrams cut(Key key) {
        QGramSet set = set(key);
        int count = set.qgrams().size();
        QueryGrams grams = new QueryGrams(set.fingerprints(), set.blank(), count, null);
        if (count == 0 || count > key.most()) {
            return grams;
        }
        if (!key.scan()) {
            return grams.with(new SeekPlan(set.rarestFirst(lexicons.apply(key.lexicon())), key.threshold()));
        }
        QGramKeys keys = new QGramKeys(set.qgrams());
        if (count >= LARGE) {
            synchronized (held) {
                held.add(new Held(new WeakReference<>(key.like()), key.recipe(), grams, new WeakReference<>(keys)));
            }
        }
        return grams.with(new ScanPlan(keys, key.recipe().q(), key.threshold()));
    }

    private QueryGrams shared(Key key) {
        synchronized (held) {
            held.removeIf(each -> each.keys().get() == null || each.like().get() == null);
            for (Held each : held) {
                QGramKeys keys = each.isOf(key) ? each.keys().get() : null;
                if (keys != null) {
                    return each.grams().with(new ScanPlan(keys, key.recipe().q(), key.threshold()));
                }
            }
            return null;
        }
    }

    private static QGramSet set(Key key) {
        if (key.like() instanceof LikeSource.Text given) {
            return QGramSet.of(given.text(), key.recipe());
        }
        if (key.like() instanceof LikeSource.Document document) {
            String uncut = document.uncut();
            List<String> qgrams = uncut == null
                    ? document.qgrams()
                    : QGramSet.cut(uncut, key.recipe().q());
            return QGramSet.signed(document.fingerprint(), qgrams);
        }
        throw new IllegalStateException(key.like() + " has not been fetched");
    }
}
