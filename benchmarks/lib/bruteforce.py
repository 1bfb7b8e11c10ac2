"""Exact doc_q of all pairs without any filter: the truth against which retrieval is measured.

Independent of the engine on purpose: normal form by the running Python's Unicode tables, q-grams as exact integers over
the corpus's own alphabet (no hash, so no collision), every posting of every q-gram counted. exactness.py compares a
sample of it with `neardup.oracle.definitions` and whole files of it with the corpora's own docq.tsv.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

Q = 4
Pair = tuple[int, int]


class GramSets(NamedTuple):
    """The q-gram sets of a list of texts: `ids[starts[i]:starts[i + 1]]`, sorted, is the set of text i."""

    ids: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    frequencies: npt.NDArray[np.int32]
    forms: list[bytes]

    def of(self, i: int) -> npt.NDArray[np.int32]:
        """The set of text `i` as sorted numbers."""
        return self.ids[self.starts[i] : self.starts[i + 1]]


@cache
def _kept() -> npt.NDArray[np.bool_]:
    """For every code point: is it a letter, a mark or a number?"""
    category = unicodedata.category
    return np.fromiter((category(chr(p))[0] in "LMN" for p in range(sys.maxunicode + 1)), np.bool_)


def normal_form(text: str) -> npt.NDArray[np.uint32]:
    """Code points of the normal form (docs/definitions.md, Normal form), case kept."""
    points = np.frombuffer(unicodedata.normalize("NFC", text).encode("utf-32-le"), np.uint32)
    return points[_kept()[points]]


def gram_sets(texts: Sequence[str]) -> GramSets:
    """The q-gram sets of `texts`, numbered in one space; memory about 24 bytes a q-gram of a text."""
    forms = [normal_form(text) for text in texts]
    sets = [_packed(letters) for letters in _sixteen_bits(forms)]
    starts = np.zeros(len(sets) + 1, np.int64)
    np.cumsum([len(one) for one in sets], out=starts[1:])
    keys = np.concatenate(sets) if sets else np.empty(0, np.uint64)
    order = np.argsort(keys, kind="stable")
    ids = np.empty(len(keys), np.int32)
    first = np.ones(len(keys), np.bool_)
    first[1:] = keys[order][1:] != keys[order][:-1]
    ids[order] = np.cumsum(first, dtype=np.int32) - np.int32(1)
    frequencies = np.bincount(ids).astype(np.int32)
    return GramSets(ids, starts, frequencies, [form.tobytes() for form in forms])


def _sixteen_bits(forms: list[npt.NDArray[np.uint32]]) -> Iterator[npt.NDArray[np.uint64]]:
    """The forms with their letters numbered under 65,536; raises if all of them have more different ones."""
    if all(form.max(initial=0) < 0x10000 for form in forms):
        yield from (form.astype(np.uint64) for form in forms)
        return
    alphabet = np.unique(np.concatenate(forms))
    if len(alphabet) > 0x10000:
        msg = f"{len(alphabet)} different code points; q-grams are packed from at most 65,536"
        raise ValueError(msg)
    yield from (np.searchsorted(alphabet, form).astype(np.uint64) for form in forms)


def text_overlap(a: str, b: str) -> Pair:
    """(shared, size of the larger set) of two texts."""
    return overlap(gram_sets([a, b]), 0, 1)


def _packed(letters: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Sorted distinct q-grams, 16 bits a letter. Sort and flag: np.unique is ten times slower."""
    if len(letters) < Q:
        return np.empty(0, np.uint64)
    grams = np.zeros(len(letters) - Q + 1, np.uint64)
    for offset in range(Q):
        grams = (grams << np.uint64(16)) | letters[offset : len(letters) - Q + 1 + offset]
    grams.sort()
    keep = np.ones(len(grams), np.bool_)
    keep[1:] = grams[1:] != grams[:-1]
    return grams[keep]


def reaches(shared: int, largest: int, threshold: str) -> bool:
    """Shared / largest >= threshold, in integers (docs/definitions.md, doc_q)."""
    limit = Fraction(threshold)
    return shared * limit.denominator >= limit.numerator * largest


def overlap(sets: GramSets, i: int, j: int) -> Pair:
    """(shared, size of the larger set); equal texts shorter than q count as one shared of one."""
    a, b = sets.of(i), sets.of(j)
    if len(a) == 0 and len(b) == 0 and sets.forms[i] and sets.forms[i] == sets.forms[j]:
        return 1, 1
    return int(_shared(a, b)), max(len(a), len(b), 1)


def shared_with_all(sets: GramSets, i: int) -> npt.NDArray[np.int64]:
    """How many q-grams text `i` has in common with each text; every set is read whole."""
    own = np.zeros(len(sets.frequencies), np.bool_)
    own[sets.of(i)] = True
    found: npt.NDArray[np.int64] = _members(own, sets.ids, sets.starts)
    return found


def all_pairs(sets: GramSets, lowest: str) -> dict[Pair, Pair]:
    """Every pair (i, j), i < j, with doc_q >= `lowest`, and its (shared, max)."""
    limit = Fraction(lowest)
    found = _count_all(sets.ids, sets.starts, sets.frequencies, limit.numerator, limit.denominator)
    pairs = {(int(i), int(j)): (int(shared), int(largest)) for i, j, shared, largest in found}
    short: dict[bytes, list[int]] = {}
    for j in np.flatnonzero(np.diff(sets.starts) == 0):
        earlier = short.setdefault(sets.forms[j], [])
        if sets.forms[j]:
            pairs |= {(i, int(j)): (1, 1) for i in earlier}
        earlier.append(int(j))
    return pairs


@njit(cache=True, nogil=True)
def _shared(a: Any, b: Any) -> Any:
    """Members in both of two sorted arrays."""
    i = j = n = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            n += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return n


@njit(cache=True, nogil=True)
def _members(own: Any, ids: Any, starts: Any) -> Any:
    """Of each set, how many members are flagged in `own`."""
    counts = np.zeros(len(starts) - 1, np.int64)
    for j in range(len(counts)):
        for at in range(starts[j], starts[j + 1]):
            counts[j] += own[ids[at]]
    return counts


@njit(cache=True, nogil=True)
def _count_all(ids: Any, starts: Any, frequencies: Any, numerator: Any, denominator: Any) -> Any:
    """Rows (i, j, shared, max) of the pairs that reach the limit, by a full inverted index, read whole each time."""
    offsets = np.zeros(len(frequencies) + 1, np.int64)
    offsets[1:] = np.cumsum(frequencies)
    postings = np.empty(len(ids), np.int32)
    filled = offsets[:-1].copy()
    counts = np.zeros(len(starts) - 1, np.int32)
    found = []
    for j in range(len(starts) - 1):
        counts[:j] = 0
        for at in range(starts[j], starts[j + 1]):
            gram = ids[at]
            for place in range(offsets[gram], filled[gram]):
                counts[postings[place]] += 1
            postings[filled[gram]] = j
            filled[gram] += 1
        size = starts[j + 1] - starts[j]
        for i in range(j):
            largest = max(size, starts[i + 1] - starts[i])
            if counts[i] > 0 and counts[i] * denominator >= numerator * largest:
                found.append((i, j, np.int64(counts[i]), largest))
    rows = np.empty((len(found), 4), np.int64)
    for k in range(len(found)):
        rows[k, 0], rows[k, 1], rows[k, 2], rows[k, 3] = found[k]
    return rows
