"""A server with scripted answers, to expose our client to everything that a cluster may do."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

import orjson


class Request(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def lines(self) -> list[Any]:
        return [orjson.loads(line) for line in self.body.splitlines()]


class Answer(NamedTuple):
    status: int = 200
    body: Any = None
    headers: dict[str, str] | None = None
    product: bool = True


RESET = "reset"
"""No answer: the connection is cut."""

Script = Sequence[Answer | str] | Callable[[Request], Answer | str]


class StandIn:
    """Answers request after request by `script` (a sequence, whose last answer is repeated, or a function)."""

    def __init__(self, script: Script) -> None:
        self.requests: list[Request] = []
        self.script = script
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def answer(self, request: Request) -> Answer | str:
        self.requests.append(request)
        if callable(self.script):
            return self.script(request)
        return self.script[min(len(self.requests), len(self.script)) - 1]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # otherwise a body waits 40 ms until its head is acknowledged

            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65_537)
                if not self.raw_requestline:
                    self.close_connection = True
                    return
                if not self.parse_request():
                    return
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                self._send(stand_in.answer(Request(self.command, self.path, headers, body)))

            def _send(self, answer: Answer | str) -> None:
                if isinstance(answer, str):
                    # A linger time of 0 makes the kernel send a reset instead of an orderly close.
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.connection.close()
                    self.close_connection = True
                    return
                body = answer.body if isinstance(answer.body, bytes) else orjson.dumps(answer.body)
                self.send_response(answer.status)
                headers = {"content-type": "application/json", "content-length": str(len(body))}
                headers |= answer.headers or {}
                if answer.product:
                    headers["X-Elastic-Product"] = "Elasticsearch"
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

            def finish(self) -> None:
                with contextlib.suppress(OSError, ValueError):
                    super().finish()

        return Handler

    def __enter__(self) -> Self:
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextlib.contextmanager
def standing_in(script: Script) -> Iterator[StandIn]:
    with StandIn(script) as server:
        yield server


LEFT = {"type": "node_disconnected_exception", "reason": "[node-2][127.0.0.1:9300] disconnected"}
"""The error of a node whose request to another node fails because that one has just left."""

PAGE_TOO_LARGE = Answer(
    413, b"<h1>413 Request Entity Too Large</h1>", {"content-type": "text/html"}, product=False
)
"""A proxy's answer to a request that is too large for it."""


def error(status: int, type: str, reason: str, headers: dict[str, str] | None = None) -> Answer:
    """An answer in the form of Elasticsearch's errors."""
    return Answer(status, {"error": {"type": type, "reason": reason}, "status": status}, headers)
