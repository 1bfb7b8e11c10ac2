"""neardup calibrate: pairs of a window, answers from a file or standard input, and what they say."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from testing.cli.invocation import invoke
from testing.window.backends import grams

import neardup
from neardup.calibration.window_pairs import pairs_of
from neardup.cli import calibrating
from neardup.serving.judged import JudgedPairs

_WORDS = """
amber birch cedar delta ember fjord glade heron inlet juniper kestrel lagoon meadow nectar orchid pebble quartz
raven sorrel thistle umber violet willow xenon yarrow zephyr acorn bramble clover dahlia elder fennel
"""
WORDS = _WORDS.split()


class Done(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def cli():
    """Runs a command with keys at its standard input."""

    def run(*words, input=""):
        done = invoke(*words, input=input)
        return Done(done.exit_code, done.stdout, done.stderr)

    return run


@pytest.fixture
def window(tmp_path):
    """Twelve texts, each with a copy that differs in one to twelve words."""
    documents = []
    for number in range(12):
        text = [WORDS[(3 * number + 5 * at) % len(WORDS)] + str(number) for at in range(40)]
        copy = text.copy()
        copy[: number + 1] = [word[::-1] for word in copy[: number + 1]]
        documents += [(f"a{number}", " ".join(text)), (f"b{number}", " ".join(copy))]
    with neardup.open(tmp_path / "w", threshold=0.6) as target:
        list(target.ingest([{"id": id, "text": text} for id, text in documents]))
    return tmp_path / "w"


def test_answers_of_a_file_give_a_threshold_and_change_no_file(window, tmp_path, cli, monkeypatch):
    truth = tmp_path / "truth.tsv"
    pairs = JudgedPairs(truth)
    for number in range(12):
        pairs.judge(f"a{number}", f"b{number}", "copy" if number < 6 else "form")
    before = truth.read_bytes()
    is_open = os.access
    # The file may lie where nothing can be written.
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK and is_open(path, mode))
    done = cli("calibrate", "--window", str(window), "--answers", str(truth), "--format", "jsonl")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    best = found["best"]
    scores = sorted(found_scores(window))
    assert found["answers"] == {"copy": 6, "form": len(scores) - 6}
    assert scores[-7] < best["threshold"] <= scores[-6]
    assert best["precision"]["value"] == best["recall"]["value"] == 1
    assert found["change"]["then"] == 6
    assert truth.read_bytes() == before


def test_every_answer_of_a_file_counts_or_is_said_not_to(window, tmp_path, cli):
    truth = tmp_path / "truth.tsv"
    pairs = JudgedPairs(truth)
    pairs.judge("a0", "nobody", "copy")
    pairs.judge("who", "a1", "no")
    pairs.judge("a2", "b5", "no")
    for number in range(8):
        pairs.judge(f"a{number}", f"b{number}", "copy")
    done = cli("calibrate", "--window", str(window), "--answers", str(truth), "--format", "jsonl")
    assert json.loads(done.out)["answers"] == {"copy": 8}
    assert "2 judged pairs not counted: the window has no document 'nobody', nor 1 others" in done.err
    assert "1 judged pair not counted, such as 'a2' and 'b5': a pair counts only if" in done.err


@pytest.mark.parametrize(("option", "value"), [("--questions", "2"), ("--judged", "judged.tsv")])
def test_what_is_for_questions_is_refused_beside_a_file_of_answers(window, tmp_path, cli, option, value):
    truth = tmp_path / "truth.tsv"
    JudgedPairs(truth).judge("a0", "b0", "copy")
    done = cli("calibrate", "--window", str(window), "--answers", str(truth), option, value)
    assert done.code == 2
    assert f"--answers asks no questions: leave out {option}" in done.err


def test_all_pairs_of_a_sample_are_not_all_of_the_window(window, tmp_path, cli):
    asked = ["calibrate", "--window", str(window), "--judged", str(tmp_path / "j.tsv")]
    assert (
        "all pairs of the 20 documents drawn are judged"
        in cli(*asked, "--sample", "20", input="c\n" * 24).out
    )
    assert "all pairs of this window are judged" in cli(*asked, input="c\n" * 24).out


def test_a_file_of_answers_that_is_none_is_named_by_its_option(window, tmp_path, cli):
    wrong = tmp_path / "wrong.tsv"
    wrong.write_text("a\tb\n")
    done = cli("calibrate", "--window", str(window), "--answers", str(wrong))
    assert done.code == 2
    assert "setting answers is" in done.err
    assert "its first line is different" in done.err


def test_an_answer_that_is_none_is_shown_with_those_there_are(window, tmp_path, cli):
    wrong = tmp_path / "wrong.tsv"
    wrong.write_text("id1\tid2\tlabel\na\tb\tcopy\na\tc\tother\n")
    done = cli("calibrate", "--window", str(window), "--answers", str(wrong))
    assert done.code == 2
    assert r"line 3 is 'a\tc\tother'" in done.err
    assert "copy, form, quote, no" in done.err


def test_both_texts_are_shown_long_enough_to_be_judged(window, tmp_path, cli):
    done = cli("calibrate", "--window", str(window), "--judged", str(tmp_path / "j.tsv"), input="c\n")
    shown = [line[3:] for line in done.out.splitlines() if line.startswith(("A: ", "B: "))]
    with neardup.open(window, readonly=True) as target:
        texts = {document.text for document in target.read(list(target)) if document}
    assert len(shown) >= 2
    assert set(shown) <= texts


def test_a_pair_with_many_and_long_differences_leaves_its_texts_on_the_terminal(tmp_path, cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = [f"{word}{turn}" for turn in range(30) for word in WORDS]
    copy = [word[::-1] if at % 19 == 0 else word for at, word in enumerate(text)]
    with neardup.open(tmp_path / "w", threshold=0.6) as target:
        list(target.ingest([("a", " ".join(text)), ("b", " ".join([*copy, *text[:60:-13] * 3]))]))
    done = cli("calibrate", "--window", str(tmp_path / "w"), "--judged", str(tmp_path / "j.tsv"), input="c\n")
    assert "more differences: neardup explain" in done.out
    shown = done.out.partition("more differences")[0].splitlines()
    assert sum(1 + len(line) // 80 for line in shown) < 70


def found_scores(window):
    with neardup.open(window, readonly=True) as target:
        return [verdict.score for id in target if (verdict := target.get(id)) and verdict.score]


def test_a_threshold_that_the_window_has_already_is_not_advised(window, tmp_path, cli):
    truth = tmp_path / "truth.tsv"
    pairs = JudgedPairs(truth)
    for number in range(12):
        pairs.judge(f"a{number}", f"b{number}", "copy" if number < 6 else "form")
    asked = ["calibrate", "--window", str(window), "--answers", str(truth)]
    best = json.loads(cli(*asked, "--format", "jsonl").out)["best"]["threshold"]
    with neardup.open(window, threshold=best) as target:
        target.reconcile()
    done = cli(*asked)
    assert done.code == 0, done.err
    assert "to use it" not in done.out
    assert f"the window has the threshold {best:g} already" in done.out


@pytest.mark.parametrize(
    ("options", "is_all"), [([], True), (["--lowest", "0.3"], True), (["--lowest", "0.6"], False)]
)
def test_copies_now_are_those_of_the_window_or_said_to_be_some_of_them(tmp_path, cli, options, is_all):
    """A window that misses none has copies below the reach of sketches."""
    texts = [
        " ".join(WORDS),
        " ".join(WORDS[:14] + [word[::-1] for word in WORDS[14:]]),
        " ".join(WORDS[:25]),
    ]
    path, truth = tmp_path / "low", tmp_path / "truth.tsv"
    with neardup.open(path, threshold=0.3, retrieval="complete") as target:
        scores = [verdict.score or 0 for verdict in target.ingest(list(zip("abc", texts, strict=True)))]
        copies = target.stats().copies
        ids = list(target)
    assert 0.3 < scores[1] < 0.5 < 0.6 < scores[2]
    JudgedPairs(truth).judge(ids[0], ids[2], "copy")
    done = cli("calibrate", "--window", str(path), "--answers", str(truth), *options)
    assert done.code == 0, done.err
    assert (f"of 3 documents, {copies} are copies now" in done.out) is is_all
    assert ("only pairs with a doc_q of 0.6 or more were looked for" in done.out) is not is_all


def test_keys_of_standard_input_are_written_as_serve_writes_them(window, tmp_path, cli):
    judged = tmp_path / "judged.tsv"
    done = cli("calibrate", "--window", str(window), "--judged", str(judged), input="c\nz\nn\ns\nq\n")
    assert done.code == 0, done.err
    assert "'z' is not one of the keys" in done.err
    assert "answers    3 of " in done.out
    assert "forms and quotes: 1" in done.out
    assert f"neardup reconcile --window {window}" in done.out
    lines = judged.read_text().splitlines()
    assert lines[0] == "id1\tid2\tlabel"
    assert sorted(line.split("\t")[2] for line in lines[1:]) == ["copy", "no", "quote"]
    again = cli("calibrate", "--window", str(window), "--judged", str(judged), input="")
    assert "answers    3 of " in again.out, "what was said before counts"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--answers", "none.tsv"], "none.tsv"),
        (["--lowest", "0.999"], "have a doc_q of 0.999 or more, so there is nothing to judge"),
    ],
)
def test_what_cannot_be_asked_is_said(window, cli, options, message):
    done = cli("calibrate", "--window", str(window), *options)
    assert done.code == 2
    assert message in done.err


def test_a_window_without_documents_has_nothing_to_be_judged(tmp_path, cli):
    with neardup.open(tmp_path / "empty"):
        pass
    done = cli("calibrate", "--window", str(tmp_path / "empty"))
    assert (done.code, "no two of 0 documents have a doc_q of 0.6 or more" in done.err) == (2, True)


def test_an_id_that_no_file_of_pairs_can_have_is_left_out_and_said(window, tmp_path, cli):
    judged = tmp_path / "j.tsv"
    with neardup.open(window) as target:
        texts = [document.text for document in target.read(["a0", "a1"]) if document]
        list(target.ingest([{"id": f"tab\t{n}", "text": text} for n, text in enumerate(texts)]))
    done = cli("calibrate", "--window", str(window), "--judged", str(judged), input="c\n" * 100)
    assert done.code == 0, done.err
    assert "2 pairs not asked about, such as 'a0' and 'tab\\t0': an id with a tab or a line end" in done.err
    assert judged.read_text().count("\tcopy\n") == len(found_scores(window)) - 2


def test_documents_that_leave_the_window_meanwhile_are_passed_over(window, tmp_path, monkeypatch, capsys):
    """As those of hours that expire, in a cluster."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("c\n" * 100))
    with neardup.open(window) as target:

        def progress(done, of):
            if done == 1:
                target.delete("b0")

        found = pairs_of(target, "0.6", most=100, on_progress=progress)
        assert (found.sampled, found.documents, "b0" in {pair.id for pair in found.pairs}) == (23, 23, False)
        run = calibrating.Calibration.over(target, None, sample=100, seed=0)
        target.delete("a1")
        run.ask(calibrating.Answers(target, JudgedPairs(tmp_path / "j.tsv"), asks=True), 100)
        run.show("w", "jsonl")
    shown = capsys.readouterr()
    assert json.loads(shown.out.splitlines()[-1])["answers"] == {"copy": len(found.pairs) - 1}
    assert "'a1' has left the window meanwhile: its pair is skipped" in shown.err


