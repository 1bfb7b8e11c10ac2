"""I-Match over ranges of idf: chosen on one half of a corpus, measured on the other.

Whole groups of copies go into the halves in turn; a pair across two groups counts in the half of its earlier document.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from neardup.baselines.imatch import IMatch, normalised_idf
from neardup.baselines.words import Frequencies, words

if TYPE_CHECKING:
    from benchmarks.papers.montanari_puglisi_data import Case
    from neardup.evaluation.truth import Pair, Truth

STEPS = tuple(step / 10 for step in range(11))
RANGES = tuple(combinations(STEPS, 2))
"""Every range of idf whose ends are tenths."""


class Found(NamedTuple):
    """The pairs that a range finds."""

    precision: float
    recall: float
    f1: float


def groups_of(truth: Truth, documents: int) -> list[int]:
    """For each document the first of its group; a group is linked by copies."""
    first = list(range(documents))

    def root(doc: int) -> int:
        while first[doc] != doc:
            first[doc] = first[first[doc]]
            doc = first[doc]
        return doc

    for one, other in truth.copies:
        low, high = sorted((root(one), root(other)))
        first[high] = low
    return [root(doc) for doc in range(documents)]


def halves_of(truth: Truth, documents: int) -> list[bool]:
    """For each document whether it is in the second half: every other group of two or more; others by their number."""
    groups = groups_of(truth, documents)
    several = sorted({group for doc, group in enumerate(groups) if doc != group})
    second = {group: bool(number % 2) for number, group in enumerate(several)}
    return [second.get(group, bool(group % 2)) for group in groups]


def pairs_of(digests: Iterable[bytes | None]) -> set[Pair]:
    """The pairs of documents with equal digests."""
    holders: dict[bytes, list[int]] = {}
    for doc, digest in enumerate(digests):
        if digest is not None:
            holders.setdefault(digest, []).append(doc)
    return {pair for held in holders.values() for pair in combinations(held, 2)}


def judged(truth: Truth, found: set[Pair], second: list[bool], half: bool | None) -> Found:
    """How `found` compares with the truth in one half, or in both."""
    inside = {pair for pair in found if half is None or second[pair[0]] == half}
    wanted = sum(half is None or second[pair[0]] == half for pair in truth.copies)
    tally = truth.tally(inside)
    precision = tally.correct / tally.reported if tally.reported else 1.0
    recall = tally.correct / wanted if wanted else 0.0
    return Found(
        precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    )


def by_half(case: Case) -> dict[str, Any]:
    """For each half: its best range, F1 there, and that range's result on the other half; the best range of all."""
    truth, documents = case.truth, len(case.corpus.texts)
    second = halves_of(truth, documents)
    found = {ends: pairs_of(digests) for ends, digests in digests_by_range(case.corpus.texts)}

    def best(half: bool | None) -> tuple[float, float]:
        return max(RANGES, key=lambda ends: judged(truth, found[ends], second, half).f1)

    rows = []
    for number, half in enumerate((False, True), 1):
        ends = best(half)
        there, elsewhere = (judged(truth, found[ends], second, one) for one in (half, not half))
        rows.append({
            "chosen on": number, "range": named(ends), "f1 there": there.f1, "f1 elsewhere": elsewhere.f1,
            "recall elsewhere": elsewhere.recall, "precision elsewhere": elsewhere.precision,
        })  # fmt: skip
    whole = best(None)
    return {
        "halves": rows,
        "best": {"range": named(whole), **judged(truth, found[whole], second, None)._asdict()},
    }


def named(ends: tuple[float, float]) -> str:
    """A range as written in the tables."""
    return f"{ends[0]:g} to {ends[1]:g}"


def digests_by_range(texts: Iterable[str]) -> Iterable[tuple[tuple[float, float], list[bytes | None]]]:
    """For each range the digest of every text, as in `IMatch`; the words of a text are found once."""
    split = [sorted(set(words(text))) for text in texts]
    frequencies = Frequencies(str.split, map(" ".join, split))
    idf = {word: normalised_idf(held, frequencies.documents) for word, held in frequencies.of.items()}
    for low, high in RANGES:
        yield (
            (low, high),
            [IMatch.digest([word for word in one if low <= idf[word] <= high]) for one in split],
        )
