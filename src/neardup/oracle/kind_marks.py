"""A text's normal form, with marks: what of it is figures, addresses and ids, and quoted lines; slow and plain.

By regular expressions; the fast path is neardup.kernels.marks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from neardup.oracle.nfc import nfc
from neardup.oracle.quoting import Origin, is_of, origins
from neardup.tables import signs
from neardup.tables.figure_words import FIGURE_WORDS

Range = tuple[int, int]
"""Code points of a normal form: from the first to before the second."""


def _any_of(kind: int) -> str:
    """The code points of a class, for a set of a regular expression."""
    points = np.flatnonzero(signs.classes() & kind)
    first = points[np.diff(points, prepend=-2) > 1].tolist()
    last = points[np.diff(points, append=1 << 30) > 1].tolist()
    return "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in zip(first, last, strict=True))


_KEPT: Final = _any_of(signs.KEEP)
_DIGIT: Final = _any_of(signs.DIGIT)
_NAME: Final = f"{_KEPT}_.%+\\-"
_HOST: Final = f"[{_KEPT}_\\-]++"
_PART_RE: Final = re.compile(
    rf"(?P<address>(?ai:https?|ftp)://[!-~]+|(?<![{_KEPT}])(?ai:www)\.[!-~]+"
    rf"|(?<![{_NAME}])[{_NAME}]++@{_HOST}(?:\.{_HOST})+)|(?P<word>[{_KEPT}]+)"
)
_NUMBER_RE: Final = re.compile(rf"[{_DIGIT}]+(?:[.,:/'’-][{_DIGIT}]+)*")
_GROUPING_RE: Final = re.compile(rf"[.,'’](?=[{_DIGIT}]{{3}}(?![{_DIGIT}]))")
"""A sign before exactly three digits groups them; any other says something: "12.5", "10:30", "3/16"."""
_SUFFIXED_RE: Final = re.compile(rf"[{_DIGIT}]+[^{_DIGIT}]{{0,{signs.LONGEST_SUFFIX}}}")
_BREAK_RE: Final = re.compile("\r\n|[\n\v\f\r\x85\u2028\u2029]")


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
        piece = "".join(sign for sign in text if is_of(sign, signs.KEEP))
        start, self._length = self._length, self._length + len(piece)
        self._pieces.append(piece)
        return start, self._length

    def add_number(self, text: str) -> None:
        """Appends digits and the signs between them."""
        grouping = {match.start() for match in _GROUPING_RE.finditer(text)}
        at = self._length
        for position, sign in enumerate(text):
            if is_of(sign, signs.DIGIT):
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
            at = match.end()
            if match["address"]:
                self.tokens.append(self.add(match[0]))
            elif all(is_of(sign, signs.DIGIT) for sign in match["word"]):
                at = _NUMBER_RE.match(line, match.start()).end()  # type: ignore[union-attr] # it begins with digits
                self.add_number(line[match.start() : at])
            else:
                self.add_word(match["word"])
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
    in_lower_case = "".join(chr(signs.lowered(ord(letter))) for letter in word)
    return in_lower_case in FIGURE_WORDS or _SUFFIXED_RE.fullmatch(word) is not None


def _is_token(word: str) -> bool:
    return word.isascii() and (
        len(word) > signs.LONGEST_WORD or (len(word) >= signs.SHORTEST_ID and not word.isalpha())
    )


def _lines(text: str) -> list[str]:
    lines = _BREAK_RE.split(text)
    return lines if lines[-1] else lines[:-1]


def mark(text: str) -> Marked:
    """The normal form of `text` with its marks. Raises `ValueError` for an unpaired surrogate.

    >>> marked = mark("Paid 12.5 on 3 May")
    >>> marked.form, marked.figures, marked.points
    ('Paid125on3May', ((4, 7), (9, 10), (10, 13)), (6,))
    """
    lines = _lines("".join(sign for sign in nfc(text) if not is_of(sign, signs.UNSEEN)))
    marking = _Marking()
    for line, origin in zip(lines, origins(lines), strict=True):
        marking.add_line(line, origin)
    return marking.marked()
