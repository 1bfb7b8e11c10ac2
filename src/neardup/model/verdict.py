"""Verdict: what is said of one document, from its exact overlaps with others (docs/definitions.md, Verdict)."""

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
    """An earlier document, below the threshold, a part of which is in the document asked about.

    share        |A ∩ B| / |A|: how much of the document asked about (A) it accounts for
    containment  |A ∩ B| / min(|A|, |B|): 1.0 if one is wholly in the other
    shared       |A ∩ B|
    sentences    how many sentence fingerprints they have in common, except those of too many documents
    """

    id: str
    share: float
    containment: float
    shared: int
    sentences: int


class Verdict(NamedTuple):
    """What neardup says of one document.

    status        "unique", "near" (doc_q >= t), "exact" (equal normal forms), "empty" (nothing but white space and
                  punctuation), "unscored" (it could not be compared: no hour around it lives), "partial" (no copy as
                  a whole, but `partial` names one or more)
    time          the document's; "" if it is only asked about, by `neardup check`, and has none
    duplicate_of  best match: highest doc_q, then earliest time, then smallest id; None if there is none
    score, shared doc_q with it and |A ∩ B|
    group         id of the head of its group, which has doc_q >= t with every member directly; its own id if
                  it heads one
    candidates    how many documents were compared exactly
    truncated     something was left out: hours of its window given up to a budget or gone because it came too
                  late, posting lists too long to read, candidates above the limit
    matches       matches, best first, as many as `Settings.matches` lists
    matches_total how many of the documents compared are at or above the threshold, listed or not
    partial       partial copies, the largest share first, at most as many as of matches; None if not looked for
    partial_total how many partial copies there are, listed or not; None if they were not looked for
    kind          what a copy and its best match are to each other (docs/definitions.md, Kinds); None if it is no
                  copy, or if one of the two texts was not kept as it came (`Settings.kinds`)
    differing     in an exact copy, the first number that is a different one in its best match, and that one, as
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

    def of_kind(self, kind: KindName, differing: tuple[str, str] | None) -> Verdict:
        """The same with its kind, in a third of the time of `_replace`."""
        return Verdict._make((*self[:-2], kind, differing))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, keys in the order of the fields; without `partial` and its total, `kind` and `differing` where
        they were not asked for or are not known; a missing time is None.
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
        """One line of JSON, without the line end."""
        return orjson.dumps(self.to_dict())


class Counts:
    """Verdicts by status, copies by kind, the documents compared exactly for them, and how many left something out."""

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

    score, shared   doc_q with the head of this group, and |A ∩ B|. None only where an earlier version of neardup stored
                    the member without them and the head has gone since
    duplicate_of, duplicate_score   its best match when its verdict was made, which need not be the head, and doc_q with
                    that
    kind            what it and its best match are to each other, as its verdict says
    """

    id: str
    time: str
    score: float | None
    shared: int | None
    duplicate_of: str | None
    duplicate_score: float | None
    kind: KindName | None = None


class Group(NamedTuple):
    """Documents with doc_q >= t to `head` directly; `time` is the head's. A head that has gone is still named, and
    `head_is_there` is false.
    """

    head: str
    time: str
    members: tuple[Member, ...]
    head_is_there: bool = True

    @property
    def size(self) -> int:
        """How many documents are there: the members, and the head unless it has gone."""
        return len(self.members) + self.head_is_there

    def to_dict(self) -> dict[str, Any]:
        """Plain values, keys in the order of the fields; members without `kind` where it is not known."""
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
        """doc_q; 1.0 for equal normal forms, even too short to have a q-gram."""
        return 1.0 if self.exact else self.shared / self.larger


overlap_of = maker_of(Overlap)


class Part(NamedTuple):
    """A document below the threshold that has a part in common with another, A; `size` = |A|.

    `smaller` = min(|A|, |B|), `sentences` in common.
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
        """What a verdict says of it."""
        share, containment = self.shared / self.size, self.shared / self.smaller
        return PartialMatch(self.id, share, containment, self.shared, self.sentences)


class Basis(NamedTuple):
    """What a verdict is based on.

    best    the best match; None: there is none
    parts   the parts that it names, and perhaps others
    head    the match whose group its document joins; None: it heads one of its own
    """

    best: Overlap | None = None
    parts: Sequence[Part] = ()
    head: Overlap | None = None


def required_overlap(threshold: Fraction, larger: Count) -> Count:
    """ceil(t · max(|A|, |B|)): the smallest |A ∩ B| that makes doc_q >= t, in integers; of one pair, or of an array.

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
    """The parts of one document by what they share with it, most first; then earliest time, then id."""
    return sorted(parts, key=lambda part: (-part.shared, part.time, part.id))
