r"""Exact |A ∩ B| with many B of one crowd (native/crowd.h).

A crowd is a set of documents of one template: all share most of a core C. For each B, posting lists hold its
differences from the core, D = (B \ C, C \ B). Then

    |A ∩ B| = |C| - |C \ A| - |C \ B| + |(C \ A) ∩ (C \ B)| + |(A \ C) ∩ (B \ C)|

The last two terms are counted for all B at once by reading the posting lists of A's own differences: a pair costs a few
additions, where reading B's text would take thousands (`kernels/overlap.py`, the slow way to the same number).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.kernels.signing import Scratch

UNKNOWN, BELOW, NEAR, EXACT = 0, 1, 2, 3
"""The outcomes of a pair: not compared, below the threshold, a match, or equal texts."""

_core_table = Kernel("core_table")
_differences = Kernel("differences")
_differences_of_texts = Kernel("differences_of_texts")
_compare_texts = Kernel("compare_texts")
_compare_in_crowd = Kernel("compare_in_crowd")
_count_crowds = Kernel("count_crowds")


class Core(NamedTuple):
    """The core C of a crowd.

    table   its keys, by open addressing; 0: a free slot
    slots   the slot of each key
    """

    table: NDArray[np.uint64]
    slots: NDArray[np.int64]


class Differences(NamedTuple):
    r"""The differences of sets A from the core C of a crowd: for each set, A \ C, then C \ A, each key once.

    offsets   n + 1: the differences of set i are `keys[offsets[i]:offsets[i + 1]]`
    lacking   |C \ A|
    """

    keys: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    lacking: NDArray[np.int64]


class Tallied(NamedTuple):
    r"""A document's set A against one crowd; the columns have a value for each member B.

    crowd      the number of the crowd
    base       |C| - |C \ A|
    lacking    |C \ B|
    sizes      |B|
    tallied    the sum of the two terms of the module's formula that are read from posting lists; newer members, beyond
               its end, are not compared
    docs       the doc of the member
    """

    crowd: int
    base: int
    lacking: NDArray[np.int32]
    sizes: NDArray[np.int32]
    tallied: NDArray[np.uint16] | NDArray[np.int32]
    docs: NDArray[np.int32]


def core_table(keys: NDArray[np.uint64]) -> Core:
    """The core made of `keys`, none of which is 0."""
    # As `table_size` in native/qgrams.h, so that a quarter is in use at most.
    size = max(64, 1 << (4 * len(keys) - 1).bit_length())
    core = Core(np.zeros(size, np.uint64), np.empty(len(keys), np.int64))
    _core_table(keys, core)
    return core


def differences(
    keys: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    core: Core,
    out: Differences,
) -> None:
    """Fills `out` with the differences of every set A = `keys[offsets[i]:offsets[i + 1]]` from the core."""
    _differences(keys, offsets, core, out)


def differences_of_texts(
    texts: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    which: NDArray[np.int64],
    q: int,
    scratch: Scratch,
    core: Core,
    counts: NDArray[np.int64],
    out: Differences,
) -> None:
    """As `differences`, of the normal forms `texts[offsets[i]:offsets[i + 1]]` for i in `which`. Their sets are not
    built: only keys outside the core go into a table.

    scratch   for the longest of the texts
    counts    `counts[i]` is set to |A|
    """
    _differences_of_texts(texts, offsets, which, q, scratch, core, counts, out)


def compare_texts(
    docs: NDArray[np.int32],
    first_of: NDArray[np.int32],
    halves: NDArray[np.uint64],
    fingerprints: NDArray[np.uint64],
    fingerprint: NDArray[np.uint64],
    count: int,
    members: NDArray[np.int32],
    against: Tallied,
    ratio: tuple[int, int],
    starts: NDArray[np.int64],
    shared: NDArray[np.int64],
    outcome: NDArray[np.uint8],
) -> tuple[int, int, int, int]:
    """Groups `docs` by text, and compares the texts that are of one crowd.

    Text j is that of `docs[starts[j] : starts[j + 1]]`; only adjacent docs are grouped. `outcome[j]` is EXACT if the
    text has the `fingerprint` (two halves), NEAR or BELOW if it is in the crowd, else UNKNOWN. `shared[j]` becomes the
    overlap; for EXACT texts `count`, which is |A|, or any number if only EXACT texts matter.

    members   docs × 2: for each posted doc, its crowd and its member number there
    ratio     the threshold, as numerator and denominator

    Returns (how many texts, how many EXACT, how many BELOW or UNKNOWN, a posted doc of the EXACT texts or -1). Costs a
    few additions a text.
    """
    numbers = np.empty(3, np.int64)
    size = _compare_texts(
        docs, first_of, halves, fingerprints, fingerprint, count, members, against, ratio,
        starts, shared, outcome, numbers,
    )  # fmt: skip
    exact, rest, same = numbers.tolist()
    return size, exact, rest, same


def compare_in_crowd(
    docs: NDArray[np.int32],
    starts: NDArray[np.int64],
    first_of: NDArray[np.int32],
    count: int,
    members: NDArray[np.int32],
    against: Tallied,
    ratio: tuple[int, int],
    shared: NDArray[np.int64],
    outcome: NDArray[np.uint8],
) -> None:
    """As `compare_texts`, for the texts of one more crowd: fills in their `shared` and `outcome`."""
    _compare_in_crowd(docs, starts, first_of, count, members, against, ratio, shared, outcome)


def count_crowds(
    docs: NDArray[np.int32],
    first_of: NDArray[np.int32],
    members: NDArray[np.int32],
    step: int,
    sizes: NDArray[np.int64],
) -> int:
    """Adds to `sizes[c]` an estimate of how many of `docs` are of crowd c, from every `step`th doc.

    Returns the crowd with the largest size, -1 if all are 0.

    members    as for `compare_texts`
    """
    return _count_crowds(docs, first_of, members, step, sizes)
