"""Signing ahead: while a batch is decided, the documents that follow it are signed in threads of their own.

Signing, and compressing what is to be shown, is half of the work and depends on nothing that is decided. Documents are
read ahead only if they come faster than they are decided, so a verdict never waits for a document that is yet to be
written.
"""

from __future__ import annotations

import time as clock
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.index.helpers import helpers_of
from neardup.index.query_batch import joined_batches
from neardup.model.document import Flush

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.document import Prepared

    Sign = Callable[[Sequence[Prepared]], SignedQueryBatch]

MAX_WAIT_SECONDS: Final = 0.2
"""When documents took this long to come, they are decided before more are waited for."""


class _Chunk(NamedTuple):
    """Some items in the order in which they came.

    documents   those to be signed; `signed` is done when they are
    is_full     whether they fill a batch, so that the next items may be there already
    error       the exception that ended the stream after them
    """

    items: list[Prepared | Flush]
    documents: list[Prepared]
    signed: Future[SignedQueryBatch] | None
    is_full: bool
    error: BaseException | None


class SigningAhead:
    """Reads `items` and has `threads` - 1 helper threads `sign` them, `size` at a time. One chunk is read ahead for
    each helper, one that is signed already, and one that waits. With one thread nothing is read ahead, and nothing
    signed before it is asked for.
    """

    def __init__(
        self,
        items: Iterator[Prepared | Flush],
        sign: Sign,
        *,
        size: int,
        threads: int,
    ) -> None:
        self._source, self._sign = items, sign
        self._size, self._threads = size, threads
        self._yielded: deque[_Chunk] = deque()  # chunks with signatures that were not asked for yet
        self._used = 0  # how many of the first chunk were asked for

    def items(self) -> Iterator[Prepared | Flush]:
        """All items, in order. An error that ends the stream is raised after what came before it."""
        if self._threads == 1:
            yield from self._source
            return
        ahead: deque[_Chunk] = deque()
        while True:
            while len(ahead) <= self._threads and (not ahead or ahead[-1].is_full):
                ahead.append(self._read())
            chunk = ahead.popleft()
            if chunk.documents:
                self._yielded.append(chunk)
            yield from chunk.items
            if chunk.error is not None:
                raise chunk.error
            if not chunk.items:
                return

    def signed(self, documents: Sequence[Prepared]) -> SignedQueryBatch:
        """The signatures of some of the documents that were yielded; waits for those that are not there yet.

        They are asked for in the order in which they were yielded; one that is asked for again is signed again.
        """
        parts: list[SignedQueryBatch] = []
        first = 0
        while first < len(documents):
            count = self._in_turn(documents, first)
            if count:
                parts.append(self._next(count))
            else:
                count = self._out_of_turn(documents, first)
                parts.append(self._sign(documents[first : first + count]))
            first += count
        return parts[0] if len(parts) == 1 else joined_batches(parts)

    def _in_turn(self, documents: Sequence[Prepared], first: int) -> int:
        """How many documents from `first` on are the next ones of the first chunk."""
        if not self._yielded:
            return 0
        waiting = self._yielded[0].documents[self._used :]
        pairs = enumerate(zip(islice(documents, first, None), waiting, strict=False))
        most = min(len(documents) - first, len(waiting))
        return next((at for at, (document, next_one) in pairs if document is not next_one), most)

    def _out_of_turn(self, documents: Sequence[Prepared], first: int) -> int:
        """How many documents from `first` on come before the next one of the first chunk."""
        next_one = self._yielded[0].documents[self._used] if self._yielded else None
        last = first + 1
        while last < len(documents) and documents[last] is not next_one:
            last += 1
        return last - first

    def _next(self, count: int) -> SignedQueryBatch:
        """The signatures of the next `count` documents, which are of one chunk."""
        chunk, first = self._yielded[0], self._used
        assert chunk.signed is not None
        signed = chunk.signed.result()
        self._used += count
        if self._used == len(chunk.documents):
            self._yielded.popleft()
            self._used = 0
        return signed if count == len(chunk.documents) else signed.part(first, first + count)

    def _read(self) -> _Chunk:
        """The next items: until they fill a batch, a flush comes, or they have taken `MAX_WAIT_SECONDS`."""
        items: list[Prepared | Flush] = []
        documents: list[Prepared] = []
        began, error, is_full = clock.monotonic(), None, False
        try:
            for item in self._source:
                items.append(item)
                if isinstance(item, Flush):
                    break
                documents.append(item)
                if clock.monotonic() - began > MAX_WAIT_SECONDS:
                    break
                if len(documents) == self._size:
                    is_full = True
                    break
        except Exception as caught:  # noqa: BLE001 - raised again when its turn comes
            error = caught
        signed = helpers_of(self._threads).submit(self._sign, documents) if documents else None
        return _Chunk(items, documents, signed, is_full, error)
