"""Files are no stream: what is compared, in which order, at which time, and what is said of it."""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path

import pytest
from testing.cli.samples import FERRY, MILL, STREAM, written

import neardup

WHOLE = "neardup: no limit of hours: all documents of the files are compared (--window-hours 24 for a rolling window)\n"
HOUR = 3_600
START = 1_600_000_000 // HOUR * HOUR


def text(number):
    return " ".join(chr(0x4E00 + number * 40 + i) * 2 for i in range(40))


def archive(hours=range(0, 400, 4), copies=(8, 60, 200)):
    """A document every four hours, and of each of the first ones copies later: hours, a day, a week."""
    records = [{"id": f"d{hour}", "text": text(hour), "time": START + hour * HOUR} for hour in hours]
    again = [
        {"id": f"d{hour}+{later}", "text": text(hour), "time": START + (hour + later) * HOUR + 60 + later}
        for hour in list(hours)[:40]
        for later in copies
    ]
    return sorted(records + again, key=lambda record: record["time"])


def ordered(records, order):
    return {
        "file": records, "reversed": records[::-1], "shuffled": random.Random(7).sample(records, len(records)),
    }[order]  # fmt: skip


def incomplete(lines):
    return sum(line["truncated"] or line["status"] == "unscored" for line in lines)


def copies(lines):
    return sum(line["duplicate_of"] is not None for line in lines)


@pytest.mark.parametrize("order", ["file", "reversed", "shuffled"])
def test_an_archive_is_compared_whole(run, order):
    done = run("ingest", written("a.jsonl", ordered(archive(), order)))
    assert (done.code, copies(done.lines), incomplete(done.lines)) == (0, 120, 0)
    assert WHOLE in done.err
    assert '"window_hours": 0' in Path("neardup.window/window.json").read_text()


@pytest.mark.parametrize("order", ["file", "reversed", "shuffled"])
def test_into_a_rolling_window_files_go_in_order_of_time(run, order):
    expected = run("ingest", written("a.jsonl", archive()), "--window", "w", "--window-hours", "24")
    assert (expected.code, copies(expected.lines), incomplete(expected.lines)) == (0, 40, 0)
    assert "not in order of time" not in expected.err
    assert WHOLE not in expected.err
    done = run(
        "ingest", written("b.jsonl", ordered(archive(), order)), "--window", "v", "--window-hours", "24"
    )
    assert (done.code, done.out) == (0, expected.out)
    message = (
        "neardup: the files are not in order of time: their documents are sorted by time first, because this window "
        "keeps 24 hours\n"
    )
    assert (message in done.err) == (order != "file")


def test_into_a_rolling_window_the_documents_of_one_hour_go_in_order_of_time_too(run):
    records = [
        {"id": f"at {minute}", "text": "The ferry ran aground at dawn.", "time": f"2026-11-21T06:{minute}Z"}
        for minute in (40, 20, 30)
    ]
    done = run("ingest", written("a.jsonl", records), "--window-hours", "24")
    assert [(line["id"], line["duplicate_of"]) for line in done.lines] == [
        ("at 20", None),
        ("at 30", "at 20"),
        ("at 40", "at 20"),
    ]


def test_what_left_the_window_is_counted_and_named(run):
    done = run("ingest", written("a.jsonl", archive(copies=())), "--window-hours", "24", "--format", "quiet")
    assert "93 documents of 93 hours left the window (2020.09.13-12 to 2020.09.28-20)" in done.err


@pytest.mark.parametrize("order", ["reversed", "shuffled"])
def test_a_stream_that_comes_too_late_is_no_success(run_process, order):
    lines = "".join(json.dumps(record) + "\n" for record in ordered(archive(), order))
    done = run_process("ingest", "-", "--window", "w", stdin=lines.encode())
    bad = incomplete(done.lines)
    assert (done.code, bad > 2) == (1, True)
    assert f"; {bad} not compared with all of their window" in done.err
    assert f"neardup: {bad} of {len(done.lines)} documents (" in done.err
    assert (
        "were not compared with all of their window. For late documents, and those read again, the hours to compare "
        "with may be dropped already: by the limit of hours (a new window with --window-hours 0 has none"
        in done.err
    )
    assert WHOLE not in done.err


