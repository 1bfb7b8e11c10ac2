"""Quality: the threshold of `neardup calibrate` after few answers, against the best possible one.

Question   What share of the F1 of the best threshold does the chosen one reach, after 20, 40 and 60 answers?
Corpus     spamassassin: its 92 judged pairs (43 copies), each scored by doc_q. Generated sets: scores of copies and of
           other pairs, drawn from beta distributions, in six shapes: far apart, with forms above most copies, mixed
           (the two overlap widely), rare copies (one pair in twelve), rarer ones (one in fifty), rare ones that overlap
           widely (where no threshold is good). Only scores matter, so these sets have no texts.
Seed       20261121 for the generated sets; 0 to 23 for the questions of each set.
Measured   F1 at the chosen threshold / F1 at the best one, both over all pairs of the set; the same for 0.7, without
           questions. How often the 95 % intervals of precision and recall contain the truth.
Excluded   finding the pairs in a window; people, who err.
Takes      A minute.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

import neardup
from benchmarks.lib import corpora, harness
from neardup.calibration.calibrator import Calibrator

if TYPE_CHECKING:
    import argparse

    from numpy.typing import NDArray

SEED: Final = 20_261_121
ANSWERS: Final = (20, 40, 60)
DEFAULT: Final = 0.7


class Pairs(NamedTuple):
    """Pairs whose truth is known."""

    name: str
    scores: NDArray[np.float64]
    copies: NDArray[np.bool_]

    def f1(self, threshold: float) -> float:
        """F1 if pairs that reach `threshold` are called copies."""
        called = self.scores >= threshold
        return 2 * int((called & self.copies).sum()) / max(1, int(called.sum() + self.copies.sum()))

    def best(self) -> float:
        """The highest F1 of any threshold."""
        return max(self.f1(float(score)) for score in np.unique(self.scores))


def made(name: str, parts: list[tuple[int, tuple[float, float], bool]]) -> Pairs:
    """This many scores from each beta distribution, those from 0.5 on, for copies and other pairs."""
    numbers = np.random.default_rng([SEED, *name.encode()])
    scores = np.concatenate([numbers.beta(*shape, size=count) for count, shape, _ in parts])
    copies = np.concatenate([np.full(count, is_copy) for count, _, is_copy in parts])
    return Pairs(name, scores[scores >= 0.5], copies[scores >= 0.5])


def spamassassin(args: argparse.Namespace) -> Pairs:
    """The judged pairs, by doc_q."""
    corpus = corpora.load(args.data, "spamassassin")
    texts = dict(zip(corpus.ids, corpus.texts, strict=True))
    lines = (args.data / "spamassassin.judged.tsv").read_text("utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    scores = [neardup.doc_q(texts[one], texts[other]) for one, other, *_ in rows]
    return Pairs("spamassassin", np.array(scores), np.array([row[2] == "dup" for row in rows]))


def sets(args: argparse.Namespace) -> list[Pairs]:
    """All sets; with --tiny only one of the generated ones."""
    shapes = [
        made("far apart", [(1_000, (20, 3), True), (1_000, (3, 8), False)]),
        made("forms among copies", [(900, (20, 3), True), (600, (4, 6), False), (300, (18, 2), False)]),
        made("mixed", [(800, (12, 3), True), (1_200, (8, 5), False)]),
        made("rare copies", [(230, (15, 2), True), (3_800, (8, 6), False)]),
        made("rarer copies", [(60, (15, 2), True), (4_000, (8, 6), False)]),
        made("rare, overlapping", [(100, (12, 3), True), (4_000, (8, 5), False)]),
    ]
    return shapes[:1] if args.tiny else [spamassassin(args), *shapes]


def on_set(pairs: Pairs, seeds: range) -> dict[str, Any]:
    """The shares of the best F1, by number of answers."""
    best = pairs.best()
    shares: dict[int, list[float]] = {count: [] for count in ANSWERS}
    held: dict[str, list[bool]] = {"precision": [], "recall": []}
    for seed in seeds:
        calibrator = Calibrator(pairs.scores.tolist(), seed=seed)
        for count in range(1, max(ANSWERS) + 1):
            pair = calibrator.question()
            if pair is not None:
                calibrator.answer(pair, copy=bool(pairs.copies[pair]))
            if count in ANSWERS:
                outcome = calibrator.best()
                shares[count].append(pairs.f1(outcome.threshold) / best)
                called = pairs.scores >= outcome.threshold
                truth = {"precision": pairs.copies[called].mean(), "recall": called[pairs.copies].mean()}
                for name, value in truth.items():
                    interval = getattr(outcome, name)
                    held[name].append(bool(interval.low - 1e-9 <= value <= interval.high + 1e-9))
    return {
        "pairs": len(pairs.scores), "copies": int(pairs.copies.sum()), "best_f1": best,
        "unasked": pairs.f1(DEFAULT) / best,
        "shares": {str(count): {"mean": float(np.mean(each)), "least": min(each)} for count, each in shares.items()},
        "intervals_hold": {name: float(np.mean(each)) for name, each in held.items()},
    }  # fmt: skip


def tables(figures: dict[str, Any]) -> dict[str, str]:
    """A row a set."""
    rows = [
        [
            name, one["pairs"], one["copies"], f"{one['best_f1']:.3f}", f"{one['unasked']:.3f}",
            *(f"{share['mean']:.3f} ({share['least']:.3f})" for share in one["shares"].values()),
            f"{one['intervals_hold']['precision']:.2f}", f"{one['intervals_hold']['recall']:.2f}",
        ]
        for name, one in figures["sets"].items()
    ]  # fmt: skip
    header = ["set", "pairs", "copies", "best F1", f"share of it at {DEFAULT}",
              *(f"after {count} answers: mean (least)" for count in ANSWERS),
              "intervals hold: precision", "recall"]  # fmt: skip
    return {"calibrate": harness.table(header, rows)}


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the table, writes calibrate.json."""
    args = harness.options(__doc__).parse_args(arguments)
    seeds = range(1) if args.tiny else range(24)
    figures = {}
    for pairs in sets(args):
        figures[pairs.name] = on_set(pairs, seeds)
        print(f"{pairs.name}: done", file=sys.stderr, flush=True)
    harness.show(tables, harness.save(args, "calibrate", {"sets": figures}))


if __name__ == "__main__":
    main()
