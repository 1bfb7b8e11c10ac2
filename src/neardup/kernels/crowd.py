r"""Exact |A ∩ B| with many B of one crowd (native/crowd.h).

A crowd is documents of one template: all share most of a core C. Of each is known what it has beyond the core and what
it lacks of it, D = (B \ C, C \ B), in posting lists. Then

    |A ∩ B| = |C| - |C \ A| - |C \ B| + |(C \ A) ∩ (C \ B)| + |(A \ C) ∩ (B \ C)|

whose last two terms are counted for all B at once by reading the posting lists of A's own differences: a pair costs a
few additions where reading B's text would take thousands (`kernels/overlap.py`, the slow way to the same number).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.kernels.signing import Scratch

UNKNOWN, BELOW, NEAR, EXACT = 0, 1, 2, 3
"""What is known of a pair: nothing, that it is below the threshold, or that it matches."""

_core_table = Kernel("core_table")
_differences = Kernel("differences")
_differences_of_texts = Kernel("differences_of_texts")
_compare_texts = Kernel("compare_texts")
_compare_in_crowd = Kernel("compare_in_crowd")
_count_crowds = Kernel("count_crowds")


class Core(NamedTuple):
    """The core C of a crowd.

    table   its keys in open addressing; 0: a free slot
    slots   where each of them is
    """

    table: NDArray[np.uint64]
    slots: NDArray[np.int64]


class Differences(NamedTuple):
    r"""A \ C, then C \ A, of some sets A and the core of a crowd, one after another, each key once.

    offsets   n + 1: those of set i are `keys[offsets[i]:offsets[i + 1]]`
    lacking   |C \ A|
    """

    keys: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    lacking: NDArray[np.int64]


class Tallied(NamedTuple):
    r"""A document's set A against one crowd, columns by member of it.

    crowd      the crowd
    base       |C| - |C \ A|
    lacking    |C \ B|
    sizes      |B|
    tallied    the two terms of the module's formula that are read from posting lists; newer members, which
               are not in it, are not known
    docs       the doc
    """

    crowd: int
    base: int
    lacking: NDArray[np.int32]
    sizes: NDArray[np.int32]
    tallied: NDArray[np.uint16] | NDArray[np.int32]
    docs: NDArray[np.int32]


def core_table(keys: NDArray[np.uint64]) -> Core:
    """The core of these keys, none of which is 0."""
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
    """Fills `out` for every A = `keys[offsets[i]:offsets[i + 1]]`."""
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
    """As `differences`, of the normal forms `texts[offsets[i]:offsets[i + 1]]` for i in `which`, whose sets are not
    made: only what is not in the core is put into a table of its own.

    scratch   for the longest of the texts
    counts    by i: filled, |A|
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
    state: NDArray[np.uint8],
) -> tuple[int, int, int, int]:
    """Finds the texts of `docs`, and compares those of one crowd.

    Text j is that of `docs[starts[j] : starts[j + 1]]`: docs of one text must be side by side to count as one. Its
    `state` is EXACT where it is of the `fingerprint` (two halves), NEAR or BELOW where it is of the crowd, else
    UNKNOWN; `shared` is the overlap, of EXACT ones `count`, which is |A| or, where only those matter, anything.

    members   docs × 2: of those that are posted, crowd and member of it
    ratio     the threshold, as numerator and denominator

    Returns (how many texts, how many EXACT, how many BELOW or UNKNOWN, a posted doc of the EXACT ones or -1). A few
    additions a text.
    """
    numbers = np.empty(3, np.int64)
    size = _compare_texts(
        docs, first_of, halves, fingerprints, fingerprint, count, members, against, ratio,
        starts, shared, state, numbers,
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
    state: NDArray[np.uint8],
) -> None:
    """As `compare_texts`, for those texts that are of another crowd; filled in."""
    _compare_in_crowd(docs, starts, first_of, count, members, against, ratio, shared, state)


def count_crowds(
    docs: NDArray[np.int32],
    first_of: NDArray[np.int32],
    members: NDArray[np.int32],
    step: int,
    sizes: NDArray[np.int64],
) -> int:
    """Adds to `sizes[c]` how many of `docs` are of crowd c, by a look at every `step`th of them.

    Returns the crowd that most are of, -1 if they are of none.

    members    as for `compare_texts`
    """
    return _count_crowds(docs, first_of, members, step, sizes)
