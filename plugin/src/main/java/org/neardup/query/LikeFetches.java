package org.neardup.query;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.WeakHashMap;
import org.apache.lucene.util.SetOnce;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.client.internal.Client;
import org.elasticsearch.index.query.QueryRewriteContext;

/**
 * The documents that the clauses of one search name: each is fetched once, and one after the other.
 *
 * <p>A search may have thousands of such clauses, and a node that looks up many large documents at once, of which each is
 * read, filtered and parsed, is out of memory before a breaker hears of one.
 */
final class LikeFetches {
    /** Those that have not begun, by what the clauses of a search have in common. */
    private static final Map<QueryRewriteContext, LikeFetches> WAITING =
            Collections.synchronizedMap(new WeakHashMap<>());

    /** So many times the memory of a document is in use while it is looked up, about. */
    private static final int COPIES = 8;

    /** And on its way to a shard, of each clause: in the message, as its bytes are put together, and read. */
    private static final int SENT_COPIES = 3;

    private final MemoryCheck memory;
    private final Map<Wanted, Fetch> fetches = new HashMap<>();
    private final Queue<Wanted> queue = new ArrayDeque<>();
    private long largest;
    private long sent;

    private record Wanted(String field, LikeSource.Reference reference) {}

    private static final class Fetch {
        final SetOnce<LikeSource.Document> document = new SetOnce<>();
        int clauses;
    }

    private LikeFetches(MemoryCheck memory) {
        this.memory = memory;
    }

    /**
     * Where the document will be that a clause of the search of {@code context} names.
     *
     * @param field the object that holds a document's signature
     * @param memory of this node
     */
    static SetOnce<LikeSource.Document> add(
            QueryRewriteContext context, String field, LikeSource.Reference reference, MemoryCheck memory) {
        LikeFetches ofSearch = WAITING.computeIfAbsent(context, ignored -> new LikeFetches(memory));
        if (ofSearch.queue.isEmpty()) {
            context.registerAsyncAction((client, listener) -> {
                WAITING.remove(context);
                ofSearch.next(client, listener);
            });
        }
        return ofSearch.add(new Wanted(field, reference));
    }

    private SetOnce<LikeSource.Document> add(Wanted wanted) {
        Fetch fetch = fetches.computeIfAbsent(wanted, ignored -> new Fetch());
        if (fetch.clauses++ == 0) {
            queue.add(wanted);
        }
        return fetch.document;
    }

    private void next(Client client, ActionListener<?> listener) {
        Wanted wanted = queue.poll();
        if (wanted == null) {
            listener.onResponse(null);
            return;
        }
        memory.ensure(COPIES * largest);
        new LikeFetcher(client, wanted.field(), wanted.reference())
                .fetch(ActionListener.wrap(
                        document -> {
                            take(fetches.get(wanted), document);
                            next(client, listener);
                        },
                        listener::onFailure));
    }

    private void take(Fetch fetch, LikeSource.Document document) {
        largest = Math.max(largest, document.weight());
        sent += SENT_COPIES * fetch.clauses * document.weight();
        memory.ensure(sent);
        fetch.document.set(document);
    }
}
