"""Rounds of torture and their results. Kinds take turns, so that with a time limit all are tried equally often."""

from __future__ import annotations

import shutil
import signal
import time
import traceback
from collections import Counter
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
from testing.torture.forker import end_all
from testing.torture.kinds import LONGEST, Outcome, Round

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from testing.torture.kinds import Kind
    from testing.torture.nodes import Nodes


class Result(NamedTuple):
    """One round of one kind; `place` is its folder, which is kept if there are violations."""

    kind: str
    engine: str
    seed: int
    number: int
    seconds: float
    counts: dict[str, int]
    violations: list[str]
    place: str | None = None

    @property
    def repeat(self) -> str:
        """The command that repeats only this round."""
        return (
            f"python -m testing.torture --engine {self.engine} --kinds {self.kind} --seed {self.seed} "
            f"--first {self.number} --rounds 1"
        )

    def to_json(self) -> bytes:
        """A line of JSON."""
        return orjson.dumps(self._asdict())

    @classmethod
    def of_json(cls, line: bytes) -> Result:
        """What `to_json` has written."""
        fields: dict[str, Any] = orjson.loads(line)
        return cls(**fields)


class TookTooLong(BaseException):
    """A round has not ended in time; not an `Exception`, so that no code under test catches it."""


def run_round(kind: Kind, seed: int, number: int, room: Path, nodes: Nodes | None) -> Result:
    """One round, in a separate folder in `room`, which is removed unless there is a violation."""
    place = room / f"{kind.engine}-{kind.name}-{number}"
    place.mkdir(parents=True)
    begun = time.monotonic()
    try:
        with _time_limit(LONGEST):
            outcome = kind.run(Round(Random(f"{seed} {kind.engine} {kind.name} {number}"), place, nodes))
    except TookTooLong:
        outcome = Outcome([f"not done after {LONGEST} seconds: {traceback.format_exc()}"])
    except Exception:  # noqa: BLE001 - whatever is raised is what is sought
        outcome = Outcome([traceback.format_exc()])
    end_all()
    if not outcome.violations:
        _remove(place)
    return Result(
        kind.name,
        kind.engine,
        seed,
        number,
        round(time.monotonic() - begun, 3),
        dict(sorted(outcome.counts.items())),
        outcome.violations,
        str(place) if outcome.violations else None,
    )


def run_rounds(
    kinds: Sequence[Kind], numbers: Iterable[int], seed: int, room: Path, nodes: Nodes | None, end: float
) -> Iterator[Result]:
    """The rounds with these numbers of every kind, all kinds in turn, until the monotonic clock reaches `end`."""
    for number in numbers:
        for kind in kinds:
            if time.monotonic() >= end:
                return
            yield run_round(kind, seed, number, room, nodes)


class Total(NamedTuple):
    """All rounds of one kind."""

    rounds: int
    counts: Counter[str]
    violating: int
    seconds: float


def totals(results: Iterable[Result]) -> dict[tuple[str, str], Total]:
    """The rounds of every kind, by engine and kind."""
    found: dict[tuple[str, str], Total] = {}
    for result in results:
        before = found.get((result.engine, result.kind), Total(0, Counter(), 0, 0.0))
        found[result.engine, result.kind] = Total(
            before.rounds + 1,
            before.counts + Counter(result.counts),
            before.violating + bool(result.violations),
            before.seconds + result.seconds,
        )
    return found


@contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    def ended(*_: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, ended)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _remove(place: Path) -> None:
    """Removes a folder, even if the round has taken away the right to do so."""
    for folder in [place, *(path for path in place.rglob("*") if path.is_dir() and not path.is_symlink())]:
        folder.chmod(0o700)
    shutil.rmtree(place)
