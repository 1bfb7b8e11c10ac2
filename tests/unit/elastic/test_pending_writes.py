"""What a batch writes: as a whole or not at all, and no longer than its lease is held."""

from __future__ import annotations

import time

import pytest
from testing.cluster_stand_in import PAGE_TOO_LARGE, error, standing_in
from testing.stored_documents import COMPOSER, StoredDocuments

from neardup.elastic.http.address import Address
from neardup.elastic.http.api import DocumentRef
from neardup.elastic.http.bulk import Action
from neardup.elastic.http.client import Cluster
from neardup.elastic.window import lease as lease_module
from neardup.elastic.window import state_document
from neardup.elastic.window.composer import Composer
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.pending_writes import PendingWrites
from neardup.elastic.window.state_document import StateDocument, scoring_lease
from neardup.errors import ClusterRejected, LeaseLost, WindowDamaged
from neardup.model.settings import Recipe
from neardup.signing.signer import signer_for

HOUR = "news-2026.11.21-09"
STATE = "neardup-state-news", "window"
COPIES = "news-copies-2026.11.21-09"
BAD = (400, "document_parsing_exception", "made up")
SIGNED_BY_NODES = Composer(Layout(Address("http://127.0.0.1:1", "news"), max_length=3), signer_for(Recipe()))
"""Of a window whose nodes sign no text of more than three characters, and did before."""
BUSY = (429, "es_rejected_execution_exception", "made up")
BLOCKED = (403, "cluster_block_exception", f"index [{HOUR}] blocked by: [FORBIDDEN/8/index write (api)]")


@pytest.fixture
def documents():
    return StoredDocuments()


@pytest.fixture
def cluster(documents):
    with standing_in(documents) as server, Cluster(Address(server.url, "news"), patience=5) as cluster:
        yield cluster


@pytest.fixture
def lease(cluster, monkeypatch):
    """One of a fraction of a second, held in the epoch 1."""
    monkeypatch.setattr(state_document, "LEASE_SECONDS", 0.4)
    lease = scoring_lease(cluster)
    lease.create(StateDocument({}, {}))
    lease.acquire()
    return lease


@pytest.fixture
def writes(cluster, lease):
    return PendingWrites(cluster, COMPOSER, lease)


def stored(documents):
    return {key: source for key, source in documents.sources.items() if key[0] != STATE[0]}


def create(writes, id, arrival):
    ref = DocumentRef(HOUR, id)
    writes.put(Action("create", *ref, {"neardup": {"order": arrival}}), id, arrival)


def test_what_is_written_of_a_batch_that_is_refused_is_withdrawn(documents, writes):
    documents.refused = lambda op, key: BAD if (op, key) == ("create", (HOUR, "bad")) else None
    create(writes, "good", 7)
    create(writes, "bad", 8)
    assert writes.send(1).keys() == {"bad"}
    assert stored(documents) == {}


@pytest.mark.parametrize(("type", "more"), [
    ("document_parsing_exception", " while adding new fields [22]"), ("illegal_argument_exception", ""),
], ids=["Elasticsearch", "OpenSearch"])  # fmt: skip
def test_a_document_with_more_fields_than_an_hour_may_have_is_rejected_with_what_to_do(
    documents, writes, type, more
):
    """In OpenSearch one such document ended the stream."""
    documents.refused = lambda op, key: (400, type, f"Limit of total fields [60] has been exceeded{more}")
    create(writes, "many", 7)
    assert "raise index.mapping.total_fields.limit, of that index" in writes.send(1)["many"]


def test_what_a_pipeline_sends_elsewhere_is_refused_and_stays_in_no_hour(documents, writes):
    places = {"in-an-hour": "news-2026.11.21-08", "outside": "trash"}
    documents.pipeline = lambda key: (places.get(key[1], key[0]), key[1])
    documents.put("news-2026.11.21-08", "another", {"neardup": {"order": 1}})
    for arrival, id in enumerate(("good", *places), 7):
        create(writes, id, arrival)
    assert writes.send(1) == {
        id: "Elasticsearch refuses it: an ingest pipeline, or an alias or data stream with the name of the index, "
        f"sends it elsewhere, to {index}/{id}; `neardup doctor` names such an alias or data stream, and says how to "
        "remove it"
        for id, index in places.items()
    }
    assert stored(documents).keys() == {("news-2026.11.21-08", "another"), ("trash", "outside")}


