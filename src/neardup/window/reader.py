"""A window opened readonly: what to do when its writer drops what the reader still asks for."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Final, TypeVar

from neardup.errors import WindowExpired
from neardup.window.engine import WindowEngine
from neardup.window.threads import one_at_a_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from neardup.model.verdict import Group, Verdict
    from neardup.window.state import State

Answer = TypeVar("Answer")

PATIENCE: Final = 10
"""How often in a row a reader reads a window again whose writer is always faster, as one is that replays a stream."""


class ReadingWindow(WindowEngine):
    """See `neardup.window.base.Window`. Sees what was committed when it was opened or, once the writer has dropped an
    hour that it asks for, read again; raises `WindowExpired` only where the writer is always faster.
    """

    def __init__(self, state: State, again: Callable[[], WindowEngine]) -> None:
        super().__init__(state)
        self._again_opened = again

    def _answer(self, ask: Callable[[], Answer]) -> Answer:
        """The answer of `ask`, by a newer look at the window if an hour has gone."""
        for _ in range(PATIENCE):
            with contextlib.suppress(WindowExpired):
                return ask()
            with contextlib.suppress(WindowExpired):
                newer = self._again_opened()
                self._state.store.close()
                self._state = newer._state  # noqa: SLF001 - a window of this kind
        return ask()

    @one_at_a_time
    def query(self, text: str | None = None, **options: Any) -> Verdict:
        """See `Window.query`."""
        ask = super().query
        return self._answer(lambda: ask(text, **options))

    @one_at_a_time
    def groups(self) -> Iterator[Group]:
        """See `Window.groups`."""
        ask = super().groups
        return self._answer(ask)
