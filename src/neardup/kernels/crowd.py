r"""Exact |A ∩ B| with many B of one crowd, and the best of many matches, inside kernels.

A crowd is documents of one template: all share most of a core C. Of each is known what it has beyond the core and what
it lacks of it, D = (B \ C, C \ B), in posting lists. Then

    |A ∩ B| = |C| - |C \ A| - |C \ B| + |(C \ A) ∩ (C \ B)| + |(A \ C) ∩ (B \ C)|

whose last two terms are counted for all B at once by reading the posting lists of A's own differences: a pair costs a
few additions where reading B's text would take thousands (`kernels/overlap.py`, the slow way to the same number).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.caching import njit
from neardup.kernels.qgrams import insert, slot_of, table_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNKNOWN, BELOW, NEAR, EXACT = 0, 1, 2, 3
"""What is known of a pair: nothing, that it is below the threshold, or that it matches."""


class Members(NamedTuple):
    r"""Columns by doc, of those that are posted (`Documents.first_of`), for all crowds together.

    crowd_of   the doc's crowd; negative: none
    lacking    |C \ B|
    tallied    the two terms of the module's formula that are read from posting lists; 0 between two comparisons
    """

    crowd_of: NDArray[np.int32]
    lacking: NDArray[np.int32]
    tallied: NDArray[np.int32]


class Ranking(NamedTuple):
    """Columns by doc that matches are ranked by.

    counts, first_of     |B|, of the doc that is posted for it
    times                milliseconds since 1970
    names, name_starts   ids as UTF-8, one after another, and n + 1 offsets
    stands               1: the doc stands for a group
    """

    counts: NDArray[np.int32]
    first_of: NDArray[np.int32]
    times: NDArray[np.int64]
    names: NDArray[np.uint8]
    name_starts: NDArray[np.int64]
    stands: NDArray[np.uint8]


@njit(cache=True, nogil=True)
def core_table(keys):
    """An open-addressing table of `keys` (uint64), none of which is 0 (a free slot)."""
    mask = table_size(len(keys)) - 1
    table = np.zeros(mask + 1, np.uint64)
    for key in keys:
        insert(table, mask, key)
    return table


@njit(cache=True, nogil=True)
def differences(keys, table, out):
    r"""Writes A \ C, then C \ A to `out` (uint64, |A| + |C|); returns (|A \ C|, |C \ A|).

    keys    A, uint64, each once
    table   C, as `core_table` makes it
    """
    mask = len(table) - 1
    seen = np.zeros(mask + 1, np.uint8)
    beyond = 0
    for key in keys:
        slot = slot_of(table, mask, key)
        inside = table[slot] == key and key != 0
        if inside:
            seen[slot] = 1
        else:
            out[beyond] = key
            beyond += 1
    lacking = 0
    for slot in range(mask + 1):
        if table[slot] != 0 and not seen[slot]:
            out[beyond + lacking] = table[slot]
            lacking += 1
    return beyond, lacking


@njit(cache=True, nogil=True)
def text_starts(docs, first_of, out):
    """Writes to `out` (int64) where in `docs` (int64) a new text begins; returns how many there are.

    Docs of one text must be side by side to count as one.
    """
    count = 0
    last = np.int64(-1)
    for i in range(len(docs)):
        first = np.int64(first_of[docs[i]])
        out[count] = i
        count += np.int64(first != last)
        last = first
    return count


@njit(cache=True, nogil=True)
def compare_in_crowd(
    docs, documents, members, crowd, base, count, fingerprint, numerator, denominator, shared, state
):  # fmt: skip
    r"""Sets `shared[i]` (int64) and `state[i]` (uint8) for those of `docs` (int64) that are of `crowd`.

    documents     Documents (kernels/batch_search.py)
    members       Members, with what A's differences were tallied to
    base          |C| - |C \ A|
    count         |A|, and `fingerprint` that of A (uint64, 2)
    numerator, denominator   of the threshold

    A few additions a doc.
    """
    first_of, counts, fingerprints = documents.first_of, documents.counts, documents.fingerprints
    crowd_of, lacking, tallied = members
    for i in range(len(docs)):
        first = np.int64(first_of[docs[i]])
        if crowd_of[first] != crowd:
            continue
        overlap = base - np.int64(lacking[first]) + np.int64(tallied[first])
        other = np.int64(counts[first])
        shared[i] = overlap
        if (
            overlap == count
            and overlap == other
            and (fingerprints[first, 0] == fingerprint[0] and fingerprints[first, 1] == fingerprint[1])
        ):
            state[i] = EXACT
        elif count > 0 and overlap * denominator >= numerator * max(count, other):
            state[i] = NEAR
        else:
            state[i] = BELOW


@njit(cache=True, nogil=True)
def count_crowds(docs, first_of, crowd_of, step, sizes):
    """Adds to `sizes[c]` (int64) how many of `docs` (int64) are of crowd c, by a look at every `step`th of them."""
    for i in range(0, len(docs), step):
        crowd = crowd_of[first_of[docs[i]]]
        if crowd >= 0:
            sizes[crowd] += step


@njit(cache=True, nogil=True)
def _before(times, names, starts, doc, other):
    """Whether `doc` comes before `other`: by time, then by id, byte by byte."""
    time, other_time = times[doc], times[other]
    if time != other_time:
        return time < other_time
    a, a_end = starts[doc], starts[doc + 1]
    b, b_end = starts[other], starts[other + 1]
    while a < a_end and b < b_end:
        if names[a] != names[b]:
            return names[a] < names[b]
        a += 1
        b += 1
    return a == a_end and b < b_end


@njit(cache=True, nogil=True)
def best_matches(docs, starts, state, shared, ranking, count, best, texts):
    """Sets `best` (int64) to the best matches, best first, -1 where there are no more, and `texts` to their texts.

    docs            int64; text j is that of `docs[starts[j] : starts[j + 1]]`
    state, shared   what is known of text j (`compare_in_crowd`)
    ranking         Ranking
    count           |A|
    best            places in `docs`; as many matches as it is long are listed

    Best: by doc_q, then the earlier one, then by id. Returns (how many match, how many were compared, the place of the
    best one that stands for a group or -1, its text). One pass; few matches change their place.
    """
    # Taken out once: a column read through the tuple is counted in and out at every document.
    counts, first_of, times, names, name_starts, stands = ranking
    best[:] = -1
    most = len(best)
    scores = np.empty(most)
    size = matches = compared = 0
    head, head_text, head_score = np.int64(-1), np.int64(-1), 0.0
    for j in range(len(starts) - 1):
        if state[j] == UNKNOWN:
            continue
        begin, end = starts[j], starts[j + 1]
        compared += end - begin
        if state[j] == BELOW:
            continue
        matches += end - begin
        score = 1.0 if state[j] == EXACT else shared[j] / max(count, np.int64(counts[first_of[docs[begin]]]))
        for i in range(begin, end):
            doc = docs[i]
            if stands[doc] and (
                score > head_score
                or (score == head_score and _before(times, names, name_starts, doc, docs[head]))
            ):
                head, head_text, head_score = i, j, score
            at = size
            while at > 0 and (
                score > scores[at - 1]
                or (score == scores[at - 1] and _before(times, names, name_starts, doc, docs[best[at - 1]]))
            ):
                if at < most:
                    best[at], texts[at], scores[at] = best[at - 1], texts[at - 1], scores[at - 1]
                at -= 1
            if at < most:
                best[at], texts[at], scores[at] = i, j, score
                size = min(size + 1, most)
    return matches, compared, head, head_text
