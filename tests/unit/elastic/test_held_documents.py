"""What is read of documents to be shown: how many at once."""

from __future__ import annotations

import numpy as np
import orjson
from testing.cluster_stand_in import Answer, standing_in

from neardup.elastic.http.address import Address
from neardup.elastic.http.api import DocumentRef
from neardup.elastic.http.client import Cluster
from neardup.elastic.window.held_documents import HeldDocuments
from neardup.elastic.window.index_layout import ElasticContext, Layout
from neardup.elastic.window.state_document import scoring_lease
from neardup.model.settings import Recipe, Settings
from neardup.signing.signer import signer_for
from neardup.stores.base import Shown
from neardup.stores.records import ROW


def test_an_answer_holds_so_many_bytes_of_the_texts_that_are_shown():
    """A report of 256 texts of 3 MB asked for all of them at once, of which a node with a heap of 1 GB died."""

    def gone(request):
        return Answer(
            200, {"docs": [{**each, "found": False} for each in orjson.loads(request.body)["docs"]]}
        )

    rows = np.zeros(8, ROW)
    rows["order"], rows["text_bytes"] = np.arange(8), 10_000_000
    refs = [DocumentRef("news-1", str(place)) for place in range(8)]
    with standing_in(gone) as server, Cluster(Address(server.url, "news"), patience=0) as cluster:
        layout, signer = Layout(cluster.address), signer_for(Recipe())
        held = HeldDocuments(ElasticContext(cluster, layout, scoring_lease(cluster), signer, Settings()))
        held.add(rows, refs, 8 * [b""])
        assert held.shown(rows) == 8 * [Shown()]
    assert [len(request.lines[0]["docs"]) for request in server.requests] == [3, 3, 2]


def test_a_document_whose_text_another_client_took_away_is_shown_without_and_named(caplog):
    """It passed for one that is gone, of which the normal form alone is kept."""
    there = {"found": True, "_seq_no": 1, "_primary_term": 1, "_source": {"text": 12345, "source": "wire"}}
    rows = np.zeros(1, ROW)
    with (
        standing_in([Answer(200, {"docs": [there]})]) as server,
        Cluster(Address(server.url, "news"), patience=0) as cluster,
    ):
        context = ElasticContext(
            cluster, Layout(cluster.address), scoring_lease(cluster), signer_for(Recipe()), Settings()
        )
        held = HeldDocuments(context)
        held.add(rows, [DocumentRef("news-1", "a")], [b""])
        assert held.shown(rows) == [Shown("", {"source": "wire"})]
        assert held.texts(rows) == [b""]
    shown, compared = caplog.messages
    assert "a in news-1 has no text in its field text any more" in shown
    assert "a in news-1 has no text in its field text that this user may read" in compared
