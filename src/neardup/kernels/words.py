"""Words, sentence fingerprints and simhash of one text, inside kernels (docs/definitions.md).

Works on the text in NFC, not on its normal form: words and sentences are what the normal form throws away. Sentence
fingerprints are after Yoon et al. 2012, section 2, the simhash after Fan & Huang 2011, section 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.caching import njit
from neardup.kernels.hashing import xxh64
from neardup.kernels.inner import inner
from neardup.kernels.ranges import copy_range
from neardup.kernels.text import decode_nfc, encode_one
from neardup.model.settings import WORDS_KEPT_BELOW
from neardup.tables.lexicon import UNKNOWN_CLASS, WORD_SLOT_BITS
from neardup.tables.unicode import ALONE, BREAK, END, END_BEFORE_SPACE, KEEP, SPACE

if TYPE_CHECKING:
    from numpy.typing import NDArray

_U = np.uint64
WORD_SLOT_SHIFT = 64 - WORD_SLOT_BITS
"""A word's slot in the lexicon's word table is the top bits of its xxh64."""
MIN_SENTENCE_WORDS = 3
_SPACE_BYTE = 0x20


class WordTables(NamedTuple):
    """The lexicon's part: frequency class of each word slot, the class from which words are common, that of N."""

    classes: NDArray[np.uint8]
    common_class: int
    documents_class: int


class Words(NamedTuple):
    """The words of a text: word i is `text[starts[i]:ends[i]]`, lower-cased UTF-8, one space between two.

    `sentences[i]`: how many sentences end before it.
    """

    text: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    sentences: NDArray[np.int64]


@inner
def words_of(data, start, end, tables, points):
    """The Words of the UTF-8 text `data[start:end]` (uint8). Linear; 30 bytes of memory a code point.

    `points` is scratch (uint32) of 4 · (end - start) + 4 code points.
    """
    n = decode_nfc(data, start, end, tables, points)
    # A code point makes at most one word, and at most 4 bytes of UTF-8 and a space (5: one may also double by
    # folding).
    words = np.empty(5 * n, np.uint8)
    starts = np.empty(n, np.int64)
    ends = np.empty(n, np.int64)
    sentence_of = np.empty(n, np.int64)
    count = _split(points, n, tables, words, starts, ends, sentence_of)
    return Words(words, starts[:count], ends[:count], sentence_of[:count])


@inner
def _split(points, n, tables, words, starts, ends, sentence_of):
    """Fills in the words of the NFC text `points[:n]` (see `Words`); returns their number."""
    count = 0
    at = 0
    sentence = 0
    inside = False
    i = 0
    while i < n:
        point = points[i]
        flags = tables.classes[point]
        if flags & KEEP:
            if not inside or flags & ALONE:
                if count:
                    words[at] = _SPACE_BYTE
                    at += 1
                starts[count] = at
                sentence_of[count] = sentence
                count += 1
            at = encode_one(tables.lower[point], words, at)
            ends[count - 1] = at
            inside = not flags & ALONE
            i += 1
            continue
        inside = False
        if flags & END:
            sentence += 1
        elif flags & END_BEFORE_SPACE:
            if i + 1 == n or tables.classes[points[i + 1]] & SPACE:
                sentence += 1
        elif flags & SPACE:
            breaks = 0
            while i < n and tables.classes[points[i]] & SPACE:
                if tables.classes[points[i]] & BREAK:
                    breaks += np.int64(not (points[i] == 0x0A and i > 0 and points[i - 1] == 0x0D))
                i += 1
            sentence += np.int64(breaks >= 2)
            continue
        i += 1
    return count


@inner
def _less(words, a_start, a_end, b_start, b_end):
    """Whether word a sorts before word b; byte order of UTF-8 is code point order."""
    length = min(a_end - a_start, b_end - b_start)
    for i in range(length):
        x, y = words[a_start + i], words[b_start + i]
        if x != y:
            return x < y
    return a_end - a_start < b_end - b_start


@inner
def _sort_words(words, starts, ends, chosen, n, spare):
    """Sorts the word numbers `chosen[:n]` by their words: insertion sort, then merges for a "sentence" of a
    list's size.
    """
    sorted_ = 16
    for low in range(0, n, sorted_):
        for i in range(low + 1, min(low + sorted_, n)):
            word, j = chosen[i], i
            while j > low and _less(
                words, starts[word], ends[word], starts[chosen[j - 1]], ends[chosen[j - 1]]
            ):
                chosen[j] = chosen[j - 1]
                j -= 1
            chosen[j] = word
    while sorted_ < n:
        for low in range(0, n, 2 * sorted_):
            middle, high = min(low + sorted_, n), min(low + 2 * sorted_, n)
            i, j = low, middle
            for k in range(low, high):
                take_right = i == middle or (
                    j < high
                    and _less(words, starts[chosen[j]], ends[chosen[j]], starts[chosen[i]], ends[chosen[i]])
                )
                if take_right:
                    spare[k] = chosen[j]
                    j += 1
                else:
                    spare[k] = chosen[i]
                    i += 1
        copy_range(spare, 0, n, chosen, 0)
        sorted_ *= 2


