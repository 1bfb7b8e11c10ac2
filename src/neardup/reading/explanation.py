"""Why two texts are alike or not: doc_q, the passages in common, the differing words, and the differing facts."""

from __future__ import annotations

from dataclasses import asdict
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from neardup.kinds.kind import Kind, kind_of
from neardup.model.counted import shown_score
from neardup.model.settings import Recipe
from neardup.reading.changes import Change, changes
from neardup.reading.facts import Fact, changed_facts
from neardup.reading.passages import covered_by, in_common, passages
from neardup.reading.side import Side
from neardup.signing.doc_q import SetOverlap, overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.reading.facts import FactKind
    from neardup.reading.normal_text import NormalText, Span
    from neardup.reading.passages import Passage
    from neardup.window.base import ReadDocument


class CommonPassage(NamedTuple):
    """The spans of a common passage in both texts; `size` in characters of the normal form."""

    a: Span
    b: Span
    size: int


class Explanation:
    """The comparison of two texts, `a` and `b`. Spans are in characters of the texts as they are.

    Each property is computed when it is first asked for; all of them in about linear time. Two explanations of the same
    texts by one recipe are equal.
    """

    def __init__(self, a: Side, b: Side) -> None:
        self.a = a.text
        self.b = b.text
        self._sides = (a, b)

    def __repr__(self) -> str:
        return f"<Explanation: doc_q {shown_score(self.doc_q)}, {self.kind.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Explanation) and self._of() == other._of()

    def __hash__(self) -> int:
        return hash(self._of())

    def _of(self) -> tuple[tuple[str, Recipe], ...]:
        return tuple((side.text, side.signer.recipe) for side in self._sides)

    @cached_property
    def overlap(self) -> SetOverlap:
        """|A ∩ B|, |A|, |B|; `overlap.score` is doc_q."""
        return overlap(self.a, self.b, self._sides[0].signer)

    @property
    def doc_q(self) -> float:
        """The exact score of the two texts."""
        return self.overlap.score

    @cached_property
    def _passages(self) -> Sequence[Passage]:
        a, b = self._sides
        return passages(a.normal.form, b.normal.form)

    @cached_property
    def passages(self) -> tuple[CommonPassage, ...]:
        """The passages that both texts have, in order of `a`, each of 12 characters of the normal form or more."""
        a, b = (side.normal for side in self._sides)
        return tuple(
            CommonPassage(a.span(each.a, each.a + each.size), b.span(each.b, each.b + each.size), each.size)
            for each in self._passages
        )

    @cached_property
    def covered_a(self) -> float:
        """The share of the characters of the normal form of `a` that lie in passages."""
        return _covered(self._sides[0].normal, [(each.a, each.a + each.size) for each in self._passages])

    @cached_property
    def covered_b(self) -> float:
        """The share of the characters of the normal form of `b` that lie in passages."""
        return _covered(self._sides[1].normal, [(each.b, each.b + each.size) for each in self._passages])

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The differences, word by word, in order."""
        return tuple(changes(self._sides[0].words, self._sides[1].words))

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """Figures, dates and names that differ (`neardup.reading.facts` says how they are recognised)."""
        return tuple(changed_facts(self._sides[0].dated, self._sides[1].dated, self.changes))

    def first_facts(self, most: int | None = None) -> tuple[Fact, ...]:
        """The first `most` (None: all) of `facts` that say different things; further ones are not looked for."""
        distinct: dict[tuple[FactKind, str | None, str | None], Fact] = {}
        for fact in changed_facts(self._sides[0].dated, self._sides[1].dated, self.changes):
            if len(distinct) == most:
                break
            distinct.setdefault((fact.kind, fact.a, fact.b), fact)
        return tuple(distinct.values())

    @cached_property
    def kind(self) -> Kind:
        """The kind of the pair by `neardup.kinds.kind_of` (copy, form, quote, frame, other), with the reason.
        `kind.figures` is the share of the difference that is figures and dates.
        """
        return kind_of(self.a, self.b, fold_case=self._sides[0].signer.recipe.fold_case)

    @cached_property
    def moved(self) -> frozenset[int]:
        """The positions of `changes` that remove or add words that lie in a passage, and so occur elsewhere, too."""
        a, b = self._sides
        return frozenset(
            [*_moved(self.changes, "removed", a, b), *_moved(self.changes, "added", b, a)],
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values; passages and changes with their texts."""
        shared, size_a, size_b, is_exact = self.overlap
        of_a, of_b = self.overlap.containments
        return {
            "doc_q": self.doc_q, "shared": shared, "is_exact": is_exact,
            "a": {"qgrams": size_a, "characters": len(self.a), "containment": of_a, "covered": self.covered_a},
            "b": {"qgrams": size_b, "characters": len(self.b), "containment": of_b, "covered": self.covered_b},
            "kind": asdict(self.kind),
            "passages": [
                {"a": list(each.a), "b": list(each.b), "size": each.size, "text": self.a[slice(*each.a)]}
                for each in self.passages
            ],
            "changes": [
                {
                    "kind": each.kind, "moved": at in self.moved, "coarse": each.coarse,
                    "a": {"at": list(each.a), "text": self.a[slice(*each.a)]},
                    "b": {"at": list(each.b), "text": self.b[slice(*each.b)]},
                }
                for at, each in enumerate(self.changes)
            ],
            "facts": [{"kind": fact.kind, "a": fact.a, "b": fact.b} for fact in self.facts],
        }  # fmt: skip


