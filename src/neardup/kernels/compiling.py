"""Announces in the log that kernels are compiled, when they are: whoever waits ten seconds should know for what."""

from __future__ import annotations

import logging
from typing import Final

from numba.core import event

log = logging.getLogger("neardup")

_COMPILED: Final = "numba:compile"
"""The event that numba raises when it compiles a function; not when it loads one from its cache."""


class _Announcer(event.Listener):
    """Logs the first kernel that a process compiles, and no further one."""

    def __init__(self):
        self.announced = False

    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        if self.announced or not function.__module__.startswith("neardup."):
            return
        self.announced = True
        log.warning(
            "compiling kernels that are used for the first time, which takes about ten seconds, once (%s.%s)",
            function.__module__, function.__name__,
        )  # fmt: skip

    def on_end(self, event):
        pass


ANNOUNCER: Final = _Announcer()


def announce_compilation() -> None:
    """From now on the first kernel that is compiled is logged."""
    event.register(_COMPILED, ANNOUNCER)
