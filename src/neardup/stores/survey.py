"""Examines what is intact and what is lost in the files of a window in a directory; changes nothing."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.errors import LexiconError, WindowDamaged, WindowExpired
from neardup.stores import hour_list, records
from neardup.stores.base import Commit
from neardup.stores.commit_slots import are_slots_whole, newest, read_slots
from neardup.stores.description import read_description
from neardup.stores.directory_reader import DirectoryReader
from neardup.stores.hour_files import NAMES, STORED_ROW, HourFiles
from neardup.stores.stored_hour import are_keys_whole, file_size, hours_in, read_keys, read_rows, stored_ends
from neardup.stores.window_directory import (
    BOILERPLATE,
    COMMIT,
    COPY,
    DESCRIPTION,
    HOUR_LIST,
    LEXICON,
    SALT,
    SALT_WAY_ON,
    hour_directory,
    lost_boilerplate,
    lost_salts,
)
from neardup.tables.lexicon import Lexicon

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from neardup.stores.description import Description
    from neardup.stores.records import Rows


_PATIENCE: Final = 10
_MOMENT: Final = 0.02
_AT_ONCE: Final = 1_000
_SHOWN: Final = 20
"""How many unreadable rows of an hour are reported by position."""
_BOTH: Final = 2
"""How many files are lost if a file and its copy are."""
_BACKUP: Final = "restore it from a backup"
_DESCRIPTION_WAY_ON: Final = (
    "it says how the documents were signed and with which settings they are compared; the documents are in hours/ as "
    f"before: {_BACKUP}, or take that of a new window made with exactly the same options and files (`neardup ingest` "
    "of an empty file)"
)
_MADE_WITH: Final = f"the one that the window was made with: {_BACKUP}"


class HourSurvey(NamedTuple):
    """One hour: the last versions of its intact documents, in order of version (`kept`), and the ids of damaged ones
    (`lost`). Kept documents that are not `signed` have damaged keys and are to be signed again.

    `versions` counts the readable rows, up to version `last_version` and arrival `last_arrival`. `unreadable` counts
    the other rows, which perhaps were never committed; `unreadable_at` gives the positions of the first of them in the
    file of rows: (byte, length). `is_damaged`: the hour must be repaired.
    """

    hour: int
    kept: Rows
    signed: NDArray[np.bool_]
    lost: list[str]
    versions: int
    last_version: int
    last_arrival: int
    unreadable: int
    is_damaged: bool
    unreadable_at: tuple[tuple[int, int], ...] = ()

    @property
    def versions_after(self) -> int:
        """How many rows the hour has after a repair."""
        return len(self.kept) if self.is_damaged else self.versions


class Survey(NamedTuple):
    """A window: its commit, its hours, and `restorable`: for each damaged file, the file that is to replace it.

    `missing` counts the committed rows that were not found; None if that cannot be known, because the commit is
    damaged. `lost_hours` are hours of which nothing is left.
    """

    commit: Commit
    hours: list[HourSurvey]
    restorable: dict[str, str]
    missing: int | None
    lost_hours: list[int]

    @property
    def is_whole(self) -> bool:
        """Whether there is nothing to repair."""
        return self.missing == 0 and not self.restorable and not any(hour.is_damaged for hour in self.hours)


def examine_window(path: Path) -> Survey:
    """Examines what is intact and what is lost of the window at `path`; reads every byte of it once.

    Raises `WindowDamaged` if neither the description nor its copy can be read, and likewise for the lexicon, the salt
    and the boilerplate; `WindowOutdated` if the description is of a format that this version does not read.
    """
    restorable = _restorable(path)
    slots = read_slots(path)
    if all(slots) and not are_slots_whole(path):
        restorable[COMMIT] = "its other copy of the commit"
    commit = newest(slots)
    last = commit.seq if all(slots) else None
    stored = [hour for hour in hours_in(path) if hour >= commit.floor_hour]
    hours = [_survey_hour(path, hour, last, commit.floor_order) for hour in stored]
    missing = None if last is None else commit.rows - sum(hour.versions for hour in hours)
    if missing != 0:
        hours = [hour._replace(is_damaged=hour.is_damaged or hour.unreadable > 0) for hour in hours]
    if missing == 0 and not hour_list.is_whole(path, [hour.hour for hour in hours if hour.versions]):
        restorable[HOUR_LIST] = "a list of the hours found"
    lost_hours = sorted(
        hour
        for hour in hour_list.listed_hours(path) - set(stored)
        if missing != 0 and hour >= commit.floor_hour
    )
    return Survey(commit, hours, restorable, missing, lost_hours)


def _restorable(path: Path) -> dict[str, str]:
    """The damaged files that have an intact twin, with the twin; raises `WindowDamaged` if a file and its copy are
    damaged.
    """
    description, files = _restorable_description(path)
    salt, boilerplate = description.salt_mark, description.boilerplate_mark
    if description.own_lexicon:
        lost = [name for name in (LEXICON, LEXICON + COPY) if not _is_lexicon(path / name)]
        files |= _from_its_other(path, LEXICON, lost, "lexicon", _MADE_WITH)
    if salt:
        expected = f"the secret that the window was signed with: {SALT_WAY_ON.format(path=path)}"
        files |= _from_its_other(path, SALT, lost_salts(path, salt), f"secret of the mark {salt}", expected)
    if boilerplate:
        lost = lost_boilerplate(path, boilerplate)
        files |= _from_its_other(path, BOILERPLATE, lost, f"table of the mark {boilerplate}", _MADE_WITH)
    return files


def _from_its_other(path: Path, file: str, lost: list[str], what: str, expected: str) -> dict[str, str]:
    """The one of a file and its copy that is `lost`, with the other one; raises `WindowDamaged` if both are. `what`
    names their contents.
    """
    if len(lost) == _BOTH:
        raise WindowDamaged(path / file, f"no {what}, and none in {file + COPY}", expected)
    return {each: file + COPY if each == file else file for each in lost}


def _restorable_description(path: Path) -> tuple[Description, dict[str, str]]:
    try:
        description = read_description(path)
    except WindowDamaged as damage:
        try:
            description = read_description(path, copy=True)
        except WindowDamaged as other:
            actual = f"{damage.found}, and in its copy {other.found}"
            raise WindowDamaged(
                path / DESCRIPTION, actual, damage.expected, remedy=_DESCRIPTION_WAY_ON
            ) from None
        return description, {DESCRIPTION: DESCRIPTION + COPY}
    try:
        read_description(path, copy=True)
    except WindowDamaged:
        if not _is_being_made(path):
            return description, {DESCRIPTION + COPY: DESCRIPTION}
    return description, {}


def _is_being_made(path: Path) -> bool:
    """Whether the process that made the window was ended before it made the copy; the next writer makes it."""
    slots = read_slots(path)
    return all(slots) and not newest(slots).generation and not (path / (DESCRIPTION + COPY)).exists()


def _is_lexicon(file: Path) -> bool:
    try:
        Lexicon.load(file)
    except (LexiconError, FileNotFoundError):
        return False
    return True


def _survey_hour(path: Path, hour: int, last: int | None, floor_arrival: int) -> HourSurvey:
    directory = hour_directory(path, hour)
    rows, ids, whole = read_rows(directory)
    good = whole if last is None else whole & (records.versions_of(rows) <= last)
    chosen = np.flatnonzero(good)
    chosen = chosen[records.last_versions(rows[good], floor_arrival)]
    chosen.sort()
    is_kept = _are_whole(directory, rows[chosen])
    signed = are_keys_whole(rows[chosen], read_keys(directory))
    # What an opening would find: the rows up to the first bad one, and whether the files are long enough for them.
    in_line = int(np.argmin(good)) if not good.all() else len(rows)
    ends = stored_ends(rows[:in_line])
    is_cut = any(file_size(directory / name) < end for name, end in zip(NAMES, ends, strict=True))
    return HourSurvey(
        hour,
        rows[chosen[is_kept]],
        signed[is_kept],
        [ids[i].decode() for i in chosen[~is_kept].tolist()],
        int(np.count_nonzero(good)),
        int(records.versions_of(rows[good]).max(initial=0)),
        int(records.arrivals_of(rows[good]).max(initial=-1)),
        int(np.count_nonzero(~whole)),
        is_cut or not bool((is_kept & signed).all()) or in_line < int(np.count_nonzero(good)),
        tuple((int(at) * STORED_ROW.itemsize, STORED_ROW.itemsize) for at in np.flatnonzero(~whole)[:_SHOWN]),
    )


def _are_whole(directory: Path, rows: Rows) -> NDArray[np.bool_]:
    """Which of `rows`, whose own checksums match, have an intact text and blob."""
    whole = np.zeros(len(rows), np.bool_)
    with (
        contextlib.suppress(FileNotFoundError),
        contextlib.closing(HourFiles(directory, readonly=True)) as files,
    ):
        for i in range(len(rows)):
            with contextlib.suppress(WindowDamaged):
                read_document(files, rows[i : i + 1])
                whole[i] = True
    return whole


def read_document(files: HourFiles, row: Rows) -> tuple[bytes, bytes]:
    """Text and blob of the document of `row`, an array of one; raises `WindowDamaged` unless both are intact."""
    (text,) = files.texts(records.text_extents(row), records.arrivals_of(row).tolist())
    return text, files.blob(records.blob_extents(row)[0], int(records.versions_of(row)[0]))


def read_everything(path: Path) -> None:
    """Reads and verifies everything in a window, while others may write to it. Raises `WindowDamaged` at the first
    damage, `WindowExpired` if a writer drops hours faster than they are read.
    """
    damaged = [*_restorable(path), *([] if _is_soon(lambda: are_slots_whole(path)) else [COMMIT])]
    if damaged:
        raise WindowDamaged(path / damaged[0], "something else", "what was written", path)
    for attempt in range(_PATIENCE):
        with contextlib.closing(DirectoryReader(path)) as store:
            try:
                hours = _read_documents(store)
            except WindowExpired:
                if attempt == _PATIENCE - 1:
                    raise
            else:
                break
    # An hour that is being dropped leaves the list before it leaves the disk.
    if not _is_soon(lambda: hour_list.is_whole(path, hours & set(hours_in(path)))):
        actual = "a list with missing or wrong hours"
        raise WindowDamaged(path / HOUR_LIST, actual, "all hours", path)


def _read_documents(store: DirectoryReader) -> set[int]:
    """Reads, and so verifies, all documents of a store; returns their hours."""
    hours: set[int] = set()
    for part in store.records(Commit()):
        hours.update(np.unique(records.hours_of(part.rows)).tolist())
        for _ in part.keys:
            pass
        for at in range(0, len(part.rows), _AT_ONCE):
            store.texts(part.rows[at : at + _AT_ONCE])
            store.blobs(part.rows[at : at + _AT_ONCE])
    return hours


def _is_soon(holds: Callable[[], bool]) -> bool:
    """Whether `holds` is true now or within a moment; a file may be just being written."""
    for _ in range(_PATIENCE):
        if holds():
            return True
        time.sleep(_MOMENT)
    return False
