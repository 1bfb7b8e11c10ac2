"""The overlaps of pairs of texts, counted by several threads if there is enough to count."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from neardup.index.helpers import helpers_of
from neardup.kernels.overlap import verify_pairs
from neardup.model.verdict import required_overlap

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from neardup.signing.signature import SignedBatch
    from neardup.signing.signer import Signer

_PART_BYTES: Final = 1 << 16
"""The fewest bytes of a part: reading them takes some ten times as long as handing work to another thread."""
_PARTS: Final = 4
"""Parts for each thread: several, so that all threads end at nearly the same time."""


def shared_of_pairs(
    signed: SignedBatch,
    queries: NDArray[np.int64],
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    others: NDArray[np.int64],
    needed: NDArray[np.int64],
    *,
    threshold: Fraction,
    signer: Signer,
    threads: int,
) -> NDArray[np.int64]:
    """|A ∩ B| of each pair; if that is below `needed`, some number below `needed`. See `verify_pairs` for the arrays,
    and for the counts that are set in `signed.counts` and `others`.
    """
    shared, sizes = np.zeros(len(queries), np.int64), np.diff(signed.text_offsets)

    def count(first: int, last: int) -> None:
        part = slice(first, last)
        longest = max(int((ends - starts)[part].max()), int(sizes[queries[part]].max()))
        verify_pairs(
            queries[part], signed.texts, signed.text_offsets, signed.counts, data, starts[part], ends[part],
            others[part], needed[part], threshold.as_integer_ratio(), signer.recipe.q, signer.scratch(longest),
            shared[part],
        )  # fmt: skip

    bounds = part_bounds(queries, ends - starts, _PARTS * threads if threads > 1 else 1)
    helpers_of(threads).run([partial(count, *each) for each in pairwise(bounds)])
    return shared


def part_bounds(queries: NDArray[np.int64], sizes: NDArray[np.int64], most: int) -> list[int]:
    """The bounds of at most `most` parts of the pairs, with about equally many bytes each. The cuts are between two
    queries, so that the set of each is built once; only the pairs of a query that are as large as a part are cut.
    """
    ends = np.cumsum(sizes)
    parts = min(most, int(ends[-1]) // _PART_BYTES)
    bounds = [0]
    for cut in np.searchsorted(ends, [ends[-1] * part // parts for part in range(1, parts)]).tolist():
        begin = int(np.searchsorted(queries, queries[cut]))
        bounds.append(begin if begin > bounds[-1] else max(cut, bounds[-1]))
    return sorted({*bounds, len(sizes)})


def required_overlaps(threshold: Fraction, larger: NDArray[Any]) -> NDArray[np.int64]:
    """`required_overlap` of an array, computed in 64 bits whatever the type of `larger`."""
    return required_overlap(threshold, larger.astype(np.int64))
