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
def text_starts(documents, first_of, out):
    """Writes to `out` where in `documents` a run of one text begins; returns how many there are."""
    count = 0
    last = np.int64(-1)
    for i in range(len(documents)):
        first = np.int64(first_of[documents[i]])
        out[count] = i
        count += np.int64(first != last)
        last = first
    return count


@njit(cache=True, nogil=True)
def compare_in_crowd(
    documents, first_of, counts, fingerprints, crowd_of, crowd, lacking, tallied, base, count, fingerprint,
    numerator, denominator, shared, state,
):  # fmt: skip
    r"""Fills `shared[i]` and `state[i]` for those of `documents` that are of `crowd`.

    `base` = |C| - |C \ A|, `tallied[d]` = the two terms of the module's formula that are read from posting lists.
    """
    for i in range(len(documents)):
        first = np.int64(first_of[documents[i]])
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
def count_crowds(documents, first_of, crowd_of, step, sizes):
    """Adds to `sizes[c]` how many of every `step`th of `documents` are of crowd c."""
    for i in range(0, len(documents), step):
        crowd = crowd_of[first_of[documents[i]]]
        if crowd >= 0:
            sizes[crowd] += step


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
def best_matches(
    documents, starts, state, shared, counts, count, times, names, name_starts, stands, best, texts
):  # fmt: skip
    """Fills `best` with the best matches, best first, -1 where there are no more, and `texts` with their texts.

    Text j is that of `documents[starts[j] : starts[j + 1]]`, `state[j]` and `shared[j]` what is known of it; `best` has
    places in `documents`. Best: by doc_q, then the earlier one, then by id. Returns (how many match, how many were
    compared, the place of the best one that `stands` for a group or -1, its text).
    """
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
        score = 1.0 if state[j] == EXACT else shared[j] / max(count, np.int64(counts[documents[begin]]))
        for i in range(begin, end):
            document = documents[i]
            if stands[document] and score >= head_score:
                ahead = score > head_score
                if not ahead:
                    time, other = times[document], documents[head]
                    ahead = time < times[other]
                    if time == times[other]:
                        ahead = _name_before(names, name_starts, document, other)
                if ahead:
                    head, head_text, head_score = i, j, score
            at = size
            while at > 0 and score >= scores[at - 1]:
                if score == scores[at - 1]:
                    time, other = times[document], documents[best[at - 1]]
                    if time > times[other] or (
                        time == times[other] and not _name_before(names, name_starts, document, other)
                    ):
                        break
                if at < most:
                    best[at], texts[at], scores[at] = best[at - 1], texts[at - 1], scores[at - 1]
                at -= 1
            if at < most:
                best[at], texts[at], scores[at] = i, j, score
                size = min(size + 1, most)
    return matches, compared, head, head_text
