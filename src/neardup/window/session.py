"""A session keeps a window's memory and its store in step; every call of the engine works in one.

Where others write to the same store, every change first takes over what they have committed.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from neardup.errors import NeardupError, WindowExpired
from neardup.index.freed_memory import give_back
from neardup.stores.base import SignedDocuments
from neardup.window.exclusion import Exclusion
from neardup.window.interrupts import interrupt_put_off
from neardup.window.restore import add_stored
from neardup.window.state import State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.document import Prepared
    from neardup.model.settings import Settings
    from neardup.signing.signer import Signer
    from neardup.stores.base import Commit, Store

Answer = TypeVar("Answer")
Method = TypeVar("Method", bound=Callable[..., Any])

PATIENCE: Final = 10
"""How often in a row a reader rereads a window whose writer keeps overtaking it, as one that replays a stream may."""
_FOLLOWED: Final = (("window_hours", "keep_hours"), ("threshold",))
"""Settings that a reader takes over from its writer, those of a tuple together, unless it was given others."""
_READONLY: Final = "the window was opened readonly: open it for writing"
_HALF_WAY: Final = (
    "an earlier change of this window failed half-way: close it and open it again (a server must be restarted); "
    "every document whose verdict was yielded is safe, unless the window is in memory alone"
)


def one_at_a_time(method: Method) -> Method:
    """Wraps a method of an object with a `_session`, so that it never runs while another such method of that session
    does. The method raises `NeardupError` once the session is closed.
    """

    @functools.wraps(method)
    def alone(self: Any, *arguments: Any, **options: Any) -> Any:
        session: Session = self._session
        with session.exclusion.alone_while_open():
            return method(self, *arguments, **options)

    return cast("Method", alone)


class Session:
    """The `state` of a window in memory, over its `store`.

    What the store holds is read when it is first needed.
    """

    def __init__(self, store: Store, settings: Settings, signer: Signer, *, readonly: bool = False) -> None:
        self.store = store
        self.state = State(store, settings, signer)
        self.exclusion = Exclusion()
        self._readonly = readonly
        self._followed = [
            name
            for names in _FOLLOWED
            if readonly and _of(settings.remembered, names) == _of(store.previous, names)
            for name in names
        ]
        self._revision: int | None = None
        """The store's `revision` when memory was read; None: it has not been read yet. Changed by `_forget` alone."""
        self._is_of_batch = False
        """Whether memory holds only the candidates of one batch, not all documents. Changed by `_forget` alone."""
        self._has_news = False
        """Whether anything that others committed was taken over since the last `follow`."""
        self._broken: BaseException | None = None

    def close(self) -> None:
        """Closes the store; nothing can be asked or changed any more."""
        self.exclusion.close(self.store.close)

    @property
    def searches(self) -> bool:
        """Whether a batch's candidates are searched for in the store, so that memory holds no window."""
        return self.state.settings.candidates == "search"

    @property
    def is_in_step(self) -> bool:
        """Whether memory holds all that the store has seen to be committed, which may be nothing."""
        is_read = self._revision is not None
        return self.state.next_commit == self.store.committed and not (is_read and self._is_outdated)

    @property
    def _is_outdated(self) -> bool:
        """Whether memory must be read anew from the start to hold all that is committed."""
        return self._is_of_batch or self._revision != self.store.revision

    def load(self) -> None:
        """Reads into memory what the store holds now and memory does not."""
        self.reading(self.synchronise)

    def follow(self) -> bool:
        """Like `load`, but also what the writer of a directory has added since a reader opened it. Returns whether
        anything was taken over since this was last called, even if by another call in between. Where candidates are
        searched for in the store, no document is read for this unless all have been read before.
        """
        self.store.refresh(follow=True)
        try:
            if self.searches and (self._revision is None or self._is_of_batch):
                self._note_news()
                self._begin_without_documents()
                self.adopt_settings()
            else:
                self.synchronise()
        except WindowExpired:
            self.load()
        had_news, self._has_news = self._has_news, False
        return had_news

    def synchronise(self) -> None:
        """Brings memory up to what the store has seen to be committed; from the start if memory is outdated. After a
        failed change, memory is brought up only if the store's `revision` has changed, and then from the start.
        """
        is_anew = self._is_outdated
        if not is_anew and (self.is_in_step or self._broken is not None):
            return
        self._note_news()
        try:
            self._take_over(is_anew=is_anew)
        except BaseException:
            self._forget(None)  # otherwise a half-read window would pass for a whole one
            raise

    def _note_news(self) -> None:
        """Notes whether others have committed anything since memory was last brought up to what is committed."""
        before, now = (self._revision, self.state.next_commit), (self.store.revision, self.store.committed)
        # The first time there was nothing before.
        self._has_news |= self._revision is not None and before != now

    def _take_over(self, *, is_anew: bool) -> None:
        """Takes over what is committed and not in memory yet; if `is_anew`, all that is committed."""
        store = self.store
        if is_anew:
            self.adopt_settings()
            self._forget(store.revision)
        state, before, committed = self.state, self.state.next_commit, store.committed
        state.next_commit = committed
        if committed.floor_hour < before.floor_hour:
            state.table.rebuild_stands()  # the newest hour was set back
        has_expired = committed.floor_hour != before.floor_hour or committed.floor_order != before.floor_order
        if has_expired:
            state.mark_expired_dead()  # before the id of an expired document is added again
        if is_anew or committed.next_order > before.next_order:
            for stored in store.records(before):
                add_stored(state, stored)
            state.next_commit = store.committed  # a later one, if the writer dropped hours meanwhile
        if is_anew:
            give_back(state.table.size)
        if has_expired:
            state.mark_expired_dead()  # what was just added of hours that are not dropped yet
        state.compact_if_worthwhile()  # otherwise a reader that follows for weeks would hold all that ever came
        self.adopt_settings()

    def adopt_settings(self) -> None:
        """Lets a reader that was given no hours, or no threshold, of its own follow the writer's present ones."""
        settings, now = self.state.settings, _of(self.store.remembered, self._followed)
        changes = {name: value for name, value in now.items() if getattr(settings, name) != value}
        if changes:  # validating them costs a tenth of a query
            self.state.settings = settings.with_changes(**changes)

    def _forget(self, revision: int | None, *, for_batch: bool = False) -> None:
        """Empties memory, to be read anew at this `revision` of the store, whole or `for_batch`; None: later."""
        old = self.state
        self.state = State(self.store, old.settings, old.signer)
        self.state.since_opened, self.state.warned = old.since_opened, old.warned
        self._revision, self._is_of_batch = revision, for_batch

    def _begin_without_documents(self) -> None:
        """Empties memory, and takes over the last commit without any of its documents."""
        ahead, committed = self.state.next_commit, self.store.committed
        self._forget(self.store.revision, for_batch=True)
        self.state.next_commit = committed._replace(
            # The arrivals of a batch that was refused are not given again.
            next_order=max(ahead.next_order, committed.next_order), seq=max(ahead.seq, committed.seq)
        )  # fmt: skip

    def check_writable(self) -> None:
        """Raises `NeardupError`, with the reason, if nothing may be changed."""
        if self._readonly:
            raise NeardupError(_READONLY)
        self.exclusion.check_not_forked()
        if self._broken is not None:
            raise NeardupError(_HALF_WAY) from self._broken

    @contextlib.contextmanager
    def writing(self, *, whole: bool = True) -> Iterator[None]:
        """A context with the right to change the `whole` window, or only a batch, for which `begin_batch` reads what it
        needs. An error before `changing` has changed nothing, and does not count as a failure for the store either.

        A forked process shares the lock with the one that opened the window, and may change nothing.
        """
        self.check_writable()
        needs_all = whole or not self.searches
        if needs_all and self._is_outdated:
            self.load()  # a large window is not read while other writers wait
        with contextlib.ExitStack() as begun:
            begun.enter_context(self.store.begin())
            if needs_all:
                self.synchronise()
            else:
                self._note_news()
            try:
                yield
            except BaseException:
                if self._broken is None:
                    begun.close()  # so that the store does not see the failure
                raise

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """Guards a change, within `writing`, and frees the memory of what it left dead: after a change that failed
        half-way, memory and store differ, and the window must be opened again. One in memory would be lost then, so a
        Ctrl-C waits for the change.
        """
        with contextlib.nullcontext() if self.store.is_durable else interrupt_put_off():
            try:
                yield
                self.state.compact_if_worthwhile()
            except BaseException as error:
                self._broken = error
                raise

    def commit(self) -> None:
        """Commits all changes so far; raises `NeardupError` if the store refuses any."""
        refused = self.state.commit()
        if refused:
            raise refusal(refused)

    def look_ahead(self, documents: Sequence[Prepared], signed: SignedQueryBatch) -> None:
        """Where candidates are searched for in the store: searches for a batch before the window may be changed."""
        if self.searches and not self._readonly and self._broken is None:
            self.store.look_ahead(SignedDocuments(documents, signed.signed))

    def begin_batch(self, documents: Sequence[Prepared], signed: SignedQueryBatch) -> Mapping[str, str]:
        """Where candidates are searched for in the store: puts those of a batch in place of what memory held before.
        Returns the reasons why documents of the batch cannot be compared, by id.
        """
        if not self.searches:
            return {}
        self._begin_without_documents()
        wanted = self.store.candidates_of_batch(SignedDocuments(documents, signed.signed))
        assert wanted is not None, "opening has refused stores that cannot search"
        add_stored(self.state, wanted.records)
        if wanted.by_hour is not None:
            for hour, count in wanted.by_hour.items():
                self.state.table.by_hour.documents[hour] = count
        return wanted.refused

    def forget_batch(self, before: Commit) -> None:
        """Brings memory back to what was committed `before` a batch that was refused."""
        state = self.state
        if self._is_of_batch:
            return  # `begin_batch` reads anew
        ahead = state.next_commit._replace(next_order=before.next_order, seq=before.seq, newest=before.newest)
        if self.store.revision != self._revision or ahead != before:
            # Something was removed for a document that now counts as never come: all is read again.
            self._forget(None)
            self.synchronise()
            return
        state.forget_from(before.next_order)
        # The arrivals are not given again: what was refused may still be on its way.
        state.next_commit = before._replace(
            next_order=state.next_commit.next_order, seq=state.next_commit.seq
        )

    def among(self, ids: Sequence[str]) -> Session:
        """A session of the documents of these ids alone, if the store finds them at less cost than all; else this."""
        few = None if self.is_in_step else self.store.holding(ids)
        if few is None:
            return self
        return self.over(few, self.state.settings.with_changes(retrieval="sketch"))

    def over(self, few: Store, settings: Settings) -> Session:
        """A session of the documents that the store has found for one question."""
        session = Session(few, settings, self.state.signer, readonly=True)
        session.load()
        return session

    def reading(self, answer: Callable[[], Answer]) -> Answer:
        """What `answer` returns from what is committed; it is called again if a writer has dropped an hour meanwhile.

        Raises `WindowExpired` only if that happens `PATIENCE` + 1 times in a row.
        """
        for _ in range(PATIENCE):
            with contextlib.suppress(WindowExpired):
                self.store.refresh()
                return answer()
        self.store.refresh()
        return answer()


def refusal(refused: Mapping[str, str], others: str = "") -> NeardupError:
    """The error for changes that the store refuses; `refused`: the reasons, by the ids of documents; `others`: what
    happened to the other documents, in words.
    """
    return NeardupError("; ".join(f"{id}: {reason}" for id, reason in refused.items()) + others)


def _of(remembered: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """These settings, from what a window remembers."""
    return {name: remembered.get(name) for name in names}
