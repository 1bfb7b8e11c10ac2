"""Actions of others on the directory of a window while a writer is at work: read, copy, lock, replace, forbid."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from testing.torture.children import NOBODY
from testing.torture.going_on import KILLED, Telling, told_or_named
from testing.torture.kinds import Kind, Outcome, Round
from testing.torture.process_kinds import GAVE_UP, SOON
from testing.torture.stories import WEIGHTS, new_story, state_of

from neardup.errors import WindowLocked
from neardup.opening import open_window
from neardup.stores.repair import repair
from neardup.stores.survey import read_everything
from neardup.window.directory_resign import resign_directory
from neardup.window.signing_again import signing_of

if TYPE_CHECKING:
    from random import Random

    from testing.torture.forker import Process

ALIVE: Final = 60
"""Seconds within which a signal must have stopped a process."""


def _some_lines(telling: Telling, writer: Process, count: int) -> bool:
    """Takes this many lines of the writer; returns whether it is still running."""
    for _ in range(count):
        line = writer.line()
        if line is None:
            return False
        telling.take(line)
    return True


def _stopped(process: Process) -> bool:
    """Stops the process; False if it has ended."""
    process.signal(signal.SIGSTOP)
    end = time.monotonic() + ALIVE
    while time.monotonic() < end:
        state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state in "TZ":
            return state == "T"
        time.sleep(0.001)
    raise TimeoutError("a process does not stop")


def _all_lines(telling: Telling, writer: Process, *codes: int) -> None:
    for line in writer.rest():
        telling.take(line)
    telling.ended(writer, *codes)


# ---- read ----


def followed(round: Round) -> Outcome:
    random, outcome = round.random, Outcome()
    telling = Telling(round, outcome, new_story(random, window_hours=random.choice((4, 4, 0))))
    telling.follow()
    while not telling.is_done:
        writer = telling.writer()
        if random.random() < 0.5:
            _some_lines(telling, writer, random.randrange(60))
            for line in writer.kill():
                telling.take(line)
            telling.ended(writer, KILLED, 0)
        else:
            _all_lines(telling, writer, 0)
    telling.check_end()
    return outcome


def copied_meanwhile(round: Round) -> Outcome:
    random, outcome = round.random, Outcome()
    telling = Telling(round, outcome, new_story(random))
    writer, copies = telling.writer(), 0
    while _some_lines(telling, writer, random.randrange(25)):
        time.sleep(random.random() * SOON)
        copy = round.place / f"copy-{copies}"
        with contextlib.suppress(shutil.Error, FileNotFoundError):  # as with `cp`: files may disappear
            shutil.copytree(telling.path, copy)
        if copy.exists():
            copies += 1
            _check_copy(telling, copy, random)
    telling.ended(writer, 0)
    telling.check_end()
    return outcome


def _check_copy(telling: Telling, copy: Path, random: Random) -> None:
    """A copy made while a writer wrote is as after some commit, or is reported as damaged, and can be repaired."""
    outcome, last = telling.outcome, len(telling.expected.states) - 1
    if not (copy / "window.json").exists():
        return  # the window was being made: opening it for writing would make another, with other settings

    def read() -> Any:
        with open_window(copy, readonly=random.random() < 0.5) as window:
            found = state_of(window)
        read_everything(copy)
        return found

    state = told_or_named(outcome, read)
    if state is not None:
        outcome.expect(
            telling.expected.index_of(state, 0, last) is not None, f"a copy is in no committed state: {state}"
        )
        outcome.count("a committed state")
        return
    repair(copy, signing_of, dry_run=False)
    with open_window(copy) as window:
        list(window.groups())


# ---- write ----


def second_writer(round: Round) -> Outcome:
    random, outcome = round.random, Outcome()
    telling = Telling(round, outcome, new_story(random))
    writer = telling.writer()
    while _some_lines(telling, writer, random.randrange(1, 30)):
        time.sleep(random.random() * SOON)
        if not _stopped(writer):
            break
        lock = telling.path / "lock"
        match random.choice(("there", "deleted", "overwritten")):
            case "deleted":
                lock.unlink()
            case "overwritten":
                lock.write_bytes(b"\xff" * 9)
        second = random.choice((_open, _repair, _resign))
        is_open = _has_open(writer, telling.path / "commit")
        try:
            second(telling.path)
            outcome.expect(not is_open, f"{second.__name__}: a second writer was let in")
            outcome.count("let in between two openings")
        except WindowLocked:
            outcome.count("kept out")
        if not lock.exists():
            lock.touch()
        writer.signal(signal.SIGCONT)
    _all_lines(telling, writer, 0)
    telling.check_end()
    return outcome


def _has_open(process: Process, file: Path) -> bool:
    """Whether a process has a file open; a story sometimes closes and opens its window."""
    for descriptor in Path(f"/proc/{process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            if descriptor.readlink() == file.resolve():
                return True
    return False


def _open(path: Path) -> None:
    open_window(path).close()


def _repair(path: Path) -> None:
    repair(path, signing_of, dry_run=False)


def _resign(path: Path) -> None:
    resign_directory(path, None, {"reach": 0.5}, dry_run=False)


def replaced(round: Round) -> Outcome:
    random, outcome = round.random, Outcome()
    # If the window is gone, opening it again begins a new one, as it should.
    telling = Telling(round, outcome, new_story(random, weights=WEIGHTS | {"reopen": 0}))
    writer, aside = telling.writer(patience=0), round.place / "aside"
    _some_lines(telling, writer, random.randrange(1, 60))
    if _stopped(writer):
        telling.path.rename(aside)
        how = random.choice(("gone", "a copy", "another commit file"))
        if how != "gone":
            shutil.copytree(aside, telling.path)
        if how == "another commit file":
            for source in aside.iterdir():
                if source.name != "commit":
                    _put(source, telling.path / source.name)
        writer.signal(signal.SIGCONT)
        _all_lines(telling, writer, GAVE_UP, 0)
        outcome.count(how)
        if how == "gone":
            shutil.rmtree(telling.path, ignore_errors=True)
            aside.rename(telling.path)
            telling.check_state()
        else:
            _forget_the_batch_at_hand(telling)
    else:
        _all_lines(telling, writer, 0)
    telling.go_on()
    return outcome


def _put(source: Path, target: Path) -> None:
    """Replaces a file or a directory by another."""
    shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
    source.rename(target)


def _forget_the_batch_at_hand(telling: Telling) -> None:
    """Data being written when the window was replaced is not in the new one, but all data acknowledged before is."""
    most = telling.story.settings["batch_documents"]
    with open_window(telling.path, readonly=True) as window:
        state = state_of(window)
    low, high = max(telling.told - most, 0), telling.story.latest_after(telling.told)
    at = telling.expected.index_of(state, low, high)
    if telling.outcome.expect(at is not None, f"not in a state after {low} to {high} steps: {state}"):
        telling.told = min(telling.told, at or 0)


# ---- forbid ----


def forbidden(round: Round) -> Outcome:
    random, outcome = round.random, Outcome()
    telling = Telling(round, outcome, new_story(random))
    with tempfile.TemporaryDirectory(prefix="neardup-torture-") as place:
        telling.path, telling.file = Path(place) / "window", telling.story.save(Path(place) / "story.json")
        telling.path.mkdir()
        Path(place).chmod(0o755)
        if os.geteuid() == 0:
            os.chown(telling.path, NOBODY, NOBODY)
        writer = telling.writer(["drop_rights"])
        _some_lines(telling, writer, random.randrange(60))
        forbid = random.choice(("*", "hours", "hours/*", "hours/*/*", "."))
        modes = {file: file.stat().st_mode for file in telling.path.glob(forbid)} if forbid != "." else {}
        modes[telling.path] = telling.path.stat().st_mode
        for file in modes:
            with contextlib.suppress(FileNotFoundError):
                file.chmod(0o555 if file.is_dir() else 0o444)
        _all_lines(telling, writer, 0, GAVE_UP)
        _check_readable(telling)
        for file, mode in modes.items():
            with contextlib.suppress(FileNotFoundError):
                file.chmod(mode)
        telling.check_state()
        telling.go_on()
        if outcome.violations:
            shutil.copytree(place, round.place / "forbidden")
    return outcome


def _check_readable(telling: Telling) -> None:
    """A user who may read a window but not write to it gets answers."""
    if not (telling.path / "window.json").exists():
        return
    reader = telling.process("read", telling.path, setups=(["drop_rights"],))
    low, high = telling.told, telling.story.latest_after(telling.told)
    for line in reader.rest():
        at = telling.expected.index_of(line["state"], low, high)
        telling.outcome.expect(at is not None, f"not in a state after {low} to {high} steps: {line}")
        telling.outcome.count("readable")
    telling.ended(reader, 0)


# ---- fork ----


def forked(round: Round) -> Outcome:
    random, outcome = round.random, Outcome()
    telling = Telling(round, outcome, new_story(random))
    steps = len(telling.expected.answers)
    writer = telling.process("tell_and_fork", telling.file, telling.path, random.randrange(steps))
    _all_lines(telling, writer, 0)
    telling.check_end()
    return outcome


KINDS: Final = (
    Kind(
        "reader",
        "directory",
        "A reader reads all the while that writers write, expire, compact and are killed; it sees one commit after "
        "another, and never goes back.",
        followed,
    ),
    Kind(
        "copied-meanwhile",
        "directory",
        "The directory is copied (`cp -r`) again and again while a writer writes; each copy is as after some commit, "
        "or named damaged, and then can be repaired.",
        copied_meanwhile,
    ),
    Kind(
        "second-writer",
        "directory",
        "While a writer is at work another opens, repairs or signs the window again, with the lock file there, "
        "deleted or overwritten; it is refused.",
        second_writer,
    ),
    Kind(
        "replaced-meanwhile",
        "directory",
        "The directory is moved away, or exchanged for a copy, while a writer writes; the writer stops.",
        replaced,
    ),
    Kind(
        "no-permission",
        "directory",
        "The right to write to the directory, the hours or the files is taken away while a writer writes, and given "
        "back later; meanwhile it can be read.",
        forbidden,
    ),
    Kind(
        "fork",
        "directory",
        "A process that has a window open forks, and both go on writing; the new one is refused.",
        forked,
    ),
)
