"""Repeated texts: the documents of a text that very many have, counted by hours instead of one by one.

Heartbeats, empty forms, the same alert for a week: each copy matches all earlier ones, and going through them takes
time that grows with the square of their number. A search finds one of them, which stands in for all (`Query.repeated`),
because all have the same overlap. This module knows how many there are, which come first, and which stands for a group.
Whether a text is repeated never changes a verdict.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.kernels.batch_search import chain_behind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.index.document_table import DocumentTable
    from neardup.kernels.batch_search import Query

_FEW: Final = 64
"""Room for new documents of a text, at first."""
_SPARE: Final = 16
"""How many of an hour's first documents may be removed before all documents of the text must be read in again."""
_Rank = tuple[int, str, int]
"""(time, id, doc): the order of documents with equal scores."""


class Copies(NamedTuple):
    """The documents of one text that one document is compared with.

    total    the number of all of them
    docs     the first ones by (time, id), as many as are listed; then, if it is not among these, the first one that
             stands for a group, if any
    """

    total: int
    docs: list[int]


class StandIns(NamedTuple):
    """Docs that each represent all documents of their text that one document is compared with: those below doc `before`
    whose hours lie in `hours` (first, last).
    """

    docs: NDArray[np.int32]
    before: int
    hours: tuple[int, int]


def stand_ins_of(
    query: Query, size: int, which: NDArray[np.int64], docs: NDArray[np.int32]
) -> dict[int, StandIns]:
    """The stand-ins `docs`, grouped by the documents `which` of a `query` for which they were found. The kept documents
    of the query are the last ones of a table of `size` documents.
    """
    after = np.where(query.docs < 0, size, query.docs)
    befores = np.minimum.accumulate(after[::-1])[::-1].tolist()  # if not kept, that of the next kept
    hours = list(zip(query.low_hours.tolist(), query.high_hours.tolist(), strict=True))
    return {i: StandIns(docs[which == i], befores[i], hours[i]) for i in np.unique(which).tolist()}


class _First(NamedTuple):
    """The first documents of a text in some hours, followed by `head`, the first that stands for a group, if any.
    `end`: the rank of the last one to be listed, None if there are fewer documents.
    """

    docs: list[int]
    head: int | None
    end: _Rank | None