def test_a_sentence_that_too_many_documents_have_is_named_as_what_was_left_out(run):
    records = [{"id": f"{number}", "text": f"{text(number)}. {FERRY}"} for number in range(310)]
    done = run("ingest", written("a.jsonl", records), "--partial")
    assert (done.code, incomplete(done.lines)) == (1, 9)
    assert "skip documents stored without them, and sentences that hundreds of documents have" in done.err


def test_one_in_a_hundred_is_not_much(run):
    records = archive(range(0, 400, 4), copies=())
    run("ingest", written("a.jsonl", records), "--window", "w", "--window-hours", "24", "--format", "quiet")
    for late, code in ((1, 0), (2, 1)):
        again = [*records[-7:-1]] * 17 + [*records[:late]]
        again = [{**record, "id": f"{i}"} for i, record in enumerate(again[-100:])]
        path = written(f"{late}.jsonl", sorted(again, key=lambda record: record["time"]))
        done = run("ingest", path, "--window", "w")
        assert (len(done.lines), incomplete(done.lines), done.code) == (100, late, code)


def test_standard_input_from_a_file_is_a_file(command, place):
    import subprocess

    path = written("a.jsonl", archive()[::-1])
    for words in ([], ["--window-hours", "24"]):
        with path.open() as file:
            done = subprocess.run(
                [*command, "ingest", "-", "--window", f"w{len(words)}", *words],
                stdin=file, capture_output=True, text=True, check=False, timeout=120,
            )  # fmt: skip
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert (len(lines), incomplete(lines), copies(lines)) == (220, 0, 40 if words else 120)
        assert done.returncode == 0


def test_rejects_of_files_that_are_sorted_keep_file_and_line(run):
    records = [
        {"id": "late", "text": text(1), "time": START + 30 * HOUR},
        {"id": "wild", "text": text(2), "time": "9999-01-01T00:00:00Z"},
        {"id": "no text", "time": START},
        {"id": "early", "text": text(3), "time": START},
        {"id": "soon", "text": text(3), "time": "soon"},
    ]
    done = run("ingest", written("a.jsonl", records), "--window-hours", "40", "--rejects", "r.jsonl")
    assert [verdict["id"] for verdict in done.lines] == ["early", "late"]
    rejects = [json.loads(line) for line in Path("r.jsonl").read_text().splitlines()]
    assert sorted((reject["line"], reject["source"], reject["id"]) for reject in rejects) == [
        (2, "a.jsonl", "wild"), (3, "a.jsonl", "no text"), (5, "a.jsonl", "soon"),
    ]  # fmt: skip


# -- whose time is believed --


def test_a_gap_in_an_archive_is_none_in_the_answer(run):
    records = [*archive(range(0, 40, 2), ()), *archive(range(500, 540, 2), ())]
    done = run("ingest", written("a.jsonl", records), "--window-hours", "24")
    assert (done.code, len(done.lines)) == (0, 40)


def test_a_lone_document_far_ahead_is_not_believed_without_a_yes(run):
    records = [*archive(range(24), ()), {"id": "far", "text": text(0), "time": START + 900 * HOUR}]
    path = written("a.jsonl", records)
    done = run("ingest", path, "--window", "w", "--window-hours", "24")
    assert (done.code, len(done.lines)) == (1, 24)
    assert (
        "neardup: rejected a.jsonl:25: time 2020-10-21T00:00:00Z would move the window on from hour"
        in done.err
    )
    assert "expire all 24 documents in it" in done.err
    assert json.loads(run("stats", "--window", "w", "--format", "jsonl").out)["documents"] == 24
    done = run("ingest", path, "--window", "w", "--advance")
    assert "24 documents of 24 hours left the window" in done.err
    assert json.loads(run("stats", "--window", "w", "--format", "jsonl").out)["documents"] == 1
    done = run(
        "ingest",
        written("b.jsonl", [records[-1] | {"id": "b", "time": START + 1_900 * HOUR}]),
        "--window",
        "w",
    )
    assert "expire the one document in it" in done.err


