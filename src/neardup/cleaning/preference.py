"""Which of several copies stays: the order of preference in which texts are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from neardup.errors import SettingsError
from neardup.model.plain_values import is_missing, plain
from neardup.model.times import parse_time

RULES: Final = ("first", "last", "longest", "earliest")
SOURCE: Final = "source:"
_LAST: Final = 2**63 - 1
EXPECTED: Final = "first, last, longest, earliest, or source:a,b,c with the sources in order of preference"


class Keep(NamedTuple):
    """The rule: the first text, the last, the longest, that of the earliest time, or that of the first of `sources`."""

    rule: Literal["first", "last", "longest", "earliest", "source"]
    sources: tuple[str, ...] = ()


def parse_keep(text: str) -> Keep:
    """The rule that `text` names; `SettingsError` if it names none.

    >>> parse_keep("source:reuters, ap")
    Keep(rule='source', sources=('reuters', 'ap'))
    """
    if text in RULES:
        return Keep(text)  # type: ignore[arg-type]  # it is one of them
    named = str(text).startswith(SOURCE)
    sources = tuple(name.strip() for name in text[len(SOURCE) :].split(",")) if named else ()
    if not all(sources) or len(set(sources)) != len(sources) or not sources:
        raise SettingsError("keep", text, EXPECTED)
    return Keep("source", sources)


def preferred(ranks: Sequence[int]) -> Sequence[int]:
    """The numbers of texts in order of preference, by their ranks; of equally preferred ones the first comes first.

    >>> preferred([rank(Keep("longest"), at, length) for at, length in enumerate([3, 5, 5])])
    [1, 2, 0]
    """
    return sorted(range(len(ranks)), key=ranks.__getitem__)


def rank(keep: Keep, at: int, length: int, time: object = None, names: Iterable[object] = ()) -> int:
    """The rank of text number `at`, of `length` characters: of several copies, the one with the lowest rank stays.
    `names`: those that its source may have, of which an integer may be one; the first that `keep` names counts.
    """
    match keep.rule:
        case "last":
            return -at
        case "longest":
            return -length
        case "earliest":
            return _time_rank(time)
        case "source":
            known = (str(name) for name in map(plain, names) if isinstance(name, str | int))
            return next(
                (keep.sources.index(name) for name in known if name in keep.sources), len(keep.sources)
            )
    return at


def _time_rank(time: object) -> int:
    """The rank of a text by its time, in milliseconds; a text without a readable time comes last.

    >>> _time_rank("1970-01-01T00:00:01Z"), _time_rank(None) == _time_rank("yesterday") > _time_rank("9999-01-01")
    (1000, True)
    """
    try:
        return _LAST if is_missing(time) else parse_time(time)
    except (TypeError, ValueError, OverflowError):
        return _LAST


def doubts(
    keep: Keep, ranks: Sequence[int], what: str, first_time: Callable[[int], tuple[str, object, str]]
) -> Iterator[str]:
    """Messages about the limits of the rule `keep`, from the ranks of all texts: sources that it names and no text has,
    and unknown times. `what` is the word for a text; `first_time` gives, for the number of a text, where it is, its
    time, and the remedy if it has none.
    """
    known = set(ranks)
    for name in (name for at, name in enumerate(keep.sources) if at not in known):
        yield f"no {what} has the source {name!r} that keep names"
    if keep.rule == "earliest" and _LAST in known:
        where, time, remedy = first_time(ranks.index(_LAST))
        why = _why_unread(time) or f"it has none; {remedy}"
        yield (
            f"{ranks.count(_LAST):,} of {len(ranks):,} {what}s have no time that can be read, and count as later than "
            f"all others (first: {where}): {why}"
        )


def _why_unread(time: object) -> str | None:
    """Why a time cannot be read; None for a missing one."""
    try:
        if not is_missing(time):
            parse_time(time)
    except (TypeError, ValueError, OverflowError) as error:
        return str(error)
    return None
