"""Questions: a window as it is asked over HTTP, by many at once, and always by what its writer has committed."""

from __future__ import annotations

import threading
import time
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.errors import UnknownDocument, shown
from neardup.model.settings import DEFAULT_MATCHES, Recipe
from neardup.reading.explanation import explain
from neardup.reading.group_order import by_time, newest_first

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from neardup.model.document import Reject
    from neardup.model.verdict import Group, Verdict
    from neardup.reading.explanation import Explanation
    from neardup.window.base import ReadDocument, Stats, Window

FRESH_SECONDS: Final = 0.25
"""For so long nobody looks again whether the writer has committed anything."""
BANDS: Final = 20
"""Parts of the scores below 1 that are counted, each 0.05 wide; scores of 1 are a part of their own."""
_PAIRS_A_BAND: Final = 10
_READ_AT_ONCE: Final = 50
"""Documents that are read in one go, in which nobody else is answered."""
_MOST_DATED: Final = 1_000
"""Matches of a text among which the first by time is looked for: read in some 50 ms."""


class UnknownGroup(UnknownDocument):
    """The window holds no group whose head has this `id`; a document of that id it may hold."""

    def __str__(self) -> str:
        return (
            f"no group in this window has the head {shown(self.id)}: the group of a document stands in its verdict, "
            "and one without copies is in none"
        )


class Pair(NamedTuple):
    """A copy and its best match."""

    id: str
    duplicate_of: str
    score: float


class Band(NamedTuple):
    """Copies whose best match has doc_q from `low` on and below `high`, of the last band 1, and some of them."""

    low: float
    high: float
    copies: int
    pairs: tuple[Pair, ...]


class Seen(NamedTuple):
    """What there is to a text: the verdict, the documents of the matches that it lists (None: gone since), and the
    first by time of as many matches as were `dated`, of more the best.
    """

    verdict: Verdict
    documents: list[ReadDocument | None]
    first: ReadDocument | None
    dated: int


class Ingested(NamedTuple):
    """What became of documents: a verdict each, or a reject."""

    verdicts: list[Verdict]
    rejects: list[Reject]


class Questions:
    """What can be asked of `window`, called `name`, and, with `ingests`, given to it.

    A question sees what was committed at most `FRESH_SECONDS` before it came. Methods may be called from many threads.
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
        """The threshold of the window."""
        return float(self._window.settings.threshold_fraction)

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

    def look(self) -> int:
        """Looks whether anything was committed since the last look; how often there was by now."""
        with self._lock:
            if time.monotonic() - self._looked >= FRESH_SECONDS:
                if self._window.refresh():
                    self.changes += 1
                self._looked = time.monotonic()
            return self.changes

    def check(self, text: str, **options: Any) -> Verdict:
        """What says `text`: as `Window.query`, whose `options` these are. Nothing is stored."""
        self.look()
        return self._window.query(text, **options)

    def seen(self, text: str, *, threshold: float | None, matches: int = DEFAULT_MATCHES) -> Seen:
        """The verdict on `text`, which lists so many matches: the first that said it need not be among these."""
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
        """What says the same as the stored document `id`: as `Window.query`."""
        self.look()
        return self._window.query(id=id, **options)

    def read(self, ids: Sequence[str]) -> list[ReadDocument | None]:
        """The documents of these ids with their texts, as `Window.read`."""
        self.look()
        return self._window.read(ids)

    def read_in_parts(self, ids: Sequence[str]) -> Iterator[ReadDocument]:
        """Those that are there, a part of them after another, between which others may ask."""
        for at in range(0, len(ids), _READ_AT_ONCE):
            yield from (each for each in self.read(ids[at : at + _READ_AT_ONCE]) if each is not None)

    def document(self, id: str) -> ReadDocument:
        """The document of this id; raises `UnknownDocument`."""
        (document,) = self.read([id])
        if document is None:
            raise UnknownDocument(id)
        return document

    def stats(self) -> Stats:
        """The window in figures."""
        self.look()
        return self._window.stats()

    def groups(self, most_seconds: float = 0) -> dict[str, Group]:
        """All groups, by their heads, the newest first. The first question after a change reads them all, unless they
        may be so many seconds old.
        """
        with self._grouping:  # or everyone who waits would read them
            changes = self.look()
            is_young = self._groups_at is not None and time.monotonic() - self._groups_read < most_seconds
            if self._groups_at != changes and not is_young:
                self._groups_read = time.monotonic()
                self._groups = {group.head: group for group in newest_first(self._window.groups())}
                self._groups_at = changes  # what was committed while they were read makes them be read again
            return self._groups

    def group(self, head: str) -> Group:
        """The group of this head; raises `UnknownGroup`."""
        group = self.groups().get(head)
        if group is None:
            raise UnknownGroup(head)
        return group

    def bands(self) -> list[Band]:
        """How well copies match what they are copies of."""
        pairs: list[list[Pair]] = [[] for _ in range(BANDS + 1)]
        counts = [0] * (BANDS + 1)
        for group in self.groups().values():
            for member in group.members:
                if member.duplicate_of is None or member.duplicate_score is None:
                    continue
                at = min(int(member.duplicate_score * BANDS), BANDS)
                counts[at] += 1
                if len(pairs[at]) < _PAIRS_A_BAND:
                    pairs[at].append(Pair(member.id, member.duplicate_of, member.duplicate_score))
        return [
            Band(at / BANDS, min((at + 1) / BANDS, 1), count, tuple(sorted(own, key=lambda pair: pair.score)))
            for at, (count, own) in enumerate(zip(counts, pairs, strict=True))
        ]

    def ingest(self, documents: Iterable[Any]) -> Ingested:
        """Stores `documents` (`Window.ingest`), which are lasting when this returns."""
        rejects: list[Reject] = []
        try:
            verdicts = list(self._window.ingest(documents, on_reject=rejects.append))
        finally:  # of what failed half-way the beginning may be stored
            with self._lock:
                self.changes += 1
        return Ingested(verdicts, rejects)
