"""Exclusion: one thread at a time works with a window, until it is closed; a forked process changes nothing."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING, Final

from neardup.errors import NeardupError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CLOSED: Final = "this window is closed: open it again"
_FORKED: Final = (
    "this window was opened by another process, from which this one was forked: open it here after that process has "
    "closed it"
)
_AT_WORK: Final = (
    "another thread was using this window when this process was forked: open it here, readonly while the other process "
    "has it open, or fork while no thread uses it"
)
_LOOK_SECONDS: Final = 0.5
"""How long a thread waits for another before it checks whether that one exists in this process."""


class Exclusion:
    """Keeps the calls of one window apart.

    Kernels release the GIL and count in memory that all searches of a window share: two calls at once would give wrong
    answers.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._is_closed = False
        self._opened_by = self._held_by = os.getpid()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keeps other threads out while its block runs. Raises `NeardupError` if a thread of the parent process held
        the lock when this process was forked: that lock is never released, and memory may be half changed.
        """
        while not self.lock.acquire(timeout=_LOOK_SECONDS):
            if self._held_by != os.getpid():
                raise NeardupError(_AT_WORK)
        try:
            self._held_by = os.getpid()
            yield
        finally:
            self.lock.release()

    @contextlib.contextmanager
    def alone_while_open(self) -> Iterator[None]:
        """`alone`; raises `NeardupError` once the window is closed."""
        with self.alone():
            if self._is_closed:
                raise NeardupError(_CLOSED)
            yield

    def close(self, close: Callable[[], object]) -> None:
        """Calls `close`, unless the window is closed already."""
        with self.alone():
            if not self._is_closed:
                close()
                self._is_closed = True  # not before, so that an interrupted close can be repeated

    def check_not_forked(self) -> None:
        """Raises `NeardupError` in a process that was forked off the one that opened the window."""
        if self._opened_by != os.getpid():
            raise NeardupError(_FORKED)
