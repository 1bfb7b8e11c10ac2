"""The query `neardup` in shards: what it finds and how it scores, against brute force; where it may stand.

The documents lie in three hours of a window and in two more indices, of one and of three shards, in several segments,
some deleted or written again. What is refused: test_query_refusals.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from testing.node.fixtures import PATIENCE
from testing.node.library import (
    HOUR,
    IDS,
    SOURCES,
    Library,
    Place,
    Scores,
    by_id,
    by_text,
    compare,
    fill,
    found,
    new_library,
    refusal,
    taken,
)  # fmt: skip
from testing.node.prefix import fresh_prefix
from testing.node.servers import only_elasticsearch

from neardup.elastic.http.address import Address
from neardup.elastic.http.api import snapshot_pages
from neardup.elastic.http.client import Cluster
from neardup.errors import ClusterRejected
from neardup.model.hours import hour_name
from neardup.oracle import definitions as oracle

if TYPE_CHECKING:
    from testing.node.node import Node


@pytest.fixture(scope="module")
def library(elasticsearch_url, credentials) -> Iterator[Library]:
    with fresh_prefix(elasticsearch_url, credentials, patience=PATIENCE) as cluster:
        hours = {hour_name(hour): 1 for hour in range(HOUR, HOUR + 3)}
        made = new_library(cluster, {**hours, "three": 3, "one": 1})
        fill(made, 320, 1)
        yield made


# -- ids and scores --


def test_ids_and_scores_are_those_of_brute_force_before_and_after_a_merge(library):
    segments = library.cluster.request("GET", f"/{library.all}/_segments")
    shards = [
        copy
        for index in segments["indices"].values()
        for copies in index["shards"].values()
        for copy in copies
    ]
    assert max(len(shard["segments"]) for shard in shards) > 2
    assert compare(library, 2) > 300
    library.cluster.request(
        "POST", f"/{library.all}/_forcemerge", params={"max_num_segments": 1, "flush": "true"}
    )
    library.cluster.request("POST", f"/{library.all}/_refresh")
    assert compare(library, 3) > 300
    # And with something on top of what has been merged.
    place = sorted(library.there)[7]
    text = library.there[place]
    library.delete([place])
    assert compare(library, 4) > 300
    library.put([place], text)


@pytest.fixture(scope="module")
def asked(library) -> tuple[Place, str, Scores]:
    """A document with a good number of copies of several grades, its text, and what is like it at 0.5, itself too."""
    best = max(
        sorted(library.there),
        key=lambda place: len(set(library.copies(library.there[place], "0.5").values())),
    )
    text = library.there[best]
    expected = library.copies(text, "0.5")
    assert len(expected) > 5
    assert len(set(expected.values())) > 3
    return best, text, expected


# -- where it may stand --


def term(source: str) -> dict[str, Any]:
    return {"term": {"source": source}}


def sources(library: Library) -> dict[Place, str]:
    """The field `source` of every document."""
    hits = library.search({"match_all": {}}, _source=["source"])["hits"]["hits"]
    return {(hit["_index"], hit["_id"]): hit["_source"]["source"] for hit in hits}


def test_it_stands_in_every_clause_of_a_bool(library, asked):
    _, text, expected = asked
    query, where = by_text(text, "0.5"), sources(library)
    ones = dict.fromkeys(expected, np.float32(1))
    for source in SOURCES:
        here = {place: value for place, value in expected.items() if where[place] == source}
        rest = {place: value for place, value in expected.items() if where[place] != source}
        assert library.found({"bool": {"must": query, "filter": term(source)}}) == here
        assert library.found({"bool": {"must": query, "must_not": term(source)}}) == rest
        always = {"constant_score": {"filter": term(source)}}
        assert library.found({"bool": {"must": always, "filter": query}}) == {
            place: ones[place] for place in here
        }
        without = library.found({"bool": {"must": always, "must_not": query}})
        assert set(without) == {place for place in where if where[place] == source} - set(here)
        boosted = library.found({"bool": {"must": always, "should": query}})
        assert boosted == {
            place: 1 + expected.get(place, np.float32(0)) for place in where if where[place] == source
        }
    assert library.found({"bool": {"should": [query, by_text("nothing like it")]}}) == expected
    both = {"bool": {"must": [query, by_text(text, "0.85")]}}
    high = library.copies(text, "0.85")
    assert library.found(both) == {place: 2 * value for place, value in high.items()}


def test_it_stands_in_other_compounds(library, asked):
    place, text, expected = asked
    query = by_text(text, "0.5")
    assert library.found({"constant_score": {"filter": query, "boost": 3}}) == dict.fromkeys(
        expected, np.float32(3)
    )
    assert library.found({"dis_max": {"queries": [query, by_text(text, "0.3")]}}) == library.copies(
        text, "0.3"
    )
    halved = {"boosting": {"positive": query, "negative": by_text(text, "1.0"), "negative_boost": 0.5}}
    same = library.copies(text, "1.0")
    assert library.found(halved) == {
        where: value / 2 if where in same else value for where, value in expected.items()
    }
    assert place in same


def test_a_boost_multiplies_and_a_name_is_told(library, asked):
    _, text, expected = asked
    twice = {place: np.float32(2.5) * value for place, value in expected.items()}
    assert library.found(by_text(text, "0.5", boost=2.5)) == twice
    named = {
        "bool": {
            "should": [by_text(text, "0.5", _name="like"), by_text(text, "1.0", _name="same"), term("web")],
        }
    }
    same, where = library.copies(text, "1.0"), sources(library)
    for hit in library.search(named)["hits"]["hits"]:
        place = hit["_index"], hit["_id"]
        names = {name for name, places in (("like", expected), ("same", same)) if place in places}
        assert set(hit.get("matched_queries", [])) == names
        assert names or where[place] == "web"


def test_copies_are_counted_and_sorted_and_cut(library, asked):
    _, text, expected = asked
    query, where = by_text(text, "0.5"), sources(library)
    counted = library.cluster.request("POST", f"/{library.all}/_count", body={"query": query})
    assert counted["count"] == len(expected)
    by_source = library.search(query, aggs={"by": {"terms": {"field": "source"}}})["aggregations"]["by"]
    assert {bucket["key"]: bucket["doc_count"] for bucket in by_source["buckets"]} == {
        source: count for source in SOURCES if (count := sum(where[place] == source for place in expected))
    }
    ordered = library.search(query, sort=[{"source": "asc"}, {"_score": "desc"}])["hits"]["hits"]
    keys = [hit["sort"] for hit in ordered]
    assert len(keys) == len(expected)
    assert keys == sorted(keys, key=lambda key: (key[0], -key[1]))
    high = library.search(query, min_score=0.85)
    assert found(high) == {place: value for place, value in expected.items() if value >= np.float32(0.85)}
    best = library.search(query, size=3, track_total_hits=False)["hits"]
    assert [np.float32(hit["_score"]) for hit in best["hits"]] == sorted(expected.values())[:-4:-1]
    assert "total" not in best
    pages = [library.search(query, size=2, **{"from": start})["hits"]["hits"] for start in range(0, 8, 2)]
    seen = [(hit["_index"], hit["_id"]) for page in pages for hit in page]
    assert len(set(seen)) == len(seen) == min(8, len(expected))


def test_an_explanation_is_of_the_score_and_of_what_falls_short(library, asked):
    place, text, expected = asked
    hits = library.search(by_text(text, "0.5", boost=2), explain=True)["hits"]["hits"]
    for hit in hits:
        explanation = hit["_explanation"]
        assert np.float32(explanation["value"]) == 2 * expected[hit["_index"], hit["_id"]]
        assert (
            explanation["description"]
            == "doc_q, shared q-grams over the larger number of q-grams, times boost 2.0"
        )
    lesser = next(where for where in library.copies(text, "0.1") if where not in expected)
    for where, is_match in ((place, True), (lesser, False)):
        index, id = where
        body = {"query": by_text(text, "0.5")}
        answer = library.cluster.request("POST", f"/{index}/_explain/{id}", body=body)
        assert answer["matched"] is is_match
        exact = oracle.doc_q(text, library.there[where])
        if is_match:
            assert answer["explanation"]["value"] == 1 == exact
        else:
            assert str(float(exact)) in answer["explanation"]["description"]


def test_it_is_profiled_validated_and_walked_through(library, asked):
    place, text, expected = asked
    query = by_text(text, "0.5")
    profiled = library.search(query, profile=True)
    assert found(profiled) == expected
    kinds = {
        part["type"]: part["description"]
        for shard in profiled["profile"]["shards"]
        for search in shard["searches"]
        for part in search["query"]
    }
    count = len(taken(text)[1])
    assert kinds["NearDuplicateQuery"] == f"neardup(neardup.qgrams: {count} q-grams, doc_q >= 0.5)"
    valid = library.cluster.request("POST", f"/{library.all}/_validate/query", body={"query": query})
    assert valid["valid"] is True
    walked = scrolled(library, query)
    assert walked == sorted(expected)
    by_point = walked_by_point(library, by_id(place, "0.5"))
    assert by_point == sorted(set(expected) - {place})


def scrolled(library: Library, query: Any) -> list[Place]:
    answer = library.search(query, size=2, params={"scroll": "1m"})
    seen = []
    while hits := answer["hits"]["hits"]:
        seen += [(hit["_index"], hit["_id"]) for hit in hits]
        body = {"scroll": "1m", "scroll_id": answer["_scroll_id"]}
        answer = library.cluster.request("POST", "/_search/scroll", body=body)
    library.cluster.request("DELETE", "/_search/scroll", body={"scroll_id": answer["_scroll_id"]})
    return sorted(seen)


def walked_by_point(library: Library, query: Any) -> list[Place]:
    body = {"query": query, "sort": [{"_score": "desc"}], "_source": False}
    pages = snapshot_pages(library.cluster, library.all, body, size=8)
    return sorted((hit.index, hit.id) for page in pages for hit in page)


def test_caches_of_requests_and_filters_change_nothing(library, asked):
    place, text, expected = asked
    index = place[0]
    here = {where for where in expected if where[0] == index}
    counting = {"size": 0, "track_total_hits": True}
    for cached in ("true", "false", "true"):
        for threshold in ("0.5", "1.0"):
            answer = library.search(
                by_text(text, threshold), indices=index, params={"request_cache": cached}, **counting
            )
            within = here & set(library.copies(text, threshold))
            assert answer["hits"]["total"]["value"] == len(within)
    # What is written in between is seen, also by the id of a document that has changed itself.
    spare = next(id for id in map("d{}".format, range(IDS)) if (index, id) not in library.there)
    about = by_id((index, spare), "0.5")
    for new, count in ((text, len(here)), ("All of it is different now.", 0)):
        with library.visitors((index, spare), text=new):
            for _ in range(2):
                answer = library.search(about, indices=index, params={"request_cache": "true"}, **counting)
                assert answer["hits"]["total"]["value"] == count


def test_an_alias_with_a_filter_narrows_it(library, asked):
    _, text, expected = asked
    alias, where = f"{library.cluster.address.prefix}-filtered", sources(library)
    add = {"index": library.all.split(","), "alias": alias, "filter": term("web")}
    actions = [{"add": {**add, "index": index}} for index in library.indices]
    library.cluster.request("POST", "/_aliases", body={"actions": actions})
    web = {place: value for place, value in expected.items() if where[place] == "web"}
    assert library.found(by_text(text, "0.5"), indices=alias) == web


def test_a_filter_of_an_alias_may_be_such_a_query(library, asked):
    place, text, expected = asked
    alias = f"{library.cluster.address.prefix}-copies-of-one"
    actions = [
        {"add": {"index": index, "alias": alias, "filter": by_text(text, "0.5")}} for index in library.indices
    ]
    library.cluster.request("POST", "/_aliases", body={"actions": actions})
    assert set(library.found({"match_all": {}}, indices=alias)) == set(expected)
    about = {"add": {"index": place[0], "alias": f"{alias}-by-id", "filter": by_id(place)}}
    with pytest.raises(ClusterRejected) as caught:
        library.cluster.request("POST", "/_aliases", body={"actions": [about]})
    assert 400 <= caught.value.status < 500


# -- a document that is asked about by its id --


def test_an_alias_of_several_indices_is_searched_for_the_document(library, asked):
    _, text, _ = asked
    name, first, second = library.cluster.address.alias, library.indices[0], library.indices[1]
    with library.visitors((first, "alone"), (first, "twice"), (second, "twice"), text=text):
        only = (first, "alone")
        for several in (name, library.cluster.address.pattern, f"{first},{second}"):
            found = library.found(by_id((several, "alone"), "0.5"))
            assert found == library.copies(text, "0.5", but=only), several
        reason = refusal(library, by_id((name, "twice")))
        assert f"[like] is document [twice] in [{name}], which is in [" in reason
        assert first in reason
        assert second in reason
        assert "name one of them as [_index]" in reason
        # Only the one that is meant is left out.
        assert library.found(by_id((first, "twice"), "0.5")) == library.copies(
            text, "0.5", but=(first, "twice")
        )


def test_a_document_that_is_not_there_or_not_signed_is_named(library):
    first = library.indices[0]
    alias = library.cluster.address.alias
    for name in (first, alias):
        reason = refusal(library, by_id((name, "nobody")), status=404)
        assert reason == f"[like] is document [nobody] in [{name}], which does not exist"
    assert "no such index" in refusal(library, by_id(("test-no-such-index", "1")), status=404)
    # Where a pattern of clusters fits none, the server searches all of its own indices.
    only = next(
        id for id in map("d{}".format, range(IDS)) if sum(id == other for _, other in library.there) == 1
    )
    for name in (f"nowhere*:{first}", f"nowhere*:{first},*where:{first}"):
        reason = refusal(library, by_id((name, only)), status=404)
        assert reason == f"[like] is document [{only}] in [{name}], which does not exist"
    params = {"refresh": "true", "pipeline": "_none"}
    library.cluster.request("PUT", f"/{first}/_settings", body={"index.final_pipeline": "_none"})
    library.cluster.request("PUT", f"/{first}/_doc/bare", params=params, body={"text": "A rose."})
    library.cluster.request(
        "PUT", f"/{first}/_settings", body={"index.final_pipeline": library.cluster.address.pipeline}
    )
    for name in (first, alias):
        reason = refusal(library, by_id((name, "bare")))
        assert reason == (
            f"[like] is document [bare] in [{name}], whose source has no full signature in [neardup]: index it through "
            "the neardup pipeline, with q-grams, or search by [text]; in a window without q-grams (neardup setup "
            "--no-lossless) only the command neardup query finds copies"
        )
    library.cluster.request("DELETE", f"/{first}/_doc/bare", params={"refresh": "true"})


def test_a_document_is_found_before_it_is_refreshed(library, asked):
    _, text, expected = asked
    first = library.indices[0]
    with library.visitors((first, "new"), text=text, refresh=None):
        assert library.found(by_id((first, "new"), "0.5")) == expected


def test_a_document_with_routing_is_asked_about_with_it(library, asked):
    _, text, expected = asked
    index = next(index for index in library.indices if index.endswith("three"))
    for routing in ("left", "right", "top", "end"):
        path, params = f"/{index}/_doc/routed-{routing}", {"routing": routing, "refresh": "true"}
        library.cluster.request("PUT", path, params=params, body={"text": text})
        query = by_id((index, f"routed-{routing}"), "0.5")
        query["neardup"]["like"]["routing"] = routing
        answer = library.found(query)
        library.cluster.request("DELETE", path, params=params)
        assert answer == expected


def test_of_one_id_under_several_routings_only_the_one_asked_about_is_left_out(library, asked):
    _, text, _ = asked
    index = next(index for index in library.indices if index.endswith("three"))
    path = f"/{index}/_doc/routed"

    def routings(query):
        own = {"bool": {"filter": [query, {"ids": {"values": ["routed"]}}]}}
        return {hit.get("_routing") for hit in library.search(own, indices=index)["hits"]["hits"]}

    for routing in (*"abcdefgh", None):  # each shard holds the last one that came to it
        params = {"refresh": "true"} | ({"routing": routing} if routing else {})
        library.cluster.request("PUT", path, params=params, body={"text": text})
    there = routings(by_text(text))
    assert len(there) == 3
    assert None in there
    for routing in there:
        query = by_id((index, "routed"))
        if routing is not None:
            query["neardup"]["like"]["routing"] = routing
        assert routings(query) == there - {routing}
    several = refusal(library, by_id((f"{index}*", "routed")))
    assert f"which is in [{index}] under two routings: name one of them as [routing]" in several
    for routing in there:
        params = {"refresh": "true"} | ({"routing": routing} if routing else {})
        library.cluster.request("DELETE", path, params=params)


def test_a_document_of_a_data_stream_is_asked_about_by_the_stream_s_name(own_node: Node):
    # A node of its own: this distribution can make a data stream, but not delete one.
    with Cluster(Address(own_node.url, "stream"), patience=PATIENCE) as cluster:
        words = {part: {"type": "keyword"} for part in ("recipe", "fingerprint", "qgrams")}
        template = {"mappings": {"properties": {"neardup": {"properties": words}}}}
        body = {"index_patterns": ["stream"], "data_stream": {}, "template": template, "priority": 900}
        cluster.request("PUT", "/_index_template/stream", body=body)
        signed = {"@timestamp": "2026-11-21T09:00:00Z", "neardup": oracle.sign("A rose is a rose.")}
        for id in ("first", "second"):
            cluster.request("PUT", f"/stream/_create/{id}", params={"refresh": "true"}, body=signed)
        hits = Library(cluster, ["stream"]).search(by_id(("stream", "first")))["hits"]["hits"]
        assert [hit["_id"] for hit in hits] == ["second"]


# -- several nodes --


@pytest.mark.parametrize("together", ["true", "false"])
def test_a_document_of_another_cluster_is_that_one_and_none_of_its_name_here(own_node: Node, together):
    with fresh_prefix(own_node.url, patience=PATIENCE) as cluster:
        there = new_library(cluster, {"one": 1})
        (index,) = there.indices
        there.put([(index, id) for id in ("a", "b", "c")], "A rose is a rose is a rose.")
        seeds = {"cluster.remote.me.seeds": f"127.0.0.1:{own_node.transport_port}"}
        cluster.request("PUT", "/_cluster/settings", body={"persistent": seeds})
        params = {"ccs_minimize_roundtrips": together}
        for like, expected in ((f"me:{index}", "bc"), (f"me:{index}*", "bc"), (index, "abc")):
            found = there.found(by_id((like, "a")), indices=f"me:{index}", params=params)
            assert sorted(found) == [(f"me:{index}", id) for id in expected], like
        assert sorted(there.found(by_id((f"me:{index}", "a")))) == [(index, id) for id in "abc"]
        cluster.request("PUT", "/_cluster/settings", body={"persistent": {"cluster.remote.me.seeds": None}})


def test_a_document_of_a_cluster_that_is_skipped_is_not_called_one_that_is_not_there(own_node: Node):
    with fresh_prefix(own_node.url, patience=0) as cluster:
        there = new_library(cluster, {"one": 1})
        (index,) = there.indices
        there.put([(index, "a"), (index, "b")], "A rose is a rose is a rose.")
        away = {"cluster.remote.away.seeds": "127.0.0.1:9", "cluster.remote.away.skip_unavailable": "true"}
        cluster.request("PUT", "/_cluster/settings", body={"persistent": away})
        for like in ("away:news", f"{index},away:news"):
            told = refusal(there, by_id((like, "nowhere")), status=503)
            assert "a cluster that may hold it was skipped: search again when that one answers" in told
        assert there.found(by_id((f"{index},away:news", "a"))) == {(index, "b"): 1}
        cluster.request("PUT", "/_cluster/settings", body={"persistent": dict.fromkeys(away)})


@only_elasticsearch("why another cluster was skipped")
def test_an_index_that_another_cluster_lacks_is_named_though_that_is_skipped(own_node: Node):
    """It was said with 503 that a cluster had not answered, which was to be asked again, for ever."""
    with fresh_prefix(own_node.url, patience=0) as cluster:
        there = new_library(cluster, {"one": 1})
        (index,) = there.indices
        there.put([(index, "a")], "A rose is a rose is a rose.")
        seeds = f"127.0.0.1:{own_node.transport_port}"
        near = {"cluster.remote.near.seeds": seeds, "cluster.remote.near.skip_unavailable": "true"}
        cluster.request("PUT", "/_cluster/settings", body={"persistent": near})
        for like in ("near:expired", f"{index},near:expired", f"near:{index},near:expired"):
            told = refusal(there, by_id((like, "nowhere")), status=404)
            assert "cluster [near] says: no such index [expired]" in told
        assert there.found(by_id((f"near:{index}", "a"))) == {(index, "a"): 1}
        cluster.request("PUT", "/_cluster/settings", body={"persistent": dict.fromkeys(near)})


def test_two_nodes_answer_as_one(two_nodes: tuple[Node, Node]):
    with fresh_prefix(two_nodes[0].url, patience=PATIENCE) as cluster:
        made = new_library(cluster, {})
        index = f"{cluster.address.prefix}-four"
        settings = {"number_of_shards": 4, "auto_expand_replicas": False, "number_of_replicas": 0}
        mappings = {"properties": {"source": {"type": "keyword"}}}
        cluster.request("PUT", f"/{index}", body={"settings": settings, "mappings": mappings})
        made.indices.append(index)
        shards = cluster.request("GET", f"/_cat/shards/{index}", params={"format": "json"})
        assert len({shard["node"] for shard in shards}) == 2
        fill(made, 120, 3)
        for node in two_nodes:
            with Cluster(Address(node.url, cluster.address.prefix), patience=PATIENCE) as door:
                there = Library(door, made.indices, there=made.there)
                assert compare(there, 5) > 50
                place, text = next(iter(made.there.items()))
                assert "which does not exist" in refusal(there, by_id((index, "nobody")), status=404)
                assert "[treshold]" in refusal(there, by_text(text, treshold=1))
                assert place in there.found(by_text(text)) or not oracle.normal_form(text)
