"""`neardup explain`: ids, files and texts; for people, programs and browsers; harmless whatever the texts hold."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from testing.cli.markup import Tags
from testing.cli.samples import FERRY, MILL
from testing.window.backends import grams

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \x1b[2J \u202e \x00 &amp; {{ 7*7 }} \"'"


def test_two_documents_of_a_window(run, stream):
    assert run("ingest", stream, "--window", "w", "--format", "quiet").code == 0
    first, second = (each["id"] for each in run("groups", "--window", "w").lines[0]["members"][:1] * 2)
    done = run("explain", first, second, "--window", "w", "--format", "json")
    assert (done.code, done.lines[0]["doc_q"], done.lines[0]["changes"]) == (0, 1.0, [])
    assert run("explain", first, "nobody", "--window", "w").code == 2


def test_two_files_and_what_differs(run):
    Path("a.txt").write_text(f"{FERRY} It cost 12.5 crowns on Monday.")
    Path("b.txt").write_text(f"{FERRY} It cost 125 crowns on Friday.")
    done = run("explain", "a.txt", "b.txt")
    assert done.code == 0
    assert "figures  12.5 → 125\n" in done.out
    assert "dates    Monday → Friday\n" in done.out
    assert "[12.5 → 125]" in done.out
    assert run("explain", "a.txt", "--text", MILL, "--format", "json").lines[0]["doc_q"] < 0.5


def test_what_is_below_the_threshold_or_not_all_is_not_shown_as_if_it_were(run):
    Path("a.txt").write_text(grams(0, 2_000))
    Path("b.txt").write_text(grams(0, 1_399))
    told = run("explain", "a.txt", "b.txt").out
    assert "doc_q 0.699: 1,399 of 2,000 q-grams; threshold 0.7: no copy" in told
    Path("b.txt").write_text(grams(0, 1_999))
    assert "\n99% of A is in B, 100% of B in A\n" in run("explain", "a.txt", "b.txt").out
    assert "<b>0.999</b> doc_q" in run("explain", "a.txt", "b.txt", "--format", "html").out


def test_a_misspelt_file_is_told_where_no_window_was_meant(run):
    Path("a.txt").write_text(FERRY)
    done = run("explain", "a.txt", "b.txt")
    assert (
        done.code,
        "b.txt is neither a file nor FILE:LINE, and there is no window here (neardup.window)" in done.err,
    ) == (
        2,
        True,
    )
    assert "`neardup ingest FILE` makes one" in done.err
    assert run("explain", "a.txt", "b.txt", "--window", "w").code == 3
    for name in ("a.txt", "a b.txt", "a.window"):  # of which not each can be a part of a command as it is
        Path(name).write_text(FERRY)
        done = run("explain", "a", "b", "--window", name)
        said = f"'{name}': it must be a directory; `neardup ingest FILE --window DIR` makes one from a file"
        assert (done.code, said in done.err) == (2, True)


def test_a_number_of_thousands_of_digits_is_no_line(run):
    Path("a.jsonl").write_text(json.dumps({"text": FERRY}))
    done = run("explain", "a.jsonl:1", f"a.jsonl:{'1' * 5_000}")
    assert (done.code, "is neither a file nor FILE:LINE" in done.err) == (2, True)


def test_what_dedup_removed_is_explained_by_the_names_that_it_gives(run):
    records = [
        {"id": "a", "body": FERRY, "time": "2026-11-21T06:00:00Z"}, {"id": "b", "body": None},
        {"id": "c", "body": f"{FERRY} Updated.", "time": "2026-11-21T07:00:00Z"},
    ]  # fmt: skip
    Path("in.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    run("dedup", "in.jsonl", "--text-field", "body", "--output", "out.jsonl", "--removed", "removed.jsonl")
    gone = json.loads(Path("removed.jsonl").read_text())["neardup"]
    names = gone["where"], gone["duplicate_of_where"]
    assert names == ("in.jsonl:3", "in.jsonl:1")
    (why,) = run("explain", *names, "--text-field", "body", "--format", "json").lines
    assert (why["doc_q"], why["shared"]) == (gone["score"], gone["shared"])
    assert (why["a"]["id"], why["a"]["time"]) == ("in.jsonl:3", "2026-11-21T07:00:00Z")
    shown = run("explain", "in.jsonl:1", "removed.jsonl:1", "--text-field", "body")
    assert (shown.code, "B came 1 h after A" in shown.out) == (0, True)


def test_where_case_is_folded_an_exact_copy_may_differ_in_it(run):
    assert "exact: only white space and punct" in run("explain", "--text", FERRY, "--text", FERRY + "!").out
    records = [{"id": "small", "text": FERRY}, {"id": "large", "text": FERRY.upper()}]
    Path("s.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    run("ingest", "s.jsonl", "--window", "s", "--fold-case", "--format", "quiet")
    shown = run("explain", "small", "large", "--window", "s").out
    assert "exact: only white space, case and punctuation differ" in shown


def test_within_a_second_the_later_one_came_after(run):
    times = {"whole": "2026-11-21T06:00:00Z", "half": "2026-11-21T06:00:00.5Z"}
    records = [
        {"id": id, "text": "The ferry ran aground at dawn.", "time": time} for id, time in times.items()
    ]
    Path("s.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    run("ingest", "s.jsonl", "--window", "s", "--format", "quiet")
    shown = run("explain", "whole", "half", "--window", "s").out
    assert "B came 0.5 s after A" in shown
    assert "A  whole  2026-11-21 06:00 UTC  The ferry" in shown
    assert "B came 0.5 s before A" in run("explain", "half", "whole", "--window", "s").out
    assert "came" not in run("explain", "half", "half", "--window", "s").out


def test_mails_that_dedup_removed_are_explained_as_what_they_were_read_as(run):
    Path("mails").mkdir()
    for name, end in (("00001.7c53", ""), ("00002.9c40", " Updated.")):
        Path("mails", name).write_text(f"Subject: Mail {name}\nMessage-ID: <{name}>\n\n{FERRY}{end}")
    words = ("--input", "mail")
    assert run("dedup", "mails", *words, "--output", "o.jsonl", "--removed", "removed.jsonl").code == 0
    gone = json.loads(Path("removed.jsonl").read_text())["neardup"]
    (why,) = run("explain", gone["where"], gone["duplicate_of_where"], *words, "--format", "json").lines
    assert (why["doc_q"], why["shared"]) == (gone["score"], gone["shared"])
    done = run("explain", "mails/00001.7c53", "mails/00002.9c40", "--input", "mbox")
    said = " ".join(done.err.replace("│", " ").split())
    assert (done.code, "by its line, as mails/00001.7c53:2" in said) == (2, True)


def test_rows_with_a_separator_of_their_own_are_explained_by_naming_it(run):
    Path("odd.csv").write_text("id~text\n1~The ferry ran aground.\n2~The ferry runs aground.\n")
    done = run("explain", "odd.csv:2", "odd.csv:3", "--delimiter", "~")
    assert (done.code, done.err) == (0, "")
    assert "[ran → runs]" in done.out


def test_mails_of_a_maildir_are_explained_as_mails(run):
    for name in ("cur", "new", "tmp"):
        Path("Maildir", name).mkdir(parents=True)
    for name, end in (("1", ""), ("2", " Updated.")):
        Path("Maildir/cur", name).write_text(f"Subject: Mail {name}\nMessage-ID: <{name}>\n\n{FERRY}{end}")
    assert run("dedup", "Maildir", "--output", "o.jsonl", "--removed", "removed.jsonl").code == 0
    gone = json.loads(Path("removed.jsonl").read_text())["neardup"]
    (why,) = run("explain", gone["where"], gone["duplicate_of_where"], "--format", "json").lines
    assert why["doc_q"] == gone["score"]


def test_where_there_are_many_differences_the_command_that_has_all_is_named(run):
    a = " ".join(f"Boat {at} came in at dawn with {at} tons of coal and went out." for at in range(190))
    b = " ".join(f"Boat {at} came in at dawn with {at + 1} tons of coal and went out." for at in range(190))
    said = run("explain", "--text", a, "--text", b).out
    assert (
        "more differences: neardup explain --format json or html has all)" in said
    )  # calibrate shows it, too


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("in.jsonl:2", "document 'in.jsonl:2' cannot be used: no text: field 'text' is null"),
        ("in.jsonl:9", "document 'in.jsonl:9' cannot be used: no record of in.jsonl is at line 9"),
        ("in.csv:2", "no record of in.csv is at line 2; before it in.csv:1 is rejected: no column 'text'"),
    ],
)
def test_a_record_that_is_none_is_named(run, name, reason):
    Path("in.jsonl").write_text(json.dumps({"text": FERRY}) + '\n{"text": null}\n')
    Path("in.csv").write_text(f"id~text\na~{FERRY}\n")
    done = run("explain", "in.jsonl:1", name)
    assert (done.code, reason in done.err) == (1, True), done.err


def test_of_two_records_that_are_none_the_first_is_named(run):
    Path("in.jsonl").write_text('{"text": null}\n' * 16)
    for line in range(1, 17, 2):
        done = run("explain", f"in.jsonl:{line}", f"in.jsonl:{line + 1}")
        assert (done.code, f"'in.jsonl:{line}'" in done.err) == (1, True)


def test_standard_input_is_not_read_twice(run_process):
    lines = "".join(json.dumps({"text": text}) + "\n" for text in (FERRY, MILL)).encode()
    done = run_process("explain", "--", "-:1", "-:2", stdin=lines)
    assert done.code == 2
    assert "standard input can be read once only" in done.err
    assert run_process("explain", "--", "-:2", "-:2", stdin=lines).code == 0


def test_what_commands_write_to_pipes_is_compared(run):
    names = []
    for text in (FERRY, FERRY.replace("Friday", "Monday")):
        reading, writing = os.pipe()
        os.write(writing, text.encode())
        os.close(writing)
        names.append(f"/dev/fd/{reading}")
    done = run("explain", *names)
    assert (done.code, "[Friday → Monday]" in done.out) == (0, True)


def test_an_id_of_the_window_goes_before_a_record_of_a_file(run):
    Path("news").write_text(MILL)
    Path("in.jsonl").write_text(json.dumps({"id": "news:1", "text": FERRY}) + "\n")
    assert run("ingest", "in.jsonl", "--window", "w", "--format", "quiet").code == 0
    words = ("explain", "news:1", "in.jsonl:1", "--window", "w", "--format", "json")
    assert run(*words).lines[0]["doc_q"] == 1.0


def test_a_document_and_a_page(run, stream):
    pytest.importorskip("trafilatura")
    assert run("ingest", stream, "--window", "w", "--format", "quiet").code == 0
    first = run("groups", "--window", "w").lines[0]["head"]
    text = run("get", first, "--window", "w", "--format", "jsonl").lines[0]["text"]
    Path("page.html").write_text(f"<html><head><title>T</title></head><body><p>{text}</p></body></html>")
    words = ("explain", first, "page.html", "--window", "w", "--format", "json")
    assert run(*words).lines[0]["doc_q"] < 1.0
    assert run(*words, "--html").lines[0]["doc_q"] == 1.0


@pytest.mark.parametrize("words", [["a.txt"], ["--text", "a"], ["--text", "a", "--text", "b", "--text", "c"]])
def test_two_are_compared_no_more_and_no_less(run, words):
    Path("a.txt").touch()
    assert run("explain", *words).code == 2


def hidden(character: str) -> list[str]:
    """Two files with texts that differ in a character that cannot be seen."""
    text = (
        "The mayor, Mr Jones, said on Monday that it is not true that 12 houses were sold below their value."
    )
    texts = {
        "a.txt": text,
        "b.txt": text.replace("Jones", f"Jo{character}nes").replace("not", f"n{character}ot"),
    }
    for name, each in texts.items():
        Path(name).write_text(each, "utf-8")
    return list(texts)


@pytest.mark.parametrize("character", ["\u200b", "\xad", "\u2066", "\ufeff"])
def test_a_difference_that_cannot_be_seen_is_shown_as_an_escape(run, character):
    escape = f"\\x{ord(character):02x}" if character == "\xad" else f"\\u{ord(character):04x}"
    shown = run("explain", *hidden(character)).out
    assert f"[Jones → Jo{escape}nes]" in shown
    assert f"[not → n{escape}ot]" in shown
    page = run("explain", *hidden(character), "--format", "html").out
    assert page.count(f'">Jo{escape}nes</mark>') == page.count(f'">n{escape}ot</mark>') == 2


@pytest.mark.parametrize("format", ["text", "html", "json"])
def test_hostile_texts_do_nothing(run, format):
    Path("a.txt").write_text(f"{HOSTILE} {FERRY}", "utf-8")
    Path("b.txt").write_text(f"{FERRY} {HOSTILE} 7 {HOSTILE}", "utf-8")
    done = run("explain", "a.txt", "b.txt", "--format", format, "--output", "out")
    assert done.code == 0
    shown = Path("out").read_text("utf-8")
    assert not {"\x1b", "\x00"} & set(shown)
    if format == "json":
        assert HOSTILE in json.loads(shown)["changes"][-1]["b"]["text"]
    if format == "html":
        page = Tags(shown)
        assert not page.tags & {"script", "img", "link", "iframe", "base", "form"}
        assert not [name for name in page.attributes if name.startswith("on") or name in ("href", "src")]
        assert not re.search(r"url\(|@import|https?:", shown)
        assert "default-src 'none'" in shown
        assert "49" not in shown.partition("<body>")[2].replace("{{ 7*7 }}", "")
    assert run("explain", "a.txt", "b.txt", "--output", "out").code == 2
    assert run("explain", "a.txt", "b.txt", "--output", "a.txt", "--force").code == 2
