"""An evaluation as one HTML page with tables and curves, which loads nothing from elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

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
from neardup.evaluation.formatting import shown_rate, shown_time
from neardup.evaluation.report_tables import (
    ABOUT_COSTS,
    COLUMNS,
    DETAILS,
    TITLE,
    detail_rows,
    facts,
    notes,
    subtitle,
    summary_row,
)
from neardup.version import VERSION

if TYPE_CHECKING:
    from neardup.evaluation.results import Result
    from neardup.evaluation.run import Evaluation


def to_html(evaluation: Evaluation) -> str:
    """One page with tables and curves: no script, style, font or picture is loaded from anywhere."""
    template = Template((files("neardup.evaluation") / "page.html").read_text("utf-8"))
    return template.substitute(
        version=escape(VERSION),
        title=escape(TITLE),
        subtitle=escape(subtitle(evaluation)),
        facts="\n".join(_fact(*fact) for fact in facts(evaluation)),
        about_costs=escape(ABOUT_COSTS),
        summary=_summary(evaluation.results),
        figures="\n".join(draw(evaluation.results) for draw in _FIGURES),
        details=_table(DETAILS, [row for result in evaluation.results for row in detail_rows(result)]),
        method="\n".join(f"<p>{escape(line)}</p>" for line in notes(evaluation)),
        papers=_table(("method", "as in"), [(one.name, one.paper) for one in evaluation.results], "papers"),
    )


def _f1_by_threshold(results: Sequence[Result]) -> str:
    graded = [point.threshold for result in results if not _decides(result) for point in result.points]
    series = [_series(number, result, "threshold") for number, result in enumerate(results)]
    x = threshold_axis("threshold of the method's own score", graded)
    y = share_axis("F1", [point.f1 for result in results for point in result.points])
    return _figure(
        "F1 against threshold",
        "How well each method does, and how much depends on choosing its threshold.",
        chart("F1 against threshold", series, x, y),
        legend(series),
    )


def _precision_by_recall(results: Sequence[Result]) -> str:
    points = [point for result in results for point in result.points]
    rates = [point.precision for point in points if point.precision is not None]
    series = [_series(number, result, "recall") for number, result in enumerate(results)]
    x = share_axis("recall: share of the copies that are found", [point.recall for point in points])
    y = share_axis("precision: share of what is found that is right", rates)
    return _figure(
        "Precision against recall",
        "Each line joins the thresholds of one method; up and to the right is better.",
        chart("Precision against recall", series, x, y),
        legend(series),
    )


def _quality_by_time(results: Sequence[Result]) -> str:
    names = _short_names(results)
    series = [
        replace(_series(number, result, "time"), name=name)
        for number, (result, name) in enumerate(zip(results, names, strict=True))
    ]
    times = [result.microseconds(result.best) for result in results]
    x = log_axis("processor time a document", times, shown_time)
    y = share_axis("best F1", [result.best.f1 for result in results])
    return _figure(
        "Quality against time",
        "Each method at its best threshold; up and to the left is better. The time axis is logarithmic.",
        chart("Quality against time", series, x, y, joined=False),
        legend(series) if len(series) > MOST_NAMES else "",
    )


_FIGURES = (_f1_by_threshold, _precision_by_recall, _quality_by_time)


def _series(number: int, result: Result, what: str) -> Series:
    """The marks of one method in the chart of F1 against `threshold`, of precision against `recall`, or of `time`."""
    points = [result.best] if what == "time" else list(result.points)
    marks = []
    for point in points:
        title = (
            f"{result.name}\nthreshold {point.threshold:g}\n"
            f"precision {shown_rate(point.precision)}, recall {shown_rate(point.recall)}, "
            f"F1 {shown_rate(point.f1)}\n"
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
    """The names of methods, without parameters where the family alone is unambiguous."""
    families = [result.name.partition("(")[0] for result in results]
    counts = Counter(families)
    return [
        family if counts[family] == 1 else result.name
        for family, result in zip(families, results, strict=True)
    ]


def _decides(result: Result) -> bool:
    """Whether the method has no threshold, and only decides."""
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
