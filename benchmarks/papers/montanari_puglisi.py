"""Experiment A: every method against every threshold, as Fig. 5 of Montanari & Puglisi (2012).

Question   Precision, recall and F1 of each method at t = 0.5 ... 0.9; F1 of doc_q at q = 1 ... 8; is doc_q's F1 at
           least that of every other method?
Corpus     day           744 documents with 111 pairs of copies, made from real texts (newsday.py); the truth is how
                         they were made
           spamassassin  6,011 messages; only the 92 pairs that a reader judged count: 43 copies, 49 none (quotations,
                         newsletters of one form, common footers, parts)
           articles      wikiversions, 2,504 versions of 445 articles; two versions of one article are copies, however
                         much was rewritten between them: the truth of the source
           versions      the same, but only texts that are the same to a reader's eye are copies: versions of one
                         article with Jaccard >= 0.5 over 8-word shingles (overlap.tsv). Pairs from 0.2 to 0.5, which a
                         reader may call either, do not count. This truth is measured by word shingles and so favours
                         methods that count them.
Seed       20261121 for the day; 0 for randomised methods.
Excluded   hours of arrival (all documents are compared with all before them); the time of loading and compiling;
           memory (`neardup evaluate` has it: a process for each method, which takes longer than most methods do here).
Counted    Pairs. A method that says only yes or no has the same figures at every threshold. Besides 0.5 ... 0.9 each
           method is measured at its own thresholds, doc_q and the product at 0.3, 0.4 and 0.95: "at its best" is over
           all of them.
Takes      About eight minutes of processor time. On wikiversions not all methods run (METHODS).
Resumes    Results are kept under --work: called again, it continues where it was ended.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.lib import harness
from benchmarks.papers.montanari_imatch import by_half
from benchmarks.papers.montanari_puglisi_data import CASES, Case
from benchmarks.papers.montanari_puglisi_tables import QS, THRESHOLDS, tables
from neardup.baselines.base import YES_NO
from neardup.evaluation.errors import MethodFailed
from neardup.evaluation.methods import PRODUCTS, chosen, make
from neardup.evaluation.report import write_reports
from neardup.evaluation.run import Evaluation, evaluate
from neardup.evaluation.worker import Job, measure_in_process

if TYPE_CHECKING:
    from neardup.evaluation.measure import OnProgress
    from neardup.evaluation.results import Result

FURTHER = (0.3, 0.4, 0.95)
"""Further thresholds for doc_q and the product: the own thresholds of other methods reach as far."""
FIGURE_5 = (
    "doc_q", "SpotSigs(program)", "LSH(program)", "I-Match(program)",
    "SpotSigs(distance=1, chain=2)", "MinHash LSH(q=4)", "I-Match(idf=0.2..0.85)", "I-Match(idf=0.4..0.5)",
)  # fmt: skip
"""First as in the paper, by the program of the SpotSigs authors; then each by the paper that describes it."""
OTHERS = (
    "neardup sketch", "checksum(normal form)", "MinHash LSH(w=5)", "SpotSigs(distance=2, chain=3)",
    "I-Match(lexicons=10)", "shingling(w=10, resemblance)", "shingling(w=4, resemblance)",
    "shingling(w=10, containment)", "shingling(every=25)", "DSC-SS(every=1)", "megashingles",
    "sif", "COPS", "SCAM", "cosine",
    "simhash(k=1, lexicons=1, bits=64, idf)", "simhash(k=2, lexicons=1, bits=64)",
    "simhash(k=2, lexicons=10, bits=64)", "sentence lengths(ws=8, sw=1, t=1)", "sentence fingerprints(cutoff=0.6)",
    "segment fingerprints",
)  # fmt: skip
VARIANTS = (
    "neardup complete", "DDEBIT(light=0.5)", "clipped doc_q(least=2)", "clipped doc_q(most=0.1)",
    "cosine(frequent=0.05)",
)  # fmt: skip
"""Variants of doc_q and of the cosine: only on the two corpora where they need not count every pair of long texts."""
CORPORA = ("day", "spamassassin", "articles", "versions")
METHODS = {
    "day": (*FIGURE_5, *OTHERS, *VARIANTS, *QS),
    "spamassassin": (*FIGURE_5, *OTHERS, *VARIANTS, *QS),
    "articles": (*FIGURE_5, "neardup sketch", "shingling(w=4, resemblance)", "COPS", "cosine", "simhash"),
    "versions": (*FIGURE_5, *OTHERS, *QS),
}
TINY_METHODS = ("neardup sketch", "doc_q", "I-Match(idf=0.2..0.85)", "COPS")
TINY_QS = ("doc_q(q=2)", "doc_q(q=4)")


def thresholds_of(method: str) -> tuple[float, ...] | None:
    """The paper's thresholds and the method's own; None for a method that says only yes or no.

    The product's are those of doc_q, which is its measure.
    """
    if method in PRODUCTS:
        return thresholds_of("doc_q(q=4)")
    own = make(method).thresholds
    further = FURTHER if method in QS else ()
    return None if own == YES_NO else tuple(sorted({*THRESHOLDS, *own, *further}))


def measure(case: Case, methods: list[str], work: Path) -> Evaluation:
    """All `methods` on one corpus; raises if one fails, because a missing figure must not look like one."""
    evaluation = Evaluation(case.corpus.facts(), case.truth.facts(), 0)
    for method in methods:
        outcome = next(
            evaluate(
                case.corpus,
                case.truth,
                [method],
                directory=work / case.name,
                thresholds=thresholds_of(method),
                runner=measure_without_memory,
            )
        )
        if isinstance(outcome, MethodFailed):
            raise outcome
        evaluation.add(outcome)
        best = outcome.best
        print(f"{case.name}: {method}: F1 {best.f1:.3f} at {best.threshold:g}", file=sys.stderr, flush=True)
    return evaluation


def measure_without_memory(job: Job, on_progress: OnProgress) -> Result:
    """The result measured in this process, where the memory of one method cannot be told from that of others."""
    result = measure_in_process(job, on_progress)
    return replace(result, cost=replace(result.cost, peak_bytes=None, baseline_bytes=None))


def for_reading(result: Result) -> Result:
    """The result at the thresholds of Fig. 5, at those beside them and at its best, to keep the file readable."""
    wanted = {*THRESHOLDS, *FURTHER, *YES_NO, result.best.threshold}
    places = [place for place, point in enumerate(result.points) if point.threshold in wanted]
    seconds = tuple(result.cost.compare_seconds[place] for place in places)
    points = tuple(result.points[place] for place in places)
    return replace(result, points=points, cost=replace(result.cost, compare_seconds=seconds))


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the tables, writes montanari-puglisi.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--corpora", nargs="+", default=list(CORPORA), choices=CORPORA, metavar="NAME")
    parser.add_argument(
        "--work", type=Path, help="directory of kept results (default: the system's temporary one)"
    )
    parser.add_argument("--html", type=Path, help="directory for a page of curves for each corpus")
    args = parser.parse_args(arguments)
    chosen_work = Path(tempfile.gettempdir()) / "neardup-montanari-puglisi"
    work = args.work or (harness.results_of(args) / "kept" if args.tiny else chosen_work)
    evaluations = {}
    for name in args.corpora:
        methods = chosen((*TINY_METHODS, *TINY_QS) if args.tiny else METHODS[name])
        evaluations[name] = measure(CASES[name](args), methods, work)
        if args.html:
            write_reports(evaluations[name], args.html / name)
    imatch = {name: by_half(CASES[name](args)) for name in args.corpora}
    figures = {
        name: {**one.to_dict(), "methods": [for_reading(result).to_dict() for result in one.results]}
        for name, one in evaluations.items()
    }
    harness.show(tables, harness.save(args, "montanari-puglisi", {"evaluations": figures, "imatch": imatch}))


if __name__ == "__main__":
    main()
