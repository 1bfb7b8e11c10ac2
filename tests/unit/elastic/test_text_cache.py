"""Texts read back from a cluster: how many at once."""

from __future__ import annotations

import numpy as np
import orjson
import pytest
from testing.cluster_stand_in import Answer, standing_in

from neardup.elastic.http.address import Address
from neardup.elastic.http.api import DocumentRef
from neardup.elastic.http.client import Cluster
from neardup.elastic.window.text_cache import NO_TEXT, TextCache
from neardup.model.settings import Recipe
from neardup.signing.signer import signer_for
from neardup.stores.records import ROW


@pytest.mark.parametrize(
    ("sizes", "asked"),
    [
        (600 * [4_000], [256, 256, 88]),
        (8 * [10_000_000], [3, 3, 2]),
        ([4_000, 90_000_000, 4_000], [1, 1, 1]),
    ],
)
def test_an_answer_holds_so_many_texts_and_so_many_bytes_of_them(sizes, asked):
    """A hundred texts of 10 MB in one answer took a gigabyte."""

    def gone(request):
        if not request.path.startswith("/_mget"):
            return Answer(404, {})
        return Answer(
            200, {"docs": [{**each, "found": False} for each in orjson.loads(request.body)["docs"]]}
        )

    rows = np.zeros(len(sizes), ROW)
    rows["text_bytes"], rows["order"] = sizes, range(len(sizes))
    refs = [DocumentRef("news-1", str(at)) for at in range(len(sizes))]
    with standing_in(gone) as server, Cluster(Address(server.url, "news"), patience=0) as cluster:
        texts = TextCache(cluster, "text", signer_for(Recipe())).read(refs, rows)
    assert texts == len(sizes) * [NO_TEXT]
    reads = [request for request in server.requests if request.path.startswith("/_mget")]
    assert [len(request.lines[0]["docs"]) for request in reads] == asked


def test_an_index_that_is_gone_is_told_once_and_documents_that_are_gone_from_another_by_name(caplog):
    def script(request):
        if request.path.startswith("/_mget"):
            docs = orjson.loads(request.body)["docs"]
            return Answer(200, {"docs": [{**each, "found": False} for each in docs]})
        return Answer(404, {}) if request.path.startswith("/news-1/") else Answer(200, {"count": 1})

    refs = [DocumentRef(f"news-{1 + (at > 3)}", str(at)) for at in range(6)]
    rows = np.zeros(2, ROW)
    with standing_in(script) as server, Cluster(Address(server.url, "news"), patience=0) as cluster:
        cache = TextCache(cluster, "text", signer_for(Recipe()))
        for at in range(0, 6, 2):
            rows["order"] = at, at + 1
            cache.read(refs[at : at + 2], rows)
    assert [line.partition(":")[0] for line in caplog.messages] == [
        "news-1 is gone", "4 in news-2 is gone", "5 in news-2 is gone",
    ]  # fmt: skip
    looks = [
        request.path.split("/")[1] for request in server.requests if not request.path.startswith("/_mget")
    ]
    assert [looks.count(name) for name in ("news-1", "news-2")] == [1, 1]
