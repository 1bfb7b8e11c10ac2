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
from neardup.kernels.inner import inner
from neardup.kernels.qgrams import insert, slot_of, table_size, window_keys, write_distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNKNOWN, BELOW, NEAR, EXACT = 0, 1, 2, 3
"""What is known of a pair: nothing, that it is below the threshold, or that it matches."""


class Tallied(NamedTuple):
    r"""A document's set A against one crowd, columns by member of it.

    crowd      the crowd
    base       |C| - |C \ A|
    lacking    |C \ B|
    sizes      |B|
    tallied    the two terms of the module's formula that are read from posting lists; newer members, which
               are not in it, are not known
    """

    crowd: int
    base: int
    lacking: NDArray[np.int32]
    sizes: NDArray[np.int32]
    tallied: NDArray[np.uint16] | NDArray[np.int32]


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
    """(an open-addressing table of `keys` (uint64), none of which is 0 (a free slot); their slots in it, int64)."""
    mask = table_size(len(keys)) - 1
    table = np.zeros(mask + 1, np.uint64)
    slots = np.empty(len(keys), np.int64)
    for key in keys:
        insert(table, mask, key)
    for i in range(len(keys)):
        slots[i] = slot_of(table, mask, keys[i])
    return table, slots


@njit(cache=True, nogil=True)
def differences(keys, offsets, table, slots, out, out_offsets, lacking):
    r"""Writes A \ C, then C \ A to `out` (uint64) for every A = `keys[offsets[i]:offsets[i + 1]]` (uint64, each once).

    table, slots   C, as `core_table` makes it
    out_offsets    int64, n + 1, filled: what is written of A is `out[out_offsets[i]:out_offsets[i + 1]]`
    lacking        int64, filled: |C \ A|
    """
    seen = np.empty(len(table), np.uint8)
    at = 0
    out_offsets[0] = 0
    for i in range(len(offsets) - 1):
        beyond = _write_beyond(keys, offsets[i], offsets[i + 1], table, seen, out, at)
        at = _write_lacking(table, slots, seen, out, beyond)
        lacking[i] = at - beyond
        out_offsets[i + 1] = at


@inner
def _write_beyond(keys, first, last, table, seen, out, at):
    """Writes those of `keys[first:last]` that are not in the core to `out[at:]`; returns the next position. `seen`
    (uint8) becomes 1 at the slots of the others.
    """
    mask = len(table) - 1
    seen[:] = 0
    for j in range(first, last):
        # Written whether beyond the core or not: a branch would be mispredicted.
        key = keys[j]
        slot = slot_of(table, mask, key)
        inside = np.uint8((table[slot] == key) & (key != 0))
        seen[slot] |= inside
        out[at] = key
        at += 1 - np.int64(inside)
    return at


@inner
def _write_lacking(table, slots, seen, out, at):
    """Writes the keys of the core that were not `seen` to `out[at:]`; returns the next position."""
    for slot in slots:
        out[at] = table[slot]
        at += 1 - np.int64(seen[slot])
    return at


@njit(cache=True, nogil=True)
def differences_of_texts(texts, offsets, which, q, scratch, table, slots, counts, out, out_offsets, lacking):
    """As `differences`, of the normal forms `texts[offsets[i]:offsets[i + 1]]` for i in `which` (int64), whose sets are
    not made: only what is not in the core is put into a table of its own.

    scratch   Scratch (kernels/signing.py) for the longest of the texts
    counts    int64, by i: filled, |A|
    """
    seen = np.empty(len(table), np.uint8)
    keys, chosen = scratch.keys, scratch.chosen
    at = 0
    out_offsets[0] = 0
    for k in range(len(which)):
        i = which[k]
        windows = window_keys(texts, offsets[i], offsets[i + 1], q, scratch, keys)
        outside = _write_beyond(keys, 0, windows, table, seen, chosen, 0)
        beyond = write_distinct(chosen, outside, scratch.table, out, at)
        end = _write_lacking(table, slots, seen, out, beyond)
        lacking[k] = end - beyond
        counts[i] = beyond - at + len(slots) - lacking[k]
        out_offsets[k + 1] = at = end


