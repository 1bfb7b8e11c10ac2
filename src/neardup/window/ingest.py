"""Ingest: turns a stream of documents into verdicts; each batch is committed before its verdicts are yielded."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from neardup.model.document import Reject, check_documents
from neardup.stores.remembered_settings import warn_of_changes
from neardup.window.batches import batches
from neardup.window.ingest_warnings import RepeatedIds, warn_of_ahead, warn_of_late
from neardup.window.newest_hour import Before, Leaps
from neardup.window.scoring import add_run, score, score_run, sign
from neardup.window.session import Session, one_at_a_time
from neardup.window.signing_ahead import SigningAhead
from neardup.window.usable_documents import log_reject, usable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.document import Prepared
    from neardup.model.verdict import Verdict
    from neardup.window.base import Documents, OnReject


class Ingest:
    """Takes documents into the window of `session`; unless it `compares`, as if they were like no other."""

    def __init__(self, session: Session, *, compares: bool = True) -> None:
        self._session, self._compares = session, compares
        self._threads = session.state.settings.threads
        self._has_warned = False
        self._before = Before()

    def verdicts(
        self, documents: Documents, on_reject: OnReject | None, wait: Callable[[], object] = lambda: None
    ) -> Iterator[Verdict]:
        """See `Window.ingest`; `wait` is called before each batch is decided, once everything else is prepared."""
        check_documents(documents)
        reject = log_reject if on_reject is None else on_reject
        if not callable(reject):
            raise TypeError(
                f"on_reject is of type {type(reject).__name__}, not a function: for a list, pass rejects.append"
            )
        settings, leaps = self._session.state.settings, Leaps(self._before)
        limit = settings.documents_at_once
        self._warn_of_changes()
        usable_ones = usable(documents, settings, reject)
        ahead = SigningAhead(usable_ones, self._sign, size=limit, threads=self._threads)
        ids = RepeatedIds()
        try:
            for batch in batches(ahead.items(), limit, leaps):
                yield from self._scored(batch, ahead, leaps, ids, reject, wait)
        finally:  # also where the caller takes no more verdicts
            ids.warn_once(self._session.state)

    def _sign(self, documents: Sequence[Prepared]) -> SignedQueryBatch:
        """The signatures of a batch. With several threads, what is kept to be shown is made as well; with one thread
        this is put off, because it would be wasted on documents that came before.
        """
        state = self._session.state
        signed = sign(state, documents)
        return signed if self._threads == 1 else signed._replace(shown=state.shown_parts(documents))

    @one_at_a_time
    def _warn_of_changes(self) -> None:
        """Logs, once, that documents are now decided by other settings than those already stored."""
        if not self._has_warned:
            session = self._session
            if session.searches:
                session.store.refresh()
            else:
                session.load()
            self._has_warned = True
            session.state.warn_below_reach(session.state.settings.threshold_fraction)
            if session.state.table.present or (session.searches and session.store.committed.next_order):
                warn_of_changes(session.store.previous, session.state.settings.remembered)

    @one_at_a_time
    def _scored(
        self,
        documents: list[Prepared],
        ahead: SigningAhead,
        leaps: Leaps,
        ids: RepeatedIds,
        reject: OnReject,
        wait: Callable[[], object],
    ) -> list[Verdict]:
        """Verdicts of a batch, which is stored for good when this returns."""
        session = self._session
        session.check_writable()  # in a forked process no thread signs
        signed = ahead.signed(documents)
        session.look_ahead(documents, signed)
        wait()
        with session.writing(whole=False), session.changing():
            newest, before = session.store.committed.newest, dataclasses.replace(session.state.since_opened)
            verdicts, rejects = self._stored(documents, signed, leaps)
            leaps.end()  # here, because a caller need not take what comes after the first verdicts
            ids.add(documents, session.state.since_opened.replaced - before.replaced)
        warn_of_late(session.state, verdicts)
        warn_of_ahead(session.state, documents, newest=newest, left=before.left.documents)
        waiting = iter(rejects)
        try:  # after the commit: what `reject` raises is no failure of the window
            for each in waiting:
                reject(each)
        finally:
            for each in waiting:
                log_reject(each)
        return verdicts

    def _stored(
        self, documents: list[Prepared], signed: SignedQueryBatch, leaps: Leaps
    ) -> tuple[list[Verdict], list[Reject]]:
        """(The verdicts on a `signed` batch, decided and committed; the rejects). Documents that the store refuses are
        rejected, and the others decided anew without them.
        """
        session, refused_before = self._session, list[Reject]()
        documents, signed = self._begun(documents, signed, refused_before)
        documents = list(session.store.named(documents, session.state.arrival_of))
        while True:
            state = session.state
            before, figures = state.next_commit, dataclasses.replace(state.since_opened)
            committed = session.store.committed
            try:
                verdicts, disbelieved = score(
                    state, documents, signed, leaps, score_run if self._compares else add_run
                )
                refused = state.commit()
            except BaseException:
                if (
                    session.store.committed == committed
                ):  # else the batch is committed, and a later step failed
                    state.since_opened = figures
                raise
            if not refused:
                return verdicts, refused_before + disbelieved
            state.since_opened = figures
            session.forget_batch(before)
            documents = _without(documents, refused, refused_before)
            documents, signed = self._begun(documents, self._sign(documents), refused_before)

    def _begun(
        self, documents: list[Prepared], signed: SignedQueryBatch, rejects: list[Reject]
    ) -> tuple[list[Prepared], SignedQueryBatch]:
        """(The documents of a batch that can be compared; their signatures). The others are added to `rejects`."""
        refused = self._session.begin_batch(documents, signed)
        if not refused:
            return documents, signed
        documents = _without(documents, refused, rejects)
        return documents, self._sign(documents)


def _without(
    documents: Sequence[Prepared], refused: Mapping[str, str], rejects: list[Reject]
) -> list[Prepared]:
    """The documents that are not `refused` (reasons by id); the refused ones are added to `rejects`."""
    known = {document.id: document for document in documents}
    rejects += [
        known[id].rejected(reason) if id in known else Reject(id, reason) for id, reason in refused.items()
    ]
    return [document for document in documents if document.id not in refused]
