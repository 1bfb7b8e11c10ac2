"""The data of a verdict for which a row has no column, and its form in a blob.

The form is one JSON array: the fields of `VerdictPayload` in order, without empty ones at the end. Arrays written by
earlier versions are shorter, and are read in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from neardup.model.verdict import Match, PartialMatch, largest_first

if TYPE_CHECKING:
    from neardup.model.verdict import Basis, Verdict

_ALWAYS: Final = 4
"""How many of the first fields are written even if they are empty."""


class VerdictPayload(NamedTuple):
    """The data of a verdict for which a row has no column.

    original, time, score   the best match, its time, doc_q with it
    matches                 the listed `Match`es
    parts                   the listed `PartialMatch`es, each with the time of its document
    matches_total, partial_total   how many there were; None: as many as are listed
    head                    for a member whose best match is not the head of its group, doc_q and |A ∩ B| with the head;
                            earlier versions did not keep it
    differing               the numbers in which an exact copy differs from its best match
    """

    original: str | None = None
    time: int = 0
    score: float | None = None
    matches: Sequence[Sequence[Any]] = ()
    parts: Sequence[Sequence[Any]] = ()
    matches_total: int | None = None
    partial_total: int | None = None
    head: Sequence[Any] | None = None
    differing: Sequence[str] | None = None

    @classmethod
    def of(cls, verdict: Verdict, basis: Basis) -> VerdictPayload:
        """The payload of `verdict`, which has this `basis`."""
        best, parts, head = basis
        named = zip(verdict.partial or (), largest_first(parts), strict=False)
        return cls(
            original=verdict.duplicate_of,
            time=best.time if best is not None else 0,
            score=verdict.score,
            matches=list(map(tuple, verdict.matches)),  # orjson takes no tuple with names
            parts=[[*match, part.time] for match, part in named],
            matches_total=unless_listed(verdict.matches_total, verdict.matches),
            partial_total=unless_listed(verdict.partial_total, verdict.partial or ()),
            head=None if head is None or head is best else [head.score, head.shared],
            differing=verdict.differing,
        )

    @classmethod
    def read(cls, rest: bytes) -> VerdictPayload:
        """The payload in `rest`, the part of a blob behind the group."""
        return cls(*orjson.loads(rest)) if rest else EMPTY_PAYLOAD

    def to_bytes(self) -> bytes:
        """The part of a blob behind the group; empty if the document is no copy and no partial copy."""
        if self.original is None and not self.parts and self.partial_total is None:
            return b""
        fields = list(self)
        while len(fields) > _ALWAYS and (fields[-1] is None or fields[-1] == []):
            fields.pop()
        return orjson.dumps(fields)

    def with_head(self, head: str, shared: int) -> tuple[float | None, int | None]:
        """doc_q and |A ∩ B| of a member with the `head` of its group, None if not known; `shared`: |A ∩ B| with its
        best match.
        """
        if self.head is not None:
            return self.head[0], self.head[1]
        return (self.score, shared) if self.original == head else (None, None)

    @property
    def listed(self) -> tuple[tuple[Match, ...], int]:
        """The matches of the verdict, and how many there were."""
        return tuple(Match(*match) for match in self.matches), total_of(self.matches_total, self.matches)

    @property
    def partial(self) -> tuple[tuple[PartialMatch, ...], int]:
        """The partial copies of the verdict, and how many there were."""
        parts = tuple(PartialMatch(*part[:-1]) for part in self.parts)
        return parts, total_of(self.partial_total, self.parts)

    @property
    def differing_pair(self) -> tuple[str, str] | None:
        """`differing` as a tuple, as in a `Verdict`."""
        return None if self.differing is None else (self.differing[0], self.differing[1])

    @property
    def part_times(self) -> list[int]:
        """The times of the documents that the verdict names as partial copies, in its order."""
        return [part[-1] for part in self.parts]


EMPTY_PAYLOAD: Final = VerdictPayload()
"""The payload of a document that is no copy and no partial copy."""


def unless_listed(total: int | None, listed: Sequence[Any]) -> int | None:
    """A total in the form of `VerdictPayload`: None if all are listed."""
    return None if total == len(listed) else total


def total_of(total: int | None, listed: Sequence[Any]) -> int:
    """The reverse of `unless_listed`."""
    return len(listed) if total is None else total
