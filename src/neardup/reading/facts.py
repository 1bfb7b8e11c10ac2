"""Facts of a text (figures, dates and names), and which of them differ between two texts.

Facts are recognised by their form, not understood: figures by digits and one-character fractions; dates by digits in
the usual orders, and by the English names of months and weekdays; names by capital letters, so not in scripts without
them. A word at the beginning of a sentence or line is a name unless it occurs elsewhere in small letters, or is a
function word of English.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_left, bisect_right
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from neardup.model.escapes import visible
from neardup.reading.changes import differing_stretches
from neardup.reading.normal_text import Span
from neardup.reading.words import positions_seen, seen
from neardup.tables.function_words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from neardup.reading.changes import Change
    from neardup.reading.words import Words

FactKind = Literal["figure", "date", "name"]

_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
_SHORT_DAY: Final = r"(?:mon|tue|wed|thu|fri|sat|sun)\b\.?"
_SECONDS: Final = r"\d\d(?:[.,]\d+)?"
_DATE_RE: Final = re.compile(
    r"\b(?:"
    rf"(?<!\d[.,/])(?:(?:{_DAY}|{_SHORT_DAY}(?=,?\s+(?:\d|{_MONTH}\s+\d))),?\s+)?(?:"
    rf"\d{{4}}-\d\d?-\d\d?(?:[T ]\d\d:\d\d(?::{_SECONDS})?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d\d)\b(?![./]\d)"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?[ /-]{_MONTH}(?:[ /-]\d{{4}}\b)?"
    rf"|{_MONTH}\s{{1,2}}\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}}\b)?"
    rf"|{_MONTH}\s\d{{4}}\b"
    rf"|\d{{1,2}}:\d\d(?::{_SECONDS})?\b"
    rf")|{_DAY}|(?!may\b|mar\b|march\b|sept?\b|dec\b|jan\b){_MONTH})",
    re.IGNORECASE,
)
_DATE_BEGINS: Final = (
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    "mon", "tue", "wed", "thu", "fri", "sat", "sun",
)  # fmt: skip
"""The first three letters of the words that a date may begin with."""
_INNER_RE: Final = re.compile(r"[.,:/'’\-]\W*(\w)")
"""Where a part of a word begins: not after an accent, where `re` would see another word begin. Between a sign and the
part after it are at most characters that are not seen.
"""
_FIGURE_RE: Final = re.compile(r"[\d¼-¾⅐-⅞↉]")
_SENTENCE_END: Final = frozenset(".!?:;\"'()[]«»“”‘’•*|>—–-")


class Fact(NamedTuple):
    """A figure, date or name as it is written in text A and in text B (None: it has none), and its spans there."""

    kind: FactKind
    a: str | None
    b: str | None
    at_a: Span | None
    at_b: Span | None


class _Located(NamedTuple):
    kind: FactKind
    text: str
    start: int
    end: int

    @property
    def composed(self) -> str:
        """The text in NFC without what is not seen, by which facts are compared."""
        return seen(self.text)


class Dated:
    """A text as `words`, and which of them are in dates. Worth keeping for a text that is compared with many."""

    def __init__(self, words: Words) -> None:
        self.words = words

    @functools.cached_property
    def dates(self) -> list[Span]:
        """Where dates stand, in order; 0.1 ms for 4 KB."""
        dates, end, text = [], 0, self.words.text
        positions = positions_seen(text)  # a date is matched without the characters that are not seen
        if positions:
            text = "".join(map(text.__getitem__, positions))
        for start in _where_dates_may_begin(self.words):
            at = bisect_left(positions, start) if positions else start
            match = _DATE_RE.match(text, at) if start >= end else None
            if match is not None:
                last = match.end() - 1
                end = (positions[last] if positions else last) + 1
                dates.append(Span(start, end))
        return dates

    @functools.cached_property
    def date_starts(self) -> list[int]:
        """Where each date begins."""
        return [date.start for date in self.dates]

    @functools.cached_property
    def in_dates(self) -> frozenset[int]:
        """The words that are parts of dates."""
        return frozenset(at for date in self.dates for at in range(*self.words.touching(*date)))

    def has_figure(self, at: int) -> bool:
        """Whether a word has a digit that is not part of a date."""
        text, start, end = self.words.text, self.words.starts[at], self.words.end(at)
        if at in self.in_dates:
            for which in range(max(bisect_right(self.date_starts, start) - 1, 0), len(self.dates)):
                date = self.dates[which]
                if date.start >= end or _FIGURE_RE.search(text, start, date.start):
                    break
                start = max(start, date.end)
        return _FIGURE_RE.search(text, start, end) is not None


def _where_dates_may_begin(words: Words) -> Iterator[int]:
    """Where a date may begin, by a quick look at each word: the regular expression takes longer to reject one."""
    offsets_of = {word: offsets for word in set(words.texts) if (offsets := _where_in_a_word(word))}
    for word, start in zip(words.texts, words.starts, strict=True):
        if word in offsets_of:
            for offset in offsets_of[word]:
                yield start + offset


@functools.lru_cache(1 << 16)
def _where_in_a_word(word: str) -> tuple[int, ...]:
    """Where in a word a date may begin; cached, because words recur."""
    here = (0,) if word[0].isdigit() or seen(word)[:3].lower() in _DATE_BEGINS else ()
    if word.isalnum():
        return here
    return (*here, *(match.start(1) for match in _INNER_RE.finditer(word)))  # of several parts


class _Facts:
    """The facts of a text near given spots; a word in `small` is no name at the beginning of a sentence."""

    def __init__(self, dated: Dated, small: tuple[frozenset[str], frozenset[str]]) -> None:
        self._dated = dated
        self._words = dated.words
        self._small = small
        self._run = (0, 0)  # the last run of capitalised words, cached: a whole text may be one run

    def touching(self, span: Span) -> list[_Located]:
        """The facts that overlap a span, by kinds, each in order."""
        text = self._words.text
        facts = list(self._dates(span)) if self._dated.dates else []
        last = max(span.end, span.start + 1)  # of an empty span, the word after it
        changed = text[span.start : last]
        if not changed.islower() or _FIGURE_RE.search(changed):  # otherwise there is no figure and no name
            touched = self._words.touching(*span)
            facts += [*self._figures(*touched), *self._names(*touched)]
        return [fact for fact in facts if fact.start < span.end and span.start < fact.end]

    def _dates(self, span: Span) -> Iterator[_Located]:
        dates = self._dated.dates
        for at in range(max(bisect_right(self._dated.date_starts, span.start) - 1, 0), len(dates)):
            if dates[at].start >= span.end:
                return
            yield self._located("date", *dates[at])

    def _figures(self, first: int, last: int) -> Iterator[_Located]:
        words = self._words
        for at in range(first, last):
            if self._dated.has_figure(at):
                yield self._located("figure", words.starts[at], words.end(at))

    def _names(self, at: int, last: int) -> Iterator[_Located]:
        """Runs of capitalised words."""
        words = self._words
        last = min(max(last, at + 1), len(words))  # a spot between two words of a name is within the name
        while at < last:
            first, end = self._run_around(at)
            if first < end:
                yield self._located("name", words.starts[first], words.end(end - 1))
            at = max(end, at + 1)

    def _located(self, kind: FactKind, start: int, end: int) -> _Located:
        return _Located(kind, self._words.text[start:end], start, end)

    def _run_around(self, at: int) -> tuple[int, int]:
        """The run of names around a word (the first word, the word after the last); empty if the word is no name."""
        if self._run[0] <= at < self._run[1]:
            return self._run
        if not self._is_name(at):
            return at, at
        first, end = at, at + 1
        while first > 0 and self._is_name(first - 1) and self._goes_on(first):
            first -= 1
        while end < len(self._words) and self._is_name(end) and self._goes_on(end):
            end += 1
        self._run = first, end
        return self._run

    def _goes_on(self, at: int) -> bool:
        """Whether there are only spaces between a word and the one before it."""
        return not self._words.text[self._words.end(at - 1) : self._words.starts[at]].strip(" ")

    def _is_name(self, at: int) -> bool:
        word = seen(self._words.texts[at])
        if len(word) < 2 or not word[0].isupper() or word[:2] in ("I'", "I’"):  # I, A, I'm
            return False
        if at in self._dated.in_dates or _FIGURE_RE.search(word):
            return False
        if not self._begins(at) and not word.isupper():
            return True
        small = word.lower()
        is_common = not word.isupper() and small.replace("’", "'") in FUNCTION_WORDS  # US is a name
        return not is_common and small not in self._small[0] and small not in self._small[1]

    def _begins(self, at: int) -> bool:
        """Whether a word begins a sentence or a line."""
        words = self._words
        if at == 0 or words.texts[at - 1] in _SENTENCE_END:
            return True
        return "\n" in words.text[words.end(at - 1) : words.starts[at]]


def changed_facts(a: Dated, b: Dated, changes: Sequence[Change]) -> Iterator[Fact]:
    """The figures, dates and names that `changes` touch, each with the fact in its place in the other text, or None.
    Each is yielded once; they are searched for lazily.
    """
    small = (a.words.small, b.words.small)
    facts_a, facts_b = _Facts(a, small), _Facts(b, small)
    seen: set[Fact] = set()
    for change in changes:
        own, other = facts_a.touching(change.a), facts_b.touching(change.b)
        for fact in _paired(own, other) if own or other else ():
            if fact not in seen:
                seen.add(fact)
                yield fact


def _paired(own: Sequence[_Located], other: Sequence[_Located]) -> Iterator[Fact]:
    """The differing facts of both sides, paired in order within each kind."""
    for kind in ("date", "figure", "name"):
        left = [fact for fact in own if fact.kind == kind]
        right = [fact for fact in other if fact.kind == kind]
        if not (left or right):
            continue
        stretches = differing_stretches([each.composed for each in left], [each.composed for each in right])
        for i1, i2, j1, j2, _ in stretches:
            for one, another in zip_longest(left[i1:i2], right[j1:j2]):
                if one is None or another is None or one.composed != another.composed:
                    yield _fact(one, another)


def _fact(own: _Located | None, other: _Located | None) -> Fact:
    kind = (own or other).kind  # type: ignore[union-attr] # one of them is there
    spans = [None if fact is None else Span(fact.start, fact.end) for fact in (own, other)]
    return Fact(kind, own and own.text, other and other.text, *spans)


def in_words(facts: Iterable[Fact], kind: FactKind) -> list[str]:
    """The facts of one kind as they are shown: the old one, an arrow, the new one; each once. Characters that cannot be
    seen are escapes.

    >>> in_words([Fact("figure", "3", "4", None, None), Fact("figure", None, "7", None, None)], "figure")
    ['3 → 4', '+ 7']
    """
    return list(dict.fromkeys(visible(_in_words(fact)) for fact in facts if fact.kind == kind))


def _in_words(fact: Fact) -> str:
    if fact.a is None:
        return f"+ {fact.b}"
    return f"− {fact.a}" if fact.b is None else f"{fact.a} → {fact.b}"
