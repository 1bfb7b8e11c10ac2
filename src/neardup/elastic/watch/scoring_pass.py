"""From documents that wait to verdicts: one pass over what other clients wrote, with one open window."""

from __future__ import annotations

import logging
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.elastic.http.api import DocumentRef
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.http.scan import read
from neardup.elastic.watch.backlog import BacklogReader
from neardup.elastic.window.codec import OBJECT
from neardup.errors import SettingsError
from neardup.model.clock import now_ms
from neardup.model.document import (
    FLUSH,
    MAX_ID_BYTES,
    MAX_TIME_MS,
    MIN_TIME_MS,
    ForeignDocument,
    Origin,
    Reject,
    format_time,
)
from neardup.model.field_path import field_of
from neardup.model.settings import HOUR_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from neardup.elastic.http.api import StoredDocument
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.http.scan import Entry
    from neardup.elastic.window.index_layout import Layout
    from neardup.model.document import Flush
    from neardup.model.verdict import Verdict
    from neardup.window.base import OnReject, Window

log = logging.getLogger("neardup")

PASS: Final = 20_000
"""Documents after which a pass ends and the next one looks again what is oldest: a few minutes' work at most."""
DEFAULT_BATCH: Final = 256

_OURS: Final = tuple(f"{OBJECT}.{name}" for name in ("status", "fingerprint", "recipe", "unsigned"))


class _Refused(NamedTuple):
    """A document that gets no verdict, in the version that was looked at, and why."""

    place: DocumentRef
    seq_no: int
    primary_term: int
    reason: str


