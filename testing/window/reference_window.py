"""A slow reference window: the contract (window/base.py) and docs/definitions.md, in plain Python.

Every document is compared with every living one by brute force over sets of q-grams, one document after the
other; nothing is batched, indexed or stored. It shares only values with the engines: input checks, settings,
verdicts. `candidates` is always 0 here, because how many documents an engine examines is its own affair.

Where the contract and the definitions leave something open, these rules apply:

- The documents that a doubted document would make leave are counted before anything else that it causes: before
  budgets, and before it replaces an older text of its id.
- Budgets are checked before a document is scored, that is, before its own time makes older hours expire.
- A copy keeps its verdict in `reconcile` if no document with the id that it names is left and the hour of that document
  has expired or was given up in part: a window need not know whether it was deleted before.
- The verdict of a query by text has the newest hour as its time.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import logging
import time as clock
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, Self

from neardup.errors import DocumentError, SettingsError, UnknownDocument
from neardup.model.clock import now_ms
from neardup.model.document import MAX_ID_BYTES, Flush, Item, Prepared, Reject, check_documents, prepare
from neardup.model.escapes import escaped
from neardup.model.query_options import partial_rule_for_query
from neardup.model.settings import (
    DEFAULT_MATCHES,
    MAX_SENTENCE_DOCUMENTS,
    PartialRule,
    Recipe,
    Settings,
    check_boolean,
)
from neardup.model.times import parse_time
from neardup.model.verdict import Group, Match, Member, PartialMatch, Status, Verdict
from neardup.oracle import definitions as oracle
from neardup.tables.lexicon import Lexicon
from neardup.window.base import Expired, Left, OnReject, ReadDocument, Stats

HOUR = 3_600_000
BEFORE_ALL = -(2**40)
LOOKED_PAST = 100
AFTER_ALL = 2**40


@dataclass(eq=False)
class Stored:
    """A document that is kept. `original`: the document that it is a copy of; `head`: the head of its group, itself
    or another.

    Both may be gone.
    """

    id: str
    time: int
    form: str
    grams: frozenset[str]
    sentences: frozenset[str]
    arrival: int
    verdict: Verdict
    head: Stored = field(init=False, repr=False)
    original: Stored | None = field(default=None, repr=False)
    parts: list[Shared] = field(default_factory=list, repr=False)
    set_aside: bool = False

    def __post_init__(self) -> None:
        self.head = self

    @property
    def hour(self) -> int:
        return self.time // HOUR


@dataclass(eq=False)
class Similar:
    """A stored document at or above the threshold."""

    document: Stored
    shared: int
    score: Fraction
    exact: bool


@dataclass(eq=False)
class Shared:
    """A stored document below the threshold, part of which is in another."""

    document: Stored
    match: PartialMatch


def stamp(milliseconds: int) -> str:
    """ISO 8601, UTC, with milliseconds only if they are not 0."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    precision = "milliseconds" if moment.microsecond else "seconds"
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")


