"""What others wrote does not steer a terminal, and the streams of a command may be closed, broken or not UTF-8."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from testing.cli.processes import seen_on_a_terminal
from testing.cli.samples import FERRY, STREAM, written

from neardup.model.escapes import escaped, escaped_json, without_passwords

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="streams of POSIX")

STEERING = [chr(point) for point in (*range(0x20), *range(0x7F, 0xA0))] + list(
    "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\udce9"
)
EVIL = "\x1b[2J\x07\x9b\u202e\nrow"


def evil() -> Path:
    """Two copies with ids and titles that would steer a terminal."""
    records = [{"id": f"{EVIL}{i}", "time": 1795251600, "text": f"{EVIL.strip()} {FERRY}"} for i in range(2)]
    return written("evil.jsonl", records)


def steers(text: str) -> bool:
    """Whether anything in `text` but ends of lines steers a terminal."""
    return any(character in text for character in STEERING if character != "\n")


@pytest.mark.parametrize("character", STEERING)
def test_a_character_that_steers_is_written_out(character):
    shown = escaped(f"a{character}b")
    assert shown == f"a\\x{ord(character):02x}b" if ord(character) < 256 else f"a\\u{ord(character):04x}b"
    assert escaped(f"a{character}b", lines=True) == (f"a{character}b" if character in "\t\n" else shown)


@pytest.mark.parametrize("text", ["", "plain", "naïve — 東京 🙂", "\u00a0\u200b\u200d\u00ad", "\\x1b"])
def test_other_characters_stay(text):
    assert escaped(text) == text


def test_json_says_the_same_after_escaping():
    value = {"id": "".join(c for c in STEERING if not "\ud800" <= c <= "\udfff"), "n": 1}
    line = json.dumps(value, ensure_ascii=False).encode() + b"\n"
    shown = escaped_json(line)
    assert json.loads(shown) == value
    assert not steers(shown.decode())
    assert shown.endswith(b"}\n")


def test_tables_show_escapes_and_rows_stay_whole(run):
    done = run("ingest", evil(), "--window", "w", "--format", "table")
    shown = EVIL.replace("\x1b", r"\x1b").replace("\x07", r"\x07").replace("\x9b", r"\x9b")
    shown = shown.replace("\u202e", r"\u202e").replace("\n", r"\x0a")
    _, row, folded, _ = done.out.splitlines()  # long ids go on in a line of their own
    for id, end in zip((f"{shown}1", f"{shown}0"), folded.split(), strict=True):
        assert id.endswith(end)
        assert id.removesuffix(end) in row
    assert not steers(done.out + done.err)
    for words in (["query", "--text", FERRY, "--threshold", "0.5"], ["groups"]):
        table = run(*words, "--window", "w", "--format", "table")
        assert r"\x1b[2J\x07" in table.out
        assert not steers(table.out + table.err)


def test_what_is_said_shows_escapes(run_process):
    Path("bad\x1b[2J.jsonl").write_text(
        json.dumps({"id": "1", "\u202efield": 1}, ensure_ascii=False) + "\n{\n", "utf-8"
    )
    done = run_process("ingest", "bad\x1b[2J.jsonl", "--format", "quiet")
    assert done.code == 1
    assert r"rejected bad\x1b[2J.jsonl:1: no text" in done.err
    assert r"\u202efield" in done.err
    assert not steers(done.err)


@pytest.mark.parametrize(
    "words",
    [["\x1b[31mnone"], ["stats", "--\x1b[31mnone"], ["query", "--file", "\x1b[31mnone"], ["--\x1b[31mnone"],
     ["delete", "\x1b[31mnone", "--window", "\x1b[31mw"], ["stats", "--window", "h:1/\x1b[31m"]],
)  # fmt: skip
def test_a_command_line_that_is_not_understood_is_repeated_escaped(run, words):
    done = run(*words)
    assert done.code in (2, 3)
    assert r"\x1b[31m" in done.err
    assert not steers(done.err)


def test_json_on_a_terminal_is_escaped_and_in_a_pipe_left_as_it_is(run_process, command):
    path = evil()
    piped = run_process("ingest", path, "--window", "w").out
    assert "\u202e" in piped
    on_terminal = seen_on_a_terminal([*command, "ingest", str(path), "--window", "w"], output=True)
    assert b"\\u202e" in on_terminal
    assert b"\\u009b" in on_terminal
    assert "\u202e".encode() not in on_terminal


# -- encodings --


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_table_where_the_encoding_lacks_a_character(run_process, encoding):
    records = [{"id": f"東京-{i}", "time": 1795251600, "text": f"東京 — {FERRY}"} for i in range(2)]
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    path = written("tokyo.jsonl", records)
    done = run_process("ingest", path, "--window", "w", "--format", "table", env=environment)
    assert (done.code, "Traceback" in done.err) == (0, False)
    assert r"\u6771\u4eac-1" in done.out
    for words in (["groups"], ["query", "--text", "x" + FERRY], ["stats"]):
        done = run_process(*words, "--window", "w", "--format", "table", env=environment)
        assert (done.code, "Traceback" in done.err) == (0, False), words
        assert words[0] == "stats" or r"\u6771\u4eac-" in done.out


def test_a_locale_without_utf_8(run_process):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "PYTHONIO"))}
    environment |= {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    path = written("tokyo.jsonl", [{"id": "東京", "text": f"東京 {FERRY}"}])
    assert run_process("ingest", path, "--window", "w", "--format", "quiet", env=environment).code == 0
    done = run_process(
        "query", "--window", "w", "--text", f"東京 {FERRY}", "--format", "table", env=environment
    )
    assert done.code == 0
    assert "exact: 1 match" in done.out
    assert r"\u6771\u4eac" in done.out
    done = run_process("explain", "東京", "東京", "--window", "w", env=environment)
    assert (done.code, "doc_q 1.000" in done.out) == (0, True)
    assert run_process("delete", "東京", "--window", "w", env=environment).out == "1 deleted\n"


@pytest.mark.parametrize(
    ("words", "named"),
    [("show --text", "--text"), ("query --window w --text", "--text"), ("query --window w --id", "--id"),
     ("delete --window w", "ID")],
)  # fmt: skip
def test_a_text_that_is_no_text(run_process, window, words, named):
    done = run_process(*words.split(), b"caf\xe9".decode(errors="surrogateescape"))
    assert done.code == 1
    why = r"caf\xe9 is not UTF-8: byte 0xe9 at offset 3"
    assert done.err == f"neardup: document '{named}' cannot be used: {why}\n"


def test_of_several_ids_the_one_that_is_no_text_is_named(run_process, window):
    long = b"\xe9" + 50 * b"a"
    words = ("get", "ferry", long.decode(errors="surrogateescape"), "--window", "w")
    shown = rf"\xe9{36 * 'a'}…"
    assert f"cannot be used: {shown} is not UTF-8: byte 0xe9 at offset 0\n" in run_process(*words).err


@pytest.mark.parametrize("format", ["text", "json", "html"])
def test_a_file_whose_name_is_no_utf8_is_shown_as_messages_name_it(run_process, format):
    path = b"caf\xe9.txt".decode(errors="surrogateescape")
    Path(path).write_text(FERRY)
    shown = run_process("explain", path, path, "--format", format).out
    assert (r"caf\\xe9.txt" if format == "json" else r"caf\xe9.txt") in shown
    assert "dce9" not in shown


def test_a_file_whose_name_is_no_utf8_is_compared_with_a_document(run_process, window):
    path = b"caf\xe9.txt".decode(errors="surrogateescape")
    Path(path).write_text(FERRY)
    done = run_process("explain", path, "ferry", "--window", window)
    assert (done.code, "doc_q 1.000" in done.out) == (0, True)


# -- closed and broken --


def shell(command: list[str], words: str) -> subprocess.CompletedProcess[str]:
    """Runs `neardup WORDS` by a shell, which can close streams."""
    line = f'"$0" "$1" "$2" {words}'
    return subprocess.run(
        ["sh", "-c", line, *command], capture_output=True, text=True, check=False, timeout=120
    )


def test_a_closed_standard_input(command):
    done = shell(command, "ingest - --window w <&-")
    assert done.returncode == 1
    assert "rejected -: cannot be read: standard input is closed" in done.stderr
    assert (
        "neardup: w is a new window, of 24 hours" in done.stderr
    )  # which the stream of the next start finds
    assert "Traceback" not in done.stderr
    done = shell(command, "query --window w --file - <&-")
    assert done.returncode == 1
    assert "standard input is closed" in done.stderr


@pytest.mark.parametrize("words", ["mcp -w w", "calibrate -w w"])
def test_a_closed_standard_input_of_other_commands(command, window, words):
    done = shell(command, f"{words} <&-")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        3,
        "neardup: [Errno 9] standard input is closed",
    )
    assert "Traceback" not in done.stderr


def test_a_closed_standard_output_is_told_before_anything_is_stored(command, stream):
    for words in (f"ingest {stream} -w w", f"ingest {stream} -w w -f table"):
        done = shell(command, f"{words} >&-")
        assert done.returncode == 2
        assert "standard output is closed, so nothing can be printed" in done.stderr
        assert "Traceback" not in done.stderr
    assert shell(command, f"ingest {stream} -w w -f quiet >&-").returncode == 0
    assert shell(command, f"ingest {stream} -w w2 -o v.jsonl >&-").returncode == 0
    assert len(Path("v.jsonl").read_text().splitlines()) == len(STREAM)


@pytest.mark.parametrize(
    "words", ["stats -w w", "groups -w w", "groups -w w -f table", "version", "--help", "doctor"]
)
def test_a_closed_standard_output_of_other_commands(command, window, words):
    done = shell(command, f"{words} >&-")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "neardup: standard output is closed, so nothing can be printed: redirect it to a"
    )
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    ["delete mill -w w", "expire -w w --now 2030-01-01 --window-hours 1 --force", "reconcile -w w -t 0.5",
     "lexicon build stream.jsonl -o own", "boilerplate learn stream.jsonl -o own", "doctor -w w --repair --force",
     "setup -w http://127.0.0.1:1/news", "remove -w http://127.0.0.1:1/news --force",
     "rollover -w http://127.0.0.1:1/news"],
)  # fmt: skip
def test_a_closed_standard_output_is_told_before_anything_is_changed(command, place, window, words):
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    done = shell(command, f"{words} >&-")
    assert done.returncode == 2
    assert done.stderr.startswith("neardup: standard output is closed, so nothing can be printed")
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


def test_a_closed_standard_error_does_not_mix_into_the_verdicts(command, stream):
    done = shell(command, f"ingest {stream} --window w 2>&-")
    assert done.returncode == 0
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [
        record["id"] for record in STREAM
    ]


def test_all_three_closed(command, stream, run):
    done = shell(command, f"ingest {stream} --window w --format quiet <&- >&- 2>&-")
    assert done.returncode == 0
    assert json.loads(run("stats", "--window", "w", "--format", "jsonl").out)["documents"] == len(STREAM)


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="a device of Linux")
@pytest.mark.parametrize(
    "words",
    [
        "stats -w w", "groups -w w", "groups -w w -f table", "query -w w --id mill -f table", "version", "--help",
        "dedup stream.jsonl", "ingest stream.jsonl -w w",
    ],
)  # fmt: skip
def test_a_full_disk_behind_standard_output(command, window, stream, words):
    done = shell(command, f"{words} > /dev/full")
    assert done.returncode == 3
    told = "neardup: standard output: No space left on device: make room, and give the same command again"
    assert done.stderr.splitlines()[-1] == told
    assert done.stderr.count("No space left on device") == 1
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.parametrize("words", ["version", "dedup long.txt"])  # less than a buffer holds, and more
def test_a_pipe_that_is_full_and_does_not_wait(command, words):
    Path("long.txt").write_text(FERRY * 1_000)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writing, b"x" * 4_096)
    done = subprocess.run(
        [*command, *words.split()], stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(reading)
    os.close(writing)
    assert done.returncode == 3
    assert (
        done.stderr.splitlines()[-1] == "neardup: standard output: write could not complete without blocking"
    )


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="a device of Linux")
def test_a_standard_error_that_takes_nothing_stops_nothing(command, stream):
    done = shell(command, f"ingest {stream} --window w 2> /dev/full")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == len(STREAM)


def test_tables_have_colours_that_are_read_on_white_and_on_black():
    from neardup.cli.tables import STYLES

    assert not {"yellow", "white", "black", "cyan", "blue"} & set(STYLES.values())


@pytest.mark.parametrize(
    "message",
    [
        "https://medium.com/@ann/ferry: no text",
        "Elasticsearch at http://localhost:9200 answered PUT /_component_template/news@custom with 400",
        "rejected mails/1795.M2P7.host:2,S:1: no text, from ann@example.org",
        "no document '<20261121:0800.ferry@example.org>' in this window",
        "no document 'mailto:ann@example.org' in this window",
        "not JSON: a:b, ann@example.org",
        "rejected mails/imap:ann@example.org.mbox:12: no text",
        "rejected /data/10:15:00@search.jsonl:3: not JSON",
        "https://scorer@search:9200/news does not exist",
        "no document 'http://search:8080/@ann' in this window",
        "PUT http://localhost:9200/_component_template/news@custom",
    ],
)
def test_a_message_without_a_password_stays_as_it_is(message):
    assert without_passwords(message) == message


@pytest.mark.parametrize("repeated", ["#", "1,2", "a:", "=@", "https://"])
def test_the_time_that_a_message_takes_grows_with_its_length(repeated):
    """Eight times the length takes about eight times as long; if it grew as the square, sixty-four times."""

    def seconds(times):
        begin = time.process_time()
        without_passwords(repeated * times)
        return time.process_time() - begin

    assert seconds(40_000) < 24 * min(seconds(5_000) for _ in range(3)) + 0.2
