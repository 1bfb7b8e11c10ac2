"""What other clients wrote: what of it is scored, as of when, and why some of it cannot be."""

from __future__ import annotations

from dataclasses import replace

import pytest
from testing.cluster_stand_in import Answer, standing_in

from neardup.elastic.admin.managed_objects import WindowConfig
from neardup.elastic.http.address import Address
from neardup.elastic.http.client import Cluster
from neardup.elastic.http.scan import Entry, TimeField
from neardup.elastic.watch.backlog import LayoutChanged
from neardup.elastic.watch.foreign_documents import ForeignDocuments
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.state_document import StateDocument
from neardup.model.document import MAX_ID_BYTES, Document, Reject
from neardup.model.settings import Recipe
from neardup.stores.base import Commit

NEWS = Address("http://localhost:9200", "news")
HOUR = "news-2026.11.21-09"
ENTRY = Entry(1_795_253_000_000, "a", HOUR, None)
OLD = Layout(NEWS, archive="old")
CONFIG = WindowConfig(Recipe(), "r")


def items(*sources, entry=ENTRY, layout=None, state=None, shards="1", kind="date"):
    """What is read of documents with these sources, the first called by `entry`, in an index of so many `shards`."""
    entries = [entry._replace(id=entry.id + str(i) if i else entry.id) for i in range(len(sources))]
    documents = [
        {"found": source is not None, "_source": source, "_seq_no": 3, "_primary_term": 1}
        for source in sources
    ]
    there = {
        "found": state is not None,
        "_source": state and state.source(),
        "_seq_no": 1,
        "_primary_term": 1,
    }

    def script(request):
        if "/_settings/" in request.path:
            return Answer(200, {entry.index: {"settings": {"index.number_of_shards": shards}}})
        for each, document in zip(entries, documents, strict=True):
            if request.path.startswith(f"/{each.index}/_doc/{each.id}"):
                if each.routing is not None and f"routing={each.routing}" not in request.path:
                    return Answer(400, {"error": {"type": "routing_missing_exception", "reason": "r"}})
                return Answer(200, document)
        return Answer(200, {"docs": documents} if request.path.startswith("/_mget") else there)

    with (
        standing_in(script) as server,
        Cluster(Address(server.url, "news"), patience=0) as cluster,
    ):
        foreign = ForeignDocuments(cluster, layout or Layout(NEWS), TimeField("@timestamp", kind), "r")
        return [item for part in foreign.read(iter(entries), most=100) for item in part]


def test_what_is_gone_or_marked_is_left_out():
    found = items({"text": "A rose."}, None, {"text": "x", "neardup": {"status": "unique"}})
    ((origin, document),) = found
    assert (origin.index, origin.id, origin.seq_no, origin.fingerprint) == (HOUR, "a", 3, None)
    assert document == Document("a", "A rose.", "2026-11-21T09:23:20Z", origin)


@pytest.mark.parametrize("status", [None, [], [None], [[]]])
def test_a_status_of_which_nothing_is_indexed_is_no_mark(status):
    """Such a document was counted as waiting for ever, and was never scored."""
    assert len(items({"text": "A rose.", "neardup": {"status": status}})) == 1


def test_a_mark_that_its_scorer_has_not_committed_is_none():
    state = replace(StateDocument(CONFIG.about(), {}), commit=Commit(next_order=30), aborted=((10, 20),))
    marks = [9, 10, 19, 20, 29, 30, None, "?"]
    documents = [
        {"text": "x", "neardup": {"status": "unique"} | ({} if order is None else {"order": order})}
        for order in marks
    ]
    assert [origin.id for origin, _ in items(*documents, state=state)] == ["a1", "a2", "a5"]


@pytest.mark.parametrize(
    "change", [{"text_field": "body"}, {"time_field": "published"}, {"max_length": 2_000_000}]
)
def test_nothing_is_read_by_fields_that_the_window_has_no_more(change):
    """Documents that were written after `neardup setup` had named another field were marked that they have no text, by
    a watcher that had begun before, and never scored.
    """
    changed = StateDocument(replace(CONFIG, **change).about(), {})
    with pytest.raises(LayoutChanged) as raised:
        items({"text": "x", "body": "y"}, state=changed)
    ((_, document),) = items({"text": "x", "body": "y"}, state=changed, layout=raised.value.layout)
    assert document.text == ("y" if "text_field" in change else "x")


def test_no_length_of_texts_is_a_matter_of_an_archive():
    state = StateDocument(replace(CONFIG, max_length=2_000_000).about(), {}, archive="old")
    assert items({"text": "x"}, state=state, layout=OLD, entry=ENTRY._replace(index="old"))


@pytest.mark.parametrize(("recipe", "fingerprint"), [("r", "f"), ("another", None)])
def test_a_fingerprint_is_taken_from_whoever_signs_as_the_window_does(recipe, fingerprint):
    ((origin, _),) = items({"text": "x", "neardup": {"recipe": recipe, "fingerprint": "f"}})
    assert origin.fingerprint == fingerprint


@pytest.mark.parametrize("ours", [None, [], [{"fingerprint": "f"}], [{"status": "unique"}, {}]])
def test_what_is_no_object_of_ours_says_nothing(ours):
    ((origin, document),) = items({"text": "x", "neardup": ours})
    assert origin.fingerprint is None
    assert document == Document("a", "x", "2026-11-21T09:23:20Z", origin)


@pytest.mark.parametrize(
    ("layout", "time"),
    [(None, "2026-11-21T09:00:00Z"), (OLD, "0001-01-01T00:00:00Z")],
)
def test_without_a_time_it_is_of_its_hour_or_older_than_all_others(layout, time):
    index = "old" if layout else HOUR
    ((_, document),) = items({"text": "x"}, entry=ENTRY._replace(time=None, index=index), layout=layout)
    assert document.time == time


