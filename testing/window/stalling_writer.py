"""Ingests a stream of JSON Lines into a window in a cluster, and stops itself at a chosen call until it is continued:
like a process that is swapped out, or whose machine sleeps, for longer than a lease lasts.

python stalling_writer.py STREAM WINDOW SETTINGS(JSON) LEASE_SECONDS CALL PLACE

CALL is one of those below, PLACE counts its calls from 1. Prints a line for every verdict and every reject.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from neardup.elastic.window import state_document, write_sender
from neardup.elastic.window.lease import Lease
from neardup.elastic.window.opening import open_elastic_window
from neardup.errors import WindowLocked

CALLS: dict[str, tuple[Any, str]] = {
    "ensure_held": (Lease, "ensure_held"), "bulk": (write_sender, "bulk"), "renew": (Lease, "renew"),
    "commit": (Lease, "commit"),
}  # fmt: skip
"""Before anything is written; before documents are written; once the undo log is written; once everything is written
but does not count yet.
"""


def stopping(function: Callable[..., Any], place: int) -> Callable[..., Any]:
    """`function`; the process stops before its call with this number."""
    calls = 0

    def stops(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == place:
            os.kill(os.getpid(), signal.SIGSTOP)
        return function(*arguments, **named)

    return stops


def main(stream: str, window: str, settings: str, seconds: str, call: str, place: str) -> None:
    documents = (json.loads(line) for line in Path(stream).read_text().splitlines())
    owner, name = CALLS[call]
    with (
        mock.patch.object(state_document, "LEASE_SECONDS", float(seconds)),
        mock.patch.object(owner, name, stopping(getattr(owner, name), int(place))),
        open_elastic_window(window, **json.loads(settings)) as opened,
    ):
        rejected = lambda reject: print(f"rejected {reject.id}: {reject.reason}", flush=True)  # noqa: E731
        try:
            for verdict in opened.ingest(documents, on_reject=rejected):
                print(f"told {verdict.id}", flush=True)
        except WindowLocked as locked:
            sys.exit(f"locked: {locked}")


if __name__ == "__main__":
    main(*sys.argv[1:])
