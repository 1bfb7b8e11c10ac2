"""Random faults of proxies, networks and busy clusters for `testing.window.proxy.Proxy`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from testing.window.proxy import JSON, Answer, Fault, Forward, Request

if TYPE_CHECKING:
    from random import Random

HTML = {"content-type": "text/html"}
LIES = {**JSON, "content-type": "application/json"}
PAGE = b"<html><head><title>Bad Gateway</title></head><body><h1>nginx</h1></body></html>\n"
TIMEOUT = 1.5
"""Seconds after which a client of these tests counts a request as lost."""


# ---- answers that are none ----


def cut_short(random: Random) -> Fault:
    """The connection ends in the middle of the answer."""

    def fault(request: Request, forward: Forward) -> Answer:
        answer = forward(request)
        return answer._replace(body=answer.body[: _middle(random, answer)], claimed=len(answer.body) + 1)

    return fault


def cut_to_fit(random: Random) -> Fault:
    """The second half of the answer is missing, and its head says that it is whole."""

    def fault(request: Request, forward: Forward) -> Answer:
        answer = forward(request)
        return answer._replace(body=answer.body[: _middle(random, answer)])

    return fault


def _middle(random: Random, answer: Answer) -> int:
    return random.randrange(len(answer.body)) if answer.body else 0


def empty(random: Random) -> Fault:
    """The node executed the request or never received it, and the answer has no body."""

    def fault(request: Request, forward: Forward) -> Answer:
        if random.random() < 0.5:
            forward(request)
        return Answer(200, JSON, b"")

    return fault


def page(random: Random, *statuses: int) -> Fault:
    """A page of a proxy that reaches no node, or lost the connection while the node executed the request."""

    def fault(request: Request, forward: Forward) -> Answer:
        if random.random() < 0.5:
            forward(request)
        return Answer(random.choice(statuses), HTML, PAGE)

    return fault


def slow(random: Random) -> Fault:
    """The answer comes too late; the node begins at once, or after the client has given up."""

    def fault(request: Request, forward: Forward) -> Answer:
        seconds = TIMEOUT * random.uniform(1.1, 1.5)
        if random.random() < 0.5:
            time.sleep(seconds)
            return forward(request)
        answer = forward(request)
        time.sleep(seconds)
        return answer

    return fault


# ---- errors ----


def refused(random: Random, *statuses: int) -> Fault:
    """Security refuses the request: no credentials, or not these rights."""

    def fault(request: Request, forward: Forward) -> Answer:
        status = random.choice(statuses)
        reason = (
            f"action [indices:data/write/bulk] is unauthorized for user [made up] on indices [{request.path}]"
        )
        return failure(status, "security_exception", reason)

    return fault


def failure(status: int, type: str, reason: str) -> Answer:
    """An error in the form of Elasticsearch."""
    body = {"error": {"type": type, "reason": reason}, "status": status}
    return Answer(status, JSON, json.dumps(body).encode())


def items_failing(random: Random, *errors: tuple[int, str]) -> Fault:
    """Some items of a bulk request fail with errors (status, type), and are not executed; other requests pass."""

    def fault(request: Request, forward: Forward) -> Answer:
        if not request.is_bulk:
            return forward(request)
        chosen = [random.choice(errors) if random.random() < 0.3 else None for _ in actions(request)]
        kept = b"".join(
            action for (_, action), error in zip(actions(request), chosen, strict=True) if error is None
        )
        done = iter(json.loads(forward(request._replace(body=kept)).body)["items"] if kept else ())
        items = [
            next(done)
            if error is None
            else {op: {"status": error[0], "error": {"type": error[1], "reason": "made up"}}}
            for (op, _), error in zip(actions(request), chosen, strict=True)
        ]
        return Answer(200, JSON, json.dumps({"errors": any(chosen), "items": items}).encode())

    return fault


def actions(request: Request) -> list[tuple[str, bytes]]:
    """The actions of a bulk request, each with its lines."""
    found, lines = [], iter(request.body.splitlines(keepends=True))
    for head in lines:
        (op,) = json.loads(head)
        found.append((op, head if op == "delete" else head + next(lines)))
    return found


# ---- answers of a part ----


def partial(random: Random) -> Fault:
    """Some shards are missing from the answer to a search, a count, a refresh or a read by name."""

    def fault(request: Request, forward: Forward) -> Answer:
        answer = forward(request)
        if answer.status != 200 or not answer.body.startswith(b"{"):
            return answer
        body = json.loads(answer.body)
        without_some(random, body)
        return answer._replace(body=json.dumps(body).encode())

    return fault


def without_some(random: Random, body: dict[str, Any]) -> None:
    """Removes something from an answer, and says so as Elasticsearch does."""
    if "docs" in body and "hits" not in body:
        _unread(random, body["docs"])
    if "_shards" not in body or "_seq_no" in body:
        return
    if "hits" in body:
        body["hits"]["hits"] = [hit for hit in body["hits"]["hits"] if random.random() < 0.5]
        body["aggregations"] = {}
        if random.random() < 0.5:
            body["timed_out"] = True
            return
    if "count" in body:
        body["count"] //= 2
    total = max(body["_shards"].get("total", 1), 1)
    body["_shards"] |= {"total": total, "successful": total - 1, "failed": 1}


def _unread(random: Random, documents: list[dict[str, Any]]) -> None:
    error = {"type": "no_shard_available_action_exception", "reason": "made up"}
    for i, document in enumerate(documents):
        if random.random() < 0.5:
            documents[i] = {"_index": document["_index"], "_id": document["_id"], "error": error}


# ---- which requests ----


def at_random(random: Random, share: float, first: int = 1) -> Callable[[int, Request], bool]:
    """A share of all requests from number `first` on."""
    return lambda place, _: place >= first and random.random() < share


def within(first: int, last: int) -> Callable[[int, Request], bool]:
    """All requests with these numbers."""
    return lambda place, _: first <= place <= last
