"""Passes over the backlog: scores documents that other clients wrote, with one open window."""

from __future__ import annotations

from contextlib import closing
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from neardup.elastic.watch.backlog import BacklogReader, LayoutChanged
from neardup.elastic.watch.claims import ClaimLost, Claims, PredecessorLost, Scan
from neardup.elastic.watch.foreign_documents import ForeignDocuments
from neardup.elastic.watch.unscored_marks import UnscoredMarks
from neardup.errors import SettingsError
from neardup.model.document import FLUSH, Reject
from neardup.model.settings import BATCH_BYTES
from neardup.window.base import SettingsChanged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from neardup.elastic.http.client import Cluster
    from neardup.elastic.watch.claims import Claim
    from neardup.elastic.watch.foreign_documents import Item
    from neardup.elastic.window.index_layout import Layout
    from neardup.model.document import Flush, ForeignDocument, Origin
    from neardup.model.verdict import Verdict
    from neardup.window.base import OnReject
    from neardup.window.engine import WindowEngine

PASS: Final = 20_000
"""Documents after which a pass ends, and the next one starts again with the oldest: a few minutes' work at most."""


class BacklogScorer:
    """Scores the backlog of the window `window`, which `layout` describes; `on_reject` is called with each document
    that cannot be scored.

    `handled` counts documents that got a verdict, or the mark that they get none. Raises `SettingsError` unless the
    window's policy is to mark: documents of other clients are neither deleted nor moved.
    """

    def __init__(
        self,
        window: WindowEngine,
        cluster: Cluster,
        layout: Layout,
        *,
        on_reject: OnReject,
        stopped: Callable[[], bool],
    ) -> None:
        policy = window.settings.policy
        if policy != "mark":
            expected = (
                "'mark' to score documents of other clients, which neardup neither deletes nor moves "
                '(policy = "mark" in neardup.toml)'
            )
            raise SettingsError("policy", policy, expected)
        self._window, self._batch = window, window.settings.documents_at_once
        self._mean_characters = 1.0
        self._on_reject, self._stopped = on_reject, stopped
        self.backlog = BacklogReader(cluster, layout)
        self.backlog.check_open()
        self.claims = (
            Claims(cluster, missing_first=layout.archive is not None)
            if window.settings.candidates == "search"
            else None
        )
        """None if the window is held in memory; otherwise several scorers can share the backlog."""
        self.handled = 0
        self._foreign = ForeignDocuments(cluster, layout, self.backlog.time, window.recipe)
        self._marks = UnscoredMarks(cluster, layout)
        self._given: dict[str, Origin] = {}
        """Origins of the documents that the engine got in this pass, by the `source` of its rejects."""

    def close(self) -> None:
        """Leaves claims that are not done to other scorers."""
        if self.claims is not None:
            self.claims.close()

    def is_alone(self) -> bool:
        """Whether no scorer has a claim that is not done."""
        return self.claims is None or self.claims.are_done()

    def one_pass(self) -> Iterator[Verdict]:
        """Scores the documents that wait now, oldest first, and yields each verdict once it is in its document.

        May end before all are scored, and does so when `stopped`: `handled` shows whether another pass is worthwhile.
        """
        self._given.clear()
        if self.claims is not None:
            yield from self._shared_pass(self.claims)
            return
        # Closed here, not some time later by the garbage collector: a pass that fails leaves no search open.
        with closing(self.backlog.entries()) as entries:
            parts = self._foreign.read(islice(entries, PASS), most=self._batch)
            yield from self._counted(self._window.ingest(self._documents(parts), on_reject=self._reject))

    def _counted(self, verdicts: Iterator[Verdict]) -> Iterator[Verdict]:
        try:
            for verdict in verdicts:
                self.handled += 1
                yield verdict
        except SettingsChanged:
            self._write_marks()  # or documents without a verdict would be reported again
            raise
        self._write_marks()

    # ---- beside other scorers ----

    def _shared_pass(self, claims: Claims) -> Iterator[Verdict]:
        """A pass over documents that no other scorer has claimed, and over the claims of scorers that have ended."""
        claims.begin_pass()
        with closing(self.backlog.entries()) as entries:
            scan = Scan(islice(entries, PASS))
            while not self._stopped():
                claim = claims.next(scan, most=self._most(), near=self._near())
                if claim is None:
                    return
                try:
                    yield from self._claimed(claim, claims)
                except LayoutChanged:
                    claims.withdraw()  # its times are those of another field, or none: they are found anew
                    raise

    def _claimed(self, claim: Claim, claims: Claims) -> Iterator[Verdict]:
        """The verdicts on the documents of a claim, once it is its turn; none if another scorer takes it over."""
        while True:
            items = list(chain.from_iterable(self._foreign.read(iter(claim.entries), most=self._batch)))
            self._note_lengths(items)
            documents = self._documents(iter([items]))
            try:
                yield from self._counted(
                    self._window.ingest_in_turn(
                        documents, lambda: claims.wait_for_turn(claim), on_reject=self._reject
                    )
                )
            except PredecessorLost as lost:
                self._write_marks()  # or documents without a verdict would be read, and reported, again
                if claims.take_over(lost.claim):
                    yield from self._claimed(lost.claim, claims)
            except ClaimLost:
                return
            else:
                claims.done(claim)
                return

    def _most(self) -> int:
        """How many documents a claim has at most: as many as one batch holds if they are as long as the last ones. Only
        for the first batch of a claim are candidates looked up while other scorers work.
        """
        return max(1, min(self._batch, int(BATCH_BYTES / self._mean_characters)))

    def _note_lengths(self, items: Sequence[Item]) -> None:
        lengths = [len(item.text) for _, item in items if not isinstance(item, Reject)]
        self._mean_characters = max(1.0, sum(lengths) / max(len(lengths), 1))

    def _near(self) -> int | None:
        """How many hours a time may be ahead of the one before it without being doubted (`neardup.model.hours.leap`);
        None if no time is doubted.
        """
        settings = self._window.settings
        is_doubted = settings.kept_hours and not settings.advance and self.backlog.time.kind == "date"
        return max(settings.kept_hours // 2, 1) if is_doubted else None

    # ---- documents for the engine ----

    def _documents(self, parts: Iterator[list[Item]]) -> Iterator[ForeignDocument | Flush]:
        """The documents for the engine. After each part, ends the batch and writes the marks of rejected documents."""
        for part in parts:
            for origin, item in part:
                if self._marks.is_unmarkable(origin):
                    continue
                if isinstance(item, Reject):
                    self._refuse(item, origin)
                    continue
                self._given[origin.qualified_id] = origin
                yield item
            yield FLUSH
            self._write_marks()
            if self._stopped():
                return

    # ---- what gets no verdict ----

    def _reject(self, reject: Reject) -> None:
        """Handles a reject of the engine."""
        origin = self._given.get(reject.source or "")
        if origin is None:
            self._on_reject(reject)
        else:
            self._refuse(reject, origin)

    def _refuse(self, reject: Reject, origin: Origin) -> None:
        self._marks.add(origin, reject.reason)
        self._on_reject(reject)

    def _write_marks(self) -> None:
        self.handled += self._marks.write()
