"""Which docs that share enough keys with a document are its candidates, inside kernels: one doc, or 64 at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from neardup.kernels.inner import inner

_U = np.uint64


class Filter(NamedTuple):
    """What a candidate of one document must be.

    low, high        hours that it may lie in, both included
    smallest, most   the size of its set, where that was counted
    fits_uncounted   whether a set that was not counted may be of a size that fits
    is_chained       whether documents of one text are in a chain, of which the first is posted
    half             then the first half of the fingerprint of the text that is searched with
    """

    low: int
    high: int
    smallest: int
    most: int
    fits_uncounted: bool
    is_chained: bool
    half: np.uint64


@inner
def _at_most(count, largest):
    """`count`, or `largest` (not 0) if that is less or the set was not counted (negative)."""
    return largest if largest > 0 and (count < 0 or count > largest) else count


@inner
def _sizes_that_fit(count, largest, numerator, denominator):
    """Of which sizes a set can be at t = numerator / denominator with one of `count`: (from, to, whether of one that
    was not counted). Larger sets than `largest`, if that is not 0, and those not counted pass for sets of so many.

    doc_q >= t needs min(|A|, |B|) >= ceil(t · max(|A|, |B|)).
    """
    everything = np.int64(1) << 62
    if count < 0 or numerator == 0:
        return np.int64(0), everything, True
    smallest = (numerator * count + denominator - 1) // denominator
    most = denominator * count // numerator
    if largest == 0 or smallest <= largest <= most:
        return smallest, most if largest == 0 else everything, True
    return smallest, most, False


@inner
def filter_of(query, i):
    """The Filter of document i of a Query (kernels/batch_search.py)."""
    _, counts, low_hours, high_hours, numerator, denominator, fingerprints, largest = query
    smallest, most, fits_uncounted = _sizes_that_fit(
        _at_most(counts[i], largest), largest, numerator, denominator
    )
    is_chained = len(fingerprints) > 0
    half = fingerprints[i, 0] if is_chained else _U(0)
    return Filter(low_hours[i], high_hours[i], smallest, most, fits_uncounted, is_chained, half)


@inner
def size_fits(wanted, size):
    """Whether a set of `size` q-grams, negative if they were not counted, may match."""
    return (wanted.smallest <= size <= wanted.most) or (size < 0 and wanted.fits_uncounted)


@inner
def are_plain(wanted, documents, word):
    """Which of the docs 64 · word to 64 · word + 63 are candidates that stand for themselves alone: one text each,
    and not that which is searched with. A bit each; a few vector operations for all of them.
    """
    hours, counts, alive, halves, _, _, next_of = documents
    low, high, smallest, most, fits_uncounted, is_chained, half = wanted
    plain = _U(0)
    first = 64 * word
    for bit in range(64):
        doc = np.uint64(first + bit)
        size = np.int64(counts[doc])
        fits = ((smallest <= size) & (size <= most)) | ((size < 0) & fits_uncounted)
        lives = (alive[doc] == 1) & (low <= hours[doc]) & (hours[doc] <= high)
        alone = (not is_chained) | ((next_of[doc] < 0) & (halves[doc] != half))
        plain |= np.uint64(fits & lives & alone) << _U(bit)
    return plain
