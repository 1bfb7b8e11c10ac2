"""What differs between two texts, word by word."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from neardup.reading.normal_text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Kind = Literal["changed", "removed", "added"]

_ALONE: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
)
"""Scripts that put no space between words: each character is a word."""
_WORD_RE: Final = re.compile(rf"[{_ALONE}]|(?:[^\W{_ALONE}](?:[.,:/'’\-](?=[^\W{_ALONE}]))?)+|[^\w\s]")
"""A word with what stands within it (12.5, 6-3/16, Ford's), or a single sign."""
LONGEST_WORD: Final = 80
_AT_ONCE: Final = 250_000
"""Pairs of words that are compared with one another at once (500 by 500); larger stretches are cut at fixed points."""
_SHINGLE: Final = 3


class Word(NamedTuple):
    """A word of a text, and where it stands."""

    text: str
    start: int
    end: int


class Change(NamedTuple):
    """Words `a` of one text in whose place the other has the words `b`; one of them is empty where some were `removed`
    or `added`. `coarse`: the two had so little in common that they were not compared word by word.
    """

    kind: Kind
    a: Span
    b: Span
    coarse: bool = False


Stretch = tuple[int, int, int, int]
"""Words of both texts: from, to; from, to."""


def words_of(text: str) -> list[Word]:
    """The words and signs of a text, without the white space between them.

    What is longer than any word (a normal form, of which no words are known any more) is taken character by character.
    """
    words = []
    for match in _WORD_RE.finditer(text):
        start, end = match.span()
        if end - start <= LONGEST_WORD:
            words.append(Word(match[0], start, end))
        else:
            words += [Word(text[at], at, at + 1) for at in range(start, end)]
    return words


def changes(a: str, b: str) -> list[Change]:
    """What differs, in order. The same words elsewhere (moved) are removed here and added there.

    Words stand against words between fixed points, runs of three words that are in both once; so it takes about
    linear time: a second for two texts of a million characters that differ in a thousand spots.
    """
    words_a, words_b = words_of(a), words_of(b)
    texts_a, texts_b = [word.text for word in words_a], [word.text for word in words_b]
    listed = []
    for (a1, a2, b1, b2), coarse in _joined(differing_stretches(texts_a, texts_b)):
        kind: Kind = "changed" if a1 < a2 and b1 < b2 else "removed" if a1 < a2 else "added"
        listed.append(Change(kind, _span(words_a, a1, a2, len(a)), _span(words_b, b1, b2, len(b)), coarse))
    return listed


def _span(words: Sequence[Word], first: int, last: int, size: int) -> Span:
    """Where these words stand; of none the spot before the word at `first`."""
    if first < last:
        return Span(words[first].start, words[last - 1].end)
    at = words[first].start if first < len(words) else size
    return Span(at, at)


def _joined(stretches: Iterator[tuple[Stretch, bool]]) -> Iterator[tuple[Stretch, bool]]:
    """Differing stretches in order, those that touch as one."""
    last: tuple[Stretch, bool] | None = None
    for (a1, a2, b1, b2), coarse in stretches:
        if last is not None and (a1, b1) == (last[0][1], last[0][3]):
            last = (last[0][0], a2, last[0][2], b2), last[1] or coarse
            continue
        if last is not None:
            yield last
        last = (a1, a2, b1, b2), coarse
    if last is not None:
        yield last


def differing_stretches(a: list[str], b: list[str]) -> Iterator[tuple[Stretch, bool]]:
    """The stretches in which two lists of words differ, in order; whether one is coarse (`Change`). About linear."""
    waiting: list[Stretch] = [(0, len(a), 0, len(b))]
    while waiting:
        stretch = _trimmed(a, b, waiting.pop())
        a1, a2, b1, b2 = stretch
        if a1 == a2 and b1 == b2:
            continue
        if a1 == a2 or b1 == b2:
            yield stretch, False
        elif (a2 - a1) * (b2 - b1) <= _AT_ONCE:
            yield from ((each, False) for each in _compared(a, b, stretch))
        else:
            parts = _between(a, b, stretch)
            if parts == [stretch]:
                yield stretch, True
            else:
                waiting += reversed(parts)


def _trimmed(a: list[str], b: list[str], stretch: Stretch) -> Stretch:
    """A stretch without the words that are the same at its beginning and its end."""
    a1, a2, b1, b2 = stretch
    while a1 < a2 and b1 < b2 and a[a1] == b[b1]:
        a1, b1 = a1 + 1, b1 + 1
    while a1 < a2 and b1 < b2 and a[a2 - 1] == b[b2 - 1]:
        a2, b2 = a2 - 1, b2 - 1
    return a1, a2, b1, b2


def _compared(a: list[str], b: list[str], stretch: Stretch) -> Iterator[Stretch]:
    a1, a2, b1, b2 = stretch
    matcher = difflib.SequenceMatcher(None, a[a1:a2], b[b1:b2], autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            yield a1 + i1, a1 + i2, b1 + j1, b1 + j2


def _between(a: list[str], b: list[str], stretch: Stretch) -> list[Stretch]:
    """What lies between the fixed points of a stretch; the stretch itself if it has none."""
    a1, a2, b1, b2 = stretch
    for size in (_SHINGLE, 1):
        fixed = _in_both_orders(_once_in_both(a[a1:a2], b[b1:b2], size))
        if fixed:
            ends = [(a1, b1), *((a1 + i, b1 + j) for i, j in fixed), (a2, b2)]
            return [(i1, i2, j1, j2) for (i1, j1), (i2, j2) in pairwise(ends)]
    return [stretch]


def _once_in_both(a: list[str], b: list[str], size: int) -> list[tuple[int, int]]:
    """Where runs of `size` words begin that both lists have just once, in order of the first."""
    runs_a, runs_b = (list(zip(*(words[at:] for at in range(size)), strict=False)) for words in (a, b))
    count_a, count_b = Counter(runs_a), Counter(runs_b)
    at_b = {run: at for at, run in enumerate(runs_b) if count_b[run] == 1}
    return [(at, at_b[run]) for at, run in enumerate(runs_a) if count_a[run] == 1 and run in at_b]


def _in_both_orders(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest of the chains of pairs that ascend in both places (patience sorting)."""
    tails: list[int] = []
    last_of: list[int] = []
    before: list[int] = []
    for at, (_, j) in enumerate(pairs):
        length = bisect_left(tails, j)
        before.append(last_of[length - 1] if length else -1)
        if length == len(tails):
            tails.append(j)
            last_of.append(at)
        else:
            tails[length], last_of[length] = j, at
    chain = []
    at = last_of[-1] if last_of else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]
