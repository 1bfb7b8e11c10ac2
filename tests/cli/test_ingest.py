from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from testing.cli.samples import FERRY, MILL, STREAM, written

from neardup.oracle.definitions import doc_q

KEYS = [
    "id",
    "time",
    "status",
    "duplicate_of",
    "score",
    "shared",
    "group",
    "candidates",
    "truncated",
    "matches",
    "matches_total",
]


def statuses(done) -> dict[str, str]:
    return {verdict["id"]: verdict["status"] for verdict in done.lines}


def test_verdicts_are_json_lines_on_standard_output(run, stream):
    done = run("ingest", stream)
    assert done.code == 0
    assert statuses(done) == {
        "ferry": "unique",
        "mill": "unique",
        "ferry-again": "exact",
        "ferry-edited": "near",
        "blank": "empty",
    }
    assert all(list(verdict) == KEYS for verdict in done.lines)
    assert Path("neardup.window").is_dir()


def test_the_score_is_the_oracle_s(run, stream):
    edited = run("ingest", stream).lines[3]
    expected = float(doc_q(FERRY, STREAM[3]["text"]))
    assert (edited["duplicate_of"], edited["group"]) == ("ferry", "ferry")
    assert edited["score"] == pytest.approx(expected, abs=1e-12)


def test_the_summary_goes_to_standard_error(run, stream):
    done = run("ingest", stream)
    assert "5 documents in" in done.err
    assert "2 unique, 1 exact, 1 near, 1 empty" in done.err
    assert "\x1b" not in done.err


def test_reading_the_same_file_again_changes_nothing(run, stream):
    assert run("ingest", stream).out == run("ingest", stream).out


def test_what_is_there_already_is_counted(run):
    first = [{"id": "a", "text": "Rain."}, {"id": "b", "text": "Snow."}, {"id": "b", "text": "Snow."}]
    said = "documents were stored by earlier runs with the same text (white space and punctuation aside)"
    assert said not in run("ingest", written("a.jsonl", first), "--window", "w").err
    done = run("ingest", written("a.jsonl", [*first, {"id": "c", "text": "Sun."}]), "--window", "w")
    assert (done.code, f"neardup: 2 {said}, and keep their verdicts\n" in done.err) == (0, True)
    one = run("ingest", written("b.jsonl", first[:1]), "--window", "w").err
    aside = "(white space and punctuation aside)"
    assert (
        f"neardup: 1 document was stored by earlier runs with the same text {aside}, and keeps its verdict\n"
        in one
    )
    assert (
        "neardup: 1 document came again with the same id and text: it is counted above, but not stored twice\n"
        in done.err
    )


def test_what_is_rejected_each_time_neither_comes_again_nor_was_there(run):
    long = [{"id": id, "text": "x" * 99} for id in "ccdd"]
    records = [*long, {"id": "a", "text": "Rain."}, {"id": "c", "text": "Snow."}, *long]
    command = ("ingest", written("a.jsonl", records), "--window", "w", "--max-length", "50")
    assert "came again" not in run(*command).err
    again = run(*command).err
    assert "neardup: 2 documents were stored by earlier runs with the same text" in again
    assert "came again" not in again


def test_what_comes_again_in_one_run_but_for_white_space_was_not_there_before(run):
    twice = [{"id": "a", "text": "Rain falls."}, {"id": "a", "text": "Rain  falls!"}]
    assert "by earlier runs" not in run("ingest", written("a.jsonl", twice), "--window", "w").err
    again = run("ingest", "a.jsonl", "--window", "w").err
    assert "neardup: 1 document was stored by earlier runs with the same text" in again


def test_output_and_quiet_leave_standard_output_empty(run, stream):
    done = run("ingest", stream, "--output", "v.jsonl")
    assert done.out == ""
    assert len(Path("v.jsonl").read_text().splitlines()) == 5
    assert run("ingest", stream, "--format", "quiet").out == ""


def test_a_table_shows_the_copies_and_counts_the_rest(run, stream):
    done = run("ingest", stream, "--format", "table", "--output", "v.jsonl")
    assert "ferry-edited" in done.out
    assert "ARNMOUTH - A ferry" in done.out
    assert "mill" not in done.out
    assert "(2 unique left out; all verdicts are in v.jsonl)" in done.out
    assert len(Path("v.jsonl").read_text().splitlines()) == 5


