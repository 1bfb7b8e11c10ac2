"""The document API of a cluster, for a stand-in (`cluster_stand_in.py`): single requests, `_mget` and bulk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs

import orjson
from testing.cluster_stand_in import Answer, Request, error

from neardup.elastic.http.address import Address
from neardup.elastic.window.composer import Composer
from neardup.elastic.window.index_layout import Layout
from neardup.model.settings import Recipe
from neardup.signing.signer import signer_for

Key = tuple[str, str]
COMPOSER = Composer(Layout(Address("http://127.0.0.1:1", "news"), client_signs=True), signer_for(Recipe()))
"""For a window in which clients sign: stored documents are written as they are."""


class StoredDocuments:
    """Documents by index and id, each with its version, in existing `indices`. `refused`: the status, type and reason
    with which an item of a bulk request is refused, None for an item that is executed. `pipeline`: the place to which
    a pipeline sends a new document.
    """

    def __init__(
        self, refused: Callable[[str, Key], tuple[int, str, str] | None] = lambda _, __: None
    ) -> None:
        self.sources: dict[Key, dict[str, Any]] = {}
        self.indices = {"news-2026.11.21-09"}
        self.refused = refused
        self.pipeline: Callable[[Key], Key] = lambda key: key
        self._versions: dict[Key, int] = {}
        self._writes = 0

    def put(self, index: str, id: str, source: dict[str, Any]) -> None:
        """Writes a document, as another client would."""
        self._writes += 1
        self.sources[index, id], self._versions[index, id] = source, self._writes
        self.indices.add(index)

    def delete(self, index: str) -> None:
        """Deletes an index, as another client would."""
        self.indices.remove(index)
        self.sources = {key: source for key, source in self.sources.items() if key[0] != index}

    def __call__(self, request: Request) -> Answer:
        path, _, query = request.path.partition("?")
        if path == "/_mget":
            named = [(each["_index"], each["_id"]) for each in orjson.loads(request.body)["docs"]]
            return Answer(200, {"docs": [self._got(key) for key in named]})
        if path == "/_bulk":
            lines = iter(request.lines)
            return Answer(200, {"items": [self._item(head, lines) for head in lines]})
        _, index, what, id = path.split("/")
        if what == "_settings":
            return Answer(200, {name: {"settings": {}} for name in self.indices})
        if request.method == "GET":
            return Answer(200 if (index, id) in self.sources else 404, self._got((index, id)))
        op = parse_qs(query).get("op_type", ["index"])[0]
        conditions = {name: int(value) for name, (value,) in parse_qs(query).items() if name == "if_seq_no"}
        done = self._done(op, (index, id), conditions, orjson.loads(request.body))
        return Answer(200, done) if done["status"] < 300 else error(done["status"], "conflict", "made up")

    def _got(self, key: Key) -> dict[str, Any]:
        name = {"_index": key[0], "_id": key[1], "found": key in self.sources}
        return name | ({"_source": self.sources[key], **self._version(key)} if name["found"] else {})

    def _version(self, key: Key) -> dict[str, int]:
        return {"_seq_no": self._versions[key], "_primary_term": 1}

    def _item(self, head: dict[str, Any], lines: Iterator[Any]) -> dict[str, Any]:
        ((op, name),) = head.items()
        key = name["_index"], name["_id"]
        source = {} if op == "delete" else next(lines)
        refused = self.refused(op, key)
        if refused is not None:
            return {op: {"status": refused[0], "error": {"type": refused[1], "reason": refused[2]}}}
        index, id = key = self.pipeline(key) if op in ("create", "index") else key
        return {op: {"_index": index, "_id": id, **self._done(op, key, name, source)}}

    def _done(self, op: str, key: Key, conditions: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
        there = key in self.sources
        is_other = conditions.get("if_seq_no", self._versions.get(key)) != self._versions.get(key)
        if is_other or (op == "create" and there):
            return {"status": 409, "error": {"type": "version_conflict", "reason": "made up"}}
        if op in ("delete", "update") and not there:
            return {"status": 404, "result": "not_found", "error": {"type": "missing", "reason": "made up"}}
        if op == "delete":
            del self.sources[key], self._versions[key]
            return {"status": 200, "result": "deleted"}
        if op == "update":
            own = self.sources[key]
            source = {
                **own,
                **{name: {**(own.get(name) or {}), **value} for name, value in source["doc"].items()},
            }
        self.put(*key, source)
        return {
            "status": 200 if there else 201,
            "result": "updated" if there else "created",
            **self._version(key),
        }
