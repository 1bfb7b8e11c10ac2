"""Commands run as separate processes, waited for, and watched on a terminal."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Sequence

import pytest


def wait_for(condition: Callable[[], object], seconds: float = 90) -> None:
    """Returns when `condition` holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def seen_on_a_terminal(command: Sequence[str], *, output: bool = False) -> bytes:
    """What a successful command writes to standard error, or to standard `output`, when that is a terminal."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    stdout, stderr = (theirs, subprocess.DEVNULL) if output else (subprocess.DEVNULL, theirs)
    with subprocess.Popen(command, stdout=stdout, stderr=stderr) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                block = os.read(ours, 65_536)
            except OSError:  # how Linux reports the end
                break
            if not block:
                break
            seen += block
    os.close(ours)
    assert process.returncode == 0
    return seen