@pytest.mark.parametrize("is_live", [False, True])
def test_a_table_shows_the_text_that_a_verdict_is_about_though_its_id_comes_again(run, run_process, is_live):
    titles = [("first", FERRY, "Draft"), ("same", FERRY, "Minutes"), ("same", "Four eggs. " * 9, "Cake")]
    titles += [
        ("first", "Two cups of flour. " * 9, "Pie"),
        ("bad", FERRY, "No time"),
        ("last", FERRY, "Proof"),
    ]
    records = [
        {"id": id, "time": "2026-11-21T06:00Z", "text": text, "title": title} for id, text, title in titles
    ]
    records[4]["time"] = "soon"
    stream = written("same.jsonl", records)
    data = Path(stream).read_bytes()
    words = ("--format", "table")
    done = run_process("ingest", "-", *words, stdin=data) if is_live else run("ingest", stream, *words)
    rows = done.out.splitlines()
    shown = [row.split("1.000")[1].strip().removeprefix("0 s    ") for row in rows if "1.000" in row]
    assert shown == ["Minutes (of: Draft)"]


def test_a_table_says_how_long_after_its_original_a_copy_came_though_other_text_has_the_id_of_that_now(run):
    pie = "Two cups of flour. " * 9
    texts = [("first", 1, FERRY, "Draft"), ("copy", 3, FERRY, "Minutes"), ("first", 4, pie, "Pie")]
    records = [
        {"id": id, "time": f"2026-11-21T0{hour}:00Z", "text": text, "title": title}
        for id, hour, text, title in texts
    ]
    done = run("ingest", written("replaced.jsonl", records), "--format", "table")
    assert done.out.splitlines()[1].split("1.000")[1].split() == ["2", "h", "Minutes", "(of:", "Draft)"]


def test_a_table_does_not_show_the_text_of_a_rejected_document_for_the_one_that_follows_with_its_id(run):
    cake = "Four eggs. " * 9
    texts = [
        ("first", "soon", cake, "Rejected"),
        ("first", "2026-11-21T06:00Z", FERRY, "Draft"),
        ("ahead", "2026-11-21T06:10Z", FERRY, "Minutes"),
        ("ahead", "2199-01-01", cake, "Too far ahead"),
        ("last", "2026-11-21T06:20Z", FERRY, "Proof"),
    ]
    records = [{"id": id, "time": time, "text": text, "title": title} for id, time, text, title in texts]
    done = run("ingest", written("rejects.jsonl", records), "--format", "table")
    shown = [
        row.split("1.000")[1].split(maxsplit=2)[2].strip() for row in done.out.splitlines() if "1.000" in row
    ]
    assert shown == ["Minutes (of: Draft)", "Proof (of: Draft)"]


def test_a_long_table_says_how_many_rows_it_leaves_out(run):
    records = [{"id": f"{i}", "time": 1795251600 + i, "text": FERRY} for i in range(80)]
    done = run("ingest", written("many.jsonl", records), "--format", "table")
    assert (
        "(1 unique, 29 exact left out; a table has the first 50 rows; --output FILE keeps all verdicts)"
        in done.out
    )


BAD = (
    '{"id": "a", "text": "'
    + FERRY
    + '"}\n{"id": "b"\n{"id": "c", "text": 7}\n{"id": "d", "text": "x", "time": "soon"}\n'
)


def test_rejects_go_to_their_file_with_file_line_and_reason(run):
    Path("bad.jsonl").write_text(BAD)
    done = run("ingest", "bad.jsonl", "--rejects", "rejects.jsonl")
    assert done.code == 1
    assert statuses(done) == {"a": "unique"}
    rejects = [json.loads(line) for line in Path("rejects.jsonl").read_text().splitlines()]
    assert [(reject["source"], reject["line"], reject["id"]) for reject in rejects] == [
        ("bad.jsonl", 2, None),
        ("bad.jsonl", 3, "c"),
        ("bad.jsonl", 4, "d"),
    ]
    assert [
        "not JSON" in rejects[0]["reason"],
        "not a string" in rejects[1]["reason"],
        "soon" in rejects[2]["reason"],
    ]
    assert "3 rejected (see rejects.jsonl)" in done.err


def test_without_a_rejects_file_they_are_told_on_standard_error(run):
    Path("bad.jsonl").write_text(BAD)
    done = run("ingest", "bad.jsonl")
    assert done.code == 1
    assert "neardup: rejected bad.jsonl:2: not JSON" in done.err
    assert "3 rejected" in done.err


