"""Commands that are ended, lose their streams, or get records that nobody can use."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson
from testing.torture.damage import damage
from testing.torture.failing_calls import KILL
from testing.torture.forker import Process, start
from testing.torture.going_on import KILLED, copied, told_or_named
from testing.torture.hostile_records import hostile_lines
from testing.torture.kinds import Kind, Outcome, Round
from testing.torture.state_kinds import answers, texts_of, told_in
from testing.torture.stories import new_story, plain
from testing.window.backends import START, grams

from neardup.model.document import Document
from neardup.opening import open_window
from neardup.stores.repair import repair
from neardup.window.signing_again import signing_of

if TYPE_CHECKING:
    from random import Random

MOST_KILLS: Final = 3
LONGEST_DELAY: Final = 0.08
"""Maximum number of seconds from the first line of a command to its end."""
LONGEST_RUN: Final = 0.4
"""Maximum number of seconds from the start of `neardup dedup` to its end."""
ENDS: Final = {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGHUP: 129, signal.SIGKILL: KILLED}
CODES: Final = (0, 1, 2, 3, 141)
"""The exit codes that a command may have if nobody ends it."""


def _command(round: Round, *words: object, setups: list[list[Any]] | None = None) -> Process:
    number = len(list(round.place.glob("errors-*")))
    return start(round.place / f"errors-{number}.txt", "command", *words, setups=setups)


def _done(outcome: Outcome, process: Process, *codes: int) -> str:
    """Waits for a command, which must end with one of these codes and no traceback; returns its output."""
    printed = process.output.read().decode()
    code, said = process.wait(), process.errors
    outcome.expect(code in codes, f"exit code {code}, expected {codes}: {said}")
    outcome.expect("Traceback" not in said, said)
    return printed


def _records(random: Random, count: int) -> list[dict[str, Any]]:
    """Documents of some families of copies, some of them long."""
    found = []
    for i in range(count):
        first, size = (
            100 * random.randrange(12) + random.choice((0, 0, 2, 9)),
            random.choice((1, 30, 60, 900)),
        )
        found.append({"id": f"r{i}", "text": grams(first, first + size), "time": START + 60 * i})
    return found


def _written(place: Path, records: list[dict[str, Any]]) -> Path:
    file = place / "records.jsonl"
    file.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))
    return file


def _verdicts(records: list[dict[str, Any]]) -> list[Any]:
    """The verdicts of an undisturbed window on them."""
    with open_window(None, window_hours=0) as window:
        documents = [Document(record["id"], record["text"], record["time"]) for record in records]
        return [plain(verdict) for verdict in window.ingest(documents)]


def _lines(file: Path) -> list[Any]:
    """The whole lines of a file, parsed, without the number of candidates."""
    whole = file.read_bytes().rpartition(b"\n")[0].splitlines() if file.exists() else []
    return [{**json.loads(line), "candidates": 0} for line in whole]


# ---- ended ----


def signals(round: Round) -> Outcome:
    random, outcome, place = round.random, Outcome(), round.place
    records = _records(random, 300)
    file, expected, told = _written(place, records), _verdicts(records), place / "verdicts.jsonl"
    words = ("ingest", file, "--window", place / "window", "--format", "quiet", "--batch-documents")
    batch = random.choice((1, 8, 64))
    for number in random.sample(list(ENDS), random.randint(1, 3)):
        told.unlink(missing_ok=True)
        process = _command(round, *words, batch, "--output", told)
        while not told.exists() or not told.stat().st_size:
            time.sleep(0.001)
            if process.line_is_over():
                break
        time.sleep(random.random() * LONGEST_DELAY)
        process.signal(number)
        _done(outcome, process, ENDS[number], 0)
        outcome.count("came to its end" if process.wait() == 0 else signal.Signals(number).name)
        before = _lines(told)
        outcome.expect(before == expected[: len(before)], f"{len(before)} verdicts are not as expected")
        with open_window(place / "window", readonly=True) as window:
            ids = [verdict["id"] for verdict in before]
            lost = [id for id in ids if id not in window]
            outcome.expect(not lost, f"told of and lost: {lost}")
    _done(outcome, _command(round, *words, 64, "--output", told, "--force"), 0)
    outcome.expect(_lines(told) == expected, "the verdicts in the end are not as expected")
    return outcome


def kill_dedup(round: Round) -> Outcome:
    random, outcome, place = round.random, Outcome(), round.place
    file = _written(place, _records(random, 300))
    kept, removed = place / f"kept.{random.choice(('jsonl', 'csv'))}", place / "removed.jsonl"
    keep = random.choice(("first", "last", "longest"))
    words = ("dedup", file, "--output", kept, "--removed", removed, "--keep", keep, "--force")
    _done(outcome, _command(round, *words), 0)
    expected = kept.read_bytes(), removed.read_bytes()
    for _ in range(MOST_KILLS):
        process = _command(round, *words, setups=_maybe_limited(random))
        time.sleep(random.random() * LONGEST_RUN)
        process.signal(signal.SIGKILL)
        _done(outcome, process, KILLED, 0, 3)
        outcome.count({KILLED: "killed", 0: "came to its end", 3: "no space"}[process.wait()])
        for file, whole in zip((kept, removed), expected, strict=True):
            found = file.read_bytes() if file.exists() else b""
            outcome.expect(whole.startswith(found), f"{file.name} is not the beginning of what it must be")
    _done(outcome, _command(round, *words), 0)
    outcome.expect((kept.read_bytes(), removed.read_bytes()) == expected, "another result in the end")
    return outcome


def _maybe_limited(random: Random) -> list[list[Any]]:
    return [["limit_files", random.randrange(20_000)]] if random.random() < 0.3 else []


def kill_resign(round: Round) -> Outcome:
    random, outcome, path = round.random, Outcome(), round.place / "window"
    story = new_story(random, operations=7, window_hours=0, retrieval="sketch")
    told_in(story, path)
    texts = texts_of(story, random)
    expected = answers(path, texts)
    words = ("resign", "--window", path, "--reach", "0.5", "--force")
    for _ in range(random.randint(1, MOST_KILLS)):
        failing = ["fail", KILL, random.randint(1, 90), 1, random.random()]
        _done(outcome, _command(round, *words, setups=[failing]), KILLED, 0)
        found = told_or_named(outcome, lambda: answers(path, texts))
        outcome.count("killed")
        outcome.expect(found in (None, expected), "another answer, half-way")
        if found is None:
            doctor = _command(round, "doctor", "--window", path)
            outcome.expect("neardup resign" in _done(outcome, doctor, 3), "the doctor names no way out")
    _done(outcome, _command(round, *words), 0)
    outcome.expect(answers(path, texts) == expected, "another answer in the end")
    _done(outcome, _command(round, "doctor", "--window", path), 0)
    return outcome


def kill_repair(round: Round) -> Outcome:
    random, outcome, path = round.random, Outcome(), round.place / "window"
    story = new_story(random, operations=7, window_hours=0)
    told_in(story, path)
    for _ in range(random.choice((1, 1, 2))):
        damage(path, random)
    texts = texts_of(story, random)
    repaired = copied(path, round.place / "repaired")
    survey = told_or_named(outcome, lambda: repair(repaired, signing_of, dry_run=False))
    if survey is None:
        return outcome  # a file and its copy are damaged: nothing can be repaired, and the command said so
    expected = answers(repaired, texts)
    words = ("doctor", "--window", path, "--repair", "--force")
    for _ in range(random.randint(1, MOST_KILLS)):
        failing = ["fail", KILL, random.randint(1, 40), 1, random.random()]
        _done(outcome, _command(round, *words, setups=[failing]), KILLED, 0)
        outcome.count("killed")
    _done(outcome, _command(round, *words), 0)
    outcome.expect(answers(path, texts) == expected, "a repair that was ended has another result")
    _done(outcome, _command(round, "doctor", "--window", path), 0)
    return outcome


# ---- without streams ----


STREAMS: Final = {
    "no standard output": ">&-",
    "no standard error": "2>&-",
    "no standard input": "<&-",
    "no streams": "<&- >&- 2>&-",
    "a full standard output": ">/dev/full",
    "a full standard error": "2>/dev/full",
    "a reader that goes": "| head -n 2 >/dev/null",
    "a table to a reader that goes": "--format table | head -n 1 >/dev/null",
}


def closed_streams(round: Round) -> Outcome:
    random, outcome, place = round.random, Outcome(), round.place
    records = _records(random, 300)
    file, expected = _written(place, records), _verdicts(records)
    name, redirection = random.choice(list(STREAMS.items()))
    source = random.choice(('"$1"', "-"))
    script = f'"$0" -m neardup ingest {source} --window "$2" {redirection}'
    if name == "no standard input":
        script = f'"$0" -m neardup ingest - --window "$2" {redirection}'
    with file.open("rb") as stdin:
        done = subprocess.run(
            ["sh", "-c", script, sys.executable, file, place / "window"],
            stdin=stdin, capture_output=True, check=False, cwd=place, env={**os.environ, "COLUMNS": "80"},
        )  # fmt: skip
    said = done.stderr.decode()
    outcome.count(name)
    outcome.expect(done.returncode in CODES, f"{name}: exit code {done.returncode}: {said}")
    outcome.expect("Traceback" not in said, f"{name}: {said}")
    told = place / "verdicts.jsonl"
    again = _command(
        round,
        "ingest",
        file,
        "--window",
        place / "window",
        "--output",
        told,
        "--format",
        "quiet",
        "--window-hours",
        0,
    )
    _done(outcome, again, 0)
    outcome.expect(_lines(told) == expected, f"{name}: another result in the end")
    return outcome


# ---- what nobody can use ----


def hostile(round: Round) -> Outcome:
    random, outcome, place = round.random, Outcome(), round.place
    records, lines, refused = _records(random, 60), list[bytes](), set[int]()
    for record in records:
        for bad in random.choices(list(hostile_lines(random).values()), k=random.choice((0, 0, 1, 2))):
            lines.append(bad)
            refused.add(len(lines))
        lines.append(orjson.dumps(record))
    file, told, rejects = place / "records.jsonl", place / "verdicts.jsonl", place / "rejects.jsonl"
    file.write_bytes(b"\n".join(lines) + b"\n")
    words = ("ingest", file, "--window", place / "window", "--output", told, "--rejects", rejects)
    process = _command(round, *words, "--format", "quiet", "--batch-documents", random.choice((1, 7, 64)))
    _done(outcome, process, 1 if refused else 0)
    expected = _verdicts(records)
    outcome.expect(_lines(told) == expected, "the verdicts of the others are not as expected")
    rejected = {json.loads(line)["line"] for line in rejects.read_bytes().splitlines()}
    for line in sorted(rejected ^ refused):
        outcome.expect(
            False, f"line {line} is {'not ' if line in refused else ''}rejected: {lines[line - 1][:200]!r}"
        )
    outcome.count("rejected", len(refused))
    return outcome


KINDS: Final = (
    Kind(
        "signals",
        "directory",
        "`neardup ingest` is ended by SIGTERM, SIGINT, SIGHUP or SIGKILL at random moments; run again, it has the "
        "verdicts of a run that was not ended.",
        signals,
    ),
    Kind(
        "kill-dedup",
        "directory",
        "`neardup dedup` is killed, or its files may not grow; what it has written is the beginning of what it must "
        "write, and the next run writes all.",
        kill_dedup,
    ),
    Kind(
        "kill-resign",
        "directory",
        "`neardup resign` is killed at random calls; the window answers as before or says that `neardup resign` goes "
        "on, which then does.",
        kill_resign,
    ),
    Kind(
        "kill-repair",
        "directory",
        "`neardup doctor --repair` is killed at random calls; run again, it has the result of one that was not.",
        kill_repair,
    ),
    Kind(
        "closed-streams",
        "directory",
        "`neardup ingest` has closed, full or broken standard streams; the next run has the verdicts of a whole one.",
        closed_streams,
    ),
    Kind(
        "hostile-records",
        "directory",
        "Records that nobody can use stand between others; each is rejected with its line, and changes no verdict.",
        hostile,
    ),
)
