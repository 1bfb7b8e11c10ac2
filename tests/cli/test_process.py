"""What only a process of its own shows: pipes, signals, exit codes, live input."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from testing.cli.processes import seen_on_a_terminal, wait_for
from testing.cli.samples import FERRY, STREAM, written
from testing.cluster_stand_in import Answer, standing_in

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def spawn(command: list[str], *words: object, **options: Any) -> Any:
    return subprocess.Popen(
        [*command, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, **options
    )


def many(count: int) -> Path:
    """Documents of random words, every tenth a copy of the one before."""
    rng = random.Random(7)
    texts = [" ".join(f"{rng.getrandbits(40):x}" for _ in range(40)) for _ in range(count)]
    texts[1::10] = texts[::10][: len(texts[1::10])]
    records = ({"id": f"{i}", "time": 1795251600, "text": text} for i, text in enumerate(texts))
    return written("many.jsonl", records)


def test_python_m_neardup_is_the_command(run_process):
    done = run_process("version")
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("seconds", ["inf", "nan", "1e300"])
def test_a_watcher_that_is_to_wait_for_ever_is_refused(run, seconds):
    done = run("watch", "--window", "http://127.0.0.1:1/news", "--poll", seconds)
    assert (done.code, "--poll" in done.err, seconds in done.err.replace("+", "")) == (2, True, True)


def test_a_warning_of_a_cluster_is_one_line_without_a_line_of_code(run_process):
    """Told once, whichever requests it comes with."""
    warning = {"warning": '299 Elasticsearch-9.2.0 "the parameter [local] is deprecated"'}
    health = {"cluster_name": "c", "status": "green", "number_of_nodes": 1, "number_of_data_nodes": 1}
    answer = Answer(200, health | {"active_shards": 1, "unassigned_shards": 0}, warning)
    with standing_in([answer]) as server:
        done = run_process("doctor", "--window", f"{server.url}/news")
        assert len(server.requests) > 2
    assert done.err == "neardup: the parameter [local] is deprecated\n"


def test_standard_input_is_read(run_process, stream):
    done = run_process("ingest", "-", stdin=stream.read_bytes())
    assert (done.code, len(done.lines)) == (0, len(STREAM))


def test_documents_of_two_pipes_without_ids_do_not_replace_each_other(run_process):
    lines = json.dumps({"text": FERRY}).encode() + b"\n"
    first, second = run_process("ingest", "-", stdin=lines), run_process("ingest", "-", stdin=lines)
    assert first.lines[0]["status"] == "unique"
    assert second.lines[0]["status"] == "exact" or second.lines[0]["id"] == first.lines[0]["id"]


def test_live_input_gets_its_verdicts_before_it_ends(command):
    with spawn(command, "ingest", "-", "--window", "w", stdin=subprocess.PIPE) as process:
        for record in STREAM[:3]:
            process.stdin.write(json.dumps(record).encode() + b"\n")
            assert json.loads(process.stdout.readline())["id"] == record["id"]
        process.stdin.close()
        assert process.stdout.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
@pytest.mark.parametrize("words", ["dedup - --keep longest --output kept.csv", "ingest - --output pipe"])
def test_one_signal_ends_what_has_nothing_to_finish(command, words, number, code):
    """All is read before anything is written, or nobody has opened the other end of a pipe."""
    os.mkfifo("pipe")
    with spawn(command, *words.split(), stdin=subprocess.PIPE) as process:
        process.stdin.write(json.dumps(STREAM[0]).encode() + b"\n")
        process.stdin.flush()
        time.sleep(2)  # until it waits
        process.send_signal(number)
        try:
            assert process.wait(timeout=10) == code
            assert not list(Path().glob("kept*"))
        finally:
            process.kill()


def test_a_reader_that_goes_away_ends_it_quietly(command):
    path = many(3_000)
    with spawn(command, "ingest", path, "--window", "w") as process:
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read().decode()
    assert process.returncode == 141
    assert "Traceback" not in errors
    assert "Exception" not in errors


@pytest.mark.parametrize("words", [["--help"], ["dedup", "--help"], ["--version"]])
def test_help_that_nobody_reads_ends_as_other_output_does(command, words):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*command, *words], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_cleanly_and_nothing_told_is_lost(command, run_process, number, code):
    with spawn(
        command, "ingest", "-", "--window", "w", "--output", "v.jsonl", stdin=subprocess.PIPE
    ) as process:
        for record in STREAM:
            process.stdin.write(json.dumps(record).encode() + b"\n")
        wait_for(
            lambda: Path("v.jsonl").exists() and Path("v.jsonl").read_bytes().count(b"\n") == len(STREAM)
        )
        process.send_signal(number)
        errors = process.stderr.read().decode()
    assert process.returncode == code
    assert "Traceback" not in errors
    assert f"{len(STREAM)} documents" in errors
    assert json.loads(run_process("stats", "--window", "w", "--format", "jsonl").out)["documents"] == len(
        STREAM
    )


def interrupted_by(number):
    """The command line that gets a signal while it works on its third batch."""
    script = (
        "import os, signal\n"
        "from neardup.__main__ import main\n"
        "from neardup.window.ingest import Ingest\n"
        "store, batches = Ingest._stored, []\n"
        "def stored(self, *arguments):\n"
        "    batches.append(1)\n"
        f"    if len(batches) == 3: os.kill(os.getpid(), {int(number)})\n"
        "    return store(self, *arguments)\n"
        "Ingest._stored = stored\n"
        "main()\n"
    )
    return [sys.executable, "-c", script]


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "terminated"),
        (signal.SIGHUP, 129, "ended by SIGHUP: its terminal was closed"),
    ],
)
@pytest.mark.parametrize("format", ["jsonl", "table"])
def test_a_signal_in_the_middle_of_a_batch_finishes_it(command, run_process, number, code, word, format):
    """The signal comes while the engine works on a batch of 256: its verdicts are stored, and told."""
    path = many(4_000)
    words = ["ingest", path, "--window", "w", "--format", format, "--batch-documents", "256"]
    done = subprocess.run([*interrupted_by(number), *words], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stderr.splitlines()[-1] == f"neardup: {word}"
    assert "to its end" not in done.stderr
    assert "\n768 documents in" in done.stderr
    assert json.loads(run_process("stats", "--window", "w", "--format", "jsonl").out)["documents"] == 768
    if format == "jsonl":
        assert len(done.stdout.splitlines()) == 768
    else:
        assert len(done.stdout.splitlines()) == 52  # the names of the columns, 50 rows, what is left out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--output", "out"],
            "out was not written to its end: the same command with --force writes all of it",
        ),
        (
            ["--output", "old", "--append"],
            "old was not written to its end: the documents missing in it were not read",
        ),
    ],
)
def test_an_output_that_is_not_written_to_its_end_is_told_with_what_completes_it(words, told):
    """Who added to it by the same command had everything twice."""
    Path("old").write_text("{}\n")
    path = many(4_000)
    started = [
        *interrupted_by(signal.SIGINT),
        "ingest",
        path,
        "--window",
        "w",
        "--batch-documents",
        "256",
        *words,
    ]
    done = subprocess.run(started, capture_output=True, text=True, check=False)
    assert f"\nneardup: {told}\n" in done.stderr
    if "--append" not in words:
        done = subprocess.run(
            [sys.executable, "-m", "neardup", *started[3:], "--force"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, len(Path("out").read_text().splitlines())) == (0, 4_000)


def test_of_a_window_that_lets_go_what_adds_to_an_output_that_is_not_whole_is_told():
    """By --force, which was told, the verdicts on all that had left the window were written anew as unscored."""
    words = [f"word{chr(97 + at)}{'xyz'[at % 3]}" for at in range(12)]
    texts = [" ".join(words[(number // 3 + 5 * at) % 12] for at in range(12)) for number in range(4_000)]
    start = 1_795_251_600
    path = written(
        "hours.jsonl",
        [{"id": f"d{at}", "text": text, "time": start + 60 * at} for at, text in enumerate(texts)],
    )
    hours = ["--window-hours", "1", "--ahead-hours", "1000000"]
    common = ["ingest", str(path), *hours, "--format", "quiet"]
    ended = [*interrupted_by(signal.SIGTERM), *common, "--window", "w", "--output", "o"]
    done = subprocess.run(ended, capture_output=True, text=True, check=False)
    assert "left the window" in done.stderr
    told = "neardup: o was not written to its end: the same command with --append writes the rest"
    assert f"\n{told}" in done.stderr
    for more in (["--window", "w", "--output", "o", "--append"], ["--window", "whole", "--output", "all"]):
        subprocess.run([sys.executable, "-m", "neardup", *common, *more], capture_output=True, check=False)
    verdicts = [json.loads(line) for line in Path("o").read_text().splitlines()]
    first = {verdict["id"]: verdict for verdict in reversed(verdicts)}
    assert [first[f"d{at}"] for at in range(4_000)] == [
        json.loads(line) for line in Path("all").read_text().splitlines()
    ]


def test_the_summary_of_a_run_that_was_ended_counts_all_that_was_read():
    """It counted what had been written."""
    path = many(4_000)
    written("many.jsonl", [*map(json.loads, path.read_text().splitlines()), {"id": "no text"}])
    started = [*interrupted_by(signal.SIGINT), "dedup", path, "--keep", "last", "--output", "o.jsonl"]
    done = subprocess.run(started, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert (
        "\n4,001 read: 0 kept, 0 removed (0 exact, 0 near); the run ended before the remaining 4,000 were compared; 1 "
        "rejected; " in done.stderr
    )


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_signal_when_a_command_has_ended_and_its_output_is_yet_to_be_written_is_no_fault(
    number, code, word
):
    script = (
        "import os\n"
        "from neardup.__main__ import main\n"
        "from neardup.cli import running\n"
        "code_of = running._code_of\n"
        "def ended(app):\n"
        "    code = code_of(app)\n"
        f"    os.kill(os.getpid(), {int(number)})\n"
        "    return code\n"
        "running._code_of = ended\n"
        "main()\n"
    )
    words = [sys.executable, "-c", script, "version"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, f"neardup: {word}\n")


def test_an_interrupt_while_the_command_line_loads_ends_it_without_a_traceback():
    script = (
        "import os, sys\n"
        "from neardup.__main__ import main\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'neardup.cli.groups':\n"
        f"            os.kill(os.getpid(), {int(signal.SIGINT)})\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "groups"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_is_ignored_where_it_was_started_stays_ignored(command, number):
    started = ["sh", "-c", f"trap '' {int(number)}; exec \"$@\"", "sh", *command]
    with spawn(started, "ingest", "-", "--window", "w", stdin=subprocess.PIPE) as process:
        for record in STREAM[:3]:
            process.stdin.write(json.dumps(record).encode() + b"\n")
            assert json.loads(process.stdout.readline())["id"] == record["id"]
            process.send_signal(number)
        process.stdin.close()
    assert process.returncode == 0


def test_an_interrupt_while_the_command_line_is_read_is_told(run, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("neardup.cli.usage_messages._check_no_empty_name", interrupted)
    done = run("version")
    assert (done.code, done.out, done.err) == (130, "", "neardup: interrupted\n")


def test_a_second_signal_ends_it_at_once():
    from neardup.cli.exit_codes import Stop, Terminated

    with Stop() as stop:
        signal.raise_signal(signal.SIGTERM)
        assert stop.requested is Terminated
        assert list(stop.until_requested([1, 2])) == []
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            stop.raise_if_requested()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_while_waiting_for_a_document_ends_the_stream():
    from neardup.cli.exit_codes import Stop, Terminated

    def items():
        yield 1
        signal.raise_signal(signal.SIGTERM)
        yield 2

    with Stop() as stop:
        assert list(stop.until_requested(items())) == [1]
        stop.sleep(1_000)
        assert stop.requested is Terminated


def test_a_signal_while_sleeping_ends_the_sleep(monkeypatch):
    from neardup.cli import exit_codes

    monkeypatch.setattr("neardup.cli.exit_codes.time.sleep", lambda _: signal.raise_signal(signal.SIGINT))
    with exit_codes.Stop() as stop:
        stop.sleep(1_000)
        assert stop.requested is KeyboardInterrupt


def test_a_table_of_a_live_stream_comes_row_by_row(command):
    with spawn(command, "ingest", "-", "--window", "w", "-f", "table", stdin=subprocess.PIPE) as process:
        seen = []
        for record in STREAM:
            process.stdin.write(json.dumps(record).encode() + b"\n")
            if record["id"] == "ferry-again":
                seen = [process.stdout.readline().decode() for _ in range(2)]
            if record["id"] == "ferry-edited":
                seen.append(process.stdout.readline().decode())
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read().decode()
    assert process.returncode == 130
    assert seen[0].split() == ["time", "(UTC)", "id", "status", "copy", "of", "score", "text"]
    assert seen[1].startswith(
        "2026-11-19 07:00  ferry-again       exact     ferry             1.000  ARNMOUTH — A ferry"
    )
    assert seen[2].startswith("2026-11-19 08:00  ferry-edited      near      ferry             0.")
    assert "unique" in rest


def test_a_table_of_a_live_stream_leaves_out_no_row(run_process):
    lines = (json.dumps({"id": f"{i}", "time": 1795251600, "text": FERRY}) for i in range(200))
    done = run_process("ingest", "-", "--format", "table", stdin="\n".join(lines).encode())
    rows = [line for line in done.out.splitlines() if " exact " in line]
    assert [(len(row), row[-1]) for row in rows] == [
        (120, "…")
    ] * 199  # as wide as where there is no terminal
    assert done.out.endswith("(1 unique left out)\n")


def test_a_killed_run_goes_on_where_it_stopped(command, run_process):
    path = many(4_000)
    whole = run_process("ingest", path, "--window", "whole").out
    with spawn(command, "ingest", path, "--window", "w", "--output", "v.jsonl") as process:
        wait_for(lambda: Path("v.jsonl").exists() and Path("v.jsonl").stat().st_size > 20_000)
        process.kill()
    lines = Path("v.jsonl").read_text().splitlines()[:-1]
    assert lines == whole.splitlines()[: len(lines)]
    assert run_process("ingest", path, "--window", "w").out == whole


def test_a_second_writer_is_told_who_writes(command, run_process, stream):
    with spawn(command, "ingest", "-", "--window", "w", stdin=subprocess.PIPE) as process:
        process.stdin.write(json.dumps(STREAM[0]).encode() + b"\n")
        process.stdout.readline()
        done = run_process("ingest", stream, "--window", "w")
        process.stdin.close()
    assert done.code == 3
    assert str(process.pid) in done.err


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("RuntimeError('broken')", ["RuntimeError: broken", "please report"]),
        ("MemoryError('no 32 GiB')", ["neardup: there is too little memory (no 32 GiB)", "--max-length"]),
    ],
)
def test_an_unexpected_error_is_not_taken_for_done(error, told):
    script = (
        "import sys\n"
        "from neardup.__main__ import main\n"
        "from neardup.cli import version\n"
        f"def fail(): raise {error}\n"
        "fail.__name__, version.version = 'version', fail\n"
        "sys.argv = ['neardup', 'version']\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert [part for part in told if part not in done.stderr] == []
    assert ("Traceback" in done.stderr) is ("please report" in done.stderr)


def test_what_the_library_logs_is_told(run_process):
    records = [{"id": f"{i}", "time": 1795251600 + 3600 * i, "text": f"{FERRY} {i}"} for i in range(6)]
    done = run_process("ingest", written("a.jsonl", records), "--max-documents", "3")
    assert "neardup: budget reached" in done.err


def test_a_terminal_sees_a_bar_and_a_pipe_none(command, place):
    seen = seen_on_a_terminal([*command, "ingest", str(many(300)), "--format", "quiet"])
    assert "━".encode() in seen
    assert b"300 documents in" in seen


def test_an_empty_name_is_completed_as_any(run_process):
    words = {"COMP_WORDS": 'neardup ingest --window "" --for', "COMP_CWORD": "4"}
    done = run_process(env={**os.environ, **words, "_NEARDUP_COMPLETE": "complete_bash"})
    assert (done.code, sorted(done.out.split()), done.err) == (0, ["--force", "--format"], "")