def test_one_record_without_a_time_never_empties_a_window(run, run_process):
    run("ingest", written("a.jsonl", archive(range(24), ())), "--window", "w", "--window-hours", "24")
    line = b'{"id":"x","text":"one new document"}\n'
    done = run_process("ingest", "-", "--window", "w", stdin=line)
    assert (done.code, done.out) == (1, "")
    assert ", which it was given because it has none, would move the window on" in done.err
    assert "expire all 24 documents in it" in done.err
    assert "without a time ha" not in done.err
    assert json.loads(run("stats", "--window", "w", "--format", "jsonl").out)["documents"] == 24


def test_ahead_hours_is_an_option(run):
    path = written("a.jsonl", [{"id": "a", "text": text(0), "time": time.time() + 30 * HOUR}])
    done = run("ingest", path, "--window", "w")
    assert (done.code, done.out) == (1, "")
    assert "is over 29 hours ahead of the clock (" in done.err
    assert (
        "more than 24: if it is right, the setting ahead_hours allows more (--ahead-hours, NEARDUP_AHEAD_HOURS)"
        in done.err
    )
    assert run("ingest", path, "--window", "w", "--ahead-hours", "48").code == 0


def test_a_field_to_show_that_no_document_has_is_told(run):
    records: list[dict[str, object]] = [
        {"id": "a", "text": FERRY, "title": "", "page": {"lang": "en"}},
        {"id": "b", "text": MILL, "title": "M"},
    ]
    shown = [
        word for name in ("title,lang", "title", "page.lang", "text", "url") for word in ("--show", name)
    ]
    done = run("ingest", written("a.jsonl", records), *shown)
    told = [line for line in done.err.splitlines() if "--show" in line]
    assert told == [
        "neardup: no document has the field 'title,lang' named by --show: give --show once for each field",
        "neardup: no document has the field 'url' named by --show",
    ]
    assert "--show" not in run("ingest", "a.jsonl").err


# -- records without a time --


def undated(*times):
    return [
        {"id": f"{i}", "text": text(i)} | ({} if time is None else {"time": time})
        for i, time in enumerate(times)
    ]


A, B = "2026-11-20T06:00:00Z", "2026-11-20T07:00:00Z"


BEFORE = "the time of the document before, or of the first with a time (first: a.jsonl"


@pytest.mark.parametrize(("times", "expected", "message"), [
    ([A, None, B, None], [A, A, B, B], f"2 documents without a time have {BEFORE}:2)"),
    ([None, "", B], [B, B, B], f"2 documents without a time have {BEFORE}:1)"),
    (
        [A, "9999-01-01T00:00:00Z", None], [A, A],
        f"1 document without a time has {BEFORE}:3)",
    ),
    ([A, "soon", None], [A, A], f"1 document without a time has {BEFORE}:3)"),
])  # fmt: skip
def test_no_time_is_that_of_the_one_before(run, times, expected, message):
    done = run("ingest", written("a.jsonl", undated(*times)))
    assert [verdict["time"] for verdict in done.lines] == expected
    assert f"neardup: {message}\n" in done.err


def test_a_mail_without_a_date_has_the_time_of_its_file_and_not_of_its_neighbour(run):
    Path("mails").mkdir()
    dates = {"a": "Tue, 13 Sep 2005 12:00:00 +0000", "b": None, "c": "Sun, 13 Sep 2020 13:00:00 +0000"}
    for name, date in dates.items():
        head = f"Subject: {name}\n" + (f"Date: {date}\n" if date else "")
        Path(f"mails/{name}.eml").write_text(f"{head}\n{FERRY}")
    os.utime("mails/b.eml", (1_600_000_000, 1_600_000_000))
    written("mails/d.jsonl", [{"id": "d", "text": MILL}])
    done = run("ingest", "mails", "--window-hours", "168")
    assert {verdict["id"]: (verdict["time"], verdict["status"]) for verdict in done.lines} == {
        "a.eml": ("2005-09-13T12:00:00Z", "unique"),
        "b.eml": ("2020-09-13T12:26:40Z", "unique"),
        "c.eml": ("2020-09-13T13:00:00Z", "exact"),
        "d": ("2020-09-13T13:00:00Z", "unique"),
    }
    assert (
        "1 document without a time has the time when the file was last changed (first: mails/b.eml)"
        in done.err
    )
    assert f"1 document without a time has {BEFORE.replace('a.jsonl', 'mails/d.jsonl:1')}" in done.err
    again = run("ingest", "mails")
    assert again.lines[1:] == done.lines[1:]  # the first one has left the window


