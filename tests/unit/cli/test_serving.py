"""A run of the server: its socket, its end."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading

import pytest

pytest.importorskip("fastapi", reason="neardup serve is not installed (pip install 'neardup[serve]')")

import uvicorn

from neardup.cli import serving
from neardup.opening import open_window
from neardup.serving.guard import Limits

HALF = (
    b"POST /api/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Expect: 100-continue\r\nContent-Length: 99\r\n\r\n{"
)


@pytest.fixture
def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def listen(path, port):
    with open_window(path / "window") as window:
        serving.listen(
            window, "news.window", "127.0.0.1", port, Limits(), judged=None, ingests=False, own_token=False
        )


def test_answers_are_sent_at_once(tmp_path, monkeypatch, port):
    monkeypatch.chdir(tmp_path)
    protocols: list[int] = []
    monkeypatch.setattr(
        uvicorn.Server, "run", lambda _, sockets: protocols.extend(each.proto for each in sockets)
    )
    listen(tmp_path, port)
    assert protocols == [socket.IPPROTO_TCP]  # on others asyncio leaves it to the system to wait for more


def test_half_a_request_does_not_hold_its_end_up(tmp_path, monkeypatch, capsys, port):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(serving, "STOP_SECONDS", 1)
    answers: list[bytes] = []

    def ask() -> None:
        with socket.create_connection(("127.0.0.1", port), 60) as client:
            client.sendall(HALF)
            answers.append(client.recv(10_000))  # it runs, and waits for the rest
            os.kill(os.getpid(), signal.SIGTERM)
            client.settimeout(10)
            with contextlib.suppress(TimeoutError), client.makefile("rb") as rest:
                answers.append(rest.read())

    asking = threading.Thread(target=ask)

    def start(line: str) -> None:
        if line.startswith("serving"):
            asking.start()

    monkeypatch.setattr(serving, "log_line", start)
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        listen(tmp_path, port)
    finally:
        signal.signal(signal.SIGTERM, before)
    asking.join()
    assert b"100 Continue" in answers[0]
    assert b"503 Service Unavailable" in answers[1]
    assert b"is being stopped" in answers[1]
    assert "Traceback" not in capsys.readouterr().err
