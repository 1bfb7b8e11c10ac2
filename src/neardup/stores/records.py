"""The row of a document: columns of fixed width. Data without a column is in the blob (stores/blobs.py).

A row (`ROW`, 128 bytes) is one version of one document. Only this module, stores/blobs.py, the table in memory
(index/document_table.py) and the codec of a cluster (elastic/window/codec.py) use the names of the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neardup.kernels.checksums import SUM_BYTES
from neardup.model.settings import HOUR_MS

if TYPE_CHECKING:
    from neardup.model.verdict import KindName, Status

DELETED: Final = 1
"""Flag: this version ends its document."""
TRUNCATED: Final = 2
"""Flag: the verdict says that something was left out of the comparison."""
SET_ASIDE: Final = 4
"""Flag: a copy that is kept, but not searched (policy "route")."""

STATUSES: Final[tuple[Status, ...]] = ("unique", "near", "exact", "empty", "unscored", "partial")
"""A row holds the index of its status in this tuple."""
KINDS: Final[tuple[KindName | None, ...]] = (None, "copy", "form", "quote", "frame", "other")
"""A row holds the index of its kind in this tuple; versions of neardup without kinds wrote 0."""
_COPIES: Final = (STATUSES.index("near"), STATUSES.index("exact"))
_EMPTY: Final = STATUSES.index("empty")

ROW: Final = np.dtype(
    [
        ("seq", "<i8"), ("order", "<i8"), ("time", "<i8"), ("group_order", "<i8"), ("group_time", "<i8"),
        ("text_start", "<i8"), ("blob_start", "<i8"), ("keys_start", "<i8"),
        ("fingerprint", "<u8", 2),
        ("text_bytes", "<u4"), ("blob_bytes", "<u4"), ("count", "<i4"), ("candidates", "<u4"),
        ("shared", "<i4"), ("larger", "<i4"),
        ("n_prefix", "<u4"), ("n_sentences", "<u4"),
        ("n_sketch", "<u2"), ("n_bands", "<u2"), ("id_bytes", "<u2"), ("group_bytes", "<u2"),
        ("status", "u1"), ("flags", "u1"), ("n_sieve", "u1"), ("words", "u1"), ("asked", "u1"), ("shown", "u1"),
        ("kind", "u1"), ("spare", "u1"),
    ]
)  # fmt: skip
"""One version of one document.