@njit(cache=True, nogil=True)
def compare_texts(
    docs, first_of, halves, fingerprints, fingerprint, count, members, against, numerator, denominator,
    starts, shared, state,
):  # fmt: skip
    """Finds the texts of `docs` (int32), and compares those of one crowd.

    Text j is that of `docs[starts[j] : starts[j + 1]]`: docs of one text must be side by side to count as one. Its
    `state` (uint8) is EXACT where it is of the `fingerprint` (uint64, 2), NEAR or BELOW where it is of the crowd, else
    UNKNOWN; `shared` (int64) is the overlap, of EXACT ones `count`, which is |A| or, where only those matter, anything.

    members    int32, docs × 2: of those that are posted, crowd and member of it
    against   Tallied

    Returns (how many texts, how many EXACT, how many BELOW or UNKNOWN, a posted doc of the EXACT ones or -1). A few
    additions a text.
    """
    crowd, base, lacking, sizes, tallied = against
    size = exact = rest = 0
    same = last = np.int64(-1)
    half = fingerprint[0]
    for i in range(len(docs)):
        first = np.int64(first_of[docs[i]])
        if first == last:
            continue
        last = first
        starts[size] = i
        overlap, known = count, UNKNOWN
        if halves[first] == half and fingerprints[first, 1] == fingerprint[1]:
            known = EXACT
            exact += 1
            same = first
        elif members[first, 0] == crowd and members[first, 1] < len(tallied):
            member = members[first, 1]
            overlap = base - np.int64(lacking[member]) + np.int64(tallied[member])
            near = overlap * denominator >= numerator * max(count, np.int64(sizes[member]))
            known = NEAR if near and count > 0 else BELOW
        shared[size] = overlap
        state[size] = known
        size += 1
        rest += np.int64(known < NEAR)
    starts[size] = len(docs)
    return size, exact, rest, same


@njit(cache=True, nogil=True)
def compare_in_crowd(
    docs, starts, first_of, count, members, against, numerator, denominator, shared, state
):  # fmt: skip
    """As `compare_texts`, for those texts that are of another crowd; filled in."""
    crowd, base, lacking, sizes, tallied = against
    for j in range(len(state)):
        first = first_of[docs[starts[j]]]
        member = members[first, 1]
        if members[first, 0] != crowd or state[j] == EXACT or member >= len(tallied):
            continue
        overlap = base - np.int64(lacking[member]) + np.int64(tallied[member])
        shared[j] = overlap
        near = overlap * denominator >= numerator * max(count, np.int64(sizes[member]))
        state[j] = NEAR if near and count > 0 else BELOW


@njit(cache=True, nogil=True)
def best_if_all_match(
    docs, halves, half, count, members, against, numerator, denominator, ranking, rows
):  # fmt: skip
    """As `compare_texts` and `best_matches`, where all of `docs` (int32) match as members of one crowd, and none is of
    the text whose fingerprint begins with `half`. Returns how many rows are filled; -1: not all do.

    rows   int64, n × 4, one more than what is to be listed, filled: doc, time, |A ∩ B| and max(|A|, |B|) of the best,
           best first, and last of the best one that stands for a group, whose doc is -1 if there is none

    What most floods are: a look at every doc, and no more at those that have too little in common to be listed.
    """
    crowd, base, lacking, sizes, tallied = against
    _, first_of, times, names, name_starts, stands = ranking
    overlaps = _overlaps(base, lacking, sizes, tallied, count, numerator, denominator)
    most = len(rows) - 1
    best, scores = np.empty(most, np.int64), np.empty(most)
    size = 0
    head, head_score = np.int64(-1), 0.0
    least = np.int32(0)  # to be listed
    for i in range(len(docs)):
        doc = np.uint32(docs[i])  # without a sign there is no look whether it counts from the end
        first = np.uint32(first_of[doc])
        member = np.uint32(members[first, 1])
        if members[first, 0] != crowd or member >= len(overlaps):
            return -1
        overlap = overlaps[member]
        if overlap < 0 or (overlap == count and halves[first] == half):  # one text has one set
            return -1
        if overlap < least and not stands[doc]:
            continue
        score = overlap / max(count, np.int64(sizes[member]))
        if stands[doc] and (
            score > head_score
            or (score == head_score and _before(times, names, name_starts, doc, docs[head]))
        ):
            head, head_score = i, score
        at = size
        while at > 0 and (
            score > scores[at - 1]
            or (score == scores[at - 1] and _before(times, names, name_starts, doc, docs[best[at - 1]]))
        ):
            if at < most:
                best[at], scores[at] = best[at - 1], scores[at - 1]
            at -= 1
        if at < most:
            best[at], scores[at] = i, score
            size = min(size + 1, most)
            if size == most:
                # overlap / max(|A|, |B|) >= score needs an overlap of score · |A|; one less for what is rounded off.
                least = np.int32(max(np.int64(scores[most - 1] * count) - 1, 0))
    for row in range(size + 1):
        at = best[row] if row < size else head
        if at < 0:
            rows[row, 0] = -1
            continue
        doc = docs[at]
        member = members[first_of[doc], 1]
        rows[row, 0], rows[row, 1], rows[row, 2] = doc, times[doc], overlaps[member]
        rows[row, 3] = max(count, np.int64(sizes[member]))
    return size + 1


