"""A kind of torture is something that is done to a window, and what must hold afterwards in any case.

To register a kind, add it to the tuple `KINDS` of its module, and the module to `MODULES` in
testing/torture/registry.py. It needs only `random`, `place` and, in a cluster, `nodes` of its round:

    def overwritten(round: Round) -> Outcome:
        outcome = Outcome()
        ...
        outcome.count("named")
        outcome.expect(found == expected, f"found {found}, expected {expected}")
        return outcome

    KINDS = (Kind("document-overwritten", "elasticsearch", "Another client overwrites ....", overwritten),)

An exception raised by `run` is a violation too, and so is a round that takes longer than LONGEST seconds.
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
"""Seconds after which a round is ended and counts as a violation."""


@dataclass(frozen=True)
class Round:
    """What a kind gets for one round. All randomness comes from `random`, so that the round can be repeated.

    `place` is an empty directory for this round, which is kept only if there is a violation. `nodes` gives running
    nodes of Elasticsearch; kinds of the directory get none.
    """

    random: Random
    place: Path
    nodes: Nodes | None = None


@dataclass
class Outcome:
    """The outcome of a round: violations in words, and counts of allowed results ("the same", "named")."""

    violations: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def count(self, what: str, times: int = 1) -> None:
        """Records that something allowed was seen."""
        self.counts[what] += times

    def expect(self, holds: object, otherwise: str) -> bool:
        """Records a violation unless `holds` is true; returns whether it is."""
        if not holds:
            self.violations.append(otherwise)
        return bool(holds)


class Kind(NamedTuple):
    """One kind of torture. `what` says in one plain sentence what is done, and what must hold if that is more than
    docs/reliability.md says of all kinds.

    `sample`: the number of its rounds in the sample that the tests run.
    """

    name: str
    engine: Engine
    what: str
    run: Callable[[Round], Outcome]
    sample: int = 1
