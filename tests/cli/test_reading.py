"""What is told of what was read: once a run and a kind, with a count, the first example and the option to use."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from testing.cli.samples import FERRY, MILL, STREAM, written

from neardup.cli.repeated_ids import RepeatedIds
from neardup.model.document import Document


def as_lines(*records) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


# ---- ids ----


def test_ids_that_come_again_with_another_text_are_told_once(run):
    texts = [FERRY, MILL, FERRY, "Rain.", "Snow."]
    records = [{"id": id, "text": text} for id, text in zip("abaab", texts, strict=True)]
    done = run("ingest", written("a.jsonl", records), "--format", "quiet")
    assert (
        "neardup: 2 documents had the id of an earlier document of this run but another text, and replaced it "
        "(first: 'a' at a.jsonl:4): name the field that tells documents apart by --id-field; mails are told apart by "
        "their Message-ID (docs/input.md, Mail)\n"
    ) in done.err
    assert (
        "neardup: 1 document came again with the same id and text: it is counted above, but not stored twice\n"
        in done.err
    )
    assert done.code == 0
    assert json.loads(run("stats", "--format", "jsonl").out)["documents"] == 2


def test_where_the_field_of_the_id_was_named_another_is_asked_for(run):
    records = [{"uuid": id, "text": text} for id, text in zip("aab", (FERRY, MILL, "Rain."), strict=True)]
    words = ("ingest", written("a.jsonl", records), "--id-field", "uuid", "--format", "quiet")
    done, again = run(*words), run(*words)
    written("a.jsonl", [{"uuid": "b", "text": "Snow."}])
    remedy = "the field named by --id-field does not tell them apart: name another"
    assert f"and replaced it (first: 'a' at a.jsonl:2): {remedy}; mails are" in done.err
    assert "1 document had the id of an earlier document of this run but another text, and" in again.err
    assert f"the earlier text. If that is no new version: {remedy} (without an id, a" in run(*words).err


def test_of_texts_the_folder_above_is_asked_for(run):
    """A file that is one document has no field."""
    for folder, text in (("b", FERRY), ("c", MILL)):
        Path("a", folder).mkdir(parents=True)
        Path("a", folder, "0004.txt").write_text(text)
    run("ingest", "a/b", "--format", "quiet")
    done = run("ingest", "a/c", "--format", "quiet")
    assert (
        "1 document was stored by earlier runs, and replaced by another text with the same id: `neardup "
        "reconcile` makes the verdicts anew that name the earlier text. If that is no new "
        "version: if these are other files, name the folder above, so that ids contain the names of folders (without "
        "an id, a record is named after its file), or another window by --window\n"
    ) in done.err
    run("ingest", "a", "--format", "quiet", "--window", "other")
    assert json.loads(run("stats", "--window", "other", "--format", "jsonl").out)["documents"] == 2


def test_of_mails_no_field_of_an_id_is_asked_for(run):
    """No option changes the id of a mail."""
    mails = "".join(
        f"From a@b Mon Jan  1 10:00:00 2024\nMessage-ID: <{id}@x>\n\n{text}\n\n"
        for id, text in zip("aab", (FERRY, MILL, "Rain."), strict=True)
    )
    Path("a.mbox").write_text(mails)
    done = run("ingest", "a.mbox", "--format", "quiet")
    assert (
        "and replaced it (first: 'a@x' at a.mbox:6): mails are told apart by their Message-ID, which --id-field does "
        "not change: write JSON Lines with ids of your own if it repeats (docs/input.md, Mail)\n"
    ) in done.err
    Path("a.mbox").write_text(mails.replace("Rain.", "Snow."))
    again = run("ingest", "a.mbox", "--format", "quiet")
    assert (
        "the earlier text. If that is no new version: mails are told apart by their Message-ID, which"
        in again.err
    )
    assert "--id-field names" not in again.err


def test_a_run_that_replaces_most_of_its_documents_has_not_gone_well(run):
    records = [{"id": "same", "text": f"{FERRY} {number}"} for number in range(9)]
    done = run("ingest", written("a.jsonl", records), "--format", "quiet")
    assert done.code == 1
    assert "8 documents had the id of an earlier document" in done.err


def test_ids_are_looked_for_among_the_last_ones_only():
    ids = RepeatedIds(generation=4)
    lines = [ids.is_first_other_text(Document(str(number % 5), str(number))) for number in range(10)]
    assert (lines.index(True), ids.other) == (5, 5)
    far = RepeatedIds(generation=2)
    assert not any(far.is_first_other_text(Document(str(number % 9), str(number))) for number in range(18))
    assert (far.count, far.other) == (18, 0)


def test_a_run_without_anything_odd_tells_nothing(run, stream):
    done = run("ingest", stream, "--window", "w", "--format", "quiet")
    assert len([line for line in done.err.splitlines() if "no limit of hours" not in line]) == 1


# ---- fields that are not there ----


@pytest.mark.parametrize(
    ("option", "what", "so"),
    [("--id-field", "an id", "ids were made up"), ("--time-field", "a time", "times are not known")],
)
def test_a_field_that_no_record_has_is_told_and_ends_with_1(run, stream, option, what, so):
    done = run("ingest", stream, option, "nr", "--format", "quiet")
    assert done.code == 1
    assert (
        f"neardup: no record has {what} in the field 'nr' (fields: id, text, time), so their {so}: "
        f"{option} names another\n"
    ) in done.err


def test_a_field_that_the_configuration_names_is_told_too(run, stream):
    Path("neardup.toml").write_text('[fields]\nid = "nr"\ntime = ["when", "sent"]\n')
    done = run("ingest", stream, "--format", "quiet")
    assert done.code == 1
    assert "no record has an id in the field 'nr' (" in done.err
    assert "no record has a time in the field 'when' or 'sent' (" in done.err


def test_a_field_that_some_records_lack_is_counted(run):
    records: list[dict[str, object]] = [
        {"nr": 1, "text": FERRY},
        {"id": "x", "text": MILL},
        {"id": "y", "text": "Rain."},
    ]
    done = run("ingest", written("a.jsonl", records), "--id-field", "nr", "--format", "quiet")
    assert done.code == 0
    assert (
        "neardup: 2 of 3 records have no id in the field 'nr' (fields: id, text), so their ids were made up: "
        "--id-field names another\n"
    ) in done.err


def test_a_field_that_is_there_and_empty_is_not_said_to_be_lacking(run):
    records: list[dict[str, object]] = [{"nr": 1, "text": FERRY}, {"nr": None, "text": MILL}]
    done = run("ingest", written("a.jsonl", records), "--id-field", "nr", "--format", "quiet")
    assert "1 of 2 records have no id in the field 'nr' (fields: nr, text), so their ids" in done.err


@pytest.mark.parametrize("early", [45000.5, 2026, 20261121, -1])
def test_a_number_that_is_hardly_meant_as_seconds_is_told_once(run, early):
    path = written("a.jsonl", [{"id": f"{i}", "text": FERRY, "time": early} for i in range(3)])
    done = run("ingest", path, "--format", "quiet")
    (line,) = [line for line in done.err.splitlines() if "1973" in line]
    assert line.startswith(
        f"neardup: 3 times are numbers of seconds in the years 1966 to 1973 (first: {early} at a.jsonl:1): "
    )
    assert line.endswith("; --time-field names another field")


@pytest.mark.parametrize("minutes", [202611210900, 202611210900.0, "202611210900", "199912312359"])
def test_a_date_and_time_in_twelve_digits_is_told_once(run, minutes):
    path = written("a.jsonl", [{"id": f"{i}", "text": FERRY, "time": minutes} for i in range(3)])
    done = run("ingest", path, "--format", "quiet")
    (line,) = [line for line in done.err.splitlines() if "1976" in line]
    assert line == (
        f"neardup: 3 times are numbers of milliseconds in the year 1976 (first: {minutes} at a.jsonl:1): write a "
        "date and time such as 202611210900 in ISO 8601; --time-field names another field"
    )


@pytest.mark.parametrize(
    "plain", [1795251600000, "1795251600000", 202699999999, 946684800000, "202611210960"]
)
def test_a_number_of_milliseconds_is_not_told(run, plain):
    path = written("a.jsonl", [{"id": "a", "text": FERRY, "time": plain}])
    assert "1976" not in run("ingest", path, "--format", "quiet").err


def test_a_column_that_no_table_has_is_told(run):
    Path("a.csv").write_text("nr,text\n1,Rain.\n2,Snow.\n")
    done = run("ingest", "a.csv", "--id-field", "number", "--format", "quiet")
    assert done.code == 1
    assert "no record has an id in the field 'number' (fields: nr, text)" in done.err


def test_the_wrong_text_field_is_one_message_and_every_record_in_the_file(run):
    path = written("a.jsonl", [{"id": number, "body": FERRY} for number in range(304)])
    done = run("ingest", path, "--rejects", "r.jsonl")
    assert (done.code, done.out) == (1, "")
    lines = [line for line in done.err.splitlines() if "rejected" in line]
    assert lines[0] == (
        "neardup: rejected a.jsonl:1: no text: there is no field 'text' (fields: body, id): --text-field names another"
    )
    assert lines[1].endswith("304 rejected (see r.jsonl)")
    assert lines[2:] == ["neardup: 303 more were rejected for the same reason as a.jsonl:1"]
    assert len(Path("r.jsonl").read_text().splitlines()) == 304


def test_more_kinds_of_rejects_than_are_shown_are_counted(run, monkeypatch):
    monkeypatch.setattr("neardup.cli.sinks.SHOWN_KINDS", 1)
    Path("a.jsonl").write_text('{"text": 7}\n[]\n{"text": 8}\n[]\n')
    lines = run("ingest", "a.jsonl", "--window", "w").err.splitlines()
    assert [line for line in lines if "documents in" not in line and "no window" not in line] == [
        "neardup: rejected a.jsonl:1: field 'text' is an integer, not a string",
        "neardup: 1 more was rejected for the same reason as a.jsonl:1",
        "neardup: 2 more were rejected for other reasons",
        "neardup: --rejects FILE lists all rejected documents",
    ]


def test_of_more_kinds_of_rejects_none_is_named_by_one_that_was_not_shown(run, monkeypatch):
    """However frequent it is: who looks for its reason above would not find it."""
    monkeypatch.setattr("neardup.cli.sinks.SHOWN_KINDS", 1)
    Path("a.jsonl").write_text('{"text": 7}\n[]\n{"text": 8}\n[]\n[]\n')
    lines = run("ingest", "a.jsonl", "--window", "w").err.splitlines()
    assert [line for line in lines if "more w" in line] == [
        "neardup: 1 more was rejected for the same reason as a.jsonl:1",
        "neardup: 3 more were rejected for other reasons",
    ]


# ---- standard input ----


@pytest.mark.parametrize("words", [["-"], ["/dev/stdin", "--input", "jsonl"]])
def test_the_same_standard_input_twice_is_the_same_documents(run_process, words):
    data = as_lines({"text": FERRY}, {"text": MILL}, {"text": FERRY})
    first, second = (run_process("ingest", *words, stdin=data) for _ in range(2))
    assert all(verdict["id"].startswith("stdin:") for verdict in first.lines)
    assert [verdict["status"] for verdict in first.lines] == ["unique", "unique", "exact"]
    assert [verdict["id"] for verdict in second.lines] == [verdict["id"] for verdict in first.lines]
    assert [verdict["status"] for verdict in second.lines] == ["unique", "unique", "exact"]
    assert json.loads(run_process("stats", "--format", "jsonl").out)["documents"] == 3


def test_another_standard_input_replaces_nothing(run_process):
    run_process("ingest", "-", stdin=as_lines({"text": FERRY}))
    done = run_process("ingest", "-", stdin=as_lines({"text": MILL}))
    assert [verdict["status"] for verdict in done.lines] == ["unique"]
    assert json.loads(run_process("stats", "--format", "jsonl").out)["documents"] == 2


@pytest.mark.parametrize("form", ["csv", "text"])
def test_ids_of_standard_input_bear_its_content_in_every_form(run_process, form):
    data = {"csv": f'text\n"{FERRY}"\n"{FERRY}"\n', "text": FERRY}[form].encode()
    one, two = (
        [verdict["id"] for verdict in run_process("ingest", "-", "--input", form, stdin=data).lines]
        for _ in range(2)
    )
    assert one == two
    assert all(id.startswith("stdin:") for id in one)
    assert [id.endswith("-2") for id in one] == ([False, True] if form == "csv" else [False])


# ---- folders ----


def test_a_folder_of_all_sorts_is_read_and_the_rest_counted(run):
    Path("d/sub").mkdir(parents=True)
    written("d/a.jsonl", STREAM[:2])
    Path("d/sub/b.json").write_text(json.dumps(STREAM[2:4], indent=2))
    Path("d/c.csv").write_text(f'id,text,time\nc,"{MILL}",2026-11-19T09:00:00Z\n')
    Path("d/t.txt").write_text("A text of its own.")
    for name in ("x.html", "sub/y.html", "z.md"):
        Path("d", name).write_text("<p>")
    done = run("ingest", "d", "--format", "quiet")
    assert done.code == 0
    assert done.err.startswith(
        "neardup: d: 3 passed over: .html 2 (first: x.html), .md 1 (first: z.md); --input says what they are; "
        "--html reads pages\n"
    )
    assert "6 documents" in done.err


def test_what_is_taken_for_text_and_is_none_is_told(run):
    Path("in.mbox").write_text("From a@b.c Sat Nov 21\nSubject: Rain\n\nRain.\n")
    done = run("ingest", "in.mbox", "--input", "text", "--format", "quiet")
    assert done.code == 0
    assert (
        "neardup: 1 file is a mailbox (mbox), taken for text as one document: --input mbox reads its messages "
        "(first: in.mbox)\n"
    ) in done.err


def test_a_delimiter_of_files_that_are_no_csv_is_told(run, stream):
    """A table in a file called .txt is one document."""
    told = "the delimiter has no effect, because no file was read as CSV"
    table = Path("table.txt")
    table.write_text("id;text\n1;Rain on the hills.\n2;Snow in the valley.\n")
    assert told in run("dedup", table, "--delimiter", ";").err
    done = run("dedup", table, stream, "--input", "csv", "--delimiter", ";")
    assert ("--input csv" in done.err, "Snow in the valley." in done.out) == (False, True)
    table.rename("table.csv")
    assert told not in run("dedup", "table.csv", stream, "--delimiter", ";").err


@pytest.mark.parametrize("command", ["query", "show", "explain"])
def test_one_text_that_is_none_is_told_with_the_option_that_reads_it(run, window, command):
    Path("page.txt").write_text(f"<html><body><p>{'Rain fell on the hills all day. ' * 20}</p></body></html>")
    words = {
        "query": ["--window", window, "--file", "page.txt"],
        "show": ["--file", "page.txt"],
        "explain": ["page.txt", "--text", "Rain."],
    }[command]
    done = run(command, *words)
    told = "1 file is HTML, taken for text with its tags: --input html reads its text (first: page.txt)"
    assert done.err == f"neardup: {told}\n"
    done = run(command, *words, "--input", "html")
    assert (done.code, done.err) == (0, "")


# ---- one text ----


def test_a_file_of_records_is_no_text_to_ask_with(run, window, stream):
    for words in (("query", "--window", window), ("show",)):
        done = run(*words, "--file", stream)
        assert (done.code, done.out) == (2, "")
        lines = " ".join(word for word in done.err.split() if word != "│")
        assert (
            "stream.jsonl holds records, not one text: give the text of one by --text, or ask about all of them by "
            "`neardup check stream.jsonl --against WINDOW`; --file - < stream.jsonl reads all of it as one text"
        ) in lines
    assert len(run("check", stream, "--against", window).lines) == 5  # as told


@pytest.mark.parametrize(
    ("name", "message"),
    [("d", "no file of a known ending"), ("d/a.pdf", "this is PDF, which neardup does not")],
)
def test_where_no_file_can_be_read_no_window_is_made(run, name, message):
    Path("d").mkdir()
    Path("d/a.pdf").write_text("%PDF-1.4")
    done = run("ingest", name, "--window", "new")
    assert (done.code, message in " ".join(done.err.replace("│", " ").split())) == (2, True)
    assert not Path("new").exists()


def test_a_record_as_a_text_is_told(run_process, window, stream):
    done = run_process("query", "--window", window, "--file", "-", stdin=stream.read_bytes())
    assert done.code == 0
    assert done.err == (
        "neardup: standard input looks like a record, and is compared with its braces and names; give its text alone "
        "by --text\n"
    )


def test_a_text_in_another_encoding(run, window):
    Path("page.txt").write_bytes((FERRY + " é").encode("latin-1"))
    done = run("query", "--window", window, "--file", "page.txt")
    assert "not UTF-8: byte 0xe9 at offset" in done.err
    assert "--encoding names another, such as latin-1" in done.err
    (verdict,) = run("query", "--window", window, "--file", "page.txt", "--encoding", "latin-1").lines
    assert verdict["duplicate_of"] == "ferry"


# ---- encodings and names ----


def test_an_encoding_may_be_named(run):
    Path("a.jsonl").write_bytes('{"id": "a", "text": "Café au lait."}\n'.encode("cp1252"))
    assert run("ingest", "a.jsonl").code == 1
    assert [verdict["id"] for verdict in run("ingest", "a.jsonl", "--encoding", "cp1252").lines] == ["a"]
    assert run("lexicon", "build", "a.jsonl", "--encoding", "cp1252", "--output", "own.lexicon").code == 0
    done = run("ingest", "a.jsonl", "--encoding", "cp9999")
    assert done.code == 2
    assert done.err == (
        "neardup: setting encoding is 'cp9999': it must be the name of an encoding, such as latin-1, cp1252 or utf-16\n"
    )
    for of_names in ("punycode", "idna"):
        done = run("ingest", "a.jsonl", "--encoding", of_names)
        assert (done.code, f"setting encoding is '{of_names}'" in done.err) == (2, True)


def test_a_file_name_that_is_no_utf8_is_escaped_wherever_it_is_told(run):
    name = os.fsdecode(b"caf\xe9.jsonl")
    Path(name).write_text('{"text": 7}\n{"text": "Rain."}\n{\n', "utf-8")
    done = run("ingest", name, "--rejects", "r.jsonl")
    assert (done.code, [verdict["id"] for verdict in done.lines]) == (1, [r"caf\xe9.jsonl:2"])
    rejects = [json.loads(line) for line in Path("r.jsonl").read_text("utf-8").splitlines()]
    assert [(reject["source"], reject["line"]) for reject in rejects] == [
        (r"caf\xe9.jsonl", 1),
        (r"caf\xe9.jsonl", 3),
    ]
    assert "neardup: rejected caf\\xe9.jsonl:1: field 'text' is an integer, not a string\n" in done.err
    assert "the time of arrival (first: caf\\xe9.jsonl:2)" in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("doctor --format jsonl --window", r"window caf\\xe9.txt"),
        ("explain b.txt --format json", r'"id":"caf\\xe9.txt"'),
        ("dedup b.txt --output kept.jsonl --removed told.jsonl", r'"where":"caf\\xe9.txt"'),
        ("dedup b.txt --output kept.jsonl --removed told.csv", r",caf\xe9.txt,b.txt"),
        ("lexicon build b.txt --output own --name", "lexicon"),
    ],
)
def test_what_is_written_tells_of_a_file_whose_name_is_no_utf8(run, words, told):
    name = os.fsdecode(b"caf\xe9.txt")
    for path in (name, "b.txt"):
        Path(path).write_text(FERRY, "utf-8")
    out = run(*words.split(), name).out
    assert told in out + "".join(path.read_text("utf-8") for path in Path().glob("told.*"))


def test_an_id_of_half_a_character_is_a_reject_of_the_id(run):
    Path("a.csv").write_text("text\nRain.\n")
    Path("n.jsonl").write_text('{"id": "\\ud800", "text": "Rain."}\n')
    done = run("ingest", "n.jsonl", "--rejects", "r.jsonl")
    assert "an unpaired surrogate (U+D800), which stands for no character" in done.err


# ---- times ----


def test_times_of_mail_are_read_and_others_named(run):
    times = ["Fri, 20 Nov 2026 09:00:00 +0000", "1795165200", "20.11.2026"]
    records = [{"id": str(at), "text": FERRY, "time": time} for at, time in enumerate(times)]
    done = run("ingest", written("a.jsonl", records))
    assert [(verdict["id"], verdict["time"]) for verdict in done.lines] == [
        ("0", "2026-11-20T09:00:00Z"),
        ("1", "2026-11-20T09:00:00Z"),
    ]
    assert (
        "neardup: rejected a.jsonl:3: time '20.11.2026' is not ISO 8601 (2026-11-21T09:00:00Z), RFC 2822 "
        "(Sat, 21 Nov 2026 09:00:00 +0000), or seconds or milliseconds since 1970\n"
    ) in done.err


def test_a_text_that_differs_by_white_space_alone_took_no_place_and_is_shown_as_it_came_last(run):
    texts = ["Rain falls.", "Rain  falls!", "Rain  falls!"]
    records = [{"id": "a", "text": text} for text in texts]
    done = run("ingest", written("in.jsonl", records), "--window", "w", "--format", "quiet")
    assert (
        "1 document came again with the same id and, white space and punctuation aside, the same text (first: 'a' at "
        "in.jsonl:2): it is counted above; the verdict stays, and the text that came last is shown\n"
    ) in done.err
    assert "1 document came again with the same id and text" in done.err
    assert "replaced it" not in done.err
    assert run("get", "a", "--window", "w", "--format", "jsonl").lines[0]["text"] == "Rain  falls!"


def test_an_id_that_comes_again_with_another_text_after_its_hour_is_not_told_as_the_same_text(run):
    hours = [("a", 9, FERRY), ("b", 9, "Snow."), ("c", 11, MILL), ("d", 11, "Hail."), ("a", 11, "Rain.")]
    records = [{"id": id, "text": text, "time": f"2026-11-20T{hour:02}:00Z"} for id, hour, text in hours]
    done = run(
        "ingest", written("in.jsonl", records), "--window", "w", "--window-hours", "1", "--format", "quiet"
    )
    assert (
        "neardup: 1 document had the id of an earlier document of this run but another text; the earlier one was no "
        "longer stored, or differs only in white space and punctuation\n"
    ) in done.err
    assert "the same id and text" not in done.err


def test_a_copy_that_was_dropped_is_not_told_as_the_same_text_when_its_id_comes_again(run):
    records = [{"id": id, "text": text} for id, text in zip("xybb", [FERRY, MILL, FERRY, MILL], strict=True)]
    done = run(
        "ingest", written("in.jsonl", records), "--policy", "drop", "--window", "w", "--format", "quiet"
    )
    assert (
        "1 document had the id of an earlier document of this run but another text; the earlier one was no longer"
        in done.err
    )
    assert "the same id and text" not in done.err
