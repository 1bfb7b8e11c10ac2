"""The clock: the only place that asks what time it is. (How long something took is `time.monotonic`'s business.)"""

from __future__ import annotations

import time


def now_ms() -> int:
    """Now, in whole milliseconds since 1970 UTC, as the times of documents are."""
    return int(time.time() * 1_000)
