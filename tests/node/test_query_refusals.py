"""What the query `neardup` refuses, with a sentence that names value and next step; indices signed in other ways."""

from __future__ import annotations

import base64
import random
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
import pytest
import xxhash
from testing.node.fixtures import PATIENCE
from testing.node.library import Library, by_id, by_text, fill, found, new_library, refusal, stored_signature
from testing.node.prefix import fresh_prefix
from testing.node.servers import only_elasticsearch

from neardup.elastic.http.bulk import Action, bulk
from neardup.model.settings import Recipe
from neardup.oracle import definitions as oracle

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster


@pytest.fixture(scope="module")
def cluster_of(elasticsearch_url, credentials) -> Iterator[Callable[[], Cluster]]:
    """Makes connections with a prefix of their own, for as long as the tests of this module take."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(fresh_prefix(elasticsearch_url, credentials, patience=PATIENCE))


@pytest.fixture(scope="module")
def library(cluster_of) -> Library:
    made = new_library(cluster_of(), {"one": 1, "other": 1})
    fill(made, 60, 1)
    return made


@pytest.fixture(scope="module")
def triples(cluster_of) -> Library:
    """Documents signed by another q."""
    made = new_library(cluster_of(), {"q3": 1}, recipe=Recipe(q=3))
    made.q = 3
    fill(made, 60, 1)
    return made


@pytest.fixture(scope="module")
def plain(cluster_of) -> Library:
    """A prefix whose indices nobody has set up."""
    return Library(cluster_of(), [])


# -- indices that are signed in other ways, or not at all --


def test_a_text_is_cut_by_the_recipe_of_each_index(library, triples):
    for text in list(library.there.values())[:40]:
        both = library.found(by_text(text, "0.5"), indices=f"{library.all},{triples.all}")
        assert both == {**library.copies(text, "0.5"), **triples.copies(text, "0.5")}


def test_a_document_is_compared_with_those_of_its_own_recipe(library, triples):
    place = next(place for place, text in triples.there.items() if len(triples.copies(text, "0.5")) > 2)
    text = triples.there[place]
    assert triples.found(by_id(place, "0.5")) == triples.copies(text, "0.5", but=place)
    reason = refusal(triples, by_id(place), indices=library.all)
    assert f"cannot compare document [{place[1]}] in [{place[0]}] with this index" in reason
    assert "its q-grams are [q3:case:u16], those of the index [q4:case:u16]; search by [like.text]" in reason
    # Beside an index that can answer, the others are failures of their shards.
    body = {"query": by_id(place, "0.5"), "size": 100}
    answer = library.cluster.request("POST", f"/{library.indices[0]},{triples.all}/_search", body=body)
    assert answer["_shards"]["failed"] == 1
    assert answer["_shards"]["failures"][0]["index"] == library.indices[0]
    assert found(answer) == triples.copies(text, "0.5", but=place)


KEYWORD = {"type": "keyword"}
FIELDS = {
    "recipe": KEYWORD, "fingerprint": KEYWORD, "qgrams": {**KEYWORD, "doc_values": False},
    "qgram_count": {"type": "integer"},
}  # fmt: skip
SCANNED = {
    **FIELDS, "qgrams": {"type": "text", "index": False, "store": True, "norms": False},
    "qgram_bitmap": {"type": "binary", "doc_values": True},
}  # fmt: skip


def make(plain: Library, name: str, fields: Any, *documents: Any, shards: int = 1) -> str:
    """An index of these documents, whose object `neardup` has these fields."""
    index = f"{plain.cluster.address.prefix}-{name}"
    plain.cluster.request(
        "PUT",
        f"/{index}",
        body={
            "settings": {
                "number_of_shards": shards,
                "analysis": {"normalizer": {"lower": {"type": "custom", "filter": ["lowercase"]}}},
            },
            "mappings": {"properties": {"neardup": {"dynamic": False, "properties": fields}}},
        },
    )
    actions = [Action("index", index, str(i), source) for i, source in enumerate(documents)]
    assert all(outcome.ok for outcome in bulk(plain.cluster, actions, refresh="true"))
    return index


ROSE = "A rose is a rose is a rose."


@pytest.mark.parametrize(("part", "mapping", "reason"), [
    ("qgrams", None, "[neardup.qgrams] to be an indexed keyword without normalizer, but it is not mapped"),
    ("qgrams", {"type": "text"}, "keyword without normalizer, but it is mapped differently, as [text]"),
    ("qgrams", {**KEYWORD, "index": False}, "[neardup.qgrams] to be an indexed keyword"),
    ("qgrams", {**KEYWORD, "normalizer": "lower"}, "[neardup.qgrams] to be an indexed keyword"),
    ("qgrams", {"type": "integer"}, "[neardup.qgrams] to be an indexed keyword"),
    ("qgram_count", None, "[neardup.qgram_count] to be an integer with doc values, but it is not mapped"),
    ("qgram_count", KEYWORD, "an integer with doc values, but it is mapped differently, as [keyword]"),
    ("qgram_count", {"type": "float"}, "[neardup.qgram_count] to be an integer with doc values"),
    ("qgram_count", {"type": "double"}, "[neardup.qgram_count] to be an integer with doc values"),
    ("qgram_count", {"type": "long", "doc_values": False}, "[neardup.qgram_count] to be an integer with doc values"),
], ids=lambda value: "" if isinstance(value, str) and " " in value else str(value))  # fmt: skip
def test_fields_of_other_types_are_refused_by_name(plain, part, mapping, reason):
    fields = {name: field for name, field in {**FIELDS, part: mapping}.items() if field is not None}
    index = make(plain, f"type-{secrets.token_hex(4)}", fields, {"text": ROSE})
    told = refusal(plain, by_text(ROSE), indices=index)
    assert reason in told
    assert "neardup setup" in told
    unmapped = "qgrams" not in fields
    if unmapped:
        assert plain.found(by_text(ROSE, ignore_unmapped=True), indices=index) == {}
    else:
        assert reason in refusal(plain, by_text(ROSE, ignore_unmapped=True), indices=index)


@pytest.mark.parametrize(("mapping", "but"), [
    (None, "not mapped"),
    (KEYWORD, "mapped differently, as [keyword]"),
    ({"type": "binary"}, "mapped differently, as [binary]"),
], ids=["none", "keyword", "no doc values"])  # fmt: skip
def test_bitmaps_of_another_type_are_refused_by_their_own_name(plain, mapping, but):
    fields = {
        name: field for name, field in {**SCANNED, "qgram_bitmap": mapping}.items() if field is not None
    }
    index = make(plain, f"bitmap-{secrets.token_hex(4)}", fields, {"text": ROSE})
    told = refusal(plain, by_text(ROSE), indices=index)
    assert (
        f"[neardup.qgram_bitmap] to be binary with doc values, but it is {but}: create the index with neardup setup"
        in told
    )


@only_elasticsearch("runtime fields")
def test_a_runtime_field_that_hides_the_q_grams_is_told(plain):
    """It was said that a keyword was needed, and a keyword was there."""
    index = make(plain, "runtime", FIELDS, {"neardup": oracle.sign(ROSE)})
    assert len(plain.found(by_text(ROSE), indices=index)) == 1
    runtime = {"neardup.qgrams": {"type": "keyword"}}
    plain.cluster.request("PUT", f"/{index}/_mapping", body={"runtime": runtime})
    told = refusal(plain, by_text(ROSE), indices=index)
    assert "as [keyword]: create the index" in told
    assert "remove any runtime field of this name" in told


@pytest.mark.parametrize("kind", ["short", "integer", "long"])
def test_numbers_may_be_of_any_integer_type(plain, kind):
    fields = {**FIELDS, "qgram_count": {"type": kind}}
    signed = [{"neardup": oracle.sign(text)} for text in (ROSE, "A tulip is none.")]
    index = make(plain, f"count-{kind}", fields, *signed)
    assert plain.found(by_text(ROSE), indices=index) == {(index, "0"): 1}


@pytest.mark.parametrize("kind", ["integer", "long", "double", "keyword", "alias"])
def test_documents_without_a_sketch_are_candidates_however_their_q_grams_are_counted(plain, kind):
    count = {"type": "alias", "path": "count"} if kind == "alias" else {"type": kind}
    fields = {"packed_sketch": {"type": "binary", "doc_values": True}, "qgram_count": count}
    index = make(plain, f"others-{kind}", fields if kind != "alias" else {})
    if kind == "alias":
        mapping = {"count": {"type": "integer"}, "neardup": {"properties": fields}}
        plain.cluster.request("PUT", f"/{index}/_mapping", body={"properties": mapping})
    sources: list[dict[str, Any]] = [
        {"count": number} if kind == "alias" else {"neardup": {"qgram_count": number}} for number in (16, 0)
    ]
    actions = [Action("index", index, str(i), source) for i, source in enumerate(sources)]
    assert all(outcome.ok for outcome in bulk(plain.cluster, actions, refresh="true"))
    query = {"neardup_sketch": {"sketches": ["AQAAAA=="], "at_least": [1]}}
    assert plain.found(query, indices=index) == {(index, "0"): 1}


@pytest.mark.parametrize(
    ("fields", "sign"), [(FIELDS, oracle.sign), (SCANNED, stored_signature)], ids=["terms", "scanned"]
)
def test_another_field_is_asked_by_its_name_or_that_of_an_alias(plain, fields, sign):
    index = f"{plain.cluster.address.prefix}-named-{secrets.token_hex(4)}"
    aliases = {name: {"type": "alias", "path": f"signs.of.text.{name}"} for name in fields}
    mapping = {
        "signs": {"properties": {"of": {"properties": {"text": {"properties": fields}}}}},
        "other": {"properties": aliases},
    }
    plain.cluster.request("PUT", f"/{index}", body={"mappings": {"properties": mapping}})
    texts = (ROSE, "abc")
    sources = [{"signs": {"of": {"text": sign(text)}}} for text in texts]
    plain.cluster.request("PUT", f"/{index}/_mapping", body={"dynamic": False})
    actions = [Action("index", index, str(i), source) for i, source in enumerate(sources)]
    assert all(outcome.ok for outcome in bulk(plain.cluster, actions, refresh="true"))
    for name in ("signs.of.text", "other"):
        for i, text in enumerate(texts):
            assert plain.found(by_text(text, field=name), indices=index) == {(index, str(i)): 1}
    assert plain.found(by_id((index, "0"), field="signs.of.text"), indices=index) == {}
    assert "[neardup.qgrams]" in refusal(plain, by_text(ROSE), indices=index)


def of_version_1(text: str) -> dict[str, Any]:
    """What of a signature by version 1 of the recipe a search looks at."""
    utf8 = oracle.normal_form(text).encode()
    halves = [xxhash.xxh64_hexdigest(utf8, seed=seed) for seed in (0, 1)]
    recipe = "neardup-1:q4:case:u16:lex-f3663513:sketch-32-1.5:simhash-1"
    return {**oracle.sign(text), "recipe": recipe, "fingerprint": "".join(halves)}


def test_versions_1_and_2_of_the_recipe_are_searched_together(plain):
    texts = (ROSE, "abc", ".")
    earlier, later = (
        make(plain, name, FIELDS, *({"neardup": sign(text)} for text in texts))
        for name, sign in (("earlier", of_version_1), ("later", oracle.sign))
    )
    both = f"{earlier},{later}"
    for i, text in enumerate(texts[:2]):
        assert plain.found(by_text(text), indices=both) == {(earlier, str(i)): 1, (later, str(i)): 1}
    assert plain.found(by_text("."), indices=both) == {}
    for one, other in ((earlier, later), (later, earlier)):
        assert plain.found(by_id((one, "0")), indices=both) == {(other, "0"): 1}
        assert (
            plain.found(by_id((one, "2")), indices=both) == {}
        )  # an empty normal form, by either fingerprint


def test_an_index_tells_its_recipe_by_its_documents_if_not_by_its_mapping(plain):
    signed, other = ({"neardup": oracle.sign(ROSE, q=q)} for q in (4, 3))
    told = make(plain, "told", FIELDS, signed, {"text": "unsigned"})
    assert plain.found(by_text(ROSE), indices=told) == {(told, "0"): 1}
    mixed = make(plain, "mixed", FIELDS, signed, other)
    assert "are signed by the recipes [neardup-2:q3:" in refusal(plain, by_text(ROSE), indices=mixed)
    silent = make(plain, "silent", FIELDS, {"text": ROSE})
    reason = refusal(plain, by_text(ROSE), indices=silent)
    assert "does not know the recipe of this index" in reason
    assert "neardup setup" in reason
    assert plain.found(by_text(ROSE, ignore_unmapped=True), indices=silent) == {}
    future = make(plain, "future", FIELDS, {"neardup": {**signed["neardup"], "recipe": "neardup-3:q4"}})
    assert "[neardup-3:q4] is no recipe of this version" in refusal(plain, by_text(ROSE), indices=future)
    empty = make(plain, "empty", FIELDS)
    assert plain.found(by_text(ROSE), indices=empty) == {}
    # The filter of an alias is checked without any document.
    action = {"add": {"index": told, "alias": f"{told}-alias", "filter": by_text(ROSE)}}
    plain.cluster.request("POST", "/_aliases", body={"actions": [action]})
    assert set(plain.found({"match_all": {}}, indices=f"{told}-alias")) == {(told, "0")}


def test_a_document_to_highlight_by_within_top_hits_is_refused_with_what_works_there(library):
    """It was said that a query by an id works in a search, which this is. No server rewrites that query."""
    like = by_id(next(iter(library.found({"match_all": {}}))))
    highlight = {"fields": {"text": {}}, "highlight_query": like}
    body = {"size": 0, "aggs": {"best": {"top_hits": {"highlight": highlight}}}}
    reason = refusal(library, orjson.dumps(body))
    assert "neither in a stored filter nor in the [highlight_query] of [top_hits]" in reason
    assert "give its text as [text] there" in reason


def test_a_mapping_that_says_another_recipe_than_all_documents_have_is_refused(plain):
    signed, other = ({"neardup": oracle.sign(ROSE, q=q)} for q in (4, 3))
    index = make(plain, "contradicted", FIELDS, signed)
    meta = {"_meta": {"neardup": {"recipe": other["neardup"]["recipe"]}}}
    plain.cluster.request("PUT", f"/{index}/_mapping", body=meta)
    reason = refusal(plain, by_text(ROSE), indices=index)
    assert f"mapping is [{other['neardup']['recipe']}]" in reason
    assert f"its documents are signed by [{signed['neardup']['recipe']}]; correct the mapping" in reason
    action = Action("index", index, "1", other)  # while they are signed again
    assert all(outcome.ok for outcome in bulk(plain.cluster, [action], refresh="true"))
    assert plain.found(by_text(ROSE), indices=index) == {(index, "1"): 1}
    deleted = [Action("delete", index, each) for each in ("0", "1")]
    assert all(outcome.ok for outcome in bulk(plain.cluster, deleted, refresh="true"))
    assert plain.found(by_text(ROSE), indices=index) == {}


def test_normal_forms_as_keywords_are_refused_unless_there_are_q_grams_too(plain):
    signed, compact = ({"neardup": sign(ROSE)} for sign in (oracle.sign, stored_signature))
    index = make(plain, "uncut", FIELDS, compact)
    reason = refusal(plain, by_text(ROSE), indices=index)
    assert "no value of [neardup.qgrams] is a q-gram of 4 characters" in reason
    assert "but one has 19; remove [compact] from the pipeline, or create the index with" in reason
    assert "rose" not in reason  # whoever searches may have no right to read it
    assert all(
        outcome.ok for outcome in bulk(plain.cluster, [Action("index", index, "1", signed)], refresh="true")
    )
    assert plain.found(by_text(ROSE), indices=index) == {(index, "1"): 1}


def test_documents_that_are_deleted_do_not_decide_how_an_index_is_signed(plain):
    signed, other = ({"neardup": oracle.sign(ROSE, q=q)} for q in (4, 3))
    index = make(plain, "was-mixed", FIELDS, signed, other, signed)
    assert "are signed by the recipes" in refusal(plain, by_text(ROSE), indices=index)
    assert all(outcome.ok for outcome in bulk(plain.cluster, [Action("delete", index, "1")], refresh="true"))
    assert plain.found(by_text(ROSE), indices=index) == {(index, "0"): 1, (index, "2"): 1}
    future = Action("index", index, "3", {"neardup": {**signed["neardup"], "recipe": "neardup-3:q4"}})
    assert all(outcome.ok for outcome in bulk(plain.cluster, [future], refresh="true"))
    assert "[neardup-3:q4] is no recipe of this version" in refusal(plain, by_text(ROSE), indices=index)
    assert all(outcome.ok for outcome in bulk(plain.cluster, [Action("delete", index, "3")], refresh="true"))
    assert plain.found(by_text(ROSE), indices=index) == {(index, "0"): 1, (index, "2"): 1}


def test_a_signature_of_one_q_gram_may_be_a_word_instead_of_a_list(plain):
    signed = oracle.sign("rose")
    index = make(plain, "word", FIELDS, *2 * [{"neardup": {**signed, "qgrams": "rose"}}])
    assert plain.found(by_id((index, "0")), indices=index) == {(index, "1"): 1}


@pytest.mark.parametrize(
    ("fields", "sign"), [(FIELDS, oracle.sign), (SCANNED, stored_signature)], ids=["terms", "scanned"]
)
def test_several_signatures_of_a_document_are_found_where_they_are_nested(plain, fields, sign):
    texts = ("One two three four five six seven eight.", "Quite other words that stand here instead.")
    both = "six seven eight words that stand here instead"  # of which neither has 0.7
    source = {"neardup": {"part": [sign(text) for text in texts]}}
    flat, nested = (
        make(plain, f"{kind}-{secrets.token_hex(4)}", {"part": {"type": kind, "properties": fields}}, source)
        for kind in ("object", "nested")
    )
    for text in (both, *texts):
        query = by_text(text, field="neardup.part")
        assert plain.found(query, indices=flat) == {}
        inside = {"nested": {"path": "neardup.part", "query": query}}
        assert plain.found(inside, indices=nested) == ({(nested, "0"): 1} if text in texts else {})
        answer = plain.cluster.request("POST", f"/{flat}/_explain/0", body={"query": query})
        assert "have no doc_q: map the objects around them as nested" in answer["explanation"]["description"]


def test_a_document_whose_nested_object_is_signed_does_not_answer_itself_by_any_routing(plain):
    text = "One two three four five six seven eight."
    part = {"part": {"type": "nested", "properties": FIELDS}}
    index = make(plain, "routed", part, shards=3)

    def routings(query):
        query["neardup"]["field"] = "neardup.part"
        inside = {"nested": {"path": "neardup.part", "query": query}}
        return {hit.get("_routing") for hit in plain.search(inside, indices=index)["hits"]["hits"]}

    for routing in (*"abcdefgh", None):  # each shard holds the last one that came to it
        params = {"refresh": "true"} | ({"routing": routing} if routing else {})
        source = {"neardup": {"part": oracle.sign(text)}}
        plain.cluster.request("PUT", f"/{index}/_doc/whole", params=params, body=source)
    there = routings(by_text(text))
    assert len(there) == 3
    assert None in there
    for routing in there:
        query = by_id((index, "whole"))
        query["neardup"]["like"] |= {"routing": routing} if routing else {}
        assert routings(query) == there - {routing}


def test_an_unmapped_index_has_no_answer_if_so_told(plain, library):
    text = next(text for text in library.there.values() if len(library.copies(text, "0.5")) > 2)
    expected = library.copies(text, "0.5")
    index = f"{plain.cluster.address.prefix}-unmapped"
    plain.cluster.request("PUT", f"/{index}", body={})
    assert "[neardup.qgrams]" in refusal(plain, by_text(text), indices=index)
    both = f"{library.all},{index}"
    assert library.found(by_text(text, "0.5", ignore_unmapped=True), indices=both) == expected


# -- limits --


def cjk(count: int, seed: int = 7) -> str:
    """A text of nearly as many distinct q-grams as it has characters."""
    return "".join(map(chr, random.Random(seed).choices(range(0x4E00, 0x9FA5), k=count)))


def health(cluster: Cluster) -> Any:
    """How often a breaker of a node has tripped."""
    stats = cluster.request("GET", "/_nodes/stats/breaker")["nodes"]
    return {
        (node, name): breaker["tripped"]
        for node, told in stats.items()
        for name, breaker in told["breakers"].items()
    }


@pytest.mark.parametrize("like", ["text", "_id"])
def test_too_much_is_refused_and_harms_nobody(library, like):
    before = health(library.cluster)
    index, text = library.indices[0], next(iter(library.there.values()))
    if like == "text":
        long = refusal(library, by_text("a" * 1_000_001), indices=index)
        assert "a [like.text] of 1000001 characters: this index takes texts of up to 1000000" in long
        assert library.found(by_text("a" * 1_000_001), indices=library.indices[-1]) == {}
        big = by_text(cjk(300_000))
    else:
        big = by_id((index, "big"))
    with library.visitors((index, "big"), text=cjk(300_000)):
        for _ in range(3):
            reason = refusal(library, big, indices=index)
            assert "distinct q-grams, but [index.max_terms_count] of this index allows 65536: use" in reason
            assert "[like] of 29" in reason
        # Without q-grams as terms there is no limit to their number.
        assert library.found(big, indices=library.indices[-1]) == {}
    assert library.found(by_text(text, "0.5")) == library.copies(text, "0.5")
    assert health(library.cluster) == before


@only_elasticsearch("a breaker for what plugins do for requests; its own for the plugin has no limit to set")
def test_where_there_is_no_memory_it_ends_with_the_word_of_the_breaker(own_node):
    text = cjk(30_000, 7)
    with fresh_prefix(own_node.url, patience=PATIENCE) as cluster:
        there = new_library(cluster, {"terms": 1, "scanned": 1})
        there.put([(there.indices[0], "a")], text)

        def limit(most, overhead=None):
            body = {"indices.breaker.request.limit": most, "indices.breaker.request.overhead": overhead}
            cluster.request("PUT", "/_cluster/settings", body={"persistent": body})

        sketch = base64.b64encode(np.arange(60, dtype="<u4").tobytes()).decode()
        sketches = {"neardup_sketch": {"sketches": 50 * [sketch], "at_least": 50 * [1]}}
        try:
            limit("64mb", 1_000)  # as if there were as much to do besides
            told = [refusal(there, by_text(text), status=429)]
            # While a request is read, and while a query is made of it, the server calls an error one of the request.
            told += [refusal(there, {"bool": {"filter": [sketches]}}, status=429)]
            limit("400mb", 1_000)  # enough for the sketches, not for their terms
            told += [refusal(there, sketches, indices=there.indices[0], status=429)]
            limit("400kb")  # what takes more than that never fits
            never = [
                refusal(there, query) for query in (by_text(text), {"bool": {"filter": [by_text(text)]}})
            ]
            lines: list[dict[str, Any] | bytes] = [
                {"index": {"_index": there.indices[0], "_id": "b"}},
                {"text": text},
            ]
            written = cluster.request("POST", "/_bulk", body=lines)["items"][0]["index"]
            assert written["status"] == 400
            assert "signing a text of this length takes [3000000] bytes" in written["error"]["reason"]
        finally:
            limit(None)
        assert all("[request] Data too large, data for [<neardup>]" in each for each in told)
        assert all(
            "this search takes [4320000] bytes, but breaker [request] of node" in each for each in never
        )
        assert there.found(by_text(text)) == {(there.indices[0], "a"): 1}
        (node,) = cluster.request("GET", "/_nodes/stats/breaker")["nodes"].values()
        assert node["breakers"]["request"]["estimated_size_in_bytes"] == 0


@only_elasticsearch("a limit of its own, that of all memory")
def test_hundreds_of_clauses_by_the_id_of_a_long_document_do_not_end_a_node(own_node):
    with fresh_prefix(own_node.url, patience=PATIENCE) as cluster:
        there = new_library(cluster, {"one": 1})
        place = (there.indices[0], "long")
        there.put([place], 150_000 * "七万丈三上下")
        clauses = [by_id(place, f"0.{n}") for n in range(100, 500)]
        told = refusal(there, {"bool": {"should": clauses}})
        assert "this search takes [2160000000] bytes, but breaker [request] of node" in told
        assert there.found(by_text(ROSE)) == {}


def test_a_large_text_is_found_by_its_copy(library):
    place, text = (library.indices[0], "large"), cjk(60_000, 8)
    changed = text[:55_000] + cjk(5_000, 9)
    with library.visitors(place, text=text):
        for threshold in ("0.000001", "0.9"):
            assert library.found(by_text(changed, threshold)) == library.copies(changed, threshold)
        assert library.found(by_id(place, "0.000001")) == library.copies(text, "0.000001", but=place)


@only_elasticsearch("a search out of time that always says so")
def test_a_search_that_is_out_of_time_ends_before_it_is_through_a_segment(library):
    """How soon, within one clause: CancellationTest.java."""
    place, text = (library.indices[0], "large"), cjk(60_000, 8)
    clauses = [by_text(text, f"0.00000{n}") for n in range(1, 9)]
    query = {"bool": {"should": clauses}}
    with library.visitors(place, text=text):
        assert library.found(query, indices=place[0]) == {place: 8}
        answer = library.search(query, indices=place[0], timeout="10ms")
        assert answer["timed_out"] is True
        assert found(answer) == {}
        assert library.found(query, indices=place[0]) == {place: 8}


@pytest.mark.parametrize("body", [
    rb'{"query":{"neardup":{"like":{"text":"abc\ud800 and more of it"}}}}',
    rb'{"query":{"bool":{"filter":{"neardup":{"like":{"text":"\udc00\ud800 and more"}}}}}}',
])  # fmt: skip
def test_half_a_character_is_refused(library, body):
    assert "has a [like.text] that cannot be signed: text has the unpaired surrogate" in refusal(
        library, body
    )


@pytest.mark.parametrize(("threshold", "reason"), [
    (0, "[threshold] is [0]: it must be a number above 0 and at most 1, such as 0.7"),
    (-0.1, "[threshold] is [-0.1]: it must be a number above 0 and at most 1, such as 0.7"),
    (1.01, "[threshold] is [1.01]: it must be a number above 0 and at most 1, such as 0.7"),
    ("NaN", "[threshold] is [NaN]: it must be a number above 0 and at most 1, such as 0.7"),
    (0.1234567, "[threshold] is [0.1234567]: it must be a number of at most six decimals"),
    ("0." + "7" * 5_000_000, "it must be a number of at most six decimals"),
], ids=lambda value: str(value)[:12])  # fmt: skip
def test_a_threshold_outside_of_0_to_1_is_refused(library, threshold, reason):
    assert reason in refusal(library, {"neardup": {"like": {"text": ROSE}, "threshold": threshold}})


def test_a_wrong_option_is_refused_by_name(library):
    assert "[neardup] has no option [treshold]" in refusal(
        library, {"neardup": {"like": {"text": ROSE}, "treshold": 1}}
    )
    assert "[neardup] needs [like], an object" in refusal(library, {"neardup": {"threshold": 1}})
