"""The contract of a store, which keeps the documents of a window. All decisions are made by the engine
(window/engine.py).

There are stores in memory (stores/memory.py), in a directory (stores/directory.py) and in a cluster
(elastic/window/store.py).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from neardup.errors import ClusterRefused, ClusterRejected
from neardup.model.hours import FIRST_HOUR, hour_name
from neardup.stores.packed_ids import PackedIds

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from neardup.errors import ClusterError
    from neardup.model.document import Prepared
    from neardup.model.query_options import QueryOptions
    from neardup.model.verdict import Verdict
    from neardup.signing.signature import SignedBatch
    from neardup.stores.records import Rows

log = logging.getLogger("neardup")


class Commit(NamedTuple):
    """What counts: versions up to `seq`, hours from `floor_hour` on, documents from the arrival `floor_order` on.

    Hours before `budget_hour` were dropped for a budget; `next_order` is the arrival of the next new document; `newest`
    is the newest hour seen; `rows` counts the rows of all these hours, so that a lost file is not mistaken for an
    expired one; `generation` counts commits. `rows` and `generation` are for stores that need them, which set them when
    they commit; the engine passes them on unchanged.
    """

    seq: int = 0
    floor_hour: int = FIRST_HOUR
    floor_order: int = 0
    budget_hour: int = FIRST_HOUR
    next_order: int = 0
    newest: int = FIRST_HOUR
    rows: int = 0
    generation: int = 0


class NewDocuments(NamedTuple):
    """What one batch adds to one hour: one item for each document, except in `keys`, which are concatenated.

    `rows` are in order of arrival; `texts` are normal forms, perhaps as views of memory that must not be kept; `keys`
    is empty for a store that keeps none.
    """

    rows: Rows
    documents: Sequence[Prepared]
    texts: Sequence[bytes | memoryview]
    blobs: Sequence[bytes]
    keys: NDArray[np.uint64]


class Shown(NamedTuple):
    """What a store keeps of a document to be shown: the original `text`, None if it was not kept; and the `fields`, by
    name.
    """

    text: str | None = None
    fields: Mapping[str, Any] = {}


class Records(NamedTuple):
    """Stored documents in order of arrival, in their last versions: rows, ids, and the keys that they are searched by.

    The keys of row i are in `keys[part_of[i]]`, from the position in the row on; a store may read each part only when
    it is asked for, and raise `WindowDamaged` then. `common_words`: if these are not all documents, the fingerprints of
    sentences and bands of simhashes that too many documents of the window have.
    """

    rows: Rows
    ids: PackedIds
    keys: Sequence[NDArray[np.uint64]]
    part_of: NDArray[np.int64]
    common_words: frozenset[int] = frozenset()

    @classmethod
    def of_one_part(
        cls,
        rows: Rows,
        ids: Sequence[str],
        keys: NDArray[np.uint64],
        common_words: frozenset[int] = frozenset(),
    ) -> Records:
        """Records whose keys are all in one part, `keys`."""
        packed, part_of = PackedIds.of([id.encode() for id in ids]), np.zeros(len(rows), np.int64)
        return cls(rows, packed, [keys], part_of, common_words)


def by_part(part_of: NDArray[np.int64], parts: int) -> list[NDArray[np.int64]]:
    """For each of so many `parts`, its documents, ascending; `part_of` as in `Records`. Costs one sort, however many
    parts there are.
    """
    ends = np.cumsum(np.bincount(part_of, minlength=parts))
    return np.split(np.argsort(part_of, kind="stable"), ends)[:-1]


class Undecided(NamedTuple):
    """How many documents of other owners have no verdict: those `waiting` for one, and those marked as `unscored`."""

    waiting: int = 0
    unscored: int = 0


class SignedDocuments(NamedTuple):
    """Documents of a batch, and their signatures."""

    documents: Sequence[Prepared]
    signed: SignedBatch


class StoredCandidates(NamedTuple):
    """The stored documents that the verdicts on a batch depend on, including those that decide their groups.

    `by_hour`: how many documents each hour of the window has; None for a batch that does not advance the newest hour.
    `refused`: for documents of the batch that cannot be searched for, the reason, by id.
    """

    records: Records
    by_hour: Mapping[int, int] | None = None
    refused: Mapping[str, str] = MappingProxyType({})


class Store(Protocol):
    """Keeps the documents of a window: rows, blobs, texts and keys (stores/records.py), by hour.

    A row is the reference to its document. The store decides where text and blob lie, and may note the places in the
    rows that it is given; all other columns come back from `records` unchanged. Nothing that is added counts before
    `commit` returns; reads see it at once.

    The engine makes one call at a time, from any thread. It reads `records` before it reads or changes a document, and
    changes documents only within `begin`.
    """

    @property
    def name(self) -> str:
        """The place of the store, as people call it."""

    @property
    def committed(self) -> Commit:
        """The last commit known to this store: as of `begin`, `refresh` or its own `commit`."""

    @property
    def revision(self) -> int:
        """A number that changes whenever the `records` read so far are no longer valid and must be read again from the
        start.
        """

    def begin(self) -> AbstractContextManager[object]:
        """The right to change the window, with `committed` up to date; an unfinished change of another writer is
        undone. Raises `WindowLocked` while another writer has the right; some stores keep it for as long as they are
        open.

        Only what is committed within it counts. If it ends with an error after something was added, the engine writes
        no more, but goes on reading; a store that has rolled back what was added changes its `revision`.
        """

    def records(self, since: Commit) -> Iterator[Records]:
        """The committed documents from the arrival `since.next_order` on, a part at a time.

        With `Commit()` these are all documents, and replace whatever was read or added before.
        """

    def hours(self) -> list[int]:
        """The hours that hold anything, ascending."""

    def append(self, hour: int, new: NewDocuments) -> None:
        """Adds documents to an hour. Their arrivals are new, except that those of a refused batch may come again."""

    def revise(self, hour: int, row: Rows, id: str, blob: bytes) -> None:
        """Adds a new version of one document, which keeps its text and keys; or ends the document, if the flags of the
        row say so.

        `row` is an array of one row; `id` names the document if the store refuses the change.
        """

    def commit(self, commit: Commit) -> Mapping[str, str]:
        """Makes everything added so far count, and sets `committed` to `commit`; returns an empty mapping. Or, if the
        store refuses some documents, commits nothing, and returns the reasons by their ids.

        After a refusal everything that was added is undone, the right to change continues, and the engine adds the
        other documents again.
        """

    def drop(self, hour: int) -> None:
        """Deletes an hour, after the commit that raised `floor_hour` above it."""

    def texts(self, rows: Rows) -> list[bytes]:
        """The normal forms of the documents of `rows`. Raises `WindowExpired` if a writer has dropped the hour of one.

        b"" for a document that other clients have deleted or changed, where they can: it is treated as no document.
        """

    def blobs(self, rows: Rows) -> list[bytes]:
        """The blobs of `rows`; raises as `texts`."""

    @property
    def previous(self) -> Mapping[str, Any]:
        """The settings by which the verdicts stored before were made (remembered_settings.py)."""

    @property
    def remembered(self) -> dict[str, Any]:
        """The settings stored with the window, by which its verdicts were made: those of the present writer, and
        earlier ones as combined by `merged`.
        """

    def remember_at_commit(self, remembered: dict[str, Any]) -> None:
        """Has the next commit also state that all verdicts are by the settings `remembered`."""

    def close(self) -> None:
        """Releases files, locks and connections."""

    # ---- from here on, a store without other writers and owners has all from `SingleOwner` ----

    @property
    def keeps_text(self) -> bool | None:
        """Whether original texts are kept by default; None if the store keeps whole documents in any case, so that
        blobs need not hold what is to be shown.
        """

    @property
    def is_durable(self) -> bool:
        """Whether the store outlasts its process. One that does not is given no keys, and holds texts and blobs in
        memory.
        """

    def shown(self, rows: Rows) -> list[Shown]:
        """The text and fields kept to be shown, for each of `rows`; raises as `texts`."""

    def original_texts(self, rows: Rows) -> list[bytes | None]:
        """The original texts of the documents of `rows`, as UTF-8; None for one that was not kept, is gone or has been
        changed by other clients. Raises as `texts`.
        """

    def show_anew(self, row: Rows, document: Prepared) -> None:
        """Has a stored document shown with the text and fields of `document` from the next commit on; both texts have
        the same normal form. Other fields stay. Called only if `keeps_text` is None. An unfinished batch may have done
        so already.
        """

    # ---- other writers, and documents of other owners ----

    def refresh(self, *, follow: bool = False) -> None:
        """Takes note of what others have committed, if there are others. A reader of a directory does so only if it is
        to `follow` its writer, or after it met an hour that has gone (`WindowExpired`). With `follow` it also notices
        documents that have gone without the writer.
        """

    def find_abandoned(self) -> bool:
        """Looks for what writers that ended half-way have left, and returns whether there is any; the next `begin`
        undoes it.
        """

    def named(self, documents: Sequence[Prepared], stored: Callable[[str], int | None]) -> Sequence[Prepared]:
        """The documents under the ids that the window uses for them; these differ if documents of several owners would
        have the same id. `stored` gives the arrival of the document with an id.
        """

    def absent(self, rows: Rows) -> NDArray[np.bool_]:
        """Which documents of `rows` other clients have deleted. If they can, this costs reading."""

    def make_others_reread(self) -> bool:
        """Lets the next commit make all other processes read the window again, because they may hold documents that
        other clients have deleted. False if there can be none: then no commit is needed.
        """

    def note_repeated(self, document: Prepared, row: Rows, bitmap: NDArray[np.uint64]) -> None:
        """Notes that a document of another owner came again with an unchanged text; `row` and `bitmap` are its stored
        ones.
        """

    def note_not_kept(self, document: Prepared, verdict: Verdict) -> None:
        """Notes that a document of another owner got a verdict, but is not kept in the window."""

    def count_undecided(self) -> Undecided:
        """How many documents of other owners have no verdict."""

    def others_before(self, hour: int) -> int:
        """How many documents that do not belong to the window would be deleted with the hours before `hour`."""

    # ---- documents found without reading all ----

    def candidates(self, options: QueryOptions, window_hours: int) -> Store | None:
        """A read-only store of all documents that a query over so many `window_hours` might name; None unless that is
        cheaper than reading all documents.
        """

    def candidates_of_texts(self, texts: Sequence[bytes], threshold: Fraction) -> Store | None:
        """A read-only store of all documents, of any time, that verdicts on `texts` at `threshold` might name; None
        unless that is cheaper than the `candidates` of each text.
        """

    def holding(self, ids: Sequence[str]) -> Store | None:
        """A read-only store of the documents with these ids; None unless that is cheaper than reading all documents."""

    def look_ahead(self, batch: SignedDocuments) -> None:
        """Searches ahead, before `begin`, for the documents that the verdicts on `batch` depend on, so that other
        writers can work meanwhile; `candidates_of_batch` of the same batch then takes less time. Optional; changes no
        result.
        """

    def candidates_of_batch(self, batch: SignedDocuments) -> StoredCandidates | None:
        """The stored documents that the verdicts on `batch` depend on, found without reading all documents; called
        within `begin`, in place of `records`. None if the store cannot do this.
        """


def drop_all(store: Store, hours: Sequence[int]) -> dict[int, ClusterError]:
    """Deletes `hours` after a commit. Returns the hours that a cluster does not delete now, with the errors: these
    stay, outside of the window, until a later expiry.
    """
    stay: dict[int, ClusterError] = {}
    for hour in hours:
        try:
            store.drop(hour)
        except (ClusterRejected, ClusterRefused) as error:
            stay[hour] = error
    return stay


def drop_or_tell(store: Store, hours: Sequence[int]) -> None:
    """`drop_all`, but logs the hours that stay instead of returning them: the commit counts, and its verdicts must
    still be reported.
    """
    for hour, error in drop_all(store, hours).items():
        text = "its documents have left the window, and `neardup expire` will delete it when possible"
        log.warning("hour %s stays: %s; %s", hour_name(hour), error, text)
