"""What `make torture` reports of its rounds: a violation is never lost, and can be repeated."""

from __future__ import annotations

import math
import re
from argparse import Namespace
from pathlib import Path
from unittest import mock

import pytest
from testing.torture.__main__ import _beside, main
from testing.torture.kinds import Kind, Outcome
from testing.torture.page import PAGE, write_tables
from testing.torture.registry import ALL
from testing.torture.rounds import Result, run_round, run_rounds


def kind(run, name="a-kind"):
    return Kind(name, "directory", "Nothing is done.", run)


def draws(round):
    (round.place / "file").write_text("left")
    outcome = Outcome()
    outcome.count(f"{round.random.random()}")
    return outcome


def violates(round):
    outcome = draws(round)
    outcome.expect(False, "what must not be")
    return outcome


def raises(round):
    raise ValueError(round.place.name)


def hangs(_):
    while True:
        pass


def test_a_round_is_the_same_again_and_leaves_nothing(tmp_path):
    results = [run_round(kind(draws), 1, number, tmp_path, None) for number in (1, 2, 1)]
    assert results[0].counts == results[2].counts != results[1].counts
    assert not list(tmp_path.iterdir())
    assert Result.of_json(results[0].to_json()) == results[0]


@pytest.mark.parametrize(
    ("run", "told"), [(violates, "what must not be"), (raises, "ValueError"), (hangs, "not done after 1")]
)
def test_a_violation_is_told_with_its_folder_and_how_to_repeat_it(tmp_path, run, told):
    with mock.patch("testing.torture.rounds.LONGEST", 1):
        result = run_round(kind(run), 7, 3, tmp_path, None)
    assert told in result.violations[0]
    assert result.place
    assert Path(result.place).is_dir()
    assert result.repeat.endswith("--engine directory --kinds a-kind --seed 7 --first 3 --rounds 1")


def test_all_kinds_are_tried_in_turn_until_the_time_is_over(tmp_path):
    kinds = [kind(draws, "one"), kind(draws, "two")]
    done = [each.kind for each in run_rounds(kinds, range(1, 3), 1, tmp_path, None, math.inf)]
    assert done == ["one", "two", "one", "two"]
    assert not list(run_rounds(kinds, range(1, 3), 1, tmp_path, None, -math.inf))


def test_the_command_ends_with_what_it_found(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    out = tmp_path / "results.jsonl"
    kinds = (kind(draws, "good"), kind(violates, "bad"))
    for names, code in (("good", 0), ("bad,good", 1)):
        with mock.patch("testing.torture.__main__.ALL", kinds):
            arguments = ["--engine", "directory", "--rounds", "2", "--kinds", names, "--out", str(out)]
            assert main(arguments) == code
    told = capsys.readouterr()
    assert "4 rounds, 2 with violations" in told.out
    assert told.err.count("repeat it: python -m testing.torture --engine directory --kinds bad") == 2
    assert [Result.of_json(line).kind for line in out.read_bytes().splitlines()] == ["good", "bad"] * 2
    for place in re.findall(r"its folder: (\S+)", told.err):
        assert (Path(place) / "file").exists()
    assert main(["--results", str(out)]) == 1


def test_one_engine_is_tried_by_a_process_beside_the_other():
    clocks = [kind for kind in ALL if kind.name == "clocks"]
    with _beside(clocks, Namespace(rounds=2, minutes=1, seed=1, first=3)) as results:
        assert [(each.kind, each.number, each.violations) for each in results] == [
            ("clocks", 3, []),
            ("clocks", 4, []),
        ]


def test_an_unknown_kind_is_refused():
    with pytest.raises(SystemExit, match="no kind unheard-of; there are "):
        main(["--engine", "directory", "--kinds", "unheard-of"])


def test_the_tables_say_how_often_each_kind_was_tried(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE.read_text("utf-8"), "utf-8")
    results = [Result("bit", "directory", 1, n, 0.1, {}, [], None) for n in range(12)]
    write_tables([*results, results[0]._replace(violations=["seen"])], page)
    assert "| `bit` | One bit of a file is another. | 13 | 1 |" in page.read_text("utf-8")
