"""The engine: a window over a store. It is the same for all stores: it decides, the store (stores/base.py) keeps.

Posting lists, rows and groups are in this process, whatever the store, so that a document costs no request. Every call
works in a session (window/session.py), which keeps memory and store in step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self

from neardup.model.query_options import QueryOptions, check_source, known_id
from neardup.model.settings import DEFAULT_MATCHES, Policy, Settings, Threshold
from neardup.model.verdict import Group, Verdict
from neardup.window import leaving, overview
from neardup.window.base import Documents, Expired, Left, OnReject, ReadDocument, Stats
from neardup.window.ingest import Ingest
from neardup.window.query import answer, check
from neardup.window.reconcile import reconciled
from neardup.window.session import Session, one_at_a_time

if TYPE_CHECKING:
    from types import TracebackType

    from neardup.signing.signer import Signer
    from neardup.stores.base import Store

_ONE_PROCESS: Final = (
    "a window cannot be pickled or copied: pass its path on, and open that (readonly beside a writer)"
)


class WindowEngine:
    """See `neardup.window.base.Window` for what its methods promise.

    A readonly window sees what was committed when it was opened or last refreshed, or when it was read again because
    the writer had dropped an hour that it asked for.
    """

    def __init__(self, store: Store, settings: Settings, signer: Signer, *, readonly: bool = False) -> None:
        self._session = Session(store, settings, signer, readonly=readonly)
        self._ingest = Ingest(self._session)
        self._add = Ingest(self._session, compares=False)

    if not TYPE_CHECKING:  # a type checker refuses such names by itself; with this it would allow any

        def __setattr__(self, name: str, value: object) -> None:
            if name in Settings.__dataclass_fields__:  # nothing would read it
                raise AttributeError(
                    f"a window that is open keeps its settings: close it, and neardup.open(path, {name}={value!r})"
                )
            super().__setattr__(name, value)

    @property
    def settings(self) -> Settings:
        return self._session.state.settings

    @property
    def recipe(self) -> str:
        """The recipe of its signatures, as one string."""
        return self._session.state.signer.text

    @property
    def left(self) -> Left:
        return self._session.state.since_opened.left

    @property
    def replaced(self) -> int:
        return self._session.state.since_opened.replaced

    @property
    def unchanged(self) -> int:
        return self._session.state.since_opened.unchanged

    @property
    def earlier_copies(self) -> int:
        return self._session.state.since_opened.earlier_copies

    @property
    def too_late(self) -> int:
        return self._session.state.since_opened.too_late

    @property
    def is_empty(self) -> bool:
        """Whether the window holds no document, as far as it has been read."""
        if self._session.searches:
            return not self._session.store.committed.next_order
        return not self._session.state.table.present

    def ingest(self, documents: Documents, *, on_reject: OnReject | None = None) -> Iterator[Verdict]:
        return self._ingest.verdicts(documents, on_reject)

    def ingest_in_turn(
        self, documents: Documents, wait: Callable[[], object], *, on_reject: OnReject
    ) -> Iterator[Verdict]:
        """Like `ingest`, but calls `wait` before each batch is decided, once everything else is prepared. What `wait`
        raises ends the stream, with nothing of the batch stored.
        """
        return self._ingest.verdicts(documents, on_reject, wait)

    def add(self, documents: Documents, *, on_reject: OnReject | None = None) -> Iterator[Verdict]:
        """Like `ingest`, but compares no document: each is stored as one that is like no other, whatever the window
        holds, and heads a group of its own. It is found by everything that is asked or ingested later. For a window
        whose own documents are not asked about. Costs little more than signing.
        """
        return self._add.verdicts(documents, on_reject)

    @one_at_a_time
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
        options = QueryOptions.checked(
            self.settings, text, id, threshold, matches, time, partial, containment, delta
        )
        check_source(source, is_text=text is not None)
        if text is not None:
            counted = self._session.state.signer.counted.left_out(text, {"source": source}).rest(text)
            options = replace(options, text=counted)
        return self._session.reading(lambda: answer(self._session, options))

    @one_at_a_time
    def check(self, texts: Iterable[str], *, sources: Iterable[str | None] | None = None) -> list[Verdict]:
        return check(self._session, texts, sources)

    @one_at_a_time
    def check_writable(self) -> None:
        self._session.check_writable()

    @one_at_a_time
    def refresh(self) -> bool:
        return self._session.follow()

    @one_at_a_time
    def get(self, id: str | int) -> Verdict | None:
        self._session.load()
        return self._session.reading(lambda: overview.stored_verdict(self._session, known_id(id)))

    @one_at_a_time
    def read(self, ids: Iterable[str | int]) -> list[ReadDocument | None]:
        if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
            raise TypeError("read takes ids, not one: put it into a list, [id]")
        wanted = [known_id(id) for id in ids]
        return self._session.reading(lambda: overview.documents(self._session.among(wanted), wanted))

    @one_at_a_time
    def __contains__(self, id: object) -> bool:
        self._session.load()
        try:
            return known_id(id) in self._session.state.table.ids
        except TypeError:  # several are no id
            return False

    @one_at_a_time
    def __iter__(self) -> Iterator[str]:
        self._session.load()
        return iter(overview.ids(self._session.state))

    @one_at_a_time
    def __len__(self) -> int:
        self._session.load()
        return self._session.state.table.present

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<neardup.Window {self._session.store.name}>"

    @one_at_a_time
    def groups(self) -> Iterator[Group]:
        return iter(self._session.reading(lambda: overview.groups(self._session)))

    @one_at_a_time
    def stats(self) -> Stats:
        self._session.load()
        return overview.stats(self._session.state)

    @one_at_a_time
    def delete(self, id: str | int) -> bool:
        return not leaving.delete_documents(self._session, [known_id(id)])

    @one_at_a_time
    def delete_many(self, ids: Iterable[str | int]) -> list[str]:
        if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
            raise TypeError("delete_many takes ids, not one: put it into a list, [id], or call delete")
        return leaving.delete_documents(self._session, [known_id(id) for id in ids])

    @one_at_a_time
    def expire(self, now: Any = None, *, keep_hours: int | None = None, dry_run: bool = False) -> Expired:
        return leaving.expire(self._session, now, keep_hours, dry_run=dry_run)

    @one_at_a_time
    def set_newest(self, time: Any = None) -> str | None:
        return leaving.set_newest(self._session, time)

    @one_at_a_time
    def expirable(self, kept_hours: int) -> Expired:
        """What would expire now if `kept_hours` hours were kept; 0 = all."""
        return leaving.expirable(self._session, kept_hours)

    @one_at_a_time
    def apply_hours(self) -> None:
        """Drops the hours that the window no longer keeps after its settings have changed, and commits that."""
        leaving.apply_hours(self._session)

    @one_at_a_time
    def reconcile(self) -> Iterator[Verdict]:
        with self._session.writing(), self._session.changing():
            return iter(reconciled(self._session))

    @one_at_a_time
    def decide_by(self, policy: Policy, matches: int | None) -> None:
        """Decides documents ingested from now on by this policy, and lists at most `matches` matches in their verdicts
        (None: all), of which no more than the best is stored. Stored documents stay as they are.
        """
        self._session.load()  # which may replace the state
        self._session.state.decide_by(policy, matches)

    @one_at_a_time
    def load(self) -> None:
        """Reads what the store holds now, instead of when it is first needed."""
        self._session.load()

    @one_at_a_time
    def recover(self) -> None:
        """Undoes what a writer that died half-way left behind, in stores that do not do so when they are opened."""
        if self._session.store.find_abandoned():
            with self._session.writing(whole=False):
                pass

    def close(self) -> None:
        self._session.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(_ONE_PROCESS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
