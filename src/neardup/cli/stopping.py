"""SIGINT and SIGTERM while documents are taken in: what is begun is finished, then the command ends."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any, Final, Self, TypeVar

Item = TypeVar("Item")


class Terminated(BaseException):
    """SIGTERM has come. As KeyboardInterrupt no `Exception`: nobody survives it by accident."""


KINDS: Final[dict[int, type[KeyboardInterrupt | Terminated]]] = {
    signal.SIGINT: KeyboardInterrupt,
    signal.SIGTERM: Terminated,
}


def terminate(*_: Any) -> None:
    """What SIGTERM does where nothing has to be finished first."""
    raise Terminated


class Stop:
    """Notes the first signal and lets the work at hand go on until it looks; a second one ends it at once.

    While nothing is worked on but the next document is waited for, one signal is enough.
    """

    def __init__(self) -> None:
        self.requested: type[BaseException] | None = None
        self._waiting = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._take) for number in KINDS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _take(self, number: int, _: FrameType | None) -> None:
        again, self.requested = self.requested is not None, KINDS[number]
        if again or self._waiting:
            raise self.requested

    def raise_if_requested(self) -> None:
        """Raises what the signal means, when everything is done."""
        if self.requested is not None:
            raise self.requested

    def until_requested(self, items: Iterable[Item]) -> Iterator[Item]:
        """The `items` until a signal comes: whoever works on them sees the end, and finishes what it has."""
        source = iter(items)
        while self.requested is None:
            try:
                self._waiting = True
                item = next(source)
            except (StopIteration, KeyboardInterrupt, Terminated):
                return
            finally:
                self._waiting = False
            yield item

    def sleep(self, seconds: float) -> None:
        """Sleep, less long if a signal comes."""
        try:
            self._waiting = True
            if self.requested is None:
                time.sleep(seconds)
        except (KeyboardInterrupt, Terminated):
            pass  # noted in `requested`
        finally:
            self._waiting = False
