"""How far a window looks back, how long it keeps documents, and whether a change of either would drop some."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from neardup.errors import SettingsError
from neardup.model.counted import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from neardup.model.settings import Settings
    from neardup.window.base import Expired

log = logging.getLogger("neardup")


def check_hours(
    left: Settings, chosen: Settings, expirable: Callable[[int], Expired], *, force: bool
) -> bool:
    """Whether the hours change when `chosen` replaces the settings that the last writer `left`; `tell_hours` logs that.

    Raises `SettingsError` if the change would drop documents, which `expirable` counts, and `force` is not set.
    """
    if (left.window_hours, left.kept_hours) == (chosen.window_hours, chosen.kept_hours):
        return False
    kept = chosen.kept_hours
    if not force and (going := going_by(left.kept_hours, kept, expirable)):
        name = "window_hours" if chosen.keep_hours is None else "keep_hours"
        expected = (
            f"more: {going}; --{name.replace('_', '-')} {kept} --force (force=True) drops them, --keep-hours "
            "(keep_hours) keeps them without comparing them; both are options of `neardup ingest`, `watch` and `setup`"
        )
        raise SettingsError(name, kept, expected)
    return True


def tell_hours(where: str, left: Settings, chosen: Settings) -> None:
    """Logs that the window at `where` now has the hours of `chosen`, no longer those that its last writer `left`."""
    log.warning("%s: %s from now on, no longer %s", where, in_words(chosen), in_words(left))


def going_by(left: int, kept: int, expirable: Callable[[int], Expired]) -> str | None:
    """The documents that would be dropped if `kept` hours were kept instead of `left` (0 = all), in words and counted
    by `expirable`; None if there are none.
    """
    if not kept or (left and kept >= left) or not (going := expirable(kept)).documents:
        return None
    documents, hours = counted(going.documents, "document"), counted(len(going), "hour")
    return f"the window keeps {documents} in {hours} ({going[0]} to {going[-1]}) that would be dropped"


def in_words(settings: Settings) -> str:
    """How far a window looks back and how long it keeps documents, in words.

    >>> from neardup.model.settings import Settings
    >>> in_words(Settings(keep_hours=720)), in_words(Settings(window_hours=0))
    ('compares 24 h and keeps 720 h', 'compares and keeps all hours')
    """
    compared, kept = (
        f"{hours} h" if hours else "all hours" for hours in (settings.window_hours, settings.kept_hours)
    )
    return f"compares and keeps {kept}" if compared == kept else f"compares {compared} and keeps {kept}"