def test_rejects_of_a_kind_are_told_once(run):
    Path("bad.jsonl").write_text("{\n" * 100)
    done = run("ingest", "bad.jsonl")
    assert done.err.count("neardup: rejected bad.jsonl:") == 1
    assert "neardup: 99 more were rejected for the same reason as bad.jsonl:1\n" in done.err
    assert "neardup: --rejects FILE lists all rejected documents\n" in done.err
    again = run("ingest", "bad.jsonl", "--rejects", "r.jsonl").err
    assert "99 more were rejected" in again
    assert "--rejects FILE" not in again
    assert len(Path("r.jsonl").read_text().splitlines()) == 100


def test_a_longer_text_than_allowed_is_rejected_where_it_stood(run, stream):
    done = run("ingest", stream, "--max-length", "180")
    assert done.code == 1
    assert "rejected stream.jsonl:1: text has" in done.err


def test_an_id_that_is_too_long_is_rejected_where_it_stood(run):
    Path("urls.jsonl").write_text(
        f'{{"id": "{"u" * 40}", "text": "{FERRY}"}}\n{{"id": "{"u" * 600}", "text": "x"}}\n'
    )
    done = run("ingest", "urls.jsonl", "--rejects", "rejects.jsonl")
    assert "rejected urls.jsonl:2: id is longer than 512 bytes" in done.err
    assert "1 document without a time has the time of arrival (first: urls.jsonl:1)" in done.err
    reject = json.loads(Path("rejects.jsonl").read_text())
    assert (reject["source"], reject["line"], reject["id"]) == ("urls.jsonl", 2, "u" * 600)


def test_a_clean_run_leaves_an_empty_rejects_file(run, stream):
    assert run("ingest", stream, "--rejects", "r.jsonl").code == 0
    assert Path("r.jsonl").read_bytes() == b""


def test_csv_with_columns_of_other_names(run):
    Path("letters.csv").write_text(f'nr;body;sent\n1;"{FERRY}";2026-11-19\n2;"{FERRY}";2026-11-19\n')
    done = run("ingest", "letters.csv", "--id-field", "nr", "--text-field", "body", "--time-field", "sent")
    assert statuses(done) == {"1": "unique", "2": "exact"}


def test_text_files_directories_and_compressed_files_together(run):
    Path("d").mkdir()
    Path("d/one.txt").write_text(FERRY)
    Path("two.txt").write_text(FERRY)
    Path("three.jsonl.gz").write_bytes(gzip.compress(json.dumps({"id": "3", "text": FERRY}).encode()))
    assert statuses(run("ingest", "d", "two.txt", "three.jsonl.gz")) == {
        "one.txt": "unique",
        "two.txt": "exact",
        "3": "exact",
    }


def test_the_form_of_a_file_may_be_said(run, stream):
    stream.rename("stream.data")
    assert run("ingest", "stream.data", "--input", "jsonl").code == 0


@pytest.mark.parametrize(("given", "reach"), [([], 0.5), (["--reach", "0.6"], 0.6)])
@pytest.mark.parametrize("option", [["--fold-case"], ["--q", "5"]])
def test_a_new_window_of_a_recipe_reaches_its_threshold_unless_a_reach_is_given(
    run, stream, caplog, option, given, reach
):
    """Whoever names the recipe once more, and not the threshold, has the same window."""
    assert run("ingest", stream, "--window", "w", "--threshold", "0.5", *option, *given).code == 0
    assert ("and miss copies at" in caplog.text) == (reach == 0.6)
    assert f"sketch-32-{reach}" in run("stats", "--window", "w", "--format", "jsonl").lines[0]["recipe"]
    assert run("ingest", stream, "--window", "w", *option, *given).code == 0


def test_signing_again_by_the_settings_that_made_a_window_takes_no_reach_from_it(run, stream, caplog):
    Path("neardup.toml").write_text("threshold = 0.5\n[recipe]\nfold_case = true\n", "utf-8")
    assert run("ingest", stream, "--window", "w").code == 0
    done = run("resign", "--window", "w")
    assert "nothing to do" in done.err
    assert "sketch-32-0.5" in done.err


def test_settings_reach_the_engine(run, stream):
    done = run(
        "ingest",
        stream,
        "--threshold",
        "1",
        "--retrieval",
        "complete",
        "--matches",
        "0",
        "--window-hours",
        "0",
    )
    assert statuses(done)["ferry-edited"] == "unique"
    assert done.lines[2]["matches"] == []


def test_matches_lists_the_best(run, stream):
    (edited,) = [
        verdict for verdict in run("ingest", stream, "--matches", "1").lines if verdict["status"] == "near"
    ]
    assert [match["id"] for match in edited["matches"]] == ["ferry"]


