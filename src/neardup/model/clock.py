"""The clock: the only place that asks for the current time. (Durations are measured by `time.monotonic`.)"""

from __future__ import annotations

import time


def now_ms() -> int:
    """The current time in whole milliseconds since 1970 UTC, the unit of document times."""
    return int(time.time() * 1_000)
