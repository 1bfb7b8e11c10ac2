"""The contract of a window: what every engine promises. The same tests run on all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

from neardup.document import Flush, Item, Reject
from neardup.params import DEFAULT_MATCHES

if TYPE_CHECKING:
    from types import TracebackType

    from neardup.verdict import Group, Verdict

OnReject = Callable[[Reject], None]


@dataclass(frozen=True)
class Stats:
    """A window in figures. `hours`: documents by hour; `memory_bytes`: the index in memory, an estimate.

    `window_hours` is as set; `budget_floor` names the hour before which all was given up to a budget, if any was.
    """

    documents: int
    copies: int
    groups: int
    hours: dict[str, int]
    newest: str | None
    window_hours: int
    budget_floor: str | None
    postings_keys: int
    memory_bytes: int
    retrieval: str
    threshold: str
    policy: str
    recipe: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


class Window(Protocol):
    """Documents of the last hours, and what is a copy of what.

    Completeness: with `complete` retrieval every pair with doc_q >= t is found; with `sketch` all but about one
    in ten thousand. Whatever is found has its exact doc_q.

    Partial copies (`Settings.partial`): every pair with a sentence fingerprint in common, one that at most 300 of the
    documents compared hold, is counted exactly, whatever the retrieval. What shares none is no partial copy: above all
    texts too short or too plain for a sentence fingerprint, and texts of which every sentence was rewritten.

    Order: a document is compared with those ingested before it, in the hours around its own time. On a stream in
    order of (time, id) verdicts depend on nothing else; `reconcile` brings them to that state after late documents.

    Visibility: a document is found by the next one, in the same batch too.

    Durability: when `ingest` has yielded a verdict, a killed process loses neither document nor verdict.

    Expiry: hours older than the newest document's less `window_hours` go whole, by `ingest` itself or by `expire`.

    Threads: a window may be used by several at once; calls are done one after the other, `ingest` batch by batch, so
    another's document may come between two of its batches. A readonly window for each thread does not wait.

    Errors: `NeardupError`s; a document that cannot be used is a `Reject`, and the stream goes on.
    """

    def ingest(
        self, documents: Iterable[Item | Flush], *, on_reject: OnReject | None = None
    ) -> Iterator[Verdict]:
        """One verdict a document, in order; rejected ones go to `on_reject`, or else into the log.

        Lazy: reads `documents` as verdicts are asked for, a batch ahead at most. The same id with the same text again
        changes nothing and gives the stored verdict; with another text it replaces the old one and is scored anew.
        Raises `TypeError` for what is no iterable of documents, such as one document, a string, a data frame.
        """
        ...

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
        """What else says this: all living documents with doc_q >= t to a text, or to a stored document,
        itself left out.

        Nothing is stored. `matches` are listed at most, None = all. `time` limits the comparison to the hours
        around it. With `partial` also those below t that share a part (`PartialRule`); `containment` and `delta` as
        set unless given. Raises `UnknownDocument`.
        """
        ...

    def groups(self) -> Iterator[Group]:
        """Groups of two or more by their head's (time, id); members by (time, id)."""
        ...

    def delete(self, id: str) -> bool:
        """Removes a document; False if there is none. Verdicts of others that name it stay as they are."""
        ...

    def expire(self, now: Any = None) -> list[str]:
        """Drops the hours older than `now` (default: the clock) less the window; returns their names."""
        ...

    def reconcile(self) -> Iterator[Verdict]:
        """Scores all living documents again as if they had come in order of (time, id); yields the verdicts
        that changed.
        """
        ...

    def stats(self) -> Stats:
        """The window in figures."""
        ...

    def close(self) -> None:
        """Lets go of everything; nothing is lost without it."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
