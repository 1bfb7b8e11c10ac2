"""The result of a check of an installation or a window: all is well, or what to do about it."""

from __future__ import annotations

from typing import Literal, NamedTuple

State = Literal["ok", "warning", "bad"]


class Finding(NamedTuple):
    """What was checked, its state, and what was found (with the remedy, if there is something to do)."""

    what: str
    state: State
    found: str