def test_partial_copies_are_marked_where_wanted(run, stream):
    written("both.jsonl", [{"id": "both", "text": f"{FERRY} {MILL}", "time": STREAM[-1]["time"]}])
    done = run("ingest", stream, "both.jsonl", "--partial", "--delta", "0")
    assert done.lines[-1]["status"] == "partial"
    assert {part["id"] for part in done.lines[-1]["partial"]} == {
        "ferry",
        "mill",
        "ferry-again",
        "ferry-edited",
    }
    assert "1 partial" in done.err
    assert [verdict["partial"] for verdict in done.lines[:2]] == [[], []]
    told = ("check", "both.jsonl", "--against", stream, "--partial", "--delta", "0", "--format", "table")
    for listed in ("10", "1"):
        assert " +3 " in run(*told, "--matches", listed).out


def test_copies_are_dropped_where_wanted(run, stream):
    run("ingest", stream, "--policy", "drop")
    assert json.loads(run("stats", "--format", "jsonl").out)["documents"] == 3


def test_the_recipe_may_be_chosen(run, stream):
    assert run("ingest", stream, "--q", "5", "--fold-case").code == 0
    assert ":q5:fold:" in json.loads(run("stats", "--format", "jsonl").out)["recipe"]


def test_another_recipe_than_the_window_s_is_refused(run, window, stream):
    done = run("ingest", stream, "--window", window, "--q", "5")
    assert done.code == 3
    assert "was signed by recipe" in done.err


def test_neardup_toml_is_read(run, stream):
    Path("neardup.toml").write_text('window = "other"\nthreshold = 1.0\n')
    assert statuses(run("ingest", stream))["ferry-edited"] == "unique"
    assert Path("other").is_dir()
    assert (
        statuses(run("ingest", stream, "--threshold", "0.7", "--window", "third"))["ferry-edited"] == "near"
    )


def test_a_wrong_key_in_neardup_toml_names_the_nearest(run, stream):
    Path("neardup.toml").write_text("treshold = 1.0\n")
    done = run("ingest", stream)
    assert done.code == 2
    assert done.err == "neardup: neardup.toml: there is no setting 'treshold'; the nearest is 'threshold'\n"


def test_a_window_keeps_its_settings(run, stream):
    run("ingest", stream, "--threshold", "0.9", "--window", "w")
    assert json.loads(run("stats", "--window", "w", "--format", "jsonl").out)["threshold"] == "0.9"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.jsonl"], "does not exist"),
        (["stream.jsonl", "--threshold", "7"], "threshold"),
        (["stream.jsonl", "--threshold", "much"], "threshold"),
        (["stream.jsonl", "--retrieval", "magic"], "magic"),
        (["stream.jsonl", "--matches", "few"], "matches"),
        (["stream.jsonl", "--max-memory", "much"], "max_memory"),
        (["stream.jsonl", "--route", "north"], "routes"),
        (["stream.jsonl", "--config", "none.toml"], "none.toml"),
        (["stream.jsonl", "--output", "stream.jsonl"], "stream.jsonl"),
        ([], "Missing argument"),
        (["stream.jsonl", "--from-index", "letters"], "not both"),
        (["stream.jsonl", "--in-place"], "--from-index"),
        (["--from-index", "letters", "--window", "w"], "a URL"),
        (["--from-index", "letters", "--in-place", "--window", "w"], "a URL"),
    ],
)
def test_usage_errors_have_code_2_and_one_message(run, stream, words, message):
    done = run("ingest", *words)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert len(stream.read_text().splitlines()) == 5


@pytest.mark.parametrize(
    ("place_name", "message"),
    [
        ("https://localhost:9200", "a URL with a prefix as its path"),
        ("file.window", "file.window"),
        ("damaged.window", "damaged.window"),
    ],
)
def test_an_unusable_window_is_one_message(run, stream, place_name, message):
    Path("file.window").write_text("")
    Path("damaged.window").mkdir()
    Path("damaged.window/window.json").write_text("{")
    done = run("ingest", stream, "--window", place_name)
    assert done.code in (2, 3)
    assert message in done.err
    assert done.err.startswith("neardup: ")


def test_documents_without_an_id_are_named_by_file_and_line(run):
    done = run("ingest", written("n.jsonl", [{"text": FERRY}, {"text": MILL}]))
    assert [verdict["id"] for verdict in done.lines] == ["n.jsonl:1", "n.jsonl:2"]
