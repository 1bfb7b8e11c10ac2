"""Reconciling a window: every living document is scored again as if all had come in order of (time, id)."""

from __future__ import annotations

import logging
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.model.decision import Evidence, decide
from neardup.model.escapes import escaped
from neardup.model.hours import compared_hours, first_living_hour, hour_of
from neardup.model.verdict import Part
from neardup.stores.blobs import best_overlap
from neardup.stores.records import chosen_rows, text_sizes
from neardup.stores.remembered_settings import EARLIER, earlier, merged
from neardup.window.candidates_of_one import candidates_of_one
from neardup.window.comparison import verifier_of, with_kinds
from neardup.window.session import refusal

_BYTES_AT_ONCE: Final = 4_000_000
_MOST_AT_ONCE: Final = 256

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from numpy.typing import NDArray

    from neardup.model.decision import Matches
    from neardup.model.verdict import Verdict
    from neardup.signing.signature import SignedBatch
    from neardup.window.session import Session
    from neardup.window.state import State

log = logging.getLogger("neardup")


def reconciled(session: Session) -> list[Verdict]:
    """See `Window.reconcile`: the verdicts that changed, made lasting. A document that the store cannot put where it
    belongs stays where it is, which is logged; then all is decided again.
    """
    stay = set[str]()
    while True:
        state = session.state
        before = state.committed
        changed = list(_reconcile(state, stay))
        _remember_own_settings(state)
        refused = state.commit()
        if not refused:
            return changed
        if refused.keys() & stay:
            raise refusal(refused)
        for id, reason in refused.items():
            log.warning("%s stays where it is: %s", escaped(id), reason)
        stay |= refused.keys()
        session.forget_batch(before)


def _reconcile(state: State, stay: Container[str]) -> Iterator[Verdict]:
    """The verdicts that change if every document but those of the ids `stay` may go where the policy has it. One search
    a document; groups are built anew on the way.

    A copy whose original expired with its hour keeps its verdict, unless its score is below the present threshold: what
    was known is not forgotten. One whose original was deleted is scored anew. The same goes for every partial copy that
    is named. A document whose text cannot be read any more keeps its verdict, too.
    """
    table = state.table
    known = sorted(table.ids.docs().tolist(), key=table.arrival_key)
    ranks = np.full(table.size, len(known))
    ranks[known] = np.arange(len(known))
    before = {doc: state.stored_verdict(doc) for doc in known}
    old_heads = {doc: int(table.group_arrivals[doc]) for doc in known}
    by_arrival = {int(table.arrivals[doc]): doc for doc in known}
    table.ungroup(known)
    for doc, form in _with_forms(state, known):
        old = before[doc]
        if _outlived(state, doc, old) or state.is_unreadable(doc, form):
            if old_heads[doc] != table.arrivals[doc]:  # before its row is stored, which says so
                table.join(doc, old_heads[doc], by_arrival.get(old_heads[doc]))
            if _set_aside(state, doc, old, stay):
                state.store_flags(doc)
            continue
        verdict, matches, parts = _decided_again(state, doc, form, ranks, old)
        head = table.ids.doc(verdict.group)
        changed = _differ(verdict, old)
        verdict = verdict if changed else old  # what is not told stays as it was told
        if _set_aside(state, doc, verdict, stay) or table.arrivals[head] != old_heads[doc] or changed:
            state.record(doc, verdict, matches.basis(parts))
        elif verdict.group != verdict.id:
            table.follow(doc, head)
        if changed:
            yield verdict
    table.rebuild_stands()


