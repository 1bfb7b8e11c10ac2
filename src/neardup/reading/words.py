"""The words and signs of a text, and their places."""

from __future__ import annotations

import functools
import re
import unicodedata
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.tables import signs
from neardup.tables import unicode as unicode_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_ALONE: Final = (
    "\u0e00-\u0e4f\u0e5a-\u0ecf\u0eda-\u0eff\u1000-\u103f\u104a-\u108f\u109a-\u109f\u1780-\u17df\u17ea-\u17ff"
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
)
"""Scripts without spaces between words: each character is a word. Digits are left out: a whole figure is a word."""
_ASCII_WORD_RE: Final = re.compile(r"[0-9A-Za-z_]++(?:[.,:/'\-][0-9A-Za-z_]++)*|[^\w\s\x1c-\x1f]", re.ASCII)
"""The words of a text in ASCII, in half the time."""
LONGEST_WORD: Final = 80


@functools.cache
def _word_re() -> re.Pattern[str]:
    """A pattern for a word, with the signs inside it (12.5, 6-3/16, Ford's), or for a single sign. Accents and vowel
    signs, which `re` does not take for letters, belong to the letter before them, and so do characters that are not
    seen, such as soft hyphens.
    """
    kept = np.flatnonzero(unicode_table.load().classes & unicode_table.KEEP)
    marks = np.array([point for point in kept.tolist() if not chr(point).isalnum()])
    unseen = _set_of(_unseen())
    mark = f"[{_set_of(marks)}{unseen}]"
    letters = rf"[^\W{_ALONE}]++(?:{mark}++[^\W{_ALONE}]*+)*"
    return re.compile(rf"[{_ALONE}]{mark}*+|{letters}(?:[.,:/'’\-][{unseen}]*+{letters})*|[^\w\s]")


def _unseen() -> NDArray[np.int64]:
    return np.flatnonzero(signs.classes() & signs.UNSEEN)


def _set_of(points: NDArray[np.int64]) -> str:
    """The code points, in ascending order, for a set of a regular expression."""
    runs = np.split(points, np.flatnonzero(np.diff(points) > 1) + 1)
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs)


@functools.cache
def _unseen_re() -> re.Pattern[str]:
    return re.compile(f"[{_set_of(_unseen())}]+")


def seen(text: str) -> str:
    r"""`text` in NFC without the characters that are not seen: two facts that read the same are the same.

    >>> seen("Haupt\xadwerk")
    'Hauptwerk'
    """
    return text if text.isascii() else _unseen_re().sub("", unicodedata.normalize("NFC", text))


def positions_seen(text: str) -> list[int]:
    """Where the characters of `text` stand that are seen, if some are not; else nothing."""
    if text.isascii() or not (hidden := [match.span() for match in _unseen_re().finditer(text)]):
        return []
    starts, ends = [0, *(end for _, end in hidden)], [*(start for start, _ in hidden), len(text)]
    return [at for start, end in zip(starts, ends, strict=True) for at in range(start, end)]


class Words:
    """The words and signs of a `text`, without the white space between them: `texts[i]` begins at `starts[i]`.

    A run longer than any word (as in a normal form, in which words are no longer separated) is taken character by
    character. About 0.2 ms for 4 KB.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        pattern = _ASCII_WORD_RE if text.isascii() else _word_re()
        matches = list(pattern.finditer(text))
        self.texts = [match[0] for match in matches]
        self.starts = [match.start() for match in matches]
        if max(map(len, self.texts), default=0) > LONGEST_WORD:
            self._cut_the_longest()

    def __len__(self) -> int:
        return len(self.texts)

    def _cut_the_longest(self) -> None:
        parts = list(_parts(self.texts, self.starts))
        self.texts = [text for text, _ in parts]
        self.starts = [start for _, start in parts]

    def end(self, at: int) -> int:
        """Where the word `at` ends."""
        return self.starts[at] + len(self.texts[at])

    def touching(self, start: int, end: int) -> tuple[int, int]:
        """The words that end after `start` and begin before `end`: (the first, the one after the last)."""
        first = max(bisect_right(self.starts, start) - 1, 0)
        if first < len(self) and self.end(first) <= start:
            first += 1
        return first, max(bisect_left(self.starts, end), first)

    @functools.cached_property
    def composed(self) -> list[str]:
        """The words in NFC, by which the words of two texts are compared."""
        if unicodedata.is_normalized("NFC", self.text):
            return self.texts
        return [unicodedata.normalize("NFC", word) for word in self.texts]

    @functools.cached_property
    def small(self) -> frozenset[str]:
        """The words that occur in small letters, as `seen` has them."""
        return frozenset(map(seen, filter(str.islower, self.texts)))


def _parts(texts: list[str], starts: list[int]) -> Iterator[tuple[str, int]]:
    for text, start in zip(texts, starts, strict=True):
        if len(text) <= LONGEST_WORD:
            yield text, start
        else:
            yield from ((sign, start + at) for at, sign in enumerate(text))
