package org.neardup.query;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.elasticsearch.ElasticsearchStatusException;
import org.elasticsearch.ExceptionsHelper;
import org.elasticsearch.ResourceNotFoundException;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.action.get.GetRequest;
import org.elasticsearch.action.get.GetResponse;
import org.elasticsearch.action.search.SearchRequest;
import org.elasticsearch.action.search.SearchResponse;
import org.elasticsearch.client.internal.Client;
import org.elasticsearch.common.Strings;
import org.elasticsearch.common.document.DocumentField;
import org.elasticsearch.common.xcontent.support.XContentMapValues;
import org.elasticsearch.index.IndexNotFoundException;
import org.elasticsearch.index.mapper.RoutingFieldMapper;
import org.elasticsearch.index.query.QueryBuilders;
import org.elasticsearch.rest.RestStatus;
import org.elasticsearch.search.SearchHit;
import org.elasticsearch.search.builder.SearchSourceBuilder;
import org.elasticsearch.search.fetch.subphase.FetchSourceContext;
import org.elasticsearch.transport.RemoteClusterAware;
import org.neardup.signature.Signature;

/**
 * Fetches the q-grams of a stored document, with the rights of the user who searches.
 *
 * <p>Uses a get, which also sees documents that are not refreshed yet. For several indices (named, or behind an alias),
 * a data stream or another cluster it uses a search, because a get takes only one index, and is checked against the
 * rights of this cluster.
 */
final class LikeFetcher {
    private static final List<String> KEYS =
            List.of(Signature.RECIPE, Signature.FINGERPRINT, Signature.QGRAMS, Signature.QGRAM_COUNT);
    private static final String ROUTING = RoutingFieldMapper.NAME;

    /** An index of another cluster; neither a name with date math nor one with a selector (::data). */
    private static final Pattern ELSEWHERE = Pattern.compile("[^<:][^:]*:[^:].*");

    private final Client client;
    private final String field;
    private final LikeSource.Reference wanted;
    private final FetchSourceContext sourceFields;

    /** @param field the object that holds a document's signature */
    LikeFetcher(Client client, String field, LikeSource.Reference wanted) {
        this.client = client;
        this.field = field;
        this.wanted = wanted;
        String[] fields = KEYS.stream().map(key -> field + "." + key).toArray(String[]::new);
        sourceFields = new SearchSourceBuilder().fetchSource(fields, null).fetchSource();
    }

    /** Gives {@code listener} the document, or why there is none. */
    void fetch(ActionListener<LikeSource.Document> listener) {
        if (wanted.index().contains("*") || wanted.index().contains(",") || allElsewhere()) {
            search(listener);
            return;
        }
        GetRequest request = new GetRequest(wanted.index(), wanted.id())
                .routing(wanted.routing())
                .fetchSourceContext(sourceFields);
        client.get(
                request,
                ActionListener.wrap(
                        response -> ActionListener.completeWith(listener, () -> only(response)),
                        failure -> searchInstead(listener, failure)));
    }

    private LikeSource.Document only(GetResponse response) {
        if (!response.isExists()) {
            throw missing();
        }
        return document(response.getIndex(), response.getField(ROUTING), response.getSourceAsMap());
    }

    /** Searches if a get failed because its target is an alias of several indices or a data stream. */
    private void searchInstead(ActionListener<LikeSource.Document> listener, Exception failure) {
        Throwable cause = ExceptionsHelper.unwrapCause(failure);
        if (cause instanceof IllegalArgumentException || cause instanceof IndexNotFoundException) {
            search(listener);
        } else {
            listener.onFailure(failure);
        }
    }

    private void search(ActionListener<LikeSource.Document> listener) {
        SearchSourceBuilder body = new SearchSourceBuilder()
                .query(QueryBuilders.idsQuery().addIds(wanted.id()))
                .fetchSource(sourceFields)
                .size(2);
        SearchRequest request = new SearchRequest(Strings.splitStringByCommaToArray(wanted.index()));
        request.routing(wanted.routing()).source(body).allowPartialSearchResults(false);
        client.search(
                request,
                ActionListener.wrap(
                        response -> ActionListener.completeWith(listener, () -> only(response)), listener::onFailure));
    }

    private LikeSource.Document only(SearchResponse response) {
        SearchHit[] hits = response.getHits().getHits();
        if (hits.length == 0 && OtherClusters.skipped(response) > 0) {
            OtherClusters.lackOfIndex(response).ifPresent(why -> {
                throw new ResourceNotFoundException("[like] is document {}: {}", wanted, why);
            });
            throw new ElasticsearchStatusException(
                    "[like] is document {}, but a cluster that may hold it was skipped: search again when that one answers",
                    RestStatus.SERVICE_UNAVAILABLE,
                    wanted);
        }
        if (hits.length == 0 || allElsewhere() && hits[0].getClusterAlias() == null) {
            throw missing();
        }
        if (hits.length > 1) {
            String one = index(hits[0]);
            String other = index(hits[1]);
            String remedy = one.equals(other)
                    ? " under two routings: name one of them as [routing]"
                    : " and in [" + other + "]: name one of them as [_index]";
            throw new IllegalArgumentException("[like] is document " + wanted + ", which is in [" + one + "]" + remedy);
        }
        return document(index(hits[0]), hits[0].field(ROUTING), hits[0].getSourceAsMap());
    }

    /**
     * Whether all indices are of other clusters. If a pattern there matches none, a server searches all its own
     * indices.
     */
    private boolean allElsewhere() {
        return Arrays.stream(Strings.splitStringByCommaToArray(wanted.index()))
                .allMatch(name -> ELSEWHERE.matcher(name).matches());
    }

    /** The index of a hit, prefixed with the name of its cluster if that is another one, as shards there name it. */
    private static String index(SearchHit hit) {
        return RemoteClusterAware.buildRemoteIndexName(hit.getClusterAlias(), hit.getIndex());
    }

    private ResourceNotFoundException missing() {
        return new ResourceNotFoundException("[like] is document " + wanted + ", which does not exist");
    }

    private LikeSource.Document document(String index, DocumentField routing, Map<String, Object> source) {
        Object terms = value(source, Signature.QGRAMS);
        if (value(source, Signature.RECIPE) instanceof String recipe
                && value(source, Signature.FINGERPRINT) instanceof String fingerprint
                && value(source, Signature.QGRAM_COUNT) instanceof Integer count
                && listed(terms, count) instanceof List<?> qgrams
                && (terms instanceof String || qgrams.size() == count)
                && qgrams.stream().allMatch(String.class::isInstance)) {
            LikeSource.Reference fetched = new LikeSource.Reference(
                    index,
                    wanted.id(),
                    routing == null ? null : routing.getValue().toString());
            List<String> strings = qgrams.stream().map(String.class::cast).toList();
            return new LikeSource.Document(fetched, recipe, fingerprint, strings);
        }
        throw new IllegalArgumentException("[like] is document " + wanted + ", whose source has no full signature in ["
                + field + "]: index it through the neardup pipeline, with q-grams, or search by [text]; in a window"
                + " without q-grams (neardup setup --no-lossless) only the command neardup query finds copies");
    }

    /**
     * {@code terms} as a list. A document without q-grams may lack it, as a source made from doc values has no empty
     * lists.
     */
    private static Object listed(Object terms, int count) {
        if (terms == null) {
            return count == 0 ? List.of() : null;
        }
        return terms instanceof String form ? List.of(form) : terms;
    }

    private Object value(Map<String, Object> source, String key) {
        return source == null ? null : XContentMapValues.extractValue(field + "." + key, source);
    }
}
