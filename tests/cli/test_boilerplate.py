"""Menus and footers that recur in a source do not count, wherever its documents are compared."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest

import neardup
from neardup.errors import RecipeMismatch, SettingsError, WindowDamaged
from neardup.kinds import kind_of
from neardup.model.settings import Recipe
from neardup.serving.questions import Questions
from neardup.serving.versions import versions_of
from neardup.window.directory_resign import resign_directory

RNG = random.Random(11)
FOOT = "All rights reserved by the owners of %s. "


def sentence() -> str:
    words = ("".join(RNG.choice("aeilnorst") for _ in range(RNG.randrange(3, 9))) for _ in range(10))
    return " ".join(words).capitalize() + "."


def story(sentences: int = 5) -> str:
    return " ".join(sentence() for _ in range(sentences))


def records() -> list[dict[str, str]]:
    """Twelve stories of each of two sites, of which the second reprints three, and one page of nothing but menus."""
    stories = [story() for _ in range(24)]
    stories[12:15] = stories[:3]
    frames = {site: ("\n".join(sentence() for _ in range(6)), (FOOT % site) + story(4)) for site in "ab"}
    made = [
        {"id": f"{site}{at}", "source": site, "text": f"{frames[site][0]}\n{text}\n{frames[site][1]}"}
        for number, text in enumerate(stories)
        for site, at in [("ab"[number // 12], number % 12)]
    ]
    return [*made, {"id": "menu", "source": "b", "text": "\n".join(frames["b"])}]


RECORDS = records()
COPIES = {"b0": "a0", "b1": "a1", "b2": "a2"}


@pytest.fixture
def site(place) -> Path:
    path = Path(place) / "in.jsonl"
    path.write_text("".join(json.dumps({**each, "time": 0}) + "\n" for each in RECORDS), "utf-8")
    return path


@pytest.fixture
def table(run, site) -> Path:
    assert run("boilerplate", "learn", site, "-o", "table.json").code == 0
    return Path("table.json")


@pytest.fixture
def window(run, site, table) -> Path:
    assert (
        run("ingest", site, "--window", "w", "--boilerplate", table, "--kinds", "--format", "quiet").code == 0
    )
    return Path("w")


def copies(lines) -> dict[str, str]:
    return {each["id"]: each["duplicate_of"] for each in lines if each["duplicate_of"]}


def test_the_table_says_what_recurs_and_where(run, table):
    shown = run("boilerplate", "show", table, "--source", "a", "--format", "jsonl").lines
    assert all((each["source"], each["documents"], each["of"]) == ("a", 12, 12) for each in shown)
    assert "All rights reserved by the owners of a." in {each["text"] for each in shown}
    columns, first, *_ = run("boilerplate", "show", table, "--source", "b").out.splitlines()
    assert (columns.split(), first.split()[:3]) == (["source", "documents", "of", "text"], ["b", "13", "13"])
    assert "All rights reserved by the owners of b." in run("boilerplate", "show", table).out
    missing = run("boilerplate", "show", table, "--source", "c")
    assert (missing.code, missing.out) == (2, "")
    assert "the table has no source 'c': it has a, b" in " ".join(missing.err.replace("│", " ").split())
    again = run("boilerplate", "learn", "in.jsonl", "-o", table)
    assert (again.code, "--force" in again.err) == (2, True)
    unnamed = json.loads(table.read_text("utf-8"))
    unnamed["sources"] = {"": unnamed["sources"]["a"]}
    table.write_text(json.dumps(unnamed), "utf-8")
    missing = " ".join(run("boilerplate", "show", table, "--source", "c").err.replace("│", " ").split())
    assert "the table has no source 'c': it has one without a name (--source '')" in missing
    assert run("boilerplate", "show", table, "--source", "", "--format", "jsonl").lines[0]["source"] == ""


def test_what_was_added_in_vain_is_told(run, table):
    """A line of two sentences is cut into these, so that no text has it as a piece."""
    told = "more than one sentence, and has no effect"
    shown = run("boilerplate", "show", table)
    assert (shown.code, told in shown.err) == (0, False)
    known = json.loads(table.read_text("utf-8"))
    line = "Printed on paper of the harbour mill. Sold in every port of the coast."
    known["sources"]["a"]["pieces"] |= {line: 12, "No. 7. Printed on paper of the harbour mill.": 12}
    table.write_text(json.dumps(known), "utf-8")
    Path("text.txt").write_text(f"{RECORDS[1]['text']}\n{line}", "utf-8")
    words = ("show", "--file", "text.txt", "--boilerplate", table, "--source", "a")
    assert line[:20] not in run(*words, "--format", "jsonl").lines[0]["left_out"]
    for source in ((), ("--source", "a")):
        shown = run("boilerplate", "show", table, *source)
        assert (shown.code, f"1 text is {told}: add each sentence by itself: '{line}'" in shown.err) == (
            0,
            True,
        )
    assert told not in run("boilerplate", "show", table, "--source", "b").err


def test_what_nothing_was_learned_from_is_told(run, site):
    site.write_text(site.read_text("utf-8") + "{\n", "utf-8")
    learned = run("boilerplate", "learn", site, "-o", "table.json")
    assert (learned.code, f"rejected {site}:26" in learned.err) == (1, True)
    assert "do not count" in learned.out


@pytest.mark.parametrize("content", ["", '{"body": "Rain."}\n{\n'])
def test_a_table_stays_where_there_is_no_document_to_learn_from(run, table, content):
    before = table.read_bytes()
    Path("bad.jsonl").write_text(content)
    learned = run("boilerplate", "learn", "bad.jsonl", "-o", table, "--force")
    assert (learned.code, "no document to learn from" in learned.err) == (2, True)
    assert ("rejected bad.jsonl:2" in learned.err) == bool(content)
    assert table.read_bytes() == before


def test_dedup_finds_reprints_among_other_menus(run, site, table):
    whole = run("dedup", site)
    assert len(whole.lines) < len(RECORDS) - 10  # by their menus alone
    for options in (
        ["--strip-boilerplate"],
        ["--boilerplate", table],
        ["--strip-boilerplate", "--keep", "longest"],
    ):
        done = run("dedup", site, "--removed", "gone.jsonl", "--force", *options)
        gone = [json.loads(line) for line in Path("gone.jsonl").read_text("utf-8").splitlines()]
        assert len(done.lines) == len(RECORDS) - 3
        assert all(each in [{**record, "time": 0} for record in RECORDS] for each in done.lines)
        pairs = {frozenset((each["neardup"]["id"], each["neardup"]["duplicate_of"])) for each in gone}
        assert pairs == {frozenset(pair) for pair in COPIES.items()}


def test_the_summary_of_dedup_tells_kinds_by_what_counts(run, table):
    by_id = {each["id"]: each for each in RECORDS}
    *menu, text, foot = by_id["b0"]["text"].split("\n")
    edited = "\n".join([*menu, f"{text} This is the late edition.", foot])
    reprints = [by_id["a0"], {**by_id["b0"], "text": edited}]
    assert kind_of(*(each["text"] for each in reprints)).name != "copy"
    Path("reprints.jsonl").write_text("".join(json.dumps(each) + "\n" for each in reprints), "utf-8")
    told = run("dedup", "reprints.jsonl", "--boilerplate", table).err
    assert "1 removed (0 exact, 1 near)" in told
    assert "no plain copy" not in told


def test_ingest_keeps_the_table_with_the_window(run, site, window, table):
    table.unlink()
    verdicts = run("ingest", site, "--window", window).lines
    assert copies(verdicts) == COPIES
    assert {each["kind"] for each in verdicts if each["duplicate_of"]} == {"copy"}
    learned = run("ingest", site, "--window", "learned", "--strip-boilerplate")
    assert copies(learned.lines) == COPIES
    again = run("ingest", site, "--window", "learned", "--strip-boilerplate")
    assert ([*map(copies, [again.lines])], "keeps its own table" in again.err) == ([COPIES], True)


def test_sketches_reach_a_low_threshold_with_what_was_learned_too(run, site):
    assert run("ingest", site, "--window", "low", "-t", "0.5", "--strip-boilerplate").code == 0
    assert run("ingest", site, "--window", "own", "-t", "0.5", "--strip-boilerplate", "--fold-case").code == 0
    recipes = [
        run("stats", "--window", name, "--format", "jsonl").lines[0]["recipe"] for name in ("low", "own")
    ]
    assert all("sketch-32-0.5" in recipe for recipe in recipes)


def test_every_question_is_answered_by_what_counts(run, site, window):
    verdict = run("query", "--window", window, "--id", "b1").lines[0]
    assert [(match["id"], match["score"]) for match in verdict["matches"]] == [("a1", 1.0)]
    Path("text.txt").write_text(RECORDS[1]["text"], "utf-8")
    asked = run("query", "--window", window, "--file", "text.txt").lines[0]
    assert {match["id"] for match in asked["matches"]} == {"a1", "b1"}
    checked = run("check", site, "--against", window).lines
    assert {each["id"]: each["matches_total"] for each in checked}["a1"] == 2
    assert run("check", site, "--against", site, "--strip-boilerplate").lines[1]["matches_total"] == 2
    explained = run("explain", "a1", "b1", "--window", window)
    assert "doc_q 1.000" in explained.out
    assert "pieces of boilerplate left out" in explained.out


def test_what_is_in_no_window_is_explained_as_it_is_asked_about(run, site, window, table):
    Path("text.txt").write_text(RECORDS[1]["text"], "utf-8")
    asked = run("query", "--window", window, "--file", "text.txt").lines[0]
    assert {match["id"]: match["score"] for match in asked["matches"]}["b1"] == 1.0
    for other in (["text.txt"], ["in.jsonl:2"], ["--text", RECORDS[1]["text"]]):
        explained = run("explain", "b1", *other, "--window", window).out
        assert ("doc_q 1.000" in explained, explained.count("of boilerplate left out")) == (True, 2)
    Path("neardup.toml").write_text(f'[recipe]\nboilerplate = "{table}"\n', "utf-8")
    for file in ("in.jsonl:2", "text.txt"):
        assert "doc_q 1.000" in run("explain", "in.jsonl:14", file).out


def test_reprints_among_other_menus_are_one_text_of_a_group(run, window):
    groups = run("groups", "--window", window, "--details").lines
    assert [(each["head"], each["kind"], each["origins"]) for each in groups] == [
        (head, "copies", 1) for head in COPIES.values()
    ]
    assert all(version["of_first"] == 1.0 for each in groups for version in each["versions"])
    run("report", "--window", window, "--output", "r.html")
    assert "Only white space differs." not in Path("r.html").read_text("utf-8")
    with neardup.open(window, readonly=True) as opened:
        questions = Questions(opened, "w")
        versions = versions_of(questions, questions.group("a0"))
    assert versions.head is not None
    assert (versions.others, [copy.id for copy in versions.head.copies]) == ((), ["a0", "b0"])


def test_the_page_of_a_text_misses_no_menus(window):
    """Of the matches, which are shown without theirs."""
    pages = pytest.importorskip("neardup.serving.pages", reason="neardup serve is not installed")
    with neardup.open(window, readonly=True) as opened:
        page = pages.Pages(Questions(opened, "w"), None).check(RECORDS[0]["text"], None, lambda _: None)
    assert (page.body.count(b"<article"), b"<del>" in page.body) == (2, False)


def test_what_was_left_out_is_shown(run, window, table):
    (document,) = run("get", "a1", "--window", window, "--format", "jsonl").lines
    assert document["text"] == RECORDS[1]["text"]
    assert "All rights reserved by the owners of a." in document["left_out"]
    assert "[-All rights reserved by the owners of a.-]" in run("get", "a1", "--window", window).out
    assert "so all of it counts" in run("get", "menu", "--window", window).out
    Path("text.txt").write_text(RECORDS[1]["text"], "utf-8")
    shown = run(
        "show", "--file", "text.txt", "--boilerplate", table, "--source", "a", "--format", "jsonl"
    ).lines[0]
    assert shown["left_out"] == document["left_out"]
    assert ":strip-" in shown["recipe"]
    assert run("report", "--window", window, "-o", "report.html").code == 0
    assert "All rights reserved by the owners of b." in Path("report.html").read_text("utf-8")


def test_the_oracle_signs_as_the_window_does(run, window, table):
    Path("text.txt").write_text(RECORDS[1]["text"], "utf-8")
    words = ("show", "--file", "text.txt", "--boilerplate", table, "--format", "jsonl")
    with neardup.open(window, readonly=True) as target:
        assert run(*words, "--source", "a").lines[0]["recipe"] == target.recipe


def test_a_file_as_standard_input_is_read_twice(run, command, site):
    named = run("dedup", site, "--strip-boilerplate")
    with site.open("rb") as file:
        words = [*command, "dedup", "-", "--strip-boilerplate"]
        done = subprocess.run(words, stdin=file, capture_output=True, check=True)
    assert (done.stdout.decode(), bool(named.lines)) == (named.out, True)


def test_what_cannot_be_is_refused_with_the_way(run, run_process, site, table, window):
    both = run("dedup", site, "--strip-boilerplate", "--boilerplate", table)
    assert (both.code, "not both" in both.err) == (2, True)
    piped = run_process("dedup", "-", "--strip-boilerplate", stdin=site.read_bytes())
    assert (piped.code, "boilerplate learn" in piped.err) == (2, True)
    cluster = run("ingest", site, "--window", "http://localhost:1/w", "--strip-boilerplate")
    assert (cluster.code, "directory" in cluster.err) == (2, True)
    against = run("check", site, "--against", window, "--strip-boilerplate")
    assert (against.code, "own table" in against.err) == (2, True)
    other = run("dedup", site, "--boilerplate", site)
    assert (other.code, "boilerplate learn" in other.err) == (3, True)
    run("ingest", site, "--window", "plain", "--format", "quiet")
    mismatch = run("ingest", site, "--window", "plain", "--boilerplate", table)
    assert (mismatch.code, "--boilerplate" in mismatch.err) == (3, True)


def test_a_window_is_signed_again_with_its_own_table(run, site, window, table):
    assert run("resign", "--window", window, "--reach", "0.5", "--force").code == 0
    assert copies(run("ingest", site, "--window", window).lines) == COPIES
    with pytest.raises(SettingsError, match="ingest the documents anew"):
        resign_directory(window, Recipe(boilerplate=site), {}, dry_run=True)


def test_a_lost_table_is_told_and_put_back_from_its_copy(run, site, window):
    (window / "window.boilerplate").write_text("{}")
    with pytest.raises(WindowDamaged, match=r"window\.boilerplate"):
        neardup.open(window)
    assert run("doctor", "--window", window, "--repair", "--force").code == 0
    assert copies(run("ingest", site, "--window", window).lines) == COPIES
    (window / "window.boilerplate").unlink()
    (window / "window.boilerplate.copy").unlink()
    with pytest.raises(WindowDamaged, match="no such file"):
        neardup.open(window)


def test_windows_with_and_without_are_never_mixed(window):
    with pytest.raises(RecipeMismatch):
        neardup.open(window, recipe=Recipe())
