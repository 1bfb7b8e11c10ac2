"""A run of the server: its socket, its end."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import threading

import pytest

pytest.importorskip("fastapi", reason="neardup serve is not installed (pip install 'neardup[serve]')")

import uvicorn
from typer.testing import CliRunner

from neardup.cli import serving
from neardup.cli.application import command_line
from neardup.cli.exit_codes import terminate
from neardup.errors import NotAvailable
from neardup.opening import open_window
from neardup.serving.connections import most_connections
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


def listen(path, port, host="127.0.0.1"):
    with open_window(path / "window") as window:
        serving.listen(
            window, "news.window", host, port, Limits(), judged=None, ingests=False, own_token=False
        )


def test_answers_are_sent_at_once(tmp_path, monkeypatch, port):
    monkeypatch.chdir(tmp_path)
    protocols: list[int] = []
    monkeypatch.setattr(
        uvicorn.Server, "run", lambda _, sockets: protocols.extend(each.proto for each in sockets)
    )
    listen(tmp_path, port)
    assert protocols == [socket.IPPROTO_TCP]  # on others asyncio leaves it to the system to wait for more


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_is_ignored_where_it_was_started_stays_ignored(
    tmp_path, monkeypatch, capsys, port, number
):
    ends: list[bool] = []

    def run(server, sockets):
        with server.capture_signals():
            signal.raise_signal(number)
            ends.append(server.should_exit)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(uvicorn.Server, "run", run)
    before = signal.signal(number, signal.SIG_IGN)
    try:
        listen(tmp_path, port)
    finally:
        signal.signal(number, before)
    assert ends == [False]
    way = "SIGTERM" if number == signal.SIGINT else "Ctrl-C"
    assert f"({way} ends it)" in capsys.readouterr().err


def test_a_closed_terminal_ends_it_as_other_signals_do(tmp_path, monkeypatch, port):
    ends: list[bool | int] = []

    def run(server, sockets):
        with server.capture_signals():
            signal.raise_signal(signal.SIGHUP)
            ends.append(server.should_exit)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(uvicorn.Server, "run", run)
    before = signal.signal(signal.SIGHUP, lambda number, _: ends.append(number))
    try:
        listen(tmp_path, port)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert ends == [True, signal.SIGHUP]


@pytest.mark.parametrize("host", ["..a", "192.0.2.1", "\udcff", "ä" * 64])
def test_a_host_that_cannot_be_is_named_and_not_the_port(tmp_path, monkeypatch, host):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotAvailable, match=f"--host: cannot listen on {host}:0 .+: give another"):
        listen(tmp_path, 0, host)


def test_a_port_that_is_taken_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(NotAvailable, match=r"--port: cannot listen on .+: give another"),
    ):
        listen(tmp_path, taken.getsockname()[1])


def run(path, port, monkeypatch, ask, handler=lambda *_: None):
    """A run of the server in `path`, which ends by the signal that it is sent; `ask` asks it from another thread."""
    monkeypatch.chdir(path)
    asking = threading.Thread(target=ask)

    def start(line: str) -> None:
        if line.startswith("serving"):
            asking.start()

    monkeypatch.setattr(serving, "log_line", start)
    before = signal.signal(signal.SIGTERM, handler)
    try:
        listen(path, port)
    finally:
        signal.signal(signal.SIGTERM, before)
    asking.join()


def test_half_a_request_does_not_hold_its_end_up(tmp_path, monkeypatch, capsys, port):
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

    run(tmp_path, port, monkeypatch, ask)
    assert b"100 Continue" in answers[0]
    assert b"503 Service Unavailable" in answers[1]
    assert b"is shutting down" in answers[1]
    assert "Traceback" not in capsys.readouterr().err


def test_sigterm_is_no_failure_of_it(tmp_path, monkeypatch, port):
    def ask() -> None:
        with socket.create_connection(("127.0.0.1", port), 60) as client:
            client.sendall(b"GET /api/changes HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert b"200 OK" in client.recv(10_000)
        os.kill(os.getpid(), signal.SIGTERM)

    with serving.until_terminated():
        run(tmp_path, port, monkeypatch, ask, terminate)


def test_nor_is_sigterm_while_it_opens_its_window(tmp_path, monkeypatch):
    open_window(tmp_path).close()
    monkeypatch.setattr("neardup.open", lambda *_, **__: terminate(signal.SIGTERM, None))
    assert CliRunner().invoke(command_line("serve"), ["serve", "--window", str(tmp_path)]).exit_code == 0


def test_a_second_ctrl_c_ends_it_without_a_traceback(tmp_path, monkeypatch, capsys, port):
    def ask() -> None:
        with socket.create_connection(("127.0.0.1", port), 60) as client:
            client.sendall(HALF)
            client.recv(10_000)  # it runs, and waits for the rest
            os.kill(os.getpid(), signal.SIGINT)
            with contextlib.suppress(OSError):
                while True:  # until it takes no more requests
                    socket.create_connection(("127.0.0.1", port), 60).close()
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, port, monkeypatch, ask)
    assert "Traceback" not in capsys.readouterr().err


def test_more_connections_than_it_may_open_are_hung_up_and_it_goes_on(tmp_path, monkeypatch, caplog, port):
    monkeypatch.setattr("neardup.serving.connections.most_connections", lambda: 4)
    ended: list[bytes] = []
    answers: list[bytes] = []

    def ask() -> None:
        with contextlib.ExitStack() as stack:
            clients = [
                stack.enter_context(socket.create_connection(("127.0.0.1", port), 10)) for _ in range(9)
            ]
            with contextlib.suppress(TimeoutError):
                ended.extend(client.recv(1) for client in clients[4:])
            clients[0].sendall(b"GET /api/changes HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answers.append(clients[0].recv(10_000))
        os.kill(os.getpid(), signal.SIGTERM)

    run(tmp_path, port, monkeypatch, ask)
    assert ended == [b""] * 5
    assert b"200 OK" in answers[0]
    assert b"\nserver:" not in answers[0].lower()  # nobody is told what serves it
    assert [record.getMessage() for record in caplog.records] == [
        "4 connections are open: further ones are closed (the limit is half of `ulimit -n`)"
    ]


@pytest.mark.parametrize(
    ("limit", "most"), [(1_024, 512), (1 << 30, 32_768), (resource.RLIM_INFINITY, 32_768)]
)
def test_the_window_may_open_half_of_the_files(monkeypatch, limit, most):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    assert most_connections() == most