def test_the_pair_of_a_document_with_many_later_copies_is_that_with_an_earlier_one():
    texts = {"first": grams(0, 100), "second": grams(10, 110)} | {
        f"copy {n}": grams(10, 110) for n in range(12)
    }
    with neardup.open(None, window_hours=0) as target:
        list(target.ingest({"id": id, "text": text} for id, text in texts.items()))
        pairs = pairs_of(target, 0.6, most=100, on_progress=lambda done, of: None).pairs
    assert pairs[0] == ("second", "first", 0.9)
    assert [pair.score for pair in pairs[1:]] == [1.0] * 12


def test_what_is_kept_and_not_compared_with_a_document_makes_no_pair(tmp_path, cli):
    text = " ".join(WORDS)
    rows = [
        {"id": "a", "text": text, "time": "2026-11-20T00:00:00Z"},
        {"id": "b", "text": text, "time": "2026-11-20T05:00:00Z"},
        {"id": "c", "text": f"{text} again", "time": "2026-11-20T06:00:00Z"},
        {"id": "late", "text": f"{text} later", "time": "2026-11-20T03:00:00Z"},
    ]
    with neardup.open(tmp_path / "w", window_hours=2, keep_hours=0) as target:
        verdicts = list(target.ingest(rows))
        pairs = pairs_of(target, "0.6", most=9, on_progress=lambda done, of: None).pairs
    assert [(pair.id, pair.earlier) for pair in pairs] == [("c", "b"), ("late", "b")]
    assert [(one.id, one.duplicate_of) for one in verdicts if one.duplicate_of] == [
        ("c", "b"), ("late", "b"),
    ]  # fmt: skip
    done = cli("calibrate", "--window", str(tmp_path / "w"), "--judged", str(tmp_path / "j"), input="c\nn\n")
    assert "of 4 documents, 2 are copies now" in done.out


