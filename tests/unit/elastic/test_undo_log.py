"""The undo log: what a dead scorer changed is as it was, or the log stays for whoever tries again."""

from __future__ import annotations

from unittest import mock

import pytest
from testing.cluster_stand_in import PAGE_TOO_LARGE, standing_in
from testing.stored_documents import COMPOSER, StoredDocuments

from neardup.elastic.http.address import Address
from neardup.elastic.http.client import Cluster
from neardup.elastic.window.undo_log import UndoEntry, UndoLog
from neardup.errors import ClusterRejected

HOUR = "news-2026.11.21-09"
BLOCKED = (403, "cluster_block_exception", f"index [{HOUR}] blocked by: [FORBIDDEN/8/index write (api)]")
KEPT = mock.Mock()
"""The lease."""
OLD, NEW = {"text": "old", "neardup": {"order": 3}}, {"text": "new", "neardup": {"order": 12}}


@pytest.fixture
def documents():
    return StoredDocuments()


@pytest.fixture
def cluster(documents):
    with standing_in(documents) as server, Cluster(Address(server.url, "news"), patience=1) as cluster:
        yield cluster


def logs(documents):
    return sorted(id for index, id in documents.sources if index == "neardup-state-news")


def test_a_log_of_many_documents_passes_a_proxy_that_takes_one_megabyte(documents):
    old = {str(number): {"text": "x" * 8_000, "n": number} for number in range(300)}

    def proxy(request):
        return PAGE_TOO_LARGE if len(request.body) > 2**20 else documents(request)

    with standing_in(proxy) as server, Cluster(Address(server.url, "news"), patience=1) as cluster:
        UndoLog(cluster, KEPT, COMPOSER).write(7, [UndoEntry(HOUR, id, source) for id, source in old.items()])
        assert UndoLog(cluster, KEPT, COMPOSER).undo([7]) == 300
    assert documents.sources == {(HOUR, id): source for id, source in old.items()}


def test_a_log_passes_where_less_is_taken_than_one_part_has(documents):
    old = {str(number): {"text": "x" * 40_000} for number in range(9)}
    entries = [UndoEntry(HOUR, id, source) for id, source in old.items()]
    large = UndoEntry(HOUR, "large", {"text": "x" * 99_000})

    def proxy(request):
        return PAGE_TOO_LARGE if len(request.body) > 99_000 else documents(request)

    with standing_in(proxy) as server, Cluster(Address(server.url, "news"), patience=1) as cluster:
        assert UndoLog(cluster, KEPT, COMPOSER).write(7, [*entries[:4], large, *entries[4:]]) == [large]
        assert UndoLog(cluster, KEPT, COMPOSER).undo([7]) == 9
    assert documents.sources == {(HOUR, id): source for id, source in old.items()}


def test_what_was_deleted_from_a_data_stream_stays_so(documents, cluster, caplog):
    """It takes no document back, and no scorer opened the window any more."""
    stream = ".ds-logs-web-default-2026.11.21-000001"
    UndoLog(cluster, KEPT, COMPOSER).write(7, [UndoEntry(stream, id, OLD) for id in "ab"])
    documents.put(stream, "b", NEW)
    words = "index request with op_type=create targeting backing indices is disallowed"
    backing = (400, "illegal_argument_exception", words)
    documents.refused = lambda _, key: backing if key == (stream, "a") else None
    assert UndoLog(cluster, KEPT, COMPOSER).undo([7]) == 2
    assert logs(documents) == []
    assert documents.sources == {(stream, "b"): OLD}
    assert f"a in {stream} was deleted" in caplog.text


@pytest.mark.parametrize("entry", [UndoEntry(HOUR, "a", OLD), UndoEntry(HOUR, "a")], ids=["index", "delete"])
def test_what_cannot_be_put_back_is_named_and_its_log_stays_for_the_next_epoch(documents, cluster, entry):
    UndoLog(cluster, KEPT, COMPOSER).write(7, [entry])
    documents.put(HOUR, "a", NEW)
    documents.refused = lambda _, key: BLOCKED if key[0] == HOUR else None
    words = rf"{HOUR}/a with 403 .*blocked by.*; lift the block of that index"
    with pytest.raises(ClusterRejected, match=words):
        UndoLog(cluster, KEPT, COMPOSER).undo([7])
    assert logs(documents) == ["undo-7-0"]
    documents.refused = lambda _, __: None
    assert UndoLog(cluster, KEPT, COMPOSER).undo([7]) == 1
    assert documents.sources == ({(HOUR, "a"): OLD} if entry.source else {})