seq             number of the version, ascending over the whole window
order           the arrival of the document: its number in order of arrival, over all hours
time            milliseconds since 1970 UTC
group_order, group_time   arrival and time of the head of its group: its own if it heads one
*_start, *_bytes          where a directory keeps its text, blob and keys (counted in keys of 8 bytes)
fingerprint, count        of its normal form; |A|, negative where it was not counted
n_*             how many keys of each kind it has, see `KEY_COUNTS`
candidates, shared, larger, status   of its verdict; `shared` and `larger` = max(|A|, |B|) of its best match
id_bytes, group_bytes     the lengths of the two ids that its blob begins with
words           whether sentences and bands were made for it
asked           whether partial copies were looked for
shown           whether its blob ends with a part that is kept to be shown (stores/shown.py)
kind            of its verdict
"""

KEY_COUNTS: Final = ("n_sketch", "n_sieve", "n_prefix", "n_sentences", "n_bands")
"""The keys of a document are kept in this order: sketch, bitmap, prefix, sentences, simhash bands."""

Rows = NDArray[np.void]

_KEY_BYTES: Final = 8


# ---- rows ----

_WHOLE: Final = np.dtype((np.void, ROW.itemsize))
"""A row as plain bytes: numpy then copies it as a whole, in a tenth of the time that it takes column by column."""


def chosen_rows(rows: Rows, which: NDArray[Any] | Sequence[int]) -> Rows:
    """`rows[which]`: copies of those rows."""
    return rows.view(_WHOLE)[which].view(ROW)


def put_rows(rows: Rows, which: NDArray[np.int64], chosen: Rows) -> None:
    """`rows[which] = chosen`."""
    rows.view(_WHOLE)[which] = chosen.view(_WHOLE)


def rows_at(rows: Rows, which: NDArray[np.int64]) -> Rows:
    """As `chosen_rows`, for ascending numbers; a view, without copies, if the numbers are consecutive."""
    if len(which) and which[-1] - which[0] == len(which) - 1:
        return rows[which[0] : which[-1] + 1]
    return chosen_rows(rows, which)


class RowBuffer:
    """Collects the rows of several parts, about `count` of them, in one array, which saves copying them once more."""

    def __init__(self, count: int) -> None:
        self._rows = np.empty(count, ROW)
        self._size = 0

    def add(self, rows: Rows) -> Rows:
        """Appends copies of `rows`; returns the copies."""
        first, self._size = self._size, self._size + len(rows)
        if self._size > len(self._rows):
            larger = np.empty(self._size, ROW)
            copy_rows(larger[:first], self.rows[:first])
            self._rows = larger
        copy_rows(self._rows[first : self._size], rows)
        return self._rows[first : self._size]

    @property
    def rows(self) -> Rows:
        """All rows that were added."""
        return self._rows[: self._size]


def joined_rows(parts: Sequence[Rows]) -> Rows:
    """Copies of the rows of all parts, one after another."""
    buffer = RowBuffer(sum(map(len, parts)))
    for part in parts:
        buffer.add(part)
    return buffer.rows


def copy_rows(to: Rows, rows: Rows) -> None:
    """`to[:] = rows`."""
    to.view(_WHOLE)[:] = rows.view(_WHOLE)


class KeySizes(NamedTuple):
    """For some documents, how many keys of each kind they have."""

    sketch: NDArray[np.int64]
    bitmap: int
    prefix: NDArray[np.int64] | int = 0
    sentences: NDArray[np.int64] | int = 0
    bands: NDArray[np.int64] | int = 0


def new_rows(
    times: Sequence[int],
    fingerprints: NDArray[np.uint64],
    counts: NDArray[np.int64],
    text_bytes: NDArray[np.int64],
    sizes: KeySizes,
    *,
    words: bool,
    partial: bool,
) -> Rows:
    """Rows of new documents, as if every one were unique; other verdicts are written when they are decided.

    `words`: sentences and bands were made for the documents; `partial`: partial copies are looked for.
    """
    rows = np.zeros(len(times), ROW)
    rows["time"] = rows["group_time"] = times
    rows["text_start"] = rows["keys_start"] = rows["shared"] = -1
    rows["fingerprint"] = fingerprints
    rows["text_bytes"] = text_bytes
    rows["count"] = counts
    rows["status"] = np.where(text_bytes == 0, _EMPTY, STATUSES.index("unique"))
    rows["asked"] = partial
    set_key_sizes(rows, sizes, words=words)
    return rows


def set_signatures(rows: Rows, fingerprints: NDArray[np.uint64], counts: NDArray[np.int64]) -> None:
    """Sets fingerprints and counts after signing; a |A| that is known already stays."""
    rows["fingerprint"] = fingerprints
    rows["count"] = np.where(rows["count"] < 0, counts, rows["count"])


def set_key_sizes(rows: Rows, sizes: KeySizes, *, words: bool | NDArray[np.bool_]) -> None:
    """Sets how many keys the documents have, and whether sentences and bands are among them."""
    rows["words"] = words
    for name, size in zip(KEY_COUNTS, sizes, strict=True):
        rows[name] = size


def set_arrivals(rows: Rows, first_arrival: int) -> None:
    """Numbers new documents by arrival from `first_arrival` on."""
    rows["order"] = rows["group_order"] = np.arange(first_arrival, first_arrival + len(rows))


def set_versions(rows: Rows, last: int) -> None:
    """Numbers the versions of `rows` from `last` + 1 on."""
    rows["seq"] = np.arange(last + 1, last + 1 + len(rows))


def set_deleted(row: Any) -> None:
    """Makes a version the end of its document; such a row has no blob."""
    row["flags"] |= DELETED
    row["blob_bytes"] = 0


def versions_of(rows: Rows) -> NDArray[np.int64]:
    """The version number of each row."""
    return rows["seq"]


def arrivals_of(rows: Rows) -> NDArray[np.int64]:
    """The arrival of each row's document."""
    return rows["order"]


