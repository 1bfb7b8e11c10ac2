"""What a batch writes: as a whole or not at all, and no longer than its lease is held."""

from __future__ import annotations

import pytest
from testing.cluster_stand_in import standing_in
from testing.stored_documents import StoredDocuments

from neardup.elastic.http import client
from neardup.elastic.http.address import Address
from neardup.elastic.http.api import DocumentRef
from neardup.elastic.http.bulk import Action
from neardup.elastic.http.client import Cluster
from neardup.elastic.window.pending_writes import DocumentsRefused, PendingWrites
from neardup.elastic.window.undo_log import UndoLog
from neardup.errors import ClusterRejected

HOUR = "news-2026.11.21-09"
COPIES = "news-copies-2026.11.21-09"
BAD = (400, "document_parsing_exception", "made up")
BLOCKED = (403, "cluster_block_exception", f"index [{HOUR}] blocked by: [FORBIDDEN/8/index write (api)]")


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr(client, "FIRST_WAIT", 0.01)


@pytest.fixture
def documents():
    return StoredDocuments()


@pytest.fixture
def cluster(documents):
    with standing_in(documents) as server, Cluster(Address(server.url, "news"), patience=1) as cluster:
        yield cluster


def writes_of(cluster):
    return PendingWrites(cluster, lambda _: True, "text", str, UndoLog(cluster), lambda: None)


def create(writes, id, arrival):
    ref = DocumentRef(HOUR, id)
    writes.put(ref, Action("create", *ref, {"neardup": {"order": arrival}}), id, arrival)


def test_what_is_written_of_a_batch_that_is_refused_is_withdrawn(documents, cluster):
    documents.refused = lambda op, key: BAD if (op, key) == ("create", (HOUR, "bad")) else None
    writes = writes_of(cluster)
    create(writes, "good", 7)
    create(writes, "bad", 8)
    with pytest.raises(DocumentsRefused) as caught:
        writes.send(1)
    assert caught.value.reasons.keys() == {"bad"}
    assert documents.sources == {}


def test_what_cannot_be_withdrawn_is_named(documents, cluster):
    answers = {("create", "bad"): BAD, ("delete", "good"): BLOCKED}
    documents.refused = lambda op, key: answers.get((op, key[1]))
    writes = writes_of(cluster)
    create(writes, "good", 7)
    create(writes, "bad", 8)
    with pytest.raises(ClusterRejected, match=rf"delete {HOUR}/good with 403 .*lift the block"):
        writes.send(1)


def test_a_mark_that_another_client_deletes_needs_no_withdrawing(documents, cluster):
    documents.put(HOUR, "theirs", {"text": "x"})

    def refused(op, key):
        if key == (HOUR, "bad"):
            del documents.sources[HOUR, "theirs"]
            return BAD
        return None

    documents.refused = refused
    writes = writes_of(cluster)
    theirs = DocumentRef(HOUR, "theirs")
    writes.put(theirs, Action("update", *theirs, {"neardup": {"order": 7}}, 1, 1), "theirs", 7)
    create(writes, "bad", 8)
    with pytest.raises(DocumentsRefused):
        writes.send(1)
    assert documents.sources == {}


def test_a_document_in_which_another_client_has_put_null_for_our_object_is_moved_and_revised(
    documents, cluster
):
    for id in ("moved", "revised"):
        documents.put(HOUR, id, {"text": id, "neardup": None})
    writes = writes_of(cluster)
    writes.move(DocumentRef(HOUR, "moved"), DocumentRef(COPIES, "moved"), {"status": "near"})
    revised = DocumentRef(HOUR, "revised")
    writes.put(revised, Action("update", *revised, {"neardup": {"status": "near"}}), "revised")
    writes.send(1)
    writes.committed()
    assert documents.sources == {
        (COPIES, "moved"): {"text": "moved", "neardup": {"status": "near"}},
        (HOUR, "revised"): {"text": "revised", "neardup": {"status": "near"}},
    }
