"""Experiment A: every method against every threshold, as Fig. 5 of Montanari & Puglisi (2012).

Question   Precision, recall and F1 of each method at t = 0.5 ... 0.9; F1 of doc_q at q = 1 ... 8; is doc_q's F1 at
           least that of every other method?
Corpus     day           744 documents with 111 pairs of copies, made from real texts (newsday.py); the truth is how
                         they were made
           spamassassin  6,011 messages; only the 92 pairs that a reader judged count: 43 copies, 49 none (quotations,
                         newsletters of one form, common footers, parts)
           articles      wikiversions, 2,504 versions of 445 articles; two versions of one article are copies, however
                         much was rewritten between them: the truth of the source
           versions      the same, but only what is the same text to a reader's eye: versions of one article with
                         Jaccard >= 0.5 over 8-word shingles (overlap.tsv). Pairs from 0.2 to 0.5, which a reader may
                         call either, count neither way. A measured truth, and one by word shingles: it leans towards
                         methods that count those.
Seed       20261121 for the day; 0 for the methods that draw at random.
Excluded   hours of arrival (all documents are compared with all before them); the time of loading and compiling;
           memory (`neardup evaluate` has it: a process for each method, which takes longer than most methods do here).
Counted    Pairs. A method that says only yes or no has the same figures at every threshold. Besides 0.5 ... 0.9 each
           method is measured at its own thresholds, doc_q and the product at 0.3, 0.4 and 0.95: "at its best" is over
           all of them.
Takes      About eight minutes of processor time. On wikiversions not all methods run (METHODS).
Resumes    Results are kept under --work: called again, it goes on where it was ended.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks import bruteforce, corpora, harness, newsday
from neardup.baselines.base import YES_NO
from neardup.evaluation.corpus import Corpus
from neardup.evaluation.errors import MethodFailed
from neardup.evaluation.here import measure_here
from neardup.evaluation.methods import PRODUCTS, chosen, make
from neardup.evaluation.report import write_reports
from neardup.evaluation.results import Result
from neardup.evaluation.run import Evaluation, evaluate
from neardup.evaluation.truth import Truth, read_truth

if TYPE_CHECKING:
    from benchmarks.bruteforce import Pair
    from neardup.evaluation.results import Point

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
FURTHER = (0.3, 0.4, 0.95)
"""Where doc_q is measured too, and the product with it: other methods' own thresholds reach as far."""
FIGURE_5 = ("doc_q", "SpotSigs(distance=1, chain=2)", "MinHash LSH(q=4)", "I-Match(idf=0.2..0.85)")
OTHERS = (
    "neardup sketch", "checksum(normal form)", "MinHash LSH(w=5)", "SpotSigs(distance=2, chain=3)",
    "I-Match(lexicons=10)", "shingling(w=10, resemblance)", "shingling(w=4, resemblance)",
    "shingling(w=10, containment)", "shingling(every=25)", "DSC-SS(every=1)", "COPS", "SCAM", "cosine",
    "simhash(k=1, lexicons=1, bits=64, idf)", "simhash(k=2, lexicons=1, bits=64)",
    "simhash(k=2, lexicons=10, bits=64)", "sentence lengths", "sentence fingerprints(cutoff=0.6)",
    "segment fingerprints",
)  # fmt: skip
VARIANTS = (
    "neardup complete", "DDEBIT(light=0.5)", "clipped doc_q(least=2)", "clipped doc_q(most=0.1)",
    "cosine(frequent=0.05)",
)  # fmt: skip
"""Of doc_q and of the cosine: on the two corpora where every pair of long documents need not be counted for each."""
QS = tuple(f"doc_q(q={q})" for q in range(1, 9))
CORPORA = ("day", "spamassassin", "articles", "versions")
METHODS = {
    "day": (*FIGURE_5, *OTHERS, *VARIANTS, *QS),
    "spamassassin": (*FIGURE_5, *OTHERS, *VARIANTS, *QS),
    "articles": (*FIGURE_5, "neardup sketch", "shingling(w=4, resemblance)", "COPS", "cosine", "simhash"),
    "versions": (*FIGURE_5, *OTHERS, *QS),
}
TINY_METHODS = ("neardup sketch", "doc_q", "I-Match(idf=0.2..0.85)", "COPS")
TINY_QS = ("doc_q(q=2)", "doc_q(q=4)")
SAME_TEXT, ANOTHER_TEXT = 0.5, 0.2
"""Jaccard over 8-word shingles from which on versions are one text by eye, and below which they are not."""

