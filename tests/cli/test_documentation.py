"""Every command is documented, has an example that would run, and docs/cli.md is what --help says."""

from __future__ import annotations

import inspect
import json
import re
import shlex
from pathlib import Path

import pytest

import make_cli_reference as reference
from neardup.cli import command_line, exit_codes
from neardup.model.counted import cut

ROOT = Path(__file__).parents[2]

COMMANDS = dict(reference.commands("neardup", command_line()))
WANTED = {
    "check", "dedup", "ingest", "watch", "query", "get", "export", "explain", "groups", "report", "delete", "expire",
    "reconcile",
    "lexicon build", "lexicon show", "show", "stats", "evaluate", "setup", "remove", "rollover", "doctor", "version",
    "resign", "serve", "mcp", "calibrate", "boilerplate learn", "boilerplate show",
}  # fmt: skip


def examples(text: str) -> list[str]:
    return [line.strip() for line in inspect.cleandoc(text).splitlines() if line.startswith("    ")]


def test_these_are_the_commands():
    assert set(COMMANDS) == {"neardup"} | {f"neardup {name}" for name in WANTED}


def test_the_reference_is_not_stale():
    assert reference.TARGET.read_text("utf-8") == reference.reference(), "run `make docs`"


@pytest.mark.parametrize("name", ["neardup delete", "neardup get", "neardup ingest", "neardup dedup"])
def test_the_reference_says_of_what_several_may_be_given(name):
    assert next(reference._rows(COMMANDS[name])).split()[1].endswith("`...")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented_with_an_example(name):
    text = COMMANDS[name].__doc__ or ""
    assert f"## {name}\n" in reference.TARGET.read_text("utf-8")
    assert any(line.startswith(name) or f"| {name}" in line for line in examples(text))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_help_text(name):
    helps = [re.split(r" (?<!\\)\| ", row)[1] for row in reference._rows(COMMANDS[name])]
    assert all(text not in ("", "None") for text in helps)


@pytest.mark.parametrize(
    "example", sorted({line for function in COMMANDS.values() for line in examples(function.__doc__ or "")})
)
def test_every_option_of_an_example_exists(example):
    words = shlex.split(example.rsplit("| ", 1)[-1])
    name = next(name for name in sorted(COMMANDS, key=len, reverse=True) if " ".join(words).startswith(name))
    known = " ".join(reference._rows(COMMANDS[name]))
    assert all(f"`{word}`" in known for word in words if word.startswith("--"))


@pytest.mark.parametrize("name", sorted(WANTED))
def test_help_is_there_and_quick_to_read(run, name):
    done = run(*name.split(), "--help")
    assert done.code == 0
    assert (COMMANDS[f"neardup {name}"].__doc__ or "").split(".")[0].split("\n")[0][:30] in done.out


def test_no_command_at_all_shows_the_help(run):
    done = run()
    assert "ingest" in done.out + done.err


README = (ROOT / "README.md").read_text("utf-8")


def test_commands_of_the_readme_exist():
    assert len(check_commands(README)) > 3


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_commands_of_every_page_exist(page):
    if page != reference.TARGET:
        check_commands(page.read_text("utf-8"))


def check_commands(page: str) -> list[str]:
    """The lines of `page` that are commands; each is one, and has the options that it is given."""
    lines = re.findall(r"^(?:\$ |    |[^|\n]+\| )(neardup .*)$", page, re.MULTILINE)
    for line in lines:
        name = next(name for name in sorted(COMMANDS, key=len, reverse=True) if line.startswith(name))
        assert name != "neardup", line
        known = " ".join(reference._rows(COMMANDS[name]))
        for word in re.findall(r"--[a-z-]+", line.split(" #")[0]):
            assert f"`{word}`" in known, line
    return lines


def test_what_the_readme_shows_is_what_comes_out(run):
    sample = ROOT / "examples" / "stream.jsonl"
    words = ("--window", "w", "--output", "verdicts.jsonl", "--rejects", "rejects.jsonl", "--format", "table")
    table = run("ingest", sample, *words).out
    shown = re.findall(r"^(?:time \(UTC\)  |2026-11-19 ).*$", README, re.MULTILINE)
    assert len(shown) == 4
    assert set(shown) <= {line.rstrip() for line in table.splitlines()}
    verdict = re.search(r'^{"id":"wire-0020".*?\n.*?\n', README, re.MULTILINE)
    assert verdict
    assert verdict[0].replace("\n", "").replace(" ", "") in Path("verdicts.jsonl").read_text()
    query = run("query", "--window", "w", "--id", "wire-0301", "--format", "table").out
    assert "\n".join(line.rstrip() for line in query.splitlines()) in README
    groups = run("groups", "--window", "w", "--sort", "size", "--limit", "2", "--format", "table").out
    assert "\n".join(line.rstrip() for line in groups.splitlines()) in README