def _with_forms(state: State, docs: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """Documents with their normal forms, of which many are read at once: in a cluster each reading is a request."""
    sizes = text_sizes(chosen_rows(state.table.rows, docs))
    part_of = np.cumsum(np.maximum(sizes, _BYTES_AT_ONCE // _MOST_AT_ONCE)) // _BYTES_AT_ONCE
    for _, part in groupby(zip(docs, part_of.tolist(), strict=True), key=itemgetter(1)):
        chosen = [doc for doc, _ in part]
        yield from zip(chosen, state.texts(chosen), strict=True)


def _remember_own_settings(state: State) -> None:
    """From the next commit on, every verdict is by the present settings; copies that came before the policy to drop
    are still kept.
    """
    remembered = state.settings.remembered
    kept = earlier(merged(state.store.remembered or remembered, remembered)).get("policy")
    if state.settings.policy == "drop" and kept:
        remembered[EARLIER] = {"policy": kept}
    state.store.remember_at_commit(remembered)


def _set_aside(state: State, doc: int, verdict: Verdict, stay: Container[str]) -> bool:
    """Keeps a copy out of what is searched, or puts it back, as the policy has it, unless its id is among those that
    `stay`; whether that changed anything.
    """
    if state.table.ids[doc] in stay:
        return False
    return state.table.set_aside(doc, verdict.is_copy and state.settings.policy == "route")


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


def _outlived(state: State, doc: int, verdict: Verdict) -> bool:
    """Whether a copy at or above the present threshold has an original that is gone because its hour has expired, or
    was given up to a budget.
    """
    if verdict.duplicate_of is None:
        return False
    limit = state.settings.threshold_fraction
    shared, larger = best_overlap(state.table.rows[doc])
    if verdict.status != "exact" and shared * limit.denominator < limit.numerator * larger:
        return False
    return _is_past(state, verdict.duplicate_of, state.blob(doc).payload.time)


def _is_past(state: State, id: str, time: int) -> bool:
    """Whether the document of this id and time is gone because its hour has expired, or was given up to a budget."""
    living = state.table.ids.get(id)
    if living is not None and state.table.times[living] == time:
        return False
    return hour_of(time) < max(state.committed.floor_hour, state.committed.budget_hour)


def _past_parts(state: State, doc: int, signed: SignedBatch, verdict: Verdict) -> list[Part]:
    """The parts that a stored verdict names of documents that have gone with their hours; `signed`: the document."""
    if not verdict.partial:
        return []
    state.signer.count(signed, [0])
    count = int(signed.counts[0])
    return [
        Part(-1, part.id, time, part.shared, count, round(part.shared / part.containment), part.sentences)
        for part, time in zip(verdict.partial, state.blob(doc).payload.part_times, strict=True)
        if _is_past(state, part.id, time)
    ]


def _decided_again(
    state: State, doc: int, form: bytes, ranks: NDArray[np.int64], old: Verdict
) -> tuple[Verdict, Matches, Sequence[Part]]:
    """The verdict on a stored document of this normal form if only those of lower `ranks` had come; matches, parts."""
    table, settings = state.table, state.settings
    hour, threshold = int(table.hours[doc]), settings.threshold_fraction
    wanted, _ = compared_hours(hour, settings.window_hours)
    low = max(wanted, state.committed.floor_hour)
    signed, rule = state.signed_again(doc, form), settings.partial_rule

    def came_before(docs: NDArray[np.int64]) -> NDArray[np.bool_]:
        before: NDArray[np.bool_] = ranks[docs] < ranks[doc]
        return before

    candidates = candidates_of_one(state, signed, (low, hour), threshold, came_before)
    verifier = verifier_of(state, signed, candidates, threshold, rule=rule, listed=settings.matches)
    floor = max(first_living_hour(hour, settings.kept_hours), state.committed.floor_hour)
    checked, matches, parts, _ = verifier.compared(0, floor)
    if rule is not None:
        parts = [*parts, *_past_parts(state, doc, signed.signed, old)]
    verdict = decide(
        Evidence(
            table.ids[doc],
            int(table.times[doc]),
            checked,
            matches,
            None if rule is None else parts,
            empty=bool(signed.signed.text_offsets[1] == 0),
            comparable=True,
            cut=bool(candidates.truncated[0]) or wanted < state.committed.budget_hour,
            listed=settings.matches,
        )
    )
    if matches.best is not None:
        verdict = with_kinds(state, [verdict], [doc], [matches.best])[0]
    return verdict, matches, parts
