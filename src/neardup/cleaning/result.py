"""The result of comparing many texts: which stay, which are removed, for which one and with which doc_q."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from neardup.cleaning.frames import Column, with_columns
from neardup.cleaning.kept_kinds import Goes
from neardup.cleaning.star import Pairs, removed
from neardup.errors import SettingsError
from neardup.model.settings import Threshold, exact_threshold

if TYPE_CHECKING:
    from neardup.cleaning.star import Original


class Copy(NamedTuple):
    """A removed text, by its position, and the one that stays for it, with their exact doc_q.

    `against`: whether `duplicate_of` is a position in the texts that were given as `against`.
    """

    position: int
    duplicate_of: int
    score: float
    against: bool = False


class Pair(NamedTuple):
    """The positions of two texts and their exact doc_q; `against` as in a `Copy`, for `j`."""

    i: int
    j: int
    score: float
    against: bool = False


class Copies(NamedTuple):
    """The position of a text that stays, and those of the texts removed for it, in order."""

    head: int
    members: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Deduped:
    """What `neardup.dedup` found. Positions count from 0, in the order of the input.

    Every removed text has doc_q >= t with one that stays; no two texts that stay have it (with `retrieval="complete"`
    by proof), unless one of them stays for a kept kind. A text that could not be used is in `rejected`, by its position
    and with the reason; it neither stays nor is removed. `threshold` is t. `truncated`: for how many texts something
    was left out of the comparison.

    Two results are equal if the same was found among as many texts, whatever container holds these: frames cannot be
    compared by `==`.
    """

    data: Any
    text: str
    threshold: Fraction
    rejected: tuple[tuple[int, str], ...]
    truncated: int
    _order: Sequence[int]
    _against: int
    _has_against: bool
    _pairs: Pairs
    _has_every_pair: bool
    _goes: Goes | None = None

    @cached_property
    def copies(self) -> list[Copy]:
        """The removed texts, by position."""
        removals = removed(self._pairs, always_kept=self._against, goes=self._goes)
        return sorted(self._copy(at, kept) for at, kept in removals.items())

    @cached_property
    def removed(self) -> list[int]:
        """The positions of the removed texts."""
        return [copy.position for copy in self.copies]

    @cached_property
    def kept(self) -> list[int]:
        """The positions of the texts that stay."""
        others = {*self.removed, *(position for position, _ in self.rejected)}
        return [position for position in range(len(self._order)) if position not in others]

    @property
    def groups(self) -> list[Copies]:
        """The texts that stay and have copies, each with its copies; not those of `against`."""
        members: dict[int, list[int]] = {}
        for copy in self.copies:
            if not copy.against:
                members.setdefault(copy.duplicate_of, []).append(copy.position)
        return [Copies(head, tuple(members[head])) for head in sorted(members)]

    @property
    def pairs(self) -> list[Pair]:
        """Every pair with doc_q >= t, by position; with `dedup(..., pairs=False)`, only those of a removed text with
        the one that stays. Pairs within `against` are left out.
        """
        return sorted(self._pair(*pair) for pair in self._pairs)

    def frame(self, prefix: str = "") -> Any:
        """The input, as it was in the call of `dedup`, with the columns `duplicate_of`, `score` and `group`, in the
        library that it came in.

        `duplicate_of` is the position of the text that stays for a removed one; like `score`, it is None for a text
        that stays. `group` is the position of the text of the group that stays, its own for a text that stays. If
        `against` was given, there is a fourth column, `duplicate_of_against`: for a copy of a text of `against`, the
        position of that text there; such a copy has no `duplicate_of` and no `group`.

        Texts and records come back as records. `prefix` is put before the names. Raises `SettingsError` if the input
        has one of the columns already, or is not there (`without_data`).
        """
        if self.data is None:
            raise SettingsError("data", None, "the input of dedup: ask for frame() before without_data()")
        copies = {copy.position: copy for copy in self.copies}
        unusable = {position for position, _ in self.rejected}
        duplicate_of: list[float | None] = []
        score: list[float | None] = []
        group: list[float | None] = []
        of_against: list[float | None] = []
        for position in range(len(self._order)):
            copy = copies.get(position)
            own = None if position in unusable else position
            head = own if copy is None else None if copy.against else copy.duplicate_of
            duplicate_of.append(None if copy is None else head)
            score.append(None if copy is None else copy.score)
            group.append(head)
            of_against.append(copy.duplicate_of if copy is not None and copy.against else None)
        columns = {
            "duplicate_of": Column(int, duplicate_of),
            "score": Column(float, score),
            "group": Column(int, group),
            **({"duplicate_of_against": Column(int, of_against)} if self._has_against else {}),
        }
        return with_columns(self.data, columns, self.text, prefix)

    def at(self, threshold: Threshold) -> Deduped:
        """The result for another threshold, not below this one, from the known pairs: nothing is signed again.

        Raises `SettingsError` for a lower threshold, and for any other one if not every pair was asked for.
        """
        chosen = exact_threshold(threshold)
        if chosen < self.threshold:
            expected = f"at least {float(self.threshold):g}, at which pairs were looked for"
            raise SettingsError("threshold", threshold, expected)
        if not self._has_every_pair and chosen != self.threshold:
            raise SettingsError("pairs", False, "True in the call of dedup, for other thresholds later")
        return replace(self, threshold=chosen, _pairs=self._pairs.at_least(chosen))

    def without_data(self) -> Deduped:
        """This result without the input, which a pickle of it contains: `frame` cannot be asked for any more. With
        `keep_kinds`, the texts stay in it, because their kinds decide when `copies` and `at` are asked for.
        """
        return replace(self, data=None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Deduped) and self._answer() == other._answer()

    __hash__ = None  # type: ignore[assignment]  # lists are in it

    def __repr__(self) -> str:
        counts = f"{len(self.kept):,} kept, {len(self.removed):,} removed, {len(self.rejected):,} rejected"
        return f"<Deduped at {float(self.threshold):g}: {counts}>"

    def _answer(self) -> tuple[object, ...]:
        # Not with the reasons: they say what the container calls its texts.
        unusable = [position for position, _ in self.rejected]
        return len(self._order), self.threshold, unusable, self.truncated, self.copies, self.pairs

    def _position(self, at: int) -> int:
        return at if at < self._against else self._order[at - self._against]

    def _copy(self, at: int, kept: Original) -> Copy:
        return Copy(self._position(at), self._position(kept.at), kept.score, kept.at < self._against)

    def _pair(self, later: int, earlier: int, score: float) -> Pair:
        one, other = self._position(later), self._position(earlier)
        if earlier < self._against:
            return Pair(one, other, score, against=True)
        return Pair(min(one, other), max(one, other), score)
