"""Facts of a text: figures, dates and names; and which of them differ between two.

They are known by their looks, not understood: figures by digits; dates by digits in the usual orders, and by the
English names of months and weekdays; names by capital letters, so not in scripts that have none. A word at the
beginning of a sentence is a name unless it stands somewhere in small letters.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from neardup.reading.changes import Word, differing_stretches, words_of
from neardup.reading.normal_text import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from neardup.reading.changes import Change

FactKind = Literal["figure", "date", "name"]

_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
_SHORT_DAY: Final = r"(?:mon|tue|wed|thu|fri|sat|sun)\b\.?"
_DATE_RE: Final = re.compile(
    rf"(?<!\d[.,/])\b(?:(?:{_DAY}|{_SHORT_DAY}(?=,?\s+\d)),?\s+)?(?:"
    r"\d{4}-\d\d?-\d\d?(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d\d)\b"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?[ -]{_MONTH}(?:[ -]\d{{4}}\b)?"
    rf"|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}}\b)?"
    rf"|{_MONTH}\s\d{{4}}\b"
    r"|\d{1,2}:\d\d(?::\d\d)?\b"
    rf")|\b{_DAY}|\b(?!may\b|mar\b|march\b|sept?\b|dec\b|jan\b){_MONTH}",
    re.IGNORECASE,
)
_FIGURE_RE: Final = re.compile(r"\d")
_SENTENCE_END: Final = frozenset(".!?:;\"'()[]«»“”‘’•*|>—–-")
FIGURES_RE: Final = re.compile(
    rf"{_DATE_RE.pattern}|\d(?:[\d.,:/’'\-]*\d)?"
    r"|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion)\b",
    re.IGNORECASE,
)
"""What counts as a figure where it is asked how much of a difference is figures: number words and dates, too."""


class Fact(NamedTuple):
    """A figure, date or name as it is written in one text, where; and in the other."""

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


def changed_facts(a: str, b: str, changes: Sequence[Change]) -> list[Fact]:
    """The figures, dates and names that `changes` touch, each beside what stands in its place; None for nothing."""
    small = {word.text for text in (a, b) for word in words_of(text) if word.text.islower()}
    facts_a, facts_b = list(_facts(a, small)), list(_facts(b, small))
    listed: list[Fact] = []
    at_a = at_b = 0
    for change in changes:
        own, at_a = _touched(facts_a, change.a, at_a)
        other, at_b = _touched(facts_b, change.b, at_b)
        listed += _paired(own, other)
    return list(dict.fromkeys(listed))


def _touched(facts: Sequence[_Located], span: Span, at: int) -> tuple[list[_Located], int]:
    """The facts that a change touches, and from where on the next change is to look."""
    while at < len(facts) and facts[at].end <= span.start:
        at += 1
    last = at
    while last < len(facts) and facts[last].start < span.end:
        last += 1
    return list(facts[at:last]), at


def _paired(own: Sequence[_Located], other: Sequence[_Located]) -> Iterator[Fact]:
    """Facts of each kind in the order in which they stand for one another."""
    for kind in ("date", "figure", "name"):
        left = [fact for fact in own if fact.kind == kind]
        right = [fact for fact in other if fact.kind == kind]
        stretches = differing_stretches([each.text for each in left], [each.text for each in right])
        for (i1, i2, j1, j2), _ in stretches:
            for one, another in zip_longest(left[i1:i2], right[j1:j2]):
                if one is None or another is None or one.text != another.text:
                    yield _fact(one, another)


def _fact(own: _Located | None, other: _Located | None) -> Fact:
    kind = (own or other).kind  # type: ignore[union-attr] # one of them is there
    spans = [None if fact is None else Span(fact.start, fact.end) for fact in (own, other)]
    return Fact(kind, own and own.text, other and other.text, *spans)


def _facts(text: str, small: set[str]) -> Iterator[_Located]:
    """The facts of a text in order; `small`: all words that stand somewhere in small letters."""
    located = [_Located("date", match[0], match.start(), match.end()) for match in _DATE_RE.finditer(text)]
    words = words_of(text)
    in_dates = _inside(located, words)
    located += [
        _Located("figure", word.text, word.start, word.end)
        for word, is_date in zip(words, in_dates, strict=True)
        if not is_date and _FIGURE_RE.search(word.text)
    ]
    located += _names(text, words, in_dates, small)
    return iter(sorted(located, key=lambda fact: fact.start))


def _inside(dates: Sequence[_Located], words: Sequence[Word]) -> list[bool]:
    """Which of `words` are parts of `dates`."""
    inside, at = [], 0
    for word in words:
        while at < len(dates) and dates[at].end <= word.start:
            at += 1
        inside.append(at < len(dates) and dates[at].start < word.end)
    return inside


def _names(text: str, words: Sequence[Word], dates: Sequence[bool], small: set[str]) -> Iterator[_Located]:
    """Runs of capitalised words."""
    first: Word | None = None
    last: Word | None = None
    begins = True
    for word, is_date in zip(words, dates, strict=True):
        is_name = not is_date and _is_name(word, small, begins=begins)
        if first is not None and last is not None and (not is_name or text[last.end : word.start].strip(" ")):
            yield _Located("name", text[first.start : last.end], first.start, last.end)
            first = None
        if is_name:
            first, last = first or word, word
        begins = word.text in _SENTENCE_END
    if first is not None and last is not None:
        yield _Located("name", text[first.start : last.end], first.start, last.end)


def _is_name(word: Word, small: set[str], *, begins: bool) -> bool:
    if not word.text[0].isupper() or _FIGURE_RE.search(word.text):
        return False
    if len(word.text) == 1:
        return False  # I, A
    return not (begins or word.text.isupper()) or word.text.lower() not in small


def figures_as_signs(text: str) -> str:
    """`text` with every figure, date and number word as one and the same sign.

    >>> figures_as_signs("Rates fell 0.25 pct on 3 March; three banks followed.")
    'Rates fell 0 pct on 0; 0 banks followed.'
    """
    return FIGURES_RE.sub("0", text)


def in_words(facts: Iterable[Fact], kind: FactKind) -> list[str]:
    """The facts of one kind as they are shown: what was, an arrow, what is; each once.

    >>> in_words([Fact("figure", "3", "4", None, None), Fact("figure", None, "7", None, None)], "figure")
    ['3 → 4', '+ 7']
    """
    return list(dict.fromkeys(_in_words(fact) for fact in facts if fact.kind == kind))


def _in_words(fact: Fact) -> str:
    if fact.a is None:
        return f"+ {fact.b}"
    return f"− {fact.a}" if fact.b is None else f"{fact.a} → {fact.b}"
