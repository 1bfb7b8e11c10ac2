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
 * <p>A search may have thousands of such clauses, and a node that reads, filters and parses many large documents at
 * once runs out of memory before a breaker notices.
 */
final class LikeFetches {
    /** Fetches that have not begun, by the context that the clauses of a search share. */
    private static final Map<QueryRewriteContext, LikeFetches> WAITING =
            Collections.synchronizedMap(new WeakHashMap<>());

    /** About how many times the memory of a document is in use while it is fetched. */
    private static final int COPIES = 8;

    /**
     * And while it is sent to a shard, for each clause: in the message, while its bytes are put together, and when
     * read.
     */
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
     * The future place of the document that a clause of the search of {@code context} names.
     *
     * @param field the object that holds a document's signature
     * @param memory the memory of this node
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
