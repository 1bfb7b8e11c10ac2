"""The tables of montanari_puglisi.py, the figures of Montanari & Puglisi (2012) beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from benchmarks.lib import harness
from neardup.evaluation.methods import PRODUCTS
from neardup.evaluation.results import Result

if TYPE_CHECKING:
    from neardup.evaluation.results import Point

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
QS = tuple(f"doc_q(q={q})" for q in range(1, 9))

PAPER: dict[str, dict[float, tuple[int, int, float, float, float]]] = {
    "doc_q(q=4)": {
        0.5: (133, 110, 0.991, 0.827, 0.902), 0.6: (114, 106, 0.955, 0.930, 0.942),
        0.7: (101, 101, 0.910, 1.000, 0.953), 0.8: (101, 101, 0.910, 1.000, 0.953),
        0.9: (99, 99, 0.892, 1.000, 0.943),
    },
    "SpotSigs(program, idf=0.2..0.85)": {
        0.5: (99, 84, 0.757, 0.848, 0.800), 0.6: (88, 84, 0.757, 0.955, 0.844),
        0.7: (82, 80, 0.721, 0.976, 0.829), 0.8: (76, 74, 0.667, 0.974, 0.791),
        0.9: (76, 74, 0.667, 0.974, 0.791),
    },
    "LSH(program, tables=32, rows=6, idf=0.2..0.85)": {
        0.5: (100, 85, 0.766, 0.850, 0.806), 0.6: (89, 85, 0.766, 0.955, 0.850),
        0.7: (83, 81, 0.730, 0.976, 0.835), 0.8: (77, 75, 0.676, 0.974, 0.798),
        0.9: (77, 75, 0.676, 0.974, 0.798),
    },
    "I-Match(program, idf=0.2..0.85)": {
        0.5: (64, 64, 0.577, 1.000, 0.731), 0.6: (64, 64, 0.577, 1.000, 0.731),
        0.7: (64, 64, 0.577, 1.000, 0.731), 0.8: (62, 61, 0.550, 0.984, 0.705),
        0.9: (62, 62, 0.559, 1.000, 0.717),
    },
}  # fmt: skip
"""Fig. 5: T, T and C, recall, precision, F1. The last three are those of the SpotSigs authors' own program."""


Results = dict[str, list[Result]]
"""Those on each corpus."""


def tables(figures: dict[str, Any]) -> dict[str, str]:
    """The tables as Markdown, each with its caption, by what docs/experiments/montanari_puglisi.md calls them."""
    by_corpus: Results = {
        name: [Result.from_dict(one) for one in evaluation["methods"]]
        for name, evaluation in figures["evaluations"].items()
    }
    made = {
        f"a-{name}": f"{name}: the methods of Fig. 5\n\n{figure_5(results, beside=name == 'day')}"
        for name, results in by_corpus.items()
    }
    higher = "".join(f"- {line}\n" for line in better_than_doc_q(by_corpus)) or "none\n"
    return made | {
        "a-best": f"Each method at its best\n\n{best_table(by_corpus)}",
        "a-q": f"F1 against q\n\n{q_table(by_corpus)}",
        "a-better": f"Better than doc_q\n\n{higher}",
        "a-imatch": f"I-Match: a range of idf chosen on one half, measured on the other\n\n{imatch_table(figures)}",
    }


def figure_5(results: list[Result], *, beside: bool) -> str:
    """The rows of Fig. 5, the paper's own `beside` them."""
    rows = []
    for threshold in THRESHOLDS:
        for result in results:
            if result.method not in PAPER:
                continue
            point = point_at(result, threshold)
            rows.append([
                threshold, result.name, point.reported, point.correct, f"{point.recall:.3f}",
                "-" if point.precision is None else f"{point.precision:.3f}", f"{point.f1:.3f}",
            ])  # fmt: skip
            if beside:
                rows[-1].append("/".join(f"{value:.3f}" for value in PAPER[result.method][threshold][2:]))
    header = ["t", "method", "T", "T and C", "recall", "precision", "F1", "paper: R / P / F1"]
    return harness.table(header if beside else header[:-1], rows)


def best_table(by_corpus: Results) -> str:
    """Each method's highest F1 on each corpus, with its threshold."""
    by = {name: {one.method: one.best for one in results} for name, results in by_corpus.items()}
    methods = dict.fromkeys(method for best in by.values() for method in best)
    rows = [
        [method, *(_f1_at(best[method]) if method in best else "-" for best in by.values())]
        for method in methods
    ]
    return harness.table(["method: highest F1 (at t)", *by], rows)


def _f1_at(point: Point) -> str:
    return f"{point.f1:.3f} ({point.threshold:g})"


def q_table(by_corpus: Results) -> str:
    """F1 of doc_q for every q that was measured: at each threshold of the paper, and the highest."""
    rows = []
    for name, results in by_corpus.items():
        by = {one.method: one for one in results if one.method in QS}
        if len(by) > 1:
            rows += [
                [name, t, *(f"{point_at(by[q], t).f1:.3f}" if q in by else "-" for q in QS)]
                for t in THRESHOLDS
            ]
            rows.append([name, "best", *(_f1_at(by[q].best) if q in by else "-" for q in QS)])
    return harness.table(["corpus", "t", *QS], rows)


def imatch_table(figures: dict[str, Any]) -> str:
    """The range with the highest F1 on each half of a corpus, and its F1 on the other half; the best of all."""
    rows = []
    for name, found in figures["imatch"].items():
        rows += [
            [name, half["chosen on"], half["range"],
             *(f"{half[key]:.3f}" for key in ("f1 there", "f1 elsewhere", "recall elsewhere", "precision elsewhere"))]
            for half in found["halves"]
        ]  # fmt: skip
        best = found["best"]
        rows.append([name, "all", best["range"], f"{best['f1']:.3f}", "-", "-", "-"])
    return harness.table(
        ["corpus", "chosen on half", "idf", "F1 there", "F1 on the other half", "recall", "precision"], rows
    )


def better_than_doc_q(by_corpus: Results) -> Iterator[str]:
    """Every method of a paper whose F1 is higher than doc_q's, at its best or at one threshold."""
    for name, results in by_corpus.items():
        by = {one.method: one for one in results}
        ours = by["doc_q(q=4)"]
        for method, result in by.items():
            if method in (*PRODUCTS, *QS):
                continue
            where = [f"{t:g}" for t in THRESHOLDS if point_at(result, t).f1 > point_at(ours, t).f1]
            if result.best.f1 > ours.best.f1:
                yield f"{name}: {method} is better at its best: {result.best.f1:.3f} against {ours.best.f1:.3f}"
            elif where:
                yield f"{name}: {method} is better at t = {', '.join(where)}, not at its best"


def point_at(result: Result, threshold: float) -> Point:
    """The `result` at a threshold of Fig. 5; that of a method without thresholds is always the same."""
    points = {point.threshold: point for point in result.points}
    return points[threshold] if threshold in points else points[1.0]
