"""The tables of docs/experiments.md are those of the figures that were measured, and of nothing else."""

import pytest
from benchmarks import experiments, harness


def test_the_page_has_the_tables_of_the_results():
    page = experiments.PAGE.read_text("utf-8")
    made = experiments.tables(harness.RESULTS)
    assert {name[0] for name in made} == set(experiments.PARTS)
    assert experiments.filled(page, made) == page, "run: python -m benchmarks.experiments --from-results"


def test_results_are_of_full_runs():
    for letter in experiments.PARTS:
        path = harness.RESULTS / f"experiment-{letter}.json"
        assert '"tiny": false' in path.read_text("utf-8")
        assert path.stat().st_size < 200_000


def test_only_what_stands_between_the_marks_is_written():
    page = "before\n<!-- table: a-b -->\nold\n<!-- end -->\nbetween\n<!-- table: c -->\n<!-- end -->\nafter\n"
    made = {"a-b": "| 1 |\n", "c": "| 2 |\n"}
    filled = experiments.filled(page, made)
    assert filled == (
        "before\n<!-- table: a-b -->\n\n| 1 |\n\n<!-- end -->\nbetween\n"
        "<!-- table: c -->\n\n| 2 |\n\n<!-- end -->\nafter\n"
    )
    assert experiments.filled(filled, made) == filled


@pytest.mark.parametrize("made", [{}, {"a": "", "b": ""}])
def test_a_table_without_a_place_and_a_place_without_a_table_are_refused(made):
    with pytest.raises(ValueError, match="places and tables differ"):
        experiments.filled("<!-- table: a -->\n<!-- end -->\n", made)


def test_figures_are_kept_to_six_digits_and_one_line_a_curve(tmp_path):
    args = harness.options(None).parse_args(["--tiny", "--results", str(tmp_path)])
    path = harness.save(args, "x", {3: [0.123456789, 2, "a  }"], "b": {"c": 1e-9 / 3}})
    assert harness.figures_of(path) == {"3": [0.123457, 2, "a  }"], "b": {"c": 3.33333e-10}}
    assert '"b": { "c": 3.33333e-10 }' in path.read_text("utf-8")
