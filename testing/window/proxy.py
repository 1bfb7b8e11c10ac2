"""A connection that fails at a chosen request, as with a bad network, a busy cluster or a dying node."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

HOP_BY_HOP = ("connection", "content-length", "host", "keep-alive", "transfer-encoding")


class Request(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def is_bulk(self) -> bool:
        return self.path.startswith("/_bulk")


class Answer(NamedTuple):
    """`claimed`: a wrong length of the body to announce in the head; then the connection is cut."""

    status: int
    headers: dict[str, str]
    body: bytes
    claimed: int | None = None


Forward = Callable[[Request], Answer]
Fault = Callable[[Request, Forward], Answer | None]
"""What happens to a request: an answer, or None for no answer at all."""

JSON = {"content-type": "application/json", "x-elastic-product": "Elasticsearch"}


def lost(request: Request, forward: Forward) -> None:
    """The node executed the request, but the answer was lost."""
    forward(request)


def unheard(request: Request, forward: Forward) -> None:
    """The request never reached the node."""


def busy(request: Request, forward: Forward) -> Answer:
    """The node is busy and refuses the whole request."""
    body = {"error": {"type": "es_rejected_execution_exception", "reason": "made up"}, "status": 429}
    return Answer(429, JSON, json.dumps(body).encode())


def too_large(request: Request, forward: Forward) -> Answer:
    """A proxy refuses the request as too large."""
    return Answer(413, {"content-type": "text/html"}, b"<html>too large</html>")


def half_busy(request: Request, forward: Forward) -> Answer:
    """The node executes every second write of a bulk request, and refuses the others as busy."""
    if not request.is_bulk:
        return busy(request, forward)
    kept, verdicts = [], []
    lines = iter(request.body.splitlines(keepends=True))
    for position, head in enumerate(lines):
        (op,) = json.loads(head)
        action = head + (b"" if op == "delete" else next(lines))
        verdicts.append(None if position % 2 else op)
        if position % 2:
            kept.append(action)
    items = []
    if kept:
        items = json.loads(forward(request._replace(body=b"".join(kept))).body)["items"]
    done = iter(items)
    error = {"type": "es_rejected_execution_exception", "reason": "made up"}
    items = [next(done) if op is None else {op: {"status": 429, "error": error}} for op in verdicts]
    return Answer(200, JSON, json.dumps({"errors": True, "items": items}).encode())


class Proxy:
    """Passes requests on to the node at `url`, and applies `fault` to the chosen one. `log`: all requests."""

    def __init__(self, url: str) -> None:
        self.log: list[Request] = []
        self._fatal: Callable[[int, Request], bool] = lambda _place, _request: False
        self._fault: Fault = lost
        self._lock = threading.Lock()
        target = urlsplit(url)
        assert target.hostname is not None
        self._node = target.hostname, target.port or 80
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def arm(self, fault: Fault, *calls: int) -> None:
        """Applies `fault` to the requests with these numbers, counted from 1 from now on."""
        with self._lock:
            places = {len(self.log) + call for call in calls}
        self.arm_where(fault, lambda place, _: place in places)

    def arm_where(self, fault: Fault, fatal: Callable[[int, Request], bool]) -> None:
        """Applies `fault` to the requests that `fatal` chooses by their number among all and their content."""
        with self._lock:
            self._fault, self._fatal = fault, fatal

    def heal(self) -> None:
        """All requests are passed on from now on."""
        self.arm_where(self._fault, lambda _place, _request: False)

    def answer(self, request: Request) -> Answer | None:
        """The answer to the client."""
        with self._lock:
            self.log.append(request)
            chosen, fault = self._fatal(len(self.log), request), self._fault
        return fault(request, self._forward) if chosen else self._forward(request)

    def _forward(self, request: Request) -> Answer:
        connection = http.client.HTTPConnection(*self._node, timeout=60)
        try:
            connection.request(request.method, request.path, request.body, request.headers)
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def close(self) -> None:
        """Stops it; open connections end with their clients."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def _handler(proxy: Proxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # otherwise a body waits 40 ms until its head is acknowledged

        def _pass_on(self) -> None:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            answer = proxy.answer(Request(self.command, self.path, headers, body))
            if answer is None:
                self.close_connection = True
                return
            self.send_response_only(answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in HOP_BY_HOP:
                    self.send_header(name, value)
            self.send_header("content-length", str(answer.claimed or len(answer.body)))
            self.end_headers()
            if self.command != "HEAD":
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the client has given up
                    self.wfile.write(answer.body)
            self.close_connection |= answer.claimed is not None

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _pass_on  # noqa: N815 - looked up by these names

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
