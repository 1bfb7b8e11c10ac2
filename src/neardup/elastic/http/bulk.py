"""Many writes in few requests: cut by bytes, some side by side, refused items sent again, an outcome for every item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from http import HTTPStatus
from itertools import chain
from typing import Any, Final, Literal, NamedTuple

import orjson

from neardup.elastic.http.api import DocumentRef, Version
from neardup.elastic.http.client import BUSY, NODE_GONE, Cluster, with_causes
from neardup.elastic.http.exact_json import dumps
from neardup.elastic.http.halves import by_halves
from neardup.elastic.http.permission_errors import permission_error
from neardup.elastic.http.remedies import never_fits, remedy_for
from neardup.elastic.http.side_by_side import side_by_side
from neardup.elastic.http.unexpected import reads_answer
from neardup.errors import ClusterError, ClusterRejected
from neardup.model.tuples import maker_of

DEFAULT_MAX_BYTES: Final = 5_000_000
"""Elasticsearch holds a request in memory several times over; all requests together may take a tenth of the heap."""

AT_ONCE: Final = 2
"""Concurrent requests. A scorer writes to one or two hours, of one shard each, and one request keeps one thread of a
node busy. Four requests, each with a segment of its own, cost a node of two cores a tenth more work.
"""
FEWEST_ACTIONS: Final = 32
"""The fewest actions of a request that is sent beside others: from here on, its fixed cost is negligible."""

BAD_REQUEST: Final = 400
TOO_LARGE: Final = 413
CHANGED_MEANWHILE: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
"""Statuses of a write on a document that somebody else has deleted, or changed, since it was read."""
FOR_ONE_ITEM: Final = (BAD_REQUEST, TOO_LARGE)
"""Statuses of a whole request that may be due to one of its items, or to all of them together."""
_WAITED_FOR_MAPPING: Final = "timed out while waiting for a dynamic mapping update"
"""The error of an item, with status 500, in a busy cluster."""
DROPPED: Final = "an ingest pipeline of the index drops it"
SENT_ELSEWHERE: Final = (
    "an ingest pipeline, or an alias or data stream with the name of the index, sends it elsewhere, to {index}/{id}; "
    "`neardup doctor` names such an alias or data stream, and says how to remove it"
)
_FAILED: Final = "fail_processor_exception"
"""The type of the error by which a pipeline refuses a document, with status 500."""
_OF_DATA_STREAM: Final = "targeting backing indices is disallowed"
OF_ONE_ITEM: Final = "bulk item"
"""The error type for an action that was refused within a request that was not."""
NO_ITEMS_FAULT: Final = ("media_type_header_exception",)
"""Errors of a whole request that each of its items would get alone, too."""

Op = Literal["create", "index", "update", "delete"]

_ANSWER: Final = "errors," + ",".join(
    f"items.*.{key}" for key in ("_index", "_id", "status", "result", "error")
)


class Action(NamedTuple):
    """One write. `source`: the document, for `update` the part of it that is merged in; a dict, or encoded already.

    With `if_seq_no` and `if_primary_term` it is applied only if the document has not changed since (else 409). A
    document that was written with a `routing` may be reachable only by it (else 404). `as_stored`: writes a stored
    document back, without running the default pipeline again.
    """

    op: Op
    index: str  # type: ignore[assignment]  # the word of the reference; nobody asks an action for `tuple.index`
    id: str
    source: dict[str, Any] | bytes | None = None
    if_seq_no: int | None = None
    if_primary_term: int | None = None
    routing: str | None = None
    as_stored: bool = False

    @property
    def ref(self) -> DocumentRef:
        """Where the action's document lies."""
        return DocumentRef(self.index, self.id)

    def if_version(self, version: Version | None) -> Action:
        """This write, applied only to this version of the document; None: to any."""
        seq_no, primary_term = version or (None, None)
        return self._replace(if_seq_no=seq_no, if_primary_term=primary_term)


class Outcome(NamedTuple):
    """The result of an action: an HTTP status, and the error if there is one.

    `elsewhere`: where the document went, if a pipeline or an alias put it elsewhere than it was sent.
    """

    status: int
    error: str | None
    elsewhere: DocumentRef | None = None

    @property
    def ok(self) -> bool:
        """Whether the document is now as the action wanted it."""
        return 200 <= self.status < 300


_outcome_of = maker_of(Outcome)


