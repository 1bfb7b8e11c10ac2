"""Stories: a sequence of operations on a window, and the answers of the slow reference window.

A story is made of steps: each ingested document is one, and so is every other operation. After each step the window has
a state. Whatever ends a writer, it leaves the state after some step: after the last step that was answered, or after a
later one within the current batch. The story can continue from there.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson
from testing.window.backends import START, Place, grams
from testing.window.operations import (
    Delete,
    Expire,
    Ingest,
    Operation,
    Reconcile,
    Reopen,
    Run,
    comparable,
    figures,
)

from neardup.model.document import Document

if TYPE_CHECKING:
    from neardup.window.base import Window

FAMILIES: Final = 7
LATEST: Final = 2
"""Hours that a document may be late, and that a batch may span."""

WEIGHTS: Final = {"new": 12, "again": 2, "delete": 2, "expire": 1, "reconcile": 1, "reopen": 1}
"""How often each operation occurs in a story; "again" is another text, or other punctuation, under a known id."""


class Step(NamedTuple):
    """One step: an operation; for an `Ingest`, the document with this number."""

    operation: int
    place: int = 0


class Story(NamedTuple):
    """Operations on a window with these settings."""

    settings: dict[str, Any]
    operations: list[Operation]

    @property
    def steps(self) -> list[Step]:
        """All steps in order."""
        return [
            Step(number, place)
            for number, operation in enumerate(self.operations)
            for place in range(len(operation.documents) if isinstance(operation, Ingest) else 1)
        ]

    @property
    def documents(self) -> list[Document]:
        """All that is ingested, in order."""
        return [each for one in self.operations if isinstance(one, Ingest) for each in one.documents]

    def rest_of(self, step: Step) -> Operation:
        """The rest of its operation, from this step on."""
        operation = self.operations[step.operation]
        return Ingest(operation.documents[step.place :]) if isinstance(operation, Ingest) else operation

    def latest_after(self, steps: int) -> int:
        """How many steps may be committed when this many were answered."""
        all_steps = self.steps
        if steps == len(all_steps):
            return steps
        rest = self.rest_of(all_steps[steps])
        left = len(rest.documents) if isinstance(rest, Ingest) else 1
        return steps + min(left, int(self.settings["batch_documents"]))

    def save(self, file: Path) -> Path:
        """Writes it for another process."""
        named = [[type(each).__name__, each] for each in self.operations]
        file.write_text(
            json.dumps({"settings": self.settings, "operations": named})
        )  # JSON turns tuples into lists
        return file

    @classmethod
    def load(cls, file: Path) -> Story:
        """What `save` has written."""
        stored = orjson.loads(file.read_bytes())
        return cls(stored["settings"], [_operation(*each) for each in stored["operations"]])


def _operation(name: str, values: list[Any]) -> Operation:
    if name == "Ingest":
        return Ingest([Document(*each) for each in values[0]])
    kinds: dict[str, Any] = {each.__name__: each for each in (Delete, Expire, Reconcile, Reopen)}
    return kinds[name](*values)  # type: ignore[no-any-return]


# ---- what is done ----


def new_story(
    random: Random,
    operations: int = 12,
    most: int = 14,
    weights: dict[str, int] | None = None,
    **settings: Any,
) -> Story:
    """Documents of some families of copies over several hours, in batches, with other operations in between, as often
    as the `weights` say.
    """
    chosen, chances = _settings(random) | settings, weights or WEIGHTS
    keep = chosen["window_hours"]
    clock = floor = known = 0
    done: list[Operation] = []
    texts: dict[str, str] = {}
    for _ in range(operations):
        (what,) = random.choices(list(chances), list(chances.values()))
        if what in ("delete", "again") and known:
            id = f"d{random.randrange(known)}"
            if what == "delete":
                done.append(Delete(id))
            else:
                other = _document(random, id, max(clock, floor))
                if random.random() < 0.4:
                    other = other._replace(text=f"{texts[id]}{random.choice(' !?')}")
                texts[id] = other.text
                done.append(Ingest([other]))
        elif what == "expire":
            clock += random.randrange(3)
            floor = max(floor, clock - keep) if keep else floor
            done.append(Expire(clock))
        elif what == "reconcile":
            done.append(Reconcile())
        elif what == "reopen":
            done.append(Reopen())
        else:
            count, begun = random.randint(1, most), clock
            documents = []
            for number in range(known, known + count):
                clock = min(clock + random.choice((0, 0, 0, 1)), begun + LATEST)
                hour = max(clock - random.choice((0, 0, 0, 1, LATEST)), floor, 0)
                documents.append(_document(random, f"d{number}", hour))
            known += count
            texts |= {each.id: each.text for each in documents}
            done.append(Ingest(documents))
    return Story(chosen, done)


def _settings(random: Random) -> dict[str, Any]:
    policy = random.choice(("mark", "mark", "route", "drop"))
    return {
        "window_hours": random.choice((0, 2 * LATEST, 24)),
        # Dropped documents are not known later: a story can only continue if every document gets an answer.
        "batch_documents": 1 if policy == "drop" else random.choice((1, 3, 8, 50)),
        "policy": policy,
        "retrieval": random.choice(("sketch", "complete")),
        "advance": True,
        "fsync": random.random() < 0.3,
        "partial": random.random() < 0.2,
    }


def _document(random: Random, id: str, hour: int) -> Document:
    """A text of some family: near or exact copies of each other, some of one q-gram, some empty, some long."""
    family, offset = random.randrange(FAMILIES), random.choice((0, 0, 1, 2, 5, 12))
    size = random.choice((0, 1, 30, 30, 30, 30, 60, 60))
    text = grams(100 * family + offset, 100 * family + offset + size) if size else "… !"
    return Document(id, text, START + 3_600 * hour + random.randrange(3_600))


# ---- what must be answered ----


class Reference(NamedTuple):
    """The answer to each step, and the state before the first and after each."""

    answers: list[Any]
    states: list[Any]

    def index_of(self, state: Any, low: int, high: int) -> int | None:
        """The number of steps, from `low` to `high`, after which the window is in that state; None if there is none."""
        return next((n for n in range(low, high + 1) if self.states[n] == state), None)


def reference(story: Story) -> Reference:
    """The answers of the slow reference window."""
    run = Run(Place("reference", Path()), _without(story.settings, "batch_documents", "fsync"))
    answers, states = [], [state_of(run.window)]
    for step in story.steps:
        rest = story.rest_of(step)
        one = Ingest(rest.documents[:1]) if isinstance(rest, Ingest) else rest
        answers.append(_answer(run, one))
        states.append(state_of(run.window))
    return Reference(answers, states)


def _without(settings: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name not in names}


def _answer(run: Run, operation: Operation) -> Any:
    answers = run.perform(operation)
    return plain(answers[0] if isinstance(operation, Ingest) else answers)


def plain(answer: Any) -> Any:
    """An answer as in JSON, without the number of candidates, which an engine is free to choose."""
    (each,) = comparable([answer])
    return orjson.loads(orjson.dumps(_as_json(each)))


def _as_json(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "candidates"):
        return value._asdict()
    if isinstance(value, list):
        return [_as_json(comparable([each])[0]) for each in value]
    return value


def state_of(window: Window) -> Any:
    """Everything visible of a window: its groups, its figures, and every document with its verdict."""
    groups = [group.to_dict() for group in window.groups()]
    verdicts = [plain(window.get(id)) for id in window]
    return plain([groups, figures(window.stats()), verdicts])
