"""How many connections the server holds open (each is a file, and a process that has reached its limit of files answers
nobody), and the signals that end the server.
"""

from __future__ import annotations

import logging
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio
    from types import FrameType

log: Final = logging.getLogger("neardup")
_MOST_FILES: Final = 65_536


def most_connections() -> int:
    """Half of the files that this process may open: the window needs some, too."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return min(files if files > 0 else _MOST_FILES, _MOST_FILES) // 2


class LimitedProtocol(H11Protocol):
    """A connection; one beyond the limit is closed at once."""

    has_told = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Like uvicorn's own, but closes the connection if there are too many."""
        super().connection_made(transport)
        most = most_connections()
        if len(self.connections) <= most:
            return
        transport.close()
        if not LimitedProtocol.has_told:
            LimitedProtocol.has_told = True
            log.warning(
                "%s connections are open: further ones are closed (the limit is half of `ulimit -n`)",
                f"{most:,}",
            )


class Server(uvicorn.Server):
    """uvicorn's server, which a closed terminal (SIGHUP) ends, too; signals ignored at its creation stay ignored."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        self._ignored = [number for number in ends if signal.getsignal(number) is signal.SIG_IGN]

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Like uvicorn's own, but not for the signals that are to be ignored."""
        if sig not in self._ignored:
            super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Like uvicorn's own, for SIGHUP as well."""
        with super().capture_signals():
            if threading.current_thread() is not threading.main_thread():
                yield
                return
            before = signal.signal(signal.SIGHUP, self.handle_exit)
            try:
                yield
            finally:
                signal.signal(signal.SIGHUP, before)
