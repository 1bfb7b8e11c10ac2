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

MOST_HOURS: Final = 256
"""The most hours in a batch: each may become an index in a cluster, and expired ones are dropped only after it."""


def batches(documents: Iterator[Prepared | Flush], limit: int, leaps: Leaps) -> Iterator[list[Prepared]]:
    """The `documents` in batches of at most about `limit`, and of `MOST_HOURS`.

    After each batch, which the caller ends by `leaps.end`, `leaps.held` is the end of it that waits for a document with
    a time of its own. Once it is known what follows, the first of these is yielded again, alone, and then the others. A
    batch holds each id once, so that a second text under an id finds the first one stored. An error that ends the
    stream is raised after the batches before it.
    """
    stream = _Stream(documents)
    while batch := _next_batch(stream, limit):
        yield batch
        if leaps.held:
            doubted, *behind = leaps.held
            leaps.resume(_following(stream, doubted, behind))
            yield [doubted]
    if stream.error is not None:
        raise stream.error


def _next_batch(stream: _Stream, limit: int) -> list[Prepared]:
    """The next documents, up to a limit (number, bytes, hours or time), a repeated id or a flush; empty at the end."""
    batch: list[Prepared] = []
    ids, hours = set[str](), set[int]()
    size, since = 0, 0.0
    while (item := stream.next()) is not None:
        if isinstance(item, Flush):
            if batch:
                break
            continue
        if batch and (
            item.id in ids
            or size + len(item.text) > BATCH_BYTES
            or (len(hours) == MOST_HOURS and item.hour not in hours)
        ):
            stream.put_back([item])
            break
        since = since if batch else clock.monotonic()
        batch.append(item)
        ids.add(item.id)
        hours.add(item.hour)
        size += len(item.text)
        if len(batch) >= limit or clock.monotonic() - since > MAX_WAIT_SECONDS:
            break
    return batch


def _following(stream: _Stream, doubted: Prepared, behind: list[Prepared]) -> Next:
    """What follows a `doubted` document: those `behind` it, which have no times of their own, then more of the stream.

    All documents read are put back. If a live stream pauses meanwhile, the log names the document that waits.
    """
    dated, is_told = None, False
    while dated is None and len(behind) < LOOKED_PAST and (item := stream.next()) is not None:
        if not isinstance(item, Flush):
            behind.append(item)
            dated = item if item.dated else None
        elif not is_told:
            is_told = True
            log.warning(
                "document %s and those after it wait: its time, %s, would make most of the window expire, and must be "
                "confirmed by the next document that has a time, or by %d more without one (the setting advance "
                "accepts every time)",
                escaped(doubted.id), format_time(doubted.time), LOOKED_PAST,
            )  # fmt: skip
    stream.put_back(behind)
    return Next(dated, undated=dated is None and len(behind) == LOOKED_PAST)


class _Stream:
    """Documents that can be put back. `error`: the exception that ended the stream early, if any."""

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
        except Exception as error:  # noqa: BLE001 - raised after what came before it
            self.error = error
            return None

    def put_back(self, documents: Sequence[Prepared]) -> None:
        """Makes `documents` the next ones."""
        self._back.extendleft(reversed(documents))