@pytest.mark.parametrize(("changed", "code"), [(1_600_300_000, 0), (None, 1)], ids=["then", "now"])
def test_times_of_files_confirm_one_another_unless_the_files_were_changed_now(run, changed, code):
    """Pages of a crawl after a pause, of which none has a date, as against an archive with two copied files."""
    dated = written("a.jsonl", [{"id": "a", "text": MILL, "time": "2020-09-13T12:00:00Z"}])
    for name in ("b.txt", "c.txt"):
        Path(name).write_text(f"{FERRY} {name}")
        os.utime(name, None if changed is None else (changed, changed))
    done = run("ingest", dated, "b.txt", "c.txt", "--window-hours", "24")
    assert (done.code, len(done.lines)) == (code, 1 if code else 3), done.err


def test_a_file_changed_in_the_future_counts_as_changed_now(run):
    Path("a.txt").write_text(FERRY)
    os.utime("a.txt", (9_000_000_000, 9_000_000_000))
    dated = written("a.jsonl", [{"id": "a", "text": MILL, "time": "2020-09-13T12:00:00Z"}])
    (_, verdict) = run("ingest", dated, "a.txt").lines
    assert "2020-09-14" < verdict["time"] < "2255"


def test_where_nothing_has_a_time_it_is_that_of_arrival(run):
    done = run("ingest", written("a.jsonl", undated(None, None)))
    assert all(verdict["time"].startswith("20") for verdict in done.lines)
    assert "2 documents without a time have the time of arrival (first: a.jsonl:1)\n" in done.err


def test_where_documents_have_times_no_other_field_is_looked_for(run):
    Path("a.eml").write_text(f"Date: Sun, 13 Sep 2020 13:00:00 +0000\n\n{FERRY}")
    done = run("ingest", "a.eml", written("a.jsonl", [{"id": "a", "text": MILL, "published_at": A}]))
    assert f"1 document without a time has {BEFORE}:1)\n" in done.err


def test_fields_that_may_be_a_time_are_those_of_records_that_make_documents(run):
    written("a.jsonl", [{"page": 1}])
    Path("a.txt").write_text(FERRY)
    done = run("ingest", "a.jsonl", "a.txt", "--window", "v")
    assert "1 document without a time has the time of arrival (first: a.txt)\n" in done.err
    done = run(
        "ingest", "a.jsonl", written("b.jsonl", [{"id": "a", "text": MILL, "day": A}]), "--time-field", "on"
    )
    assert "no record has a time in the field 'on' (fields: day, id, text)" in done.err


def test_a_time_in_a_field_of_another_name_is_told_with_the_fields(run):
    records = [{"id": "a", "text": FERRY, "published_at": A}, {"id": "b", "text": MILL, "published_at": B}]
    done = run("ingest", written("a.jsonl", records))
    assert (
        "2 documents without a time have the time of arrival (first: a.jsonl:1); no record has one in the field "
        "'time' or 'timestamp' or '@timestamp' (fields: id, published_at, text): --time-field names another\n"
    ) in done.err
    named = run("ingest", "a.jsonl", "--time-field", "day")
    assert named.err.count("(fields: id, published_at, text)") == 1  # not twice
    Path("a.txt").write_text(FERRY)
    assert "--time-field" not in run("ingest", "a.txt").err


