"""Documents of one text: they are chained behind the posted one, so that a search that finds it finds all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def same_texts(
    fingerprints: NDArray[np.uint64],
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
    """Groups documents with these `fingerprints` (n × 2), given in order of arrival, by text. Returns (their order by
    text, then arrival; for each in that order, whether it has the text of the one before; the first document of its
    text).
    """
    order = _order_by_text(np.ascontiguousarray(fingerprints[:, 0]), fingerprints[:, 1])
    ordered = fingerprints[order]
    same = np.zeros(len(order), np.bool_)
    same[1:] = (ordered[1:] == ordered[:-1]).all(axis=1)
    starts = np.flatnonzero(~same)
    return order, same, np.repeat(order[starts], np.diff(np.append(starts, len(order))))


def _order_by_text(firsts: NDArray[np.uint64], seconds: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The order by both halves of the fingerprints, equal ones by arrival."""
    order: NDArray[np.int64] = np.argsort(firsts)
    ordered = firsts[order]
    tied = np.zeros(len(order) + 1, np.bool_)
    tied[1:-1] = ordered[1:] == ordered[:-1]
    # Sorting by one half alone takes a tenth of the time, and most halves are unique.
    again = tied[1:] | tied[:-1]
    docs = order[again]
    order[again] = docs[np.lexsort((docs, seconds[docs], firsts[docs]))]
    return order


def chain(
    next_of: NDArray[np.int32],
    documents: NDArray[np.int64],
    same: NDArray[np.bool_],
    firsts: NDArray[np.int64],
) -> None:
    """Writes to `next_of` the chains of `documents`, ordered by text, then arrival. `same`: whether a document has the
    text of the one before; `firsts`: the first document of its text.

    The order is that of a search (kernels/batch_search.py): the first document, then the newest, back to the second.
    """
    positions = np.flatnonzero(same)
    later = np.append(same[1:], False)[positions]
    second = ~same[positions - 1]
    next_of[documents[positions]] = np.where(second, -1, documents[positions - 1])
    newest = positions[~later]
    next_of[firsts[newest]] = documents[newest]