@inner
def _overlaps(base, lacking, sizes, tallied, count, numerator, denominator):
    """The overlaps of all members (int32); -1 of those that do not match. Several at once."""
    overlaps = np.empty(len(tallied), np.int32)
    for member in range(len(tallied)):
        overlap = np.int32(base) - lacking[member] + np.int32(tallied[member])
        larger = max(np.int64(count), np.int64(sizes[member]))
        near = np.int64(overlap) * denominator >= numerator * larger
        overlaps[member] = overlap if near else np.int32(-1)
    return overlaps


@njit(cache=True, nogil=True)
def count_crowds(docs, first_of, members, step, sizes):
    """Adds to `sizes[c]` (int64) how many of `docs` (int32) are of crowd c, by a look at every `step`th of them.

    members    as for `compare_texts`
    """
    for i in range(0, len(docs), step):
        crowd = members[first_of[docs[i]], 0]
        if crowd >= 0:
            sizes[crowd] += step


@inner
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


@inner
def _fraction(state, shared, count, other):
    """The doc_q of a match of |B| = `other` with A: (numerator, denominator)."""
    if state == EXACT:
        return np.int64(1), np.int64(1)
    return np.int64(shared), max(np.int64(count), np.int64(other))


@njit(cache=True, nogil=True)
def best_matches(docs, starts, state, shared, ranking, count, best, texts):
    """Sets `best` (int64) to the best matches, best first, -1 where there are no more, and `texts` to their texts.

    docs            int32; text j is that of `docs[starts[j] : starts[j + 1]]`
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
    worst, worst_time = -1.0, np.int64(0)  # of a full list: what is worse changes nothing
    worst_shared, worst_size = np.int64(-1), np.int64(1)
    for j in range(len(starts) - 1):
        if state[j] == UNKNOWN:
            continue
        begin, end = starts[j], starts[j + 1]
        compared += end - begin
        if state[j] == BELOW:
            continue
        matches += end - begin
        overlap, larger = _fraction(state[j], shared[j], count, counts[first_of[docs[begin]]])
        if end - begin == 1 and not stands[docs[begin]] and overlap * worst_size < worst_shared * larger:
            continue  # so do nearly all: no division for them
        score = overlap / larger
        for i in range(begin, end):
            doc = docs[i]
            if stands[doc] and (
                score > head_score
                or (score == head_score and _before(times, names, name_starts, doc, docs[head]))
            ):
                head, head_text, head_score = i, j, score
            if score < worst or (score == worst and times[doc] > worst_time):
                continue
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
                if size == most:
                    worst, worst_time = scores[most - 1], times[docs[best[most - 1]]]
                    text, size_of = texts[most - 1], counts[first_of[docs[best[most - 1]]]]
                    worst_shared, worst_size = _fraction(state[text], shared[text], count, size_of)
    return matches, compared, head, head_text