@inner
def sentence_fingerprints(words, classes, common_class, out):
    """Writes the fingerprints of the sentences of `words` to `out` (uint64) in text order, each once; their number.

    `classes[i]` (uint8) is word i's frequency class.
    """
    text, starts, ends, sentence_of = words
    count = len(starts)
    n_out = 0
    joined = np.empty(ends[count - 1] + count if count else 0, np.uint8)
    chosen = np.empty(count, np.int64)
    spare = np.empty(count, np.int64)
    i = 0
    while i < count:
        sentence = sentence_of[i]
        n = 0
        while i < count and sentence_of[i] == sentence:
            if classes[i] == UNKNOWN_CLASS or classes[i] < common_class:
                chosen[n] = i
                n += 1
            i += 1
        if n < MIN_SENTENCE_WORDS:
            continue
        _sort_words(text, starts, ends, chosen, n, spare)
        at = 0
        for k in range(n):
            if k:
                joined[at] = _SPACE_BYTE
                at += 1
            length = ends[chosen[k]] - starts[chosen[k]]
            copy_range(text, starts[chosen[k]], ends[chosen[k]], joined, at)
            at += length
        out[n_out] = xxh64(joined, 0, at, _U(0))
        n_out += 1
    return _first_occurrences(out, n_out)


@inner
def _first_occurrences(values, n):
    """Compacts `values[:n]` to the first occurrence of each, in order; returns their number."""
    order = np.argsort(values[:n], kind="mergesort")
    repeated = np.zeros(n, np.bool_)
    for i in range(1, n):
        repeated[order[i]] = values[order[i]] == values[order[i - 1]]
    kept = 0
    for i in range(n):
        if not repeated[i]:
            values[kept] = values[i]
            kept += 1
    return kept


@inner
def simhash(words, weights):
    """(64-bit simhash, number of features) of the word 2-shingles of `words`.

    A shingle weighs as much as its two words together, by `weights` (int64).
    Charikar 2002 and Manku et al. 2007 over shingles, as Fan & Huang, section 3.1.
    """
    text, starts, ends, _ = words
    count = len(starts)
    sums = np.zeros(64, np.int64)
    for i in range(count - 1):
        feature = xxh64(text, starts[i], ends[i + 1], _U(0))
        weight = weights[i] + weights[i + 1]
        for bit in range(64):
            sums[bit] += (np.int64((feature >> _U(bit)) & _U(1)) * 2 - 1) * weight
    value = _U(0)
    for bit in range(64):
        if sums[bit] > 0:
            value |= _U(1) << _U(bit)
    return value, max(count - 1, 0)


@inner
def _random_lexicon(words, weights, variant):
    """(Words, weights) that the random lexicon `variant` keeps; their sentences are not filled in."""
    text, starts, ends, sentence_of = words
    out, out_starts, out_ends = np.empty_like(text), np.empty_like(starts), np.empty_like(ends)
    out_weights = np.empty_like(weights)
    kept = 0
    at = 0
    for i in range(len(starts)):
        if xxh64(text, starts[i], ends[i], _U(variant)) >= _U(WORDS_KEPT_BELOW):
            continue
        if kept:
            out[at] = _SPACE_BYTE
            at += 1
        length = ends[i] - starts[i]
        copy_range(text, starts[i], ends[i], out, at)
        out_starts[kept], out_ends[kept], out_weights[kept] = at, at + length, weights[i]
        at += length
        kept += 1
    return Words(out, out_starts[:kept], out_ends[:kept], sentence_of), out_weights


@inner
def sign_words(data, start, end, tables, lexicon, points, out_sentences, out_simhashes, out_features):
    """Sentence fingerprints and simhashes of the UTF-8 text `data[start:end]`; returns the number of sentences.

    `out_sentences` must hold a value a word; `out_simhashes[i]`/`out_features[i]`: simhash and number of features of
    variant i, for as many as they hold. `points` as for `words_of`.
    """
    words = words_of(data, start, end, tables, points)
    text, starts, ends, _ = words
    count = len(starts)
    classes = np.empty(count, np.uint8)
    weights = np.empty(count, np.int64)
    for i in range(count):
        slot = xxh64(text, starts[i], ends[i], _U(0)) >> _U(WORD_SLOT_SHIFT)
        classes[i] = lexicon.classes[slot]
        known = np.int64(classes[i]) if classes[i] != UNKNOWN_CLASS else 0
        weights[i] = max(1, lexicon.documents_class - known)
    sentences = sentence_fingerprints(words, classes, lexicon.common_class, out_sentences)
    out_simhashes[0], out_features[0] = simhash(words, weights)
    for variant in range(1, len(out_simhashes)):
        some, some_weights = _random_lexicon(words, weights, variant)
        out_simhashes[variant], out_features[variant] = simhash(some, some_weights)
    return sentences


@njit(cache=True, nogil=True)
def sign_words_batch(data, offsets, tables, lexicon, points, out):
    """Fills `out` (`neardup.signing.signature.WordFeatures`) with sentence fingerprints and simhashes of n texts.

    data, offsets   uint8, int64 n + 1: text i, UTF-8, is `data[offsets[i]:offsets[i + 1]]`
    tables          TextTables (kernels/text.py)
    lexicon         WordTables
    points          scratch (uint32) of 4 · s + 4 code points for a text of s bytes, the longest
    out             `sentences` with room for one a word, offsets n + 1, the others n × variants

    Linear in the texts; the random lexicons cost most.
    """
    out.sentence_offsets[0] = 0
    for i in range(len(offsets) - 1):
        first = out.sentence_offsets[i]
        count = sign_words(
            data, offsets[i], offsets[i + 1], tables, lexicon, points,
            out.sentences[first:], out.simhashes[i], out.features[i],
        )  # fmt: skip
        out.sentence_offsets[i + 1] = first + count


@njit(cache=True, nogil=True)
def word_hashes(data, start, end, tables, points):
    """xxh64 (uint64) of every word of the UTF-8 text `data[start:end]`, repeated ones too, in text order."""
    text, starts, ends, _ = words_of(data, start, end, tables, points)
    out = np.empty(len(starts), np.uint64)
    for i in range(len(starts)):
        out[i] = xxh64(text, starts[i], ends[i], _U(0))
    return out
