"""A stream of any number of documents of about 4 KB whose q-grams are as frequent as those of real text.

Document i is a function of (model, seed, i): nothing is kept, any part can be made again, and the original of a copy is
made again when the copy is made. Making a document takes about 0.1 ms. The model is taken at run time from a real
corpus:

- words and their order: a chain over pairs of neighbouring words; sometimes a word regardless of the one before,
  because every new document has pairs never seen;
- rare words are not states of the chain but gaps of four shapes (lower case, Capitalised, number, other), filled
  anew in each document: by a word it has used before, by one of its topic's, by a rare word of the corpus, or by a
  coined one (the head of one rare word and the tail of another). So new names and terms keep appearing, and cluster;
- topics have Zipf-like sizes: the largest take part in thousands of documents, most in a few.

About a tenth of the documents are copies of an earlier one, 1 to 25 % of their words edited; generator_check.py
compares.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from benchmarks.lib.wordmodel import MAX_BYTES, SHAPES, Model

_U = np.uint64
SEED = 20_261_121
TOPICS = 20_000
TOPIC_WORDS = 40
TOPIC_SKEW = 1.6
COPY_ONE_IN = 10
EDIT_SHARES = (0.01, 0.03, 0.05, 0.10, 0.20, 0.25)

# parts of 256: how often ...
FREE_NEXT = 20  # the next word does not depend on this one
SAID_AGAIN = 34  # the next word is one that this document has used: texts keep to their subject
GAP_REUSED = 130  # a gap takes a word this document has used
GAP_TOPIC = 50  # ... one of its topic
GAP_CORPUS = 60  # ... a rare word of the corpus; the rest is coined


class Part(NamedTuple):
    """Some documents: UTF-8 one after another, where each begins, and which document each copies (-1: none)."""

    letters: npt.NDArray[np.uint8]
    bounds: npt.NDArray[np.int64]
    originals: npt.NDArray[np.int64]

    def texts(self) -> list[str]:
        """The documents as text."""
        data, bounds = self.letters.tobytes(), self.bounds.tolist()
        return [data[low:high].decode() for low, high in itertools.pairwise(bounds)]


class Stream:
    """The documents of one model and seed, made in runs of any length."""

    def __init__(self, model: Model, seed: int) -> None:
        self.model, self.seed = model, seed
        self._scratch = np.empty(MAX_BYTES, np.uint8)

    def part(self, first: int, last: int) -> Part:
        """The documents `first` to `last - 1`."""
        out = np.empty((last - first) * MAX_BYTES, np.uint8)
        bounds = np.zeros(last - first + 1, np.int64)
        originals = np.empty(last - first, np.int64)
        write_part(self.model, _U(self.seed), first, self._scratch, out, bounds, originals)
        return Part(out[: bounds[-1]].copy(), bounds, originals)

    def texts(self, first: int, last: int) -> list[str]:
        """Their texts alone."""
        return self.part(first, last).texts()


@njit(cache=True, nogil=True)
def _mixed(value: Any) -> Any:
    """splitmix64's finaliser: a good hash of one number."""  # a name
    value = (value ^ (value >> _U(30))) * _U(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> _U(27))) * _U(0x94D049BB133111EB)
    return value ^ (value >> _U(31))


@njit(cache=True, nogil=True)
def _below(state: Any, limit: Any) -> Any:
    """The next random number under `limit` (at most 2^31); `state` is an array of one."""
    state[0] += _U(0x9E3779B97F4A7C15)
    return np.int64(((_mixed(state[0]) >> _U(33)) * _U(limit)) >> _U(31))


@njit(cache=True, nogil=True)
def _started(seed: Any, number: Any, purpose: Any) -> Any:
    """A separate source of random numbers for each document and purpose."""
    state = np.empty(1, np.uint64)
    state[0] = _mixed(_mixed(seed + _U(purpose)) ^ _mixed(_U(number)))
    return state


@njit(cache=True, nogil=True)
def _is_copy(seed: Any, number: Any) -> Any:
    return number > 0 and _below(_started(seed, number, 1), COPY_ONE_IN) == 0


@njit(cache=True, nogil=True)
def original_of(seed: Any, number: Any) -> Any:
    """The earlier document, itself not a copy, of which document `number` is a copy; -1 if it is not a copy."""
    if not _is_copy(seed, number):
        return -1
    original = _below(_started(seed, number, 2), number)
    while _is_copy(seed, original):
        original -= 1
    return original


@njit(cache=True, nogil=True)
def _put(letters: Any, word_start: Any, word: Any, out: Any, at: Any) -> Any:
    """Writes `word` and a space; returns the next place. Takes arrays, not the model: this is the innermost loop."""
    start, end = word_start[word], word_start[word + 1]
    for offset in range(8):  # most words: one move of eight bytes and no loop whose end must be guessed
        out[at + offset] = letters[start + offset]
    for place in range(start + 8, end):
        out[at + place - start] = letters[place]
    at += end - start
    out[at] = 32
    return at + 1


@njit(cache=True, nogil=True)
def _put_piece(model: Any, word: Any, head: Any, tail: Any, out: Any, at: Any) -> Any:
    """Writes `word` from `head` to `tail` eighths, cut at code points; returns the next place."""
    letters = model.letters
    start, end = model.word_start[word], model.word_start[word + 1]
    first, last = start + (end - start) * head // 8, start + (end - start) * tail // 8
    while first < end and letters[first] & 0xC0 == 0x80:
        first += 1
    while last < end and letters[last] & 0xC0 == 0x80:
        last += 1
    for place in range(first, last):
        out[at] = letters[place]
        at += 1
    return at


