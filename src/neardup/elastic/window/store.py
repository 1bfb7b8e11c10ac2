"""The store of a window in a cluster: its documents in hourly indices, and the state document, which makes them count.

Any number of scorers write to it. Every change is an epoch of the lease (epoch.py): acquire the lease, take over what
others have committed since, decide, write, commit. Nothing is written before `commit`, which sends all changes of a
batch by bulk, one action for each document, and then the state document (state_document.py). Texts are read back from
the documents themselves.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from neardup.elastic.window import loader
from neardup.elastic.window.ad_hoc_query import AdHocQuery
from neardup.elastic.window.batch_writes import begun
from neardup.elastic.window.epoch import committed_state, epoch
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.look_ahead import LookAhead
from neardup.elastic.window.state_document import SettingsToLeave
from neardup.stores.records import are_deleted, are_set_aside, arrivals_of, bitmaps_among

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from neardup.elastic.window.index_layout import ElasticContext
    from neardup.elastic.window.state_document import StateDocument
    from neardup.model.document import Prepared
    from neardup.model.query_options import QueryOptions
    from neardup.model.verdict import Verdict
    from neardup.stores.base import (
        Commit,
        NewDocuments,
        Records,
        Shown,
        SignedDocuments,
        Store,
        StoredCandidates,
        Undecided,
    )
    from neardup.stores.records import Rows


class ClusterStore:
    """The store of one window in a cluster, which begins with `state`.

    `remember`: a commit leaves the settings of this opening, not those that it found. `check_rights` raises
    `ClusterRefused` if this user may not read all of a window with a given state.
    """

    keeps_text: bool | None = None
    """Not a choice here: the window's indices have whole documents."""
    is_durable = True

    def __init__(
        self,
        context: ElasticContext,
        state: StateDocument,
        check_rights: Callable[[StateDocument], object],
        *,
        remember: bool,
    ) -> None:
        self._context = context
        self.check_settings: Callable[[StateDocument], object] = lambda _: None
        """Called with each state before it is taken over, which what it raises prevents."""
        self.tells_dropped = False
        """Whether each hour that is dropped is logged; a run that ends says at its end how many there were."""
        self._cluster, self._layout, self._lease = context.cluster, context.layout, context.lease
        self._state, self._check_rights = state, check_rights
        own = context.settings.remembered if remember else None
        self._settings = SettingsToLeave(own, state.settings)
        self._sweeps = False  # whether the next epoch also rolls back late writes in aborted ranges
        self._others_reread = False  # whether the next commit makes them do so
        self._added_to = set[str]()  # indices to which the current batch adds
        self._checked = set[str]()  # indices that are known to sign, or to accept, new documents
        self._existing: Mapping[str, str] | None = None  # indices when all documents were read
        self._ahead: LookAhead | None = None
        self.name, self.revision = str(context.cluster.address), 0
        self._forget_all()

    def _forget_all(self) -> None:
        """Forgets all documents that are held, as they are outdated."""
        self.revision += 1
        self._added_to.clear()
        self._held, self._writes = begun(self._context)

    # ---- in step with others ----

    @property
    def committed(self) -> Commit:
        return self._state.commit

    def refresh(self, *, follow: bool = False) -> None:
        # Read before the state: an hour that is dropped in between is then below the floor.
        now = self._layout.existing_indices(self._cluster) if follow and self._existing is not None else None
        self._adopt(committed_state(self._context))
        if now is not None:
            self._forget_deleted(now)

    def _adopt(self, state: StateDocument) -> None:
        """Takes over a new state: with more documents, with changes by other scorers, or with another way to sign new
        documents after `neardup setup`.
        """
        self.check_settings(state)
        layout = self._layout
        if state.about != self._state.about:
            layout = Layout.described(self._cluster.address, state.about, state.archive)
        known, self._state = self._state, state
        if layout != self._layout:
            self._layout, self._context = layout, self._context._replace(layout=layout)
            self._ahead = None  # it reads the fields of the old layout
            self._forget_all()
        elif (state.changes, state.aborted) != (known.changes, known.aborted):
            self._forget_all()
        else:
            self._held.forget_before(state.commit.floor_hour)

    @contextlib.contextmanager
    def begin(self) -> Iterator[None]:
        try:
            with epoch(self._context, sweep=self._sweeps) as state:
                self._sweeps = False
                try:
                    self._adopt(state)
                except Exception:
                    self._lease.release(state)  # with nothing done
                    raise
                if self._existing is not None:
                    self._forget_deleted(self._layout.existing_indices(self._cluster))
                yield
                self._lease.release(self._state)
        except BaseException:
            self._forget_all()
            raise

    def _forget_deleted(self, now: Mapping[str, str]) -> None:
        """Forgets all documents if another client has deleted an index since they were read: one that was there is not
        in `now`, the indices that exist.
        """
        before, self._existing = self._existing or {}, now
        if self._layout.tell_deleted(before, now, self.committed.floor_hour):
            self._checked.clear()
            self._forget_all()

    def find_abandoned(self) -> bool:
        state = committed_state(self._context)
        self._sweeps = loader.has_aborted(self._cluster, self._layout, state)
        return self._sweeps or self._lease.is_lost(state)

    def _keep_lease(self) -> None:
        """Keeps the lease in a long epoch; must be called wherever time passes."""
        if self._lease.held:
            self._lease.ensure_held()

    # ---- what is there ----

    def records(self, since: Commit) -> Iterator[Records]:
        if not since.next_order:
            # Documents that are held may be of a refused batch, whose arrivals are given out again.
            self._held = self._held.emptied()
            self._existing = self._layout.existing_indices(self._cluster)
        if self.committed.next_order <= since.next_order:
            return
        left = self.committed.next_order - max(since.next_order, self.committed.floor_order)
        for part in loader.stored_parts(self._context, self._state, since.next_order):
            self._keep_lease()
            self._held.add(part.records.rows, part.refs, part.blobs)
            left -= len(part.refs)
            yield part.records
        if left > 0:  # some were deleted or dropped, or this user has lost the right to read them
            self._check_rights(self._state)
        self._held.forget_before(self.committed.floor_hour)

    def hours(self) -> list[int]:
        """Hours that have an index, whoever wrote to it, or will have one at the end of the batch, ascending."""
        written = set(self._layout.existing_hours(self._cluster).values())
        return sorted(written | (set() if self._layout.archive else self._held.hours))

    def texts(self, rows: Rows) -> list[bytes]:
        self._keep_lease()
        return self._held.texts(rows)

    def original_texts(self, rows: Rows) -> list[bytes | None]:
        self._keep_lease()
        return self._held.original_texts(rows)

    def blobs(self, rows: Rows) -> list[bytes]:
        return self._held.blobs(rows)

    def shown(self, rows: Rows) -> list[Shown]:
        self._keep_lease()
        return self._held.shown(rows)

    def count_undecided(self) -> Undecided:
        return loader.count_undecided(self._cluster, self._layout)

    def candidates(self, options: QueryOptions, window_hours: int) -> Store | None:
        settings = self._context.settings.with_changes(
            window_hours=window_hours, keep_hours=None, partial=options.rule is not None
        )
        return AdHocQuery(self._context._replace(settings=settings), self._state).candidates_for(options)

    def candidates_of_texts(self, texts: Sequence[bytes], threshold: Fraction) -> Store | None:
        settings = self._context.settings.with_changes(threshold=threshold, window_hours=0, keep_hours=None)
        return AdHocQuery(self._context._replace(settings=settings), self._state).candidates_for_all(texts)

    def holding(self, ids: Sequence[str]) -> Store | None:
        return AdHocQuery(self._context, self._state).holding(ids)

    def look_ahead(self, batch: SignedDocuments) -> None:
        self._ahead = LookAhead.of(self._context, committed_state(self._context), batch)

    def candidates_of_batch(self, batch: SignedDocuments) -> StoredCandidates | None:
        self._keep_lease()
        ahead, self._ahead = self._ahead, None
        if ahead is None or ahead.documents != batch.documents:  # as when some of them have been refused
            ahead = LookAhead.none(self._context)
        candidates = ahead.brought_up_to(self._state, batch)
        self._held = ahead.held
        return candidates

    # ---- what is added ----

    def append(self, hour: int, new: NewDocuments) -> None:
        aside = are_set_aside(new.rows).tolist()
        refs = self._layout.refs_for(new.documents, hour, aside)
        self._added_to |= {ref.index for ref in refs}
        if self._layout.archive in self._added_to - self._checked:
            self._layout.check_takes_new(self._cluster)
        self._held.add(new.rows, refs, new.blobs)
        self._held.keep_texts(new.rows, new.texts, new.documents)
        bitmaps = bitmaps_among(new.rows, new.keys)
        self._writes.add(refs, new.documents, new.rows, new.blobs, bitmaps)

    def revise(self, hour: int, row: Rows, id: str, blob: bytes) -> None:
        arrival = int(arrivals_of(row)[0])
        ref = self._held.ref(arrival)
        if are_deleted(row)[0]:
            self._writes.delete(ref, id)
            return
        target = self._layout.kept_at(ref, hour, copies=bool(are_set_aside(row)[0]))
        self._held.revise(arrival, target, blob)
        self._writes.revise(ref, target, id, row, blob)

    def show_anew(self, row: Rows, document: Prepared) -> None:
        arrival = int(arrivals_of(row)[0])
        self._held.show_anew(arrival, document.text)
        self._writes.show_anew(self._held.ref(arrival), document)

    def commit(self, commit: Commit) -> Mapping[str, str]:
        """Sends the waiting writes, then the state document, which releases the lease. If a write is refused,
        everything written of the batch is taken back, and the epoch goes on; returns the reasons by id.
        """
        self._lease.ensure_held()
        refused = self._writes.send(self._lease.state.epoch)
        self._held.sent()
        if refused:
            # The rest is appended again. An hour whose documents were all refused may not exist.
            self._added_to.clear()
            if self._writes.removes:
                # Others may have read the changes before they were undone.
                self._state = self._state.changed()
                self._forget_all()
            return refused
        self._check_indices()
        settings = self._settings.at_commit(self._state)
        removes = self._writes.removes or self._others_reread
        state = self._state.with_commit(commit, settings, removes=removes)
        self._lease.commit(state)
        self._settings.committed(self.name, self.previous, settings)
        self._state = state
        self._others_reread = False
        self._held.committed()
        self._writes.committed()
        return {}

    def _check_indices(self) -> None:
        """Makes sure, once for every hour, that documents added to it were signed; and notes that the hour exists."""
        if self._layout.archive is None:
            # Where nobody notices that an hour is deleted, and made anew by whoever writes to it, it is looked at again
            # for every batch.
            checked = set[str]() if self._existing is None else self._checked
            for index in sorted(self._added_to - checked):
                self._layout.check_made(self._cluster, index, self._context.signer.text)
        if self._existing is not None and not self._added_to <= self._existing.keys():
            self._existing = {**self._layout.existing_indices(self._cluster), **self._existing}
        self._checked |= self._added_to
        self._added_to.clear()

    def others_before(self, hour: int) -> int:
        return loader.others_before(self._cluster, self._layout, self.committed.floor_hour, hour)

    def drop(self, hour: int) -> None:
        self._held.forget(hour)
        self._layout.delete_hour(self._cluster, hour, tells=self.tells_dropped)

    # ---- settings ----

    @property
    def previous(self) -> dict[str, Any]:
        return self._state.settings

    @property
    def remembered(self) -> dict[str, Any]:
        return self._settings.known(self._state)

    def remember_at_commit(self, remembered: dict[str, Any]) -> None:
        self._settings.leave_next(remembered)

    # ---- documents of other clients ----

    def named(self, documents: Sequence[Prepared], stored: Callable[[str], int | None]) -> Sequence[Prepared]:
        """The id of a document of another client is its `_id`, or `index/_id` if the window has that id elsewhere.

        Once given, an id stays. An `_id` is unique only in its index, and must not replace another document.
        """

        def ref_of(id: str) -> tuple[str, str] | None:
            arrival = stored(id)
            return None if arrival is None else self._held.ref(arrival)

        def named(document: Prepared) -> Prepared:
            origin = document.origin
            if origin is None:
                return document
            own = origin.index, origin.id
            if ref_of(origin.qualified_id) == own or ref_of(document.id) not in (None, own):
                return document._replace(id=origin.qualified_id)
            return document

        return list(map(named, documents))

    def absent(self, rows: Rows) -> NDArray[np.bool_]:
        self._keep_lease()
        return self._held.absent(rows)

    def make_others_reread(self) -> bool:
        self._others_reread = True
        return True

    def note_repeated(self, document: Prepared, row: Rows, bitmap: NDArray[np.uint64]) -> None:
        """Writes the mark again on a document that another client has written anew."""
        refs = self._layout.refs_for([document], document.hour, [False])
        self._writes.add(refs, [document], row, self.blobs(row), [bitmap])

    def note_not_kept(self, document: Prepared, verdict: Verdict) -> None:
        """Marks a document of another client that came too late."""
        self._writes.mark_not_kept(document, verdict)

    def close(self) -> None:
        self._cluster.close()
