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
"""Elasticsearch holds a request in memory several times over; all that are under way may take a tenth of the heap."""

AT_ONCE: Final = 2
"""Requests side by side. What a scorer writes goes to one or two hours, of one shard each, and one request keeps one
thread of a node at work. Of four, each with a segment of its own, a node of two cores has a tenth more to do.
"""
FEWEST_ACTIONS: Final = 32
"""Of a request that goes side by side with others: what each costs beside its items is nothing then."""

BAD_REQUEST: Final = 400
TOO_LARGE: Final = 413
CHANGED_MEANWHILE: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
"""Statuses of a write on a document that somebody else has deleted, or changed, since it was read."""
FOR_ONE_ITEM: Final = (BAD_REQUEST, TOO_LARGE)
"""Statuses of a whole request that may be due to one of its items, or to all of them together."""
_WAITED_FOR_MAPPING: Final = "timed out while waiting for a dynamic mapping update"
"""What a busy cluster says of an item with status 500."""
DROPPED: Final = "an ingest pipeline of the index drops it"
SENT_ELSEWHERE: Final = (
    "an ingest pipeline, or an alias or data stream called as the index, sends it elsewhere, to {index}/{id}; "
    "`neardup doctor` says what such an alias or data stream is, and how to take it away"
)
_FAILED: Final = "fail_processor_exception"
"""The type of the error by which a pipeline refuses a document, with status 500."""
_OF_DATA_STREAM: Final = "targeting backing indices is disallowed"
OF_ONE_ITEM: Final = "bulk item"
"""The type of the error for an action that was refused, whose request was answered as all that went with it."""
NO_ITEMS_FAULT: Final = ("media_type_header_exception",)
"""Errors of a whole request that would meet each of its items alone."""

Op = Literal["create", "index", "update", "delete"]

_ANSWER: Final = "errors," + ",".join(
    f"items.*.{key}" for key in ("_index", "_id", "status", "result", "error")
)


class Action(NamedTuple):
    """One write. `source`: the document, for `update` the part of it that is merged in; a dict, or encoded already.

    With `if_seq_no` and `if_primary_term` it happens only if nobody has changed the document meanwhile (else 409). A
    document that was written with a `routing` may be reached by it alone (else 404). `as_stored`: what was stored
    before is written again, and goes through no default pipeline once more.
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
        """Where its document lies."""
        return DocumentRef(self.index, self.id)

    def if_version(self, version: Version | None) -> Action:
        """The same write, which happens only to this version of the document; None: to any."""
        seq_no, primary_term = version or (None, None)
        return self._replace(if_seq_no=seq_no, if_primary_term=primary_term)


class Outcome(NamedTuple):
    """What became of an action: an HTTP status, and the error if there is one.

    `elsewhere` a pipeline has put the document, instead of where it was sent.
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
    """The outcome of every action, in their order.

    Of each part of `max_bytes` up to `at_once` requests are under way side by side.

    Items refused because the cluster is busy are sent again, alone, until `cluster.patience` is over, which raises
    `ClusterUnreachable`; so does a request that finds no cluster. Any other error of an item is its outcome (400 also
    for one that a pipeline drops, fails, or sends to another index or id, and for one that was sent to an alias); a
    request that is refused as a whole, for the sake of one item or because it is too large, is sent in halves.
    Actions on the same document happen in their order. An answer that is lost makes the whole request be sent again:
    a `create` that had landed then has status 409, a `delete` 404, and the caller knows what to make of it.

    `between` is called in this thread: after each part of `max_bytes`, and every half second while several requests are
    under way; of one alone before each wait for refused items, and after each for a cluster that is away or busy. No
    further request is begun if it raises, and those under way come to their end.
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
    """`bulk`, of which every action has been done, or met a document that another client had changed or deleted, or was
    to put back one that a data stream does not take back (`is_gone_for_good`).

    Raises `ClusterRejected`, or `ClusterRefused`, for the first that was refused for another reason.
    """
    outcomes = bulk(cluster, actions, between=between)
    for action, outcome in zip(actions, outcomes, strict=True):
        if not (outcome.ok or outcome.status in CHANGED_MEANWHILE or is_gone_for_good(outcome)):
            raise refusal(cluster, action, outcome)
    return outcomes


def is_gone_for_good(outcome: Outcome) -> bool:
    """Whether a document was to be written where it is no more, and a data stream takes new ones at its end alone."""
    return _OF_DATA_STREAM in (outcome.error or "")


def refusal(cluster: Cluster, action: Action, outcome: Outcome) -> ClusterError:
    """The error for an action that the cluster refuses, with the name of the document, and what to do where that is
    known; `ClusterRefused` for a lack of rights, which every other document would meet alike.
    """
    what, reason = f"{action.op} {action.index}/{action.id}", str(outcome.error)
    if outcome.status == HTTPStatus.FORBIDDEN:
        return permission_error(cluster.address, what, outcome.status, OF_ONE_ITEM, reason)
    return ClusterRejected(cluster.url, what, outcome.status, OF_ONE_ITEM, reason, remedy_for(reason))


def _chunks(actions: Iterable[Action], max_bytes: int) -> Iterator[list[bytes]]:
    """Encoded actions of at most `max_bytes` together (one that is larger goes alone), no document twice in a chunk.

    Of two items on one document in one request the first could be refused and the second done; sent again, the first
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
    """A chunk in up to `at_once` parts of about as many actions, never of very few."""
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
        # Even one that changes nothing makes a new version: writes to the old one that are still on their way fail.
        source = b'{"detect_noop":false,"doc":' + source + b"}"
    return line + source + b"\n"


@reads_answer
def _send(
    cluster: Cluster, chunk: Sequence[bytes], refresh: str | None, between: Callable[[], object]
) -> list[Outcome]:
    """The outcomes of a chunk; only what was refused goes again."""
    # A shard that is away is to be told of by the cluster, before the client hangs up.
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
    """What the cluster says to every action of one request."""
    answer = cluster.request("POST", "/_bulk", params=params, body=b"".join(chunk), between=between)
    items: list[dict[str, Any]] = answer.get("items", [])
    if len(items) != len(chunk):
        reason = f"{len(items)} answers to {len(chunk)} writes"
        raise ClusterRejected(cluster.url, "POST /_bulk", 200, "items_missing", reason)
    outcomes = list(map(_outcome, items, chunk))
    large = [i for i, outcome in enumerate(outcomes) if outcome.error and never_fits(outcome.error)]
    if len(chunk) > 1:  # what of a request lies in one shard is together too large for it
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
    """What the cluster says to actions: of a request that it refuses, to the halves, and so to the one at fault."""
    return by_halves(
        lambda part: _answers(cluster, part, params, between), chunk, _refused, splits=_can_be_for_one_item
    )


def _refused(encoded: bytes, error: ClusterRejected) -> list[Outcome]:
    """What became of an action whose request was refused for its sake."""
    reason = f"{error.reason}; {error.remedy}" if error.status == TOO_LARGE else error.reason
    answer = {"status": error.status, "error": {"type": error.type, "reason": reason}}
    return [_outcome({"refused": answer}, encoded)]


def _outcome(item: dict[str, Any], encoded: bytes) -> Outcome:
    """What became of the action that was sent as `encoded`."""
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
    """Whether a document is now, or has been before, at another place than the one where it was sent as `encoded`."""
    if op not in ("create", "index") or "_index" not in answer:
        return False
    if "error" in answer and answer["status"] != HTTPStatus.CONFLICT:
        return False
    return not encoded.startswith(orjson.dumps({op: {"_index": answer["_index"], "_id": answer["_id"]}})[:-2])
