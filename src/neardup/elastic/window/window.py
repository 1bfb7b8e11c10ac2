"""The Elasticsearch engine: the embedded engine's window, kept in a cluster and in step with what others write.

The index of the window (posting lists, rows, groups) is in this process, as it is in the embedded engine, so a
document costs no search request; the cluster holds documents and verdicts. Every change is an epoch of the lease
(lease.py): acquire it, catch up with what others have committed since, decide, write, commit. So any number of
scorers agree with each other, and a verdict that is yielded is in the cluster for good.
"""

from __future__ import annotations

import contextlib
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from neardup.elastic.http.api import DocumentRef, count
from neardup.elastic.window.ad_hoc_query import AdHocQuery
from neardup.elastic.window.codec import OBJECT, first_fields, unstored_fields, verdict_fields
from neardup.elastic.window.loader import load, roll_back
from neardup.elastic.window.pending_writes import DocumentsRefused
from neardup.elastic.window.store import ClusterStore, ForeignDocument
from neardup.elastic.window.undo_log import UndoLog
from neardup.errors import ClusterUnreachable, WindowDamaged
from neardup.model.clock import now_ms
from neardup.model.document import Prepared, Reject
from neardup.model.hours import hour_name
from neardup.model.settings import DEFAULT_MATCHES, partial_rule_for_query
from neardup.stores.base import Commit
from neardup.window import query as review
from neardup.window.base import Expired
from neardup.window.engine import WindowEngine
from neardup.window.state import State
from neardup.window.threads import one_at_a_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from neardup.elastic.window.site import ElasticContext
    from neardup.elastic.window.state_document import StateDocument
    from neardup.model.settings import Settings
    from neardup.model.verdict import Group, Verdict
    from neardup.window.base import OnReject, Stats
    from neardup.window.newest_hour import Next

log = logging.getLogger("neardup")


