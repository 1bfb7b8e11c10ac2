"""What a check found: that an installation or a window is as it must be, or what to do about it."""

from __future__ import annotations

from typing import Literal, NamedTuple

State = Literal["ok", "warning", "bad"]


class Finding(NamedTuple):
    """What was looked at, its state, and what was found (with the remedy, where there is something to do)."""

    what: str
    state: State
    found: str