def bulk(
    cluster: Cluster,
    actions: Iterable[Action],
    *,
    refresh: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    at_once: int = AT_ONCE,
    between: Callable[[], object] = lambda: None,
) -> list[Outcome]:
    """The outcome of every action, in the order of `actions`.

    The actions are cut into parts of `max_bytes`, and each part is sent in up to `at_once` concurrent requests.

    Items that are refused because the cluster is busy are sent again, without the others, until `cluster.patience` is
    over, which raises `ClusterUnreachable`; so does a request that reaches no cluster. Any other error of an item is
    its outcome (400 also for one that a pipeline drops, fails, or sends to another index or id, and for one that was
    sent to an alias). A request that is refused as a whole, because of one item or because it is too large, is sent in
    halves. Actions on the same document are applied in order. If an answer is lost, the whole request is sent again: a
    `create` that had been applied then has status 409, a `delete` 404, and the caller must interpret that.

    `between` is called in this thread: after each part of `max_bytes`, and every half second while several requests are
    under way; with a single request, before each wait for refused items, and after each wait for a cluster that is away
    or busy. If it raises, no further request begins, and those under way are finished.
    """
    outcomes: list[Outcome] = []
    for chunk in _chunks(actions, max_bytes):
        works = [partial(_send, cluster, part, refresh) for part in _parts(chunk, at_once)]
        outcomes += chain.from_iterable(side_by_side(works, between))
        between()
    return outcomes


def bulk_done(
    cluster: Cluster,
    actions: Sequence[Action],
    *,
    between: Callable[[], object] = lambda: None,
) -> list[Outcome]:
    """The outcomes of `bulk` if each action was done, or failed only because another client had changed or deleted the
    document, or because a data stream does not take a document back (`is_gone_for_good`).

    Raises `ClusterRejected`, or `ClusterRefused`, for the first action that was refused for another reason.
    """
    outcomes = bulk(cluster, actions, between=between)
    for action, outcome in zip(actions, outcomes, strict=True):
        if not (outcome.ok or outcome.status in CHANGED_MEANWHILE or is_gone_for_good(outcome)):
            raise refusal(cluster, action, outcome)
    return outcomes


def is_gone_for_good(outcome: Outcome) -> bool:
    """Whether a write was refused because a data stream, which takes new documents only at its end, lacks its
    document.
    """
    return _OF_DATA_STREAM in (outcome.error or "")


def refusal(cluster: Cluster, action: Action, outcome: Outcome) -> ClusterError:
    """The error for an action that the cluster refuses, with the name of the document, and a remedy if one is known;
    `ClusterRefused` for missing rights, without which every other document would be refused, too.
    """
    what, reason = f"{action.op} {action.index}/{action.id}", str(outcome.error)
    if outcome.status == HTTPStatus.FORBIDDEN:
        return permission_error(cluster.address, what, outcome.status, OF_ONE_ITEM, reason)
    return ClusterRejected(cluster.url, what, outcome.status, OF_ONE_ITEM, reason, remedy_for(reason))


def _chunks(actions: Iterable[Action], max_bytes: int) -> Iterator[list[bytes]]:
    """Encoded actions of at most `max_bytes` together (one that is larger goes alone), no document twice in a chunk.

    If one request had two items on one document, the first could be refused and the second done; sent again, the first
    would then undo the second.
    """
    chunk: list[bytes] = []
    size, there = 0, set[tuple[str, str]]()
    for action in actions:
        encoded = _encode(action)
        key = action.index, action.id
        if chunk and (size + len(encoded) > max_bytes or key in there):
            yield chunk
            chunk, size, there = [], 0, set()
        chunk.append(encoded)
        size += len(encoded)
        there.add(key)
    if chunk:
        yield chunk