class ElasticWindow(WindowEngine):
    """See `neardup.window.base.Window` for what its methods promise."""

    def __init__(
        self,
        site: ElasticContext,
        content: StateDocument,
        settings: Settings,
        *,
        readonly: bool,
        remember: bool = True,
    ) -> None:
        self._site, self._readonly, self._remember = site, readonly, remember
        self._cluster, self._layout, self._lease, _ = site
        # Nothing is loaded before it is needed: an ad hoc query never needs it.
        super().__init__(self._empty(replace(content, commit=Commit()), settings))

    @property
    def _store(self) -> ClusterStore:
        store = self._state.store
        assert isinstance(store, ClusterStore)
        return store

    # ---- in step ----

    def _empty(self, content: StateDocument, settings: Settings) -> State:
        """A window in memory in which nothing is, yet; the next look at `content` fills it."""
        remembered = settings.remembered if self._remember else content.settings
        store = ClusterStore(self._site, content, remembered)
        return State(store, settings, self._site.signer, readonly=self._readonly)

    def _catch_up(self, content: StateDocument) -> None:
        """Takes over what others have committed since this scorer last looked."""
        known = self._store.content
        if content.changes != known.changes or content.aborted != known.aborted:
            self._state = self._empty(replace(content, commit=Commit()), self._state.settings)
        state, store = self._state, self._store
        store.content = content
        if content.commit == state.committed:
            return
        first, before = state.committed.next_order, state.committed
        state.committed = content.commit
        if content.commit.floor_hour < before.floor_hour:
            state.table.settle_anew()  # the newest hour was set back
        expired = content.commit.floor_hour > before.floor_hour
        given_up = content.commit.floor_order > before.floor_order
        if expired or given_up:
            _mark_expired_dead(state, store)  # before an id of theirs comes again
        if content.commit.next_order > first:
            load(state, store, self._cluster, self._layout, content, first)
        if expired:
            _mark_expired_dead(state, store)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """A turn: nobody else changes the window in it. Fails as a whole, with what it wrote taken back."""
        with super()._writing():
            if self._state.committed == Commit():
                self._catch_up(
                    self._committed()
                )  # a large window is not read while others wait for their turn
            content, lost = self._lease.acquire()
            try:
                if lost:
                    changed = UndoLog(self._cluster).undo(content.undo)
                    undone = roll_back(self._cluster, self._layout, content)
                    log.warning(
                        "%d documents that never counted were taken back, %d changes undone", undone, changed
                    )
                    content = replace(content, undo=())
                self._catch_up(content)
                yield
                self._lease.release(self._store.content)
            except BaseException as error:
                self._lease.fail(content, tell=not isinstance(error, ClusterUnreachable))
                raise

    @one_at_a_time
    def recover(self) -> None:
        """Takes back what a scorer that ended in its turn left behind; one request where none did."""
        if self._lease.is_lost(self._committed()):
            with self._writing():
                pass

    def _committed(self) -> StateDocument:
        """What is committed now."""
        content = self._lease.read()
        if content is None:
            raise WindowDamaged(
                str(self._cluster.address), "no state document", "the one `neardup setup` makes"
            )
        return content

    # ---- ingest ----

    def _tell_of_changes(self) -> None:
        if not self._told_changes:
            self._catch_up(self._committed())  # or nobody would know what is stored
            self._state.left = self._store.remembered
            super()._tell_of_changes()

    def _settled(self, documents: list[Prepared], following: Next, reject: OnReject) -> list[Verdict]:
        """As in the embedded engine; documents that the cluster will not have are rejected, and the others decided
        anew without them.
        """
        documents = [self._named(document) for document in documents]
        while True:
            rejected: list[Reject] = []
            before, left, replaced = self._state.committed, self.left, self.replaced
            verdicts = self._score(documents, following, rejected.append)
            self._mark_unstored(documents, verdicts)
            try:
                self._state.commit()
            except DocumentsRefused as refused:
                self._undo(before)
                self.left, self.replaced = left, replaced
                for identity, reason in refused.reasons.items():
                    reject(Reject(identity, reason))
                documents = [document for document in documents if document.id not in refused.reasons]
                continue
            for each in rejected:
                reject(each)
            return verdicts

    def _named(self, document: Prepared) -> Prepared:
        """A document of another client under its `_id`, or as `index/_id` if the window knows that id elsewhere.

        Once given, a name stays. An `_id` is unique in its index only, and no other document may go for it.
        """
        found = document.fields
        if not isinstance(found, ForeignDocument):
            return document
        long = f"{found.place.index}/{found.place.id}"
        if self.place_of(long) == found.place or self.place_of(document.id) not in (None, found.place):
            return document._replace(id=long)
        return document

    def _undo(self, before: Commit) -> None:
        """Brings memory back to what is committed after a batch that was refused and taken back."""
        state, table = self._state, self._state.table
        ahead = state.committed._replace(next_order=before.next_order, seq=before.seq, newest=before.newest)
        if self._store.removes or ahead != before:
            # Something was taken out for a document that now has never come: read it all again.
            content = self._store.content
            self._state = self._empty(replace(content, commit=Commit()), state.settings)
            self._catch_up(content)
            return
        for number in np.flatnonzero(table.rows["order"][: table.size] >= before.next_order).tolist():
            if table.number_of.get(table.ids[number]) == number:
                table.mark_dead(number)
        # The orders are not given again: what was taken back may still be on its way.
        state.committed = before._replace(next_order=state.committed.next_order, seq=state.committed.seq)

    def _again(self, document: Prepared, number: int) -> Verdict:
        """The stored verdict; a document that another client wrote anew gets its mark again."""
        state, verdict = self._state, super()._again(document, number)
        if isinstance(document.fields, ForeignDocument):
            row = state.table.rows[number]
            blob = state.store.blob(
                int(state.table.hours[number]), int(row["blob_start"]), int(row["blob_bytes"])
            )
            ours = verdict_fields(row, blob, now_ms()) | first_fields(
                row, state.table.sieves[number], "watch"
            )
            self._store.mark(document, ours)
        return verdict

    def _mark_unstored(self, documents: Sequence[Prepared], verdicts: Sequence[Verdict]) -> None:
        """Marks the documents of other clients that the window does not keep: they came too late."""
        by_id = {verdict.id: verdict for verdict in verdicts}
        for document in documents:
            found, verdict = document.fields, by_id.get(document.id)
            if (
                isinstance(found, ForeignDocument)
                and verdict is not None
                and not self._store.is_marked(found.place)
            ):
                self._store.mark(document, unstored_fields(verdict, now_ms()))

    @one_at_a_time
    def place_of(self, id: str) -> DocumentRef | None:
        """Where in the cluster the document of this id lies; None if the window has none."""
        number = self._state.table.number_of.get(id)
        return None if number is None else self._store.place_of(self._state.table.rows[number])

    # ---- the rest of the contract ----

    @one_at_a_time
    def expire(self, now: Any = None, *, keep_hours: int | None = None, dry_run: bool = False) -> Expired:
        if dry_run:
            self._catch_up(self._committed())
            left = self._left_behind()
        else:
            left = self._drop_left_behind()
        gone = super().expire(now, keep_hours=keep_hours, dry_run=dry_run)
        return Expired(sorted({*map(hour_name, left), *gone}), gone.documents)

    @one_at_a_time
    def set_newest(self, time: Any = None) -> str | None:
        self._drop_left_behind()  # or what had expired would come back
        return super().set_newest(time)

    @one_at_a_time
    def beyond(self, hours: int) -> Expired:
        self._catch_up(self._committed())
        return super().beyond(hours)

    def _left_behind(self) -> list[int]:
        """Hours that have expired but are there, because a scorer ended between its commit and their end."""
        floor = self._state.committed.floor_hour
        return [hour for hour in self._store.hours() if hour < floor]

    def _drop_left_behind(self) -> list[int]:
        with self._writing():
            left = self._left_behind()
            for hour in left:
                self._store.drop(hour)
        return left

    @one_at_a_time
    def query(
        self,
        text: str | None = None,
        *,
        id: str | None = None,
        threshold: Any = None,
        matches: int | None = DEFAULT_MATCHES,
        time: Any = None,
        partial: bool | None = None,
        containment: Any = None,
        delta: int | None = None,
    ) -> Verdict:
        content, settings = self._committed(), self._state.settings
        rule = partial_rule_for_query(settings, partial, containment, delta)
        loaded = content.commit == self._state.committed
        if loaded and (rule is None or self._state.search.sentences is not None):
            return review.query(self._state, text, id, threshold, matches, time, rule)
        settings = settings.with_changes(partial=rule is not None)
        if rule is not None:
            settings = settings.with_changes(containment=rule.containment, delta=rule.delta)
        inquiry = AdHocQuery(self._site, content, settings)
        return inquiry.answer(text, id, threshold, matches, time)

    @one_at_a_time
    def groups(self) -> Iterator[Group]:
        self._catch_up(self._committed())
        return super().groups()

    @one_at_a_time
    def stats(self) -> Stats:
        self._catch_up(self._committed())
        query = {"term": {f"{OBJECT}.status": "unscored"}}
        marked = count(self._cluster, self._layout.target, query, {"ignore_unavailable": "true"})
        return replace(super().stats(), unscored=marked)


def _mark_expired_dead(state: State, store: ClusterStore) -> None:
    """Takes out of memory what has expired, or was given up to a budget."""
    table, committed = state.table, state.committed
    for number in list(table.number_of.values()):
        if table.rows["order"][number] < committed.floor_order:
            table.mark_dead(number)
    state.mark_dead_before(committed.floor_hour)
    store.forget_before(committed.floor_hour)
