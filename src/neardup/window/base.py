"""The contract of a window: what every engine promises. The same tests run on all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, runtime_checkable

from neardup.model.boilerplate import NOTHING, LeftOut
from neardup.model.document import Flush, Item, Reject
from neardup.model.hours import hour_name
from neardup.model.settings import DEFAULT_MATCHES, Settings, Threshold
from neardup.model.verdict import Group, KindName, Verdict

if TYPE_CHECKING:
    from types import TracebackType

Documents = Iterable[Item | Flush]
OnReject = Callable[[Reject], None]


class SettingsChanged(Exception):
    """Another process has left other `settings` (in words) in a window that follows them: it must be opened again."""

    def __init__(self, settings: str) -> None:
        super().__init__(settings)
        self.settings = settings


class Expired(list[str]):
    """The names of hours that were dropped, and how many `documents` were in them."""

    def __init__(self, names: Iterable[str] = (), documents: int = 0) -> None:
        super().__init__(names)
        self.documents = documents


class Left(NamedTuple):
    """What a window has dropped since it was opened, by expiry or budget: documents, hours from `first` to `last`."""

    documents: int = 0
    hours: int = 0
    first: str | None = None
    last: str | None = None

    def with_more(self, documents: Mapping[int, int]) -> Left:
        """The same with the documents of more hours added."""
        if not documents:
            return self
        first, last = hour_name(min(documents)), hour_name(max(documents))
        return self.plus(Left(sum(documents.values()), len(documents), first, last))

    def plus(self, other: Left) -> Left:
        """The sum of what two windows, or two openings of one window, have dropped."""
        if not self.hours or not other.hours:
            return self if self.hours else other
        first, last = min(str(self.first), str(other.first)), max(str(self.last), str(other.last))
        hours = self.hours + other.hours - (self.last == other.first)  # its older half had left before
        return Left(self.documents + other.documents, hours, first, last)


@dataclass(frozen=True)
class Stats:
    """A window in figures. `kinds`: copies by their kind, where that is known; `hours`: documents by hour;
    `memory_bytes`: the index in memory, an estimate.

    `threshold`, `retrieval` and `policy` are those that the window was last written with; `mixed` lists, for these and
    `partial`, the other values by which some of the stored verdicts were made, or `unknown`, where the state document
    of a cluster was lost. `truncated` counts the documents whose verdicts are truncated, `unscored` those of other
    clients that were not compared at all (`neardup watch` marks them; a document that `ingest` cannot compare is not
    stored), `waiting` those that have no verdict yet. `window_hours` and `keep_hours` (0: no limit) are as set;
    `budget_floor` names the hour before which documents were given up to a budget, or dropped by mistake.
    """

    documents: int
    copies: int
    kinds: dict[KindName, int]
    groups: int
    truncated: int
    unscored: int
    waiting: int
    hours: dict[str, int]
    newest: str | None
    window_hours: int
    keep_hours: int
    budget_floor: str | None
    postings_keys: int
    memory_bytes: int
    retrieval: str
    threshold: str
    policy: str
    recipe: str
    mixed: dict[str, list[str]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


class ReadDocument(NamedTuple):
    """A stored document as a person reads it.

    text          as it came, if `is_original`; else its normal form, which is all that was kept of it
    fields        those of the setting `show` that it had when it came
    verdict       the one that it was given when it came, or by `reconcile`
    left_out      the parts of the text that did not count, because they recur in its source (`Recipe.boilerplate`)
    """

    id: str
    time: str
    text: str
    is_original: bool
    fields: Mapping[str, Any]
    verdict: Verdict
    left_out: LeftOut = NOTHING

    @property
    def counted(self) -> str:
        """The part of the text that counts."""
        return self.left_out.rest(self.text)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, keys in the order of the fields; `left_out` as texts."""
        plain = {"fields": dict(self.fields), "verdict": self.verdict.to_dict()}
        return {**self._asdict(), **plain, "left_out": self.left_out.of(self.text)}