@njit(cache=True, nogil=True)
def _put_rare(model: Any, kind: Any, state: Any, coined: Any, out: Any, at: Any) -> Any:
    """Writes a rare word of the corpus, or a coined one; the digits of a coined number are new."""
    low, high = model.rare_start[kind], model.rare_start[kind + 1]
    word = model.rare_word[low + _below(state, high - low)]
    if not coined:
        return _put(model.letters, model.word_start, word, out, at)
    if kind == 2:
        end = _put(model.letters, model.word_start, word, out, at)
        for place in range(at, end):
            if 48 <= out[place] <= 57:
                out[place] = 48 + _below(state, 10)
        return end
    cut = 3 + _below(state, 3)
    at = _put_piece(model, word, 0, cut, out, at)
    at = _put_piece(model, model.rare_word[low + _below(state, high - low)], cut, 8, out, at)
    out[at] = 32
    return at + 1


@njit(cache=True, nogil=True)
def _put_gap(model: Any, kind: Any, seed: Any, topic: Any, state: Any, used: Any, out: Any, at: Any) -> Any:
    """Fills one gap. `used[kind]`: how many words of this shape the document has, then where the last 15 lie."""
    dice = _below(state, 256)
    count = used[kind, 0]
    if dice < GAP_REUSED and count > 0:
        begin = used[kind, 1 + _below(state, min(count, 15))]
        while out[begin] != 32:  # a word in the text ends at a space
            out[at] = out[begin]
            at += 1
            begin += 1
        out[at] = 32
        return at + 1
    used[kind, 1 + count % 15] = at
    used[kind, 0] = count + 1
    if dice < GAP_REUSED + GAP_TOPIC:
        rank = _below(state, TOPIC_WORDS)
        rank = rank * rank // TOPIC_WORDS  # the first words of a topic are used most
        own = _started(seed + _U(topic), rank * SHAPES + kind, 3)
        return _put_rare(model, kind, own, rank % 2 == 0, out, at)
    return _put_rare(model, kind, state, dice >= GAP_REUSED + GAP_TOPIC + GAP_CORPUS, out, at)


@njit(cache=True, nogil=True)
def write_document(model: Any, seed: Any, number: Any, out: Any) -> Any:
    """Writes document `number` as UTF-8 words with a space after each; returns its length."""
    letters, word_start, node_word = model.letters, model.word_start, model.node_word
    next_start, next_node, any_node = model.next_start, model.next_node, model.any_node
    state = _started(seed, number, 0)
    topic = np.int64(TOPICS * math.pow((_below(state, 1 << 30) + 1) / (1 << 30), TOPIC_SKEW))
    wanted = model.lengths[_below(state, len(model.lengths))]
    used = np.zeros((SHAPES, 16), np.int64)
    said = np.zeros(64, np.int64)
    node = np.int64(any_node[_below(state, len(any_node))])
    at = words = 0
    while at < wanted:
        said[words % 64] = node
        words += 1
        if node < SHAPES:
            at = _put_gap(model, node, seed, topic, state, used, out, at)
        else:
            at = _put(letters, word_start, node_word[node], out, at)
        low, high = next_start[node], next_start[node + 1]
        dice = _below(state, 256)
        if dice < SAID_AGAIN:
            node = said[_below(state, min(words, 64))]
        elif high == low or dice < SAID_AGAIN + FREE_NEXT:
            node = np.int64(any_node[_below(state, len(any_node))])
        else:
            node = np.int64(next_node[low + _below(state, high - low)])
    return at


@njit(cache=True, nogil=True)
def write_copy(model: Any, seed: Any, number: Any, original: Any, source: Any, out: Any) -> Any:
    """Writes document `original` again with a share of its words deleted, replaced or preceded by another one."""
    length = write_document(model, seed, original, source)
    state = _started(seed, number, 4)
    share = EDIT_SHARES[_below(state, len(EDIT_SHARES))]
    limit = np.int64(share * (1 << 30))
    at = start = 0
    for place in range(length):
        if source[place] != 32:
            continue
        edit = _below(state, 3) if _below(state, 1 << 30) < limit else -1
        if edit >= 1:
            node = max(np.int64(model.any_node[_below(state, len(model.any_node))]), SHAPES)
            at = _put(model.letters, model.word_start, model.node_word[node], out, at)
        if edit in {-1, 1}:
            for byte in range(start, place + 1):
                out[at] = source[byte]
                at += 1
        start = place + 1
    return at


@njit(cache=True, nogil=True)
def write_part(
    model: Any, seed: Any, first: Any, scratch: Any, out: Any, bounds: Any, originals: Any
) -> None:
    """Writes documents from `first` on, as many as fit into `originals`."""
    for place in range(len(originals)):
        at = bounds[place]
        original = original_of(seed, first + place)
        if original < 0:
            length = write_document(model, seed, first + place, out[at:])
        else:
            length = write_copy(model, seed, first + place, original, scratch, out[at:])
        bounds[place + 1] = at + length
        originals[place] = original