def hours_of(rows: Rows) -> NDArray[np.int64]:
    """The hour of each row's document."""
    return rows["time"] // HOUR_MS


def fingerprints_of(rows: Rows) -> NDArray[np.uint64]:
    """The two halves of each row's fingerprint."""
    return rows["fingerprint"]


def qgram_counts(rows: Rows) -> NDArray[np.int32]:
    """|A| of each row's document; negative if it was not counted."""
    return rows["count"]


def text_sizes(rows: Rows) -> NDArray[np.uint32]:
    """The bytes of each document's normal form."""
    return rows["text_bytes"]


def prefix_sizes(rows: Rows) -> NDArray[np.uint32]:
    """How many prefix keys each row's document was stored with."""
    return rows["n_prefix"]


def plain_values(rows: Rows, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """For each row, the values of the columns `names` as plain Python; ten times as fast as reading row by row."""
    return zip(*(rows[name].tolist() for name in names), strict=True)


def are_deleted(rows: Rows) -> NDArray[np.bool_]:
    """Which rows end their documents."""
    deleted: NDArray[np.bool_] = (rows["flags"] & DELETED) != 0
    return deleted


def are_set_aside(rows: Rows) -> NDArray[np.bool_]:
    """Which rows are of copies that are kept, but not searched."""
    aside: NDArray[np.bool_] = (rows["flags"] & SET_ASIDE) != 0
    return aside


def are_truncated(rows: Rows) -> NDArray[np.bool_]:
    """Which rows have verdicts that say `truncated`."""
    truncated: NDArray[np.bool_] = (rows["flags"] & TRUNCATED) != 0
    return truncated


def were_empty(rows: Rows) -> NDArray[np.bool_]:
    """Which documents had no text when they were scored."""
    empty: NDArray[np.bool_] = rows["status"] == _EMPTY
    return empty


def are_copies(rows: Rows) -> NDArray[np.bool_]:
    """Which rows are of near or exact copies."""
    return np.isin(rows["status"], _COPIES)


def kind_counts(rows: Rows) -> dict[KindName, int]:
    """How many of `rows` are copies of each kind; kinds without copies are left out."""
    counts = np.bincount(rows["kind"], minlength=len(KINDS)).tolist()
    return {kind: count for kind, count in zip(KINDS, counts, strict=True) if kind is not None and count}


def are_without_words(rows: Rows) -> NDArray[np.bool_]:
    """Which documents have a text, but no sentences and bands were made for it."""
    without: NDArray[np.bool_] = (rows["words"] == 0) & (rows["text_bytes"] > 0)
    return without


def are_with_words(rows: Rows) -> NDArray[np.bool_]:
    """Which documents had sentences and bands made for them."""
    made: NDArray[np.bool_] = rows["words"] != 0
    return made


def are_too_short(rows: Rows) -> NDArray[np.bool_]:
    """Which documents have a text, but no q-gram."""
    short: NDArray[np.bool_] = (rows["count"] == 0) & (rows["text_bytes"] > 0)
    return short


def are_all_last(rows: Rows, floor_arrival: int) -> bool:
    """Whether `last_versions` would return all of `rows` in their present order."""
    arrivals = np.ascontiguousarray(rows["order"])
    ascending = bool((arrivals[1:] > arrivals[:-1]).all()) and bool((arrivals[:1] >= floor_arrival).all())
    return ascending and not are_deleted(rows).any()


def last_versions(rows: Rows, floor_arrival: int) -> NDArray[np.int64]:
    """The indices of the last versions of all present documents from `floor_arrival` on, by arrival."""
    arrivals = np.ascontiguousarray(rows["order"])
    by_arrival: NDArray[np.int64] = np.lexsort((rows["seq"], arrivals))
    ordered = arrivals[by_arrival]
    last = np.ones(len(rows), np.bool_)
    last[:-1] = ordered[1:] != ordered[:-1]
    return by_arrival[last & ~are_deleted(rows)[by_arrival] & (ordered >= floor_arrival)]


# ---- keys ----


def key_counts(rows: Rows) -> NDArray[np.int64]:
    """How many keys of each of `KEY_COUNTS` every row has: kinds × rows."""
    return np.array([rows[name] for name in KEY_COUNTS], np.int64)


def key_starts(rows: Rows, counts: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Where the keys of each of `KEY_COUNTS` begin, for every row: kinds × rows. `counts`: the result of `key_counts`,
    if it is known.
    """
    counts = key_counts(rows) if counts is None else counts
    return rows["keys_start"] + np.cumsum(counts, axis=0) - counts


def first_keys(rows: Rows) -> NDArray[np.int64]:
    """Where the keys of every row begin."""
    return rows["keys_start"]


def lay_keys(rows: Rows) -> None:
    """Sets where the keys begin, for keys that are stored one after another from 0 on."""
    sizes = key_counts(rows).sum(axis=0)
    rows["keys_start"] = np.cumsum(sizes) - sizes


def bitmaps_among(rows: Rows, keys: NDArray[np.uint64]) -> list[NDArray[np.uint64]]:
    """The bitmap of each of `rows`, whose `keys` are concatenated; empty for a row without one."""
    counts = key_counts(rows)
    sizes = counts.sum(axis=0)
    starts = (np.cumsum(sizes) - sizes + counts[0]).tolist()
    return [keys[at : at + words] for at, words in zip(starts, counts[1].tolist(), strict=True)]


# ---- where a directory keeps what belongs to a row ----


def assign_offsets(rows: Rows, text_at: int, blob_at: int, keys_at: int) -> None:
    """Sets where the data of new rows will be, each item with a checksum, given the present ends of the files."""
    for name, sizes, at in (
        ("text_start", rows["text_bytes"].astype(np.int64) + SUM_BYTES, text_at),
        ("keys_start", key_counts(rows).sum(axis=0) + SUM_BYTES // _KEY_BYTES, keys_at),
    ):
        rows[name] = at + np.cumsum(sizes) - sizes
    assign_blob_offsets(rows, blob_at)


def assign_blob_offsets(rows: Rows, blob_at: int) -> None:
    """Sets where the blobs of new versions will be; texts and keys stay where they are."""
    sizes = rows["blob_bytes"].astype(np.int64) + SUM_BYTES
    rows["blob_start"] = blob_at + np.cumsum(sizes) - sizes


def text_extents(rows: Rows) -> list[tuple[int, int]]:
    """(start, bytes) of the text of each row."""
    return list(zip(rows["text_start"].tolist(), rows["text_bytes"].tolist(), strict=True))


def blob_extents(rows: Rows) -> list[tuple[int, int]]:
    """(start, bytes) of the blob of each row."""
    return list(zip(rows["blob_start"].tolist(), rows["blob_bytes"].tolist(), strict=True))


def id_extents(rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the id of each row begins in the file of blobs, and how many bytes it has; 0 for a row without a blob."""
    sizes = np.where(rows["blob_bytes"] > 0, rows["id_bytes"], 0)
    return rows["blob_start"].astype(np.int64), sizes.astype(np.int64)


def ends_of(rows: Rows) -> list[int]:
    """How long the files of texts, blobs and keys must be for the data of `rows`, in bytes, with checksums."""
    if not len(rows):
        return [0, 0, 0]
    return [
        int((rows["text_start"] + rows["text_bytes"]).max()) + SUM_BYTES,
        int((rows["blob_start"] + rows["blob_bytes"]).max()) + SUM_BYTES,
        _KEY_BYTES * int((rows["keys_start"] + key_counts(rows).sum(axis=0)).max()) + SUM_BYTES,
    ]


def committed_rows(rows: Rows, last: int) -> Rows:
    """The first rows, as long as their versions ascend up to `last`. Whatever follows was never committed: it may be
    anything, such as zeros after a power cut.
    """
    versions = np.concatenate([[0], rows["seq"]])
    good = (versions[1:] > versions[:-1]) & (versions[1:] <= last)
    return rows if good.all() else rows[: int(np.argmin(good))]