@pytest.mark.parametrize(
    ("times", "hours", "told"),
    [
        ([None, None], "0", "1 document without a time has the time of arrival (first: a.jsonl:2)"),
        ([None, None, B], "0", f"1 document without a time has {BEFORE}:2)"),
        ([None, None, B, A], "24", f"1 document without a time has {BEFORE}:2)"),
    ],
    ids=["of arrival", "of the document before", "sorted"],
)
def test_rejected_documents_are_not_told_among_those_without_a_time(run, times, hours, told):
    long, *others = undated(*times)
    written("a.jsonl", [long | {"text": "x" * 5000}, *others])
    done = run("ingest", "a.jsonl", "--window-hours", hours, "--max-length", "4999")
    assert told in done.err
    none = run("ingest", "a.jsonl", "--window", "none", "--window-hours", hours, "--max-length", "1")
    assert "without a time" not in none.err


def test_a_stream_of_september_survives_a_record_without_a_time(run_process):
    lines = [json.dumps(record) for record in archive(range(24), copies=(1,))]
    lines.insert(12, '{"id": "b", "text": "no time at all", "time": null}')
    done = run_process("ingest", "-", "--window", "w", stdin="\n".join(lines).encode())
    assert "neardup: w is a new window, of 24 hours (--window-hours 0 for no limit)\n" in done.err
    assert "is a new window" not in run_process("ingest", "-", "--window", "w", stdin=lines[-1].encode()).err
    assert (done.code, incomplete(done.lines), copies(done.lines)) == (0, 0, 24)


def test_a_stream_tells_of_a_new_window_only_where_it_makes_one(run_process):
    line = json.dumps(archive([0])[0])
    done = run_process("ingest", "-", "--window", "w", "--window-hours", "1", stdin=line.encode())
    assert "w is a new window, of 1 hour (" in done.err
    for place in ("a.jsonl", "."):
        written("a.jsonl", [])
        done = run_process("ingest", "-", "--window", place, stdin=line.encode())
        assert (done.code, "setting window is" in done.err, "is a new window" in done.err) == (2, True, False)


# -- what a window remembers --


def test_fewer_hours_by_which_documents_go_need_force(run, caplog):
    path = written("a.jsonl", archive(range(24), ()))
    run("ingest", path, "--window", "w", "--format", "quiet")
    done = run("ingest", path, "--window", "w", "--window-hours", "1")
    assert (done.code, done.out) == (2, "")
    assert (
        "the window keeps 22 documents in 22 hours (2020.09.13-12 to 2020.09.14-09) that would be dropped"
        in done.err
    )
    assert "--force (force=True) drops them" in done.err
    assert json.loads(run("stats", "--window", "w", "--format", "jsonl").out)["documents"] == 24
    done = run("ingest", path, "--window", "w", "--window-hours", "1", "--keep-hours", "0")
    assert caplog.messages == [
        "w: compares 1 h and keeps all hours from now on, no longer compares and keeps all hours"
    ]
    done = run("ingest", path, "--window", "w", "--window-hours", "1", "--keep-hours", "1", "--force")
    assert json.loads(run("stats", "--window", "w", "--format", "jsonl").out)["documents"] == 2


@pytest.mark.parametrize("option", ["--window-hours", "--keep-hours"])
def test_documents_go_by_force_only_for_hours_that_are_given_beside_it(run, option):
    """It is told of an output that exists, too: by hours that a file has for another window an archive was gone."""
    path = written("a.jsonl", archive(range(24), ()))
    run("ingest", path, "--window", "w", "--output", "o.jsonl")
    Path("neardup.toml").write_text("window_hours = 1\n")
    assert "o.jsonl exists: --append adds to it, --force replaces it" in (
        run("ingest", path, "--window", "w", "--output", "o.jsonl").err
    )
    done = run("ingest", path, "--window", "w", "--output", "o.jsonl", "--force")
    assert (done.code, len(Path("o.jsonl").read_text().splitlines())) == (2, 24)
    assert "that would be dropped; --window-hours 1 --force (force=True) drops them" in done.err
    assert json.loads(run("stats", "--window", "w", "--format", "jsonl").out)["documents"] == 24
    run("ingest", path, "--window", "w", "--output", "o.jsonl", "--force", option, "1")
    assert json.loads(run("stats", "--window", "w", "--format", "jsonl").out)["documents"] == 2


