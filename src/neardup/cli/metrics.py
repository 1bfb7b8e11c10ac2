"""The figures of a run at an address of its own: `--metrics [HOST:]PORT`."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

from neardup.cli.options import writing
from neardup.cli.serving import needs_extra
from neardup.cli.streams import log_line
from neardup.errors import NotAvailable, SettingsError

if TYPE_CHECKING:
    from neardup.cli.sinks import Rejects
    from neardup.cli.tally import Tally

MetricsOption = Annotated[
    str | None,
    writing(
        metavar="[HOST:]PORT",
        show_default="none",
        help="Serve Prometheus metrics at this address, by default on this machine only; 0 is any free port.",
    ),
]


def metrics_at(
    address: str | None, call: Literal["ingest", "watch"]
) -> Callable[[Tally, Rejects], AbstractContextManager[None]] | None:
    """A function that serves the figures of a run as long as it lasts; None without an address. Raises `SettingsError`
    for a wrong address, or one where it cannot listen, before anything is made.
    """
    if address is None:
        return None
    host, port = parsed(address)
    needs_extra("metrics")
    with _listening_at(address):
        family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        socket.create_server((host, port), family=family).close()
    return lambda tally, rejects: _answering(address, call, tally, rejects)


@contextmanager
def _answering(address: str, call: str, tally: Tally, rejects: Rejects) -> Iterator[None]:
    host, port = parsed(address)
    from neardup.serving.run_figures import Backlogged, RunFigures, RunState, listen

    def state() -> RunState:
        backlog = tally.backlog
        waiting = None if backlog is None else Backlogged(backlog.waiting, backlog.oldest, backlog.blocked)
        return RunState(tally, rejects.count, tally.seconds_by_stage, waiting, tally.too_late())

    with _listening_at(address):
        server = listen(host, port, RunFigures(call, state))
    name = f"[{host}]" if ":" in host else host
    log_line(f"figures for Prometheus are at http://{name}:{server.server_port}/metrics")
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def _listening_at(address: str) -> Iterator[None]:
    try:
        yield
    except (OSError, UnicodeError) as error:  # UnicodeError: a name that has no form in ASCII
        why = f"cannot listen on {address} ({getattr(error, 'strerror', None) or error})"
        raise NotAvailable("--metrics", why, "give another host or port") from None


def parsed(address: str) -> tuple[str, int]:
    """Host and port of `[HOST:]PORT`; raises `SettingsError`.

    >>> parsed("9464"), parsed("0.0.0.0:9464"), parsed("[::1]:9464")
    (('127.0.0.1', 9464), ('0.0.0.0', 9464), ('::1', 9464))
    """
    host, _, port = address.rpartition(":")
    # Not by `int` alone, whose own error refuses thousands of digits.
    if not (port.isascii() and port.isdecimal() and len(port) <= 5 and int(port) <= 65_535):
        raise SettingsError("metrics", address, "[HOST:]PORT, such as 9464 or 0.0.0.0:9464")
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)
