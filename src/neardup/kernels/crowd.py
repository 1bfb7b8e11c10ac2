r"""Exact |A ∩ B| with many B of one crowd, and the best of many matches, inside kernels.

A crowd is documents of one template: all share most of a core C. Of each is known what it has beyond the core and what
it lacks of it, D = (B \ C, C \ B), in posting lists. Then

    |A ∩ B| = |C| - |C \ A| - |C \ B| + |(C \ A) ∩ (C \ B)| + |(A \ C) ∩ (B \ C)|

whose last two terms are counted for all B at once by reading the runs of A's own differences: the cost of a pair is a
few additions where reading B's text would take thousands (`kernels/overlap.py`, the slow way to the same number).
"""

from __future__ import annotations

import numpy as np

from neardup.kernels.caching import njit
from neardup.kernels.qgrams import table_size


@njit(cache=True, nogil=True)
def core_table(keys):
    """An open-addressing table of `keys`, none of which is 0 (a free slot)."""
    mask = table_size(len(keys)) - 1
    table = np.zeros(mask + 1, np.uint64)
    for key in keys:
        slot = np.int64(key) & mask
        while table[slot] != 0:
            slot = (slot + 1) & mask
        table[slot] = key
    return table


@njit(cache=True, nogil=True)
def differences(keys, table, out):
    r"""Writes A \ C, then C \ A to `out` (room for |A| + |C|); returns (|A \ C|, |C \ A|). `keys`: A, each once."""
    mask = len(table) - 1
    seen = np.zeros(mask + 1, np.uint8)
    beyond = 0
    for key in keys:
        slot = np.int64(key) & mask
        while table[slot] != 0 and table[slot] != key:
            slot = (slot + 1) & mask
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


UNKNOWN, BELOW, NEAR, EXACT = 0, 1, 2, 3
"""What is known of a pair: nothing, that it is below the threshold, or that it matches."""


@njit(cache=True, nogil=True)
def standing(shared, count, other, same_text, numerator, denominator):
    """What `shared` = |A ∩ B| makes of sets of `count` and `other` q-grams at t = numerator / denominator."""
    if same_text:
        return EXACT
    reaches = count > 0 and shared * denominator >= numerator * max(count, other)
    return NEAR if reaches else BELOW


@njit(cache=True, nogil=True)
def compare_in_crowd(
    documents, table, crowd_of, crowd, lacking, tallied, base, count, fingerprint, numerator, denominator, shared, state
):  # fmt: skip
    r"""Fills `shared[i]` and `state[i]` for those of `documents` that are of `crowd`; returns how many are.

    `base` = |C| - |C \ A|, `tallied[d]` = the two terms of the module's formula that are read from posting lists.
    Documents of one text stand side by side, and are worked out once.
    """
    held = 0
    last = np.int64(-1)
    overlap, verdict = np.int64(0), UNKNOWN
    for i in range(len(documents)):
        first = np.int64(table.first_of[documents[i]])
        if crowd_of[first] != crowd:
            continue
        if first != last:
            last = first
            overlap = base - np.int64(lacking[first]) + np.int64(tallied[first])
            other = np.int64(table.counts[first])
            same = (
                overlap == count
                and overlap == other
                and table.fingerprints[first, 0] == fingerprint[0]
                and table.fingerprints[first, 1] == fingerprint[1]
            )
            verdict = standing(overlap, count, other, same, numerator, denominator)
        shared[i] = overlap
        state[i] = verdict
        held += 1
    return held


@njit(cache=True, nogil=True)
def count_crowds(documents, first_of, crowd_of, sizes):
    """Adds to `sizes[c]` how many of `documents` are of crowd c."""
    for document in documents:
        crowd = crowd_of[first_of[document]]
        if crowd >= 0:
            sizes[crowd] += 1


@njit(cache=True, nogil=True)
def _name_before(names, name_starts, document, other):
    """Whether the id of `document` comes before that of `other`, byte by byte."""
    a, a_end = name_starts[document], name_starts[document + 1]
    b, b_end = name_starts[other], name_starts[other + 1]
    while a < a_end and b < b_end:
        if names[a] != names[b]:
            return names[a] < names[b]
        a += 1
        b += 1
    return a == a_end and b < b_end


@njit(cache=True, nogil=True)
def best_matches(documents, state, shared, counts, count, times, names, name_starts, stands, best, scores):
    """Fills `best` with the places in `documents` of the best matches, best first, -1 where there are no more.

    Best: by doc_q, then the earlier one, then by id. `scores` is room for one number a document. Returns (how many
    match, the place of the best one that `stands` for a group or -1).
    """
    best[:] = -1
    most = len(best)
    size = 0
    matches = 0
    head = np.int64(-1)
    for i in range(len(documents)):
        if state[i] < NEAR:
            continue
        matches += 1
        document = documents[i]
        score = 1.0 if state[i] == EXACT else shared[i] / max(count, np.int64(counts[document]))
        scores[i] = score
        if stands[document]:
            ahead = head < 0 or score > scores[head]
            if not ahead and score == scores[head]:
                time, other = times[document], documents[head]
                ahead = time < times[other]
                if time == times[other]:
                    ahead = _name_before(names, name_starts, document, other)
            if ahead:
                head = i
        at = size
        while at > 0:
            if score < scores[best[at - 1]]:
                break
            if score == scores[best[at - 1]]:
                time, other = times[document], documents[best[at - 1]]
                if time > times[other] or (
                    time == times[other] and not _name_before(names, name_starts, document, other)
                ):
                    break
            if at < most:
                best[at] = best[at - 1]
            at -= 1
        if at < most:
            best[at] = i
            size = min(size + 1, most)
    return matches, head
