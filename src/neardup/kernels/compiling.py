"""Says that kernels are being compiled, when they are: whoever waits half a minute should know for what."""

from __future__ import annotations

import logging
from typing import Final

from numba.core import event

log = logging.getLogger("neardup")

_COMPILED: Final = "numba:compile"
"""What numba tells when it compiles a function; one that is loaded from its cache is not told."""


class _Teller(event.Listener):
    """The first kernel that a process compiles is told in the log, and no further one."""

    def __init__(self):
        self.told = False

    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        if self.told or not function.__module__.startswith("neardup."):
            return
        self.told = True
        log.warning(
            "compiling kernels that are used for the first time, which takes up to half a minute, once (%s.%s)",
            function.__module__, function.__name__,
        )  # fmt: skip

    def on_end(self, event):
        pass


TELLER: Final = _Teller()


def tell() -> None:
    """From now on say so."""
    event.register(_COMPILED, TELLER)
