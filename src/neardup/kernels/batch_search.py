"""A batch of documents searched in posting lists and added to them, one after another (native/batch_search.h).

A text that comes again is not posted again: the document joins the chain of the first one, which is posted for all of
them (`Documents`), and a search that meets the first finds the whole chain.
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
    halves        first halves of `fingerprints`, side by side: most of them differ already in these
    first_of      the doc that stands in the posting lists for all of the same text
    next_of       the next doc of that text, -1 after the last: a chain that begins with the one posted
    """

    hours: NDArray[np.int32]
    counts: NDArray[np.int32]
    alive: NDArray[np.uint8]
    halves: NDArray[np.uint64]
    fingerprints: NDArray[np.uint64]
    first_of: NDArray[np.int32]
    next_of: NDArray[np.int32]


class Query(NamedTuple):
    """A batch to search, one value a document, and the threshold.

    docs          the doc to add it as after its search, -1 to search only
    counts        |A|; negative: not counted yet
    low_hours, high_hours   hours a candidate may lie in, both included
    ratio         the threshold, as numerator and denominator
    fingerprints  n × 2; of documents with the same ones only the first is posted. Empty: every document is
    largest       sets of more q-grams, and those that were not counted, pass for sets of so many: who has counted which
                  decides nothing then. 0: sizes are as they are, and what was not counted fits all
    repeated      posted docs, ascending: of each of these texts only one document is found, which stands in for all
    many          so many documents of one text are told of (`SearchOutput.met`); 0: none are
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
        """`ratio` as one number."""
        return Fraction(*self.ratio)

    def first(self, count: int) -> Query:
        """The first `count` documents."""
        return self._replace(
            docs=self.docs[:count], counts=self.counts[:count], low_hours=self.low_hours[:count],
            high_hours=self.high_hours[:count], fingerprints=self.fingerprints[:count],
        )  # fmt: skip


class SearchOutput(NamedTuple):
    """What `search_and_add` writes: candidates of document i are `candidates[offsets[i]:offsets[i + 1]]`; those
    that each stand in for all of a repeated text are `stand_ins[stand_in_offsets[i]:stand_in_offsets[i + 1]]`.

    offsets    n + 1, as `stand_in_offsets`
    left_out   of each document, how many of its posting lists were too long to read
    same_as    of each document, the posted doc of the same text, -1 if there is none
    met        posted docs of texts of very many documents, none of them `repeated`: some several times, not all if
               there is no room; how many of them are filled is in `met_size`
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
    """For every document of a batch, in order: who came before it and may match; then it is added itself.

    Candidates, unordered, are in at least `min_shared[i]` of the lists of its keys, alive, in the hours of the `query`,
    and of a size that fits, as far as `largest` lets it tell. With fingerprints a document of the text of one that was
    posted joins that one's chain.

    lists, bitsets        changed
    packed                the first part of each list, read
    keys, key_offsets     n + 1 offsets: `keys[key_offsets[i]:key_offsets[i + 1]]` are those of document i
    min_shared            n
    limit                 lists of more living docs than this are left out; 0 = none
    columns               by which docs of short texts are left out where very many are found
    documents             whose chains are changed
    counters              one a doc
    out                   filled
    progress              [i, keys of document i already added, whether it was searched], where to resume

    Returns a status (kernels/posting_lists.py).
    """
    return _search_and_add(
        lists, packed, bitsets, keys, key_offsets, min_shared, limit, query, columns, documents, counters, out,
        progress,
    )  # fmt: skip


def chain_behind(next_of: NDArray[np.int32], posted: int, after: int, out: NDArray[np.int32]) -> int:
    """How many docs behind the one that is `posted` are in its chain, of those after doc `after`; `out` is filled with
    as many of them as there is room for, the newest first. Costs reading the chain: it goes from the newest back.
    """
    return _chain_behind(next_of, posted, after, out)