PAPER: dict[str, dict[float, tuple[int, int, float, float, float]]] = {
    "doc_q(q=4)": {
        0.5: (133, 110, 0.991, 0.827, 0.902), 0.6: (114, 106, 0.955, 0.930, 0.942),
        0.7: (101, 101, 0.910, 1.000, 0.953), 0.8: (101, 101, 0.910, 1.000, 0.953),
        0.9: (99, 99, 0.892, 1.000, 0.943),
    },
    "SpotSigs(distance=1, chain=2)": {
        0.5: (99, 84, 0.757, 0.848, 0.800), 0.6: (88, 84, 0.757, 0.955, 0.844),
        0.7: (82, 80, 0.721, 0.976, 0.829), 0.8: (76, 74, 0.667, 0.974, 0.791),
        0.9: (76, 74, 0.667, 0.974, 0.791),
    },
    "MinHash LSH(q=4, permutations=128)": {
        0.5: (100, 85, 0.766, 0.850, 0.806), 0.6: (89, 85, 0.766, 0.955, 0.850),
        0.7: (83, 81, 0.730, 0.976, 0.835), 0.8: (77, 75, 0.676, 0.974, 0.798),
        0.9: (77, 75, 0.676, 0.974, 0.798),
    },
    "I-Match(idf=0.2..0.85)": {
        0.5: (64, 64, 0.577, 1.000, 0.731), 0.6: (64, 64, 0.577, 1.000, 0.731),
        0.7: (64, 64, 0.577, 1.000, 0.731), 0.8: (62, 61, 0.550, 0.984, 0.705),
        0.9: (62, 62, 0.559, 1.000, 0.717),
    },
}  # fmt: skip
"""Fig. 5: T, T and C, recall, precision, F1. Its MinHash is the LSH of the SpotSigs authors' own program."""


class Case(NamedTuple):
    """One corpus with its truth."""

    name: str
    corpus: Corpus
    truth: Truth


def plain(corpus: corpora.Corpus) -> Corpus:
    """A corpus of the benchmarks as one of `neardup evaluate`."""
    return Corpus(tuple(corpus.ids), tuple(corpus.texts))


def day(args: argparse.Namespace) -> Case:
    """The stream of one day."""
    made = newsday.make(args.data, tiny=args.tiny)
    return Case("day", plain(made.corpus), Truth(made.copies))


def spamassassin(args: argparse.Namespace) -> Case:
    """The messages of which a reader judged 92 pairs; tiny: of which an exact doc_q judges some."""
    corpus = corpora.load(args.data, "spamassassin", tiny=args.tiny)
    if args.tiny:
        pairs = list(bruteforce.all_pairs(bruteforce.gram_sets(corpus.texts), "0.2"))
        return Case(
            "spamassassin", plain(corpus), Truth(_made_copies(corpus), frozenset(pairs), judged_only=True)
        )
    truth = read_truth(args.data / "spamassassin.judged.tsv", plain(corpus), copy_labels=["dup"])
    return Case("spamassassin", plain(corpus), truth)


def articles(args: argparse.Namespace) -> Case:
    """The versions of articles, all of one article taken for copies."""
    corpus = corpora.load(args.data, "wikiversions", tiny=args.tiny)
    copies = _made_copies(corpus) if args.tiny else frozenset(_overlaps(args.data, corpus, one_article=True))
    return Case("articles", plain(corpus), Truth(copies))


