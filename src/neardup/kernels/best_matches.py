"""The best of many matches, best first: by doc_q, then the earlier one, then by id (native/best_matches.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.kernels.crowd import Tallied

_best_if_all_match = Kernel("best_if_all_match")
_best_matches = Kernel("best_matches")


class Ranking(NamedTuple):
    """Columns by doc that matches are ranked by.

    counts, first_of     |B|, at the doc that is posted for the text; and which doc that is
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


def best_if_all_match(
    docs: NDArray[np.int32],
    halves: NDArray[np.uint64],
    half: int | np.uint64,
    count: int,
    members: NDArray[np.int32],
    against: Tallied,
    ratio: tuple[int, int],
    ranking: Ranking,
    rows: NDArray[np.int64],
) -> int:
    """`compare_texts` and `best_matches` in one, for the case that all of `docs` match as members of one crowd, and
    none is of the text whose fingerprint begins with `half`. Returns how many rows are filled; -1: this is not the
    case.

    rows   n × 4, n one more than the number to list; filled with doc, time, |A ∩ B| and max(|A|, |B|) of the best
           matches, best first, then of the best match that stands for a group (doc -1 if there is none)

    Most floods are such a case. Costs one look at every doc, and more only for docs that may be listed.
    """
    return _best_if_all_match(docs, halves, half, count, members, against, ratio, ranking, rows)


def best_matches(
    docs: NDArray[np.int32],
    starts: NDArray[np.int64],
    outcome: NDArray[np.uint8],
    shared: NDArray[np.int64],
    ranking: Ranking,
    count: int,
    best: NDArray[np.int64],
    texts: NDArray[np.int64],
) -> tuple[int, int, int, int]:
    """Sets `best` to the best matches, best first, -1 where there are no more, and `texts` to their texts.

    docs            `docs[starts[j] : starts[j + 1]]` are those of text j
    outcome, shared   the result for text j (`compare_in_crowd`)
    count           |A|
    best            positions in `docs`; its length is the number of matches to list

    Best: by doc_q, then the earlier one, then by id. Returns (how many match, how many were compared, the position of
    the best match that stands for a group or -1, the text of that match). Costs a look at each match, and sorting the
    listed ones.
    """
    numbers = np.empty(3, np.int64)
    matches = _best_matches(docs, starts, outcome, shared, ranking, count, best, texts, numbers)
    compared, head, head_text = numbers.tolist()
    return matches, compared, head, head_text