def test_what_a_dead_scorer_left_is_written_over_and_what_counts_is_not(documents, cluster):
    lease = scoring_lease(cluster)
    lease.create(StateDocument({}, {}, aborted=((3, 5),)))
    lease.acquire()
    writes = PendingWrites(cluster, COMPOSER, lease)
    documents.put(HOUR, "left", {"neardup": {"order": 4}})
    documents.put(HOUR, "counts", {"neardup": {"order": 2}})
    create(writes, "left", 7)
    assert writes.send(1) == {}
    create(writes, "counts", 8)
    assert "holds another document of this id" in writes.send(1)["counts"]
    orders = {id: source["neardup"]["order"] for (_, id), source in stored(documents).items()}
    assert orders == {"left": 7, "counts": 2}


def test_what_another_scorer_wrote_since_is_not_withdrawn(documents, writes):
    theirs = {"neardup": {"order": 20}}

    def refused(op, key):
        if op == "delete":  # so late comes what withdraws it
            documents.put(HOUR, "good", theirs)
            documents.put(*STATE, {**documents.sources[STATE], "holder": "another:1:abcdef01"})
        return BAD if (op, key) == ("create", (HOUR, "bad")) else None

    documents.refused = refused
    create(writes, "good", 7)
    create(writes, "bad", 8)
    with pytest.raises(LeaseLost, match="another"):
        writes.send(1)
    assert stored(documents) == {(HOUR, "good"): theirs}


def test_a_document_that_another_scorer_wrote_before_it_is_withdrawn_stays(documents, writes):
    theirs = {"neardup": {"order": 20}}

    def refused(op, key):
        if (op, key) == ("create", (HOUR, "bad")):
            documents.put(HOUR, "good", theirs)
            return BAD
        return None

    documents.refused = refused
    create(writes, "good", 7)
    create(writes, "bad", 8)
    assert writes.send(1).keys() == {"bad"}
    assert stored(documents) == {(HOUR, "good"): theirs}


def test_what_cannot_be_withdrawn_is_named(documents, writes):
    answers = {("create", "bad"): BAD, ("delete", "good"): BLOCKED}
    documents.refused = lambda op, key: answers.get((op, key[1]))
    create(writes, "good", 7)
    create(writes, "bad", 8)
    with pytest.raises(ClusterRejected, match=rf"delete {HOUR}/good with 403 .*lift the block"):
        writes.send(1)


def test_a_mark_that_another_client_deletes_needs_no_withdrawing(documents, writes):
    documents.put(HOUR, "theirs", {"text": "x"})

    def refused(op, key):
        if key == (HOUR, "bad"):
            del documents.sources[HOUR, "theirs"]
            return BAD
        return None

    documents.refused = refused
    theirs = DocumentRef(HOUR, "theirs")
    writes.put(Action("update", *theirs, {"neardup": {"order": 7}}, 1, 1), "theirs", 7)
    create(writes, "bad", 8)
    assert writes.send(1).keys() == {"bad"}
    assert stored(documents) == {}


def test_a_change_that_was_refused_before_anything_was_done_leaves_nothing_to_undo(documents, writes):
    """After one `neardup delete` in an hour that takes no writes nobody could score, until that took them again."""
    documents.put(HOUR, "known", {"neardup": {"order": 3}})
    before = stored(documents)
    documents.refused = lambda op, key: BLOCKED if (op, key) == ("delete", (HOUR, "known")) else None
    known = DocumentRef(HOUR, "known")
    writes.put(Action("delete", *known), "known")
    with pytest.raises(ClusterRejected, match="lift the block"):
        writes.send(1)
    assert stored(documents) == before
    assert documents.sources.keys() - before.keys() == {STATE}


def test_a_change_that_was_refused_in_part_leaves_its_undo_log(documents, writes):
    documents.refused = lambda op, key: BLOCKED if (op, key) == ("delete", (HOUR, "b")) else None
    for id in ("a", "b"):
        documents.put(HOUR, id, {"neardup": {"order": 3}})
        writes.put(Action("delete", HOUR, id), id)
    with pytest.raises(ClusterRejected, match="lift the block"):
        writes.send(1)
    assert documents.sources.keys() == {STATE, (STATE[0], "undo-1-0"), (HOUR, "b")}