class Watcher:
    """Scores what waits in the window `window`, which `layout` describes; `on_reject` is told what cannot be scored.

    `handled` counts documents that got a verdict, or the mark that they get none. Raises `SettingsError` unless the
    window's policy is to mark: what other clients wrote is neither deleted nor moved.
    """

    def __init__(
        self,
        window: Window,
        cluster: Cluster,
        layout: Layout,
        *,
        on_reject: OnReject,
        batch: int = DEFAULT_BATCH,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        stats = window.stats()
        policy = window.settings.policy
        if policy != "mark":
            expected = (
                "'mark' where documents of other clients are scored: they are neither deleted nor moved"
            )
            raise SettingsError("policy", policy, expected)
        self._window, self._cluster, self._layout, self._batch = window, cluster, layout, batch
        self._recipe, self._on_reject, self._stopped = stats.recipe, on_reject, stopped
        self.waiting = BacklogReader(cluster, layout)
        self.handled = 0
        self._handed: dict[str, Origin] = {}
        self._refused: list[_Refused] = []
        self._unmarkable: set[tuple[DocumentRef, int]] = set()

    def one_pass(self) -> Iterator[Verdict]:
        """Scores what waits now, the oldest first, and yields the verdicts; each is in its document already.

        May end before all is done, and does when it is `stopped`: `handled` tells whether another pass is worthwhile.
        """
        # Closed here, not some time later by the garbage collector: a pass that fails leaves no search open.
        with closing(self.waiting.entries()) as entries:
            documents = self._documents(islice(entries, PASS))
            for verdict in self._window.ingest(documents, on_reject=self._reject):
                self.handled += 1
                yield verdict
            self._mark_refused()

    def _documents(self, entries: Iterator[Entry]) -> Iterator[ForeignDocument | Flush]:
        included = ",".join((self._layout.text_field, *_OURS))
        last: dict[str, Origin] = {}
        for part in read(self._cluster, entries, most=self._batch, _source_includes=included):
            for entry, document in part:
                item = self._document(entry, document)
                if item is None:
                    continue
                if item.id in self._handed:  # of another index; a reject must tell which of them it means
                    yield FLUSH
                    self._handed.clear()
                last = {item.id: item.origin, _long_name(item.origin): item.origin}
                self._handed |= last
                yield item
            yield FLUSH
            # Here the batch is done, its verdicts are committed, and what the engine rejected is known; but for the
            # last document, if the next one must bear out its time.
            self._handed = last
            self._mark_refused()
            if self._stopped():
                return

    def _document(self, entry: Entry, document: StoredDocument) -> ForeignDocument | None:
        """The document of an entry as it is now; None if it has been marked since, or cannot be scored."""
        source, version = document.source, document.version
        ours = source.get(OBJECT) or {}
        place = DocumentRef(entry.index, entry.id)
        if ours.get("status") is not None or (place, version.seq_no) in self._unmarkable:
            return None
        same_recipe = ours.get("recipe") == self._recipe
        found = Origin(*place, *version, ours.get("fingerprint") if same_recipe else None)
        text = field_of(source, self._layout.text_field)
        reason = self._fault(entry, text, ours)
        if reason is not None:
            self._refuse(entry.id, found, reason)
            return None
        return ForeignDocument(entry.id, text, self._time(entry), found)

    def _fault(self, entry: Entry, text: Any, ours: Mapping[str, Any]) -> str | None:
        """Why a document cannot be scored, as far as it can be told before it is signed."""
        if ours.get("unsigned") is not None and "fingerprint" not in ours:
            return str(ours["unsigned"])
        if text is None:
            return f"no text: there is no field {self._layout.text_field!r}"
        if not isinstance(text, str):
            return f"field {self._layout.text_field!r} is {type(text).__name__}, not a string"
        if len(_long_name(DocumentRef(entry.index, entry.id)).encode()) > MAX_ID_BYTES:
            return f"its id, with the name of its index, is longer than {MAX_ID_BYTES} bytes"
        date = self.waiting.time.kind == "date" and entry.time is not None
        if date and not MIN_TIME_MS <= entry.time <= MAX_TIME_MS:
            return f"time {entry.time} is outside the years 1 to 9999 in UTC"
        if entry.routing is not None and self._layout.archive is not None:
            return "it has a routing, without which it cannot be marked: copy it with --from-index alone"
        return None

    def _time(self, entry: Entry) -> Any:
        """The time of a document; without one, that of its index's hour, or in an archive older than all others."""
        if entry.time is not None:
            return self.waiting.time.time(entry.time)
        hour = self._layout.address.hour_of_index(entry.index)
        return format_time(MIN_TIME_MS if hour is None else hour[0] * HOUR_MS)

    # ---- what gets no verdict ----

    def _reject(self, reject: Reject) -> None:
        """Takes what the engine rejects."""
        found = self._handed.get(reject.id or "")
        if found is None:
            self._on_reject(reject)
        else:
            self._refuse(reject.id or "", found, reject.reason)

    def _refuse(self, identity: str, found: Origin, reason: str) -> None:
        self._refused.append(
            _Refused(DocumentRef(found.index, found.id), found.seq_no, found.primary_term, reason)
        )
        self._on_reject(Reject(identity, reason, found.index))

    def _mark_refused(self) -> None:
        """Marks what gets no verdict, so that it does not come again; one that has changed since does."""
        refused, self._refused = self._refused, []
        now = format_time(now_ms())
        actions = [
            Action(
                "update", *each.place,
                {OBJECT: {"status": "unscored", "unsigned": each.reason, "scored_at": now}},
                each.seq_no, each.primary_term,
            )
            for each in refused
        ]  # fmt: skip
        for each, outcome in zip(refused, bulk(self._cluster, actions), strict=True):
            if outcome.ok:
                self.handled += 1
            elif outcome.status not in (403, 404, 409):
                self._unmarkable.add((each.place, each.seq_no))
                log.warning("%s in %s cannot be marked: %s", each.place.id, each.place.index, outcome.error)


def _long_name(place: DocumentRef | Origin) -> str:
    """What the window calls a document whose `_id` it knows of another index (elastic/window/store.py)."""
    return f"{place.index}/{place.id}"
