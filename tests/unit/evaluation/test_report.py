"""The report: everything in one file, every figure where it belongs, readable by machines and people."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from neardup.evaluation.charts import Mark, Series, chart, legend, log_axis, share_axis, threshold_axis
from neardup.evaluation.errors import MethodFailed
from neardup.evaluation.page import to_html
from neardup.evaluation.report import NAMES, to_json, to_markdown, write_reports
from neardup.evaluation.report_tables import COLUMNS
from neardup.evaluation.results import Cost, Point, Result
from neardup.evaluation.run import Evaluation

VOID = {"meta"}


def result(name: str, points: list[Point], **changes) -> Result:
    cost = Cost(0.1, 0.2, 100, tuple(0.1 * at for at in range(1, len(points) + 1)), 9_000_000, 4_000_000)
    return Result(name, name, f"{name} 2012, <section> 3", tuple(points), 12_300, replace(cost, **changes))


GRADED = result(
    "doc_q(q=4)",
    [Point(0.5, 133, 110, 111, 500), Point(0.7, 101, 101, 111, 500), Point(0.9, 0, 0, 111, 500)],
)
DECIDES = result("A <b>&\"'|", [Point(1.0, 64, 64, 111, None)], peak_bytes=None)


@pytest.fixture
def evaluation() -> Evaluation:
    corpus = {"documents": 744, "characters": 3_000_000, "digest": "c" * 16}
    truth = {
        "copies": 111, "others": 3, "uncounted": 2, "counted": "every pair", "labels": {"dup": 111}, "digest": "t" * 16,
        "columns": "id1, id2",
    }  # fmt: skip
    return Evaluation(corpus, truth, 7, [GRADED, DECIDES], [MethodFailed("SCAM", "out of <memory>")])


def test_a_first_line_taken_for_names_of_columns_is_in_the_report(evaluation):
    words = "first line taken for names of columns: id1, id2"
    assert words in to_markdown(evaluation)
    assert words in to_html(evaluation)
    evaluation.truth["columns"] = None
    assert "first line" not in to_markdown(evaluation) + to_html(evaluation)


class Checker(HTMLParser):
    """Collects tags, attributes and text, and that every element is closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.texts.append(data)


