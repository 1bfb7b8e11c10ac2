"""The contract of a store: where the documents of a window are kept. The engine (window/engine.py) decides.

In memory (stores/memory.py), in a directory (stores/directory.py) or in a cluster (elastic/window/store.py).
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
    """What is valid: versions up to `seq`, hours from `floor_hour` on, documents from the arrival `floor_order` on.

    Hours before `budget_hour` were given up to a budget; `next_order` is the arrival of the next new document;
    `newest` the newest hour seen; `rows` counts the rows of all these hours, so that a lost file does not
    pass for an expired one; `generation` counts commits. These two are for stores that need them, which set them as
    they commit; the engine passes them on as they were.
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
    """What one batch adds to one hour: one of each a document, but `keys`, which lie one after another.

    `rows` in order of arrival; `texts` are normal forms, or views of memory that is not to be kept; no keys for a store
    that keeps none.
    """

    rows: Rows
    documents: Sequence[Prepared]
    texts: Sequence[bytes | memoryview]
    blobs: Sequence[bytes]
    keys: NDArray[np.uint64]


class Shown(NamedTuple):
    """What a store has of a document beside its normal form: the `text` as it came, None if it was not kept; and the
    fields to be shown, by name.
    """

    text: str | None = None
    fields: Mapping[str, Any] = {}