def test_documents_do_not_go_by_force_for_hours_that_are_given_beside_those_of_a_file(run):
    path = written("a.jsonl", archive(range(24), ()))
    run("ingest", path, "--window", "w", "--window-hours", 1, "--keep-hours", 100, "--output", "o.jsonl")
    Path("neardup.toml").write_text("keep_hours = 2\n")
    again = ["ingest", path, "--window", "w", "--output", "o.jsonl", "--force"]
    done = run(*again, "--window-hours", 1)
    assert done.code == 2
    assert "that would be dropped; --keep-hours 2 --force (force=True) drops them" in done.err
    assert json.loads(run("stats", "--window", "w", "--format", "jsonl").out)["documents"] == 24
    run(*again, "--keep-hours", 2)
    assert json.loads(run("stats", "--window", "w", "--format", "jsonl").out)["documents"] == 3


def test_only_what_ingests_changes_what_is_remembered(run, monkeypatch):
    path = written("a.jsonl", archive(range(24), ()))
    run("ingest", path, "--window", "w", "--format", "quiet")
    before = Path("w/window.json").read_text()
    monkeypatch.setenv("NEARDUP_WINDOW_HOURS", "1")
    assert run("delete", "d3", "--window", "w").out == "1 deleted\n"
    assert run("expire", "--window", "w", "--now", START, "--window-hours", "300").out == ""
    assert list(run("reconcile", "--window", "w").lines) == []
    assert Path("w/window.json").read_text() == before
    monkeypatch.delenv("NEARDUP_WINDOW_HOURS")
    run("ingest", path, "--window", "w", "--format", "quiet")
    assert json.loads(run("stats", "--window", "w", "--format", "jsonl").out)["documents"] == 24


def test_a_wrong_time_is_set_back(run):
    records = [*archive(range(24), ()), {"id": "wrong", "text": text(0), "time": START + 900 * HOUR}]
    words = ("--window", "w", "--window-hours", "24", "--format", "quiet")
    run("ingest", written("a.jsonl", records), *words, "--advance")
    late = written("b.jsonl", [{"id": "late", "text": text(0), "time": START + 24 * HOUR}])
    assert json.loads(run("ingest", late, "--window", "w").out)["status"] == "unscored"
    run("delete", "wrong", "--window", "w")
    done = run("expire", "--window", "w", "--newest", "2020-09-14T12:00:00Z")
    assert (done.code, done.out, done.err) == (0, "", "neardup: the newest hour is 2020.09.14-12\n")
    verdict = json.loads(run("ingest", late, "--window", "w").out)
    assert (verdict["status"], verdict["truncated"]) == ("unique", True)
    assert json.loads(run("stats", "--window", "w", "--format", "jsonl").out)["truncated"] == 1
    done = run("expire", "--window", "w", "--newest", "2030-09-14T12:00:00Z")
    assert (done.code, "an hour no later than the newest one, which is 2020.09.14-12" in done.err) == (
        2,
        True,
    )
    assert run("expire", "--window", "w", "--newest", "soon").code == 2
    assert run("expire", "--window", "w", "--newest", "last", "--dry-run").code == 2
    assert (
        run("expire", "--window", "w", "--newest", "last").err
        == "neardup: the newest hour is 2020.09.14-12\n"
    )


def test_the_head_of_a_pipe_waits_for_the_first_time(run_process):
    """A first record without a time must not make a new window begin now."""
    records = [
        {"id": "none", "text": "no time at all here"},
        {"id": "dated", "text": FERRY, "time": "2026-11-19T06:00:00Z"},
    ]
    stream = "".join(json.dumps(record) + "\n" for record in records).encode()
    done = run_process("ingest", "-", "--window", "w", stdin=stream)
    assert [verdict["time"] for verdict in done.lines] == ["2026-11-19T06:00:00Z"] * 2
    assert (
        done.code,
        "1 document without a time has the time of the document before, or of the first with a time"
        in done.err,
    ) == (0, True)


