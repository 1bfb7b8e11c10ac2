"""A stream of documents cut into batches, so that nothing depends on where they are cut."""

from __future__ import annotations

import logging
import time as clock
from collections import deque
from typing import TYPE_CHECKING, Final

from neardup.model.document import Flush
from neardup.model.escapes import escaped
from neardup.model.settings import BATCH_BYTES
from neardup.model.times import format_time
from neardup.window.newest_hour import LOOKED_PAST, Leaps, Next
from neardup.window.signing_ahead import MAX_WAIT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from neardup.model.document import Prepared

log = logging.getLogger("neardup")

Batch = dict[str, "Prepared"]

MOST_HOURS: Final = 256
"""Hours of a batch: each may become an index of a cluster, and those that expire are dropped only after the batch."""


def batches(documents: Iterator[Prepared | Flush], limit: int, leaps: Leaps) -> Iterator[Batch]:
    """The `documents` in batches of at most about `limit`, and of `MOST_HOURS`.

    After each, `leaps.held` is the part that waits for a document with a time of its own. Its first document comes
    again alone, when `leaps.following` is known, and then the others. A batch holds an id once, so that a second text
    under it finds the first one stored. An error that ends the stream is raised after all that came before it.
    """
    stream = _Stream(documents)
    while batch := _next_batch(stream, limit):
        yield batch
        leaps.end(list(batch.values())[: len(batch) - len(leaps.held)])
        if leaps.held:
            doubted, *behind = leaps.held
            leaps.following = _following(stream, doubted, behind)
            yield {doubted.id: doubted}
            leaps.end([doubted])
            leaps.following = None
    if stream.error is not None:
        raise stream.error


def _next_batch(stream: _Stream, limit: int) -> Batch:
    """The next documents, until it is time to decide them; none at the end of the stream."""
    batch: Batch = {}
    hours = set[int]()
    size, since = 0, 0.0
    while (item := stream.next()) is not None:
        if isinstance(item, Flush):
            if batch:
                break
            continue
        if batch and (
            item.id in batch
            or size + len(item.text) > BATCH_BYTES
            or (len(hours) == MOST_HOURS and item.hour not in hours)
        ):
            stream.put_back([item])
            break
        since = since if batch else clock.monotonic()
        batch[item.id] = item
        hours.add(item.hour)
        size += len(item.text)
        if len(batch) >= limit or clock.monotonic() - since > MAX_WAIT_SECONDS:
            break
    return batch


def _following(stream: _Stream, doubted: Prepared, behind: list[Prepared]) -> Next:
    """What follows a `doubted` document: these `behind` it, without times of their own, and what else the stream has.
    All of it is put back. Where a live stream pauses meanwhile, the log says what waits for it.
    """
    dated, is_told = None, False
    while dated is None and len(behind) < LOOKED_PAST and (item := stream.next()) is not None:
        if not isinstance(item, Flush):
            behind.append(item)
            dated = item if item.dated else None
        elif not is_told:
            is_told = True
            log.warning(
                "document %s waits, and what follows it: by its time, %s, most of the window would expire, which the "
                "next document that has a time, or %d more without one, must bear out (advance believes each)",
                escaped(doubted.id), format_time(doubted.time), LOOKED_PAST,
            )  # fmt: skip
    stream.put_back(behind)
    return Next(dated, undated=dated is None and len(behind) == LOOKED_PAST)


class _Stream:
    """Documents that can be put back. `error`: what ended the stream, if it was not at its end."""

    def __init__(self, documents: Iterator[Prepared | Flush]) -> None:
        self.error: Exception | None = None
        self._documents = documents
        self._back: deque[Prepared] = deque()

    def next(self) -> Prepared | Flush | None:
        """The next one, or None at the end."""
        if self._back:
            return self._back.popleft()
        if self.error is not None:
            return None
        try:
            return next(self._documents, None)
        except Exception as error:  # noqa: BLE001 - raised again after what came before it
            self.error = error
            return None

    def put_back(self, documents: Sequence[Prepared]) -> None:
        """Makes `documents` the next ones."""
        self._back.extendleft(reversed(documents))
