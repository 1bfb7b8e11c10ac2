"""The content of a report as plain rows and sentences: the tables, the facts above them, the notes below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from neardup.evaluation.formatting import shown_bytes, shown_rate, shown_time
from neardup.version import VERSION

if TYPE_CHECKING:
    from neardup.evaluation.results import Point, Result
    from neardup.evaluation.run import Evaluation

COLUMNS: Final = (
    "method", "best F1", "threshold", "precision", "recall", "time/document", "time/comparison", "index/document",
    "memory",
)  # fmt: skip
DETAILS: Final = (
    "method", "threshold", "reported", "correct", "precision", "recall", "F1", "compared", "time/document",
)  # fmt: skip
TITLE: Final = "Near-duplicate methods compared"
ABOUT_COSTS: Final = (
    "Times are processor time on one thread: a document is signed, looked up, compared and added; a comparison "
    "includes finding the candidate. Memory is what learning, signatures and index took above interpreter and texts."
)


def summary_row(result: Result) -> list[str]:
    """The cells of `COLUMNS` for one method."""
    best = result.best
    documents = max(1, result.cost.signed)
    return [
        result.name,
        shown_rate(best.f1),
        f"{best.threshold:g}",
        shown_rate(best.precision),
        shown_rate(best.recall),
        shown_time(result.microseconds(best)),
        _comparison(result, best),
        shown_bytes(result.index_bytes / documents),
        "-" if result.cost.own_bytes is None else shown_bytes(result.cost.own_bytes),
    ]


def detail_rows(result: Result) -> Iterable[list[str]]:
    """The cells of `DETAILS` for each threshold of one method."""
    for point in result.points:
        yield [
            result.name,
            f"{point.threshold:g}",
            f"{point.reported:,}",
            f"{point.correct:,}",
            shown_rate(point.precision),
            shown_rate(point.recall),
            shown_rate(point.f1),
            "-" if point.compared is None else f"{point.compared:,}",
            shown_time(result.microseconds(point)),
        ]


def facts(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    """The facts above the tables: (name, value, an addition in small letters)."""
    corpus, truth = evaluation.corpus, evaluation.truth
    labels = ", ".join(f"{count:,} {label}" for label, count in truth["labels"].items())
    others = [(truth["others"], "judged to be none"), (truth["uncounted"], "left out")]
    beside = [f"{count:,} {what}" for count, what in others if count]
    if truth["columns"]:
        beside.append(f"first line taken for names of columns: {truth['columns']}")
    return [
        ("documents", f"{corpus['documents']:,}", f"{corpus['characters']:,} characters"),
        ("pairs of copies", f"{truth['copies']:,}", labels),
        ("counted", truth["counted"], ", ".join(beside)),
        ("methods", f"{len(evaluation.results):,}", f"seed {evaluation.seed}"),
        *_highest(evaluation.results),
    ]


def _highest(results: Sequence[Result]) -> list[tuple[str, str, str]]:
    """The fact with the highest F1 and the method that reached it; none without results."""
    if not results:
        return []
    top = max(result.best.f1 for result in results)
    first, *others = [result for result in results if result.best.f1 == top]
    more = f", and {len(others)} more" if others else ""
    return [("highest F1", shown_rate(top), f"{first.name} at {first.best.threshold:g}{more}")]


def subtitle(evaluation: Evaluation) -> str:
    """The version, and the digests of the corpus and the truth."""
    digests = f"corpus {evaluation.corpus['digest']}, truth {evaluation.truth['digest']}"
    return f"neardup {VERSION}, {digests}, seed {evaluation.seed}"


def notes(evaluation: Evaluation) -> Iterable[str]:
    """The notes that a reader needs to interpret the figures."""
    judged = evaluation.truth["counted"] != "every pair"
    yield (
        "Each method ran in a process of its own with one thread: it learned its statistics from all texts, signed all "
        "of them, and then, at each threshold anew, looked every document up among those before it. Its own index "
        "found the candidates; a method without one compared all pairs."
    )
    yield (
        "Only pairs that were judged count, as copies or as none; only the documents that they name were compared."
        if judged
        else "Every pair counts: one that is reported and is not in the truth is a mistake, unless it was left out."
    )
    yield (
        "Thresholds are those of each method's own score, and mean different things for different methods: compare "
        "methods at their best, or by precision against recall. A method that only says yes or no is a level line."
    )
    for failure in evaluation.failed:
        yield str(failure)


def _comparison(result: Result, point: Point) -> str:
    """The time of one comparison at `point`; `-` where its index does not compare pair by pair."""
    if not point.compared:
        return "-"
    return shown_time(1e6 * result.cost.compare_seconds[result.points.index(point)] / point.compared)