def test_a_key_is_read_from_a_terminal_by_what_neardup_depends_on(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setitem(sys.modules, "click", None)  # newer versions of typer do not bring it
    monkeypatch.setattr("typer.getchar", lambda: "C")
    assert calibrating._read_key() == "c"


def test_a_key_that_is_none_is_asked_for_again_and_the_end_of_input_is_the_end(
    window, tmp_path, monkeypatch, capsys
):
    """Enter after a letter, or an arrow, ended everything."""

    def pressed():
        if key := next(keys, None):
            return key
        raise EOFError  # as of Ctrl-D

    keys = iter(["c", "\r", "\x1b[A", "n"])
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("typer.getchar", pressed)
    with neardup.open(window, readonly=True) as target:
        answers = calibrating.Answers(target, JudgedPairs(tmp_path / "j.tsv"), asks=True)
        pairs = pairs_of(target, 0.6, most=9, on_progress=lambda done, of: None).pairs
        assert [answers.of(pair, 1, 3) for pair in pairs[:3]] == ["c", "n", "x"]
    said = capsys.readouterr().err
    assert "'\\r' is not one of the keys c, f, q, n, s, x" in said
    assert "\x1b[A" not in said


def test_nobody_said_anything(window, tmp_path, cli):
    no_answers = tmp_path / "none.tsv"
    no_answers.write_text("id1\tid2\tlabel\n")
    for words in (["--judged", str(tmp_path / "j.tsv")], ["--answers", str(no_answers)]):
        done = cli("calibrate", "--window", str(window), *words, input="x\n")
        assert done.code == 2
        assert re.search(
            r"neardup: no answer is about a pair that was found \(\d+ pairs\): answer by a key \(c, f, q, n\), or in "
            r"the file of --answers\n$",
            done.err,
        )