def checked(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    return checker


def test_the_page_asks_for_nothing_from_elsewhere(evaluation):
    html = to_html(evaluation)
    names = {name for _, name, _ in checked(html).attributes}
    assert names.isdisjoint({"src", "href", "srcset", "data", "action", "poster"})
    assert re.search(r"https?:|//\w|@import|url\(|fetch\(|XMLHttp|import\(", html) is None


def test_the_page_has_three_charts_that_can_be_read_without_a_mouse(evaluation):
    page = checked(to_html(evaluation))
    charts = [value for tag, name, value in page.attributes if (tag, name) == ("svg", "aria-label")]
    assert charts == ["F1 against threshold", "Precision against recall", "Quality against time"]
    assert page.attributes.count(("svg", "tabindex", "0")) == 3
    text = " ".join(page.texts)
    for label in ("F1", "threshold of the method's own score", "processor time a document", "best F1"):
        assert label in text
    assert "precision 0.827, recall 0.990, F1 0.901" in text


def test_what_methods_are_called_is_only_text(evaluation):
    page = checked(to_html(evaluation))
    assert ("b",) not in {(tag,) for tag, _, _ in page.attributes}
    assert "A <b>&\"'|" in page.texts
    assert "method SCAM failed: out of <memory>" in page.texts


def test_the_page_serves_light_and_dark(evaluation):
    html = to_html(evaluation)
    assert "prefers-color-scheme: dark" in html
    light, dark = (set(re.findall(r"--[a-z0-9]+(?=:)", part)) for part in html.split("@media (prefers", 1))
    assert {f"--s{number}" for number in range(10)} <= light & dark


def test_a_method_without_thresholds_is_a_level_line(evaluation):
    html = to_html(evaluation)
    assert html.count('class="level"') == 1
    assert len(re.findall("<polyline", html)) == 2  # the graded method, in two charts


def test_every_point_is_in_the_charts_once(evaluation):
    html = to_html(evaluation)
    first, second, third = (part.split("</svg>")[0] for part in html.split('role="group"')[1:])
    # the point at 0.9 reports nothing: it has an F1 and no precision
    assert [part.count("<circle") for part in (first, second, third)] == [4, 3, 2]


def test_the_tables_say_what_was_measured(evaluation):
    rows = [line.split(" | ") for line in to_markdown(evaluation).splitlines() if line.startswith("| doc_q")]
    assert rows[0] == [
        "| doc_q(q=4)", "0.952", "0.7", "1.000", "0.909", "4 ms", "400 µs", "123 B", "5 MB |",
    ]  # fmt: skip
    assert [row[1] for row in rows[1:]] == ["0.5", "0.7", "0.9"]
    assert rows[3][4:7] == ["-", "0.000", "0.000"]
    assert len(rows[0]) == len(COLUMNS)


def test_markdown_keeps_its_columns_whatever_a_method_is_called(evaluation):
    (row,) = [
        line
        for line in to_markdown(evaluation).splitlines()
        if line.startswith("| A <b>") and "0.731" in line
    ][:1]
    assert "A <b>&\"'\\| |" in row
    assert len(re.findall(r"(?<!\\)\|", row)) == len(COLUMNS) + 1


def test_the_json_has_all_of_it(evaluation):
    written = json.loads(to_json(evaluation))
    assert written.keys() == {"neardup", "seed", "corpus", "truth", "methods", "failed"}
    assert [Result.from_dict(one) for one in written["methods"]] == evaluation.results
    assert written["methods"][0]["points"][0] == {
        "threshold": 0.5, "reported": 133, "correct": 110, "copies": 111, "compared": 500,
        "precision": 0.827068, "recall": 0.990991, "f1": 0.901639,
    }  # fmt: skip


def test_costs_are_all_that_differs_between_two_measurements(evaluation):
    again = replace(
        evaluation, results=[replace(GRADED, cost=replace(GRADED.cost, sign_seconds=9.0)), DECIDES]
    )
    first, second = (json.loads(to_json(one)) for one in (evaluation, again))
    assert first != second
    for one in (*first["methods"], *second["methods"]):
        del one["cost"]
    assert first == second


def test_an_evaluation_in_which_all_failed_is_a_report_too(evaluation):
    nothing = replace(evaluation, results=[])
    assert "method SCAM failed" in to_markdown(nothing)
    checked(to_html(nothing))


def test_the_files_are_written(evaluation, tmp_path):
    paths = write_reports(evaluation, tmp_path / "deep" / "out")
    assert [path.name for path in paths] == list(NAMES)
    assert all(path.stat().st_size > 500 for path in paths)


def test_axes_leave_out_what_no_value_needs():
    assert share_axis("F1", [0.95, 0.97]).ticks == (0.94, 0.96, 0.98, 1.0)
    assert share_axis("F1", [0.0, 0.9]).ticks == (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    assert share_axis("F1", []).high == 1.0
    assert threshold_axis("t", [0.5, 0.9]).ticks == (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
    assert threshold_axis("t", []).ticks[-1] == 1.0
    assert threshold_axis("t", [0.7]).low < 0.7 < threshold_axis("t", [0.7]).high
    assert log_axis("us", [3, 4_000], str).ticks == (1, 10, 100, 1_000, 10_000)


def test_names_beside_points_do_not_cover_each_other():
    series = [
        Series(f"method number {number}", number, (Mark(100.0, 0.9 + number / 1e4, "here"),))
        for number in range(20)
    ]
    svg = chart("t", series, log_axis("us", [100], str), share_axis("F1", [0.5]), joined=False)
    heights = sorted(
        float(at) for at in re.findall(r'class="name s\d" data-series="\d+" x="[\d.]+" y="([\d.]+)"', svg)
    )
    assert len(heights) == 20
    assert min(later - earlier for earlier, later in pairwise(heights)) >= 14.9


def test_more_methods_than_colours_differ_in_their_dashes():
    series = [Series(f"m{number}", number, (Mark(0.5, 0.5, ""), Mark(0.6, 0.6, ""))) for number in range(25)]
    keys = re.findall(r'<svg class="key (s\d)".*?/>', legend(series))
    dashes = re.findall(r"<line [^>]*?/>", legend(series))
    assert len(set(zip(keys, dashes, strict=True))) == 25
