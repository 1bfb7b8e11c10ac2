"""The tables of benchmarks/README.md are those of the results, and say what is missed."""

from __future__ import annotations

import pytest
from benchmarks import figures
from benchmarks.lib import figure, quality_figures, speed_figures
from benchmarks.lib.pages import filled


def test_the_page_has_the_tables_of_the_results():
    page = figures.README.read_text("utf-8")
    assert filled(page, figures.tables()) == page, "run: python -m benchmarks.figures"


def test_what_is_missed_says_so():
    rows = [
        figure.at_most("a", 1.0, "", 1.01, "1.01 times"),
        figure.at_most("b", 1.0, "", 1.0, "1.00 times"),
        figure.at_least("c", 7, "", 6.9, "6.9 times"),
        figure.Figure("d", "", "12 s", None),
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
    first, memory, reopening, recall, sizes = speed_figures.scale({"sketch": run})
    assert first.is_met is is_met
    assert f"{growth:.2f} times" in first.measured
    assert memory.is_met is None  # what is asked for is that of ten million
    assert memory.measured.startswith("490 bytes")
    ten_times = run | {"documents": 10_000_000, "resident_mb": {"RssAnon": 4_900.0 * growth / 1.4}}
    assert speed_figures.scale({"sketch": ten_times})[1].is_met is is_met
    assert reopening.is_met is None
    assert speed_figures.scale({"sketch": ten_times})[2].is_met
    assert not speed_figures.scale({"sketch": ten_times | {"reopen_share": 0.04}})[2].is_met
    assert "1/33" in reopening.measured
    assert recall.is_met
    assert sizes.is_met is None


def row_of(threshold, level="sketch", *, missed=0, false=0):
    """A row of exactness.json, of 10,000 pairs."""
    counts = {
        "pairs": 10_000,
        "missed": missed,
        "recall": 1 - missed / 10_000,
        "reported": 10_000,
        "false": false,
    }
    return {"corpus": "a", "lexicon": "default", "threshold": threshold, "level": level, **counts}


@pytest.mark.parametrize(
    ("rows", "is_met"),
    [
        ([row_of("0.7", missed=1), row_of("0.6", missed=10)], True),
        ([row_of("0.7", missed=2)], False),
        ([row_of("0.6", missed=11)], False),
        ([row_of("0.6", "complete", missed=1)], False),
    ],
)
def test_recall_is_demanded_by_level_and_threshold(rows, is_met):
    precision, recall = quality_figures.exactness(rows)
    assert precision.is_met
    assert recall.is_met is is_met
    assert f"{10_000 - rows[0]['missed']:,} of 10,000 at {rows[0]['threshold']}" in recall.measured


def test_the_recall_of_a_corpus_is_that_of_its_worst_lexicon():
    rows = [row_of("0.7"), row_of("0.7", missed=5) | {"lexicon": "own"}]
    _, recall = quality_figures.exactness(rows)
    assert not recall.is_met
    assert recall.measured == "9,995 of 10,000 at 0.7"


def test_one_false_match_is_a_figure_missed():
    assert not quality_figures.exactness([row_of("0.7", false=1)])[0].is_met


def test_kinds_name_the_one_with_the_lowest_recall():
    rows = [row_of("0.7") | {"kind": "forms"}, row_of("0.7", missed=5) | {"kind": "tables"}]
    (found,) = quality_figures.kinds(rows)
    assert not found.is_met
    assert found.measured == "19,995 of 20,000 pairs, 0 false, 1 below, the lowest 0.9995 (tables)"
    assert quality_figures.kinds(rows[:1])[0].is_met


def test_edits_of_which_none_reaches_the_threshold_say_nothing():
    rows = [row_of("0.9"), row_of("0.9") | {"pairs": 0, "recall": None}]
    (found,) = quality_figures.edits(rows)
    assert found.is_met
    assert found.demanded.startswith("1 kinds and rates")
