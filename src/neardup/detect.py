"""One document against its window: from exact overlaps to a verdict. The product on one page, for either engine.

A document is signed (signature.py), an engine finds candidates for it and counts |A ∩ B| with each exactly; the
overlaps at or above the threshold come here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from neardup.document import format_time
from neardup.verdict import Match, Overlap, Part, Status, Verdict, best_first, largest_first

HeadOf = Callable[[Overlap], str | None]
"""The group that a document stands for as its head, or None for a mere member."""


def group_joined(matches: Sequence[Overlap], head_of: HeadOf) -> str | None:
    """The group of the best match that is a head itself; None: the document must head a group of its own.

    So a group is a star: whoever joins has doc_q >= t with the head directly, and no chain of copies of copies grows.
    """
    for match in matches:
        head = head_of(match)
        if head is not None:
            return head
    return None


def overlap_with(overlaps: Iterable[Overlap], identity: str | None) -> Overlap | None:
    """The overlap with the document of that id, if it is one of them."""
    return next((overlap for overlap in overlaps if overlap.id == identity), None)


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
    identity: str,
    time: int,
    overlaps: Sequence[Overlap],
    candidates: int,
    truncated: bool,
    *,
    head_of: HeadOf,
    listed: int | None,
) -> Verdict:
    """The verdict on a document whose `overlaps` (one at least) are all at or above the threshold.

    `listed` is how many matches to name, best first; None = all.
    """
    matches = best_first(overlaps)
    best = matches[0]
    named = matches if listed is None else matches[:listed]
    return Verdict(
        id=identity,
        time=format_time(time),
        status="exact" if best.exact else "near",
        duplicate_of=best.id,
        score=best.score,
        shared=best.shared,
        group=group_joined(matches, head_of) or identity,
        candidates=candidates,
        truncated=truncated,
        matches=tuple(Match(match.id, match.score, match.shared) for match in named),
        matches_total=len(matches),
    )