def test_a_change_whose_request_was_refused_as_a_whole_leaves_its_undo_log(documents, writes, monkeypatch):
    """One beside it may have been given up without an answer, and still be done."""
    documents.put(HOUR, "known", {"neardup": {"order": 3}})
    answer = StoredDocuments.__call__

    def broken(self, request):
        is_change = request.path.startswith("/_bulk") and request.lines[0]["delete"]["_index"] == HOUR
        return error(500, "null_pointer_exception", "made up") if is_change else answer(self, request)

    monkeypatch.setattr(StoredDocuments, "__call__", broken)
    writes.put(Action("delete", HOUR, "known"), "known")
    with pytest.raises(ClusterRejected, match="null_pointer"):
        writes.send(1)
    assert documents.sources.keys() == {STATE, (STATE[0], "undo-1-0"), (HOUR, "known")}


ANEW = [{"text": "new", "neardup": {"fingerprint": "f"}}, {"text": "new", "neardup": None}]
"""Documents as another client has written them again, which wait to be scored."""


@pytest.mark.parametrize("anew", ANEW, ids=["signed", "null"])
def test_a_new_verdict_is_not_for_what_another_client_has_written_anew(documents, writes, anew, caplog):
    """With a verdict it would wait no more, and its text never be compared."""
    moved, revised = DocumentRef(HOUR, "moved"), DocumentRef(HOUR, "revised")
    for ref in (moved, revised):
        documents.put(*ref, anew)
    writes.move(moved, DocumentRef(COPIES, "moved"), {"status": "near", "order": 3}, "moved")
    writes.put(Action("update", *revised, {"neardup": {"status": "near", "order": 4}}), "revised")
    assert writes.send(1) == {}
    assert stored(documents) == {tuple(moved): anew, tuple(revised): anew}
    assert [message.split(": ")[1] for message in caplog.messages] == ["it is scored again"] * 2


def test_a_new_verdict_is_not_for_what_is_written_anew_at_the_same_moment(documents, writes):
    documents.put(HOUR, "revised", {"text": "old", "neardup": {"order": 4}})
    seen: list[object] = []

    def anew(op, key):
        if op == "update" and not seen:
            seen.append(key)
            documents.put(*key, ANEW[0])

    documents.refused = anew
    writes.put(Action("update", HOUR, "revised", {"neardup": {"status": "near", "order": 4}}), "revised")
    assert writes.send(1) == {}
    assert stored(documents) == {(HOUR, "revised"): ANEW[0]}


def replace_known(writes):
    """What `ingest` does with a document of a known id and another text."""
    writes.put(Action("delete", HOUR, "known"), "known")
    writes.put(Action("index", HOUR, "known", {"text": "ours", "neardup": {"order": 9}}), "known", 9)


def delete_known(writes):
    writes.put(Action("delete", HOUR, "known"), "known")


def move_known(writes):
    writes.move(
        DocumentRef(HOUR, "known"), DocumentRef(COPIES, "known"), {"status": "near", "order": 3}, "known"
    )


KNOWN = {"text": "old", "neardup": {"order": 3}}
REPLACED = "give this one another id, or delete that one"
SCORED = "let `neardup watch` score it, and run again"


@pytest.mark.parametrize(
    ("change", "known", "remedy"),
    [
        (replace_known, KNOWN, REPLACED),
        (replace_known, None, REPLACED),
        (delete_known, KNOWN, SCORED),
        (move_known, KNOWN, SCORED),
    ],
    ids=["replaced", "replaced-that-was-deleted", "deleted", "moved"],
)
def test_what_another_client_writes_while_its_document_is_changed_stays(
    documents, writes, change, known, remedy
):
    """Whoever deleted a document was told to give it another id."""
    if known:
        documents.put(HOUR, "known", known)
    seen: list[object] = []

    def anew(_op, key):
        if key == (HOUR, "known") and not seen:
            seen.append(key)
            documents.put(*key, ANEW[0])

    documents.refused = anew
    change(writes)
    refused = writes.send(1)
    assert (refused.keys(), len(seen)) == ({"known"}, 1)
    assert refused["known"].startswith("another client ")
    assert refused["known"].endswith(f": {remedy}")
    assert stored(documents) == {(HOUR, "known"): ANEW[0]}


def test_what_another_client_adds_to_a_document_while_it_is_moved_is_not_lost(documents, writes):
    documents.put(HOUR, "known", KNOWN)
    seen: list[object] = []

    def added_to(op, key):
        if op == "delete" and not seen:
            seen.append(key)
            documents.put(*key, KNOWN | {"rank": 1})

    documents.refused = added_to
    move_known(writes)
    reason = f"another client changed it in {HOUR} while it was moved: run again"
    assert (writes.send(1), len(seen)) == ({"known": reason}, 1)
    assert stored(documents) == {(HOUR, "known"): KNOWN | {"rank": 1}}


