"""Lexicon: the statistics of a sample collection, by which words and q-grams are weighted.

A lexicon decides which words are common, how much a word weighs in a simhash, and in which order the complete search
looks up q-grams. It changes retrieval and weights, never a sketch or a doc_q.

A document frequency df is kept as a class of one byte: 255 if df < 2 (unknown), else min(254, round(16 ·
log2 df)). Classes are kept by slot, not by word or q-gram: the top 22 bits of a q-gram's key, the top 20
bits of xxh64 (seed 0) of a word's UTF-8. df of a slot is the number of sample documents with at least one
q-gram (word) in that slot.

The container of a lexicon file is that of `neardup.tables.container` (kind "LEXI", version 1); a lexicon's id is
the first 8 hex digits of the checksum there. The payload, all numbers little-endian:

    offset     bytes      what
    0          1          q, 1 to 16
    1          1          fold_case, 0 or 1
    2          1          n_class: min(254, round(16 · log2 N)), N as at offset 4; 0 for N = 0
    3          1          common_class: min(254, round(16 · log2 max(2, N / 10)))
    4          4          uint32 N: number of documents in the sample
    8          2          uint16 k: length of the name
    10         k          the name, UTF-8
    10 + k     4,194,304  class of each q-gram slot
    4194314+k  1,048,576  class of each word slot
"""

from __future__ import annotations

import functools
import os
import struct
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
import xxhash
from numpy.typing import NDArray

from neardup.errors import LexiconError
from neardup.tables import container

KIND: Final = b"LEXI"
VERSION: Final = 1
QGRAM_SLOT_BITS: Final = 22
WORD_SLOT_BITS: Final = 20
QGRAM_SLOTS: Final = 1 << QGRAM_SLOT_BITS
WORD_SLOTS: Final = 1 << WORD_SLOT_BITS
UNKNOWN_CLASS: Final = 255
TOP_CLASS: Final = 254
# Seen in one document only: a name, a typing error. Its frequency elsewhere is anyone's guess, so it is unknown.
LEAST_KNOWN_DF: Final = 2
# A word in a tenth of the documents says nothing about what a sentence is about.
COMMON_SHARE: Final = Fraction(1, 10)
LARGEST_Q: Final = 16
_HEAD: Final = struct.Struct("<BBBBIH")


