"""The verdict on one document, from its exact overlaps with others. The only place where a verdict is decided.

A document is signed (signing/signature.py), candidates are found for it (index/search.py), and |A ∩ B| with each is
counted exactly (index/verification.py); the pairs at or above the threshold are passed to this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Final, NamedTuple

from neardup.model.times import format_time
from neardup.model.tuples import maker_of
from neardup.model.verdict import (
    Basis,
    Match,
    Overlap,
    Part,
    PartialMatch,
    Status,
    Verdict,
    best_first,
    largest_first,
)

Stands = Callable[[Overlap], bool]
"""Whether a document stands for a group, as its head or in place of one that is gone."""


_match_of, _verdict_of = maker_of(Match), maker_of(Verdict)


class Matches(NamedTuple):
    """The matches of one document.

    best     the best match; None if there is none
    head     the best match that stands for a group; the document joins this group. None: the document heads a group of
             its own. So a group is a star: every member has doc_q >= t with the head directly, and no chain of copies
             of copies grows
    total    the number of all matches
    listed   the matches that the verdict lists, best first
    """

    best: Overlap | None
    head: Overlap | None
    total: int
    listed: tuple[Match, ...]

    def basis(self, parts: Sequence[Part]) -> Basis:
        """The basis of the verdict on a document with these matches and `parts`."""
        return Basis(self.best, parts, self.head)


NO_MATCHES: Final = Matches(None, None, 0, ())


def ranked(overlaps: Sequence[Overlap], stands: Stands, listed: int | None) -> Matches:
    """The `Matches` of `overlaps`, which are all at or above the threshold; up to `listed` are listed, None = all."""
    if not overlaps:
        return NO_MATCHES
    best = best_first(overlaps)
    head = next((match for match in best if stands(match)), None)
    return Matches(best[0], head, len(best), as_listed(best, listed))


def as_listed(best: Sequence[Overlap], listed: int | None) -> tuple[Match, ...]:
    """The first `listed` of these overlaps as a verdict lists them; None = all."""
    return tuple([_match_of((match.id, match.score, match.shared)) for match in best[:listed]])


class Compared(NamedTuple):
    """The result of comparing one document: how many documents it was compared with, its matches, and the documents
    below the threshold that share a part with it. `truncated`: further candidates were left out.
    """

    candidates: int
    matches: Matches
    parts: Sequence[Part]
    truncated: bool = False


def decide(
    id: str,
    time: int,
    compared: Compared,
    *,
    empty: bool,
    comparable: bool = True,
    truncated: bool = False,
    parts: bool,
    listed: int | None,
) -> Verdict:
    """The verdict on a document: the documents it is a copy of, the group it joins, its partial copies.

    id, time     of the document; `time` in milliseconds
    empty        whether its normal form is empty: an empty document is a copy of nothing
    comparable   whether any of the hours that it is to be compared with lives
    truncated    whether the search, or the hours it covered, left anything out
    parts        whether partial copies were looked for
    listed       how many partial copies the verdict lists; None = all

    A document without a match that stands for a group heads a group of its own. So does a partial copy, because members
    of a group are copies as a whole.
    """
    candidates, matches, shared, is_truncated = compared
    truncated = truncated or is_truncated
    named, named_total = (_named(shared, listed), len(shared)) if parts else (None, None)
    best = matches.best
    if best is None:
        status = _status_without_match(empty=empty, comparable=comparable, partial=parts and bool(shared))
        return Verdict(
            id=id, time=format_time(time), status=status, duplicate_of=None, score=None, shared=None, group=id,
            candidates=candidates, truncated=truncated, matches=(), matches_total=0, partial=named,
            partial_total=named_total,
        )  # fmt: skip
    return Verdict(
        id=id,
        time=format_time(time),
        status="exact" if best.exact else "near",
        duplicate_of=best.id,
        score=best.score,
        shared=best.shared,
        group=id if matches.head is None else matches.head.id,
        candidates=candidates,
        truncated=truncated,
        matches=matches.listed,
        matches_total=matches.total,
        partial=named,
        partial_total=named_total,
    )


def unmatched(
    ids: Sequence[str],
    times: Iterable[int],
    empty: Sequence[bool],
    comparable: Sequence[bool],
    truncated: Sequence[bool],
    *,
    parts: bool,
) -> list[Verdict]:
    """The verdicts of `decide` on many documents that were compared with no other, all at once. The arguments are as in
    `decide`, one value for each document; `parts` is one for all.
    """
    statuses: list[Status] = ["unique"] * len(ids)
    for i, (is_empty, is_comparable) in enumerate(zip(empty, comparable, strict=True)):
        if is_empty or not is_comparable:
            statuses[i] = _status_without_match(empty=is_empty, comparable=is_comparable, partial=False)
    same = decide("", 0, Compared(0, NO_MATCHES, ()), empty=False, parts=parts, listed=0)._asdict()
    own = {
        "id": ids, "time": map(format_time, times), "status": statuses, "group": ids, "truncated": truncated,
    }  # fmt: skip
    columns = (own.get(name, repeat(value)) for name, value in same.items())
    return list(map(_verdict_of, zip(*columns, strict=False)))


def _status_without_match(*, empty: bool, comparable: bool, partial: bool) -> Status:
    if empty:
        return "empty"
    if not comparable:
        return "unscored"
    return "partial" if partial else "unique"


def _named(parts: Sequence[Part], listed: int | None) -> tuple[PartialMatch, ...]:
    """The first `listed` parts, largest first, as a verdict lists them."""
    return tuple(part.match for part in largest_first(parts)[:listed])