class _Hour:
    """The documents of one text in one hour: their number, and the first ones, a few more than are listed."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[_Rank] = []

    def add(self, rank: _Rank, listed: int) -> None:
        if len(self.first) == self.count or rank < self.first[-1]:
            insort(self.first, rank)
            del self.first[listed + _SPARE :]
        self.count += 1

    def remove(self, doc: int, listed: int) -> bool:
        """Removes a document; False if the first `listed` are then no longer known."""
        self.first = [rank for rank in self.first if rank[2] != doc]
        self.count -= 1
        return len(self.first) >= min(listed, self.count)


class _Text:
    """The documents of one text below doc `end`."""

    def __init__(self, posted: int) -> None:
        self.end = 0
        self._posted = posted
        self._seen = -1
        self._waiting: deque[int] = deque()  # seen, and not before `end`
        self._hours: dict[int, _Hour] = {}
        self._order: list[int] = []  # of the hours
        self._standing: list[_Rank] = []
        self._range = (0, -1)
        self._in_range = 0
        self._first: _First | None = None  # of the range, until something may have changed there

    def advance(self, end: int, listed: int, table: DocumentTable) -> None:
        """Adds the searchable documents below doc `end`."""
        self._see(table.next_of)
        self.end = end
        while self._waiting and self._waiting[0] < end:
            doc = self._waiting.popleft()
            if table.alive[doc]:
                self._add(doc, listed, table)

    def _see(self, next_of: NDArray[np.int32]) -> None:
        newest = max(int(next_of[self._posted]), self._posted)
        if newest == self._seen:
            return
        behind = np.empty(_FEW, np.int32)
        while (size := chain_behind(next_of, self._posted, self._seen, behind)) > len(behind):
            behind = np.empty(size, np.int32)
        if self._seen < 0:
            self._waiting.append(self._posted)
        self._waiting.extend(behind[:size][::-1].tolist())
        self._seen = newest

    def _add(self, doc: int, listed: int, table: DocumentTable) -> None:
        hour, rank = int(table.hours[doc]), (*table.arrival_key(doc), doc)
        if hour not in self._hours:
            self._hours[hour] = _Hour()
            insort(self._order, hour)
        self._hours[hour].add(rank, listed)
        self._in_range += self._range[0] <= hour <= self._range[1]
        stands = bool(table.stands[doc])
        if stands:
            insort(self._standing, rank)
        if stands or self._first is None or self._first.end is None or rank < self._first.end:
            self._first = None

    def remove(self, doc: int, hour: int, listed: int) -> bool:
        """Removes a document of `hour`; False if all documents of the text must then be read in again."""
        self._first = None
        self._in_range -= self._range[0] <= hour <= self._range[1]
        is_known = self._hours[hour].remove(doc, listed)
        if not self._hours[hour].count:
            del self._hours[hour]
            self._order.remove(hour)
        return is_known

    def stand(self, doc: int, table: DocumentTable) -> None:
        """Notes that a document below `end` now stands for a group."""
        self._first = None
        rank = (*table.arrival_key(doc), doc)
        if table.alive[doc] and rank not in self._standing:
            insort(self._standing, rank)

    def copies(self, low: int, high: int, listed: int, table: DocumentTable) -> Copies:
        """The documents in the hours from `low` to `high`, both included."""
        self._move_range(low, high)
        first = self._first
        if first is None or (first.head is not None and not table.stands[first.head]):
            first = self._first = self._first_of(low, high, listed, table)
        return Copies(self._in_range, first.docs)

    def _first_of(self, low: int, high: int, listed: int, table: DocumentTable) -> _First:
        ranks: list[_Rank] = []
        oldest = bisect_left(self._order, low)
        for hour in self._order[oldest : oldest + listed]:
            if hour > high or len(ranks) >= listed:
                break
            ranks += self._hours[hour].first[: listed - len(ranks)]
        docs = [doc for _, _, doc in ranks]
        self._standing = [rank for rank in self._standing if table.stands[rank[2]]]
        head = next((doc for _, _, doc in self._standing if low <= table.hours[doc] <= high), None)
        end = ranks[-1] if len(ranks) == listed else None
        return _First(docs if head is None or head in docs else [*docs, head], head, end)

    def _move_range(self, low: int, high: int) -> None:
        """Counts the documents from `low` to `high`, starting from the last count, which nearly always was of nearly
        the same hours.
        """
        before, after = self._range
        if (low, high) == self._range:
            return
        self._first = None
        if after < before or high < before or low > after:
            self._in_range = self._count(low, high)
        else:
            self._in_range += self._count(low, before - 1) - self._count(before, low - 1)
            self._in_range += self._count(after + 1, high) - self._count(high + 1, after)
        self._range = low, high

    def _count(self, low: int, high: int) -> int:
        hours = self._order[bisect_left(self._order, low) : bisect_right(self._order, high)]
        return sum(self._hours[hour].count for hour in hours)


class RepeatedTexts:
    """The repeated texts of a window, by their posted docs: `posted`, ascending.

    New documents are read from the chains of the table when they are needed; removed ones must be reported (`remove`).
    Memory: 8 bytes a document for a moment, and about 5 KB an hour of a text.
    """

    def __init__(self) -> None:
        self.posted = np.empty(0, np.int32)
        self._texts: dict[int, _Text] = {}
        self._listed = 0

    def add(self, posted: NDArray[np.int32]) -> None:
        """Adds texts of very many documents, given by their posted docs."""
        if len(posted):
            self.posted = np.union1d(self.posted, posted)

    def remove(self, doc: int, table: DocumentTable) -> None:
        """Notes that a searchable document of the table is no longer searchable."""
        posted = int(table.first_of[doc])
        text = self._texts.get(posted)
        if text is not None and doc < text.end and not text.remove(doc, int(table.hours[doc]), self._listed):
            del self._texts[posted]

    def stand(self, doc: int, table: DocumentTable) -> None:
        """Notes that a document of the table now stands for a group that another one stood for."""
        text = self._texts.get(int(table.first_of[doc]))
        if text is not None and doc < text.end:
            text.stand(doc, table)

    def forget_all(self) -> None:
        """Discards all counts, because many documents have changed; they are made again when needed."""
        self._texts.clear()

    def copies(self, stand_ins: StandIns, listed: int, table: DocumentTable) -> dict[int, Copies]:
        """The documents that `stand_ins` represent, by the posted doc of their text; of each text the first `listed`
        are given. `table.stands` must be up to date, and `before` may only grow from one call to the next.

        Costs some 10 µs a text, and one or two for each document that was added since the last call.
        """
        if listed != self._listed:
            self._texts.clear()
            self._listed = listed
        copies = {}
        for posted in table.first_of[stand_ins.docs].tolist():
            text = self._texts.get(posted)
            if text is None:
                text = self._texts[posted] = _Text(posted)
            text.advance(stand_ins.before, listed, table)
            copies[posted] = text.copies(*stand_ins.hours, listed, table)
        return copies