def explain(a: str, b: str, *, recipe: Recipe | None = None) -> Explanation:
    """Why two texts are alike or not, by `recipe`, or the default one. The texts are compared whole, even by a recipe
    with boilerplate: `ReadDocument.counted` is a text without its boilerplate.

    Nothing is computed before it is asked for. All of it takes about linear time: 10 ms for texts of 4 KB, 5 s for two
    of a million characters. Where the two have so little in common that they are not compared word by word, the change
    is marked `coarse`. Raises `TypeError` for an argument that is not a text, `DocumentError` for an unpaired
    surrogate.

    >>> why = explain("Rates fell to 6 3/16 pct on Monday, the bank said.", "Rates fell to 6 pct, the bank said.")
    >>> [(change.kind, why.a[slice(*change.a)], why.b[slice(*change.b)]) for change in why.changes]
    [('removed', '3/16', ''), ('removed', 'on Monday', '')]
    >>> [(fact.kind, fact.a, fact.b) for fact in why.facts]
    [('figure', '3/16', None), ('date', 'Monday', None)]
    """
    return Explanation(Side(a, recipe or Recipe(), "a"), Side(b, recipe or Recipe(), "b"))


def present_score(copy: ReadDocument, original: ReadDocument | None, recipe: Recipe | None) -> float | None:
    """The doc_q of a copy with the text that its best match has now, where that is not the score of its verdict:
    another text has replaced the best match, or the window has another recipe. None if it is, or if the best match has
    left the window.
    """
    if original is None or copy.verdict.score is None:
        return None
    now = explain(original.counted, copy.counted, recipe=recipe).doc_q
    return None if shown_score(now) == shown_score(copy.verdict.score) else now


def _moved(
    changes: Sequence[Change], kind: Literal["removed", "added"], side: Side, other: Side
) -> list[int]:
    """The changes of a kind that have letters or digits on this side, all of which lie in passages that both texts
    have.
    """
    listed = [at for at, change in enumerate(changes) if change.kind == kind]
    if not listed:
        return []
    spans = [changes[at].a if kind == "removed" else changes[at].b for at in listed]
    edges = np.fromiter(chain.from_iterable(spans), np.int64, 2 * len(spans))
    first, last = side.normal.within(edges[::2], edges[1::2])
    size = len(side.normal.form) + 1
    wanted = np.cumsum(np.bincount(first, minlength=size) - np.bincount(last, minlength=size))[:-1] > 0
    lacking = wanted & ~in_common(side.stretches, other.ordered_stretches, wanted)
    before = np.concatenate([[0], np.cumsum(lacking)])
    moved = (first < last) & (before[first] == before[last])
    return [at for at, is_moved in zip(listed, moved.tolist(), strict=True) if is_moved]


def _covered(normal: NormalText, spans: list[tuple[int, int]]) -> float:
    size = len(normal.form)
    return float(covered_by(spans, size).mean()) if size else 0.0
