"""Whole files in the wrong place, clocks that go wrong, and random streams of all operations."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

import hypothesis
from hypothesis import HealthCheck
from hypothesis import strategies as st
from testing.torture.going_on import told_or_named
from testing.torture.kinds import Kind, Outcome, Round
from testing.torture.stories import new_story, plain, state_of
from testing.window.backends import START, Place, grams
from testing.window.differential import all_answer_alike
from testing.window.operations import Delete, Ingest, Operation, Reconcile, Reopen, Run, perform

from neardup.model.document import AssumedTime, Document
from neardup.opening import open_window
from neardup.stores.repair import repair
from neardup.stores.survey import read_everything
from neardup.window.signing_again import signing_of

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from testing.torture.stories import Story

EXAMPLES: Final = 4
"""Random streams in a round."""
HOUR: Final = 3_600


# ---- files in the wrong place ----


def told_in(story: Story, path: Path, snapshots: dict[int, Path] | None = None) -> None:
    """A window after the whole story, with copies of it after some operations."""
    window = open_window(path, **story.settings)
    for number, operation in enumerate(story.operations):
        if isinstance(operation, Reopen):
            window.close()
            window = open_window(path, **story.settings)
        else:
            perform(window, operation)
        if snapshots and number in snapshots:
            shutil.copytree(path, snapshots[number])
    window.close()


def answers(path: Path, texts: list[str]) -> list[Any]:
    """The answers to a reader; every byte that can be read must have been checked."""
    with open_window(path, readonly=True) as window:
        found = [state_of(window), *(plain(window.query(text)) for text in texts)]
        found += [plain(window.query(id=id)) for id in window]
    read_everything(path)
    return found


def texts_of(story: Story, random: Random) -> list[str]:
    documents = story.documents
    return [each.text for each in random.sample(documents, min(8, len(documents)))]


def _look(outcome: Outcome, path: Path, texts: list[str], allowed: list[list[Any]]) -> None:
    """A reader gets an `allowed` answer, or an error that says what is damaged; then a repair makes the window open."""
    found = told_or_named(outcome, lambda: answers(path, texts))
    if found is not None:
        if outcome.expect(found in allowed, f"silently different: {_first_unlike(found, allowed[0])}"):
            outcome.count("the same" if found == allowed[0] else "an earlier state")
        return
    if told_or_named(outcome, lambda: repair(path, signing_of, dry_run=False)) is not None:
        with open_window(path) as window:
            list(window.ingest([Document("new", "a new one", START)]))
        read_everything(path)


def _first_unlike(found: list[Any], expected: list[Any]) -> str:
    pairs = zip([*found[0], *found[1:]], [*expected[0], *expected[1:]], strict=False)
    return next((f"{ours}, expected {theirs}" for ours, theirs in pairs if ours != theirs), "more or less")


def _files(path: Path) -> list[Path]:
    """All files of a window but its lock, which nobody reads."""
    return sorted(file for file in path.rglob("*") if file.is_file() and file.name != "lock")


def older_file(round: Round) -> Outcome:
    random, outcome, path = round.random, Outcome(), round.place / "window"
    story = new_story(random, window_hours=0)
    moments = sorted(random.sample(range(len(story.operations)), 3))
    snapshots = {moment: round.place / f"older-{moment}" for moment in moments}
    told_in(story, path, snapshots)
    texts = texts_of(story, random)
    allowed = [answers(each, texts) for each in (path, *snapshots.values())]
    older = random.choice(list(snapshots.values()))
    file = random.choice(_files(older)).relative_to(older)
    shutil.copyfile(older / file, path / file)
    # An older commit is an older state of the window: later documents are as if they had never been committed.
    _look(outcome, path, texts, allowed if file.name == "commit" else allowed[:1])
    return outcome


def exchanged_files(round: Round) -> Outcome:
    random, outcome, path = round.random, Outcome(), round.place / "window"
    story = new_story(random)
    told_in(story, path)
    texts = texts_of(story, random)
    before = answers(path, texts)
    first, second = random.sample(_files(path), 2)
    aside = round.place / "aside"
    shutil.move(first, aside)
    shutil.move(second, first)
    shutil.move(aside, second)
    _look(outcome, path, texts, [before])
    return outcome


def foreign_file(round: Round) -> Outcome:
    random, outcome, path, other = round.random, Outcome(), round.place / "window", round.place / "other"
    story = new_story(random)
    told_in(story, path)
    # Another window of the same settings, or one that began as a copy of this one.
    alike = story.operations[: random.randrange(len(story.operations))] if random.random() < 0.5 else []
    told_in(story._replace(operations=[*alike, *new_story(random).operations]), other)
    texts = texts_of(story, random)
    before = answers(path, texts)
    source = random.choice([file for file in _files(other) if file.name != "commit"])
    same_name = [file for file in _files(path) if file.name == source.name]
    target = random.choice(same_name or _files(path))
    shutil.copyfile(source, target)
    _look(outcome, path, texts, [before])
    return outcome


# ---- clocks ----


def clocks(round: Round) -> Outcome:
    random, outcome = round.random, Outcome()
    settings: dict[str, Any] = {
        "window_hours": random.choice((3, 24)),
        "ahead_hours": random.choice((0, 24)),
        "policy": random.choice(("mark", "drop", "route")),
    }
    now = START + 100 * HOUR
    with mock.patch("time.time", side_effect=lambda: float(now)):
        reference = Run(Place("reference", round.place), settings)
        ours = Run(
            Place("directory", round.place), {**settings, "batch_documents": random.choice((1, 4, 50))}
        )
        for number in range(12):
            now += random.choice((0, 60, HOUR, 5 * HOUR, -HOUR, -26 * HOUR, 80 * HOUR))
            operation = _timed_operation(random, number, now)
            expected, found = (_in_order(run.perform(operation)) for run in (reference, ours))
            outcome.expect(found == expected, f"{operation}: {found}, expected {expected}")
            outcome.expect(
                plain(ours.state()) == plain(reference.state()), f"another state after {operation}"
            )
            outcome.count("operations")
        ours.window.close()
    read_everything(round.place / "window")
    return outcome


def _in_order(answers: list[Any]) -> Any:
    """Answers as in JSON; the ids of rejects in order, because batches report them at different times."""
    found = plain(answers)
    if found and isinstance(found[-1], list):
        found[-1] = sorted(found[-1])
    return found


def _timed_operation(random: Random, number: int, now: int) -> Operation:
    if number and random.random() < 0.3:
        return random.choice((Reopen(), Reconcile(), Delete(f"d{random.randrange(number)}-0")))
    documents = []
    for each in range(random.randint(1, 6)):
        off = random.choice(
            (0, 0, 0, -HOUR, -5 * HOUR, HOUR, 20 * HOUR, 30 * HOUR, 10_000 * HOUR, -(10**6) * HOUR)
        )
        times = (now + off, now + off, None, AssumedTime(now + off))
        start = 40 * random.randrange(5) + random.randrange(3)
        documents.append(Document(f"d{number}-{each}", grams(start, start + 30), random.choice(times)))
    return Ingest(documents)


# ---- everything ----


def everything(round: Round) -> Outcome:
    outcome = Outcome()

    @hypothesis.seed(round.random.randrange(2**32))
    @hypothesis.settings(
        max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @hypothesis.given(st.data())
    def streams(data: st.DataObject) -> None:
        all_answer_alike(data)
        outcome.count("streams")

    streams()
    return outcome


KINDS: Final = (
    Kind(
        "older-file",
        "directory",
        "One file is as it was some commits ago; what is older than the `commit` of now is named. An older `commit` is "
        "an older state of the whole window, which cannot be told from a new one.",
        older_file,
    ),
    Kind("exchanged-files", "directory", "Two files are in each other's place.", exchanged_files),
    Kind(
        "foreign-file",
        "directory",
        "A file of another window, or of a copy that went another way, is in the place of one of the same name; not "
        "its `commit`, which is another state of the whole window.",
        foreign_file,
    ),
    Kind(
        "clocks",
        "directory",
        "The clock is set forth and back; documents come with times ahead of it, long past, assumed, or none.",
        clocks,
    ),
    Kind(
        "everything",
        "directory",
        "Random streams of all that can be done and asked, with random settings, to windows that work in batches, one "
        "by one, by several threads, opened again and compacted at every turn.",
        everything,
    ),
)
