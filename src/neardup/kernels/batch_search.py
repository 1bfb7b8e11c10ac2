"""A batch of documents searched in posting lists and added to them, one after another, inside kernels.

A text that comes again is not posted again: the document joins the chain of the first one, which is posted for all of
them (`Documents`), and a search that meets the first finds the whole chain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.bits import AHEAD, prefetch
from neardup.kernels.caching import njit
from neardup.kernels.candidate_filter import filter_of, size_fits
from neardup.kernels.inner import inner
from neardup.kernels.packed_lists import locate, room_to_locate
from neardup.kernels.posting_lists import CANDIDATES_FULL, DONE, add_doc
from neardup.kernels.ranges import copy_range
from neardup.kernels.shared_counts import count_shared

if TYPE_CHECKING:
    from numpy.typing import NDArray

_U = np.uint64
NO_FINGERPRINTS = np.empty((0, 2), np.uint64)
_FAR = 1 << 18
"""Documents from which on those of a few candidates are in no cache."""


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
    """A batch to search, one value a document, and the threshold t = numerator / denominator.

    docs          the doc to add it as after its search, -1 to search only
    counts        |A|; negative: not counted yet
    low_hours, high_hours   hours a candidate may lie in, both included
    fingerprints  n × 2; of documents with the same ones only the first is posted. Empty: every document is
    largest       sets of more q-grams, and those that were not counted, pass for sets of so many: who has counted which
                  decides nothing then. 0: sizes are as they are, and what was not counted fits all
    """

    docs: NDArray[np.int64]
    counts: NDArray[np.int64]
    low_hours: NDArray[np.int64]
    high_hours: NDArray[np.int64]
    numerator: int
    denominator: int
    fingerprints: NDArray[np.uint64] = NO_FINGERPRINTS
    largest: int = 0


class SearchOutput(NamedTuple):
    """What `search_and_add` writes: candidates of document i are `candidates[offsets[i]:offsets[i + 1]]`.

    offsets    n + 1
    left_out   of each document, how many of its posting lists were too long to read
    same_as    of each document, the posted doc of the same text, -1 if there is none
    """

    candidates: NDArray[np.int32]
    offsets: NDArray[np.int64]
    left_out: NDArray[np.int64]
    same_as: NDArray[np.int64]


@inner
def _write_candidates(candidates, begin, end, documents, wanted, fingerprints, i):
    """Writes to `candidates[end:]` whom `candidates[begin:end]` stand for: with fingerprints their chains, in order of
    arrival, else themselves. Left out are the dead, those outside the hours of document i, and sizes that cannot do.

    Returns (next position, -1 if there is no room; the posted doc of document i's fingerprint, or -1).
    """
    # Taken out once: a column read through the tuple is counted in and out at every document.
    hours, counts, alive, halves, known, _, next_of = documents
    low, high, half, is_chained = wanted.low, wanted.high, wanted.half, wanted.is_chained
    second_half = fingerprints[i, 1] if is_chained else _U(0)
    same = np.int64(-1)
    are_far = len(hours) > _FAR
    at = end
    for p in range(begin, end):
        if are_far:
            ahead = np.int64(candidates[min(p + AHEAD, end - 1)])
            prefetch(counts, ahead)
            prefetch(halves, ahead)
            prefetch(hours, ahead)
            prefetch(alive, ahead)
            prefetch(next_of, ahead)
        doc = np.uint32(candidates[p])  # without a sign there is no look whether it counts from the end
        if is_chained and halves[doc] == half and known[doc, 1] == second_half:
            same = np.int64(doc)
        if not size_fits(wanted, np.int64(counts[doc])):
            continue
        if at == len(candidates):
            return np.int64(-1), same
        candidates[at] = doc
        at += np.int64((low <= hours[doc] <= high) & (alive[doc] == 1))
        chain = at
        other = np.int64(next_of[doc]) if is_chained else np.int64(-1)
        if other < 0:
            continue
        while other >= 0:
            if at == len(candidates):
                return np.int64(-1), same
            candidates[at] = other
            at += np.int64((low <= hours[other] <= high) & (alive[other] == 1))
            other = np.int64(next_of[other])
        for k in range((at - chain) // 2):  # the chain has the newest next to its first
            candidates[chain + k], candidates[at - 1 - k] = candidates[at - 1 - k], candidates[chain + k]
    return at, same


@inner
def _join_chain(documents, doc, posted):
    """Puts `doc` into the chain of the doc that is `posted` for its text, right behind it."""
    documents.first_of[doc] = posted
    documents.next_of[doc] = documents.next_of[posted]
    documents.next_of[posted] = doc


@inner
def _widest(offsets):
    """The largest number of values between two offsets."""
    widest = 0
    for i in range(len(offsets) - 1):
        widest = max(widest, offsets[i + 1] - offsets[i])
    return widest


@njit(cache=True, nogil=True)
def search_and_add(
    lists, packed, bitsets, keys, key_offsets, min_shared, limit, query, documents, counters, out, progress
):  # fmt: skip
    """For every document of a batch, in order: who came before it and may match; then it is added itself.

    Candidates, unordered, are in at least `min_shared[i]` of the lists of its keys, alive, in the hours of the `query`,
    and of a size that fits, as far as `largest` lets it tell. With fingerprints a document of the text of one that was
    posted joins that one's chain.

    lists, bitsets        Lists (kernels/posting_lists.py) and BitsetCache (kernels/bitset_cache.py), changed
    packed                PackedLists (kernels/packed_lists.py) with the first part of each list, read
    keys, key_offsets     uint64, and int64 n + 1: `keys[key_offsets[i]:key_offsets[i + 1]]` are those of document i
    min_shared            int64, n
    limit                 lists of more living docs than this are left out; 0 = none
    query, documents      Query; Documents, whose chains are changed
    counters              Counters (kernels/shared_counts.py), one a doc
    out                   SearchOutput, filled
    progress              int64: [i, keys of document i already added, whether it was searched], where to resume

    Returns a status (kernels/posting_lists.py).
    """
    candidates, offsets = out.candidates, out.offsets
    docs = query.docs
    located = room_to_locate(_widest(key_offsets))
    while progress[0] < len(docs):
        i = progress[0]
        first, last = key_offsets[i], key_offsets[i + 1]
        if progress[2] == 0:
            begin = offsets[i]
            locate(lists, packed, keys, first, last, located)
            wanted = filter_of(query, i)
            certain, end, out.left_out[i] = count_shared(
                lists, packed, bitsets, keys[first:last], located, last - first, min_shared[i], limit, documents,
                wanted, counters, candidates, begin,
            )  # fmt: skip
            if end < 0:
                return CANDIDATES_FULL
            at, out.same_as[i] = _write_candidates(
                candidates, certain, end, documents, wanted, query.fingerprints, i
            )
            if at < 0:
                return CANDIDATES_FULL
            copy_range(candidates, end, at, candidates, certain)
            offsets[i + 1] = certain + at - end
            progress[2] = 1
        if docs[i] >= 0 and out.same_as[i] >= 0:
            _join_chain(documents, docs[i], out.same_as[i])
        elif docs[i] >= 0:
            status = add_doc(lists, keys, first, last, docs[i], progress)
            if status != DONE:
                return status
        progress[0] = i + 1
        progress[1] = 0
        progress[2] = 0
    return DONE