def frequency_class(df: int | Fraction) -> int:
    """min(254, round(16 · log2 df)) for df >= 1, in integers: no platform's logarithm decides it.

    A half would need df^32 to be an odd power of two, which no number is; so there are no ties.

    >>> [frequency_class(df) for df in (1, 2, 3, 1000)]
    [0, 16, 25, 159]
    """
    # round(16 log2 df) = floor(log2(df^16 · 2^(1/2))) = floor(log2(2 · df^32) / 2)
    return min(TOP_CLASS, (int(2 * df**32).bit_length() - 1) // 2)


def qgram_slots(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The slot of each q-gram key: its top 22 bits."""
    return keys >> np.uint64(64 - QGRAM_SLOT_BITS)


def word_slots(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The slot of each word, given by xxh64 (seed 0) of its UTF-8: the top 20 bits."""
    return hashes >> np.uint64(64 - WORD_SLOT_BITS)


@dataclass(frozen=True, eq=False, repr=False)
class Lexicon:
    """The frequencies of words and of q-grams of length `q` in a sample of `documents` documents.

    `qgram_classes` and `word_classes` are read-only, indexed by slot. A word is common if its class is not
    255 and at least `common_class`. `fold_case` says whether the q-grams were taken from folded normal
    forms. Make one with `LexiconBuilder`, `load` or `default`.
    """

    name: str
    q: int
    fold_case: bool
    documents: int
    n_class: int
    common_class: int
    qgram_classes: NDArray[np.uint8]
    word_classes: NDArray[np.uint8]

    def __repr__(self) -> str:
        return f"Lexicon({self.name!r}, id={self.id!r}, q={self.q}, documents={self.documents})"

    @functools.cached_property
    def id(self) -> str:
        """The first 8 hex digits of the checksum: equal for equal contents, and part of every recipe string."""
        digest = xxhash.xxh64(self._head(), seed=0)
        digest.update(self.qgram_classes.tobytes())
        digest.update(self.word_classes.tobytes())
        return digest.hexdigest()[:8]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the lexicon to `path`, whole or not at all."""
        tables = self.qgram_classes.tobytes() + self.word_classes.tobytes()
        container.write(path, KIND, VERSION, self._head() + tables)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Lexicon:
        """The lexicon in the file at `path`, in about 20 ms.

        Raises `LexiconError`, which says what was found and what was expected, if the file is damaged or no lexicon,
        `OSError` if it cannot be read.
        """
        payload = container.read(path, KIND, VERSION, LexiconError)
        try:
            return cls._parsed(payload)
        except ValueError as cause:
            raise LexiconError(path, str(cause), "a lexicon of version 1") from cause

    @classmethod
    def default(cls) -> Lexicon:
        """The lexicon that ships with the package; read once."""
        return _default()

    @classmethod
    def _parsed(cls, payload: bytes) -> Lexicon:
        """The lexicon in `payload`. Raises `ValueError`, which says what was found, if it is no such payload."""
        if len(payload) < _HEAD.size:
            raise ValueError(f"a payload of {len(payload)} bytes")
        q, fold_case, n_class, common_class, documents, name_bytes = _HEAD.unpack_from(payload)
        tables_at = _HEAD.size + name_bytes
        if len(payload) != tables_at + QGRAM_SLOTS + WORD_SLOTS:
            raise ValueError(f"a payload of {len(payload)} bytes with a name of {name_bytes} bytes")
        if not 1 <= q <= LARGEST_Q or fold_case > 1:
            raise ValueError(f"q = {q} and fold_case = {fold_case}")
        return cls(
            name=payload[_HEAD.size : tables_at].decode("utf-8"),
            q=q,
            fold_case=bool(fold_case),
            documents=documents,
            n_class=n_class,
            common_class=common_class,
            qgram_classes=np.frombuffer(payload, np.uint8, QGRAM_SLOTS, tables_at),
            word_classes=np.frombuffer(payload, np.uint8, WORD_SLOTS, tables_at + QGRAM_SLOTS),
        )

    def _head(self) -> bytes:
        name = self.name.encode("utf-8")
        head = _HEAD.pack(self.q, self.fold_case, self.n_class, self.common_class, self.documents, len(name))
        return head + name


@functools.cache
def _default() -> Lexicon:
    return container.shipped("default.lexicon", Lexicon.load)


class LexiconBuilder:
    """Counts documents by slot, and builds a lexicon; 20 MB of memory, whatever the size of the sample.

    >>> builder = LexiconBuilder(q=4, fold_case=False, name="two letters")
    >>> for _ in range(3):
    ...     builder.add(np.array([1 << 42], np.uint64), np.array([5 << 44, 5 << 44], np.uint64))
    >>> lexicon = builder.build()
    >>> lexicon.documents, int(lexicon.qgram_classes[1]), int(lexicon.word_classes[5])
    (3, 25, 25)
    """

    def __init__(self, q: int, fold_case: bool, name: str) -> None:
        if not 1 <= q <= LARGEST_Q:
            raise ValueError(f"q is {q}: it must be between 1 and {LARGEST_Q}")
        if len(name.encode("utf-8")) > 0xFFFF:
            raise ValueError("the name of a lexicon has at most 65,535 bytes of UTF-8")
        self.q, self.fold_case, self.name = q, fold_case, name
        self.documents = 0
        self._qgram_df = np.zeros(QGRAM_SLOTS, np.uint32)
        self._word_df = np.zeros(WORD_SLOTS, np.uint32)

    def add(self, qgram_keys: NDArray[np.uint64], word_hashes: NDArray[np.uint64]) -> None:
        """Count one document by the keys of its q-grams and the hashes of its words, repeated or not."""
        self.documents += 1
        # Indices that occur twice are added once by numpy: exactly what a document frequency wants.
        self._qgram_df[qgram_slots(qgram_keys)] += 1
        self._word_df[word_slots(word_hashes)] += 1

    def build(self) -> Lexicon:
        """The lexicon of the documents added so far; more can be added afterwards."""
        return Lexicon(
            name=self.name,
            q=self.q,
            fold_case=self.fold_case,
            documents=self.documents,
            n_class=frequency_class(max(1, self.documents)),
            common_class=frequency_class(max(Fraction(2), self.documents * COMMON_SHARE)),
            qgram_classes=_classes(self._qgram_df),
            word_classes=_classes(self._word_df),
        )


def _classes(frequencies: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """The class of each document frequency."""
    by_frequency = [
        UNKNOWN_CLASS if df < LEAST_KNOWN_DF else frequency_class(df)
        for df in range(int(frequencies.max()) + 1)
    ]
    classes = np.array(by_frequency, np.uint8)[frequencies]
    classes.setflags(write=False)
    return classes
