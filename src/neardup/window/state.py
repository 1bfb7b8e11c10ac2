"""State: what the embedded engine holds of a window, in memory and in its store, kept in step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from neardup.index.document_table import DocumentTable
from neardup.index.search import Search
from neardup.index.verification import Verifier
from neardup.kernels.bitmap_filter import WORDS as SIEVE_WORDS
from neardup.model.document import format_time
from neardup.model.hours import hour_name
from neardup.model.verdict import Member, Verdict
from neardup.stores.base import DELETED, ROUTED, TRUNCATED, Additions, Commit, Rows, Store
from neardup.stores.records import VerdictPayload
from neardup.stores.remembered_settings import EARLIER, earlier, merged

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from neardup.index.candidates import Candidates
    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.document import Prepared
    from neardup.model.settings import PartialRule, Settings
    from neardup.model.verdict import Overlap, Part, Status
    from neardup.signing.signature import Keys
    from neardup.signing.signer import Signer

STATUSES: tuple[Status, ...] = ("unique", "near", "exact", "empty", "unscored", "partial")
"""Their places are what a row stores."""
_COMPACT_FROM = 10_000
_COMPACT_SHARE = 0.3


class State:
    """Table, posting lists and store of one window. Methods change all of them together, or say which.

    `committed` is what the next commit will say; it runs ahead of the store's while a batch is worked on.
    """

    def __init__(self, store: Store, settings: Settings, signer: Signer, *, readonly: bool) -> None:
        self.store = store
        self.settings = settings
        self.signer = signer
        self.readonly = readonly
        self.search = Search(signer, settings)
        self.table = DocumentTable(self.search.most_shared)
        self.committed = Commit()
        self.left: dict[str, Any] = {}
        """What the window remembered of the settings before it was opened."""
        self.told: set[str] = set()
        """What has been said of this window already, and need not be said of every hour or page of it."""
        self._run = 0
        self._documents: list[Prepared] = []
        self._texts: list[bytes] = []
        self._blobs: list[bytes] = []
        self._doomed: list[int] = []

    @property
    def newest(self) -> int:
        """The newest hour seen."""
        return self.committed.newest

    @newest.setter
    def newest(self, hour: int) -> None:
        self.committed = self.committed._replace(newest=hour)

    # ---- runs ----

    def resume(self) -> None:
        """Takes all documents in the table as stored ones."""
        self._run = self.table.size

    def begin_run(
        self,
        rows: Rows,
        documents: list[Prepared],
        texts: list[bytes],
        sieves: NDArray[np.uint64] | None,
    ) -> None:
        """Takes the documents of a run into the table, not yet known by their ids."""
        count = len(rows)
        first = self.committed.next_order
        rows["order"] = rows["group_order"] = np.arange(first, first + count)
        self.committed = self.committed._replace(next_order=first + count)
        self._texts, self._documents = texts, documents
        ids = [document.id for document in documents]
        self._blobs = [identity.encode() for identity in ids]
        rows["id_bytes"] = rows["blob_bytes"] = list(map(len, self._blobs))
        self._run = self.table.extend(rows, sieves)
        self.table.name(ids, self._blobs)

    def end_run(self, features: SignedQueryBatch, kept: NDArray[np.int64]) -> None:
        """Appends the documents of the run that are to be stored; `kept` are their places in `features`."""
        table, first = self.table, self._run
        rows = table.rows[first : table.size]
        stay = (rows["flags"] & DELETED) == 0
        hours = table.hours[first : table.size]
        for hour in np.unique(hours[stay]).tolist():
            chosen = np.flatnonzero(stay & (hours == hour))
            rows["seq"][chosen] = self._next_seqs(len(chosen))
            part = rows[chosen]
            additions = Additions(
                part,
                [self._texts[i] for i in chosen],
                b"".join([self._blobs[i] for i in chosen]),
                _stored_keys(features, kept[chosen]),
                table.ids[first:] if len(chosen) == len(rows) else [table.ids[first + i] for i in chosen],
                self._documents if len(chosen) == len(rows) else [self._documents[i] for i in chosen],
            )
            self.store.append(int(hour), additions)
            rows[chosen] = part
        table.account(first, table.size)
        self._documents, self._texts, self._blobs = [], [], []
        self._run = table.size

    def _next_seqs(self, count: int) -> NDArray[np.int64]:
        seq = self.committed.seq
        self.committed = self.committed._replace(seq=seq + count)
        return np.arange(seq + 1, seq + count + 1)

    def record(
        self,
        number: int,
        verdict: Verdict,
        best: Overlap | None,
        parts: Sequence[Part] = (),
        head: Overlap | None = None,
    ) -> None:
        """Writes a verdict into its document's row and blob: those of the run at hand, or a new version of a
        stored one. `parts` are those that the verdict names, and perhaps others; `head` is the match whose group
        it joins.
        """
        table = self.table
        row = table.rows[number]
        row["status"] = STATUSES.index(verdict.status)
        row["candidates"] = verdict.candidates
        row["asked"] = verdict.partial is not None
        row["flags"] = (row["flags"] & ROUTED) | (TRUNCATED if verdict.truncated else 0)
        row["shared"], row["larger"] = (best.shared, best.larger) if best is not None else (-1, 0)
        blob = [verdict.id.encode()]
        row["group_bytes"] = 0
        row["group_time"] = row["time"]
        table.lead(number)
        if verdict.group != verdict.id:
            head_number = table.number_of[verdict.group]
            of_head = table.rows[head_number]
            row["group_order"], row["group_time"] = of_head["order"], of_head["time"]
            blob.append(verdict.group.encode())
            row["group_bytes"] = len(blob[1])
            table.join(number, int(of_head["order"]), head_number)
        blob.append(VerdictPayload.of(verdict, best, parts, head).to_bytes())
        whole = b"".join(blob)
        row["blob_bytes"] = len(whole)
        if number >= self._run:
            self._blobs[number - self._run] = whole
        else:
            self._append_version(number, whole)

    def store_flags(self, number: int) -> None:
        """Appends a new version of a stored document whose flags alone have changed."""
        row = self.table.rows[number]
        hour, start, size = int(self.table.hours[number]), int(row["blob_start"]), int(row["blob_bytes"])
        self._append_version(number, self.store.blob(hour, start, size))

    def _append_version(self, number: int, blob: bytes) -> None:
        """Appends the row of `number` as it is now, as a new version of a stored document."""
        rows = self.table.rows[number : number + 1]
        rows["seq"] = self._next_seqs(1)
        part = rows.copy()
        part["blob_bytes"] = len(blob)
        additions = Additions(part, [], blob, np.empty(0, np.uint64), [self.table.ids[number]])
        self.store.append(int(self.table.hours[number]), additions)
        rows[:] = part

    def verifier(
        self,
        features: SignedQueryBatch,
        candidates: Candidates,
        threshold: Fraction,
        *,
        rule: PartialRule | None,
        listed: int | None,
    ) -> Verifier:
        """What compares a signed batch with its candidates in this window."""
        return Verifier(
            features, candidates, table=self.table, crowds=self.search.crowds, signer=self.signer,
            settings=self.settings, threshold=threshold, read_texts=self.texts, rule=rule, listed=listed,
        )  # fmt: skip

    # ---- reading ----

    def text(self, number: int) -> bytes:
        """Normal form of a document, of the run at hand or stored."""
        return self.texts([number])[0]

    def texts(self, numbers: Sequence[int]) -> list[bytes]:
        """Normal forms of documents, of the run at hand or stored; one call to the store for all of them."""
        stored = [number for number in numbers if number < self._run]
        read = iter(self.store.texts(self.table.hours[stored].tolist(), self.table.rows[stored]))
        return [next(read) if number < self._run else self._texts[number - self._run] for number in numbers]

    def _blob(self, number: int) -> tuple[str, VerdictPayload]:
        """What a stored document's blob says: the id of the head of its group, and the rest."""
        row = self.table.rows[number]
        blob = self.store.blob(int(self.table.hours[number]), int(row["blob_start"]), int(row["blob_bytes"]))
        group_start, group_end = int(row["id_bytes"]), int(row["id_bytes"]) + int(row["group_bytes"])
        group = blob[group_start:group_end].decode() or self.table.ids[number]
        return group, VerdictPayload.read(blob[group_end:])

    def group_id(self, number: int) -> str:
        """Id of the head of a stored document's group, living or not."""
        return self._blob(number)[0]

    def original_time(self, number: int) -> int:
        """Time of what a stored document was found to be a copy of."""
        return self._blob(number)[1].time

    def part_times(self, number: int) -> list[int]:
        """Times of the documents that a stored verdict names as partial copies, in its order."""
        return [part[-1] for part in self._blob(number)[1].parts]

    def stored_verdict(self, number: int) -> Verdict:
        """The verdict that a stored document was given."""
        row = self.table.rows[number]
        group, kept = self._blob(number)
        matches, matches_total = kept.listed
        partial, partial_total = kept.partial if row["asked"] else (None, None)
        return Verdict(
            self.table.ids[number],
            format_time(int(row["time"])),
            STATUSES[int(row["status"])],
            kept.original,
            kept.score,
            int(row["shared"]) if kept.original is not None else None,
            group,
            int(row["candidates"]),
            bool(row["flags"] & TRUNCATED),
            matches,
            matches_total,
            partial,
            partial_total,
        )

    def member(self, number: int) -> Member:
        """A stored document as a member of its group."""
        row = self.table.rows[number]
        group, kept = self._blob(number)
        score, shared = kept.with_head(group, int(row["shared"]))
        time = format_time(int(row["time"]))
        return Member(self.table.ids[number], time, score, shared, kept.original, kept.score)

    # ---- taking away ----

    def remove(self, number: int) -> None:
        """Takes one stored document out, from memory and (with the next commit) from the store."""
        self.table.mark_dead(number)
        self.table.rows["flags"][number] |= DELETED
        self._append_version(number, b"")

    def expire_before(self, hour: int) -> list[str]:
        """Takes every hour before `hour` out; its files go with the next commit. Returns their names."""
        if hour <= self.committed.floor_hour:
            return []
        self.committed = self.committed._replace(floor_hour=hour)
        gone = [old for old in self.store.hours() if old < hour]
        self.mark_dead_before(hour)
        self._doomed += gone
        return [hour_name(old) for old in gone]

    def mark_dead_before(self, hour: int) -> None:
        """Takes the documents of every hour before `hour` out of memory."""
        if self.search.sentences is not None:
            self.search.sentences.forget_before(hour)
        for number in np.flatnonzero(self.table.hours[: self.table.size] < hour).tolist():
            if self.table.number_of.get(self.table.ids[number]) == number:
                self.table.mark_dead(number)

    def evict_half(self) -> None:
        """Takes the older half of the documents, in order of arrival, out of the only hour there is."""
        known = np.sort(np.fromiter(self.table.number_of.values(), np.int64, self.table.living))
        half = known[: (len(known) + 1) // 2]
        self.committed = self.committed._replace(floor_order=int(self.table.rows["order"][half[-1]]) + 1)
        for number in half.tolist():
            self.table.mark_dead(number)

    def settle(self) -> None:
        """Every verdict is by the settings of now, from the next commit on; but what a policy to drop came too late
        for is still kept.
        """
        remembered = self.settings.remembered
        kept = earlier(merged(self.store.remembered or remembered, remembered)).get("policy")
        if self.settings.policy == "drop" and kept:
            remembered[EARLIER] = {"policy": kept}
        self.store.settle(remembered)

    def commit(self) -> None:
        """Makes all changes so far lasting."""
        self.store.commit(self.committed)
        for hour in self._doomed:
            self.store.drop(hour)
        self._doomed = []

    def compact_if_worthwhile(self) -> None:
        """Frees the memory of dead documents when they are many."""
        if self.table.dead > max(_COMPACT_FROM, _COMPACT_SHARE * self.table.size):
            self.search.renumber(*self.table.compacted())
            self.resume()


def _stored_keys(features: SignedQueryBatch, chosen: NDArray[np.int64]) -> Keys:
    """The keys of some documents as the store keeps them (store.py, KEY_COUNTS), document by document."""
    signed = features.signed
    plain = features.prefixes is None and features.words is None and len(chosen) == len(signed.bitmaps)
    if plain and len(set(np.diff(signed.sketch_offsets).tolist())) == 1:
        return np.hstack([signed.sketches.reshape(len(chosen), -1), signed.bitmaps[:, 1]]).ravel()
    kinds = [(signed.sketches, signed.sketch_offsets)]
    kinds.append((signed.bitmaps[:, 1].ravel(), SIEVE_WORDS * np.arange(len(signed.bitmaps) + 1)))
    if features.prefixes is not None:
        kinds.append(features.prefixes)
    if features.words is not None:
        kinds += [(features.words.sentences, features.words.sentence_offsets), features.words.band_keys()]
    parts = [keys[offsets[i] : offsets[i + 1]] for i in chosen.tolist() for keys, offsets in kinds]
    return np.concatenate(parts) if parts else np.empty(0, np.uint64)
