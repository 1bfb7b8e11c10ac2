"""DocumentTable: the documents of a window in memory, one doc each, in the order in which they came.

Groups: a document *stands* for a group if whatever matches it joins the group: the head, or if the head is gone, the
earliest living member by (time, id). This flag is kept up to date as documents come and go, instead of looking through
the members at every match, because groups grow as large as a flood of copies.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from neardup.index.arrivals import positions_of
from neardup.index.budget_bytes import HourCounts, budget_bytes_of
from neardup.index.document_ids import DocumentIds
from neardup.index.freed_memory import give_back
from neardup.index.originals import Originals
from neardup.index.repeated_texts import RepeatedTexts
from neardup.index.same_texts import chain, same_texts
from neardup.kernels.batch_search import Documents
from neardup.kernels.bitmap_filter import HELD_WORDS, fill_levels, folded
from neardup.kernels.counters import Counters
from neardup.model.hours import FIRST_HOUR
from neardup.stores import records
from neardup.stores.records import DELETED, ROW, SET_ASIDE, TRUNCATED, are_copies, are_deleted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from neardup.stores.records import Rows

_FIRST_CAPACITY = 1_024
_COLUMNS = (
    "rows", "hours", "counts", "alive", "halves", "first_of", "next_of", "stands", "leads", "levels",
    "bitmaps",
)  # fmt: skip
_GROWTH = 1.5
NO_BITMAP = 255
"""The level of a document without a bitmap, which passes every comparison."""


class DocumentTable:
    """Columns indexed by doc: `rows` (stores/records.py, ROW), `hours`, `alive`, `ids`, and those below.

    Alive = searchable. `ids` finds documents that are alive or set aside. A group is identified by the arrival of its
    head, so that another text under the head's old id is not mistaken for it.

    counts              |A| by posted doc (`qgram_counts` reads it for any doc), or UNCOUNTED until `count` is called
    halves              the first halves of the fingerprints in `rows`, side by side
    first_of, next_of   the posted doc of a document's text, and the next doc in its chain
    members             by the arrival of a group's head, the docs that joined it, some of which may be gone
    stands              whether a document stands for a group; valid after `update_stands`
    leads               whether others have joined a document; a document that is itself a member may lead and not stand

    `held_texts`: how many copies of each text the store holds in memory, which count towards `max_memory`
    (`budget_bytes_of`).
    """

    def __init__(self, most_shared: int, *, held_texts: int = 0) -> None:
        self.held_texts = held_texts
        self._most_shared = most_shared
        self.size = 0
        self.ids = DocumentIds()
        self.members: defaultdict[int, list[int]] = defaultdict(list)
        self.repeated = RepeatedTexts()
        self.by_hour = HourCounts()
        self.rows: Rows = np.zeros(_FIRST_CAPACITY, ROW)
        self.hours = np.zeros(_FIRST_CAPACITY, np.int32)
        self.counts = np.zeros(_FIRST_CAPACITY, np.int32)
        self.alive = np.zeros(_FIRST_CAPACITY, np.uint8)
        self.halves = np.zeros(_FIRST_CAPACITY, np.uint64)
        self.first_of = np.zeros(_FIRST_CAPACITY, np.int32)
        self.next_of = np.zeros(_FIRST_CAPACITY, np.int32)
        self.stands = np.zeros(_FIRST_CAPACITY, np.uint8)
        self.leads = np.zeros(_FIRST_CAPACITY, np.uint8)
        self.counters = Counters.of(_FIRST_CAPACITY, most_shared)
        self.levels = np.zeros(_FIRST_CAPACITY, np.uint8)
        self.bitmaps: NDArray[np.uint64] = np.zeros((_FIRST_CAPACITY, HELD_WORDS), np.uint64)
        self.dead = 0
        self.originals = Originals()
        self._headless: set[int] = set()
        """The arrivals of heads of groups for which `update_stands` has to find a successor."""
        self._stands_floor = FIRST_HOUR
        """The hour before which no document stands for a group any more."""

    @property
    def fingerprints(self) -> NDArray[np.uint64]:
        """The fingerprint of every document."""
        fingerprints: NDArray[np.uint64] = self.rows["fingerprint"]
        return fingerprints

    @property
    def times(self) -> NDArray[np.int64]:
        """The time of every document."""
        times: NDArray[np.int64] = self.rows["time"]
        return times

    @property
    def arrivals(self) -> NDArray[np.int64]:
        """The arrival of every document, ascending."""
        arrivals: NDArray[np.int64] = self.rows["order"]
        return arrivals

    @property
    def group_arrivals(self) -> NDArray[np.int64]:
        """The arrival of the head of every document's group."""
        arrivals: NDArray[np.int64] = self.rows["group_order"]
        return arrivals

    @property
    def group_times(self) -> NDArray[np.int64]:
        """The time of the head of every document's group."""
        times: NDArray[np.int64] = self.rows["group_time"]
        return times

    @property
    def columns(self) -> Documents:
        """The columns that the search filters by."""
        fingerprints = self.fingerprints
        return Documents(
            self.hours, self.counts, self.alive, self.halves, fingerprints, self.first_of, self.next_of
        )

    @property
    def memory(self) -> int:
        """Bytes of all columns and ids, without groups."""
        columns: int = sum(getattr(self, name).nbytes for name in _COLUMNS)
        return columns + self.counters.hits.nbytes + self.ids.memory

    @property
    def are_known(self) -> NDArray[np.bool_]:
        """Which docs are found by their ids."""
        known: NDArray[np.bool_] = self.ids.known[: self.size] == 1
        return known

    @property
    def present(self) -> int:
        """Documents found by id: searchable or set aside."""
        return len(self.ids)

    @property
    def budgeted(self) -> tuple[int, int]:
        """(documents, bytes) that count towards the budgets."""
        return self.by_hour.documents.total(), self.by_hour.bytes.total()

    def extend(self, rows: Rows, hours: NDArray[np.int64], bitmaps: NDArray[np.uint64] | None) -> int:
        """Adds `rows`, of `hours`, as alive documents, not found by `ids` yet; returns the first doc.

        A document without a bitmap (if none was stored) passes every comparison. If the rows are the first ones, and
        fill the table, `rows` itself becomes the table's column, not a copy.
        """
        first, last = self.size, self.size + len(rows)
        if last > len(self.rows):
            capacity = max(last, int(len(self.rows) * _GROWTH))
            for name in _COLUMNS:
                old = getattr(self, name)
                larger = np.zeros((capacity, *old.shape[1:]), old.dtype)
                (records.copy_rows if name == "rows" else np.copyto)(larger[:first], old[:first])
                setattr(self, name, larger)
            self.counters = Counters.of(capacity, self._most_shared)
            give_back(capacity)
        if first == 0 and last == len(self.rows):
            self.rows = rows
        else:
            records.copy_rows(self.rows[first:last], rows)
        self.hours[first:last] = hours
        self.counts[first:last] = rows["count"]
        self.alive[first:last] = 1
        self.stands[first:last] = 1
        self.leads[first:last] = 0
        self.halves[first:last] = rows["fingerprint"][:, 0]
        self.first_of[first:last] = np.arange(first, last)
        self.next_of[first:last] = -1
        self.levels[first:last] = NO_BITMAP
        self.size = last
        if bitmaps is not None:
            self.set_bitmaps(slice(first, last), bitmaps)
        return first

    def set_bitmaps(self, docs: NDArray[np.int64] | slice, bitmaps: NDArray[np.uint64]) -> None:
        """Gives `docs` their bitmaps, n × 16, of which half is held (kernels/bitmap_filter.py)."""
        levels = np.empty(len(bitmaps), np.uint8)
        fill_levels(self.rows["text_bytes"][docs], levels)
        self.levels[docs], self.bitmaps[docs] = levels, folded(bitmaps)

    def qgram_counts(self, docs: NDArray[np.int64] | slice) -> NDArray[np.int64]:
        """|A| of each of `docs`; UNCOUNTED if it was not needed yet. Documents of one text share the count."""
        counts: NDArray[np.int64] = self.counts[self.first_of[docs]].astype(np.int64)
        return counts

    def count(self, docs: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        """Stores the |A| of `docs` that were counted, for all documents of their texts."""
        self.counts[docs] = counts
        self.counts[self.first_of[docs]] = counts

    def lead(self, doc: int, original: str | None) -> None:
        """Makes `doc` the head of a group of its own; if it is a copy, of the document with the id `original`."""
        self.originals.set(int(self.arrivals[doc]), original)
        self.group_arrivals[doc], self.group_times[doc] = self.arrivals[doc], self.times[doc]
        self.stands[doc] = 1

    def follow(self, doc: int, head: int) -> None:
        """Makes `doc` a member of the group of `head`."""
        self.group_times[doc] = self.times[head]  # columns: a row by itself takes four times as long
        self.join(doc, int(self.arrivals[head]), head)

    def join(self, doc: int, head_arrival: int, head: int | None) -> None:
        """Makes `doc` a member of the group whose head has the arrival `head_arrival`; `head`: its doc, None if it is
        gone.
        """
        self.group_arrivals[doc] = head_arrival
        self.members[head_arrival].append(doc)
        self.stands[doc] = 0
        if head is not None:
            self.leads[head] = 1
        if head is None or self.hours[head] < self._stands_floor:
            self._headless.add(head_arrival)

    def join_groups(self, first: int) -> None:
        """Makes the documents from `first` on members of the groups that their rows name, unless they are heads."""
        arrivals = self.arrivals[first : self.size]
        are_heads = self.group_arrivals[first : self.size] == arrivals
        self.originals.unnamed.update(arrivals[are_heads & are_copies(self.rows[first : self.size])].tolist())
        docs = first + np.flatnonzero(~are_heads)
        head_arrivals = self.group_arrivals[docs]
        heads = positions_of(head_arrivals, self.arrivals[: self.size])
        living = (heads >= 0) & (self.ids.known[heads] == 1)
        for doc, arrival in zip(docs.tolist(), head_arrivals.tolist(), strict=True):
            self.members[arrival].append(doc)
        self.stands[docs] = 0
        self.leads[heads[living]] = 1
        self.originals.unnamed.update(head_arrivals[~living].tolist())
        headless = ~living | (self.hours[heads] < self._stands_floor)
        self._headless.update(head_arrivals[headless].tolist())

    def ungroup(self, docs: list[int]) -> None:
        """Makes each of `docs`, which must be all present documents, the head of its own group, and searchable, as
        before any decision.
        """
        self.members.clear()
        self.originals.forget(self.arrivals[docs].tolist())
        self.group_arrivals[docs] = self.arrivals[docs]
        self.alive[docs] = 1
        self.repeated.forget_all()
        self.rebuild_stands()

    def account(self, first: int, last: int) -> None:
        """Counts those of documents `first` to `last` (excluded) that were kept towards the budgets."""
        rows = self.rows[first:last]
        kept = ~are_deleted(rows)
        self.by_hour.add(self.hours[first:last][kept], budget_bytes_of(rows, self.held_texts)[kept])

    def mark_dead(self, doc: int) -> None:
        """Removes a document: afterwards it is found neither by search nor by id."""
        if self.ids.remove(doc):
            hour = int(self.hours[doc])
            if hour in self.by_hour.documents:  # not expired, when all documents of an hour come here
                size = int(budget_bytes_of(self.rows[doc : doc + 1], self.held_texts)[0])
                self.by_hour.take_out(hour, size)
        self._leave_search(doc)

    def delete(self, doc: int) -> None:
        """Removes from the search a document that is not (or no longer) found by its id, and marks its row as ended."""
        self._leave_search(doc)
        self.rows[doc]["flags"] |= DELETED

    def note_compared(self, doc: int, compared: int, *, truncated: bool) -> None:
        """Stores in the row of a unique document how many it was compared with, and whether something was left out."""
        row = self.rows[doc]
        row["candidates"], row["flags"] = compared, TRUNCATED if truncated else 0

    def set_aside(self, doc: int, aside: bool) -> bool:
        """Takes a document out of the search, or makes it searchable again; returns whether that changed anything."""
        row = self.rows[doc]
        before = bool(row["flags"] & SET_ASIDE)
        row["flags"] = (row["flags"] & ~np.uint8(SET_ASIDE)) | (SET_ASIDE if aside else 0)
        self.alive[doc] = not aside
        return aside != before

    def _leave_search(self, doc: int) -> None:
        """Removes from the search a document that is not (or no longer) found by its id."""
        if self.alive[doc]:
            self.repeated.remove(doc, self)
        self.alive[doc] = 0
        self.dead += 1
        self._stand_down(doc)

    def _stand_down(self, doc: int) -> None:
        """Notes that `doc` is gone: at the next `update_stands` successors take over the groups that it stood for."""
        row = self.rows[doc]
        if self.stands[doc]:
            self._headless |= {int(row["group_order"])} & self.members.keys()
        if self.stands[doc] or self.leads[doc]:
            arrival = int(row["order"])
            self.originals.set(arrival, self.ids[doc] if arrival in self.members else None)
            self._headless |= {arrival} & self.members.keys()
        self.stands[doc] = self.leads[doc] = 0

    def is_present(self, doc: int) -> bool:
        """Whether a document is still present, that is, found by its id."""
        return bool(self.ids.known[doc])

    def update_stands(self, floor_hour: int) -> None:
        """Updates `stands` for a comparison for which the hours before `floor_hour` have gone."""
        if floor_hour > self._stands_floor:
            self._stands_floor = floor_hour
            heads = self.stands[: self.size] | self.leads[: self.size]
            expired = (heads == 1) & (self.hours[: self.size] < floor_hour)
            for doc in np.flatnonzero(expired).tolist():
                self._stand_down(doc)
        for head_arrival in self._headless:
            members = np.array(self.members[head_arrival], np.int64)
            members = members[self.ids.known[members] == 1]
            living = members[self.hours[members] >= self._stands_floor]
            if len(living):
                earliest = living[self.times[living] == self.times[living].min()].tolist()
                successor = min(earliest, key=self.ids.__getitem__)
                self.stands[successor] = 1
                self.repeated.stand(successor, self)
            if len(members):
                self.members[head_arrival] = members.tolist()
            else:
                del self.members[head_arrival]
        self._headless.clear()

    def rebuild_stands(self) -> None:
        """Computes from scratch which documents stand for groups, after all groups or the living hours have changed."""
        rows = self.rows[: self.size]
        self.repeated.forget_all()
        self.stands[: self.size] = rows["order"] == rows["group_order"]
        self._stands_floor = FIRST_HOUR
        known = self.ids.docs()
        heads = dict(zip(rows["order"][known].tolist(), known.tolist(), strict=True))
        self._headless = self.members.keys() - heads.keys()
        self.leads[: self.size] = 0
        self.leads[[heads[arrival] for arrival in self.members.keys() & heads.keys()]] = 1

    def chain_same_texts(self, first: int) -> None:
        """Chains the documents from `first` on, which are not posted yet, by equal fingerprints."""
        order, same, posted = same_texts(self.rows["fingerprint"][first : self.size])
        self.first_of[first + order] = first + posted
        chain(self.next_of, first + order, same, first + posted)

    def copies(self, doc: int) -> Iterator[int]:
        """The searchable documents with the text of `doc`, including itself, in the order of their chain."""
        copy = int(self.first_of[doc])
        while copy >= 0:
            if self.alive[copy]:
                yield copy
            copy = int(self.next_of[copy])

    def arrival_key(self, doc: int) -> tuple[int, str]:
        """(time, id): the order in which documents count as earlier."""
        return int(self.rows["time"][doc]), self.ids[doc]

    def compacted(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Drops dead documents. Returns the new doc of every old one, -1 for those dropped; and the same for postings,
        where the posting of a text moves to the earliest remaining document with this text.
        """
        self.counts[: self.size] = self.qgram_counts(slice(self.size))  # the next posted doc needs the count
        keep = self.are_known
        new_docs = np.where(keep, np.cumsum(keep) - 1, -1)
        kept = np.flatnonzero(keep)
        posted = self._rechained(kept)
        for name in _COLUMNS:
            if name not in {"first_of", "next_of"}:
                setattr(self, name, getattr(self, name)[: self.size][kept])
        self.counters = Counters.of(len(kept), self._most_shared)
        self.ids = self.ids.kept(kept)
        moved = {
            arrival: [int(new_docs[m]) for m in members if new_docs[m] >= 0]
            for arrival, members in self.members.items()
        }
        self.members = defaultdict(list, {arrival: members for arrival, members in moved.items() if members})
        self._headless &= self.members.keys()
        self.repeated = RepeatedTexts()  # found anew by later searches
        self.size = len(kept)
        self.originals.keep(self.members, self.arrivals[: self.size])
        self.dead = 0
        return new_docs, posted

    def _rechained(self, kept: NDArray[np.int64]) -> NDArray[np.int64]:
        """Chains the documents `kept` by their new docs; returns the new doc under which each old posting goes on, or
        -1.
        """
        firsts = self.first_of[kept]
        posted: NDArray[np.int64] = np.full(self.size, -1)
        heads, positions = np.unique(firsts, return_index=True)
        posted[heads] = positions
        order = np.argsort(firsts, kind="stable")
        same = np.concatenate([[False], firsts[order][1:] == firsts[order][:-1]])
        self.first_of = posted[firsts].astype(np.int32)
        self.next_of = np.full(len(kept), -1, np.int32)
        chain(self.next_of, order, same, posted[firsts][order])
        return posted
