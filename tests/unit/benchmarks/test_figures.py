"""The tables of benchmarks/README.md are those of the results, and say what is missed."""

from __future__ import annotations

import pytest
from benchmarks import figures
from benchmarks.lib.pages import filled


def test_the_page_has_the_tables_of_the_results():
    page = figures.README.read_text("utf-8")
    assert filled(page, figures.tables()) == page, "run: python -m benchmarks.figures"


def test_what_is_missed_says_so():
    rows = [
        figures.at_most("a", 1.0, "", 1.01, "1.01 times"),
        figures.at_most("b", 1.0, "", 1.0, "1.00 times"),
        figures.at_least("c", 7, "", 6.9, "6.9 times"),
        figures.Figure("d", "", "12 s", None),
    ]
    origin = {"made": "2026-11-23T23:00:00+00:00", "commit": "abc", "machine": {"processor": "model name X"}}
    table = figures.table_of("x", rows, origin)
    lines = [line for line in table.splitlines() if line.startswith(("| a", "| b", "| c", "| d"))]
    assert ["missed" in line for line in lines] == [True, False, True, False]
    assert table.endswith("`results/x.json`: 2026-11-23, commit abc, X.\n")


@pytest.mark.parametrize(("growth", "is_met"), [(1.4, True), (1.6, False)])
def test_growth_is_that_of_the_smallest_size_to_the_others(growth, is_met):
    run = {
        "documents": 1_000_000, "at": {"24000": {"us_median": 50.0}, "1000000": {"us_median": 50 * growth}},
        "resident_mb": {"RssAnon": 490.0}, "reopen": [{"open_seconds": 4.0}, {"open_seconds": 3.0}],
        "reopen_share": 0.03, "ingest_seconds": 100.0, "recall": 1.0, "found": 9, "copies": 9, "miscounted": 0,
    }  # fmt: skip
    first, memory, reopening, recall, sizes = figures.scale({"sketch": run})
    assert first.is_met is is_met
    assert f"{growth:.2f} times" in first.measured
    assert memory.is_met is None  # what is asked for is that of ten million
    assert memory.measured.startswith("490 bytes")
    ten_times = run | {"documents": 10_000_000, "resident_mb": {"RssAnon": 4_900.0 * growth / 1.4}}
    assert figures.scale({"sketch": ten_times})[1].is_met is is_met
    assert reopening.is_met is None
    assert figures.scale({"sketch": ten_times})[2].is_met
    assert not figures.scale({"sketch": ten_times | {"reopen_share": 0.04}})[2].is_met
    assert "1/33" in reopening.measured
    assert recall.is_met
    assert sizes.is_met is None