class Records(NamedTuple):
    """Stored documents in order of arrival, by their last versions: rows, ids, and the keys that they are searched by.

    The keys of row i lie in `keys[part_of[i]]`, from where the row says; a store may read each part when it is asked
    for, and raise `WindowDamaged` then. `common_words`: fingerprints of sentences and
    bands of simhashes that too many documents hold, where these here are not all there are.
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
        """Records whose keys all lie in `keys`."""
        packed, part_of = PackedIds.of([id.encode() for id in ids]), np.zeros(len(rows), np.int64)
        return cls(rows, packed, [keys], part_of, common_words)


def by_part(part_of: NDArray[np.int64], parts: int) -> list[NDArray[np.int64]]:
    """Which documents are in each of so many parts, ascending; `part_of` as in `Records`. Costs a sort, whatever their
    number.
    """
    ends = np.cumsum(np.bincount(part_of, minlength=parts))
    return np.split(np.argsort(part_of, kind="stable"), ends)[:-1]


class SignedDocuments(NamedTuple):
    """Documents of a batch, and their signatures."""

    documents: Sequence[Prepared]
    signed: SignedBatch


class StoredCandidates(NamedTuple):
    """The stored documents that the verdicts on a batch depend on, and whatever decides their groups.

    `by_hour`: how many documents each hour of the window has; None for a batch that moves no hour on. `refused`: why
    nothing can be found for some of the batch, by id.
    """

    records: Records
    by_hour: Mapping[int, int] | None = None
    refused: Mapping[str, str] = MappingProxyType({})


class Store(Protocol):
    """Where the documents of a window are kept: rows, blobs, texts and keys (stores/records.py), by hour.

    A row is the reference to its document: where text and blob lie is the store's affair, which may note it in the row
    it is given; all other columns come back from `records` as they were. Nothing that is added counts before `commit`
    returns; reads see it at once.

    The engine makes one call at a time, whatever the thread. It reads `records` before it reads or changes a document,
    and changes documents only within `begin`.
    """

    @property
    def name(self) -> str:
        """Where it is, as a person calls it."""

    @property
    def committed(self) -> Commit:
        """What is valid, as far as this store has looked: by `begin`, `refresh` or its own `commit`."""

    @property
    def revision(self) -> int:
        """Changes whenever what `records` gave is no longer what is there: it is to be read anew, from the start."""

    @property
    def documents_at_once(self) -> int:
        """How many documents a batch has at most where the settings do not say: they share what a commit costs."""

    def begin(self) -> AbstractContextManager[object]:
        """The right to change the window, with `committed` up to date; what another writer left half done is undone.
        `WindowLocked` while another one has it: some stores have it for as long as they are open.

        What is done in it counts if it was committed; if it ends with an error, nothing else does. Where something was
        added, the engine then begins no more, but goes on reading: a store that lets go of it says so by another
        `revision`.
        """

    def refresh(self, *, follow: bool = False) -> None:
        """Looks again at what others have committed, where there are others; a reader of a directory only if it is to
        `follow` its writer, or once an hour that it holds has gone (`WindowExpired`). Whoever follows learns, too, what
        has gone without its writer.
        """

    def records(self, since: Commit) -> Iterator[Records]:
        """What is committed of the documents from the arrival `since.next_order` on, a part at a time.

        With `Commit()` it is all there is, in place of whatever was read or added before.
        """

    def hours(self) -> list[int]:
        """Hours that hold anything, ascending."""

    def append(self, hour: int, new: NewDocuments) -> None:
        """Adds documents to an hour; their arrivals are new, but for those of a batch that was refused."""

    def revise(self, hour: int, row: Rows, id: str, blob: bytes) -> None:
        """Adds a new version of one document, which keeps its text and keys; or ends it, if its flags say so.

        `row` is an array of that one row; by `id` the document is named if this is refused.
        """

    def commit(self, commit: Commit) -> Mapping[str, str]:
        """Makes everything added so far valid, and `committed` what is given; or nothing, if something is refused: why,
        by the ids of documents that the store will not have.

        After a refusal all that was added is undone, the right to change goes on, and the engine adds the others anew.
        """

    def others_before(self, hour: int) -> int:
        """How many documents would be deleted with the hours before `hour` that are not known as theirs."""

    def drop(self, hour: int) -> None:
        """Deletes an hour, after the commit that raised `floor_hour` above it."""

    def texts(self, rows: Rows) -> list[bytes]:
        """The normal forms of the documents of `rows`; `WindowExpired` where a writer has dropped one's hour.

        b"" for one that others have deleted or changed, where they can: it is like no document then.
        """

    def blobs(self, rows: Rows) -> list[bytes]:
        """The blobs of `rows`; raises as `texts`."""

    @property
    def keeps_text(self) -> bool | None:
        """Whether texts are kept as they come unless somebody says otherwise; None where documents lie whole in any
        case, so that their blobs need no shown.
        """

    @property
    def is_durable(self) -> bool:
        """Whether it outlasts its process: one that does not gets no keys, and holds texts and blobs in memory."""

    def shown(self, rows: Rows) -> list[Shown]:
        """What is kept of the documents of `rows` to be shown; raises as `texts`."""

    def came(self, rows: Rows) -> list[bytes | None]:
        """The texts of the documents of `rows` as they came, as UTF-8; None for one that was not kept, is gone or has
        been changed by others. Raises as `texts`.
        """

    @property
    def previous(self) -> Mapping[str, Any]:
        """The settings that the verdicts stored before were made by (remembered_settings.py)."""

    @property
    def remembered(self) -> dict[str, Any]:
        """The settings that the window remembers its verdicts to be made by: those of the writer that has it open, and
        what `merged` makes of those before.
        """

    def remember_at_commit(self, remembered: dict[str, Any]) -> None:
        """The next commit also says that all verdicts are by the settings `remembered`."""

    def named(self, documents: Sequence[Prepared], stored: Callable[[str], int | None]) -> Sequence[Prepared]:
        """Documents under the ids that the window keeps them by: other ones where documents of several owners would
        have the same. `stored` gives the arrival of the document of an id.
        """

    def absent(self, rows: Rows) -> NDArray[np.bool_]:
        """Which documents of `rows` others have deleted. Costs reading where others can."""

    def repeated(self, document: Prepared, row: Rows, bitmap: NDArray[np.uint64]) -> None:
        """A document of another owner came again with the text that it had: `row` and its bitmap are what is known."""

    def not_kept(self, document: Prepared, verdict: Verdict) -> None:
        """A document of another owner got a verdict, but is not one of the window's."""

    def uncompared(self) -> int:
        """How many documents of other owners are marked as never compared."""

    def is_abandoned(self) -> bool:
        """Whether a writer ended half-way, and what it left waits to be undone by the next `begin`."""

    def candidates(self, options: QueryOptions, window_hours: int) -> Store | None:
        """A readonly store of all documents that a query which looks back so far might name, where that is cheaper than
        to read them all.
        """

    def candidates_of_texts(self, texts: Sequence[bytes], threshold: Fraction) -> Store | None:
        """A readonly store of all documents that the verdicts on `texts` at `threshold` might name, whatever their
        time, where that is cheaper than to ask for the `candidates` of each.
        """

    def holding(self, ids: Sequence[str]) -> Store | None:
        """A readonly store of the documents of these ids, where that is cheaper than to read them all."""

    def look_ahead(self, batch: SignedDocuments) -> None:
        """Begins to look for what the verdicts on a `batch` depend on, before `begin`, so that others can work
        meanwhile: `candidates_of_batch` of the same batch then takes less time. Not needed, and changes no answer.
        """

    def candidates_of_batch(self, batch: SignedDocuments) -> StoredCandidates | None:
        """The stored documents that the verdicts on a `batch` depend on, found without reading
        all there are; within `begin`, in place of `records`. None from a store that cannot.
        """

    def close(self) -> None:
        """Lets go of files, locks and connections."""


def drop_all(store: Store, hours: Sequence[int]) -> dict[int, ClusterError]:
    """Deletes `hours` after a commit. Returns those that a cluster does not delete now, with why: they stay, out of the
    window, for whoever expires again.
    """
    stay: dict[int, ClusterError] = {}
    for hour in hours:
        try:
            store.drop(hour)
        except (ClusterRejected, ClusterRefused) as error:
            stay[hour] = error
    return stay


def drop_or_tell(store: Store, hours: Sequence[int]) -> None:
    """`drop_all` that logs which stay: what was committed counts, and the verdicts of it are to be told."""
    for hour, error in drop_all(store, hours).items():
        text = "its documents are out of the window, and `neardup expire` deletes it when it can be"
        log.warning("hour %s stays: %s; %s", hour_name(hour), error, text)
