"""Queries of a window over HTTP, from many clients at once, always on what its writer has committed."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.errors import UnknownDocument, shown
from neardup.model.settings import DEFAULT_MATCHES, Recipe, exact_threshold
from neardup.reading.explanation import explain, present_score
from neardup.reading.group_order import by_time, newest_first
from neardup.reading.story import stored_ids
from neardup.serving.documents_sent import DocumentsSent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from neardup.model.document import Reject
    from neardup.model.verdict import Group, Verdict
    from neardup.reading.explanation import Explanation
    from neardup.window.base import ReadDocument, Stats, Window

FRESH_SECONDS: Final = 0.25
"""How long it takes until the window is checked again for new commits of the writer."""
BANDS: Final = 20
"""How many bands, each 0.05 wide, scores below 1 are counted in; scores of 1 have a band of their own."""
_PAIRS_A_BAND: Final = 10
_READ_AT_ONCE: Final = 50
"""How many documents are read at once, while no other query is answered."""
_MOST_DATED: Final = 1_000
"""Among how many matches of a text the first by time is looked for: reading them takes some 50 ms."""


class UnknownGroup(UnknownDocument):
    """The window has no group whose head has this `id`, though it may have a document of that id."""

    def __str__(self) -> str:
        return (
            f"no group in this window has the head {shown(self.id)}: the verdict of a document names its group, a "
            "query the one that it would join now, and a document without copies has none"
        )


class Pair(NamedTuple):
    """A copy and its best match."""

    id: str
    duplicate_of: str
    score: float


class Band(NamedTuple):
    """Copies with doc_q of the best match from `low` to below `high` (in the last band 1), and some of these pairs."""

    low: float
    high: float
    copies: int
    pairs: tuple[Pair, ...]


class Seen(NamedTuple):
    """The answer about a text: the verdict, the documents of its listed matches (None: gone since), and the first by
    time among the `dated` best matches.
    """

    verdict: Verdict
    documents: list[ReadDocument | None]
    first: ReadDocument | None
    dated: int


class Ingested(NamedTuple):
    """The result of ingesting documents: a verdict or a reject for each, with the position of its document, from 0 on,
    where that is known.
    """

    verdicts: list[tuple[Verdict, int | None]]
    rejects: list[tuple[Reject, int | None]]


class Questions:
    """The queries of `window`, called `name`, and, with `ingests`, ingestion into it.

    A query sees everything committed up to `FRESH_SECONDS` before it came. Methods may be called from many threads.
    """

    def __init__(self, window: Window, name: str, *, ingests: bool = False) -> None:
        self.name = name
        self.ingests = ingests
        self.changes = 0
        self._window = window
        self._looked = -FRESH_SECONDS
        self._lock = threading.Lock()
        self._grouping = threading.Lock()
        self._groups: dict[str, Group] = {}
        self._groups_at: int | None = None
        self._groups_read = 0.0

    @property
    def threshold(self) -> float:
        """The threshold by which questions are answered, which need not be that of the window's writer; rounded down to
        six decimals, the most that a question may name: rounded up, 2/3 would leave out copies just at it.
        """
        return int(self._window.settings.threshold_fraction * 1_000_000) / 1_000_000

    @property
    def exact_threshold(self) -> str:
        """That threshold itself, as statistics write it: "0.7", or "2/3", which no decimal is."""
        return str(self._window.settings.threshold)

    def answers_by(self, threshold: str) -> bool:
        """Whether this is that threshold, however it is written."""
        return exact_threshold(threshold) == self._window.settings.threshold_fraction

    @property
    def recipe(self) -> Recipe | None:
        """The recipe by which its documents are signed."""
        return self._window.settings.recipe

    @property
    def reach(self) -> float:
        """The threshold below which questions miss copies; 0 where they miss none."""
        if self._window.settings.retrieval == "complete":
            return 0.0
        return float((self.recipe or Recipe()).sketch_limits.lowest)

    def explain(self, first: ReadDocument, second: ReadDocument) -> Explanation:
        """Why two documents are alike or not, by the window's recipe."""
        return explain(first.counted, second.counted, recipe=self.recipe)

    def present_score(self, copy: ReadDocument) -> float | None:
        """The doc_q of a copy with the text that its best match has now, where that is not the score of its verdict."""
        if copy.verdict.duplicate_of is None:
            return None
        (original,) = self.read([copy.verdict.duplicate_of])
        return present_score(copy, original, self.recipe)

    def look(self) -> int:
        """Checks for new commits, and returns how often there were any so far."""
        with self._lock:
            if time.monotonic() - self._looked >= FRESH_SECONDS:
                if self._window.refresh():
                    self.changes += 1
                self._looked = time.monotonic()
            return self.changes

    def check(self, text: str, **options: Any) -> Verdict:
        """The verdict on `text`, by `Window.query` with its `options`. Nothing is stored."""
        self.look()
        return self._window.query(text, **options)

    def seen(self, text: str, *, threshold: float | None, matches: int = DEFAULT_MATCHES) -> Seen:
        """The answer about `text`; the verdict lists `matches` matches, which need not include the first by time."""
        verdict = self.check(text, threshold=threshold, matches=max(matches, _MOST_DATED))
        ids = [match.id for match in verdict.matches]
        documents = self.read(ids[:matches])
        there = [document for document in documents if document is not None]
        first = min(chain(there, self.read_in_parts(ids[matches:])), key=by_time, default=None)
        listed = verdict._replace(
            matches=verdict.matches[:matches], partial=verdict.partial and verdict.partial[:matches]
        )
        return Seen(listed, documents, first, len(ids))

    def query(self, id: str, **options: Any) -> Verdict:
        """The verdict on the stored document `id`, by `Window.query` with its `options`."""
        self.look()
        return self._window.query(id=id, **options)

    def read(self, ids: Sequence[str]) -> list[ReadDocument | None]:
        """The documents of these ids with their texts, as `Window.read`."""
        self.look()
        return self._window.read(ids)

    def read_in_parts(self, ids: Sequence[str]) -> Iterator[ReadDocument]:
        """The documents of these ids that exist, read in parts, between which other queries are answered."""
        for at in range(0, len(ids), _READ_AT_ONCE):
            yield from (each for each in self.read(ids[at : at + _READ_AT_ONCE]) if each is not None)

    def document(self, id: str) -> ReadDocument:
        """The document of this id; raises `UnknownDocument` if there is none."""
        (document,) = self.read([id])
        if document is None:
            raise UnknownDocument(id)
        return document

    def stats(self) -> Stats:
        """The window in figures."""
        self.look()
        return self._window.stats()

    def check_usable(self) -> None:
        """Raises the error with which other calls are refused; of a server that ingests also the one with which
        documents are.
        """
        self.look()
        if self.ingests:
            self._window.check_writable()

    @property
    def too_late(self) -> int | None:
        """How many documents came too late to be stored; None where none are ingested."""
        return self._window.too_late if self.ingests else None

    def groups(self, most_seconds: float = 0) -> dict[str, Group]:
        """All groups, by their heads, the newest first. The first call after a change reads them all, unless they were
        read less than `most_seconds` ago.
        """
        with self._grouping:  # otherwise every waiting thread would read them
            changes = self.look()
            is_young = self._groups_at is not None and time.monotonic() - self._groups_read < most_seconds
            if self._groups_at != changes and not is_young:
                self._groups_read = time.monotonic()
                groups = newest_first(self._window.groups())
                self._groups = {group.head: group for group in groups}
                # A document that replaced the head of a group may head another one, which then has the id.
                self._groups |= {group.head: group for group in groups if group.head_is_there}
                self._groups_at = changes  # commits during the reading make the next call read again
            return self._groups

    def group(self, head: str) -> Group:
        """The group of this head; raises `UnknownGroup` if there is none."""
        group = self.groups().get(head)
        if group is None:
            raise UnknownGroup(head)
        return group

    def is_in_group(self, document: ReadDocument) -> bool:
        """Whether the group that is shown under the id in the document's verdict has this document: another document
        may have replaced the head of its group, and head one.
        """
        group = self.groups().get(document.verdict.group)
        return group is not None and document.id in stored_ids(group)

    def bands(self) -> list[Band]:
        """The copies by their scores with their best matches, in bands. Pairs with a head that has gone are counted,
        not listed: another document may have its id.
        """
        pairs: list[list[Pair]] = [[] for _ in range(BANDS + 1)]
        counts = [0] * (BANDS + 1)
        for group in self.groups().values():
            for member in group.members:
                if member.duplicate_of is None or member.duplicate_score is None:
                    continue
                at = min(int(member.duplicate_score * BANDS), BANDS)
                counts[at] += 1
                is_there = group.head_is_there or member.duplicate_of != group.head
                if is_there and len(pairs[at]) < _PAIRS_A_BAND:
                    pairs[at].append(Pair(member.id, member.duplicate_of, member.duplicate_score))
        return [
            Band(at / BANDS, min((at + 1) / BANDS, 1), count, tuple(sorted(own, key=lambda pair: pair.score)))
            for at, (count, own) in enumerate(zip(counts, pairs, strict=True))
        ]

    def delete(self, id: str) -> None:
        """Removes a document by `Window.delete`; raises `UnknownDocument` if there is none."""
        with self._changing():
            is_there = self._window.delete(id)
        if not is_there:
            raise UnknownDocument(id)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Counts a change of the window, also after a failure half-way: the first documents may be stored."""
        try:
            yield
        finally:
            with self._lock:
                self.changes += 1

    def ingest(self, documents: Sequence[Any]) -> Ingested:
        """Stores `documents` by `Window.ingest`; they are committed when this returns."""
        sent = DocumentsSent(documents)
        with self._changing():
            verdicts = list(self._window.ingest(sent.usable(), on_reject=sent.reject))
        return Ingested(sent.indexed_verdicts(verdicts), sent.indexed_rejects())
