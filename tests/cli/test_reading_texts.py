"""Stored documents are shown with their texts, times and sources, and nothing in them steers a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neardup.window.engine import WindowEngine

HOSTILE = "Rain \x1b[2J and <script>alert(1)</script> \u202e all day in the north\r"
RECORDS = [
    {
        "id": "a",
        "time": "2026-11-21T06:00:00Z",
        "text": f"{HOSTILE}\nand a second line",
        "source": "Wire\x1b[0m",
    },
    {"id": "b", "time": "2026-11-21T08:30:00Z", "text": f"{HOSTILE}\nand a second line!", "agency": "B"},
]


@pytest.fixture
def window(run):
    Path("stream.jsonl").write_text("".join(json.dumps(record) + "\n" for record in RECORDS), "utf-8")
    assert run("ingest", "stream.jsonl", "--window", "w", "--format", "quiet").code == 0
    return "w"


def test_a_copy_of_a_document_that_has_another_text_now_says_so(run, window):
    assert "since then" not in run("get", "a", "b", "--window", window).out
    Path("other.jsonl").write_text(json.dumps({**RECORDS[0], "text": "Four eggs and a cup of flour."}))
    run("ingest", "other.jsonl", "--window", window, "--format", "quiet")
    lines = run("get", "b", "a", "--window", window).out.splitlines()
    assert lines[0].endswith("exact copy of a, doc_q 1.000")
    assert lines[1] == "(now doc_q 0.020: the text of a, or the recipe, has changed since then)"
    assert sum("since then" in line for line in lines) == 1


def test_a_document_is_shown_with_its_text(run, window):
    done = run("get", "b", "a", "nobody", "--window", window)
    assert done.code == 1
    assert "no document 'nobody'" in done.err
    assert done.out.startswith("b  2026-11-21 08:30 UTC  exact copy of a, doc_q 1.000\n")
    assert "and a second line!\n\na  2026-11-21 06:00 UTC  unique\nsource  Wire\\x1b[0m\n" in done.out
    assert "Rain \\x1b[2J and <script>" in done.out
    assert not {"\x1b", "\u202e", "\r"} & set(done.out)


def test_programs_get_everything(run, window):
    first, second = run("get", "a", "b", "--window", window, "--format", "jsonl").lines
    assert (first["text"], first["is_original"], first["fields"]) == (
        RECORDS[0]["text"],
        True,
        {"source": "Wire\x1b[0m"},
    )
    assert (second["verdict"]["duplicate_of"], second["fields"]) == ("a", {})


@pytest.mark.parametrize("command", ["get a b", "query --id b", "check stream.jsonl --against w"])
@pytest.mark.parametrize("columns", [80, 200])
def test_tables_fit_and_are_harmless(run, window, command, columns, monkeypatch):
    monkeypatch.setattr("neardup.cli.tables.WIDTH", columns)
    words = command.split()
    where = [] if words[0] == "check" else ["--window", window]
    done = run(*words, *where, "--format", "table")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= columns
    assert not {"\x1b", "\u202e", "\r"} & set(done.out)


def test_of_an_id_as_a_table_shows_it_it_is_said_where_the_id_itself_is(run):
    Path("s.jsonl").write_text(json.dumps({"id": "new\nline.txt", "text": "The ferry ran aground."}))
    run("ingest", "s.jsonl", "--window", "w", "--format", "quiet")
    for command in ("get", "delete"):
        told = run(command, "new\\x0aline.txt", "--window", "w").err
        assert "control characters as escapes, such as \\x0a; --format jsonl has the ids themselves" in told
        assert "escapes" not in run(command, "newline.txt", "--window", "w").err
    assert run("get", "new\nline.txt", "--window", "w", "--format", "jsonl").lines[0]["id"] == "new\nline.txt"


def test_a_mail_is_called_by_its_subject_and_a_long_id_leaves_room_for_it(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    head = f"From a@b.c Sat Nov 21 09:00:00 2026\nMessage-ID: <{'i' * 90}>\nSubject: Ferry aground\n\nDear all,\n\n"
    Path("in.mbox").write_text(head + "The ferry ran aground off the western spit at dawn.\n")
    assert run("ingest", "in.mbox", "--window", "m", "--format", "quiet").code == 0
    assert run("ingest", "in.mbox", "--window", "m", "--format", "quiet").code == 0
    (shown,) = run("get", "i" * 90, "--window", "m", "--format", "jsonl").lines
    assert shown["fields"] == {"subject": "Ferry aground"}
    assert "Ferry aground" in run("get", "i" * 90, "--window", "m", "--format", "table").out


def test_other_fields_are_kept_where_they_are_named(run, window):
    Path("neardup.toml").write_text("[fields]\nshow = ['agency']\n")
    assert run("ingest", "stream.jsonl", "--window", "other", "--format", "quiet", "--no-keep-text").code == 0
    done = run("get", "b", "a", "--window", "other", "--format", "jsonl")
    assert [(each["fields"], each["is_original"]) for each in done.lines] == [
        ({"agency": "B"}, False),
        ({}, False),
    ]
    assert "(the text was not kept; this is its normal form)" in run("get", "b", "--window", "other").out


def test_what_is_exported_can_be_ingested_again(run, window):
    assert run("export", "--window", window, "--output", "all.jsonl").code == 0
    lines = [json.loads(line) for line in Path("all.jsonl").read_text("utf-8").splitlines()]
    assert lines == run("export", "--window", window).lines
    assert [line["id"] for line in lines] == [record["id"] for record in RECORDS]
    assert [line["text"] for line in lines] == [record["text"] for record in RECORDS]
    assert lines[0]["source"] == "Wire\x1b[0m"
    assert (lines[1]["neardup"]["status"], lines[1]["neardup"]["duplicate_of"]) == ("exact", "a")
    assert not {"id", "time"} & lines[1]["neardup"].keys()
    assert run("ingest", "all.jsonl", "--window", "again", "--format", "quiet").code == 0
    assert run("export", "--window", "again").lines == lines
    assert run("ingest", "all.jsonl", "--window", "of-five", "--q", "5", "--format", "quiet").code == 0
    assert run("export", "--window", "of-five").lines[1]["neardup"]["status"] == "exact"


def test_an_export_holds_few_texts_at_once(run, monkeypatch):
    """Each may have ten million characters: 256 of them were read together."""
    text = "".join(json.dumps({"id": f"{i}", "text": f"Rain {i}."}) + "\n" for i in range(100))
    Path("many.jsonl").write_text(text, "utf-8")
    run("ingest", "many.jsonl", "--window", "many", "--format", "quiet")
    at_once = []
    read = WindowEngine.read

    def counted(window, ids):
        documents = read(window, ids)
        at_once.append(len(documents))
        return documents

    monkeypatch.setattr(WindowEngine, "read", counted)
    assert len(run("export", "--window", "many").lines) == sum(at_once) == 100
    assert max(at_once) <= 32


def test_an_export_replaces_no_file_unasked(run, window):
    Path("all.jsonl").write_text("mine\n", "utf-8")
    done = run("export", "--window", window, "--output", "all.jsonl")
    assert done.code == 2
    assert "exists: --force replaces it" in done.err
    assert Path("all.jsonl").read_text("utf-8") == "mine\n"
    assert run("export", "--window", window, "--output", "all.jsonl", "--force").code == 0
    assert len(Path("all.jsonl").read_text("utf-8").splitlines()) == len(RECORDS)


def test_an_export_says_of_how_many_texts_the_normal_form_stands_for_them(run, window):
    run("ingest", "stream.jsonl", "--window", "forms", "--no-keep-text", "--format", "quiet")
    done = run("export", "--window", "forms")
    assert done.code == 0
    assert (
        f"the original of {len(RECORDS)} of {len(RECORDS)} texts was not kept: its normal form is written"
        in done.err
    )
    assert " " not in done.lines[0]["text"]
