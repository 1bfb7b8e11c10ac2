"""Which of several copies stays: the order of preference in which texts are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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


def preferred(keep: Keep, lengths: Sequence[int], ranks: Sequence[int]) -> Sequence[int]:
    """The numbers of texts in order of preference; of equally preferred ones the first comes first.

    `lengths` are in characters; `ranks` are those of their sources (`rank`) or times (`time_rank`), used only by the
    rules "source" and "earliest".

    >>> list(preferred(Keep("longest"), [3, 5, 5], ())), list(preferred(Keep("last"), [3, 5, 5], ()))
    ([1, 2, 0], [2, 1, 0])
    """
    everything = range(len(lengths))
    if keep.rule == "longest":
        return sorted(everything, key=lambda at: -lengths[at])
    if keep.rule in ("source", "earliest"):
        return sorted(everything, key=lambda at: ranks[at])
    return everything[::-1] if keep.rule == "last" else everything


def rank(keep: Keep, *names: object) -> int:
    """The position among the sources of `keep` of the first of `names` that is one of them; the end if none is. A name
    may be an integer.

    >>> rank(Keep("source", ("reuters", "ap")), "ap"), rank(Keep("source", ("reuters", "ap")), None, "blog.jsonl")
    (1, 2)
    """
    for name in map(plain, names):
        if isinstance(name, str | int) and str(name) in keep.sources:
            return keep.sources.index(str(name))
    return len(keep.sources)


def time_rank(time: object) -> int:
    """The rank of a text by its time, in milliseconds; a text without a readable time comes last.

    >>> time_rank("1970-01-01T00:00:01Z"), time_rank(None) == time_rank("yesterday") > time_rank("9999-01-01")
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
