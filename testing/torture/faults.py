"""Random faults in the files of a window: no answer differs silently, nothing ends in a traceback, and a repair keeps
every document of the undamaged hours.

    python -m testing.torture.faults --rounds 3000 --seed 1
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from testing.torture.damage import KINDS, Damage, damage
from testing.window.backends import START, grams
from testing.window.operations import figures

from neardup.errors import NeardupError, UnknownDocument
from neardup.model.document import Document
from neardup.model.hours import hour_name
from neardup.model.settings import Recipe
from neardup.opening import open_window
from neardup.stores.repair import repair
from neardup.tables.lexicon import LexiconBuilder
from neardup.window.signing_again import signing_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from testing.torture.damage import Doing

    from neardup.window.base import Window

HOURS = 5
DOCUMENTS = 60
SAME, NAMED, DIFFERENT, TRACEBACK = "the same", "named", "silently different", "traceback"
LOST = "lost by the repair"
WRONG = (DIFFERENT, TRACEBACK, LOST)
"""Outcomes that must not occur."""


class Sample(NamedTuple):
    """A window, and its answers without damage: to a reader, and to a writer that continues."""

    path: Path
    hour_of: dict[str, str]
    reading: list[Any]
    writing: list[Any]


class Outcome(NamedTuple):
    """The result of a fault, and for whom; `detail` helps to examine a violation."""

    who: str
    outcome: str
    detail: str = ""


# ---- the windows ----


def sample(path: Path, **settings: Any) -> Sample:
    """A window of copies, edited copies, members of members, changed and deleted documents in several hours."""
    with open_window(path, window_hours=0, batch_documents=7, **settings) as window:
        list(window.ingest(_documents(0, DOCUMENTS)))
        list(window.ingest(_documents(0, 9)))
        for doomed in ("d5", "d17", f"d{DOCUMENTS - 1}"):
            window.delete(doomed)
        list(window.reconcile())
        hours = {f"d{i}": hour_name(_hour(i)) for i in range(DOCUMENTS) if _has(window, f"d{i}")}
    reading = _reading(path)
    copy = path.with_name(f"{path.name}.copy")
    shutil.copytree(path, copy)
    return Sample(path, hours, reading, _writing(copy))


def _documents(first: int, last: int) -> list[Document]:
    """Every third document is a near copy, and every fifth an exact copy, of an earlier one."""
    made = []
    for i in range(first, last):
        source = i - i % 3 if i % 3 == 1 else i - 5 if i % 5 == 4 and i > 5 else i
        start = 40 * source + (i - source if i % 3 == 1 else 0)
        made.append(Document(f"d{i}", grams(start, start + 30 + source % 7), 3_600 * _hour(i)))
    return made


def _has(window: Window, id: str) -> bool:
    try:
        window.query(id=id)
    except UnknownDocument:
        return False
    return True


def _hour(number: int) -> int:
    return START // 3_600 + HOURS * number // DOCUMENTS


# ---- what is asked ----


def _reading(path: Path, opened: Callable[[], None] = lambda: None) -> list[Any]:
    """The answers to a reader; `opened` is called when it has the window open."""
    with open_window(path, readonly=True) as window:
        opened()
        return _answers(window)


def _answers(window: Window) -> list[Any]:
    ids = [f"d{i}" for i in range(0, DOCUMENTS, 3)]
    texts = [document.text for document in _documents(0, DOCUMENTS)[::4]]
    asked = [window.query(id=id).to_dict() if _has(window, id) else id for id in ids]
    asked += [window.query(text).to_dict() for text in texts]
    return [*asked, [group.to_dict() for group in window.groups()], figures(window.stats())]


def _writing(path: Path, opened: Callable[[], None] = lambda: None) -> list[Any]:
    """The answers to a writer that continues, and to a reader after it."""
    with open_window(path) as window:
        opened()
        again = [each._replace(id=f"e{each.id}") for each in _documents(0, DOCUMENTS)[::5]]
        verdicts = [
            verdict.to_dict() for verdict in window.ingest([*again, *_documents(DOCUMENTS, DOCUMENTS + 5)])
        ]
        window.delete("d8")
        rest = [verdict.to_dict() for verdict in window.reconcile()]
    return [*verdicts, *rest, *_reading(path)]


# ---- a round ----


def one_round(
    samples: list[Sample], seed: int, room: Path, kinds: Sequence[Doing] = KINDS
) -> tuple[Damage, list[Outcome]]:
    """Damages a copy of one of the windows in the directory `room`, in one of these ways, and examines the result."""
    random = Random(seed)
    chosen = random.choice(samples)
    broken, target = room / "broken", room / "target"
    _copied(chosen.path, broken)
    done = damage(broken, random, kinds)
    outcomes = []
    for who, ask, expected in (("reader", _reading, chosen.reading), ("writer", _writing, chosen.writing)):
        outcomes.append(_outcome(who, partial(ask, _copied(broken, target)), expected))
        fault = partial(_damage_again, target, seed, kinds)
        outcomes.append(
            _outcome(f"{who} at work", partial(ask, _copied(chosen.path, target), fault), expected)
        )
    outcomes.append(_repaired(chosen, done, _copied(broken, target)))
    return done, outcomes


def _damage_again(window: Path, seed: int, kinds: Sequence[Doing]) -> None:
    random = Random(seed)
    random.choice([0, 1])
    damage(window, random, kinds)


def _copied(source: Path, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    return target


def _outcome(who: str, ask: Callable[[], list[Any]], expected: list[Any]) -> Outcome:
    try:
        found = ask()
    except NeardupError as error:
        return Outcome(who, NAMED, str(error))
    except Exception:  # noqa: BLE001 - that is what is sought
        return Outcome(who, TRACEBACK, traceback.format_exc())
    if found == expected:
        return Outcome(who, SAME)
    differing = next(pair for pair in zip(found, expected, strict=False) if pair[0] != pair[1])
    return Outcome(who, DIFFERENT, f"found {differing[0]}, expected {differing[1]}")


def _repaired(chosen: Sample, done: Damage, path: Path) -> Outcome:
    """A repair lets the window open, and keeps every document of hours that were not damaged."""
    try:
        found = repair(path, signing_of, dry_run=False)
        with open_window(path) as window:
            kept = {id for id in chosen.hour_of if _has(window, id)}
            list(window.ingest(_documents(DOCUMENTS, DOCUMENTS + 5)))
        if done.file == "hours":
            return Outcome("repair", NAMED)
        lost = {id for id, hour in chosen.hour_of.items() if hour != done.hour} - kept
        named = {id for hour in found.hours for id in hour.lost}
        unreadable = sum(hour.unreadable for hour in found.hours)
        unnamed = chosen.hour_of.keys() - kept - named
        if lost or (unnamed and not found.missing and not unreadable):
            return Outcome("repair", LOST, f"{sorted(lost)}, unnamed {sorted(unnamed)}")
        return Outcome("repair", SAME if found.is_whole else NAMED)
    except Exception:  # noqa: BLE001 - that is what is sought
        return Outcome("repair", TRACEBACK, traceback.format_exc())


# ---- many rounds ----


def samples_in(directory: Path) -> list[Sample]:
    """The windows to be damaged: one by the defaults, one with its own lexicon and everything that can be stored."""
    lexicon = directory / "own.lexicon"
    builder = LexiconBuilder(q=4, fold_case=False, name="of these documents")
    builder.build().save(lexicon)
    return [
        sample(directory / "plain"),
        sample(directory / "full", retrieval="complete", partial=True, recipe=Recipe(lexicon=lexicon)),
    ]


def run(rounds: int, seed: int, *, report: Callable[[str], None]) -> Counter[tuple[str, str]]:
    """How often each result occurred, and for whom, in this many rounds; violations are reported."""
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as room:
        samples = samples_in(Path(room))
        for each in range(seed, seed + rounds):
            done, outcomes = one_round(samples, each, Path(room))
            for outcome in outcomes:
                counts[outcome.who, outcome.outcome] += 1
                if outcome.outcome in WRONG:
                    report(
                        f"seed {each}, {done.kind} {done.file}, {outcome.who}: {outcome.outcome}: {outcome.detail}"
                    )
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    counts = run(chosen.rounds, chosen.seed, report=lambda line: print(line, file=sys.stderr))
    print(json.dumps({f"{who}: {outcome}": n for (who, outcome), n in sorted(counts.items())}, indent=1))
    return int(any(outcome in WRONG for _, outcome in counts))


if __name__ == "__main__":
    sys.exit(main())
