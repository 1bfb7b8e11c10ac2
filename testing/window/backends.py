"""Backends: one small class for every kind of window that the contract's tests run on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from testing.effort import LONG
from testing.window.reference_window import ReferenceWindow
from testing.window.sqlite_store import hours_in, open_sqlite_window

from neardup.elastic.window.opening import open_elastic_window
from neardup.model.document import Document
from neardup.model.hours import hour_name
from neardup.opening import open_window

if TYPE_CHECKING:
    from testing.window.cluster_prefixes import Prefixes

    from neardup.elastic.http.address import Address
    from neardup.model.verdict import Verdict
    from neardup.window.base import Window

Kind = Literal["reference", "memory", "directory", "sqlite", "elasticsearch"]
ENGINES = ("memory", "directory", "sqlite", pytest.param("elasticsearch", marks=pytest.mark.node))
KINDS = ("reference", *ENGINES)

engines_only = pytest.mark.parametrize("place", ENGINES, indirect=True)
"""For tests that the reference cannot run because it has no index and hardly any memory."""


def engines_in_turn(names: str, cases: Iterable[Any]) -> pytest.MarkDecorator:
    """Like `engines_only`, for behaviour that all engines share in code: each of the `cases`, whose values have these
    `names`, runs in memory and on one of the others in turn; on all of them if tests are to try more.
    """
    memory, *others = ENGINES
    return _in_turn([memory], others, names, cases)


def kinds_in_turn(names: str, cases: Iterable[Any]) -> pytest.MarkDecorator:
    """Like `engines_in_turn`, and each case on the reference, too."""
    memory, *others = ENGINES
    return _in_turn(["reference", memory], others, names, cases)


def _in_turn(
    always: Sequence[Any], others: Sequence[Any], names: str, cases: Iterable[Any]
) -> pytest.MarkDecorator:
    pairs = []
    for case, other in zip(cases, cycle(others), strict=False):
        values = case if isinstance(case, tuple) else (case,)
        for kind in (*always, *others) if LONG else (*always, other):
            name, marks = (kind, ()) if isinstance(kind, str) else (kind.values[0], kind.marks)
            pairs.append(pytest.param(name, *values, marks=marks))
    return pytest.mark.parametrize(f"place, {names}", pairs, indirect=["place"], ids=str)


PATIENCE = 60
"""Seconds that a window waits for a node shared with other tests."""

START = 1_600_000_000 // 3_600 * 3_600
"""The hour that the tests count from, in seconds: 2020-09-13T12:00:00Z."""


@dataclass
class Place:
    """A place where windows are opened; `close` closes all of them."""

    kind: Kind
    path: Path
    prefixes: Prefixes | None = None
    opened: list[Window] = field(default_factory=list)
    addresses: dict[str, Address] = field(default_factory=dict)

    @property
    def durable(self) -> bool:
        """Whether a window can be closed and opened again."""
        return self.kind in ("directory", "sqlite", "elasticsearch")

    @property
    def is_engine(self) -> bool:
        """Whether this is neardup itself, not the reference model."""
        return self.kind != "reference"

    def open(self, name: str = "window", **settings: Any) -> Window:
        """A new window, or, if windows persist, the one of that name."""
        window = self._opened(name, settings)
        self.opened.append(window)
        return window

    def _opened(self, name: str, settings: dict[str, Any]) -> Window:
        match self.kind:
            case "reference":
                return ReferenceWindow(**settings)
            case "memory":
                return open_window(None, **settings)
            case "directory":
                return open_window(self.path / name, **settings)
            case "sqlite":
                return open_sqlite_window(self.path / f"{name}.sqlite", **settings)
        address = self.address(name)
        assert self.prefixes is not None
        return open_elastic_window(
            str(address), credentials=self.prefixes.credentials, patience=PATIENCE, **settings
        )

    def address(self, name: str = "window") -> Address:
        """Where in the cluster the window of that name is."""
        assert self.prefixes is not None
        if name not in self.addresses:
            self.addresses[name] = self.prefixes.fresh()
        return self.addresses[name]

    def hours_left(self, name: str = "window") -> list[str]:
        """What the hours of a window left in its store; nothing can be seen of a window in memory."""
        if self.kind == "directory":
            return [path.name for path in (self.path / name / "hours").iterdir()]
        if self.kind == "sqlite":
            return [hour_name(hour) for hour in hours_in(self.path / f"{name}.sqlite")]
        if self.kind == "elasticsearch":
            assert self.prefixes is not None
            return self.prefixes.indices([self.address(name).pattern])
        return []

    def reopened(self, window: Window, name: str = "window", **settings: Any) -> Window:
        """The same window, closed and opened again if that is possible."""
        if not self.durable:
            return window
        window.close()
        self.opened.remove(window)
        return self.open(name, **settings)

    def close(self) -> None:
        """Closes what is open."""
        for window in self.opened:
            window.close()
        self.opened.clear()
        if self.prefixes is not None:
            self.prefixes.give_back(self.addresses.values())
            self.addresses.clear()


def document(id: str, text: str, hour: float = 0) -> Document:
    """A document `hour` hours after `START`."""
    return Document(id, text, START + int(hour * 3_600))


def without_candidates(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Verdicts without the fields that an engine is free to choose."""
    return [verdict._replace(candidates=0) for verdict in verdicts]


def grams(first: int, last: int) -> str:
    """A text whose q-grams (q = 4) are those numbered from `first` to `last` (excluded) in an endless sequence.

    So grams(0, 10) and grams(3, 13) share 7 of 10: doc_q 0.7.
    """
    return "".join(chr(0x4E00 + point) for point in range(first, last + 3))


def summaries(verdicts: Iterable[Verdict]) -> list[tuple[str, str, str | None, str]]:
    """(id, status, duplicate_of, group) of each verdict."""
    return [(v.id, v.status, v.duplicate_of, v.group) for v in verdicts]
