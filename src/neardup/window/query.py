"""Looking back at a window: ad hoc queries, groups, figures, and scoring again in order of time."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from neardup.errors import DocumentError, SettingsError, UnknownDocument
from neardup.index.candidates import Candidates
from neardup.index.posting_lists import Query
from neardup.model.decision import Matches, alone, copied, with_parts
from neardup.model.document import encode_text, format_time, time_argument
from neardup.model.hours import FIRST_HOUR, LAST_HOUR, compared_hours, first_living_hour, hour_name, hour_of
from neardup.model.settings import HOUR_MS, PartialRule, check_whole, exact_threshold
from neardup.model.verdict import Group, Member, Overlap, Part, Status, Verdict
from neardup.stores.base import ROUTED, TRUNCATED
from neardup.stores.remembered_settings import earlier
from neardup.window.base import Stats
from neardup.window.state import STATUSES, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from neardup.index.query_batch import SignedQueryBatch
    from neardup.index.sentence_index import Among

_ANY_OVERLAP = Fraction(1, 1 << 32)
"""A threshold that one shared q-gram reaches, whatever the size of the texts."""


def query(
    state: State,
    text: str | None,
    identity: str | None,
    threshold: Any,
    matches: int | None,
    time: Any,
    rule: PartialRule | None,
    *,
    verify_all: bool = False,
) -> Verdict:
    """See `Window.query`. One search; if told so, or at a threshold that the complete search is not built for, every
    document is verified.
    """
    if (text is None) == (identity is None):
        raise SettingsError("query", (text, identity), "either a text or an id")
    if matches is not None:
        check_whole("matches", matches, 0)
    exact = state.settings.threshold_fraction if threshold is None else exact_threshold(threshold)
    own = -1
    if identity is not None:
        own = state.table.number_of.get(identity, -1)
        if own < 0:
            raise UnknownDocument(identity)
        features = _stored_features(state, own)
        own_time = int(state.table.rows["time"][own])
    else:
        try:
            features = state.search.features([encode_text(text or "")])
        except ValueError as error:
            raise DocumentError(None, str(error)) from None
        own_time = state.newest * HOUR_MS if state.newest > FIRST_HOUR else 0
    hours = FIRST_HOUR, LAST_HOUR
    if time is not None:
        own_time = time_argument("time", time)
        hours = compared_hours(hour_of(own_time), state.settings.window_hours)
    serves = not verify_all and state.search.serves(exact)
    among = None if own < 0 else lambda numbers: numbers != own
    candidates = _candidates(state, features, hours, exact, among, searched=serves)
    candidates = candidates.among(lambda numbers: numbers != own)
    verifier = state.verifier(features, candidates, exact, rule=rule, listed=matches)
    (checked, found, shared), _ = verifier.compared(0, FIRST_HOUR)
    parts, truncated = shared if rule is not None else None, bool(candidates.truncated[0])
    name = identity or ""
    if not found.total:
        empty = features.signed.text_offsets[1] == 0
        return with_parts(
            alone(name, own_time, "empty" if empty else "unique", checked, truncated), parts, matches
        )
    verdict = copied(name, own_time, found, checked, truncated, listed=matches)
    return with_parts(verdict, parts, matches)


def _stored_features(state: State, number: int) -> SignedQueryBatch:
    """The features of a stored document, with its sentences where they are known."""
    features = state.search.features([state.text(number)], normal=True)
    sentences = state.search.sentences
    if sentences is None or not state.table.rows["words"][number]:
        return features
    return features._replace(words=sentences.words_of(number))


def _candidates(
    state: State,
    features: SignedQueryBatch,
    hours: tuple[int, int],
    exact: Any,
    among: Among | None,
    *,
    searched: bool = True,
) -> Candidates:
    """Candidates of one document that is not added; not `searched`: every document of the hours."""
    search, table = state.search, state.table
    if searched and state.settings.retrieval == "complete":
        features = features._replace(prefixes=search.prefixes(features.signed, exact))
    one = np.ones(1, np.int64)
    question = Query(
        -one, features.signed.counts, hours[0] * one, hours[1] * one, exact.numerator, exact.denominator
    )
    if not searched:
        return search.with_sentences(_all(state, hours), features, question, table, among)
    return search.candidates(features, question, table, exact, among)


def _all(state: State, hours: tuple[int, int]) -> Candidates:
    """Every living document of the hours: candidates for a search that nothing was posted for."""
    table = state.table
    living = np.flatnonzero(table.alive[: table.size])
    inside = (table.hours[living] >= hours[0]) & (table.hours[living] <= hours[1])
    living = living[inside]
    return Candidates(np.zeros(len(living), np.int64), living, np.zeros(1, np.bool_))


def groups(state: State) -> Iterator[Group]:
    """See `Window.groups`. Reads one blob a member and one more a group."""
    table = state.table
    found = []
    for head_order, numbers in table.members.items():
        members = sorted((n for n in numbers if table.lives(n, FIRST_HOUR)), key=table.arrival_key)
        if members:
            head_time = int(table.rows["group_time"][members[0]])
            found.append((head_time, state.group_id(members[0]), head_order, members))
    for head_time, head, _, members in sorted(found, key=lambda group: group[:3]):
        yield Group(head, format_time(head_time), tuple(_members(state, head, members)))


def _members(state: State, head: str, numbers: Sequence[int]) -> Iterator[Member]:
    """The members of one group; where their overlap with the head was not kept, it is counted if the head is there."""
    members = [state.member(number) for number in numbers]
    lacking = [number for number, member in zip(numbers, members, strict=True) if member.score is None]
    counted = _overlaps_with_head(state, head, lacking) if lacking else {}
    for number, member in zip(numbers, members, strict=True):
        overlap = counted.get(number)
        yield member if overlap is None else member._replace(score=overlap.score, shared=overlap.shared)


def _overlaps_with_head(state: State, head: str, numbers: Sequence[int]) -> dict[int, Overlap]:
    """The overlaps of members `numbers` with the head of their group, from the stored texts; {} if it is gone."""
    rows, found = state.table.rows, state.table.number_of.get(head)
    if found is None or rows["order"][found] != rows["group_order"][numbers[0]]:
        return {}
    features = state.search.features(state.texts(numbers), normal=True)
    count = len(numbers)
    pairs = Candidates(np.arange(count), np.full(count, found), np.zeros(count, np.bool_))
    verifier = state.verifier(features, pairs, _ANY_OVERLAP, rule=None, listed=1)
    compared = [verifier.compared(i, FIRST_HOUR)[0].matches for i in range(count)]
    return {number: found.best[0] for number, found in zip(numbers, compared, strict=True) if found.total}


def stats(state: State) -> Stats:
    """See `Window.stats`."""
    table = state.table
    known = np.fromiter(table.number_of.values(), np.int64, table.living)
    statuses = table.rows["status"][known]
    copies = (statuses == STATUSES.index("near")) | (statuses == STATUSES.index("exact"))
    hours = sorted(table.load)
    budget = state.committed.budget_hour
    own = state.settings.remembered | state.store.remembered
    return Stats(
        documents=table.living,
        copies=int(copies.sum()),
        groups=sum(any(table.lives(n, FIRST_HOUR) for n in members) for members in table.members.values()),
        truncated=int(np.count_nonzero(table.rows["flags"][known] & TRUNCATED)),
        unscored=int(np.count_nonzero(statuses == STATUSES.index("unscored"))),
        hours={hour_name(hour): table.load[hour][0] for hour in hours},
        newest=hour_name(state.newest) if state.newest > FIRST_HOUR else None,
        window_hours=state.settings.window_hours,
        keep_hours=state.settings.kept_hours,
        budget_floor=hour_name(budget) if budget > FIRST_HOUR else None,
        postings_keys=state.search.lists.keys,
        memory_bytes=state.search.memory + table.rows.nbytes,
        retrieval=own["retrieval"],
        threshold=own["threshold"],
        policy=own["policy"],
        recipe=state.signer.text,
        mixed=earlier(own),
    )


def reconcile(state: State) -> Iterator[Verdict]:
    """See `Window.reconcile`. One search a document; groups are built anew on the way.

    A copy whose original expired with its hour keeps its verdict, unless its score is below the threshold of now: what
    was known is not forgotten. One whose
    original was deleted is scored anew. The same goes for every partial copy that is named.
    """
    table = state.table
    known = sorted(table.number_of.values(), key=table.arrival_key)
    places = np.full(table.size, len(known))
    places[known] = np.arange(len(known))
    before = {number: state.stored_verdict(number) for number in known}
    old_heads = {number: int(table.rows["group_order"][number]) for number in known}
    heads = {int(table.rows["order"][number]): number for number in known}
    table.members.clear()
    for number in known:
        table.rows["group_order"][number] = table.rows["order"][number]
        table.alive[number] = 1  # also what was routed: as if nothing had been decided yet
    table.settle_anew()
    for number in known:
        old = before[number]
        if _outlived(state, number, old):
            if _route(state, number, old):
                state.store_flags(number)
            if old_heads[number] != table.rows["order"][number]:
                table.rows["group_order"][number] = old_heads[number]
                table.join(number, old_heads[number], heads.get(old_heads[number]))
            continue
        verdict, matches, parts = _judged(state, number, places, old)
        head_number = table.number_of[verdict.group]
        head = int(table.rows["order"][head_number])
        changed = _differ(verdict, old)
        if _route(state, number, verdict) or head != old_heads[number] or changed:
            best = matches.best[0] if matches.total else None
            state.record(number, verdict, best, parts, matches.head)
        elif verdict.group != verdict.id:
            table.rows["group_order"][number] = head
            table.join(number, head, head_number)
        if changed:
            yield verdict
    table.settle_anew()


def _route(state: State, number: int, verdict: Verdict) -> bool:
    """Keeps a copy apart from what is searched, or puts it back, as the policy has it; whether that changed
    anything.
    """
    rows, apart = state.table.rows, verdict.is_copy and state.settings.policy == "route"
    was_apart = bool(rows["flags"][number] & ROUTED)
    state.table.alive[number] = not apart
    rows["flags"][number] = rows["flags"][number] & ~np.uint8(ROUTED) | (ROUTED if apart else 0)
    return apart != was_apart


def _differ(one: Verdict, other: Verdict) -> bool:
    """Whether two verdicts say different things: not how many candidates it took, nor how much of a list is shown."""
    matches = min(len(one.matches), len(other.matches))
    parts = min(len(one.partial or ()), len(other.partial or ()))
    mine, others = (
        verdict._replace(
            candidates=0,
            truncated=False,
            matches=verdict.matches[:matches],
            partial=None if verdict.partial is None else verdict.partial[:parts],
        )
        for verdict in (one, other)
    )
    return mine != others


def _outlived(state: State, number: int, verdict: Verdict) -> bool:
    """Whether a copy at or above the threshold of now has an original that is gone because its hour has expired, or
    was given up to a budget.
    """
    row, limit = state.table.rows[number], state.settings.threshold_fraction
    if verdict.duplicate_of is None:
        return False
    if verdict.status != "exact" and int(row["shared"]) * limit.denominator < limit.numerator * int(
        row["larger"]
    ):
        return False
    return _is_past(state, verdict.duplicate_of, state.original_time(number))


def _is_past(state: State, identity: str, time: int) -> bool:
    """Whether the document of this id and time is gone because its hour has expired, or was given up to a budget."""
    living = state.table.number_of.get(identity)
    if living is not None and state.table.rows["time"][living] == time:
        return False
    return hour_of(time) < max(state.committed.floor_hour, state.committed.budget_hour)


def _parts_past(state: State, number: int, verdict: Verdict) -> list[Part]:
    """The parts that a stored verdict names of documents that have gone with their hours."""
    if not verdict.partial:
        return []
    asked = int(state.table.rows["count"][number])
    return [
        Part(-1, part.id, time, part.shared, asked, round(part.shared / part.containment), part.sentences)
        for part, time in zip(verdict.partial, state.part_times(number), strict=True)
        if _is_past(state, part.id, time)
    ]


def _judged(
    state: State, number: int, places: NDArray[np.int64], old: Verdict
) -> tuple[Verdict, Matches, list[Part]]:
    """The verdict on a stored document if only those before it in `places` had come; its matches, the parts."""
    table, settings = state.table, state.settings
    identity, time = table.ids[number], int(table.rows["time"][number])
    hour, exact = hour_of(time), settings.threshold_fraction
    low = max(compared_hours(hour, settings.window_hours)[0], state.committed.floor_hour)
    features, rule = _stored_features(state, number), settings.partial_rule

    def earlier(numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        before: NDArray[np.bool_] = places[numbers] < places[number]
        return before

    candidates = _candidates(state, features, (low, hour), exact, earlier)
    candidates = candidates.among(earlier)
    verifier = state.verifier(features, candidates, exact, rule=rule, listed=settings.matches)
    floor = max(first_living_hour(hour, settings.kept_hours), state.committed.floor_hour)
    (checked, matches, parts), _ = verifier.compared(0, floor)
    if rule is not None:
        parts += _parts_past(state, number, old)
    wanted = hour - settings.window_hours if settings.window_hours else FIRST_HOUR
    truncated = bool(candidates.truncated[0]) or wanted < state.committed.budget_hour
    if not matches.total:
        status: Status = "empty" if features.signed.text_offsets[1] == 0 else "unique"
        verdict = alone(identity, time, status, checked, truncated)
        return with_parts(verdict, None if rule is None else parts, settings.matches), matches, parts
    verdict = copied(identity, time, matches, checked, truncated, listed=settings.matches)
    return with_parts(verdict, None if rule is None else parts, settings.matches), matches, parts
