"""DocumentTable: the documents of a window in memory, one number each, in the order in which they came."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from neardup.engines.store import DELETED, ROW, Rows, key_counts
from neardup.kernels.postings import Documents
from neardup.kernels.sieve import WORDS as SIEVE_WORDS
from neardup.params import HOUR_MS
from neardup.postings import Hits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.detect import HeadOf
    from neardup.verdict import Overlap

_FIRST_CAPACITY = 1_024
_GROWTH = 1.5
_PASSES_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)

DOCUMENT_BYTES = 700
"""Memory of a document apart from its postings, for `max_memory`: row 128, sieve 256, columns 10, id and
tables of Python's.
"""
POSTING_BYTES = 16
"""Memory of a posting with its share of table and spare room; measured at 1 M documents, benchmarks/README.md."""


def budget_bytes_of(rows: Rows) -> NDArray[np.int64]:
    """Bytes of memory that each document is counted as: an estimate, the same on every machine and in every batch."""
    sketches, _, prefixes, sentences, bands = key_counts(rows)
    postings: NDArray[np.int64] = np.maximum(sketches, prefixes) + sentences + bands
    return DOCUMENT_BYTES + POSTING_BYTES * postings


class DocumentTable:
    """Columns indexed by document number: `rows` (engines/store.py, ROW), `hours`, `alive`, `ids`.

    Alive = searchable. `number_of` finds a document by id, alive or routed. Groups are told apart by the
    order number of their head, so that another text under the head's old id is not taken for it.
    """

    def __init__(self, most_shared: int) -> None:
        self.size = 0
        self.ids: list[str] = []
        self.number_of: dict[str, int] = {}
        self.members: defaultdict[int, list[int]] = defaultdict(list)
        self.load: dict[int, list[int]] = {}  # hour -> [documents, bytes] that count towards the budgets
        self.rows: Rows = np.zeros(_FIRST_CAPACITY, ROW)
        self.hours = np.zeros(_FIRST_CAPACITY, np.int32)
        self.counts = np.zeros(_FIRST_CAPACITY, np.int32)
        self.alive = np.zeros(_FIRST_CAPACITY, np.uint8)
        self.hits = Hits(_FIRST_CAPACITY, most_shared)
        self.sieves: NDArray[np.uint64] = np.zeros((_FIRST_CAPACITY, SIEVE_WORDS), np.uint64)
        self.dead = 0

    @property
    def columns(self) -> Documents:
        """What the search filters by."""
        return Documents(self.hours, self.counts, self.alive)

    @property
    def living(self) -> int:
        """Documents found by id: searchable or routed."""
        return len(self.number_of)

    @property
    def budgeted(self) -> tuple[int, int]:
        """(documents, bytes) that count towards the budgets."""
        return sum(load[0] for load in self.load.values()), sum(load[1] for load in self.load.values())

    def extend(self, rows: Rows, sieves: NDArray[np.uint64] | None) -> int:
        """Adds `rows` as alive documents without ids yet; returns the first number.

        A document without a sieve (one stored by a complete search) gets one that lets everything pass.
        """
        first, last = self.size, self.size + len(rows)
        if last > len(self.rows):
            capacity = max(last, int(len(self.rows) * _GROWTH))
            for name in ("rows", "hours", "counts", "alive", "sieves"):
                old = getattr(self, name)
                larger = np.zeros((capacity, *old.shape[1:]), old.dtype)
                larger[:first] = old[:first]
                setattr(self, name, larger)
            self.hits = self.hits.resized(capacity)
        self.rows[first:last] = rows
        self.hours[first:last] = rows["time"] // HOUR_MS
        self.counts[first:last] = rows["count"]
        self.alive[first:last] = 1
        self.sieves[first:last] = sieves if sieves is not None else _PASSES_ALL
        self.size = last
        return first

    def join(self, number: int, head_order: int) -> None:
        """Makes document `number` a member of the group that the document of that order heads."""
        self.members[head_order].append(number)

    def account(self, first: int, last: int) -> None:
        """Counts the documents from `first` to `last` (excluded) towards the budgets, if they were kept."""
        rows = self.rows[first:last]
        kept = (rows["flags"] & DELETED) == 0
        hours, sizes = self.hours[first:last][kept], budget_bytes_of(rows[kept])
        for hour in np.unique(hours).tolist():
            load = self.load.setdefault(hour, [0, 0])
            load[0] += int((hours == hour).sum())
            load[1] += int(sizes[hours == hour].sum())

    def bury(self, number: int) -> None:
        """Takes a document out: it is found no more, by search or by id."""
        identity = self.ids[number]
        if self.number_of.get(identity) == number:
            del self.number_of[identity]
            hour = int(self.hours[number])
            if hour in self.load:
                self.load[hour][0] -= 1
                self.load[hour][1] -= int(budget_bytes_of(self.rows[number : number + 1])[0])
                if not self.load[hour][0]:
                    del self.load[hour]
        self.alive[number] = 0
        self.dead += 1

    def lives(self, number: int, floor_hour: int) -> bool:
        """Whether a document is still there for a comparison in which hours before `floor_hour` have gone."""
        known = self.number_of.get(self.ids[number]) == number
        return known and int(self.hours[number]) >= floor_hour

    def head_for(self, number: int, floor_hour: int) -> int | None:
        """Who a document that matches `number` joins by it: `number`, if it stands for a group as its head,
        else None.

        It does if it heads one, or if the head of its own is gone and it is the earliest member (time, id)
        that lives.
        """
        row = self.rows[number]
        order, head_order = int(row["order"]), int(row["group_order"])
        if order == head_order or order in self.members:
            return number
        for head in self.members_and_head(head_order):
            if self.lives(head, floor_hour):
                return number if head == number else None
        return None

    def heads(self, floor_hour: int) -> HeadOf:
        """`head_for` by match, as a verdict is made: the id of the group joined, or None."""

        def head_of(match: Overlap) -> str | None:
            number = self.head_for(match.number, floor_hour)
            return None if number is None else self.ids[number]

        return head_of

    def members_and_head(self, head_order: int) -> list[int]:
        """The head (if its row is still in memory), then the members by (time, id)."""
        members = sorted(
            self.members.get(head_order, ()), key=lambda n: (int(self.rows[n]["time"]), self.ids[n])
        )
        orders = self.rows["order"][: self.size]
        head = int(np.searchsorted(orders, head_order))
        if head < self.size and orders[head] == head_order:
            return [head, *members]
        return members

    def compacted(self) -> NDArray[np.int64]:
        """Drops dead documents; returns the new number of every old one, -1 for those gone."""
        keep = np.zeros(self.size, np.bool_)
        keep[list(self.number_of.values())] = True
        numbers = np.where(keep, np.cumsum(keep) - 1, -1)
        kept = np.flatnonzero(keep)
        for name in ("rows", "hours", "counts", "alive", "sieves"):
            setattr(self, name, getattr(self, name)[: self.size][kept])
        self.hits = self.hits.resized(len(kept))
        self.ids = [self.ids[number] for number in kept]
        self.number_of = {identity: int(numbers[number]) for identity, number in self.number_of.items()}
        moved = {
            order: [int(numbers[m]) for m in members if numbers[m] >= 0]
            for order, members in self.members.items()
        }
        self.members = defaultdict(list, {order: members for order, members in moved.items() if members})
        self.size = len(kept)
        self.dead = 0
        return numbers
