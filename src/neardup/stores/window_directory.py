"""What a directory holds before it is opened: a window, nothing yet, or files of others; and its salt."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from neardup.errors import SettingsError, WindowDamaged, WindowMissing
from neardup.model.counted import some_of
from neardup.model.hours import hour_name, hour_named
from neardup.model.recipe_files import boilerplate_mark, salt_mark
from neardup.tables.atomic_write import DRAFT, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DESCRIPTION: Final = "window.json"
LEXICON: Final = "window.lexicon"
SALT: Final = "window.salt"
BOILERPLATE: Final = "window.boilerplate"
COMMIT: Final = "commit"
HOURS: Final = "hours"
HOUR_LIST: Final = "hours.list"
COPY: Final = ".copy"
"""The end of the name of the copy of the description, the lexicon, the salt or the boilerplate."""
BEGUN: Final = frozenset(
    {"lock", COMMIT, "commit.new", "window.json.new", "lost+found", HOUR_LIST}
    | {LEXICON, LEXICON + COPY, SALT, SALT + COPY, BOILERPLATE, BOILERPLATE + COPY}
)
"""Files that may be in a directory where making a window was begun and not finished, or that is a file system of its
own.
"""
PARTS: Final = (
    *(DESCRIPTION, DESCRIPTION + COPY, LEXICON, LEXICON + COPY, SALT, SALT + COPY),
    *(BOILERPLATE, BOILERPLATE + COPY, COMMIT, HOUR_LIST, HOURS),
)
"""Everything that a window consists of, except its lock."""
RESIGN_DRAFT: Final = "resign.draft"
MOVING_OUT: Final = "resign.out"
MOVING_IN: Final = "resign.in"
"""Names in a window's directory while its parts are exchanged for newly signed ones."""
SALT_WAY_ON: Final = (
    "restore it from a backup, or give it or another one to "
    "`neardup resign --window {path} --salt FILE --force`"
)
"""The remedy for a window that has lost its salt and the copy of it."""
_LONGEST: Final = 1 << 20
"""The most bytes of a description."""


def hour_directory(directory: Path, hour: int) -> Path:
    """The directory in which the window in `directory` keeps the files of an hour."""
    return directory / HOURS / hour_name(hour)


def holds_window(directory: Path) -> bool:
    """Whether there is a window, or the remains of one: hours without a description are a damaged window. Files that
    only have the name of a part of a window do not count.
    """
    described = [directory / name for name in (DESCRIPTION, DESCRIPTION + COPY)]
    try:
        hours = [each for each in (directory / HOURS).glob("*") if hour_named(each.name) is not None]
        if any(map(_is_description, described)) or any(any(hour.glob("*.bin")) for hour in hours):
            return True
        return (directory / COMMIT).is_file() and (bool(hours) or any(each.is_file() for each in described))
    except OSError:  # a user who may not look into it has no window there
        return False


def _is_description(file: Path) -> bool:
    """Whether `file` is the description of a window, of any format."""
    if not file.is_file():  # nor a pipe, which may never end
        return False
    try:
        with file.open("rb") as opened:
            known = json.loads(opened.read(_LONGEST))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(known, dict) and {"format", "recipe"} <= known.keys()


def check_window(directory: Path) -> None:
    """Raises `WindowMissing` unless there is a window to be opened, `SettingsError` for a file, `WindowDamaged` if it
    `is_half_way`.
    """
    _check_directory(directory)
    if not holds_window(directory):
        raise WindowMissing(directory, some_of(_others(directory)))


def check_free_directory(directory: Path) -> None:
    """Raises `SettingsError` unless there is a window, or one can be made. It cannot among other files, where it could
    be neither moved nor deleted, nor within another window, where it could be deleted with an hour.
    """
    _check_directory(directory)
    if holds_window(directory):
        return
    outer = next(filter(holds_window, Path(os.path.realpath(directory)).parents), None)
    if outer is not None:
        expected = f"outside of the window {outer}, which deletes its hours with everything in them"
        raise SettingsError("window", str(directory), f"{expected}: a directory beside it would do")
    if others := _others(directory):
        named = some_of(others)
        expected = f"a window, an empty directory or a new one: this one holds other files ({named})"
        raise SettingsError("window", str(directory), f"{expected}; {directory / 'news.window'} would do")


def _others(directory: Path) -> list[str]:
    """The files in the directory, if it exists, that are of no window."""
    if not directory.exists():
        return []
    return sorted(entry.name for entry in directory.iterdir() if not _is_begun(entry.name))


def _is_begun(name: str) -> bool:
    """Whether `name` may be left of an unfinished window: one of the files in `BEGUN`, or a draft of one."""
    is_draft, draft_of = name.endswith(DRAFT), name.removesuffix(DRAFT).rpartition(".")[0]
    return name in BEGUN or (is_draft and draft_of in BEGUN)


def _check_directory(directory: Path) -> None:
    """Raises `SettingsError` if something other than a directory is there, `WindowDamaged` if it `is_half_way`."""
    if os.path.lexists(directory) and not directory.is_dir():  # in this order: a writer may be making it
        expected = "a directory; `neardup ingest FILE --window DIR` makes one from a file"
        if directory.is_symlink() and not directory.exists():
            expected = "a directory, not a link that leads nowhere"
        raise SettingsError("window", str(directory), expected)
    if is_half_way(directory):
        way_on = f"`neardup resign --window {directory}` finishes this, and nothing is lost"
        raise WindowDamaged(directory, "a window half replaced by `neardup resign`", f"a whole one: {way_on}")


def is_half_way(directory: Path) -> bool:
    """Whether a run of `neardup resign` was ended while it put the new parts in the place of the old ones."""
    try:
        return any((directory / name).exists() for name in (MOVING_OUT, MOVING_IN))
    except PermissionError as error:  # to look into the directory, whatever is looked for
        error.filename = str(directory)
        raise


def lost_salts(directory: Path, mark: str) -> list[str]:
    """Which of the salt and its copy do not hold the secret with this `mark` of the recipe."""
    return _lost(directory, SALT, lambda secret: salt_mark(secret) == mark)


def lost_boilerplate(directory: Path, mark: str) -> list[str]:
    """Which of the boilerplate table and its copy do not hold the table with this `mark` of the recipe."""
    return _lost(directory, BOILERPLATE, lambda table: boilerplate_mark(table) == mark)


def _lost(directory: Path, file: str, is_it: Callable[[bytes], bool]) -> list[str]:
    return [name for name in (file, file + COPY) if not _holds(directory / name, is_it)]


def _holds(file: Path, is_it: Callable[[bytes], bool]) -> bool:
    try:
        return is_it(file.read_bytes())
    except FileNotFoundError:
        return False


def write_salts(directory: Path, names: Iterable[str], secret: bytes) -> None:
    """Makes `secret` the content of the files `names`, whole or not at all; only their owner can read them."""
    for name in names:
        write_whole(directory / name, secret, private=True)


def write_copies(directory: Path, names: Iterable[str], source: str | Path) -> None:
    """Makes the files `names` copies of the file `source`, flushed to disk, whole or not at all."""
    data = Path(source).read_bytes()
    for name in names:
        write_whole(directory / name, data)