@pytest.mark.parametrize(
    ("source", "changes", "layout", "reason"),
    [
        ({"text": "x", "neardup": {"unsigned": "too long"}}, {}, None, "too long"),
        (
            {"text": "123456789", "neardup": {"unsigned": "too_long"}},
            {},
            Layout(NEWS, max_length=8),
            (
                "text has 9 characters, and the nodes sign at most 8 (max_length of this window): "
                "`neardup setup --max-length` raises that"
            ),
        ),
        (
            {"text": "12345678", "neardup": {"unsigned": "too_long"}},
            {},
            Layout(NEWS, max_length=8),
            "text has 8 characters, more than the nodes signed when it was indexed: index it again",
        ),
        (
            {},
            {},
            None,
            (
                "no text: there is no field 'text' (fields: none); if another field has the text: stop the writers, "
                "delete the hours, then `neardup setup --text-field NAME --window http://localhost:9200/news`, or use "
                "another prefix"
            ),
        ),
        ({"text": None}, {}, None, "no text: field 'text' is null"),
        (
            {"page": {"title": "x", "body": None}},
            {},
            Layout(NEWS, "page.body", archive="old"),
            "no text: field 'page.body' is null",
        ),
        (
            {"body": "x", "neardup": {}},
            {},
            OLD,
            (
                "(fields: body); if another field has the text: `neardup remove --window http://localhost:9200/news "
                "--force` takes this window and its marks away, then score old again with --text-field"
            ),
        ),
        ({"text": 7}, {}, None, "field 'text' is int, not a string"),
        ({"text": "x"}, {"id": "i" * MAX_ID_BYTES}, None, "its id with the name of its index is longer"),
        (
            {"text": "x"},
            {"time": 2**62},
            None,
            "outside the years 1 to 9999 in UTC: a cluster reads numbers as milliseconds",
        ),
        ({"text": "x"}, {"routing": "r", "index": "old"}, OLD, "it has a routing"),
    ],
)
def test_what_cannot_be_scored_says_why(source, changes, layout, reason):
    entry = ENTRY._replace(**changes)
    ((origin, reject),) = items(source, entry=entry, layout=layout)
    assert isinstance(reject, Reject)
    assert (reject.id, origin.index, origin.id) == (entry.id, entry.index, entry.id)
    assert reject.source == f"{entry.index}/{entry.id}"
    assert reason in reject.reason


def test_the_fields_that_there_are_are_named_once():
    """A name with a typing error was only repeated, once for every document."""
    first, second = (reject for _, reject in items({"body": "x", "at": 1}, {"body": "y"}))
    assert isinstance(first, Reject)
    assert isinstance(second, Reject)
    assert "there is no field 'text' (fields: at, body); if another" in first.reason
    assert second.reason == "no text: there is no field 'text'"


def test_the_fields_of_a_document_with_a_routing_are_read_by_it():
    """Where an index requires one, the request was refused, and no document of the window was scored any more."""
    ((_, reject),) = items({"body": "x"}, entry=ENTRY._replace(routing="r"))
    assert isinstance(reject, Reject)
    assert "there is no field 'text' (fields: body); if another" in reject.reason


def test_a_routing_matters_where_it_is_needed_to_reach_a_document():
    entry = ENTRY._replace(routing="r")
    for origin, document in items({"text": "x"}, {"text": "y"}, entry=entry):
        assert not isinstance(document, Reject)
        assert origin.routing == "r"
    for origin, reject in items({"text": "x"}, {"text": "y"}, entry=entry, shards="2"):
        assert isinstance(reject, Reject)
        assert "it has a routing" in reject.reason
        assert f"{HOUR} has several shards" in reject.reason
        assert origin.routing == "r"


def test_that_documents_have_no_time_is_said_once(caplog):
    """Whoever writes the time to another field than the window's would have an order by ids, in silence."""
    timeless = ENTRY._replace(time=None)
    found = items({"text": "x"}, {"text": "y"}, entry=timeless)
    assert {document.time for _, document in found} == {"2026-11-21T09:00:00Z"}
    (told,) = (record.getMessage() for record in caplog.records)
    assert told.startswith(f"{HOUR}/a has no time in the field '@timestamp' (`neardup setup --time-field`)")


def test_that_documents_of_an_archive_have_no_time_is_said_once_unless_none_can_have_one(caplog):
    """One without a time became the original of an older copy that had one, in silence."""
    timeless = ENTRY._replace(index="old", time=None)
    found = items({"text": "x"}, {"text": "y"}, entry=timeless, layout=OLD)
    assert {document.time for _, document in found} == {"0001-01-01T00:00:00Z"}
    (told,) = (record.getMessage() for record in caplog.records)
    assert told.startswith(
        "old/a has no time in the field '@timestamp': such documents count as of the year 1"
    )
    caplog.clear()
    items({"text": "x"}, entry=timeless, layout=OLD, kind=None)  # `prepare` has said so of all of them
    assert not caplog.records


def test_that_seconds_were_taken_for_milliseconds_is_said_once(caplog):
    """They are of 1970 for a cluster, so that such documents left the window at once, in silence."""
    items({"text": "x"})
    items({"text": "x"}, {"text": "y"}, entry=ENTRY._replace(time=1_795_900_000))
    (told,) = (record.getMessage() for record in caplog.records)
    assert told.startswith(
        f"{HOUR}/a has a time of the first months of 1970 in the field '@timestamp': a cluster reads"
    )