def test_documents_of_an_earlier_run_that_give_way_are_told(run):
    for text in (FERRY, MILL):
        written("a.jsonl", [{"text": text, "time": "2026-11-19T06:00:00Z"}])
        done = run("ingest", "a.jsonl", "--window", "w", "--format", "quiet")
    message = (
        "1 document was stored by earlier runs, and replaced by another text with the same id: `neardup "
        "reconcile` makes the verdicts anew that name the earlier text. If that is no new "
        "version: name the field"
    )
    assert message in done.err
    assert "(without an id, a record is named after its file), or another window by --window\n" in done.err


def test_a_run_that_replaces_documents_of_earlier_runs_has_gone_well_and_says_so_once(run_process):
    for text in (FERRY, MILL):
        written("a.jsonl", [{"id": number, "text": f"{text} {number}"} for number in range(150)])
        done = run_process("ingest", "a.jsonl", "--window", "w", "--format", "quiet")
    assert (done.code, done.err.count("replaced")) == (0, 1)


def test_hours_are_kept_as_the_window_compares_them(run):
    written("a.jsonl", STREAM)
    words = ("ingest", "a.jsonl", "--window", "w", "--format", "quiet")
    assert run(*words, "--window-hours", "2", "--keep-hours", "30").code == 0
    assert (
        run(
            "expire", "--window", "w", "--keep-hours", "10", "--now", "2026-11-19T09:00:00Z", "--dry-run"
        ).code
        == 0
    )
    assert run(*words, "--keep-hours", "10").code == 0
    done = run(*words, "--keep-hours", "1")
    assert (
        done.code,
        "the 2 hours that are compared: to keep fewer, lower window_hours, too; 0" in done.err,
    ) == (2, True)


def test_hours_by_which_nothing_can_expire_are_told(run):
    file, far = written("a.jsonl", STREAM), ("--window", "w", "--now", "2026-11-21T09:00:00Z", "--dry-run")
    run("ingest", file, "--window", "w", "--window-hours", "2", "--keep-hours", "720", "--format", "quiet")
    said = "--window-hours does not change how long this window keeps documents (720 hours): use --keep-hours"
    done = run("expire", *far, "--window-hours", "1")
    assert (said in done.err, "nothing to drop" in done.err) == (True, True)
    for hours in (["--window-hours", "1", "--keep-hours", "1"], ["--window-hours", "2"], []):
        assert "does not change how long" not in run("expire", *far, *hours).err


def test_copies_that_are_earlier_than_their_originals_are_told_with_the_way_out(run):
    file = written(
        "in.jsonl", [{"id": id, "text": FERRY, "time": START + at} for id, at in (("a", 99), ("b", 0))]
    )
    said = run("ingest", file, "--window", "w.window").err
    assert (
        "1 copy is earlier than its original, which arrived first: neardup reconcile --window w.window"
        in said
    )
    dropping = run("ingest", file, "--window", "d.window", "--policy", "drop").err
    assert "arrived first: the policy drop has not stored them; neardup dedup --keep earliest" in dropping
    assert [line["id"] for line in run("dedup", file, "--keep", "earliest").lines] == ["b"]
    run("reconcile", "--window", "w.window")
    assert [line["head"] for line in run("groups", "--window", "w.window").lines] == ["b"]


def test_what_would_be_dropped_is_asked_beside_a_writer(run, stream):
    assert run("ingest", stream, "--window", "w", "--format", "quiet").code == 0
    asked = ("expire", "--window", "w", "--window-hours", "1", "--now", "2026-11-21T09:00:00Z", "--dry-run")
    with neardup.open("w") as writer:
        done = run(*asked)
        assert (done.code, f"{len(writer)} documents in" in done.err) == (0, True), done.err


def test_a_window_that_cannot_be_made_is_refused_before_anything_else_is_said(run):
    file = written("a.jsonl", STREAM)
    done = run("ingest", file, "--window", file)
    assert (done.code, "no limit of hours" in done.err) == (2, False)


def test_standard_input_without_records_is_told_beside_other_files_too(run_process):
    file = written("a.jsonl", STREAM)
    done = run_process("ingest", file, "-", stdin=b"id,text\na,Rain.\n")
    assert "standard input was read as JSON Lines, but has none: name its format by --input" in done.err
