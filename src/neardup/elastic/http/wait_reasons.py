"""Log of the reasons why requests are repeated: each once, and again after a minute, with a count."""

from __future__ import annotations

import logging
import re
from threading import Lock
from typing import Final

from neardup.model.counted import counted

AGAIN_AFTER: Final = 60.0
"""Seconds for which a logged reason is only counted: a busy cluster refuses many requests for the same reason."""
_COUNTED_RE: Final = re.compile(
    r"(?:all shards failed|Partial shards failure) of [^:]+|(?<!^)\b\d[\w.]*|@[0-9a-f]+"
)
"""The parts that differ each time a busy node refuses for the same reason: indices without room, times, sizes, names of
objects in memory. The status, at the beginning, is not one of them.
"""

_log = logging.getLogger("neardup")


class WaitReasons:
    """The reasons that were logged, without their numbers, for all requests to one cluster; thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[str, tuple[float, int]] = {}
        """When each reason was logged, and how often it has come since."""

    def log(self, url: str, reason: str, left: float, now: float) -> None:
        """Logs that a request is sent again for up to `left` seconds, if the reason is due to be logged at `now`."""
        kind = _COUNTED_RE.sub("", reason)
        with self._lock:
            last, count = self._known.get(kind, (now - AGAIN_AFTER, 0))
            is_due = now - last >= AGAIN_AFTER
            self._known[kind] = (now, 0) if is_due else (last, count + 1)
        if is_due:
            more = counted(count, "more time", "more times")
            often = f" ({more} in the {now - last:.0f} s since this was last logged)" if count else ""
            _log.warning("Elasticsearch at %s: %s; trying again for up to %.0f s%s", url, reason, left, often)
