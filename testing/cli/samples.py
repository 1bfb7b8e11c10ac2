"""A small stream, and a function that writes it to a file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FERRY = (
    "ARNMOUTH - A ferry carrying forty people was towed to port early on Friday after its engine failed in a heavy "
    "swell. Nobody was hurt, the coxswain said, although nine passengers were treated for cold on the quay."
)
MILL = (
    "VELLBRIDGE - Sixty neighbours have raised the money to save the mill above the weir. The council signed the deed "
    "on Thursday evening, and work on the roof is to begin in spring."
)
STREAM = [
    {"id": "ferry", "time": "2026-11-19T06:00:00Z", "text": FERRY},
    {"id": "mill", "time": "2026-11-19T06:30:00Z", "text": MILL},
    {"id": "ferry-again", "time": "2026-11-19T07:00:00Z", "text": FERRY.replace(" - ", " — ")},
    {
        "id": "ferry-edited",
        "time": "2026-11-19T08:00:00Z",
        "text": FERRY.replace("Friday", "Saturday") + " Update soon.",
    },
    {"id": "blank", "time": "2026-11-19T08:30:00Z", "text": " … "},
]


def written(name: str, records: Iterable[dict[str, Any]]) -> Path:
    """The file `name` of these records as JSON Lines."""
    path = Path(name)
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
    return path