def _parts(chunk: Sequence[bytes], at_once: int) -> list[Sequence[bytes]]:
    """A chunk in up to `at_once` parts of about equally many actions, never very few."""
    count = max(1, min(at_once, len(chunk) // FEWEST_ACTIONS))
    size = -(-len(chunk) // count)
    return [chunk[at : at + size] for at in range(0, len(chunk), size)]


def _encode(action: Action) -> bytes:
    head: dict[str, Any] = {"_index": action.index, "_id": action.id}
    if action.if_seq_no is not None:
        head |= {"if_seq_no": action.if_seq_no, "if_primary_term": action.if_primary_term}
    if action.routing is not None:
        head["routing"] = action.routing
    if action.as_stored:
        head["pipeline"] = "_none"  # instead of index.default_pipeline; that of index.final_pipeline runs
    line = orjson.dumps({action.op: head}) + b"\n"
    if action.op == "delete":
        return line
    source = action.source if isinstance(action.source, bytes) else dumps(action.source or {})
    if action.op == "update":
        # Even an update that changes nothing makes a new version, so that delayed writes to the old version fail.
        source = b'{"detect_noop":false,"doc":' + source + b"}"
    return line + source + b"\n"


@reads_answer
def _send(
    cluster: Cluster, chunk: Sequence[bytes], refresh: str | None, between: Callable[[], object]
) -> list[Outcome]:
    """The outcomes of a chunk; only what was refused goes again."""
    # The cluster must report a missing shard before the client stops waiting.
    params = {"filter_path": _ANSWER, "timeout": f"{int(500 * cluster.timeout)}ms"}
    params |= {"refresh": refresh} if refresh else {}
    backoff = cluster.backoff()
    outcomes = _answers_by_halves(cluster, chunk, params, between)
    while refused := [i for i, outcome in enumerate(outcomes) if _is_put_off(outcome)]:
        between()
        why = outcomes[refused[0]].error
        backoff.wait(cluster.url, f"{len(refused)} of {len(outcomes)} writes put off ({why})")
        again = _answers_by_halves(cluster, [chunk[i] for i in refused], params, between)
        for i, outcome in zip(refused, again, strict=True):
            outcomes[i] = outcome
    return outcomes


def _is_put_off(outcome: Outcome) -> bool:
    """Whether an item is to be sent again: the cluster is busy, or the node that was to do it has just left."""
    reason = outcome.error or ""
    return outcome.status in BUSY or reason.startswith(NODE_GONE) or _WAITED_FOR_MAPPING in reason


def _answers(
    cluster: Cluster, chunk: Sequence[bytes], params: dict[str, Any], between: Callable[[], object]
) -> list[Outcome]:
    """The cluster's answer to every action of one request."""
    answer = cluster.request("POST", "/_bulk", params=params, body=b"".join(chunk), between=between)
    items: list[dict[str, Any]] = answer.get("items", [])
    if len(items) != len(chunk):
        reason = f"{len(items)} answers to {len(chunk)} writes"
        raise ClusterRejected(cluster.url, "POST /_bulk", 200, "items_missing", reason)
    outcomes = list(map(_outcome, items, chunk))
    large = [i for i, outcome in enumerate(outcomes) if outcome.error and never_fits(outcome.error)]
    if len(chunk) > 1:  # the items for one shard may be too large for it only together
        for part in (large[: len(large) // 2], large[len(large) // 2 :]):
            alone = _answers(cluster, [chunk[i] for i in part], params, between) if part else []
            for i, outcome in zip(part, alone, strict=True):
                outcomes[i] = outcome
    return outcomes


def _can_be_for_one_item(error: ClusterRejected) -> bool:
    """Whether a whole request can have been refused because of one of its items, or because there are so many."""
    is_its_fault = error.status in FOR_ONE_ITEM or never_fits(error.reason)
    return is_its_fault and error.type not in NO_ITEMS_FAULT


def _answers_by_halves(
    cluster: Cluster, chunk: Sequence[bytes], params: dict[str, Any], between: Callable[[], object]
) -> list[Outcome]:
    """The cluster's answers to actions; a refused request is repeated in halves, down to the action at fault."""
    return by_halves(
        lambda part: _answers(cluster, part, params, between), chunk, _refused, splits=_can_be_for_one_item
    )


def _refused(encoded: bytes, error: ClusterRejected) -> list[Outcome]:
    """The outcome of an action because of which its request was refused."""
    reason = f"{error.reason}; {error.remedy}" if error.status == TOO_LARGE else error.reason
    answer = {"status": error.status, "error": {"type": error.type, "reason": reason}}
    return [_outcome({"refused": answer}, encoded)]


def _outcome(item: dict[str, Any], encoded: bytes) -> Outcome:
    """The outcome of the action that was sent as `encoded`."""
    ((op, answer),) = item.items()
    if answer.get("result") == "noop" and op in ("create", "index"):
        return Outcome(BAD_REQUEST, DROPPED)
    if _is_elsewhere(op, answer, encoded):
        there = DocumentRef(answer["_index"], answer["_id"])
        return Outcome(BAD_REQUEST, SENT_ELSEWHERE.format(**there._asdict()), there)
    error = answer.get("error")
    if not error:
        return _outcome_of((answer["status"], None, None))
    if isinstance(error, dict):
        error = with_causes(f"{error.get('type')}: {error.get('reason')}", error.get("caused_by"))
    if error.startswith(_FAILED):
        return Outcome(BAD_REQUEST, error)
    return Outcome(TOO_LARGE if never_fits(error) else answer["status"], error)


def _is_elsewhere(op: str, answer: dict[str, Any], encoded: bytes) -> bool:
    """Whether a document is now, or was already, at another index or id than the one where it was sent as `encoded`."""
    if op not in ("create", "index") or "_index" not in answer:
        return False
    if "error" in answer and answer["status"] != HTTPStatus.CONFLICT:
        return False
    return not encoded.startswith(orjson.dumps({op: {"_index": answer["_index"], "_id": answer["_id"]}})[:-2])
