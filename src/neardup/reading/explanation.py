"""Why two texts are alike or not: doc_q, the passages in common, what differs, and which facts do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from neardup.kinds import kind_of
from neardup.model.settings import Recipe
from neardup.reading.changes import Change, changes
from neardup.reading.facts import Fact, changed_facts, figures_as_signs
from neardup.reading.normal_text import NormalText, Span, normal_text
from neardup.reading.passages import covered_by, passages
from neardup.signing.doc_q import SetOverlap, overlap
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from neardup.kinds import Kind
    from neardup.signing.signer import Signer


class CommonPassage(NamedTuple):
    """Where a passage stands in both texts; `size` in characters of the normal form."""

    a: Span
    b: Span
    size: int


@dataclass(frozen=True)
class Explanation:
    """What is to be said of two texts, `a` and `b`. Spans are in characters of the texts as they are.

    overlap               |A ∩ B|, |A|, |B|; `overlap.score` is doc_q
    passages              what both have, in order of `a`: 12 characters of the normal form or more each
    covered_a, covered_b  what share of the characters of each normal form lies in passages
    changes               what differs, word by word, in order
    facts                 figures, dates and names that differ (`neardup.reading.facts` says how they are known)
    kind                  what the two are to each other, and why (`neardup.kinds`)
    figures_share         what share of what is missing to doc_q = 1 is figures, dates and number words; None where
                          nothing is missing
    """

    a: str
    b: str
    overlap: SetOverlap
    passages: tuple[CommonPassage, ...]
    covered_a: float
    covered_b: float
    changes: tuple[Change, ...]
    facts: tuple[Fact, ...]
    figures_share: float | None
    kind: Kind

    @property
    def doc_q(self) -> float:
        """The exact score of the two texts."""
        return self.overlap.score

    @cached_property
    def moved(self) -> frozenset[int]:
        """Which of `changes` (by position) remove or add words that lie in a passage: they stand elsewhere, too."""
        inside_a = covered_by([each.a for each in self.passages], len(self.a))
        inside_b = covered_by([each.b for each in self.passages], len(self.b))
        return frozenset(
            at
            for at, change in enumerate(self.changes)
            if (change.kind == "removed" and _is_inside(self.a, change.a, inside_a))
            or (change.kind == "added" and _is_inside(self.b, change.b, inside_b))
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values; passages and changes with their texts."""
        shared, size_a, size_b, is_exact = self.overlap
        of_a, of_b = self.overlap.containments
        return {
            "doc_q": self.doc_q, "shared": shared, "is_exact": is_exact,
            "a": {"qgrams": size_a, "characters": len(self.a), "containment": of_a, "covered": self.covered_a},
            "b": {"qgrams": size_b, "characters": len(self.b), "containment": of_b, "covered": self.covered_b},
            "figures_share": self.figures_share,
            "kind": self.kind.name, "kind_reason": self.kind.reason,
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
    """Why two texts are alike or not, by `recipe`, or the default one.

    Takes about linear time: 2 ms for texts of 4 KB, 5 s for two of a million characters. Where the two have so little
    in common that words are not compared with words, a change says so (`coarse`). Raises `ValueError` for an unpaired
    surrogate.

    >>> why = explain("Rates fell to 6 3/16 pct on Monday, the bank said.", "Rates fell to 6 pct, the bank said.")
    >>> [(change.kind, why.a[slice(*change.a)], why.b[slice(*change.b)]) for change in why.changes]
    [('removed', '3/16', ''), ('removed', 'on Monday', '')]
    >>> [(fact.kind, fact.a, fact.b) for fact in why.facts]
    [('figure', '3/16', None), ('date', 'Monday', None)]
    """
    signer = signer_for(recipe or Recipe())
    normal_a, normal_b = normal_text(a, signer), normal_text(b, signer)
    common = passages(normal_a.form, normal_b.form)
    differing = changes(a, b)
    return Explanation(
        a,
        b,
        overlap(a, b, signer),
        tuple(
            CommonPassage(
                normal_a.span(each.a, each.a + each.size),
                normal_b.span(each.b, each.b + each.size),
                each.size,
            )
            for each in common
        ),
        _covered(normal_a, [(each.a, each.a + each.size) for each in common]),
        _covered(normal_b, [(each.b, each.b + each.size) for each in common]),
        tuple(differing),
        tuple(changed_facts(a, b, differing)),
        figures_share(a, b, signer),
        kind_of(a, b),
    )


def _is_inside(text: str, span: Span, inside: NDArray[np.bool_]) -> bool:
    """Whether all letters and digits of a span, of which there are some, are `inside`."""
    letters = [at for at in range(*span) if text[at].isalnum()]
    return bool(letters) and bool(inside[letters].all())


def _covered(normal: NormalText, spans: list[tuple[int, int]]) -> float:
    size = len(normal.form)
    return float(covered_by(spans, size).mean()) if size else 0.0


def figures_share(a: str, b: str, signer: Signer) -> float | None:
    """What share of what is missing to doc_q = 1 comes back when every figure counts as the same sign: 1 if two texts
    differ in figures, dates and number words alone. None where nothing is missing.
    """
    score = overlap(a, b, signer).score
    if score == 1.0:
        return None
    masked = overlap(figures_as_signs(a), figures_as_signs(b), signer).score
    return max(0.0, (masked - score) / (1 - score))