def versions(args: argparse.Namespace) -> Case:
    """The versions of articles, copies where the text is the same by eye; pairs that may be either are not counted."""
    corpus = corpora.load(args.data, "wikiversions", tiny=args.tiny)
    if args.tiny:
        return Case("versions", plain(corpus), Truth(_made_copies(corpus)))
    inside = _overlaps(args.data, corpus, one_article=True)
    across = _overlaps(args.data, corpus, one_article=False)
    copies = frozenset(pair for pair, jaccard in inside.items() if jaccard >= SAME_TEXT)
    either = {pair for pair, jaccard in inside.items() if ANOTHER_TEXT <= jaccard < SAME_TEXT}
    either |= {pair for pair, jaccard in across.items() if jaccard >= ANOTHER_TEXT}
    return Case("versions", plain(corpus), Truth(copies, uncounted=frozenset(either)))


CASES: dict[str, Callable[[argparse.Namespace], Case]] = {
    "day": day,
    "spamassassin": spamassassin,
    "articles": articles,
    "versions": versions,
}


def _made_copies(corpus: corpora.Corpus) -> frozenset[Pair]:
    """The pairs of a generated corpus that are copies of one another by doc_q."""
    return frozenset(bruteforce.all_pairs(bruteforce.gram_sets(corpus.texts), "0.6"))


