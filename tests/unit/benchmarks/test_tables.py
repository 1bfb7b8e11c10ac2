"""The tables of docs/experiments/ are those of the figures that were measured, and of nothing else."""

import re

import pytest
from benchmarks.lib import harness
from benchmarks.lib.pages import filled
from benchmarks.papers import experiments, montanari_puglisi_tables

from neardup.evaluation.methods import PRODUCTS
from neardup.evaluation.results import Result

INDEX = experiments.INDEX.read_text("utf-8")


@pytest.mark.parametrize("paper", experiments.PAPERS)
def test_a_page_has_the_tables_of_the_results(paper):
    made = experiments.tables(harness.RESULTS, paper)
    assert made
    page = experiments.page_of(paper).read_text("utf-8")
    assert filled(page, made) == page, "run: python -m benchmarks.papers.experiments --from-results"


def test_there_is_a_page_for_every_paper_and_the_index_links_it():
    pages = [experiments.page_of(paper) for paper in (*experiments.PAPERS, "departures")]
    assert sorted(pages) == sorted((experiments.INDEX.parent / "experiments").glob("*.md"))
    assert all(f"(experiments/{page.name})" in INDEX for page in pages)


def test_results_are_of_full_runs():
    for paper in experiments.PAPERS:
        path = experiments.results_file(harness.RESULTS, paper)
        assert '"tiny": false' in path.read_text("utf-8")
        assert path.stat().st_size < 200_000


def test_experiments_run_the_shortest_first_and_take_as_long_as_they_say():
    papers = ("montanari_puglisi", "fan_huang", "chang_wang", "yoon")  # A, B, C, D
    rows = re.findall(r"^\| ([A-D]) \|.*\| (\d+) \|$", INDEX, re.MULTILINE)
    assert [letter for letter, _ in rows] == list("ABCD")
    minutes = {paper: int(took) for paper, (_, took) in zip(papers, rows, strict=True)}
    assert list(experiments.PAPERS) == sorted(minutes, key=lambda paper: minutes[paper])
    for page in (INDEX, experiments.__doc__ or ""):
        [total] = re.findall(r"about (\d+) minutes", page, re.IGNORECASE)
        assert abs(int(total) - sum(minutes.values())) < 5


def test_the_summary_tells_who_is_ahead_of_doc_q():
    """Of doc_q's other sizes and of all other methods the lowest and the highest F1 that is above that of q = 4."""
    summary = INDEX.partition("## What was asked and what came out")[2].partition("**B, several")[0]
    evaluations = harness.figures_of(harness.RESULTS / "montanari-puglisi.json")["evaluations"]
    for evaluation in evaluations.values():
        best = {one["method"]: Result.from_dict(one).best.f1 for one in evaluation["methods"]}
        ahead = {name: f1 for name, f1 in best.items() if f1 > best["doc_q(q=4)"] and name not in PRODUCTS}
        sizes = {name: ahead.pop(name) for name in montanari_puglisi_tables.QS if name in ahead}
        for group in (ahead, sizes):
            for f1 in (min(group.values()), max(group.values())) if group else ():
                assert f"{f1:.3f}" in summary


def test_only_what_stands_between_the_marks_is_written():
    page = "before\n<!-- table: a-b -->\nold\n<!-- end -->\nbetween\n<!-- table: c -->\n<!-- end -->\nafter\n"
    made = {"a-b": "| 1 |\n", "c": "| 2 |\n"}
    whole = filled(page, made)
    assert whole == (
        "before\n<!-- table: a-b -->\n\n| 1 |\n\n<!-- end -->\nbetween\n"
        "<!-- table: c -->\n\n| 2 |\n\n<!-- end -->\nafter\n"
    )
    assert filled(whole, made) == whole


@pytest.mark.parametrize("made", [{}, {"a": "", "b": ""}])
def test_a_table_without_a_place_and_a_place_without_a_table_are_refused(made):
    with pytest.raises(ValueError, match="places and tables differ"):
        filled("<!-- table: a -->\n<!-- end -->\n", made)


def test_figures_are_kept_to_six_digits_and_one_line_a_curve(tmp_path):
    args = harness.options(None).parse_args(["--tiny", "--results", str(tmp_path)])
    path = harness.save(args, "x", {3: [0.123456789, 2, "a  }"], "b": {"c": 1e-9 / 3}})
    assert harness.figures_of(path) == {"3": [0.123457, 2, "a  }"], "b": {"c": 3.33333e-10}}
    assert '"b": { "c": 3.33333e-10 }' in path.read_text("utf-8")