def test_what_another_client_has_written_anew_is_neither_deleted_nor_replaced(documents, writes, caplog):
    documents.put(HOUR, "known", ANEW[0])
    delete_known(writes)
    assert writes.send(1) == {}
    assert "was written anew by another client" in caplog.text
    replace_known(writes)
    assert "another client wrote a document of this id" in writes.send(1)["known"]
    assert stored(documents) == {(HOUR, "known"): ANEW[0]}


@pytest.mark.parametrize(
    ("theirs", "remedy"),
    [
        (ANEW[0], f"{COPIES}: this one is to be moved there, so delete that one, and run again"),
        ({"neardup": {"order": 2}}, "delete that document, or run `neardup doctor`"),
    ],
    ids=["unscored", "scored"],
)
def test_what_lies_where_a_document_is_to_be_moved_stays_and_so_does_the_document(
    documents, writes, theirs, remedy
):
    known = {"text": "old", "neardup": {"order": 3}}
    documents.put(HOUR, "known", known)
    documents.put(COPIES, "known", theirs)
    move_known(writes)
    refused = writes.send(1)["known"]
    assert COPIES in refused
    assert refused.endswith(remedy)
    assert stored(documents) == {(HOUR, "known"): known, (COPIES, "known"): theirs}


def test_a_long_document_that_is_moved_in_vain_is_where_it_was_alone(documents, cluster, lease, monkeypatch):
    """What nodes left unsigned of it passed for what another client had written, and stayed where it was to go."""
    whole, put = set(), documents.put

    def pipeline(key):
        whole.add(key)
        return key

    def left_unsigned(index, id, source):
        put(index, id, source | {"neardup": {"unsigned": "too long"}} if (index, id) in whole else source)
        whole.discard((index, id))

    documents.pipeline = pipeline
    for index, id, order in ((HOUR, "known", 3), (HOUR, "other", 4), (COPIES, "other", 2)):
        put(index, id, {"text": "long", "neardup": {"fingerprint": "f", "order": order}})
    monkeypatch.setattr(documents, "put", left_unsigned)
    before = set(stored(documents))
    writes = PendingWrites(cluster, SIGNED_BY_NODES, lease)
    move_known(writes)
    writes.move(
        DocumentRef(HOUR, "other"), DocumentRef(COPIES, "other"), {"status": "near", "order": 4}, "other"
    )
    assert writes.send(1).keys() == {"other"}
    assert set(stored(documents)) == before
    assert stored(documents)[HOUR, "known"]["neardup"] == {"fingerprint": "f", "order": 3, "unsigned": None}


def test_a_document_that_is_withdrawn_and_was_written_anew_meanwhile_stays(documents, writes):
    def refused(op, key):
        if op == "delete" and documents.sources[key] != ANEW[0]:
            documents.put(*key, ANEW[0])
        return BAD if (op, key) == ("create", (HOUR, "bad")) else None

    documents.refused = refused
    create(writes, "good", 7)
    create(writes, "bad", 8)
    assert writes.send(1).keys() == {"bad"}
    assert stored(documents) == {(HOUR, "good"): ANEW[0]}


def test_no_index_is_made_of_a_state_that_was_deleted_meanwhile(documents, writes, monkeypatch):
    """The undo log made it, without our mapping where the templates were deleted, too."""
    monkeypatch.setattr(lease_module, "SURE_SECONDS", 0.0)
    documents.put(HOUR, "old", {"text": "x", "neardup": {"order": 1}})
    del documents.sources[STATE]
    writes.put(Action("delete", HOUR, "old"), "old")
    with pytest.raises(WindowDamaged, match="no such document"):
        writes.send(1)
    assert documents.sources.keys() == {(HOUR, "old")}


def test_a_change_of_a_document_that_no_request_can_hold_is_refused_alone(documents, lease):
    """A node, or a proxy before it, takes less than such a document has, which was made by several writes."""
    small, large = DocumentRef(HOUR, "small"), DocumentRef(HOUR, "large")
    documents.put(*small, {"text": "x", "neardup": {"order": 1}})
    documents.put(*large, {"text": "x" * 600_000, "neardup": {"order": 2}})
    before = dict(stored(documents))

    def with_limit(request):
        return PAGE_TOO_LARGE if len(request.body) > 600_000 else documents(request)

    with standing_in(with_limit) as server, Cluster(Address(server.url, "news"), patience=5) as cluster:
        writes = PendingWrites(cluster, COMPOSER, lease)
        for ref in (small, large):
            writes.put(Action("delete", *ref), ref.id)
        refused = writes.send(1)
        assert refused.keys() == {"large"}
        assert "http.max_content_length" in refused["large"]
        assert stored(documents) == before
        writes.put(Action("delete", *small), small.id)
        writes.send(1)
        writes.committed()
    assert stored(documents) == {tuple(large): before[tuple(large)]}
    assert not [id for _, id in documents.sources if id.startswith("undo")]


