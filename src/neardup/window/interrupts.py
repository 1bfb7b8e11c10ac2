"""Ctrl-C while something is changed that cannot be read again."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def interrupt_put_off() -> Iterator[None]:
    """Puts a Ctrl-C off until the block has ended; a second one is not put off.

    Only where Python would raise `KeyboardInterrupt`: in the main thread, while no handler of the program's own is set.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    is_interrupted = False

    def note(signal_number: int, frame: object) -> None:
        nonlocal is_interrupted
        if is_interrupted:
            signal.default_int_handler(signal_number, frame)  # type: ignore[arg-type]
        is_interrupted = True

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if is_interrupted:
            raise KeyboardInterrupt
