"""`neardup doctor`: what has rotten unnoticed, what cannot be read, and what leads out of a lost salt."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from testing.cli.samples import FERRY


@pytest.fixture
def window(run, stream):
    assert run("ingest", stream, "--window", "w", "--window-hours", "24", "--format", "quiet").code == 0
    return "w"


def rot(file: str, byte: int) -> None:
    data = bytearray(Path(file).read_bytes())
    data[byte] ^= 1
    Path(file).write_bytes(data)


@pytest.mark.parametrize(
    ("file", "byte"),
    [*(("w/commit", 72 * slot + 9) for slot in range(4)), ("w/hours.list", 3), ("w/hours.list", -2)],
)
def test_a_rotten_byte_that_nobody_needs_yet_is_told_and_mended(run, window, file, byte):
    whole = Path(file).read_bytes()
    rot(file, byte)
    assert run("stats", "--window", window).code == 0
    done = run("doctor", "--window", window)
    assert done.code == 3
    assert Path(file).name in done.out
    done = run("doctor", "--window", window, "--repair", "--force")
    assert done.code == 0
    assert f"{Path(file).name} is damaged" in done.err
    assert run("doctor", "--window", window).code == 0
    if "hours" in file:
        assert Path(file).read_bytes() == whole
    assert run("query", "--window", window, "--text", FERRY).code == 0


def test_a_list_of_hours_that_is_lost_is_told_and_made_anew(run, window):
    whole = Path("w/hours.list").read_bytes()
    Path("w/hours.list").unlink()
    assert run("doctor", "--window", window).code == 3
    assert run("doctor", "--window", window, "--repair", "--force").code == 0
    assert Path("w/hours.list").read_bytes() == whole


def test_a_last_line_that_a_writer_did_not_end_is_no_damage(run, window):
    with Path("w/hours.list").open("ab") as file:
        file.write(b"2026.11")
    assert run("doctor", "--window", window).code == 0


@pytest.mark.parametrize("torn", [b"2026.11", b"2026.11.19-10"], ids=["hour", "line end"])
def test_an_hour_that_begins_after_a_last_line_that_was_cut_off_has_a_line_of_its_own(run, window, torn):
    with Path("w/hours.list").open("ab") as file:
        file.write(torn)
    record = {"id": "new", "text": FERRY, "time": "2026-11-19T09:00:00Z"}
    Path("new.jsonl").write_text(json.dumps(record))
    assert run("ingest", "new.jsonl", "--window", window, "--format", "quiet").code == 0
    assert run("doctor", "--window", window).code == 0
    assert Path("w/hours.list").read_bytes().splitlines()[-1] == b"2026.11.19-09"


@pytest.mark.parametrize(
    ("hours", "ahead", "is_told"), [("24", 20, True), ("24", -1, False), ("0", 20, False)]
)
def test_a_newest_hour_ahead_of_the_clock_is_told_where_hours_leave_by_it(run, hours, ahead, is_told):
    time = (datetime.now(UTC) + timedelta(hours=ahead)).isoformat()
    Path("a.jsonl").write_text(json.dumps({"id": "a", "text": FERRY, "time": time}))
    options = ("--window", "w", "--window-hours", hours, "--format", "quiet")
    assert run("ingest", "a.jsonl", *options).code == 0
    done = run("doctor", "--window", "w", "--format", "jsonl")
    told = [finding for finding in done.lines if finding["what"] == "newest hour"]
    assert (done.code, [finding["state"] for finding in told]) == (0, ["warning"] * is_told)
    assert all("`neardup expire --newest TIME` sets it back" in finding["found"] for finding in told)


def test_a_row_without_an_id_is_named_by_its_place(run, window):
    rows = next(iter(sorted(Path("w/hours").iterdir()))) / "rows.bin"
    rot(str(rows), 3)
    done = run("doctor", "--window", window, "--repair", "--format", "jsonl")
    (loss,) = done.lines
    assert loss["unreadable"] == 1
    ((start, length),) = loss["unreadable_at"]
    assert start == 0
    assert rows.stat().st_size % length == 0
    assert f"{rows.relative_to('w')}: 1 row of {length} bytes cannot be read" in done.err
    assert "from byte 0" in done.err


def salted(run, stream) -> None:
    Path("s").write_bytes(b"sixteen bytes and more")
    options = ("--window", "w", "--salt", "s", "--window-hours", "24", "--format", "quiet")
    assert run("ingest", stream, *options).code == 0


def test_what_is_said_of_a_lost_salt_leads_out(run, stream):
    salted(run, stream)
    for name in ("window.salt", "window.salt.copy"):
        Path("w", name).unlink()
    for command in ("resign", "doctor --repair"):
        done = run(*command.split(), "--window", "w")
        assert done.code == 3
        assert "neardup resign --window w --salt FILE --force" in done.err, command
        assert "neardup doctor" not in done.err
    Path("other").write_bytes(b"another secret, as long as that")
    assert run("resign", "--window", "w", "--salt", "other", "--force").code == 0
    assert run("doctor", "--window", "w").code == 0


def test_a_lost_salt_of_which_there_is_a_copy_is_put_back(run, stream):
    salted(run, stream)
    Path("w/window.salt").unlink()
    assert "neardup doctor --repair --window w" in run("resign", "--window", "w").err
    assert run("doctor", "--window", "w", "--repair", "--force").code == 0
    assert run("resign", "--window", "w").code == 0


def test_a_salt_that_can_be_guessed_is_told(run, stream, caplog):
    Path("s").write_bytes(b"123456789012345")
    run("ingest", stream, "--window", "w", "--salt", "s", "--window-hours", "24", "--format", "quiet")
    assert "the salt s has 15 bytes, which can be guessed" in caplog.text
    caplog.clear()
    shutil.rmtree("w")
    salted(run, stream)
    assert "guessed" not in caplog.text


def test_a_reach_above_the_threshold_of_the_window_is_told(run, stream, caplog):
    options = ("--window", "w", "--threshold", "0.5", "--window-hours", "24", "--format", "quiet")
    run("ingest", stream, *options)
    run("resign", "--window", "w", "--reach", "0.6")
    assert "thresholds from 0.6 on, and miss copies at 0.5, the threshold of the window" in caplog.text
    caplog.clear()
    run("resign", "--window", "w")
    assert caplog.text == ""


def test_a_window_that_was_named_and_is_not_there_is_a_warning(run):
    done = run("doctor", "--window", "mistyped", "--format", "jsonl")
    assert (done.code, done.lines[-1]["state"]) == (0, "warning")
    assert run("doctor", "--format", "jsonl").lines[-1]["state"] == "ok"


def test_readers_that_need_a_library_are_listed(run, monkeypatch):
    from importlib import metadata

    def version(name: str) -> str:
        if name == "trafilatura":
            raise metadata.PackageNotFoundError(name)
        return "1.2"

    monkeypatch.setattr(metadata, "version", version)
    done = run("doctor", "--format", "jsonl")
    found = {each["what"]: (each["state"], each["found"]) for each in map(json.loads, done.out.splitlines())}
    assert found["Parquet and Arrow"] == ("ok", "pyarrow 1.2")
    assert found["HTML pages and mails (--html)"] == (
        "ok",
        "not read here; pip install trafilatura lxml_html_clean adds it",
    )


def test_one_document_is_one_document(run):
    Path("one.jsonl").write_text(json.dumps({"id": "a", "text": FERRY, "time": "2026-11-19T06:00:00Z"}))
    run("ingest", "one.jsonl", "--window", "w", "--format", "quiet")
    assert "1 document in 1 hour, recipe" in " ".join(run("doctor", "--window", "w").out.split())
