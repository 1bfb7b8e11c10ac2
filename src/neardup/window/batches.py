"""A stream of documents cut into batches, so that nothing depends on where they are cut."""

from __future__ import annotations

import time as clock
from collections import deque
from typing import TYPE_CHECKING

from neardup.model.document import Flush
from neardup.model.settings import BATCH_BYTES
from neardup.window.newest_hour import LOOKED_PAST, Leaps, Next
from neardup.window.signing_ahead import MAX_WAIT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.model.document import Prepared

Batch = dict[str, "Prepared"]


def batches(documents: Iterator[Prepared | Flush], limit: int, leaps: Leaps) -> Iterator[tuple[Batch, Next]]:
    """The `documents` in batches of at most about `limit`, each with what is known of what follows it.

    After each, `leaps.held` is what of it waits for a document with a time of its own: it comes again when that is
    known. A batch holds an id once, so that a second text under it finds the first one stored. What ends the stream
    with an error is raised behind all that came before it.
    """
    again: deque[Prepared] = deque()
    waiting: list[Prepared] = []
    batch: Batch = {}
    size, since = 0, 0.0
    errors: list[Exception] = []
    items = _until_error(documents, errors)
    while True:
        item = again.popleft() if again else next(items, None)
        if waiting:
            if isinstance(item, Flush):
                continue
            if item is not None:
                waiting.append(item)
                if not item.dated and len(waiting) <= LOOKED_PAST:
                    continue
            doubted = waiting[0]
            dated = item if item is not None and item.dated else None
            yield {doubted.id: doubted}, Next(dated, known=True, undated=dated is None and item is not None)
            again.extendleft(reversed(waiting[1:]))
            waiting = []
            continue
        if item is None:
            break
        repeated = not isinstance(item, Flush) and (
            item.id in batch or (batch and size + len(item.text) > BATCH_BYTES)
        )
        if batch and (isinstance(item, Flush) or repeated):
            yield batch, Next()
            batch, size, waiting = {}, 0, list(leaps.held)
        if isinstance(item, Flush):
            continue
        if waiting:
            again.appendleft(item)
            continue
        since = since if batch else clock.monotonic()
        batch[item.id] = item
        size += len(item.text)
        if len(batch) >= limit or clock.monotonic() - since > MAX_WAIT_SECONDS:
            yield batch, Next()
            batch, size, waiting = {}, 0, list(leaps.held)
    if batch:
        yield batch, Next(known=True)
    for error in errors:
        raise error


def _until_error(
    documents: Iterator[Prepared | Flush], errors: list[Exception]
) -> Iterator[Prepared | Flush]:
    """The documents; an error that ends them goes to `errors`."""
    try:
        yield from documents
    except Exception as error:  # noqa: BLE001 - raised again behind what came before it
        errors.append(error)
