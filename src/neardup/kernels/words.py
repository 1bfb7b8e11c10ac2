"""Words, sentence fingerprints and simhash of texts (docs/definitions.md; native/words.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.tables.unicode import UnicodeTable

_sign_words_batch = Kernel("sign_words_batch")
_word_hashes = Kernel("word_hashes")


class WordTables(NamedTuple):
    """The word part of a lexicon: the class of each word slot, the lowest class of a common word, the class of N."""

    classes: NDArray[np.uint8]
    common_class: int
    documents_class: int


def sign_words_batch(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    tables: UnicodeTable,
    lexicon: WordTables,
    points: NDArray[np.uint32],
    out: tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]],
) -> None:
    """Fills `out` with sentence fingerprints and simhashes of n texts.

    data, offsets   text i, UTF-8, is `data[offsets[i]:offsets[i + 1]]`; n + 1 offsets
    tables          UnicodeTable (tables/unicode.py)
    lexicon         WordTables
    points          scratch of 4 · s + 4 code points, where s bytes is the longest text
    out             sentences with room for one for each word, n + 1 offsets; simhashes and their features, n × variants

    Linear in the texts; the random lexicons cost most.
    """
    _sign_words_batch(data, offsets, tables, lexicon, points, out)


def word_hashes(
    data: NDArray[np.uint8], start: int, end: int, tables: UnicodeTable, points: NDArray[np.uint32]
) -> NDArray[np.uint64]:
    """xxh64 of every word of the UTF-8 text `data[start:end]`, in text order; a repeated word is hashed again.

    `points` as for `sign_words_batch`.
    """
    out = np.empty(end - start, np.uint64)  # no byte makes more than one word
    return out[: _word_hashes(data, start, end, tables, points, out)]
