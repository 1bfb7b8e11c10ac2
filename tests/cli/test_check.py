"""neardup check: a verdict a document by what is in a window or in files, and nothing stored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from testing.cli.samples import FERRY, MILL, STREAM, written

from neardup.cli import tally
from neardup.index.verification import Verifier

NEW = [
    {"id": "n1", "text": FERRY.replace("Friday", "Sunday"), "time": "2026-11-30T06:00:00Z"},
    {"id": "n2", "text": FERRY.replace("Friday", "Sunday")},
    {"id": "n3", "text": "Rain is due in the north, and nobody knows for how long."},
    {"id": "n4", "text": " … "},
]


def brief(done):
    return [(verdict["id"], verdict["status"], verdict["duplicate_of"]) for verdict in done.lines]


EXPECTED = [("n1", "near", "ferry"), ("n2", "near", "ferry"), ("n3", "unique", None), ("n4", "empty", None)]


def test_against_a_window_nothing_is_stored(run, window):
    before = run("stats", "--window", window).out
    done = run("check", written("new.jsonl", NEW), "--against", window)
    assert done.code == 0
    assert brief(done) == EXPECTED
    assert done.lines[0]["time"] == "2026-11-30T06:00:00Z"
    assert done.lines[2]["group"] == "n3"
    assert "4 documents in " in done.err
    assert run("stats", "--window", window).out == before


def test_documents_that_are_not_compared_with_all_of_the_window_make_no_success(run, monkeypatch):
    written("old.jsonl", [{"id": str(at), "text": f"{FERRY} {at}"} for at in range(5)])
    run("ingest", "old.jsonl", "--window", "w")
    new = written("new.jsonl", NEW)
    assert run("check", new, "--against", "w").code == 0
    monkeypatch.setenv("NEARDUP_MAX_CANDIDATES", "2")
    done = run("check", new, "--against", "w")
    assert (done.code, "2 of 4 documents (50.0 %) were not compared with all of their win" in done.err) == (
        1,
        True,
    )


@pytest.mark.parametrize("command", ["check", "dedup"])
def test_against_files_in_utf_8_a_file_in_another_encoding_is_compared(run, command):
    """As neardup writes them."""
    text = "Паром ходит ежедневно, кроме воскресенья."
    Path("old.jsonl").write_text(json.dumps({"id": "old", "text": text}, ensure_ascii=False))
    Path("new.txt").write_bytes(text.encode("koi8-r"))
    done = run(command, "new.txt", "--encoding", "koi8-r", "--against", "old.jsonl")
    assert "1 exact" in done.err


def test_against_files(run, stream):
    Path("more").mkdir()
    written("more/a.jsonl", [{"id": "ferry", "text": "Another text with the id of a ferry."}])
    done = run("check", written("new.jsonl", NEW), "--against", stream, "--against", "more")
    assert brief(done) == EXPECTED
    assert f"neardup: compared with 6 documents of {stream}, more\n" in done.err
    assert not list(Path().glob("*.window"))
    same = written("same.jsonl", [{"id": "x", "text": "Another text with the id of a ferry."}])
    (verdict,) = run("check", same, "--against", stream, "--against", "more").lines
    assert (verdict["status"], verdict["duplicate_of"]) == ("exact", "ferry (more/a.jsonl:1)")


def test_a_table_tells_documents_of_one_id_apart_and_makes_up_no_time(run):
    for name, title in (("old", "Ferry aground"), ("new", "Boat aground")):
        written(f"{name}.jsonl", [{"id": "x", "text": FERRY, "title": title, "time": "2026-11-30T06:00:00Z"}])
    done = run("check", "new.jsonl", "--against", "old.jsonl", "--format", "table")
    head, row = done.out.splitlines()
    assert head.split() == ["time", "(UTC)", "id", "status", "copy", "of", "score", "text"]
    assert row.rstrip().endswith("  Boat aground (of: Ferry aground)")


def test_a_table_has_in_each_row_the_text_that_its_verdict_is_about(run):
    old = written("old.jsonl", [{"id": "first", "text": FERRY, "title": "Draft"}])
    mixed = [("same", FERRY, "Minutes"), ("same", FERRY + " Updated.", "Cake")]
    new = written("new.jsonl", [{"id": id, "text": text, "title": title} for id, text, title in mixed])
    first, second = run("check", new, "--against", old, "--format", "table").out.splitlines()[1:]
    assert first.rstrip().endswith("Minutes (of: Draft)")
    assert second.rstrip().endswith("Cake (of: Draft)")


def test_a_table_tells_how_documents_of_files_begin(run):
    dawn, dusk = "The ferry ran aground at dawn.", "The ferry ran aground at dusk."
    old = written("old.jsonl", [{"id": "a", "text": dawn}])
    new = written("new.jsonl", [{"id": "x", "text": dawn}, {"id": "y", "text": dusk}])
    same, near = run("check", new, "--against", old, "--format", "table").out.splitlines()[1:]
    assert same.rstrip().endswith(f"1.000  {dawn}")
    assert near.rstrip().endswith(f"  {dusk} (of: {dawn})")


def test_a_document_without_a_time_is_not_told_the_time_of_asking(run, window):
    path = written("new.jsonl", [{"id": "x", "text": FERRY}])
    (verdict,) = run("check", path, "--against", window).lines
    assert (verdict["time"], verdict["duplicate_of"]) == (None, "ferry")
    row = run("check", path, "--against", window, "--format", "table").out.splitlines()[1]
    assert row.split()[:5] == ["x", "exact", "ferry", "1.000", "ARNMOUTH"]


def test_what_of_the_others_could_not_be_read_is_no_all_clear(run, stream):
    new = written("new.jsonl", NEW[2:3])
    Path("broken.jsonl").write_text('{"id": "a", "text": "Rain is due in the south."}\n{"id": "b", \n')
    done = run("check", new, "--against", "broken.jsonl")
    assert (done.code, brief(done)) == (1, [("n3", "unique", None)])
    assert "compared with 1 document of broken.jsonl; 1 could not be used\n" in done.err
    Path("empty.jsonl").write_text("")
    done = run("check", new, "--against", "empty.jsonl")
    assert done.code == 1
    assert "compared with 0 documents of empty.jsonl, so no copy can be found\n" in done.err
    run("ingest", "empty.jsonl", "--window", "w")
    done = run("check", new, "--against", "w")
    assert (done.code, "w holds 0 documents, so no copy can be found\n" in done.err) == (0, True)
    done = run("check", new, "--against", stream)
    assert (done.code, "no copy can be found" in done.err) == (0, False)


def test_settings_and_tables(run, window, stream):
    new = written("new.jsonl", NEW)
    assert brief(run("check", new, "--against", window, "-t", "1"))[0] == ("n1", "unique", None)
    assert brief(run("check", new, "--against", stream, "-t", "1"))[0] == ("n1", "unique", None)
    done = run("check", new, "--against", window, "--format", "table", "--output", "v.jsonl")
    assert "n1" in done.out
    assert len(Path("v.jsonl").read_text().splitlines()) == 4
    clipping = written("c.jsonl", [{"id": "c", "text": f"{FERRY} {MILL * 3}"}])
    (verdict,) = run("check", clipping, "--against", stream, "--partial").lines
    assert verdict["status"] == "partial"


def test_what_cannot_be_used_is_rejected(run, window):
    path = Path("new.jsonl")
    path.write_text(json.dumps(NEW[0]) + '\n{"id":"t"}\n')
    done = run("check", path, "--against", window, "--rejects", "r.jsonl")
    assert done.code == 1
    assert [reject["line"] for reject in map(json.loads, Path("r.jsonl").read_text().splitlines())] == [2]


def test_a_time_that_cannot_be_read_is_none(run, window):
    (verdict,) = run("check", written("new.jsonl", [NEW[0] | {"time": "10:30"}]), "--against", window).lines
    assert (verdict["time"], verdict["status"]) == (None, "near")


@pytest.mark.parametrize(
    ("against", "message"),
    [
        (["none.jsonl"], "none.jsonl does not exist"),
        (["w", "stream.jsonl"], "w is a window: give no other --against with it"),
    ],
)
def test_what_is_not_there_or_does_not_go_together(run, window, against, message):
    words = [word for name in against for word in ("--against", name)]
    done = run("check", written("new.jsonl", STREAM), *words)
    assert done.code == 2
    assert message in " ".join(word for word in done.err.split() if word != "│")


def test_an_output_is_none_of_what_is_compared_with(run, stream):
    done = run("check", written("new.jsonl", NEW), "--against", stream, "--output", stream)
    assert done.code == 2
    assert "which is an input" in done.err


def test_the_time_of_a_verdict_is_in_the_field_that_is_named(run, stream):
    path = written("new.jsonl", [NEW[0] | {"made": "2026-11-21T06:00:00Z"}])
    (verdict,) = run("check", path, "--against", stream, "--time-field", "made").lines
    assert verdict["time"] == "2026-11-21T06:00:00Z"
    done = run("check", path, "--against", stream, "--time-field", "makd")
    assert (done.code, "no record has a time in the field 'makd'" in done.err) == (1, True)


@pytest.mark.parametrize(
    "command", [["dedup"], ["dedup", "--keep", "last"], ["check"], ["check", "--partial"]]
)
@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_a_run_that_can_compare_with_nothing_writes_nothing(run, command, form):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    records = [{"id": "a", "question": FERRY}, {"id": "b", "question": MILL}]
    written("old.jsonl", records)
    Path("old.csv").write_text("id,question\n" + "".join(f'{r["id"]},"{r["question"]}"\n' for r in records))
    parquet.write_table(pa.Table.from_pylist(records), "old.parquet")
    new = written("new.jsonl", [{"id": "x", "text": FERRY}])
    Path("out.jsonl").write_text("earlier\n")
    done = run(*command, new, "--against", f"old.{form}", "--output", "out.jsonl", "--force")
    assert (done.code, Path("out.jsonl").read_text()) == (2, "earlier\n")
    told = done.err.splitlines()[-1]
    assert f"no document of --against old.{form} can be used, so no copy can be found: old.{form}:" in told
    assert "'text'" in told
    assert "question): --against-text-field names another" in told.replace(", so no row is read", "")
    assert not list(Path().glob("*.tmp"))


@pytest.mark.parametrize("command", ["dedup", "check"])
def test_texts_that_are_all_too_long_to_compare_with_are_told_like_a_missing_field(run, command):
    old, new = written("old.jsonl", [{"id": "a", "text": FERRY * 3}]), written("new.jsonl", STREAM[:1])
    done = run(command, new, "--against", old, "--max-length", 300, "--output", "out.jsonl")
    assert (done.code, Path("out.jsonl").exists()) == (2, False)
    assert done.err.endswith(
        "so no copy can be found: old.jsonl:1: text has 636 characters, the limit (max_length) is 300\n"
    )


def test_the_causes_of_a_comparison_that_left_something_out_are_those_of_the_run(run, monkeypatch):
    footer = "Subscribe to our newsletter and read the terms of use before you comment."
    old = written("old.jsonl", [{"id": str(at), "text": f"{at * 7919:050b}. {footer}"} for at in range(400)])
    new = written("new.jsonl", [{"id": "x", "text": f"Nothing else is the same here at all. {footer}"}])
    run("ingest", old, "--window", "w", "--partial")
    incomplete = "neardup: 1 of 1 document (100.0 %) were not compared with all of their window. "
    skipped = "--partial: sentences that hundreds of documents have are skipped\n"
    done = run("check", new, "--against", old, "--partial")
    assert (done.code, incomplete + skipped in done.err) == (1, True)
    done = run("check", new, "--against", "w", "--partial")
    stored = "Documents stored without --partial are skipped. "
    assert (done.code, incomplete + stored + skipped in done.err) == (1, True)
    monkeypatch.setenv("NEARDUP_MAX_CANDIDATES", "2")
    copies = written("copies.jsonl", [{"id": str(at), "text": f"{FERRY} {at}"} for at in range(5)])
    done = run("check", written("ferry.jsonl", STREAM[:1]), "--against", copies)
    assert (done.code, incomplete + "max_candidates = 2 is a limit\n" in done.err) == (1, True)


@pytest.mark.parametrize("options", [(), ("--partial",), ("--retrieval", "complete", "--route", "sentences")])
def test_files_to_compare_with_are_not_compared_with_one_another(run, options, monkeypatch):
    """Among many copies that takes most of the time, and no verdict is asked for."""
    monkeypatch.setattr(Verifier, "__init__", lambda *_, **__: pytest.fail("they are compared"))
    old = written("old.jsonl", [{"id": str(at), "text": f"{FERRY} {at}"} for at in range(300)])
    Path("none.jsonl").write_text("")
    done = run("check", "none.jsonl", "--against", old, *options)
    assert "compared with 300 documents of old.jsonl\n" in done.err


def test_the_group_of_a_document_compared_with_files_is_its_best_match(run):
    old = [{"id": "b", "text": FERRY}, {"id": "a", "text": FERRY}, {"id": "c", "text": f"{FERRY} Today."}]
    new = [{"id": "n", "text": f"{FERRY} Today!"}, {"id": "m", "text": FERRY}, {"id": "u", "text": MILL}]
    done = run("check", written("new.jsonl", new), "--against", written("old.jsonl", old))
    assert [(line["duplicate_of"], line["group"]) for line in done.lines] == [
        ("c", "c"),
        ("a", "a"),
        (None, "u"),
    ]
    assert [match["id"] for match in done.lines[0]["matches"]] == ["c", "a", "b"]


@pytest.mark.parametrize("command", ["check", "dedup"])
def test_a_long_run_says_how_far_it_is(run, command, monkeypatch):
    old = written("old.jsonl", [{"id": str(at), "text": f"{at} {FERRY}"} for at in range(3)])
    new = written("new.jsonl", [{"id": str(at), "text": f"{at} {MILL}"} for at in range(3)])
    assert "so far" not in run(command, new, "--against", old).err
    monkeypatch.setattr(tally, "FIRST_LINE", 0)
    lines = [line for line in run(command, new, "--against", old).err.splitlines() if "so far" in line]
    verb = {"check": "checked", "dedup": "read"}[command]
    assert set(lines) == {
        "neardup: 1 document of --against read so far (100 % of the files read)",
        f"neardup: 1 document {verb} so far (100 % of the files read)",
    }
