"""One document against its window: from exact overlaps to a verdict. The product on one page, for either engine.

A document is signed (signing/signature.py), an engine finds candidates for it and counts |A ∩ B| with each exactly; the
overlaps at or above the threshold come here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from neardup.model.document import format_time
from neardup.model.verdict import Match, Overlap, Part, Status, Verdict, best_first, largest_first

Stands = Callable[[Overlap], bool]
"""Whether a document stands for a group, as its head or in place of one that is gone."""


class Matches(NamedTuple):
    """The matches of one document: the best of them, best first, and how many there are in all.

    `head`: the best one that stands for a group, as its head: that group is joined. None: the document must head one of
    its own. So a group is a star: whoever joins has doc_q >= t with the head directly, and no chain of copies of
    copies grows.
    """

    best: Sequence[Overlap]
    total: int
    head: Overlap | None


def ranked(overlaps: Sequence[Overlap], stands: Stands, listed: int | None) -> Matches:
    """The matches among `overlaps`, all at or above the threshold: at least one if there is any, else up to `listed`.

    None = all.
    """
    best = best_first(overlaps)
    head = next((match for match in best if stands(match)), None)
    return Matches(best if listed is None else best[: max(listed, 1)], len(best), head)


def alone(identity: str, time: int, status: Status, candidates: int, truncated: bool) -> Verdict:
    """The verdict on a document that matches none: it heads a group of its own."""
    return Verdict(
        identity, format_time(time), status, None, None, None, identity, candidates, truncated, (), 0
    )


def with_parts(verdict: Verdict, parts: Sequence[Part] | None, listed: int | None) -> Verdict:
    """The verdict with the `parts` that its document has in common with others below the threshold, largest first.

    `listed` as for matches. None: partial copies were not looked for. What is no copy as a whole becomes `partial`,
    and heads a group of its own all the same: groups are of copies.
    """
    if parts is None:
        return verdict
    named = tuple(part.match for part in largest_first(parts)[:listed])
    status: Status = "partial" if parts and verdict.status == "unique" else verdict.status
    return verdict._replace(status=status, partial=named, partial_total=len(parts))


def copied(
    identity: str, time: int, matches: Matches, candidates: int, truncated: bool, *, listed: int | None
) -> Verdict:
    """The verdict on a document that has `matches`.

    `listed` is how many of them to name, best first; None = all.
    """
    best = matches.best[0]
    return Verdict(
        id=identity,
        time=format_time(time),
        status="exact" if best.exact else "near",
        duplicate_of=best.id,
        score=best.score,
        shared=best.shared,
        group=identity if matches.head is None else matches.head.id,
        candidates=candidates,
        truncated=truncated,
        matches=tuple(Match(match.id, match.score, match.shared) for match in matches.best[:listed]),
        matches_total=matches.total,
    )
