"""Processes that write to a window and are ended, interrupted or starved at random moments."""

from __future__ import annotations

import functools
import signal
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from testing.torture.failing_calls import ERRORS, FULL, KILL
from testing.torture.going_on import KILLED, Telling
from testing.torture.kinds import Kind, Outcome, Round
from testing.torture.stories import new_story

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from testing.torture.forker import Process

MOST_ENDS: Final = 3
"""How often the writers of one story are ended."""
MOST_CALLS: Final = 120
"""Calls of the system that change files after which something happens, at most."""
MOST_BYTES: Final = 60_000
"""Bytes that are written before a disk is full, at most."""
SOON: Final = 0.004
"""Seconds from an answer to the end, at most: a batch takes about so long."""
GAVE_UP: Final = 3
FOLLOWED: Final = 0.25
"""How often a reader follows what is done."""
FOR_GOOD: Final = 1_000
Setup = Callable[["Random"], tuple[list[Any], tuple[int, ...]]]
"""Draws what happens to a writer, and the exit codes that it may end with."""
ONLY_CHANGES: Final = {"new": 12, "again": 6, "delete": 6, "expire": 8, "reconcile": 4, "reopen": 1}
"""How often each operation occurs in a story that mostly removes documents."""


def _maybe_compacting(random: Random) -> list[list[Any]]:
    return [["compact_soon"]] if random.random() < 0.3 else []


def _kill_soon(round: Round, telling: Telling) -> None:
    """A writer continues the story, and is killed a moment after one of its answers."""
    writer = telling.writer(*_maybe_compacting(round.random))
    for _ in range(round.random.randrange(40)):
        if (line := writer.line()) is not None:
            telling.take(line)
    time.sleep(round.random.random() * SOON)
    for line in writer.kill():
        telling.take(line)
    telling.ended(writer, KILLED, 0)
    telling.outcome.count("killed" if writer.wait() else "came to its end")


def _telling(round: Round, outcome: Outcome, weights: dict[str, int] | None = None) -> Telling:
    """A story; sometimes a reader follows it."""
    telling = Telling(round, outcome, new_story(round.random, weights=weights))
    if round.random.random() < FOLLOWED:
        telling.follow()
    return telling


def _kill(round: Round, weights: dict[str, int] | None = None) -> Outcome:
    outcome = Outcome()
    telling = _telling(round, outcome, weights)
    for _ in range(round.random.randint(1, MOST_ENDS)):
        if not telling.is_done:
            _kill_soon(round, telling)
            telling.check_state()
    telling.go_on()
    return outcome


def _at_calls(round: Round, setup: Setup, weights: dict[str, int] | None = None) -> Outcome:
    """Writers, one after another; something happens to each at a call."""
    outcome = Outcome()
    telling = _telling(round, outcome, weights)
    for _ in range(round.random.randint(1, MOST_ENDS)):
        if telling.is_done:
            break
        failing, codes = setup(round.random)
        writer = telling.writer(failing, *_maybe_compacting(round.random))
        for line in writer.rest():
            telling.take(line)
        telling.ended(writer, *codes)
        outcome.count("ended" if writer.wait() else "came to its end")
        telling.check_state()
    telling.go_on()
    return outcome


def _killed_at(random: Random) -> tuple[list[Any], tuple[int, ...]]:
    return ["fail", KILL, random.randint(1, MOST_CALLS), 1, random.random()], (KILLED, 0)


def _refused_at(random: Random) -> tuple[list[Any], tuple[int, ...]]:
    times = random.choice((1, 1, 2, 5, -1))
    name = random.choice(sorted(ERRORS))
    setup = ["fail", name, random.randint(1, MOST_CALLS), times, random.random()]
    return setup, (0,) if times > 0 else (0, GAVE_UP)


def _full_at(random: Random) -> tuple[list[Any], tuple[int, ...]]:
    times = random.choice((1, 2, FOR_GOOD))
    return ["fail", FULL, random.randrange(MOST_BYTES), times, 0], (0,) if times < FOR_GOOD else (0, GAVE_UP)


def _limited_at(random: Random) -> tuple[list[Any], tuple[int, ...]]:
    return ["limit_files", random.randrange(200, MOST_BYTES // 4)], (0, GAVE_UP)


def interrupt(round: Round) -> Outcome:
    random, outcome = round.random, Outcome()
    telling = _telling(round, outcome)
    writer = telling.writer(patience=1_000)
    for line in _lines_with_signals(random, writer):
        telling.take(line)
    telling.ended(writer, 0)
    telling.go_on()
    return outcome


def _lines_with_signals(random: Random, writer: Process) -> Iterator[dict[str, Any]]:
    """The lines that it prints; after some of them it is interrupted."""
    while (line := writer.line()) is not None:
        yield line
        if random.random() < 0.15 and "answer" in line:
            time.sleep(random.random() * SOON)
            writer.signal(signal.SIGINT)


KINDS: Final = (
    Kind("kill-writer", "directory", "A writer is killed (`kill -9`) at random moments.", _kill),
    Kind(
        "kill-expiry",
        "directory",
        "A writer is killed amid expiry, compaction, deletion, replacement and `reconcile`.",
        functools.partial(_kill, weights=ONLY_CHANGES),
    ),
    Kind(
        "kill-at-call",
        "directory",
        "A writer is killed in the middle of a random call that changes a file, with a part of a write done.",
        functools.partial(_at_calls, setup=_killed_at),
    ),
    Kind(
        "kill-expiry-at-call",
        "directory",
        "The same amid expiry, compaction, deletion, replacement and `reconcile`.",
        functools.partial(_at_calls, setup=_killed_at, weights=ONLY_CHANGES),
    ),
    Kind(
        "failing-calls",
        "directory",
        "A write, flush, renaming, truncation, deletion or creation fails (EIO, ENOSPC, EDQUOT, EROFS), once or "
        "from then on; the error names the file, and the window can be opened again.",
        functools.partial(_at_calls, setup=_refused_at),
    ),
    Kind(
        "full-disk",
        "directory",
        "The disk is full after a random number of bytes, with a part of a write done; later there is space again.",
        functools.partial(_at_calls, setup=_full_at),
    ),
    Kind(
        "file-size-limit",
        "directory",
        "The system lets files grow only so far (`ulimit -f`).",
        functools.partial(_at_calls, setup=_limited_at),
    ),
    Kind(
        "interrupt",
        "directory",
        "A program that writes to a window is interrupted (Ctrl-C) at random moments, and opens it again.",
        interrupt,
    ),
)
