"""The embedded engine: a window in this process, in memory or in a directory. One writer, many readers.

A batch goes through: sign; search and add; verify; decide one document after the other; append to the files
of its hours; commit; only then are its verdicts yielded. Nothing in a verdict depends on where a batch ends:
every document is compared with those before it, in the batch or not, and with the hours that lived at its own
turn.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from neardup.errors import DocumentError, NeardupError, SettingsError
from neardup.index.document_table import budget_bytes_of
from neardup.index.posting_lists import Query
from neardup.index.query_batch import SignedQueryBatch, joined_batches
from neardup.model.clock import now_ms
from neardup.model.decision import Matches, alone, copied, with_parts
from neardup.model.document import Flush, Item, Prepared, Reject, check_documents, prepare, time_argument
from neardup.model.hours import FIRST_HOUR, LAST_HOUR, first_living_hour, hour_name, hour_of, too_far_ahead
from neardup.model.settings import DEFAULT_MATCHES, check_whole, partial_rule_for_query
from neardup.stores.base import DELETED, ROUTED, ROW, TRUNCATED, Rows
from neardup.stores.remembered_settings import tell_of_changes
from neardup.window import query as review
from neardup.window.base import Expired, Left
from neardup.window.batches import batches
from neardup.window.newest_hour import Leaps, Next, hour_to_set, set_back
from neardup.window.state import STATUSES, State
from neardup.window.threads import one_at_a_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

    from numpy.typing import NDArray

    from neardup.index.verification import Verifier
    from neardup.model.settings import Settings
    from neardup.model.verdict import Group, Part, Status, Verdict
    from neardup.window.base import OnReject, Stats

log = logging.getLogger("neardup")

_READONLY = "the window was opened readonly: open it for writing"
_HALF_WAY = (
    "an earlier change of this window failed half-way: close it and open it again; "
    "everything a verdict was yielded for is safe"
)


class _Turn(NamedTuple):
    """A run of new documents with their hours: the oldest that lives at each one's turn, and those it is
    compared with.

    `numbers`: document numbers, -1 for one whose own hour has gone; `cut`: hours it should be compared with
    are missing.
    """

    floors: NDArray[np.int64]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    numbers: NDArray[np.int64]
    cut: NDArray[np.bool_]


class WindowEngine:
    """See `neardup.window.base.Window` for what its methods promise."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._lock = threading.RLock()
        self._broken: BaseException | None = None
        self._told_changes = False
        self._leaps = Leaps()
        self.left = Left()
        self.replaced = 0
        threads = state.settings.threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    @property
    def settings(self) -> Settings:
        return self._state.settings

    # ---- ingest: batches ----

    def ingest(
        self, documents: Iterable[Item | Flush], *, on_reject: OnReject | None = None
    ) -> Iterator[Verdict]:
        check_documents(documents)
        reject = on_reject or _log_reject
        settings, leaps = self._state.settings, Leaps()
        limit = settings.batch_documents * settings.threads
        self._tell_of_changes()
        for batch, following in batches(self._checked(documents, reject), limit, leaps):
            yield from self._scored(batch, following, reject, leaps)

    def _checked(self, documents: Iterable[Item | Flush], reject: OnReject) -> Iterator[Prepared | Flush]:
        """What of `documents` can be used."""
        for item in documents:
            if isinstance(item, Flush):
                yield item
                continue
            try:
                yield self._prepared(item)
            except DocumentError as error:
                reject(Reject(error.id, error.reason))

    def _tell_of_changes(self) -> None:
        """Says once that what is ingested is decided by other settings than what is stored was."""
        if not self._told_changes:
            self._told_changes = True
            if self._state.table.living:
                tell_of_changes(self._state.left, self._state.settings.remembered)

    def _prepared(self, item: Item) -> Prepared:
        settings = self._state.settings
        document = prepare(item, now_ms, settings.max_length)
        reason = too_far_ahead(document.time, now_ms(), settings.ahead_hours)
        if reason is not None:
            raise DocumentError(document.id, reason)
        return document

    @one_at_a_time
    def _scored(
        self, batch: Mapping[str, Prepared], following: Next, reject: OnReject, leaps: Leaps
    ) -> list[Verdict]:
        """Verdicts of a batch, which is stored for good when this returns."""
        self._leaps = leaps
        with self._writing():
            verdicts = self._settled(list(batch.values()), following, reject)
        self._state.compact_if_worthwhile()
        return verdicts

    def _settled(self, documents: list[Prepared], following: Next, reject: OnReject) -> list[Verdict]:
        """Verdicts of a batch, decided and made lasting."""
        verdicts = self._score(documents, following, reject)
        self._state.commit()
        return verdicts

    def _again(self, document: Prepared, number: int) -> Verdict:  # noqa: ARG002 - another engine may need it
        """The verdict on a document that came before with the same text."""
        return self._state.stored_verdict(number)

    def _score(self, documents: list[Prepared], following: Next, reject: OnReject) -> list[Verdict]:
        features = self._features([document.text for document in documents])
        known = self._state.table.number_of
        verdicts: list[Verdict] = []
        self._leaps.begin(documents, following)
        first = 0
        while first < len(documents):
            number = known.get(documents[first].id)
            if number is not None:
                rows = self._state.table.rows
                if (rows["fingerprint"][number] == features.signed.fingerprints[first]).all():
                    verdicts.append(self._again(documents[first], number))
                    first += 1
                    continue
            reason = self._leaps.doubt(first, self._state)
            if self._leaps.held:
                break
            if reason is not None:
                reject(Reject(documents[first].id, reason))
                first += 1
                continue
            if number is not None:
                self._state.remove(number)
                self.replaced += 1
            last = self._end_of_run(documents, features, first)
            verdicts += self._score_run(documents[first:last], features.part(first, last))
            first = last
        return verdicts

    def _end_of_run(self, documents: Sequence[Prepared], features: SignedQueryBatch, first: int) -> int:
        """Where the run of new documents from `first` ends: at a known id, a leap in time, or where a budget
        is reached.
        """
        settings = self._state.settings
        room = self._room(documents, features, first)
        if settings.policy != "mark" and self._state.search.reads_words:
            room = 1  # whether a run is too long to read depends on which of its documents were kept
        hour = hour_of(documents[first].time)
        newest, oldest = max(self._state.newest, hour), min(self._state.table.load, default=hour)
        last = first + 1
        while last < len(documents) and last - first < room:
            document, oldest = documents[last], min(oldest, hour)
            hour = hour_of(document.time)
            expires = hour > newest + 1 and first_living_hour(hour, settings.kept_hours) > oldest
            if document.id in self._state.table.number_of or expires:
                break  # whether it is believed is asked when it is known what is there
            newest = max(newest, hour)
            last += 1
        return last

    def _features(self, texts: list[bytes]) -> SignedQueryBatch:
        """Signs a batch; in several threads, a part each, if so set."""
        threads, search = self._state.settings.threads, self._state.search
        if self._pool is None or len(texts) < 2 * threads:
            return search.features(texts)
        step = -(-len(texts) // threads)
        parts = [texts[at : at + step] for at in range(0, len(texts), step)]
        return joined_batches(list(self._pool.map(search.features, parts)))

    # ---- ingest: one run of new documents ----

    def _score_run(self, documents: Sequence[Prepared], features: SignedQueryBatch) -> list[Verdict]:
        """Verdicts of a run of documents whose ids are new; they are appended to the store, not committed yet."""
        state, signed = self._state, features.signed
        table, threshold = state.table, state.settings.threshold_fraction
        turn = self._turn([hour_of(document.time) for document in documents])
        kept = np.flatnonzero(turn.numbers >= 0)
        places = kept.tolist()
        state.begin_run(
            self._new_rows(documents, features)[kept],
            [documents[i] for i in places],
            [signed.text(i) for i in places],
            signed.bitmaps[kept, 1],
        )
        query = Query(
            turn.numbers, signed.counts, turn.lows, turn.highs, threshold.numerator, threshold.denominator
        )
        candidates = state.search.candidates(features, query, table, threshold)
        rule, listed = state.settings.partial_rule, state.settings.matches
        verifier = state.verifier(features, candidates, threshold, rule=rule, listed=listed)
        verdicts = self._decided(documents, features, turn, candidates.truncated, verifier)
        state.end_run(features, kept)
        self._expire_before(first_living_hour(state.newest, state.settings.kept_hours))
        return verdicts

    def _turn(self, hour_list: list[int]) -> _Turn:
        state, settings = self._state, self._state.settings
        window = settings.window_hours
        hours = np.array(hour_list, np.int64)
        newest = np.maximum.accumulate(np.maximum(hours, state.newest))
        state.newest = int(newest[-1])
        floors = np.full(len(hours), state.committed.floor_hour)
        lows, highs = floors, np.full(len(hours), LAST_HOUR)
        wanted = np.full(len(hours), FIRST_HOUR)
        if settings.kept_hours:
            floors = np.maximum(floors, newest - settings.kept_hours)
            lows = floors
        if window:
            wanted = hours - window
            lows, highs = np.maximum(wanted, floors), hours + window
        late = hours < floors
        numbers = np.where(late, -1, state.table.size + np.cumsum(~late) - 1)
        return _Turn(floors, lows, highs, numbers, late | (wanted < state.committed.budget_hour))

    def _new_rows(self, documents: Sequence[Prepared], features: SignedQueryBatch) -> Rows:
        """Rows of a run, as if every document were unique; what differs is written as it is decided."""
        signed = features.signed
        rows = np.zeros(len(documents), ROW)
        rows["time"] = rows["group_time"] = [document.time for document in documents]
        rows["text_start"] = rows["keys_start"] = rows["shared"] = -1
        rows["fingerprint"] = signed.fingerprints
        rows["text_bytes"] = np.diff(signed.text_offsets)
        rows["count"] = signed.counts
        rows["n_sketch"] = np.diff(signed.sketch_offsets)
        rows["status"] = np.where(rows["text_bytes"] == 0, STATUSES.index("empty"), STATUSES.index("unique"))
        rows["n_sieve"] = signed.bitmaps.shape[2]
        if features.prefixes is not None:
            rows["n_prefix"] = np.diff(features.prefixes[1])
        rows["asked"] = self._state.settings.partial
        if features.words is not None:
            rows["words"] = 1
            rows["n_sentences"] = np.diff(features.words.sentence_offsets)
            rows["n_bands"] = np.diff(features.words.band_keys()[1])
        return rows

    def _decided(
        self,
        documents: Sequence[Prepared],
        features: SignedQueryBatch,
        turn: _Turn,
        cut: NDArray[np.bool_],
        verifier: Verifier,
    ) -> list[Verdict]:
        """One verdict after another: each sees the groups, and the copies not kept, of those before it."""
        state, settings = self._state, self._state.settings
        living, limit = settings.policy != "mark", settings.max_candidates
        truncated = (cut | turn.cut).tolist()
        scored = (turn.highs >= turn.floors).tolist()
        empty = (np.diff(features.signed.text_offsets) == 0).tolist()
        floors, numbers = turn.floors.tolist(), turn.numbers.tolist()
        verdicts = []
        for i, document in enumerate(documents):
            compared, limited = verifier.compared(
                i, floors[i], number=numbers[i], living=living, limit=limit if living else 0
            )
            truncated[i] |= limited
            checked, matches, parts = compared
            if not matches.total:
                status: Status = "empty" if empty[i] else "unique" if scored[i] else "unscored"
                verdict = alone(document.id, document.time, status, checked, truncated[i])
            else:
                verdict = copied(
                    document.id, document.time, matches, checked, truncated[i], listed=settings.matches
                )
            verdict = with_parts(verdict, parts if settings.partial else None, settings.matches)
            if numbers[i] >= 0 and matches.total:
                self._settle_copy(numbers[i], verdict, matches, parts)
            elif numbers[i] >= 0:
                state.table.number_of[document.id] = numbers[i]
                if parts:
                    state.record(numbers[i], verdict, None, parts)
                elif checked or truncated[i]:
                    state.table.rows["candidates"][numbers[i]] = checked
                    state.table.rows["flags"][numbers[i]] = TRUNCATED if truncated[i] else 0
            verdicts.append(verdict)
        return verdicts

    def _settle_copy(self, number: int, verdict: Verdict, matches: Matches, parts: Sequence[Part]) -> None:
        """Records the verdict on a copy, as the policy has it."""
        table, policy = self._state.table, self._state.settings.policy
        if policy == "drop":
            table.drop(number)
            table.rows["flags"][number] = DELETED
            return
        table.number_of[verdict.id] = number
        self._state.record(number, verdict, matches.best[0], parts, matches.head)
        if policy == "route":
            table.rows["flags"][number] |= ROUTED
            table.alive[number] = 0

    # ---- budgets and expiry ----

    def _room(self, documents: Sequence[Prepared], features: SignedQueryBatch, at: int) -> int:
        """How many documents may follow before the budgets are looked at again; makes room for one at least."""
        state, settings = self._state, self._state.settings
        if not settings.max_documents and not settings.max_memory:
            return len(features.signed.fingerprints)
        sizes = budget_bytes_of(self._new_rows(documents, features))[at:]
        count, memory = state.table.budgeted
        while count and (
            0 < settings.max_documents <= count or 0 < settings.max_memory < memory + int(sizes[0])
        ):
            self._give_up_oldest()
            count, memory = state.table.budgeted
        room = settings.max_documents - count if settings.max_documents else len(sizes)
        if settings.max_memory:
            fits = np.searchsorted(memory + np.cumsum(sizes), settings.max_memory, side="right")
            room = min(room, int(fits))
        return max(room, 1)

    def _give_up_oldest(self) -> None:
        """Shrinks the window by its oldest hour; by the older half of it, if it is the only one."""
        state = self._state
        hours = sorted(state.table.load)
        if len(hours) > 1:
            log.warning(
                "budget reached: hour %s is given up, the window now begins at %s",
                hour_name(hours[0]), hour_name(hours[1]),
            )  # fmt: skip
            self._expire_before(hours[1])
            state.committed = state.committed._replace(budget_hour=hours[1])
            return
        log.warning("budget reached within hour %s: its older half is given up", hour_name(hours[0]))
        before = state.table.living
        state.evict_half()
        self.left = self.left.with_more({hours[0]: before - state.table.living})
        state.committed = state.committed._replace(budget_hour=hours[0] + 1)

    def _expire_before(self, hour: int) -> Expired:
        """Takes every hour before `hour` out; its files go with the next commit."""
        state = self._state
        going = {old: load[0] for old, load in state.table.load.items() if old < hour}
        gone = Expired(state.expire_before(hour), sum(going.values()))
        self.left = self.left.with_more(going)
        return gone

    @one_at_a_time
    def expire(self, now: Any = None, *, keep_hours: int | None = None, dry_run: bool = False) -> Expired:
        time = now_ms() if now is None else time_argument("now", now)
        kept = self._state.settings.kept_hours if keep_hours is None else keep_hours
        check_whole("keep_hours", kept, 0)
        first = first_living_hour(hour_of(time), kept)
        if dry_run:
            return self._expirable(first)
        with self._writing():
            gone = self._expire_before(first)
            self._state.commit()
        self._state.compact_if_worthwhile()
        return gone

    def _expirable(self, hour: int) -> Expired:
        """What `_expire_before` would take out."""
        state = self._state
        if hour <= state.committed.floor_hour:
            return Expired()
        documents = sum(load[0] for old, load in state.table.load.items() if old < hour)
        return Expired([hour_name(old) for old in state.store.hours() if old < hour], documents)

    @one_at_a_time
    def beyond(self, hours: int) -> Expired:
        """What would expire now if so many hours were kept; 0 = all."""
        return self._expirable(first_living_hour(self._state.newest, hours))

    @one_at_a_time
    def apply_hours(self) -> None:
        """Lets go of what is older than is kept now, after the hours have changed, and makes that lasting."""
        with self._writing():
            self._expire_before(first_living_hour(self._state.newest, self._state.settings.kept_hours))
            self._state.commit()

    @one_at_a_time
    def set_newest(self, time: Any = None) -> str | None:
        hour = hour_to_set(self._state, None if time is None else time_argument("newest", time))
        with self._writing():
            set_back(self._state, hour)
            self._state.table.settle_anew()
            self._state.commit()
        return hour_name(self._state.newest) if self._state.newest > FIRST_HOUR else None

    # ---- the rest of the contract ----

    @one_at_a_time
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
        rule = partial_rule_for_query(self._state.settings, partial, containment, delta)
        if rule is not None and self._state.search.sentences is None:
            raise SettingsError("partial", True, "set when this window is opened: partial=True")
        return review.query(self._state, text, id, threshold, matches, time, rule)

    @one_at_a_time
    def groups(self) -> Iterator[Group]:
        return iter(list(review.groups(self._state)))  # before anything changes under it

    @one_at_a_time
    def reconcile(self) -> Iterator[Verdict]:
        with self._writing():
            changed = list(review.reconcile(self._state))
            self._state.settle()
            self._state.commit()
        return iter(changed)

    @one_at_a_time
    def stats(self) -> Stats:
        return review.stats(self._state)

    @one_at_a_time
    def delete(self, id: str) -> bool:
        with self._writing():
            number = self._state.table.number_of.get(id)
            if number is None:
                return False
            self._state.remove(number)
            self._state.commit()
        return True

    @one_at_a_time
    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
        self._state.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Guards a change: after one that failed half-way, memory and disk differ, and the window must be
        opened again.
        """
        if self._state.readonly:
            raise NeardupError(_READONLY)
        if self._broken is not None:
            raise NeardupError(_HALF_WAY) from self._broken
        try:
            yield
        except BaseException as error:
            self._broken = error
            raise


def _log_reject(reject: Reject) -> None:
    log.warning("document %s rejected: %s", reject.id or "without id", reject.reason)
