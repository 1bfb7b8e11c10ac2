"""Fuzz targets for answers of a cluster: any bytes give an answer or one of our own errors, and no other exception."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any

import orjson
from elastic_transport import HttpHeaders
from testing.fuzz.target import Target, refusal

from neardup.elastic.admin.managed_objects import WindowConfig
from neardup.elastic.http import admin_api, api
from neardup.elastic.http.address import Address, Credentials
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.http.client import Cluster, _Json
from neardup.elastic.http.mget import mget
from neardup.elastic.http.scan import time_field
from neardup.elastic.reindex.index_reader import IndexReader, Source
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.loader import stored_part
from neardup.elastic.window.opening import _opened
from neardup.elastic.window.state_document import read_state
from neardup.model.settings import Recipe
from neardup.signing.signer import signer_for
from neardup.sources.fields import Fields
from neardup.stores.base import Commit

ADDRESS = Address("http://localhost:1", "news")
MOST_REQUESTS = 20


class TooMany(Exception):
    """It sends requests without end."""


class _Scripted:
    """What the transport returns for bytes that a server sent: one answer after the other, the last repeated."""

    def __init__(self, answers: list[bytes]) -> None:
        self._answers, self._asked = answers, 0

    def perform_request(self, method: str, path: str, **_: Any) -> Any:
        self._asked += 1
        if self._asked > MOST_REQUESTS:
            raise TooMany
        answer = self._answers[min(self._asked, len(self._answers)) - 1]
        has_status = answer[3:4] == b"|" and answer[:3].isdigit() and b"2" <= answer[:1] < b"6"
        status, body = (int(answer[:3]), answer[4:]) if has_status else (200, answer)
        headers = HttpHeaders({"x-elastic-product": "Elasticsearch"})
        return SimpleNamespace(status=status, headers=headers), _Json(Credentials().hidden).loads(body)

    def close(self) -> None:
        pass


def _cluster(data: bytes) -> Cluster:
    cluster = Cluster(ADDRESS, patience=0)
    cluster._transport.close()
    cluster._transport = _Scripted(data.split(b"\0"))  # type: ignore[assignment]
    return cluster


def _told(ask: Any) -> None:
    with contextlib.suppress(TooMany):
        refusal(ask)


def _bulk(data: bytes) -> None:
    actions = [
        Action("index", "news-1", "a", {"x": 1}),
        Action("create", "news-1", "b", {}),
        Action("delete", "news-1", "c"),
    ]
    _told(lambda: bulk(_cluster(data), actions))


def _search(data: bytes) -> None:
    _told(lambda: api.search(_cluster(data), "news", {}))
    _told(lambda: list(api.search_pages(_cluster(data), "news", {}, size=2)))
    _told(lambda: list(api.snapshot_pages(_cluster(data), "news", {}, size=2)))
    _told(lambda: api.count(_cluster(data), "news"))
    _told(lambda: api.field_types(_cluster(data), "news", "time"))
    _told(lambda: mget(_cluster(data), [api.DocumentRef("news-1", "a"), api.DocumentRef("news-1", "b")]))
    _told(lambda: api.get_doc(_cluster(data), "news", "a"))
    _told(lambda: api.put_doc(_cluster(data), "news", "a", {}))


def _state(data: bytes) -> None:
    _told(lambda: read_state(_cluster(data)))
    _told(lambda: _opened(_cluster(data), None, {}, readonly=True, archive=None, remember=True))


def _stored(data: bytes) -> None:
    """Documents with our fields, which another client may have changed."""
    _told(lambda: stored_part(Layout(ADDRESS), api.search(_cluster(data), "news", {}).hits))


def _index(data: bytes) -> None:
    """An index read as a source of documents."""
    cluster = _cluster(data)

    def read() -> None:
        source = Source(cluster, "old", Fields("_id", "text", ("time",)))
        list(IndexReader(source))

    _told(read)
    _told(lambda: time_field(_cluster(data), "old", ("time",)))


def _admin(data: bytes) -> None:
    for ask in (admin_api.health, admin_api.shard_limit, admin_api.has_lifecycle):
        _told(lambda ask=ask: ask(_cluster(data)))
    _told(lambda: admin_api.mappings(_cluster(data), "news"))
    _told(lambda: admin_api.alias(_cluster(data), "news"))
    _told(lambda: admin_api.index_settings(_cluster(data), "news", "index.uuid", params={}))
    _told(lambda: admin_api.nodes(_cluster(data), "plugins", fields=("name",)))


def _hit(**fields: Any) -> dict[str, Any]:
    return {
        "_index": "news-2026.11.21-09",
        "_id": "a",
        "_seq_no": 1,
        "_primary_term": 1,
        "sort": [1],
        "_source": fields,
    }


STORED = {
    "fingerprint": "00" * 16,
    "qgram_count": 3,
    "sketch": ["0" * 16],
    "sieve": None,
    "sentences": [],
    "simhash_bands": ["0:1:00ff"],
    "identity": "a",
    "time": 1,
    "order": 1,
    "group_order": 1,
    "group_time": 1,
    "larger": 0,
    "normal_bytes": 5,
    "status": "unique",
    "candidates": 0,
    "truncated": False,
    "group": "a",
    "shared": 1,
    "score": 0.5,
    "duplicate_of": "b",
    "duplicate_time": 1,
    "matches": [{"id": "b", "score": 0.5, "shared": 1}],
}
STATE = {
    "about": WindowConfig(Recipe(), signer_for(Recipe()).text).about(),
    "settings": {"threshold": 0.7},
    "commit": Commit()._asdict(),
    "changes": 0,
    "gaps": [{"from": 1, "to": 2}],
    "holder": None,
    "until": 0,
    "archive": None,
    "turn": 1,
    "undo": [],
}
SEARCH = orjson.dumps(
    {
        "hits": {"hits": [_hit(neardup=STORED, text="x")]},
        "aggregations": {"each": {"buckets": {}}},
        "pit_id": "p",
    }
)
ERROR = (
    b'400|{"error": {"type": "x", "reason": "y", "root_cause": [{"reason": "z"}], "caused_by": {"reason": "w"}}, '
    b'"status": 400}'
)
BULK = orjson.dumps(
    {
        "errors": True,
        "items": [
            {"index": {"status": 201, "result": "created", "_seq_no": 1, "_primary_term": 1}},
            {"create": {"status": 409, "error": {"type": "v", "reason": "r", "caused_by": {"reason": "s"}}}},
            {"delete": {"status": 200, "result": "deleted"}},
        ],
    }
)
MISC = [
    b'{"count": 3}',
    b'{"_seq_no": 1, "_primary_term": 2}',
    b'{"found": true, "_source": {}, "_seq_no": 1, "_primary_term": 2}',
    (
        b'{"docs": [{"found": true, "_source": {}, "_seq_no": 1, "_primary_term": 2}, '
        b'{"error": {"type": "x", "reason": "y"}}]}'
    ),
    b'{"fields": {"time": {"date": {}, "unmapped": {}}}}',
    b'{"id": "pit"}\0' + SEARCH,
]
INDEX = [
    b'{"old": {"mappings": {"_source": {"enabled": true}}}}',
    b'{"fields": {"time": {"date": {}}}}',
    b'{"count": 1}',
    b'{"id": "pit"}',
    orjson.dumps({"hits": {"hits": [_hit()]}}),
    b'{"docs": [{"found": true, "_source": {"text": "x"}, "_seq_no": 1, "_primary_term": 2}]}',
]

TARGETS = [
    Target(
        "answers_bulk",
        _bulk,
        lambda: [BULK, b"429|" + BULK, ERROR, b"503|<html>", b'200|{"items": []}', ERROR + b"\0" + BULK],
    ),
    Target("answers_search", _search, lambda: [SEARCH, ERROR, b"404|{}", b"[]", *MISC]),
    Target(
        "answers_state",
        _state,
        lambda: [
            orjson.dumps({"found": True, "_source": {"format": 1, **STATE}, "_seq_no": 1, "_primary_term": 1})
        ],
    ),
    Target("answers_stored", _stored, lambda: [SEARCH]),
    Target("answers_index", _index, lambda: [b"\0".join(INDEX)]),
    Target(
        "answers_admin",
        _admin,
        lambda: [
            b'{"news": {"settings": {"index": {"uuid": "x"}}, "mappings": {}, "aliases": {"news": {}}}}',
            b'{"nodes": {"x": {"name": "n", "plugins": [{"name": "neardup"}]}}}',
            b'{"persistent": {}, "transient": {}, "defaults": {"cluster": {"max_shards_per_node": "1000"}}}',
        ],
    ),
]
