"""Words and sentences of a text for the methods that need them, document frequencies of words, and random lexicons.

Words and sentences are those of `neardup.oracle.definitions`, made quickly.
Categories, lower case and sentence ends come from the frozen table. NFC is the running Python's, which differs from
the frozen one only for code points younger than its Unicode; the product's own signatures never use this module.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

import numpy as np
import xxhash

from neardup.model.document import encode_text
from neardup.model.settings import WORDS_KEPT_BELOW
from neardup.tables import unicode as unicode_table

Split = Callable[[str], list[str]]
"""From a text to its words: what a method takes that is to work on stemmed or otherwise chosen words."""


class _Letters(dict[int, str]):
    """What each code point becomes in a text of words with spaces between; filled as texts are met."""

    def __missing__(self, point: int) -> str:
        table = unicode_table.load()
        flags = int(table.classes[point])
        if not flags & unicode_table.KEEP:
            self[point] = " "
        elif flags & unicode_table.ALONE:
            self[point] = f" {chr(int(table.lower[point]))} "
        else:
            self[point] = chr(int(table.lower[point]))
        return self[point]


_LETTERS = _Letters()


@functools.cache
def _sentence_end_re() -> re.Pattern[str]:
    """Matches all that ends a sentence: the marks, and white space with two line breaks or more."""
    space, line_break = _points(unicode_table.SPACE), _points(unicode_table.BREAK)
    white, broken = f"[{space}]", f"(?>\r\n|[{line_break}])"
    blank_line = f"{broken}(?>[{_points(unicode_table.SPACE, but=unicode_table.BREAK)}]*{broken})+{white}*"
    mark = _points(unicode_table.END_BEFORE_SPACE)
    return re.compile(f"[{_points(unicode_table.END)}]|[{mark}](?={white}|\\Z)|{blank_line}")


def _points(flag: int, *, but: int = 0) -> str:
    """The code points that have `flag` and not `but`, escaped for a character class."""
    classes = unicode_table.load().classes
    return "".join(rf"\U{point:08x}" for point in np.flatnonzero((classes & flag > 0) & (classes & but == 0)))


def _words_of_nfc(text: str) -> list[str]:
    return text.translate(_LETTERS).split(" ")


def words(text: str) -> list[str]:
    """The lower-cased words of `text` in order: runs of letters, marks and numbers, as the product has them.

    Raises `ValueError` for an unpaired surrogate. About 0.3 ms for 4 KB.

    >>> words("U.S. to Reveal 3 Rules!")
    ['u', 's', 'to', 'reveal', '3', 'rules']
    """
    return [word for word in _words_of_nfc(_nfc(text)) if word]


def sentences(text: str) -> list[list[str]]:
    """The sentences of `text`, each as its words; those without a word are left out. Raises as `words`.

    >>> sentences("One. Two, 3.5!")
    [['one'], ['two', '3', '5']]
    """
    split = ([word for word in _words_of_nfc(part) if word] for part in _sentence_end_re().split(_nfc(text)))
    return [sentence for sentence in split if sentence]


def _nfc(text: str) -> str:
    encode_text(text)  # refuses what has no UTF-8
    return unicodedata.normalize("NFC", text)


class Frequencies:
    """In how many documents each word occurs: `documents` and `of`."""

    def __init__(self, split: Split, texts: Iterable[str]) -> None:
        self.documents = 0
        self.of: Counter[str] = Counter()
        for text in texts:
            self.documents += 1
            self.of.update(set(split(text)))

    def idf(self, word: str) -> float:
        """log2 of (documents + 1) / document frequency, a word never seen as if seen once: always above 0."""
        return math.log2((self.documents + 1) / max(1, self.of[word]))


MOST_LEXICONS: Final = 1_000
"""Lexicon i of seed s hashes words with 1,000 s + i: with more, two seeds would have lexicons in common."""


def in_random_lexicon(word: str, lexicon: int, seed: int = 0) -> bool:
    """Whether that lexicon of a seed has the word: number 0 is the whole vocabulary, others lack about a third of it.

    Kołcz, Chowdhury & Alspector (2004), "Improved robustness of signature-based near-replica detection via lexicon
    randomization". The word's hash says it, so that no lexicon need be stored; those of seed 0 are the product's.
    `lexicon` is below `MOST_LEXICONS`.

    >>> [in_random_lexicon("rose", lexicon) for lexicon in range(6)]
    [True, False, False, False, True, True]
    """
    return (
        not lexicon
        or xxhash.xxh64_intdigest(word.encode(), MOST_LEXICONS * seed + lexicon) < WORDS_KEPT_BELOW
    )
