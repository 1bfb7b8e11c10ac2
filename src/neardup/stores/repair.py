"""Repair of a damaged window in a directory: intact documents are kept, hour by hour, and lost ones are listed.

Damaged hours are written anew beside the old ones, which are then moved to `damaged/` in the window; only the owner of
the window deletes them. Hours without damage stay as they are.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from itertools import count, pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.stores import hour_list, records
from neardup.stores.commit_slots import write_new
from neardup.stores.hour_files import HourFiles, remove_directory
from neardup.stores.lock import held, unwritten
from neardup.stores.stored_hour import read_keys
from neardup.stores.survey import Survey, examine_window, read_document
from neardup.stores.window_directory import COMMIT, COPY, HOUR_LIST, HOURS, SALT, hour_directory
from neardup.tables.atomic_write import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from neardup.stores.base import Commit
    from neardup.stores.records import Rows
    from neardup.stores.survey import HourSurvey

ASIDE: Final = "damaged"
"""Where damaged hours are moved to."""
_DRAFT: Final = ".repair"
_AT_ONCE: Final = 1_000


Sign = Callable[["Rows", Sequence[bytes]], "NDArray[np.uint64]"]
"""Signs normal forms again: returns their keys, one document after another, and sets in the rows how many there are."""


def repair(path: Path, signing: Callable[[Path], Sign], *, dry_run: bool) -> Survey:
    """Repairs the window at `path`, so that it holds all intact documents and can be opened; returns what is intact and
    what is lost. With `dry_run` nothing is changed.

    `signing` makes the function that signs documents again whose texts are intact, but not their keys. Reads every byte
    of the window once or twice. Raises `WindowLocked` while somebody writes to the window, `WindowDamaged` if neither
    its description, lexicon or salt nor the copy of it can be read, `WindowOutdated` if it is of an earlier format. If
    a repair is interrupted, run it again.
    """
    if dry_run:
        with unwritten(path):
            return examine_window(path)
    with held(path):
        _finish(path)
        survey = examine_window(path)
        if not survey.is_whole:
            _carry_out(path, survey, signing)
        return survey


def _carry_out(path: Path, survey: Survey, signing: Callable[[Path], Sign]) -> None:
    for name, source in survey.restorable.items():
        if name == COMMIT:
            write_new(path, survey.commit)
        elif name != HOUR_LIST:  # it is written anew below
            write_whole(path / name, (path / source).read_bytes(), private=source in (SALT, SALT + COPY))
    hour_list.rewrite(path, [hour.hour for hour in survey.hours if hour.versions])
    damaged = [hour for hour in survey.hours if hour.is_damaged]
    if survey.missing == 0 and not damaged:
        return
    sign = None if all(hour.signed.all() for hour in damaged) else signing(path)
    for hour in damaged:  # all before the first is moved, so that an interrupted repair can be finished
        _write_whole_documents(path, hour, sign)
    for hour in damaged:
        _replace(path, hour.hour)
    write_new(path, _commit_after(survey))
    hour_list.rewrite(path, [hour.hour for hour in survey.hours if hour.versions_after])


def _write_whole_documents(path: Path, hour: HourSurvey, sign: Sign | None) -> None:
    """Writes the intact documents of an hour into a draft beside it."""
    directory = hour_directory(path, hour.hour)
    if not len(hour.kept):
        return
    keys = read_keys(directory)
    with (
        contextlib.closing(HourFiles(directory, readonly=True)) as old,
        contextlib.closing(HourFiles(_draft(directory), readonly=False)) as new,
    ):
        starts = np.flatnonzero(np.diff(hour.signed, prepend=~hour.signed[:1])).tolist()
        for first, last in pairwise([*starts, len(hour.kept)]):  # all signed, or none
            for at in range(first, last, _AT_ONCE):
                rows = hour.kept[at : min(at + _AT_ONCE, last)].copy()
                documents = [read_document(old, rows[i : i + 1]) for i in range(len(rows))]
                texts, blobs = [text for text, _ in documents], [blob for _, blob in documents]
                own_keys = _keys_of(rows, keys) if hour.signed[at] or sign is None else sign(rows, texts)
                new.append(rows, texts, blobs, own_keys)
        new.flush()


def _keys_of(rows: Rows, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    parts = zip(records.first_keys(rows), records.key_counts(rows).sum(axis=0), strict=True)
    return np.concatenate([keys[start : start + size] for start, size in parts])


def _replace(path: Path, hour: int) -> None:
    """Moves an hour aside, and puts its draft in its place, if any document is left."""
    directory = hour_directory(path, hour)
    aside = path / ASIDE / directory.name
    for attempt in count(2):
        if not aside.exists():
            break
        aside = aside.with_name(f"{directory.name}.{attempt}")
    aside.parent.mkdir(exist_ok=True)
    directory.rename(aside)
    if _draft(directory).exists():
        _draft(directory).rename(directory)


def _finish(path: Path) -> None:
    """Finishes an interrupted repair: puts the drafts of hours that were moved aside in their places, and deletes the
    other drafts.
    """
    for draft in (path / HOURS).glob(f"*{_DRAFT}"):
        directory = draft.with_name(draft.name.removesuffix(_DRAFT))
        if directory.exists():
            remove_directory(draft)
        else:
            draft.rename(directory)


def _draft(directory: Path) -> Path:
    return directory.with_name(directory.name + _DRAFT)


def _commit_after(survey: Survey) -> Commit:
    """The commit after the repair; if the last commit was lost, it makes all rows that are there count."""
    commit = survey.commit._replace(
        rows=sum(hour.versions_after for hour in survey.hours), generation=survey.commit.generation + 1
    )
    if survey.missing is not None:
        return commit
    return commit._replace(
        seq=max([commit.seq, *(hour.last_version for hour in survey.hours)]),
        next_order=max([commit.next_order, *(hour.last_arrival + 1 for hour in survey.hours)]),
        newest=max([commit.newest, *(hour.hour for hour in survey.hours if hour.versions)]),
    )
