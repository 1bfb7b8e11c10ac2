"""Verdict: the result for one document, from its exact overlaps with others (docs/definitions.md, Verdict)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import orjson

from neardup.model.tuples import maker_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

Count = TypeVar("Count", int, "NDArray[np.int64]")

Status = Literal["unique", "near", "exact", "empty", "unscored", "partial"]
KindName = Literal["copy", "form", "quote", "frame", "other"]


class Match(NamedTuple):
    """An earlier document at or above the threshold; `score` = doc_q, `shared` = |A ∩ B|."""

    id: str
    score: float
    shared: int


class PartialMatch(NamedTuple):
    """An earlier document B below the threshold that has a part in common with the document of the verdict, A.

    share        |A ∩ B| / |A|: how much of A is in B
    containment  |A ∩ B| / min(|A|, |B|): 1.0 if one is wholly in the other
    shared       |A ∩ B|
    sentences    how many sentence fingerprints both have, not counting those that too many documents have
    """

    id: str
    share: float
    containment: float
    shared: int
    sentences: int


class Verdict(NamedTuple):
    """The result for one document.

    status        "unique", "near" (doc_q >= t), "exact" (equal normal forms), "empty" (nothing but white space and
                  punctuation), "unscored" (not compared: none of the hours around it lives any more), "partial" (no
                  copy as a whole, but `partial` names one or more documents)
    time          the document's time; "" if the document is only checked (`neardup check`) and has none
    duplicate_of  best match: highest doc_q, then earliest time, then smallest id; None if there is none
    score, shared doc_q and |A ∩ B| with the best match
    group         id of the head of its group, with which every member has doc_q >= t directly; its own id if it is the
                  head
    candidates    how many documents were compared exactly
    truncated     something was left out: hours dropped for a budget, hours gone because the document came too late,
                  a sentence or a band that too many documents have, candidates above the limit, or documents
                  whose sentences are not known
    matches       matches, best first, as many as `Settings.matches` lists
    matches_total how many of the documents compared are at or above the threshold, listed or not
    partial       partial copies, the largest share first, as many as `Settings.matches` lists; None if not looked for
    partial_total how many partial copies there are, listed or not; None if they were not looked for
    kind          the kind of a copy and its best match (docs/definitions.md, Kinds); None if the document is no copy,
                  or if one of the two original texts was not kept (`Settings.kinds`)
    differing     for an exact copy, the first number that differs from the best match, and the number there, as
                  ("12.5", "125"); None if there is none
    """

    id: str
    time: str
    status: Status
    duplicate_of: str | None
    score: float | None
    shared: int | None
    group: str
    candidates: int
    truncated: bool
    matches: tuple[Match, ...]
    matches_total: int
    partial: tuple[PartialMatch, ...] | None = None
    partial_total: int | None = None
    kind: KindName | None = None
    differing: tuple[str, str] | None = None

    @property
    def is_copy(self) -> bool:
        """Whether the document is a near or exact copy of an earlier one."""
        return self.duplicate_of is not None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, keys in the order of the fields. `partial` and its total are left out if partial copies were
        not looked for, `kind` and `differing` if they are None; a missing time is None.
        """
        # Written out for speed: there are ten times as many matches as verdicts.
        matches = [{"id": id, "score": score, "shared": shared} for id, score, shared in self.matches]
        values = {**self._asdict(), "time": self.time or None, "matches": matches}
        if self.partial is None:
            del values["partial"], values["partial_total"]
        else:
            values["partial"] = [part._asdict() for part in self.partial]
        for name in ("kind", "differing"):
            if values[name] is None:
                del values[name]
        return values

    def to_json(self) -> bytes:
        """The verdict as one line of JSON, without the line end."""
        return orjson.dumps(self.to_dict())


