"""A batch of documents searched in posting lists and added to them, one after another (native/batch_search.h).

A repeated text is not posted again: its document joins the chain of the first one with this text, which is posted for
all of them (`Documents`). A search that finds the first document finds the whole chain.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.kernels.bitmap_columns import BitmapColumns
    from neardup.kernels.bitset_cache import BitsetCache
    from neardup.kernels.counters import Counters
    from neardup.kernels.packed_lists import PackedLists
    from neardup.kernels.posting_lists import Lists

_NO_FINGERPRINTS: Final = np.empty((0, 2), np.uint64)
_NO_DOCS: Final = np.empty(0, np.int32)

_search_and_add = Kernel("search_and_add")
_chain_behind = Kernel("chain_behind")


class Documents(NamedTuple):
    """Columns that a search filters by, indexed by doc.

    hours         hours since 1970, of the document's time
    counts        |A|; negative: not counted yet
    alive         1 = can be found
    fingerprints  n × 2
    halves        first halves of `fingerprints`, side by side: most fingerprints differ already in these
    first_of      the doc that is posted for all docs of the same text
    next_of       the next doc of the same text, -1 after the last: a chain that begins with the posted doc
    """

    hours: NDArray[np.int32]
    counts: NDArray[np.int32]
    alive: NDArray[np.uint8]
    halves: NDArray[np.uint64]
    fingerprints: NDArray[np.uint64]
    first_of: NDArray[np.int32]
    next_of: NDArray[np.int32]


class Query(NamedTuple):
    """A batch to search, with one value for each document, and the threshold.

    docs          the doc under which the document is added after its search, -1 to search only
    counts        |A|; negative: not counted yet
    low_hours, high_hours   hours a candidate may lie in, both included
    ratio         the threshold, as numerator and denominator
    fingerprints  n × 2; of documents with equal fingerprints only the first is posted. Empty: every document is posted
    largest       sets larger than this, or not counted yet, are treated as exactly this size, so that results never
                  depend on which sets happen to be counted. 0: true sizes are used, and uncounted sets always fit
    repeated      posted docs, ascending: for each of these texts only one document is found, which stands in for all
    many          texts with at least this many further documents are reported (`SearchOutput.met`); 0: none are
    """

    docs: NDArray[np.int64]
    counts: NDArray[np.int64]
    low_hours: NDArray[np.int64]
    high_hours: NDArray[np.int64]
    ratio: tuple[int, int]
    fingerprints: NDArray[np.uint64] = _NO_FINGERPRINTS
    largest: int = 0
    repeated: NDArray[np.int32] = _NO_DOCS
    many: int = 0

    @property
    def threshold(self) -> Fraction:
        """`ratio` as one fraction."""
        return Fraction(*self.ratio)

    def part(self, part: slice) -> Query:
        """The query for only these documents."""
        return self._replace(
            docs=self.docs[part], counts=self.counts[part], low_hours=self.low_hours[part],
            high_hours=self.high_hours[part], fingerprints=self.fingerprints[part],
        )  # fmt: skip


class SearchOutput(NamedTuple):
    """The output arrays of `search_and_add`: the candidates of document i are `candidates[offsets[i]:offsets[i + 1]]`;
    the docs that each stand in for all documents of a repeated text are
    `stand_ins[stand_in_offsets[i]:stand_in_offsets[i + 1]]`.

    offsets    n + 1, like `stand_in_offsets`
    left_out   for each document, how many of its posting lists were above the limit
    same_as    for each document, the posted doc of the same text, -1 if there is none
    met        posted docs of the texts to report (`Query.many`), none of them `repeated`; a doc may occur several
               times, and some are missing if there is no room. `met_size` holds how many are filled
    """

    candidates: NDArray[np.int32]
    offsets: NDArray[np.int64]
    left_out: NDArray[np.int64]
    stand_ins: NDArray[np.int32]
    stand_in_offsets: NDArray[np.int64]
    same_as: NDArray[np.int64]
    met: NDArray[np.int32]
    met_size: NDArray[np.int64]


def search_and_add(
    lists: Lists,
    packed: PackedLists,
    bitsets: BitsetCache,
    keys: NDArray[np.uint64],
    key_offsets: NDArray[np.int64],
    min_shared: NDArray[np.int64],
    limit: int,
    query: Query,
    columns: BitmapColumns,
    documents: Documents,
    counters: Counters,
    out: SearchOutput,
    progress: NDArray[np.int64],
) -> int:
    """For every document of a batch, in order: finds the earlier documents that may match, then adds the document
    itself.

    Candidates, unordered, are in at least `min_shared[i]` of the lists of the document's keys, alive, in the hours of
    the `query`, and of a size that fits (see `Query.largest`). With fingerprints, a document whose text is posted
    already joins the chain of that posted document.

    lists, bitsets        changed
    packed                the first part of each list, read
    keys, key_offsets     n + 1 offsets: `keys[key_offsets[i]:key_offsets[i + 1]]` are those of document i
    min_shared            n
    limit                 lists of more living docs than this are left out; 0 = none
    columns               used to leave out docs of short texts if very many are found
    documents             its chains are changed
    counters              one for each doc
    out                   filled
    progress              [i, keys of document i already added, whether it was searched]: where to resume

    Returns a status (kernels/posting_lists.py).
    """
    return _search_and_add(
        lists, packed, bitsets, keys, key_offsets, min_shared, limit, query, columns, documents, counters, out,
        progress,
    )  # fmt: skip


def chain_behind(next_of: NDArray[np.int32], posted: int, after: int, out: NDArray[np.int32]) -> int:
    """The number of docs above doc `after` in the chain of the doc `posted`, not counting itself. Fills `out` with
    them, the newest first, as far as there is room. Costs reading the chain, from the newest doc back to `after`.
    """
    return _chain_behind(next_of, posted, after, out)
