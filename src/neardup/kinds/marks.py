"""A text's normal form, with marks: what of it is figures, addresses and ids, and quoted lines.

All that a kind is computed from. The marks are ranges of the normal form, so that a store that keeps normal forms can
keep them beside it. Linear in the length of the text, whatever is in it.

The running Python's NFC is used, which differs from the frozen one of signatures only for code points younger than it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Final

import numpy as np

from neardup.kinds.figure_words import FIGURE_WORDS
from neardup.kinds.quoting import Origin, origins
from neardup.model.document import encode_text
from neardup.tables import unicode as unicode_table

Range = tuple[int, int]
"""Code points of a normal form: from the first to before the second."""

SHORTEST_ID: Final = 6
"""Letters and digits of a word of both that is an id, not a name such as "B52"."""
LONGEST_WORD: Final = 25
"""A longer word of plain letters is no word of a language, but a random token."""

LONGEST_SUFFIX: Final = 2
"""Letters that may follow the digits of a figure: "10th", "5pm"."""

_LONG_RUN: Final = 32

_PART_RE: Final = re.compile(
    r"(?P<address>(?i:https?|ftp)://[!-~]+|(?<![^\W_])(?i:www)\.[!-~]+|(?<![\w.%+-])[\w.%+-]++@[\w-]++(?:\.[\w-]++)+)"
    r"|(?P<word>[^\W_]+)"
)
_MORE_DIGITS_RE: Final = re.compile(r"(?:[.,:/'’-]\d+)*+")
_GROUPING_RE: Final = re.compile(r"[.,'’](?=\d{3}(?!\d))")
"""A sign before exactly three digits groups them; any other says something: "12.5", "10:30", "3/16"."""


@dataclass(frozen=True)
class Marked:
    """A normal form (case kept) and what stands where in it.

    figures   numbers, dates and times written with digits; months, weekdays and number words
    tokens    addresses of the web and of mail, ids, random strings
    quoted    quoted lines and those that say who is quoted; adjacent ones are one range
    footers   signature, or what stands behind a rule at the end
    points    where the normal form leaves out a sign within a number that says something: the point of 12.5
    """

    form: str
    figures: tuple[Range, ...] = ()
    tokens: tuple[Range, ...] = ()
    quoted: tuple[Range, ...] = ()
    footers: tuple[Range, ...] = ()
    points: tuple[int, ...] = ()


class _Kept(dict[int, str | None]):
    """What each code point becomes in a normal form: itself or nothing; filled as texts are met."""

    def __missing__(self, point: int) -> str | None:
        kept = unicode_table.load().classes[point] & unicode_table.KEEP
        self[point] = chr(point) if kept else None
        return self[point]


_KEPT: Final = _Kept()


class _Marking:
    """The normal form made so far, and its marks."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self.figures: list[Range] = []
        self.tokens: list[Range] = []
        self._lines: dict[Origin, list[Range]] = {"own": [], "quoted": [], "footer": []}
        self.points: list[int] = []

    def add(self, text: str) -> Range:
        """Appends the normal form of `text`; returns where it is."""
        piece = text.translate(_KEPT)
        start, self._length = self._length, self._length + len(piece)
        self._pieces.append(piece)
        return start, self._length

    def add_number(self, text: str) -> None:
        """Appends digits and the signs between them."""
        grouping = {match.start() for match in _GROUPING_RE.finditer(text)}
        at = self._length
        for position, sign in enumerate(text):
            if sign.isdecimal():
                at += 1
            elif position not in grouping:
                self.points.append(at)
        self.figures.append(self.add(text))

    def add_word(self, word: str) -> None:
        """Appends a run of letters and digits that is no number."""
        if _is_figure_word(word):
            self.figures.append(self.add(word))
        elif _is_token(word):
            self.tokens.append(self.add(word))
        else:
            self.add(word)

    def add_line(self, line: str, origin: Origin) -> None:
        """Appends a line of the text."""
        start, at = self._length, 0
        while match := _PART_RE.search(line, at):
            self.add(line[at : match.start()])
            at = match.end()
            if match["address"]:
                self.tokens.append(self.add(match[0]))
            elif match["word"].isdecimal():
                at = _MORE_DIGITS_RE.match(line, at).end()  # type: ignore[union-attr] # it matches nothing, too
                self.add_number(line[match.start() : at])
            else:
                self.add_word(match["word"])
        self.add(line[at:])
        self._add_origin(start, self._lines[origin])

    def _add_origin(self, start: int, ranges: list[Range]) -> None:
        """Adds the range from `start` on; to the last one if it is adjacent."""
        if ranges and ranges[-1][1] == start:
            start = ranges.pop()[0]
        if self._length > start:
            ranges.append((start, self._length))

    def marked(self) -> Marked:
        """All of it."""
        return Marked(
            "".join(self._pieces),
            tuple(self.figures),
            tuple(self.tokens),
            tuple(self._lines["quoted"]),
            tuple(self._lines["footer"]),
            tuple(self.points),
        )


def _is_figure_word(word: str) -> bool:
    digits = len(word) - len(word.lstrip("0123456789"))
    return (
        word.lower() in FIGURE_WORDS
        or (digits > 0 and len(word) - digits <= LONGEST_SUFFIX and word[digits:].isalpha())
        or word.isnumeric()
    )


def _is_token(word: str) -> bool:
    if not word.isascii():
        return False
    return len(word) > LONGEST_WORD or (
        len(word) >= SHORTEST_ID and not word.isalpha() and not word.isdecimal()
    )


def _with_marks_in_order(text: str) -> str:
    """`text` with every long run of combining characters in canonical order: Python's own sort of them takes quadratic
    time.
    """
    points = np.frombuffer(text.encode("utf-32-le"), "<u4")
    composing = (unicode_table.load().classes[points] & unicode_table.NFC_CHECK) != 0
    if np.count_nonzero(composing) < _LONG_RUN:
        return text
    runs = np.flatnonzero(np.diff(composing.astype(np.int8), prepend=0, append=0)).reshape(-1, 2)
    pieces, at = [], 0
    for start, end in runs[runs[:, 1] - runs[:, 0] >= _LONG_RUN].tolist():
        pieces += [text[at:start], _in_order(text[start:end])]
        at = end
    return "".join([*pieces, text[at:]])


def _in_order(run: str) -> str:
    parts = (part for sign in run for part in unicodedata.normalize("NFD", sign))
    sorted_runs = (
        sorted(own, key=unicodedata.combining) if combines else own
        for combines, own in groupby(parts, key=lambda part: unicodedata.combining(part) > 0)
    )
    return "".join(chain.from_iterable(sorted_runs))


def mark(text: str) -> Marked:
    """The normal form of `text` with its marks. Raises `ValueError` for an unpaired surrogate; about 1 ms for 4 KB.

    >>> marked = mark("Paid 12.5 on 3 May")
    >>> marked.form, marked.figures, marked.points
    ('Paid125on3May', ((4, 7), (9, 10), (10, 13)), (6,))
    """
    encode_text(text)  # refuses what has no UTF-8
    lines = unicodedata.normalize("NFC", _with_marks_in_order(text)).splitlines()
    marking = _Marking()
    for line, origin in zip(lines, origins(lines), strict=True):
        marking.add_line(line, origin)
    return marking.marked()
