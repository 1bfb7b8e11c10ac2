"""What every kind of torture is: something that is done to a window, and what must hold whatever comes of it.

A kind is registered by standing in the tuple `KINDS` of its module, and the module in `MODULES` of
testing/torture/registry.py. It needs no more than `random`, `place` and, in a cluster, `nodes` of its round:

    def overwritten(round: Round) -> Outcome:
        outcome = Outcome()
        ...
        outcome.count("named")
        outcome.expect(found == expected, f"found {found}, expected {expected}")
        return outcome

    KINDS = (Kind("document-overwritten", "elasticsearch", "Another client overwrites ....", overwritten),)

An exception that leaves `run` is a violation too, and so is a round that takes longer than LONGEST seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from testing.torture.nodes import Nodes

Engine = Literal["directory", "elasticsearch"]
ENGINES: Final[tuple[Engine, ...]] = ("directory", "elasticsearch")
LONGEST: Final = 300
"""Seconds after which a round is ended, and is a violation."""


@dataclass(frozen=True)
class Round:
    """What a kind is given for one round. All that is random comes from `random`, so that the round can be repeated.

    `place` is an empty directory of its own, which is kept only if there is a violation. `nodes` gives running nodes of
    Elasticsearch; kinds of the directory are given none.
    """

    random: Random
    place: Path
    nodes: Nodes | None = None


@dataclass
class Outcome:
    """What came of a round: what must not be, in words, and how often what else was seen ("the same", "named")."""

    violations: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def count(self, what: str, times: int = 1) -> None:
        """Notes that something allowed was seen."""
        self.counts[what] += times

    def expect(self, holds: object, otherwise: str) -> bool:
        """Notes a violation unless it holds; whether it does."""
        if not holds:
            self.violations.append(otherwise)
        return bool(holds)


class Kind(NamedTuple):
    """One kind of torture. `what` says in one plain sentence what is done; and what must hold, where that is more than
    what docs/reliability.md says of all kinds.

    `sample`: how many rounds of it are in the sample that the tests run.
    """

    name: str
    engine: Engine
    what: str
    run: Callable[[Round], Outcome]
    sample: int = 1
