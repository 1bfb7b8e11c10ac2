"""The file `hours.list`: the hours that a window has, so that a lost hour can be named.

A line names an hour that was begun, or, after a "-", dropped. The list only gives names: whether anything is lost is
decided by the committed count of rows.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from neardup.model.hours import hour_name, hour_named
from neardup.stores.lock import naming
from neardup.stores.window_directory import HOUR_LIST
from neardup.tables.atomic_write import write_whole

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

_DROPPED: Final = "-"
_LITTLE: Final = 4_096
"""A list of fewer bytes than this is never too long."""
_LONG: Final = 10 * _LITTLE
"""While its window is open, a list is rewritten only when so many more bytes have come."""


def listed_hours(directory: Path) -> set[int]:
    """The hours that the window in `directory` should have, as far as the list can be read."""
    hours: set[int] = set()
    with contextlib.suppress(FileNotFoundError):
        for line in (directory / HOUR_LIST).read_text("ascii", errors="replace").splitlines():
            hour = hour_named(line.removeprefix(_DROPPED))
            if hour is not None:
                (hours.discard if line.startswith(_DROPPED) else hours.add)(hour)
    return hours


def is_whole(directory: Path, hours: Collection[int]) -> bool:
    """Whether the list names all of `hours`, and every line can be read; the last line may be cut off, if a writer was
    ended.
    """
    try:
        text = (directory / HOUR_LIST).read_text("ascii", errors="replace")
    except FileNotFoundError:
        return not hours
    lines = text.split("\n")[:-1]
    known = all(hour_named(line.removeprefix(_DROPPED)) is not None for line in lines)
    return known and listed_hours(directory) >= set(hours)


def note_begun(directory: Path, hour: int) -> None:
    """Adds an hour to the list."""
    _append(directory, hour_name(hour))


def note_dropped(directory: Path, hour: int) -> None:
    """Takes an hour off the list."""
    _append(directory, _DROPPED + hour_name(hour))


def rewrite(directory: Path, hours: Collection[int]) -> None:
    """Rewrites the list to hold `hours`, unless it does already, in not much more space, and with a complete last line:
    the next hour would be appended to a line that was cut off, and neither could be read.
    """
    file = directory / HOUR_LIST
    lines = [hour_name(hour) for hour in sorted(hours)]
    is_short = file.exists() and file.stat().st_size < _LITTLE + 3 * sum(map(len, lines))
    is_ended = is_short and file.read_bytes()[-1:] in (b"", b"\n")
    if not is_ended or listed_hours(directory) != set(hours) or not is_whole(directory, hours):
        write_whole(file, "".join(f"{line}\n" for line in lines).encode())


def _append(directory: Path, line: str) -> None:
    """Appends a line. A long list that can be read is then rewritten, because a writer may run for years; if that
    fails, the list is long, but right. To read it after every line would take minutes where thousands of hours are
    dropped at once.
    """
    file = directory / HOUR_LIST
    with naming(file), file.open("a", encoding="ascii") as lines:
        lines.write(f"{line}\n")
    if file.stat().st_size % _LONG <= len(line):
        hours = listed_hours(directory)
        if is_whole(directory, hours):
            with contextlib.suppress(OSError):
                rewrite(directory, hours)
