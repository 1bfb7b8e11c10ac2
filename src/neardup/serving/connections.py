"""How many connections the server holds open: each is a file, and a process that may open no more answers nobody."""

from __future__ import annotations

import logging
import resource
from typing import TYPE_CHECKING, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

log: Final = logging.getLogger("neardup")
_MOST_FILES: Final = 65_536


def most_connections() -> int:
    """Half of the files that this process may open: the window needs some, too."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return min(files if files > 0 else _MOST_FILES, _MOST_FILES) // 2


class LimitedProtocol(H11Protocol):
    """A connection; one beyond the most is hung up at once."""

    has_told = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """As the library has it."""
        super().connection_made(transport)
        most = most_connections()
        if len(self.connections) <= most:
            return
        transport.close()
        if not LimitedProtocol.has_told:
            LimitedProtocol.has_told = True
            log.warning(
                "%s connections are open: more are hung up (half of `ulimit -n` are taken)", f"{most:,}"
            )
