"""Documents by name, as they stand now, refreshed or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from http.client import BAD_REQUEST
from typing import TYPE_CHECKING, Any, Final, Protocol
from weakref import WeakSet

from neardup.elastic.http.admin_api import is_readable
from neardup.elastic.http.api import StoredDocument, stored_document
from neardup.elastic.http.exact_json import dumps
from neardup.elastic.http.permission_errors import permission_error
from neardup.elastic.http.remedies import remedy_for
from neardup.elastic.http.unexpected import reads_answer
from neardup.errors import ClusterRejected

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

_MOST: Final = 256
"""Documents in one request."""
_ANSWER_BYTES: Final = 8_000_000
"""About as much of whole documents is asked for in one answer: a node holds the answer in memory, and runs out of
memory rather than refuse.
"""
FIRST_READ: Final = 8
"""Documents that are asked for while their size is unknown."""
_GROWTH: Final = 4
_MOST_NAMES: Final = 1_000
"""Indices in one request."""
_NO_INDEX: Final = "index_not_found_exception"
_NO_RIGHT: Final = "security_exception"
_ANSWERED_FIRST: Final = (_NO_INDEX, "illegal_argument_exception")
"""Errors of an item that come before rights are checked: its name stands for no index, or for several."""
_VECTORS: Final = "_source_exclude_vectors"
"""A parameter without which Elasticsearch leaves vectors out of whole documents (indices made since 9.2)."""
_WITHOUT_VECTORS: Final = WeakSet["Cluster"]()
"""Clusters that do not know `_VECTORS`; their whole documents have vectors in them."""


class Named(Protocol):
    """Anything that says where a document lies, with a `routing` if the document has one."""

    @property
    def index(self) -> str:
        """Its index."""

    @property
    def id(self) -> str:
        """Its `_id`."""


@reads_answer
def mget(
    cluster: Cluster,
    documents: Sequence[Named],
    between: Callable[[], object] = lambda: None,
    /,
    **fields: str,
) -> list[StoredDocument | None]:
    """The stored documents, in the order of `documents`; None for each that does not exist.

    `fields` as in a request: `_source`, `_source_includes`, `_source_excludes`. Documents come with their vectors, so
    that they can be written elsewhere or back; not if `fields` names what is wanted of them. A missing index holds no
    documents; a shard that does not answer is waited for, because its documents still exist. Raises
    `ClusterUnreachable` when patience is over, `ClusterRefused`, and `ClusterRejected` for an index that is closed.
    Costs a request for every 256 documents, or, without `fields`, for as few as make an answer of a few megabytes;
    `between` is called after each request, and before each wait.
    """
    there: list[StoredDocument | None] = []
    at, size = 0, _MOST if fields else FIRST_READ
    while at < len(documents):
        names = [_address(each) for each in documents[at : at + size]]
        part = [stored_document(answer) for answer in _answers(cluster, names, fields, between)]
        there += part
        at += len(names)
        if not fields and at < len(documents):
            size = next_size([each for each in part if each is not None], size)
        between()
    return there


def next_size(part: Sequence[StoredDocument], size: int, most: int = _MOST) -> int:
    """How many documents to ask for next, at most `most`, after a request for `size`, of which `part` exist."""
    average = sum(len(dumps(each.source)) for each in part) / max(len(part), 1)
    return max(1, min(most, _GROWTH * size, round(_ANSWER_BYTES / max(average, 1))))


@reads_answer
def check_readable(cluster: Cluster, indices: Iterable[str], others: Iterable[str] = ()) -> None:
    """Raises `ClusterRefused` if this user may not read one of `indices`, existing or not, or one of `others` that
    exists: a search by a pattern silently skips such an index. Costs a request for every 1,000 names, and one for each
    of `indices` that does not exist; none waits for a shard.
    """
    needed = set(indices)
    names = sorted(needed.union(others))
    for at in range(0, len(names), _MOST_NAMES):
        docs = [{"_index": index, "_id": "_"} for index in names[at : at + _MOST_NAMES]]
        answer = cluster.request("POST", "/_mget", params={"_source": "false"}, body={"docs": docs})
        for each in answer["docs"]:
            error = each.get("error", {"type": None})
            _check_rights(cluster, error)
            if error["type"] in _ANSWERED_FIRST and each["_index"] in needed:
                is_readable(cluster, each["_index"])


def _check_rights(cluster: Cluster, error: dict[str, Any]) -> None:
    if error["type"] == _NO_RIGHT:
        raise permission_error(cluster.address, "POST /_mget", 403, _NO_RIGHT, str(error.get("reason")))


def _answers(
    cluster: Cluster, names: list[dict[str, str]], fields: dict[str, str], between: Callable[[], object]
) -> list[dict[str, Any]]:
    backoff = cluster.backoff()
    while True:
        answers: list[dict[str, Any]]
        answers = _answer(cluster, names, fields)["docs"]
        unread = [each for each in answers if "error" in each and each["error"]["type"] != _NO_INDEX]
        if not unread:
            return answers
        error = unread[0]["error"]
        kind, reason = str(error["type"]), str(error.get("reason"))
        _check_rights(cluster, error)
        indices = ", ".join(sorted({str(each["_index"]) for each in unread}))
        remedy = remedy_for(kind)
        if remedy is not None:
            raise ClusterRejected(cluster.url, f"a GET of {indices}", BAD_REQUEST, kind, reason, remedy)
        between()
        backoff.wait(cluster.url, f"{len(unread)} documents of {indices} cannot be read ({kind})")


def _answer(cluster: Cluster, names: list[dict[str, str]], fields: dict[str, str]) -> Any:
    body = {"docs": names}
    if fields.keys() <= {"_source_excludes"} and cluster not in _WITHOUT_VECTORS:
        try:
            return cluster.request("POST", "/_mget", params={**fields, _VECTORS: "false"}, body=body)
        except ClusterRejected as error:
            # An older version, or OpenSearch; a request for the version may need rights that we do not have.
            if error.status != BAD_REQUEST or _VECTORS not in error.reason:
                raise
            _WITHOUT_VECTORS.add(cluster)
    return cluster.request("POST", "/_mget", params=fields, body=body)


def _address(document: Named) -> dict[str, str]:
    routing = getattr(document, "routing", None)
    return {"_index": document.index, "_id": document.id} | ({"routing": routing} if routing else {})