class Counts:
    """Totals of verdicts: by status, copies by kind, documents compared exactly, and truncated verdicts."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.candidates = self.truncated = 0

    def add(self, verdict: Verdict) -> None:
        """Count one verdict."""
        self.statuses[verdict.status] += 1
        if verdict.kind is not None:
            self.kinds[verdict.kind] += 1
        self.candidates += verdict.candidates
        self.truncated += verdict.truncated


class Member(NamedTuple):
    """A member of a group.

    score, shared   doc_q with the head of this group, and |A ∩ B|. None only if an earlier version of neardup stored
                    the member without them and the head has gone since
    duplicate_of, duplicate_score   the best match when the verdict was made, which need not be the head, and doc_q with
                                    it
    kind            the kind of the member and its best match, as in the verdict
    """

    id: str
    time: str
    score: float | None
    shared: int | None
    duplicate_of: str | None
    duplicate_score: float | None
    kind: KindName | None = None


class Group(NamedTuple):
    """Documents with doc_q >= t to `head` directly; `time` is the head's. If the head has gone, `head` still names it,
    and `head_is_there` is false.
    """

    head: str
    time: str
    members: tuple[Member, ...]
    head_is_there: bool = True

    @property
    def size(self) -> int:
        """How many documents the group has now: the members, and the head unless it has gone."""
        return len(self.members) + self.head_is_there

    def to_dict(self) -> dict[str, Any]:
        """Plain values, keys in the order of the fields; members have no `kind` if it is not known."""
        members = [member._asdict() for member in self.members]
        for member in members:
            if member["kind"] is None:
                del member["kind"]
        return {**self._asdict(), "members": members}


class Overlap(NamedTuple):
    """A document whose exact overlap with another is known: `larger` = max(|A|, |B|), `exact` = equal normal
    forms.
    """

    doc: int
    id: str
    time: int
    shared: int
    larger: int
    exact: bool

    @property
    def score(self) -> float:
        """doc_q; 1.0 for equal normal forms, even if they are too short to have a q-gram."""
        return 1.0 if self.exact else self.shared / self.larger


overlap_of = maker_of(Overlap)


class Part(NamedTuple):
    """A document B below the threshold that has a part in common with the document A; `size` = |A|.

    `smaller` = min(|A|, |B|); `sentences`: how many both have.
    """

    doc: int
    id: str
    time: int
    shared: int
    size: int
    smaller: int
    sentences: int

    @property
    def match(self) -> PartialMatch:
        """The part as a verdict lists it."""
        share, containment = self.shared / self.size, self.shared / self.smaller
        return PartialMatch(self.id, share, containment, self.shared, self.sentences)


class Basis(NamedTuple):
    """The stored documents that a verdict is based on.

    best    the best match; None if there is none
    parts   the parts that the verdict lists, and perhaps others
    head    the match whose group the document joins; None: it heads a group of its own
    """

    best: Overlap | None = None
    parts: Sequence[Part] = ()
    head: Overlap | None = None


def required_overlap(threshold: Fraction, larger: Count) -> Count:
    """ceil(t · max(|A|, |B|)), the smallest |A ∩ B| with doc_q >= t, in integers; for one number or an array.

    >>> from fractions import Fraction
    >>> required_overlap(Fraction(7, 10), 10), required_overlap(Fraction(7, 10), 11)
    (7, 8)
    """
    return -(-threshold.numerator * larger // threshold.denominator)


def best_first(overlaps: Sequence[Overlap]) -> list[Overlap]:
    """`overlaps` by doc_q, highest first; then earliest time, then id.

    Floats order them exactly: two different fractions with denominators below 2^26 differ by more than 2^-52, and no
    set of q-grams is that large (`max_length`).
    """
    return sorted(overlaps, key=lambda overlap: (-overlap.score, overlap.time, overlap.id))


def largest_first(parts: Iterable[Part]) -> list[Part]:
    """The parts of one document, the largest |A ∩ B| first; then earliest time, then id."""
    return sorted(parts, key=lambda part: (-part.shared, part.time, part.id))
