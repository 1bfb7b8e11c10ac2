"""Signs a window in a directory again: writes it anew inside its directory, then puts it in the place of the old parts.

    DIR/resign.draft     the new window, while it is being written; worthless until complete; a writer deletes it
    DIR/resign.out       the complete new window; the old parts are being moved to `old` in it
    DIR/resign.in        the old parts are all in `old`; the new parts are being moved to DIR
    DIR/old-1            the old parts, in the end; only their owner deletes them

Each state begins with one renaming, so a run that was ended at any moment can be finished, and until then the directory
is not treated as a window (`is_half_way`).
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.errors import WindowOutdated
from neardup.stores import hour_list
from neardup.stores.base import Commit
from neardup.stores.commit_slots import write_new
from neardup.stores.description import FORMAT, read_description
from neardup.stores.directory_reader import DirectoryReader
from neardup.stores.hour_files import HourFiles
from neardup.stores.old_format import read_old_window
from neardup.stores.original import Original, in_order
from neardup.stores.records import hours_of
from neardup.stores.window_directory import MOVING_IN, MOVING_OUT, PARTS, RESIGN_DRAFT, hour_directory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from neardup.stores.records import Rows

_OLD: Final = "old"
_AT_ONCE: Final = 1_000

SignAgain = Callable[["Rows", Sequence[bytes], "NDArray[np.uint64]"], "NDArray[np.uint64]"]
"""Signs normal forms again: takes the rows, the texts and the old keys of documents, updates the rows, and returns the
new keys, one document after another.
"""


@contextlib.contextmanager
def original(path: Path) -> Iterator[Original]:
    """The window at `path`, of the present or the previous format; raises `WindowDamaged` as opening it does."""
    description = None
    with contextlib.suppress(WindowOutdated):
        description = read_description(path)
    if description is None:
        yield read_old_window(path)
        return
    with contextlib.closing(DirectoryReader(path)) as store:
        (stored,) = store.records(Commit())
        order = _by_hour(stored.rows)
        parts = {hour: int(stored.part_of[which[0]]) for hour, which in order.items()}
        yield Original(
            FORMAT,
            description,
            store.committed,
            {hour: in_order(stored.rows[which], 0) for hour, which in order.items()},
            lambda _, rows: (store.texts(rows), store.blobs(rows)),
            lambda hour, _: stored.keys[parts[hour]],
        )


def _by_hour(rows: Rows) -> dict[int, NDArray[np.int64]]:
    """For each hour, the indices of its `rows`."""
    hours = hours_of(rows)
    return {hour: np.flatnonzero(hours == hour) for hour in np.unique(hours).tolist()}


def write_draft(draft: Path, old: Original, sign: SignAgain) -> None:
    """Writes all documents of a window anew into `draft`; then only its description is still missing."""
    for hour, rows in old.hours.items():
        keys = old.keys(hour, rows)
        with contextlib.closing(HourFiles(hour_directory(draft, hour), readonly=False)) as files:
            for at in range(0, len(rows), _AT_ONCE):
                part = rows[at : at + _AT_ONCE].copy()
                texts, blobs = old.read(hour, part)
                files.append(part, texts, blobs, sign(part, texts, keys))
            files.flush()
    write_new(draft, old.commit._replace(rows=old.documents))
    hour_list.rewrite(draft, old.hours)


@contextlib.contextmanager
def new_draft(path: Path) -> Iterator[Path]:
    """An empty draft, replacing one that an interrupted run has left; deleted after an error or a signal."""
    draft = path / RESIGN_DRAFT
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        yield draft
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)  # it may be as large as the window
        raise


def put_in_place(path: Path) -> Path:
    """Puts the complete draft in the place of the window's parts; returns where the old parts are now."""
    (path / RESIGN_DRAFT).rename(path / MOVING_OUT)
    aside = finish(path)
    assert aside is not None, "there is a draft to be put in place"
    return aside


def finish(path: Path) -> Path | None:
    """Finishes an interrupted `put_in_place`; returns where the old parts are, None if there was nothing to finish."""
    moving_out, moving_in = path / MOVING_OUT, path / MOVING_IN
    if moving_out.exists():
        (moving_out / _OLD).mkdir(exist_ok=True)
        _move(path, moving_out / _OLD)
        moving_out.rename(moving_in)
    if not moving_in.exists():
        return None
    _move(moving_in, path)
    n = next(n for n in count(1) if not (path / f"old-{n}").exists())
    if (moving_in / _OLD).exists():
        (moving_in / _OLD).rename(path / f"old-{n}")
        n += 1
    moving_in.rmdir()
    return path / f"old-{n - 1}"


def _move(source: Path, target: Path) -> None:
    for name in PARTS:
        if (source / name).exists():
            (source / name).rename(target / name)