def test_a_write_of_the_dead_holder_that_lands_while_its_changes_are_undone_is_undone_too(documents, cluster):
    UndoLog(cluster, KEPT, COMPOSER).write(7, [UndoEntry(HOUR, "a", OLD), UndoEntry(HOUR, "b", OLD)])
    for id in "ab":
        documents.put(HOUR, id, NEW)
    late = [NEW | {"text": "late"}]

    def lands(_op, key):
        if key == (HOUR, "a") and late:
            documents.put(*key, late.pop())

    documents.refused = lands
    assert UndoLog(cluster, KEPT, COMPOSER).undo([7]) == 2
    assert documents.sources == {(HOUR, "a"): OLD, (HOUR, "b"): OLD}


def test_what_is_deleted_while_it_is_undone_needs_no_undoing(documents, cluster):
    UndoLog(cluster, KEPT, COMPOSER).write(7, [UndoEntry(HOUR, "a")])
    documents.put(HOUR, "a", NEW)
    documents.refused = lambda _, key: (404, "index_not_found_exception", "no") if key[0] == HOUR else None
    assert UndoLog(cluster, KEPT, COMPOSER).undo([7]) == 1
    assert logs(documents) == []


@pytest.mark.parametrize("entry", [
    UndoEntry(HOUR, "a", OLD), UndoEntry(HOUR, "a", {"text": "old", "neardup": None}),
])  # fmt: skip
def test_a_document_in_which_another_client_has_put_null_for_our_object_is_put_back(
    documents, cluster, entry
):
    UndoLog(cluster, KEPT, COMPOSER).write(7, [entry])
    documents.put(HOUR, "a", {"text": "old", "neardup": None})
    assert UndoLog(cluster, KEPT, COMPOSER).undo([7]) == 1
    assert documents.sources == {(HOUR, "a"): entry.source}


@pytest.mark.parametrize("ours", [None, {"fingerprint": "f"}], ids=["null", "signed"])
def test_a_verdict_is_not_put_back_on_what_another_client_has_written_anew(documents, cluster, ours):
    """With a verdict it would wait no more, and its text never be compared."""
    before, after = {"order": 3, "status": "near"}, {"order": 3, "status": "exact"}
    UndoLog(cluster, KEPT, COMPOSER).write(7, [UndoEntry(HOUR, id, fields=before) for id in "ab"])
    documents.put(HOUR, "a", {"text": "new", "neardup": ours})
    documents.put(HOUR, "b", {"text": "old", "neardup": after})
    UndoLog(cluster, KEPT, COMPOSER).undo([7])
    assert documents.sources == {
        (HOUR, "a"): {"text": "new", "neardup": ours},
        (HOUR, "b"): {"text": "old", "neardup": before},
    }


ANEW = [
    {"text": "anew", "neardup": {"fingerprint": "f"}},
    {"text": "anew", "neardup": None},
    {"text": "anew"},
]
"""What another client has written by an id that a dead scorer had changed, which waits to be scored."""


@pytest.mark.parametrize("anew", ANEW, ids=["signed", "null", "bare"])
@pytest.mark.parametrize("source", [OLD, None], ids=["deleted or replaced", "moved there"])
def test_what_another_client_has_written_since_stays(documents, cluster, source, anew):
    """The text before, or nothing, was put in its place: the client's was lost."""
    UndoLog(cluster, KEPT, COMPOSER).write(7, [UndoEntry(HOUR, "a", source)])
    documents.put(HOUR, "a", anew)
    UndoLog(cluster, KEPT, COMPOSER).undo([7])
    assert documents.sources == {(HOUR, "a"): anew}


def test_what_another_client_writes_while_a_document_is_put_back_stays(documents, cluster):
    UndoLog(cluster, KEPT, COMPOSER).write(7, [UndoEntry(HOUR, "a", OLD)])
    documents.refused = lambda _, key: documents.put(*key, ANEW[0]) if key == (HOUR, "a") else None
    UndoLog(cluster, KEPT, COMPOSER).undo([7])
    assert documents.sources == {(HOUR, "a"): ANEW[0]}


def test_an_hour_that_another_client_has_deleted_is_not_made_anew_by_an_undo(documents, cluster, caplog):
    """It was, of the one document that was to be put back."""
    other = "news-2026.11.21-10"
    entries = [UndoEntry(HOUR, "a", OLD), UndoEntry(HOUR, "b"), UndoEntry(other, "c", OLD)]
    UndoLog(cluster, KEPT, COMPOSER).write(7, entries)
    documents.put(other, "c", NEW)
    documents.delete(HOUR)
    assert UndoLog(cluster, KEPT, COMPOSER).undo([7]) == 2
    assert documents.sources == {(other, "c"): OLD}
    assert caplog.messages == [f"{HOUR}: deleted, but not by neardup; changes in it (1) cannot be undone"]