def _overlaps(data: Path, corpus: corpora.Corpus, *, one_article: bool) -> dict[Pair, float]:
    """The pairs of overlap.tsv inside articles, or across them, with their Jaccard over 8-word shingles."""
    places = {id: place for place, id in enumerate(corpus.ids)}
    found: dict[Pair, float] = {}
    with (data / "wikiversions.overlap.tsv").open(encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            one, other, jaccard, _, relation = line.rstrip("\n").split("\t")
            if (relation != "none") == one_article:
                i, j = sorted((places[one], places[other]))
                found[i, j] = float(jaccard)
    return found


def thresholds_of(method: str) -> tuple[float, ...] | None:
    """The paper's thresholds and the method's own; None for one that says only yes or no.

    The product's are those of doc_q, which is its measure.
    """
    if method in PRODUCTS:
        return thresholds_of("doc_q(q=4)")
    own = make(method).thresholds
    further = FURTHER if method in QS else ()
    return None if own == YES_NO else tuple(sorted({*THRESHOLDS, *own, *further}))


def measured(case: Case, methods: list[str], work: Path) -> Evaluation:
    """All `methods` on one corpus; raises if one fails, because a missing figure must not look like one."""
    evaluation = Evaluation(case.corpus.facts(), case.truth.facts(), 0)
    for method in methods:
        outcome = next(
            evaluate(
                case.corpus,
                case.truth,
                [method],
                place=work / case.name,
                thresholds=thresholds_of(method),
                measured=without_memory,
            )
        )
        if isinstance(outcome, MethodFailed):
            raise outcome
        evaluation.add(outcome)
        best = outcome.best
        print(f"{case.name}: {method}: F1 {best.f1:.3f} at {best.threshold:g}", file=sys.stderr, flush=True)
    return evaluation


def without_memory(method: str, *args: Any, **settings: Any) -> Result:
    """The result measured in this process, where the memory of one method cannot be told from that of others."""
    result = measure_here(method, *args, **settings)
    return replace(result, cost=replace(result.cost, peak_bytes=None, baseline_bytes=None))


def at(result: Result, threshold: float) -> Point:
    """What `result` says at a threshold of Fig. 5; a method without thresholds always says the same."""
    points = {point.threshold: point for point in result.points}
    return points[threshold] if threshold in points else points[1.0]


def kept(result: Result) -> Result:
    """The result at the thresholds of Fig. 5, those beside them and its best: the file of figures is for reading."""
    wanted = {*THRESHOLDS, *FURTHER, *YES_NO, result.best.threshold}
    places = [place for place, point in enumerate(result.points) if point.threshold in wanted]
    seconds = tuple(result.cost.compare_seconds[place] for place in places)
    points = tuple(result.points[place] for place in places)
    return replace(result, points=points, cost=replace(result.cost, compare_seconds=seconds))


Found = dict[str, list[Result]]
"""The results on each corpus."""


def tables(figures: dict[str, Any]) -> dict[str, str]:
    """The tables as Markdown, each with its caption, by what docs/experiments.md calls them."""
    found: Found = {
        name: [Result.from_dict(one) for one in evaluation["methods"]]
        for name, evaluation in figures["evaluations"].items()
    }
    made = {
        f"a-{name}": f"{name}: the methods of Fig. 5\n\n{figure_5(results, beside=name == 'day')}"
        for name, results in found.items()
    }
    higher = "".join(f"- {line}\n" for line in better_than_doc_q(found)) or "none\n"
    return made | {
        "a-best": f"Each method at its best\n\n{best_table(found)}",
        "a-q": f"F1 against q\n\n{q_table(found)}",
        "a-better": f"Better than doc_q\n\n{higher}",
    }


def figure_5(results: list[Result], *, beside: bool) -> str:
    """The rows of Fig. 5, the paper's own `beside` them."""
    rows = []
    for threshold in THRESHOLDS:
        for result in results:
            if result.method not in PAPER:
                continue
            point = at(result, threshold)
            rows.append([
                threshold, result.name, point.reported, point.correct, f"{point.recall:.3f}",
                "-" if point.precision is None else f"{point.precision:.3f}", f"{point.f1:.3f}",
            ])  # fmt: skip
            if beside:
                rows[-1].append("/".join(f"{value:.3f}" for value in PAPER[result.method][threshold][2:]))
    header = ["t", "method", "T", "T and C", "recall", "precision", "F1", "paper: R / P / F1"]
    return harness.table(header if beside else header[:-1], rows)


def best_table(found: Found) -> str:
    """Each method's highest F1 on each corpus, with its threshold."""
    by = {name: {one.method: one.best for one in results} for name, results in found.items()}
    methods = dict.fromkeys(method for best in by.values() for method in best)
    rows = [
        [method, *(_f1_at(best[method]) if method in best else "-" for best in by.values())]
        for method in methods
    ]
    return harness.table(["method: highest F1 (at t)", *by], rows)


def _f1_at(point: Point) -> str:
    return f"{point.f1:.3f} ({point.threshold:g})"


def q_table(found: Found) -> str:
    """F1 of doc_q for every q that was measured: at each threshold of the paper, and the highest."""
    rows = []
    for name, results in found.items():
        by = {one.method: one for one in results if one.method in QS}
        if len(by) > 1:
            rows += [
                [name, t, *(f"{at(by[q], t).f1:.3f}" if q in by else "-" for q in QS)] for t in THRESHOLDS
            ]
            rows.append([name, "best", *(_f1_at(by[q].best) if q in by else "-" for q in QS)])
    return harness.table(["corpus", "t", *QS], rows)


def better_than_doc_q(found: Found) -> Iterator[str]:
    """Every method of a paper whose F1 is higher than doc_q's, at its best or at one threshold."""
    for name, results in found.items():
        by = {one.method: one for one in results}
        ours = by["doc_q(q=4)"]
        for method, result in by.items():
            if method in (*PRODUCTS, *QS):
                continue
            where = [f"{t:g}" for t in THRESHOLDS if at(result, t).f1 > at(ours, t).f1]
            if result.best.f1 > ours.best.f1:
                yield f"{name}: {method} is better at its best: {result.best.f1:.3f} against {ours.best.f1:.3f}"
            elif where:
                yield f"{name}: {method} is better at t = {', '.join(where)}, not at its best"


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the tables, writes experiment-a.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--corpora", nargs="+", default=list(CORPORA), choices=CORPORA, metavar="NAME")
    parser.add_argument(
        "--work", type=Path, help="directory of kept results (default: the system's temporary one)"
    )
    parser.add_argument("--html", type=Path, help="directory for a page of curves for each corpus")
    args = parser.parse_args(arguments)
    chosen_work = Path(tempfile.gettempdir()) / "neardup-experiment-a"
    work = args.work or (harness.results_of(args) / "kept" if args.tiny else chosen_work)
    evaluations = {}
    for name in args.corpora:
        methods = chosen((*TINY_METHODS, *TINY_QS) if args.tiny else METHODS[name])
        evaluations[name] = measured(CASES[name](args), methods, work)
        if args.html:
            write_reports(evaluations[name], args.html / name)
    figures = {
        name: {**one.to_dict(), "methods": [kept(result).to_dict() for result in one.results]}
        for name, one in evaluations.items()
    }
    harness.show(tables, harness.save(args, "experiment-a", {"evaluations": figures}))


if __name__ == "__main__":
    main()