@runtime_checkable
class Window(Protocol):
    """Documents of the last hours, and what is a copy of what.

    Completeness: with `complete` retrieval, every pair with doc_q >= t is found; with `sketch`, every pair of all
    corpora measured, and all but some in ten thousand for most kinds of edits (benchmarks/README.md). Every match has
    its exact doc_q.

    Partial copies (`Settings.partial`): every pair that shares a sentence fingerprint which at most 300 of the
    documents compared hold is counted exactly, whatever the retrieval. Texts that share none are no partial copies:
    above all those too short or too plain for a sentence fingerprint, and those with every sentence rewritten.

    Order: a document is compared with those ingested before it, in the hours around its own time. On a stream in
    order of (time, id), verdicts depend on nothing else; `reconcile` brings them to that state after late documents.

    Visibility: a document is found by the next one, in the same batch too.

    Durability: once `ingest` has yielded a verdict, a killed process loses neither document nor verdict.

    Expiry: hours older than the newest document's hour less `keep_hours` are dropped whole, by `ingest` itself or by
    `expire`; `left` counts them. No single document makes most of a window expire (`Leap` in model/hours.py): such a
    document is rejected unless the clock, the next document or `Settings.advance` confirms its time; what came in
    earlier calls counts too (`Before` in window/newest_hour.py). A document too far ahead of the clock is rejected.

    Threads: several may use a window at once; calls are done one after the other, `ingest` batch by batch, so a
    document of another thread may come between two of its batches. With a readonly window for each thread, none waits.
    A process forked from the one that opened a window may read from it, not change it.

    Errors: `NeardupError`s, and `TypeError` for an argument of a wrong type; a document that cannot be used is a
    `Reject`, and the stream goes on.
    """

    @property
    def left(self) -> Left:
        """What this window has dropped since it was opened; nothing if it is readonly, because its writer drops."""
        ...

    @property
    def replaced(self) -> int:
        """How many stored documents were replaced by another text under their id since the window was opened."""
        ...

    @property
    def unchanged(self) -> int:
        """How many documents came, since the window was opened, that were already stored with the same normal form."""
        ...

    @property
    def earlier_copies(self) -> int:
        """How many copies that came since the window was opened have an earlier time than the document they are marked
        as copies of. A document that came after its hour had been dropped does not count.
        """
        ...

    @property
    def too_late(self) -> int:
        """How many documents came, since the window was opened, after their hour had been dropped. Each got a verdict
        by what was left of the hours around it, and was not stored. Those of other clients stay where they are.
        """
        ...

    @property
    def settings(self) -> Settings:
        """The settings that this window was opened with, by which it decides."""
        ...

    def ingest(self, documents: Documents, *, on_reject: OnReject | None = None) -> Iterator[Verdict]:
        """One verdict a document, in order; rejected ones go to `on_reject`, or else into the log.

        Lazy: reads `documents` as verdicts are asked for, a batch at a time; with n threads up to n + 1 batches ahead,
        if they come fast enough. The same id with the same text again changes nothing and gives the stored verdict;
        with another text it replaces the old one and is scored anew; if only punctuation, symbols or white space
        differ, it gives the stored verdict, and is shown from then on as it came last, if the window keeps texts.

        An error of `documents` itself is raised after the verdicts on what came before it. What `on_reject` raises ends
        the stream: the current batch may be stored, and gives its verdicts when it is ingested again. Raises
        `TypeError` if `documents` is not an iterable of documents (one document, a string or a data frame, for
        example), or if `on_reject` is not a function.
        """
        ...

    def query(
        self,
        text: str | None = None,
        *,
        id: str | int | None = None,
        threshold: Threshold | None = None,
        matches: int | None = DEFAULT_MATCHES,
        time: Any = None,
        partial: bool | None = None,
        containment: Threshold | None = None,
        delta: int | None = None,
        source: str | None = None,
    ) -> Verdict:
        """The verdict on a text, or on a stored document: all other living documents with doc_q >= t to it.

        Nothing is stored. At most `matches` are listed; None = all. `time` limits the comparison to the hours around
        it; without it, the verdict on a text has the newest hour of the window, or the present if that is empty. With
        `partial`, documents below t that share a part (`PartialRule`) are listed too; `containment` and `delta` are as
        set unless given. Where boilerplate is left out, `source` names the source of the text; with None, what is
        boilerplate of any source is left out. It has no effect where none is left out. Raises `UnknownDocument`, and
        `SettingsError` for `containment` or `delta` where partial copies are not looked for (unless `partial` is
        False), and for `source` of a stored document.
        """
        ...

    def check(self, texts: Iterable[str], *, sources: Iterable[str | None] | None = None) -> list[Verdict]:
        """The verdict of `query` on each of `texts`, by the window's own threshold, `matches` and `partial`. `sources`
        has the source of each text, None for a text without one. Raises `SettingsError` unless there are as many
        sources as texts, each a name; `TypeError` if `texts` is not an iterable of texts (one text, a document or a
        data frame, for example) or an item is no text, `DocumentError` for one with an unpaired surrogate: both name
        its position.

        All texts are compared together: 64 texts of 4 KB cost 60 to 75 µs each in memory and in a directory, a tenth of
        as many queries; in a cluster, where one search serves them all unless `partial` or `routes` are set, a few
        milliseconds. The texts are held in memory until all are answered.
        """
        ...

    def refresh(self) -> bool:
        """Takes over what others have committed; returns whether there was anything new since the last call.

        A readonly window in a directory sees what was committed when it was opened, or by its last `refresh`. Costs a
        few µs where nothing was committed and about 5 µs a new document; if documents were changed or deleted, all are
        read again (3 µs a stored document). With `Settings.candidates` "search" no document is read for this, unless
        another call has read them all. Windows of other kinds notice by themselves what others commit; for a window in
        a cluster, `refresh` also notices, by two requests, hours that another client has deleted. Raises
        `WindowResigning` if the window was signed again by another recipe, and `WindowDamaged` if the directory that
        this window writes to was deleted, moved or replaced.
        """
        ...

    def get(self, id: str | int) -> Verdict | None:
        """The verdict that a document was given when it came, or by `reconcile`; None if there is no document of that
        id.

        Like every call that asks for ids, it reads the window into memory if that has not been done yet.
        """
        ...

    def read(self, ids: Iterable[str | int]) -> list[ReadDocument | None]:
        """The documents of these ids as a person reads them (text, fields, verdict); None for an id that is not stored,
        or whose document another client has deleted.

        The text is the original where that was kept (`Settings.keep_text`) or lies in the cluster as it came.
        Costs about 20 µs a document of 4 KB; in a cluster two requests, without loading the window. Raises `TypeError`
        for a single id.
        """
        ...

    def __contains__(self, id: object) -> bool:
        """Whether there is a document of that id."""
        ...

    def __iter__(self) -> Iterator[str]:
        """The ids of all documents there are now, in the order in which they came."""
        ...

    def __len__(self) -> int:
        """How many documents there are."""
        ...

    def __bool__(self) -> bool:
        """True, for an empty window too: `window or other` is never meant to ask how much is in it."""
        ...

    def groups(self) -> Iterator[Group]:
        """Groups that have a member besides their head, by the head's (time, id), even where the head itself is gone;
        members by (time, id).
        """
        ...

    def delete(self, id: str | int) -> bool:
        """Removes a document; False if there is none. Verdicts of others that name it stay as they are.

        A directory holds its bytes until its hour goes (docs/security.md, Erasing).
        """
        ...

    def delete_many(self, ids: Iterable[str | int]) -> list[str]:
        """Removes documents as `delete` does, and returns those ids that are not there, in their order, each once.

        About a thousand are deleted in one commit: after an error or a killed process, those already deleted stay
        deleted. In a cluster a thousand cost as many requests as one `delete`, and other processes read the window
        again, also if an id is not there: they may still hold a document that another client has deleted.
        Raises `TypeError` for a single id, and `NeardupError` for those that a cluster cannot delete, after all others
        are deleted.
        """
        ...

    def expire(self, now: Any = None, *, keep_hours: int | None = None, dry_run: bool = False) -> Expired:
        """Drops the hours older than `now` (default: the clock) less `keep_hours` (default: as set); returns their
        names, and how many documents they had. With `dry_run` nothing is dropped.
        """
        ...

    def set_newest(self, time: Any = None) -> str | None:
        """Sets the newest hour back to that of `time`, or to that of the newest stored document (which also mends an
        hour that was set back too far); returns its name, None if there is none.

        For use after a wrong time was believed: delete its document, then call this. Expired documents do not come
        back; verdicts of documents that should be compared with them say `truncated`. Raises `SettingsError` for a time
        that would not set it back.
        """
        ...

    def reconcile(self) -> Iterator[Verdict]:
        """Scores all living documents again as if they had come in order of (time, id), by the present settings; yields
        the verdicts that changed.

        In a cluster a document that cannot be moved to where the policy has it stays where it is, which is logged.
        """
        ...

    def stats(self) -> Stats:
        """The window in figures."""
        ...

    def check_writable(self) -> None:
        """Raises `NeardupError`, with the reason, if documents are refused until the window is opened again: it is
        readonly, an earlier change failed half-way, or this process was forked from the one that opened it.
        """
        ...

    def close(self) -> None:
        """Releases all resources; nothing is lost without it. Every later call but this one raises `NeardupError`."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
