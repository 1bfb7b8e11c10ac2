"""Files in order of time: documents without a time get one, and documents of unsorted files are sorted by time.

Only regular files are read twice, each time from the beginning. Nothing here keeps a text in memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.model.clock import now_ms
from neardup.model.document import AssumedTime, Document, FileTime, Flush, Reject
from neardup.model.hours import hour_of
from neardup.model.settings import HOUR_MS
from neardup.model.times import format_time, parse_time
from neardup.sources.position import Position
from neardup.sources.spool import Spool

if TYPE_CHECKING:
    from neardup.sources.position import Item
    from neardup.sources.reader import Reader

_BEFORE_ALL: Final = -(2**62)
_WITHOUT: Final = 100
"""After so many documents without a time, it is checked whether any can have one, before all are parsed."""

_MOST_WAITING: Final = 10_000
_LONGEST_WAITING: Final = 64_000_000
"""How many documents without a time, and characters of their texts, wait at the head of a pipe for the first time: a
pipe that never pauses may be longer than memory.
"""


class HourOrder(NamedTuple):
    """Whether the times of files never go back, and how many hours have documents."""

    in_order: bool
    hours: int


class DatedReader:
    """The items of `reader`, with a time for every document that has none: that of the document before it in the run,
    or, at the head of the run, the first time there is (in a pipe, only the first among the documents that are
    available at once, near its beginning). If there is no such time, the document gets the time of its arrival; if
    there is, a document that is a file of its own gets the time when this file was last changed instead, but none ahead
    of the clock: its neighbours in a directory say nothing about it.

    A time that cannot be read, or is further ahead of the clock than `ahead_hours`, is not given to other documents.
    """

    def __init__(self, reader: Reader, *, ahead_hours: int) -> None:
        self.reader = reader
        self._latest = now_ms() + ahead_hours * HOUR_MS

    @property
    def is_live(self) -> bool:
        """Whether a pipe is among the sources: then nothing can be read twice."""
        return self.reader.bytes_total is None

    def position(self) -> tuple[float, float | None]:
        """(How many bytes have been read; of how many, None if that is not known)."""
        return self.reader.position()

    def located(self, reject: Reject) -> Reject:
        """`reject` with the file and line of its document."""
        return self.reader.located(reject)

    def location(self, document: Document) -> tuple[str | None, int | None]:
        """File and line of the document that was yielded last."""
        located = self.reader.located(Reject(document.id, ""))
        return located.source, located.line

    def __iter__(self) -> Iterator[Item]:
        last = None if self.is_live else self._first_time()
        # At the head of a pipe: documents that wait for the first time that comes, or for what ends the wait.
        waiting: list[tuple[Document, int | None]] = []
        is_head, length = self.is_live, 0
        for item in self.reader:
            if type(item) is Document and item.time is None and last is None and is_head:
                waiting.append((item, self.reader.file_time()))
                length += len(item.text)
                is_head = len(waiting) < _MOST_WAITING and length < _LONGEST_WAITING
                if not is_head:
                    yield from self._given(waiting, None)
                    waiting = []
                continue
            if type(item) is Document:
                last = last if item.time is None else self._known(item.time, last)
            if waiting and (last is not None or type(item) is Flush):
                yield from self._given(waiting, last)
                waiting, is_head = [], False
            if type(item) is Document and item.time is None:
                yield from self._given([(item, self.reader.file_time() if last is not None else None)], last)
            else:
                yield item
        yield from self._given(waiting, last)

    def _given(self, undated: list[tuple[Document, int | None]], time: int | None) -> Iterator[Document]:
        """Documents that have no time, each with that of its own file, if it has one, else with `time`; None: all get
        the time of their arrival.
        """
        for document, own in undated:
            if time is None:
                yield document
            elif own is None:
                yield document._replace(time=AssumedTime(format_time(time)))
            else:
                yield document._replace(time=FileTime(format_time(min(own, now_ms()))))

    def has_only_rejects(self, usable: Callable[[Document], bool]) -> bool:
        """Whether there are only rejects and documents that are not `usable`, by a pass up to the first that is; False
        for a pipe, or without records.
        """
        are_unusable = False
        for item in () if self.is_live else self.reader:
            are_unusable = type(item) is not Document or not usable(item)
            if not are_unusable:
                break
        self.reader.rewind()
        return are_unusable

    def hour_order(self) -> HourOrder:
        """The order of the times and the number of hours, by a pass over all documents."""
        hours, newest, in_order = set[int](), _BEFORE_ALL, True
        for _, time in self.with_times():
            # Within an hour, too: of two texts, the earlier one is the original.
            in_order = in_order and time >= newest
            newest = max(newest, time)
            hours.add(hour_of(time))
        self.reader.rewind()
        return HourOrder(in_order, len(hours))

    def with_times(self) -> Iterator[tuple[Document, int]]:
        """The documents with their times; one that will be rejected for its time gets that of the one before it."""
        time = _BEFORE_ALL
        for item in self:
            if type(item) is Document:
                time = self.time_of(item, time)
                yield item, time

    def time_of(self, document: Document, otherwise: int) -> int:
        """The time by which a document is sorted; `otherwise` if its own time is unusable."""
        if document.time is None:
            return now_ms()
        time = self._known(document.time, None)
        return otherwise if time is None else time

    def _known(self, time: Any, otherwise: int | None) -> int | None:
        try:
            known = parse_time(time)
        except (ValueError, OverflowError):
            return otherwise
        return known if known <= self._latest else otherwise

    def _first_time(self) -> int | None:
        """The first time that a document has; mostly the first document's."""
        first = None
        for read, item in enumerate(self.reader, 1):
            if type(item) is Document and item.time is not None:
                first = self._known(item.time, None)
                if first is not None:
                    break
            if read == _WITHOUT and not self.reader.may_have_times():
                break
        self.reader.rewind()
        return first


class SortedReader:
    """The documents of regular files in order of time, those of the same time in the order of reading. They are sorted
    by way of a temporary file; rejects come before all documents.
    """

    def __init__(self, dated: DatedReader) -> None:
        self._dated = dated
        self._position = Position()
        self._done, self._total = 0, 0

    def position(self) -> tuple[float, float | None]:
        """(How many documents have been yielded; of how many). While the files are read, both are in bytes."""
        return (self._done, self._total) if self._total else self._dated.position()

    def located(self, reject: Reject) -> Reject:
        """`reject` with the file and line of its document."""
        return self._position.located(reject)

    def __iter__(self) -> Iterator[Item]:
        import numpy as np  # noqa: PLC0415 - files that are in order need none

        times = array("q")
        with Spool() as spool:
            yield from self._spooled(spool, times)
            self._total = len(times)
            for at in np.argsort(np.frombuffer(times, np.int64), kind="stable").tolist() if times else ():
                document, source, line = spool[at]
                self._position.enter(source, "")
                self._position.line = line
                self._position.remember(document.id)
                yield document
                self._done += 1

    def _spooled(self, spool: Spool, times: array[int]) -> Iterator[Reject | Flush]:
        """Adds all documents to `spool` and their times to `times`; yields all other items."""
        time = _BEFORE_ALL
        for item in self._dated:
            if type(item) is not Document:
                yield item  # type: ignore[misc]
                continue
            time = self._dated.time_of(item, time)
            times.append(time)
            source, line = self._dated.location(item)
            spool.add((item, source or "", line or 0))
