"""An evaluation as JSON, as Markdown, and as one HTML page that needs nothing from elsewhere."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Final

from neardup.evaluation.charts import (
    MOST_NAMES,
    Mark,
    Series,
    chart,
    key,
    legend,
    log_axis,
    share_axis,
    threshold_axis,
)
from neardup.evaluation.formatting import shown_bytes, shown_rate, shown_time
from neardup.tables.atomic_write import write_whole
from neardup.version import VERSION

if TYPE_CHECKING:
    from neardup.evaluation.results import Point, Result
    from neardup.evaluation.run import Evaluation

NAMES: Final = ("report.json", "report.md", "report.html")
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


def write_reports(evaluation: Evaluation, directory: Path) -> list[Path]:
    """Write report.json, report.md and report.html into `directory`, each whole; their paths, in this order."""
    directory.mkdir(parents=True, exist_ok=True)
    paths = [directory / name for name in NAMES]
    texts = (to_json(evaluation), to_markdown(evaluation), to_html(evaluation))
    for path, text in zip(paths, texts, strict=True):
        write_whole(path, text.encode())
    return paths


def to_json(evaluation: Evaluation) -> str:
    """All of it, for programs. The same inputs give the same text but for the values under `cost`."""
    return json.dumps(evaluation.to_dict(), indent=1, ensure_ascii=False) + "\n"


def to_markdown(evaluation: Evaluation) -> str:
    """The tables with the facts above them."""
    facts = (f"- {name}: {value}{f' ({more})' if more else ''}" for name, value, more in _facts(evaluation))
    failed = [f"- {failure}" for failure in evaluation.failed]
    parts = [
        f"# {TITLE}",
        "\n".join(facts),
        "## Each method at its best",
        _markdown(COLUMNS, (summary_row(result) for result in evaluation.results)),
        ABOUT_COSTS,
        "## Every threshold",
        _markdown(DETAILS, (row for result in evaluation.results for row in _detail_rows(result))),
    ]
    if failed:
        parts += ["## Failed", "\n".join(failed)]
    return "\n\n".join(parts) + "\n"


def to_html(evaluation: Evaluation) -> str:
    """One page with tables and curves: no script, style, font or picture is loaded from anywhere."""
    template = Template((files("neardup.evaluation") / "report.html").read_text("utf-8"))
    return template.substitute(
        version=escape(VERSION),
        title=escape(TITLE),
        subtitle=escape(_subtitle(evaluation)),
        facts="\n".join(_fact(*fact) for fact in _facts(evaluation)),
        about_costs=escape(ABOUT_COSTS),
        summary=_summary(evaluation.results),
        figures="\n".join(_figures(evaluation.results)),
        details=_table(DETAILS, [row for result in evaluation.results for row in _detail_rows(result)]),
        method="\n".join(f"<p>{escape(line)}</p>" for line in _method(evaluation)),
        papers=_table(("method", "as in"), [(one.name, one.paper) for one in evaluation.results], "papers"),
    )


def summary_row(result: Result) -> list[str]:
    """The cells of `COLUMNS` for one method."""
    best = result.best
    documents = max(1, result.cost.signed)
    return [
        result.name,
        f"{best.f1:.3f}",
        f"{best.threshold:g}",
        shown_rate(best.precision),
        f"{best.recall:.3f}",
        shown_time(result.microseconds(best)),
        _comparison(result, best),
        shown_bytes(result.index_bytes / documents),
        "-" if result.cost.own_bytes is None else shown_bytes(result.cost.own_bytes),
    ]


def _detail_rows(result: Result) -> Iterable[list[str]]:
    for point in result.points:
        yield [
            result.name,
            f"{point.threshold:g}",
            f"{point.reported:,}",
            f"{point.correct:,}",
            shown_rate(point.precision),
            f"{point.recall:.3f}",
            f"{point.f1:.3f}",
            "-" if point.compared is None else f"{point.compared:,}",
            shown_time(result.microseconds(point)),
        ]


def _facts(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    """Name, value and what to add in small letters."""
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
    """The fact of the highest F1 and whose it is."""
    if not results:
        return []
    top = max(result.best.f1 for result in results)
    first, *others = [result for result in results if result.best.f1 == top]
    more = f", and {len(others)} more" if others else ""
    return [("highest F1", f"{top:.3f}", f"{first.name} at {first.best.threshold:g}{more}")]


def _subtitle(evaluation: Evaluation) -> str:
    digests = f"corpus {evaluation.corpus['digest']}, truth {evaluation.truth['digest']}"
    return f"neardup {VERSION}, {digests}, seed {evaluation.seed}"


def _method(evaluation: Evaluation) -> Iterable[str]:
    """What a reader must know to believe the figures."""
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


def _figures(results: Sequence[Result]) -> Iterable[str]:
    points = [point for result in results for point in result.points]
    graded = [point.threshold for result in results if not _decides(result) for point in result.points]
    rates = [point.precision for point in points if point.precision is not None]
    by_threshold = [_series(number, result, "threshold") for number, result in enumerate(results)]
    yield _figure(
        "F1 against threshold",
        "How well each method does, and how much depends on choosing its threshold.",
        chart(
            "F1 against threshold",
            by_threshold,
            threshold_axis("threshold of the method's own score", graded),
            share_axis("F1", [point.f1 for point in points]),
        ),
        legend(by_threshold),
    )
    by_recall = [_series(number, result, "recall") for number, result in enumerate(results)]
    yield _figure(
        "Precision against recall",
        "Each line joins the thresholds of one method; up and to the right is better.",
        chart(
            "Precision against recall",
            by_recall,
            share_axis("recall: share of the copies that are found", [point.recall for point in points]),
            share_axis("precision: share of what is found that is right", rates),
        ),
        legend(by_recall),
    )
    times = [result.microseconds(result.best) for result in results]
    short = _short_names(results)
    by_time = [
        replace(_series(number, result, "time"), name=short[number]) for number, result in enumerate(results)
    ]
    yield _figure(
        "Quality against time",
        "Each method at its best threshold; up and to the left is better. The time axis is logarithmic.",
        chart(
            "Quality against time",
            by_time,
            log_axis("processor time a document", times, shown_time),
            share_axis("best F1", [result.best.f1 for result in results]),
            joined=False,
        ),
        legend(by_time) if len(by_time) > MOST_NAMES else "",
    )


def _series(number: int, result: Result, what: str) -> Series:
    """The marks of one method in the chart of F1 against `threshold`, of precision against `recall`, or of `time`."""
    points = [result.best] if what == "time" else list(result.points)
    marks = []
    for point in points:
        title = (
            f"{result.name}\nthreshold {point.threshold:g}\n"
            f"precision {shown_rate(point.precision)}, recall {point.recall:.3f}, F1 {point.f1:.3f}\n"
            f"{point.correct:,} of {point.reported:,} reported are right, of {point.copies:,} copies\n"
            f"{shown_time(result.microseconds(point))} a document"
        )
        if what == "threshold":
            marks.append(Mark(point.threshold, point.f1, title))
        elif what == "time":
            marks.append(Mark(max(result.microseconds(point), 0.1), point.f1, title))
        elif point.precision is not None:
            marks.append(Mark(point.recall, point.precision, title))
    return Series(result.name, number, tuple(marks), level=what == "threshold" and _decides(result))


def _short_names(results: Sequence[Result]) -> list[str]:
    """The names without parameters, where that leaves no doubt."""
    families = [result.name.partition("(")[0] for result in results]
    counts = Counter(families)
    return [
        family if counts[family] == 1 else result.name
        for family, result in zip(families, results, strict=True)
    ]


def _decides(result: Result) -> bool:
    """Whether the method has no threshold."""
    return [point.threshold for point in result.points] == [1.0]


def _figure(title: str, note: str, svg: str, names: str = "") -> str:
    return (
        f'<section>\n<h2>{escape(title)}</h2>\n<p class="note">{escape(note)}</p>\n<div class="wide">\n{svg}\n</div>\n'
        f"{names}</section>"
    )


def _fact(name: str, value: str, more: str) -> str:
    small = f"<small>{escape(more)}</small>" if more else ""
    return f"<div><dt>{escape(name)}</dt><dd>{escape(value)}{small}</dd></div>"


def _summary(results: Sequence[Result]) -> str:
    """The table of the best points, with each method's key to the curves."""
    top = max((result.best.f1 for result in results), default=None)
    rows = []
    for number, result in enumerate(results):
        name, f1, *rest = (escape(cell) for cell in summary_row(result))
        best = ' class="best"' if result.best.f1 == top else ""
        cells = "".join(f"<td>{cell}</td>" for cell in rest)
        rows.append(
            f'<tr data-series="{number}"><th scope="row">{key(number)}{name}</th><td{best}>{f1}</td>{cells}</tr>'
        )
    return _with_head(COLUMNS, rows)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "figures") -> str:
    body = []
    for name, *rest in rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in rest)
        body.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    return _with_head(columns, body, kind)


def _with_head(columns: Sequence[str], rows: Sequence[str], kind: str = "figures") -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "\n".join(rows)
    return f'<table class="{kind}">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>'


def _markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "| --- |" + " ---: |" * (len(columns) - 1)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _comparison(result: Result, point: Point) -> str:
    """The time of one comparison at `point`; `-` where its index does not compare pair by pair."""
    if not point.compared:
        return "-"
    return shown_time(1e6 * result.cost.compare_seconds[result.points.index(point)] / point.compared)