def test_the_readme_tells_what_reading_a_file_again_does(run):
    sample = ROOT / "examples" / "stream.jsonl"
    words = ("--window", "w", "--format", "jsonl", "--window-hours", "24")
    first = {verdict["id"]: verdict for verdict in run("ingest", sample, *words).lines}
    before = run("stats", "--window", "w").out, run("groups", "--window", "w").out
    second = {verdict["id"]: verdict for verdict in run("ingest", sample, *words).lines}
    assert (run("stats", "--window", "w").out, run("groups", "--window", "w").out) == before
    changed = [verdict for id, verdict in second.items() if verdict != first[id]]
    assert 0 < len(changed) < len(second)
    assert all(verdict["truncated"] and verdict["time"] < "2026-11-19T23" for verdict in changed)
    assert {id for id, verdict in second.items() if verdict["truncated"]} == {one["id"] for one in changed}
    assert "is compared again, with what is left" in " ".join(README.split())


def test_every_exit_code_is_in_the_readme():
    table = README.partition("| exit code | |")[2].partition("\n\n")[0]
    told = {int(code) for row in table.splitlines()[2:] for code in row.split("|")[1].split(",")}
    assert told == {
        exit_codes.DONE, exit_codes.REJECTED, exit_codes.USAGE, exit_codes.UNUSABLE,
        exit_codes.INTERRUPTED, exit_codes.TERMINATED, exit_codes.HUNG_UP, exit_codes.BROKEN_PIPE,
    }  # fmt: skip


def test_the_partial_copies_of_the_readme_are_found_in_its_order(run):
    """All commands of the first section and of the one on partial copies, on what the ones before left behind."""
    Path("examples").symlink_to(ROOT / "examples")
    first, partial = (
        re.search(rf"^## {title}\n(.*?)(?=^## )", README, re.DOTALL | re.MULTILINE)
        for title in ("Thirty seconds", "Partial copies")
    )
    assert first
    assert partial
    lines = [
        shlex.split(line.split("#")[0])[1:]
        for section in (first[1], partial[1])
        for line in re.findall(r"^\$ (neardup .*)$", section, re.MULTILINE)
    ]
    done = [run(*line) for line in lines]
    assert {one.code for one in done} == {0, 1}  # the sample has two lines that are no documents
    shown = "\n".join(line.rstrip() for line in done[-1].out.splitlines())
    assert shown in README
    table = re.search(r'^"status":"partial", "partial":(\[.*?\])$', README, re.DOTALL | re.MULTILINE)
    assert table
    (verdict,) = (
        found
        for found in map(json.loads, Path("partial.jsonl").read_text("utf-8").splitlines())
        if found["id"] == "wire-0205"
    )
    short = [
        {key: cut(value, 3) if isinstance(value, float) else value for key, value in part.items()}
        for part in verdict["partial"]
    ]
    assert (verdict["status"], short) == ("partial", json.loads(table[1]))


def test_the_python_of_the_readme_runs(place, capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "a unique None None"
    assert f"It prints {' and '.join(f'`{line}`' for line in lines)}." in README


def test_what_the_page_on_reading_shows_is_what_comes_out(run):
    """Every command with its output, to the end or to `...`; the last has none."""
    run("ingest", ROOT / "examples" / "stream.jsonl", "--window", "news.window", "--format", "quiet")
    page = (ROOT / "docs" / "reading.md").read_text("utf-8")
    blocks = re.findall(r"```console\n\$ neardup (.*)\n((?:.+\n|\n)*?)```", page)
    assert len(blocks) >= 4
    for words, shown in blocks:
        if not shown:
            continue
        out = [line.rstrip() for line in run(*shlex.split(words)).out.splitlines()]
        wanted = shown.splitlines()
        head, is_cut, _ = wanted[-1].partition("...")
        assert out[: len(wanted) - 1] == wanted[:-1]
        assert out[len(wanted) - 1].startswith(head)
        assert is_cut or len(out) == len(wanted)