def name_of(hour: int) -> str:
    """Name of an hour's local index."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(hours=hour)).strftime("%Y.%m.%d-%H")


class ReferenceWindow:
    """See `neardup.window.base.Window`. `retrieval`, routes, batches and threads make no difference to it."""

    def __init__(self, settings: Settings | None = None, **changes: Any) -> None:
        self.settings = (settings or Settings()).with_changes(**changes)
        self.recipe = self.settings.recipe or Recipe()
        self.threshold = self.settings.threshold_fraction
        self.most_holders = MAX_SENTENCE_DOCUMENTS
        self.living: dict[str, Stored] = {}
        self.hours: set[int] = set()
        self.newest = BEFORE_ALL
        self.floor = BEFORE_ALL
        self.given_up = BEFORE_ALL
        self.left = Left()
        self.replaced = self.unchanged = self.earlier_copies = self.too_late = 0
        self._arrivals = itertools.count()
        self._undated: set[str] = set()
        self._doubted: tuple[Prepared, int] | None = None

    def check_writable(self) -> None:
        """Nothing fails here."""

    # -- ingest --

    def ingest(
        self, documents: Iterable[Item | Flush], *, on_reject: OnReject | None = None
    ) -> Iterator[Verdict]:
        check_documents(documents)
        reject = on_reject or _log_reject
        coming = self._usable(documents, reject)
        ahead: list[Prepared] = []
        doubted = self._doubted
        while (document := ahead.pop(0) if ahead else next(coming, None)) is not None:
            after = None
            if self._is_doubted(document):
                while len(ahead) < LOOKED_PAST and not any(other.dated for other in ahead):
                    more = next(coming, None)
                    if more is None:
                        break
                    ahead.append(more)
                after = next((other for other in ahead[:LOOKED_PAST] if other.dated), None)
            # This many documents in a row without a time are a stream without times: it advanced with the clock.
            undated = after is None and not document.dated and len(ahead) >= LOOKED_PAST
            undated |= not document.dated and len(self._undated) >= LOOKED_PAST
            self._undated = set() if document.dated else self._undated | {document.id}
            believed = self._is_borne_out(document, after) or (undated and self._is_now(document))
            if document.dated:
                believed |= doubted is not None and self._bear_each_other_out(document, *doubted)
                doubted = self._doubted = None
            if self._is_doubted(document) and not believed:
                if document.dated:
                    self._doubted = document, self.newest
                reject(Reject(document.id, f"time {stamp(document.time)} would move the window on"))
            else:
                yield self._ingested(document)

    def _usable(self, documents: Iterable[Item | Flush], reject: OnReject) -> Iterator[Prepared]:
        for item in documents:
            if isinstance(item, Flush):
                continue
            try:
                yield self._checked(prepare(item, _now, self.settings.max_length))
            except DocumentError as error:
                reject(Reject(error.id, error.reason))

    def _checked(self, document: Prepared) -> Prepared:
        ahead = self.settings.ahead_hours
        if document.time > _now() + ahead * HOUR:
            raise DocumentError(document.id, f"time {stamp(document.time)} is ahead of the clock")
        return document

    def _is_doubted(self, document: Prepared) -> bool:
        """Whether its time is over half a window (and an hour) ahead, and alone would make most documents leave."""
        keep, hour = self.settings.kept_hours, document.time // HOUR
        known = self.living.get(document.id)
        again = known is not None and known.form == self._signed(document.text.decode())[0]
        if not keep or self.settings.advance or again or hour <= self.newest + max(keep // 2, 1):
            return False
        if document.dated and self._is_now(document):
            return False
        leaving = [stored for stored in self.living.values() if stored.hour < hour - keep]
        return len(leaving) > len(self.living) - len(leaving)

    def _is_now(self, document: Prepared) -> bool:
        return document.time // HOUR in (_now() // HOUR, _now() // HOUR - 1)

    def _is_borne_out(self, doubted: Prepared, after: Prepared | None) -> bool:
        """A doubted document is believed if the next one with a time is nearer to it than to the newest hour."""
        return after is not None and 2 * (after.time // HOUR) > doubted.time // HOUR + self.newest

    def _bear_each_other_out(self, document: Prepared, earlier: Prepared, newest: int) -> bool:
        """The last document with a time of an earlier call, which was doubted when `newest` was the newest hour, and
        the first one of this call are believed as if they had come in one call, but for the earlier one, which is gone.
        """
        is_other = document.id != earlier.id
        one, other = document.time // HOUR, earlier.time // HOUR
        return is_other and 2 * one > other + newest and 2 * other > one + self.newest

    def _ingested(self, document: Prepared) -> Verdict:
        form, grams = self._signed(document.text.decode())
        known = self.living.get(document.id)
        if known is not None and known.form == form:
            self.unchanged += 1
            return known.verdict
        stays = known is not None and document.time // HOUR < self.floor  # this one will not be stored
        if not stays and self.living.pop(document.id, None) is not None:
            self.replaced += 1
        while 0 < self.settings.max_documents <= len(self.living):
            self._give_up()
        hour = document.time // HOUR
        self.newest = max(self.newest, hour)
        if self.settings.kept_hours:
            self._drop_before(self.newest - self.settings.kept_hours)
        low, high = self._around(hour)
        own_hour_gone = hour < self.floor
        others = [other for other in self._searchable(low, high) if other.id != document.id]
        foreign = self._without_copies_of(document.id, others)
        similar = self._similar(form, grams, foreign)
        sentences = self._sentences(document.text.decode())
        rule = self.settings.partial_rule
        parts, common = self._parts(grams, sentences, others, similar, rule, foreign)
        verdict = self._verdict(
            document.id,
            document.time,
            form,
            similar,
            parts,
            scored=high >= self.floor,
            truncated=own_hour_gone or self._cut(hour) or common,
        )
        original = self.living.get(verdict.duplicate_of or "")
        is_earlier = original is not None and original.time > document.time
        self.earlier_copies += is_earlier and not own_hour_gone
        self.too_late += own_hour_gone
        dropped = self.settings.policy == "drop" and bool(similar)
        if not own_hour_gone and not dropped:
            arrival = next(self._arrivals)
            stored = Stored(document.id, document.time, form, grams, sentences, arrival, verdict)
            self._settle(stored, similar, parts)
            self.living[document.id] = stored
            self.hours.add(hour)
        return verdict

    def _signed(self, text: str) -> tuple[str, frozenset[str]]:
        return _signature(text, self.recipe.fold_case, self.recipe.q)

    def _sentences(self, text: str) -> frozenset[str]:
        if not self.settings.partial:
            return frozenset()
        lexicon = Lexicon.default() if self.recipe.lexicon is None else Lexicon.load(self.recipe.lexicon)
        return _sentence_fingerprints(text, lexicon)

    def _around(self, hour: int) -> tuple[int, int]:
        window = self.settings.window_hours
        return (hour - window, hour + window) if window else (BEFORE_ALL, AFTER_ALL)

    def _cut(self, hour: int) -> bool:
        """Whether hours that a document of `hour` should be compared with were given up."""
        return self._around(hour)[0] < self.given_up

    def _searchable(self, low: int, high: int) -> list[Stored]:
        return [
            stored for stored in self.living.values() if low <= stored.hour <= high and not stored.set_aside
        ]

    def _without_copies_of(self, id: str, others: Iterable[Stored]) -> list[Stored]:
        """A document that comes again is no copy of its own copies."""
        return [other for other in others if not self._is_copy_of(other, id)]

    def _is_copy_of(self, stored: Stored, id: str) -> bool:
        """Whether it names the document of this id, or one that is there and is such a copy: as the head of its group,
        or, if it heads its own, as what it is a copy of.
        """
        seen = set[Stored]()
        above: Stored | None = stored
        while above is not None and above not in seen:
            seen.add(above)
            named = above.original if above.head is above else above.head
            if named is None or named.id == id:
                return named is not None
            above = self.living.get(named.id)
        return False

    def _similar(
        self, form: str, grams: frozenset[str], others: Iterable[Stored], threshold: Fraction | None = None
    ) -> list[Similar]:
        """Those of `others` at or above the threshold: best first, then the earliest, then by id."""
        limit = self.threshold if threshold is None else threshold
        over, under = limit.as_integer_ratio()
        found = []
        for other in others:
            shared, larger = len(grams & other.grams), max(len(grams), len(other.grams))
            if form and form == other.form:
                found.append(Similar(other, shared, Fraction(1), exact=True))
            elif larger and shared * under >= over * larger:
                found.append(Similar(other, shared, Fraction(shared, larger), exact=False))
        return sorted(found, key=lambda s: (-s.score, s.document.time, s.document.id))

    def _parts(
        self,
        grams: frozenset[str],
        sentences: frozenset[str],
        others: Iterable[Stored],
        similar: list[Similar],
        rule: PartialRule | None,
        foreign: list[Stored] | None = None,
    ) -> tuple[list[Shared] | None, bool]:
        """Those of `others` that are not matches but share a part, largest first; and whether sentences found in too
        many documents were left out. `foreign`: those of `others` that may be parts; None = all.
        """
        if rule is None and not self.settings.partial:
            return None, False
        others = list(others)
        holders = Counter(sentence for other in others for sentence in sentences & other.sentences)
        kept = frozenset(sentence for sentence in sentences if holders[sentence] <= self.most_holders)
        matched = {id(match.document) for match in similar}
        found = []
        for other in others if foreign is None else foreign:
            count = len(kept & other.sentences)
            if rule is None or not count or id(other) in matched:
                continue
            shared = len(grams & other.grams)
            if not shared:
                continue
            containment = Fraction(shared, min(len(grams), len(other.grams)))
            if count > rule.delta or containment >= rule.containment:
                share = Fraction(shared, len(grams))
                match = PartialMatch(other.id, float(share), float(containment), shared, count)
                found.append(Shared(other, match))
        return (found if rule is not None else None), kept != sentences

    def _stands(self, document: Stored) -> bool:
        """Whether one joins a group by matching `document`: it heads one, or takes over from a head that is gone."""
        head = document.head
        if head is document:
            return True
        if self.living.get(head.id) is head:
            return False
        members = [other for other in self.living.values() if other.head is head]
        return min(members, key=lambda member: (member.time, member.id)) is document

    def _head(self, similar: list[Similar]) -> Stored | None:
        return next((match.document for match in similar if self._stands(match.document)), None)

    def _settle(self, stored: Stored, similar: list[Similar], parts: list[Shared] | None) -> None:
        """Its place among the others."""
        stored.parts = _largest_first(parts or [])[: self.settings.matches]
        stored.head = self._head(similar) or stored
        stored.original = similar[0].document if similar else None
        stored.set_aside = self.settings.policy == "route" and bool(similar)

    def _verdict(
        self,
        id: str,
        time: int,
        form: str,
        similar: list[Similar],
        parts: list[Shared] | None = None,
        *,
        scored: bool = True,
        truncated: bool = False,
        listed: int | None = None,
    ) -> Verdict:
        count = self.settings.matches if listed is None else listed
        partial, partial_total = None, None
        if parts is not None:
            partial, partial_total = tuple(part.match for part in _largest_first(parts)[:count]), len(parts)
        if not similar:
            status: Status = "empty" if not form else "unique" if scored else "unscored"
            if parts:
                status = "partial"
            return Verdict(
                id,
                stamp(time),
                status,
                None,
                None,
                None,
                id,
                0,
                truncated,
                (),
                0,
                partial,
                partial_total,
            )
        best = similar[0]
        head = self._head(similar)
        return Verdict(
            id=id,
            time=stamp(time),
            status="exact" if best.exact else "near",
            duplicate_of=best.document.id,
            score=float(best.score),
            shared=best.shared,
            group=id if head is None else head.id,
            candidates=0,
            truncated=truncated,
            matches=tuple(Match(m.document.id, float(m.score), m.shared) for m in similar[:count]),
            matches_total=len(similar),
            partial=partial,
            partial_total=partial_total,
        )

    # -- what goes --

    def _drop_before(self, hour: int) -> list[str]:
        """Drops the hours before `hour`; returns the names of those in which a document was ever stored."""
        if hour <= self.floor:
            return []
        self.floor = hour
        going = [stored for stored in self.living.values() if stored.hour < hour]
        self.left = self.left.with_more(Counter(stored.hour for stored in going))
        for stored in going:
            del self.living[stored.id]
        gone = sorted(old for old in self.hours if old < hour)
        self.hours.difference_update(gone)
        return [name_of(old) for old in gone]

    def _give_up(self) -> None:
        """Gives up the oldest hour; the older half of the documents if there is no other."""
        hours = sorted({stored.hour for stored in self.living.values()})
        if len(hours) > 1:
            self._drop_before(hours[1])
            self.given_up = max(self.given_up, hours[1])
            return
        arrived = sorted(self.living.values(), key=lambda stored: stored.arrival)
        half = arrived[: (len(arrived) + 1) // 2]
        self.left = self.left.with_more({hours[0]: len(half)})
        for stored in half:
            del self.living[stored.id]
        self.given_up = max(self.given_up, hours[0] + 1)

    def delete(self, id: str | int) -> bool:
        return self.living.pop(str(id), None) is not None

    def delete_many(self, ids: Iterable[str | int]) -> list[str]:
        return [id for id in dict.fromkeys(map(str, ids)) if not self.delete(id)]

    def expire(self, now: Any = None, *, keep_hours: int | None = None, dry_run: bool = False) -> Expired:
        check_boolean("dry_run", dry_run)
        kept = self.settings.kept_hours if keep_hours is None else keep_hours
        if not kept:
            return Expired()
        hour = (_now() if now is None else parse_time(now)) // HOUR - kept
        count = sum(stored.hour < hour for stored in self.living.values())
        if dry_run:
            names = [name_of(old) for old in sorted(self.hours) if old < hour] if hour > self.floor else []
            return Expired(names, count)
        return Expired(self._drop_before(hour), count)

    def set_newest(self, time: Any = None) -> str | None:
        hour = max((stored.hour for stored in self.living.values()), default=BEFORE_ALL)
        if time is not None:
            hour = parse_time(time) // HOUR
            if hour > self.newest:
                raise SettingsError("newest", name_of(hour), "an hour no later than the newest one")
        dropped = hour if hour > BEFORE_ALL else _now() // HOUR
        self.given_up = max(self.given_up, min(self.floor, dropped + 1))
        keep = self.settings.kept_hours if hour > BEFORE_ALL else 0
        self.floor = min(self.floor, hour - keep if keep else BEFORE_ALL)
        self.newest = hour
        return name_of(hour) if hour > BEFORE_ALL else None

    # -- looking back --

    def refresh(self) -> bool:
        return False

    def get(self, id: str | int) -> Verdict | None:
        stored = self.living.get(str(id))
        return None if stored is None else stored.verdict

    def read(self, ids: Iterable[str | int]) -> list[ReadDocument | None]:
        found = [(self.living.get(str(id)), self.get(id)) for id in ids]
        return [
            None
            if stored is None or verdict is None
            else ReadDocument(stored.id, stamp(stored.time), stored.form, False, {}, verdict)
            for stored, verdict in found
        ]

    def __contains__(self, id: object) -> bool:
        return id in self.living

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.living, key=lambda name: self.living[name].arrival))

    def __len__(self) -> int:
        return len(self.living)

    def __bool__(self) -> bool:
        return True

    def check(self, texts: Iterable[str], *, sources: Iterable[str | None] | None = None) -> list[Verdict]:
        """A query each, one after another."""
        given = list(texts)
        owners = [None] * len(given) if sources is None else list(sources)
        return [
            self.query(text, matches=self.settings.matches, source=source)
            for text, source in zip(given, owners, strict=True)
        ]

    def query(
        self,
        text: str | None = None,
        *,
        id: str | int | None = None,
        threshold: Any = None,
        matches: int | None = DEFAULT_MATCHES,
        time: Any = None,
        partial: bool | None = None,
        containment: Any = None,
        delta: int | None = None,
        source: str | None = None,
    ) -> Verdict:
        rule = partial_rule_for_query(self.settings, partial, containment, delta)
        if (text is None) == (id is None):
            raise SettingsError("query", (text, id), "either a text or an id")
        own = None
        if id is not None:
            own = self.living.get(str(id))
            if own is None:
                raise UnknownDocument(str(id))
            form, grams, own_time, sentences = own.form, own.grams, own.time, own.sentences
        else:
            form, grams = self._signed(text or "")
            sentences = self._sentences(text or "")
            own_time = (self.newest if self.newest > BEFORE_ALL else now_ms() // HOUR) * HOUR
        low, high = BEFORE_ALL, AFTER_ALL
        if time is not None:
            own_time = parse_time(time)
            low, high = self._around(own_time // HOUR)
        others = [stored for stored in self._searchable(low, high) if stored is not own]
        limit = None if threshold is None else Fraction(str(threshold))
        similar = self._similar(form, grams, others, limit)
        parts, common = self._parts(grams, sentences, others, similar, rule)
        everything = len(others)
        return self._verdict(
            "" if id is None else str(id),
            own_time,
            form,
            similar,
            parts,
            truncated=common,
            listed=everything if matches is None else matches,
        )

    def groups(self) -> Iterator[Group]:
        members: dict[Stored, list[Stored]] = {}
        for stored in self.living.values():
            if stored.head is not stored:
                members.setdefault(stored.head, []).append(stored)
        for head in sorted(members, key=lambda head: (head.time, head.id, head.arrival)):
            ordered = sorted(members[head], key=lambda member: (member.time, member.id))
            there = self.living.get(head.id) is head
            yield Group(head.id, stamp(head.time), tuple(_member(stored) for stored in ordered), there)

    def reconcile(self) -> Iterator[Verdict]:
        ordered = sorted(self.living.values(), key=lambda stored: (stored.time, stored.id))
        before = {stored: (stored.head, stored.original) for stored in ordered}
        kept = {stored for stored in ordered if self._outlived(stored)}
        for stored in ordered:
            stored.head, stored.original, stored.set_aside = stored, None, False
        changed = []
        for place, stored in enumerate(ordered):
            if stored in kept:
                stored.head, stored.original = before[stored]
                stored.set_aside = self.settings.policy == "route"
                continue
            low = max(self._around(stored.hour)[0], self.floor)
            others = [other for other in ordered[:place] if other.hour >= low and not other.set_aside]
            foreign = self._without_copies_of(stored.id, others)
            similar = self._similar(stored.form, stored.grams, foreign)
            rule = self.settings.partial_rule
            parts, common = self._parts(stored.grams, stored.sentences, others, similar, rule, foreign)
            if parts is not None:
                parts += [part for part in stored.parts if self._is_past(part.document)]
            kept_hours = self.settings.kept_hours
            gone_before = stored.hour - kept_hours if kept_hours else BEFORE_ALL
            with self._without_hours_before(max(gone_before, self.floor)):
                self._settle(stored, similar, parts)
                verdict = self._verdict(stored.id, stored.time, stored.form, similar, parts)
            if verdict._replace(truncated=False) != stored.verdict._replace(truncated=False):
                stored.verdict = verdict._replace(truncated=self._cut(stored.hour) or common)
                changed.append(stored.verdict)
        return iter(changed)

    def _outlived(self, stored: Stored) -> bool:
        return stored.original is not None and self._is_past(stored.original)

    def _is_past(self, document: Stored) -> bool:
        return document.id not in self.living and document.hour < max(self.floor, self.given_up)

    @contextlib.contextmanager
    def _without_hours_before(self, low: int) -> Iterator[None]:
        """A document that had gone when this one was scored does not head a group for it."""
        everything = self.living
        self.living = {stored.id: stored for stored in everything.values() if stored.hour >= low}
        try:
            yield
        finally:
            self.living = everything

    def stats(self) -> Stats:
        hours = Counter(stored.hour for stored in self.living.values())
        return Stats(
            documents=len(self.living),
            copies=sum(stored.verdict.is_copy for stored in self.living.values()),
            kinds={},
            groups=sum(1 for _ in self.groups()),
            unscored=0,
            waiting=0,
            truncated=sum(stored.verdict.truncated for stored in self.living.values()),
            hours={name_of(hour): hours[hour] for hour in sorted(hours)},
            newest=name_of(self.newest) if self.newest > BEFORE_ALL else None,
            window_hours=self.settings.window_hours,
            keep_hours=self.settings.kept_hours,
            budget_floor=name_of(self.given_up) if self.given_up > BEFORE_ALL else None,
            postings_keys=0,
            memory_bytes=0,
            retrieval=self.settings.retrieval,
            threshold=str(self.settings.threshold),
            policy=self.settings.policy,
            recipe="",
        )

    def close(self) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


@functools.lru_cache(maxsize=1_000)
def _signature(text: str, fold_case: bool, q: int) -> tuple[str, frozenset[str]]:
    form = oracle.normal_form(text, fold_case=fold_case)
    return form, frozenset(oracle.qgrams(form, q))


@functools.lru_cache(maxsize=1_000)
def _sentence_fingerprints(text: str, lexicon: Lexicon) -> frozenset[str]:
    return frozenset(oracle.sentence_fingerprints(text, lexicon))


def _largest_first(parts: list[Shared]) -> list[Shared]:
    return sorted(parts, key=lambda part: (-part.match.shared, part.document.time, part.document.id))


def _now() -> int:
    return int(clock.time() * 1_000)


def _member(stored: Stored) -> Member:
    """doc_q with the head by brute force, whether the head is still there or not."""
    verdict, head = stored.verdict, stored.head
    shared, larger = len(stored.grams & head.grams), max(len(stored.grams), len(head.grams))
    score = 1.0 if stored.form == head.form else float(Fraction(shared, larger))
    return Member(stored.id, verdict.time, score, shared, verdict.duplicate_of, verdict.score)


def _log_reject(reject: Reject) -> None:
    name = escaped((reject.id or "without id")[:MAX_ID_BYTES])
    logging.getLogger("neardup").warning("document %s rejected: %s", name, reject.reason)