LONG = 0.8
"""Seconds: two leases."""


def revisions(documents, writes):
    for number in range(3):
        ref = DocumentRef(HOUR, str(number))
        documents.put(*ref, {"neardup": {"order": number}})
        writes.put(Action("update", *ref, {"neardup": {"status": "near", "order": number}}), ref.id)


def test_the_lease_is_kept_while_the_cluster_is_busy(documents, cluster, lease, writes):
    end = time.monotonic() + LONG
    other = scoring_lease(cluster)
    lost = []

    def refused(_op, _key):
        lost.append(other.is_lost(other.read_existing()))
        return BUSY if time.monotonic() < end else None

    documents.refused = refused
    revisions(documents, writes)
    writes.send(1)
    assert len(lost) > 5
    assert not any(lost)
    assert {source["neardup"]["status"] for source in stored(documents).values()} == {"near"}


def test_the_lease_is_kept_while_whole_requests_are_put_off(documents, cluster, lease):
    end = time.monotonic() + LONG
    other = scoring_lease(cluster)
    lost = []

    def put_off(request):
        if not request.path.startswith("/_bulk") or time.monotonic() > end:
            return documents(request)
        lost.append(other.is_lost(other.read_existing()))
        return error(BUSY[0], *BUSY[1:])

    with (
        standing_in(put_off) as server,
        Cluster(Address(server.url, "news"), patience=5) as through,
    ):
        writes = PendingWrites(through, COMPOSER, lease)
        create(writes, "a", 7)
        writes.send(1)
    assert len(lost) > 5
    assert not any(lost)
    assert stored(documents) == {(HOUR, "a"): {"neardup": {"order": 7}}}


def test_who_loses_the_lease_while_the_cluster_is_busy_writes_nothing_more(documents, lease, writes):
    end = time.monotonic() + LONG
    seen = []

    def refused(_op, _key):
        seen.append(time.monotonic())
        if len(seen) == 3:
            documents.put(*STATE, {**documents.sources[STATE], "holder": "another:1:abcdef01"})
        return BUSY if time.monotonic() < end else None

    documents.refused = refused
    revisions(documents, writes)
    with pytest.raises(LeaseLost, match="another"):
        writes.send(1)
    assert seen[-1] < end
    assert all("status" not in source["neardup"] for source in stored(documents).values())


def test_a_deleted_document_is_named_in_one_line_of_the_log(writes, caplog):
    ref = DocumentRef(HOUR, "a\nWARNING b")
    writes.put(Action("update", *ref, {"neardup": {"status": "near"}}), ref.id)
    writes.send(1)
    assert caplog.messages == [f"a\\x0aWARNING b in {HOUR} was deleted by another client"]


def test_a_document_that_came_too_late_and_takes_no_mark_is_refused_alone(documents, writes):
    """In an hour whose mapping is strict one such document ended `neardup watch`, at every look anew."""
    for id in ("late", "other"):
        documents.put(HOUR, id, {"text": id})
    documents.refused = lambda op, key: BAD if key == (HOUR, "late") else None
    for version, id in enumerate(("late", "other"), 1):
        writes.put(Action("update", HOUR, id, {"neardup": {"status": "unscored"}}, version, 1), id)
    assert writes.send(1).keys() == {"late"}


def test_a_mark_without_an_arrival_whose_answer_was_lost_is_there(documents, writes, caplog):
    """It was said to be scored again: it has been, and is not."""
    documents.put(HOUR, "late", {"text": "late"})
    mark = {"neardup": {"status": "unscored", "scored_at": "2026-11-21T09:00:00.123Z"}}
    version = documents._versions[HOUR, "late"], 1
    for _ in "ab":
        writes.put(Action("update", HOUR, "late", mark, *version), "late")
        assert writes.send(1) == {}
    assert stored(documents)[HOUR, "late"] == {"text": "late", **mark}
    assert caplog.messages == []
