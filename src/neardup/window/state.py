"""State: what the engine holds of a window in memory, and its store, kept in step."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from neardup.index.document_table import DocumentTable
from neardup.index.search import Search
from neardup.model.settings import REACHES, exact_threshold
from neardup.stores import blobs, records
from neardup.stores.base import Commit, NewDocuments, drop_or_tell
from neardup.window.base import Left
from neardup.window.signed_rows import keys_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.document import Prepared
    from neardup.model.settings import Policy, Settings
    from neardup.model.verdict import Basis, Member, Verdict
    from neardup.signing.signer import Signer
    from neardup.stores.base import Store
    from neardup.stores.blobs import Blob
    from neardup.stores.records import Rows

log = logging.getLogger("neardup")

_NO_KEYS: Final = np.empty(0, np.uint64)
_COMPACT_FROM = 10_000
_COMPACT_SHARE = 0.3
_BLOBS_AT_ONCE: Final = 1_000
_COPIES_AT_ONCE: Final = 256


class LateDocument(NamedTuple):
    """A document that came after its hour had been dropped; `is_foreign`: another client has stored it."""

    id: str
    hour: int
    is_foreign: bool


@dataclass(slots=True)
class SinceOpened:
    """Counts of what has happened to a window since it was opened (window/base.py); they outlast reading it anew."""

    left: Left = field(default_factory=Left)
    replaced: int = 0
    unchanged: int = 0
    earlier_copies: int = 0
    too_late: int = 0
    first_late: LateDocument | None = None

    def add_late(self, documents: Sequence[Prepared]) -> None:
        """Counts documents, one or more, that came too late."""
        self.too_late += len(documents)
        first = documents[0]
        self.first_late = self.first_late or LateDocument(first.id, first.hour, first.origin is not None)


class _Run(NamedTuple):
    """The documents in the table from `first` on, which are being decided, and what is to be stored of each."""

    first: int
    documents: Sequence[Prepared]
    texts: list[memoryview]
    blobs: list[bytes]

    def some(self, own: Sequence[int]) -> _Run:
        """The documents at the places `own`, and what is to be stored of them."""
        documents, texts = [self.documents[i] for i in own], [self.texts[i] for i in own]
        return _Run(self.first, documents, texts, [self.blobs[i] for i in own])


class State:
    """Table, posting lists and store of one window. Methods change all of them together, or say which.

    `next_commit` is what the next commit will say; while a batch is worked on, it runs ahead of what the store has
    committed. `doc` is a document in the table.
    """

    def __init__(self, store: Store, settings: Settings, signer: Signer) -> None:
        self.store = store
        self.settings = settings
        self.signer = signer
        self.search = Search(signer, settings)
        self.next_commit = Commit()
        self.since_opened = SinceOpened()
        self.warned: set[str] = set()
        """Names of the warnings that this window has logged already, and does not repeat for every hour or page."""
        self._shown = blobs.shown_writer(
            store.keeps_text, settings, by_source=signer.counted.table is not None
        )
        held = 1 + (self._shown is not None and self._shown.keeps_text)
        self.table = DocumentTable(self.search.most_shared, held_texts=0 if store.is_durable else held)
        self._run = _Run(0, (), [], [])
        self._doomed: set[int] = set()
        """Hours that are to be dropped after the next commit."""
        self._stores_best_alone = False

    def decide_by(self, policy: Policy, matches: int | None) -> None:
        """Decides documents from now on by this policy, and lists at most `matches` matches, of which no more than the
        best is stored; stored documents stay as they are.
        """
        self.settings = self.settings.with_changes(policy=policy, matches=matches)
        self._stores_best_alone = True
        self.search.decide_by(self.settings)

    @property
    def newest(self) -> int:
        """The newest hour seen."""
        return self.next_commit.newest

    @newest.setter
    def newest(self, hour: int) -> None:
        self.next_commit = self.next_commit._replace(newest=hour)

    def warn_below_reach(self, threshold: Fraction) -> None:
        """Logs, once a window, that `threshold` is below what its sketches are made for, if it searches by these."""
        lowest = self.signer.recipe.sketch_limits.lowest
        if self.settings.retrieval == "complete" or threshold >= lowest or "reach" in self.warned:
            return
        self.warned.add("reach")
        other = (
            ""
            if threshold < exact_threshold(min(REACHES))
            else f"; a window of reach {min(REACHES)} has them (`neardup resign --reach {min(REACHES)} --force`)"
        )
        log.warning(
            "the sketches of this window are made for thresholds from %g on, and miss copies at %g. The retrieval "
            "complete (--retrieval complete) misses none%s",
            float(lowest), float(threshold), other,
        )  # fmt: skip

    # ---- runs ----

    def resume(self) -> None:
        """Counts all documents in the table as stored."""
        self._run = _Run(self.table.size, (), [], [])

    def begin_run(
        self, documents: Sequence[Prepared], signed: SignedQueryBatch, chosen: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Adds the `chosen` documents of a run to the table, not found by their ids yet; returns their docs."""
        indices = chosen.tolist()
        new = [documents[i] for i in indices]
        encoded = [document.id.encode() for document in new]
        rows = records.chosen_rows(rows_of(documents, signed, partial=self.settings.partial), chosen)
        made = signed.shown
        shown = self.shown_parts(new) if made is None else [made[i] for i in indices]
        first = self.next_commit.next_order
        first_blobs = blobs.first_blobs(rows, encoded, shown)
        records.set_arrivals(rows, first)
        self.next_commit = self.next_commit._replace(next_order=first + len(rows))
        hours = np.array([document.hour for document in new], np.int64)
        at = self.table.extend(rows, hours, signed.signed.bitmaps[chosen, 1])
        self._run = _Run(at, new, signed.signed.views(indices), first_blobs)
        self.table.ids.extend(encoded)
        return np.arange(at, self.table.size)

    def shown_parts(self, documents: Sequence[Prepared]) -> list[bytes]:
        """The bytes that each document's blob keeps to be shown."""
        return [b""] * len(documents) if self._shown is None else self._shown.parts(documents)

    def end_run(self, signed: SignedQueryBatch, chosen: NDArray[np.int64]) -> None:
        """Appends the documents of the run that are to be stored; `chosen` are their indices in `signed`."""
        table, first = self.table, self._run.first
        rows = table.rows[first : table.size]
        stay = ~records.are_deleted(rows)
        hours = table.hours[first : table.size]
        for hour in np.unique(hours[stay]).tolist():
            own = np.flatnonzero(stay & (hours == hour))
            part = records.chosen_rows(rows, own)
            self._set_versions(part)
            run = self._run if len(own) == len(rows) else self._run.some(own.tolist())
            keys = keys_of(signed, chosen[own]) if self.store.is_durable else _NO_KEYS
            self.store.append(int(hour), NewDocuments(part, run.documents, run.texts, run.blobs, keys))
            records.put_rows(rows, own, part)
        table.account(first, table.size)
        self.resume()

    def _set_versions(self, rows: Rows) -> None:
        records.set_versions(rows, self.next_commit.seq)
        self.next_commit = self.next_commit._replace(seq=self.next_commit.seq + len(rows))

    def record(self, doc: int, verdict: Verdict, basis: Basis) -> None:
        """Puts a document into the group that its verdict is based on, and writes the verdict into its row and blob:
        those of the current run, or a new version of a stored one.
        """
        self.join(doc, basis)
        self.write([doc], [verdict], [basis])

    def join(self, doc: int, basis: Basis) -> None:
        """Puts a document into the group that its verdict is based on, or into its own."""
        if basis.head is not None:
            self.table.follow(doc, basis.head.doc)
        else:
            self.table.lead(doc, None if basis.best is None else basis.best.id)

    def write(self, docs: Sequence[int], verdicts: Sequence[Verdict], bases: Sequence[Basis]) -> None:
        """Writes verdicts into rows and blobs, as `record` does, for documents that have joined their groups."""
        which = np.array(docs, np.int64)
        if self._stores_best_alone:
            verdicts = [verdict._replace(matches=verdict.matches[:1]) for verdict in verdicts]
        encoded = blobs.encode_verdicts(self.table.rows, which, verdicts, bases, self._parts_in_blobs(which))
        for doc, blob in zip(docs, encoded, strict=True):
            if doc >= self._run.first:
                self._run.blobs[doc - self._run.first] = blob
            else:
                self._revise(doc, blob)

    def _parts_in_blobs(self, docs: NDArray[np.int64]) -> list[bytes]:
        """What the blob of each document in the table keeps to be shown, b"" if there is nothing."""
        rows = records.chosen_rows(self.table.rows, docs)
        parts = [b""] * len(docs)
        for i in np.flatnonzero(blobs.have_shown(rows)).tolist():
            doc = int(docs[i])
            at = doc - self._run.first
            blob = self._run.blobs[at] if at >= 0 else self._stored_blob(doc)
            parts[i] = blobs.shown_part(blob)
        return parts

    def store_flags(self, doc: int) -> None:
        """Adds a new version of a stored document whose flags alone have changed."""
        self._revise(doc, self._stored_blob(doc))

    def show_anew(self, doc: int, document: Prepared) -> None:
        """Has a stored document shown with the text and fields of `document`; its verdict stays. An opening that keeps
        no texts changes nothing.
        """
        if self._shown is None:
            self.store.show_anew(self.table.rows[doc : doc + 1], document)
        elif self._shown.keeps_text:
            (part,) = self._shown.parts([document])
            self._revise(doc, blobs.shown_anew(self.table.rows, doc, self._stored_blob(doc), part))

    def _revise(self, doc: int, blob: bytes) -> None:
        """Adds the row of `doc` as it is now, as a new version of a stored document."""
        row = self.table.rows[doc : doc + 1]
        self._set_versions(row)
        self.store.revise(int(self.table.hours[doc]), row, self.table.ids[doc], blob)

    # ---- reading ----

    def arrival_of(self, id: str) -> int | None:
        """The arrival of the stored document of this id; None if there is none."""
        doc = self.table.ids.get(id)
        return None if doc is None else int(self.table.arrivals[doc])

    def texts(self, docs: Sequence[int]) -> list[bytes]:
        """Normal forms of documents, of the current run or stored; one call to the store for all of them."""
        first, texts = self._run.first, self._run.texts
        stored = [doc for doc in docs if doc < first]
        read = iter(self.store.texts(records.chosen_rows(self.table.rows, stored)))
        return [next(read) if doc < first else bytes(texts[doc - first]) for doc in docs]

    def texts_of_any(self, docs: Sequence[int]) -> list[bytes]:
        """Like `texts`, but a text that can no longer be read is read from another document that has the same text."""
        texts = self.texts(docs)
        for i, doc in enumerate(docs):
            if self.is_unreadable(doc, texts[i]):
                copies = self.table.copies(doc)
                while not texts[i] and (some := list(islice(copies, _COPIES_AT_ONCE))):
                    texts[i] = next(filter(None, self.texts(some)), b"")
        return texts

    def original_texts(self, docs: Sequence[int]) -> list[bytes | None]:
        """The original texts of documents, of the current run or stored, without the parts that the recipe leaves out;
        None for a text that was not kept.
        """
        first = self._run.first
        stored = [doc for doc in docs if doc < first]
        read = iter(self._stored_original_texts(stored) if stored else ())
        new = {doc: self._run.documents[doc - first] for doc in docs if doc >= first}
        return [
            self.signer.counted.of(new[doc].text, new[doc].fields) if doc in new else next(read)
            for doc in docs
        ]

    def _stored_original_texts(self, docs: Sequence[int]) -> list[bytes | None]:
        rows = self.table.rows[docs]
        if self.signer.counted.table is None:
            return self.store.original_texts(rows)
        return [
            None if text is None else self.signer.counted.of(text.encode(), fields)
            for text, fields in self.store.shown(rows)
        ]

    def signed_again(self, docs: Sequence[int], forms: Sequence[bytes]) -> SignedQueryBatch:
        """The signatures of stored documents, made again from their normal `forms`; with their sentences and simhashes,
        if the search reads these and they are stored for all of `docs`.
        """
        signed = self.search.query_batch(forms, normal=True)
        if (
            not self.search.reads_words
            or not records.are_with_words(records.chosen_rows(self.table.rows, docs)).all()
        ):
            return signed
        return signed._replace(words=self.search.words_of(docs))

    def _stored_blob(self, doc: int) -> bytes:
        return self.store.blobs(self.table.rows[doc : doc + 1])[0]

    def stored_verdicts(self, docs: Sequence[int]) -> list[Verdict]:
        """The verdicts that stored documents were given; one call to the store for all of them."""
        return list(self.verdicts_in(records.chosen_rows(self.table.rows, docs)))

    def verdicts_in(self, rows: Rows) -> Iterator[Verdict]:
        """`stored_verdicts`, of documents by their rows."""
        return blobs.verdicts_of(rows, blobs.decode_blobs(rows, self.store.blobs(rows)))

    def blob(self, doc: int) -> Blob:
        """The decoded blob of a stored document."""
        return blobs.decode_blob(self.table.rows[doc], self._stored_blob(doc))

    def is_unreadable(self, doc: int, form: bytes) -> bool:
        """Whether the text of a stored document can no longer be read: its normal form now is b"", and was not when it
        was scored. In a cluster, another client has then changed the text or deleted the document.
        """
        return not form and not records.were_empty(self.table.rows[doc : doc + 1]).any()

    def members(self, docs: Sequence[int]) -> Iterator[tuple[str, Member]]:
        """Stored documents as members of their groups, each with the head's id. Few blobs are in memory at once."""
        for at in range(0, len(docs), _BLOBS_AT_ONCE):
            rows = records.chosen_rows(self.table.rows, docs[at : at + _BLOBS_AT_ONCE])
            yield from blobs.members_of(rows, self.store.blobs(rows))

    # ---- taking away, and committing ----

    def remove(self, doc: int) -> None:
        """Takes one stored document out, from memory and (with the next commit) from the store."""
        self.mark_dead(np.array([doc]))
        self.end(doc)

    def end(self, doc: int) -> None:
        """Takes a document that is dead in memory out of the store, with the next commit."""
        records.set_deleted(self.table.rows[doc])
        self._revise(doc, b"")

    def expire_before(self, hour: int) -> None:
        """Takes every hour before `hour` out, from memory and (after the next commit) from the store."""
        if hour > self.next_commit.floor_hour:
            going = self.table.by_hour.forget_before(hour)
            self.next_commit = self.next_commit._replace(floor_hour=hour)
            self.mark_expired_dead()
            self._doomed.update(old for old in self.store.hours() if old < hour)
            self.since_opened.left = self.since_opened.left.with_more(going)

    def mark_expired_dead(self) -> None:
        """Takes out of memory the documents that no longer count: of expired hours, or given up to a budget."""
        table, next_commit = self.table, self.next_commit
        dead = (table.hours[: table.size] < next_commit.floor_hour) | (
            table.arrivals[: table.size] < next_commit.floor_order
        )
        self.mark_dead(np.flatnonzero(dead & table.are_known))

    def evict_half(self) -> None:
        """Takes the older half of the documents, in order of arrival, out of the only hour there is."""
        known = self.table.ids.docs()
        half = known[: (len(known) + 1) // 2]
        self.next_commit = self.next_commit._replace(floor_order=int(self.table.arrivals[half[-1]]) + 1)
        self.mark_dead(half)

    def forget_from(self, arrival: int) -> None:
        """Takes the documents from `arrival` on out of memory: they were not stored after all."""
        table = self.table
        later = table.arrivals[: table.size] >= arrival
        self.mark_dead(np.flatnonzero(later & table.are_known))

    def mark_dead(self, docs: NDArray[np.int64]) -> None:
        """Takes documents out of memory; their texts can still be read."""
        for doc in docs.tolist():
            self.table.mark_dead(doc)
        if self.search.sentences is not None:
            unread = records.are_without_words(records.chosen_rows(self.table.rows, docs))
            self.search.sentences.forget_unread(self.table.hours[docs[unread]])

    def commit(self) -> Mapping[str, str]:
        """Commits all changes so far, or none if some are refused. Returns the reasons, by the ids of documents."""
        refused = self.store.commit(self.next_commit)
        if not refused:
            self.next_commit = self.store.committed
            doomed, self._doomed = sorted(self._doomed), set()
            drop_or_tell(self.store, doomed)
        return refused

    def compact_if_worthwhile(self) -> None:
        """Frees the memory of dead documents when they are many."""
        if self.table.dead > max(_COMPACT_FROM, _COMPACT_SHARE * self.table.size):
            self.search.renumber(*self.table.compacted())
            self.resume()
