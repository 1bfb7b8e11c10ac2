"""Reconciling a window: every living document is scored again as if all had come in order of (time, id)."""

from __future__ import annotations

import logging
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.model.escapes import escaped
from neardup.stores.blobs import best_overlap
from neardup.stores.records import are_set_aside, are_with_words, chosen_rows, text_sizes
from neardup.stores.remembered_settings import EARLIER, earlier, merged
from neardup.window.comparison import name_originals
from neardup.window.deciding_again import decided_again, is_past
from neardup.window.session import refusal

_BYTES_AT_ONCE: Final = 4_000_000
_MOST_AT_ONCE: Final = 256

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from neardup.model.verdict import Verdict
    from neardup.window.session import Session
    from neardup.window.state import State

log = logging.getLogger("neardup")


def reconciled(session: Session) -> list[Verdict]:
    """See `Window.reconcile`: the verdicts that changed, committed. A document that the store cannot move to where it
    belongs stays where it is, which is logged; then everything is decided again.
    """
    stay = set[str]()
    while True:
        state = session.state
        before = state.next_commit
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
    """The verdicts that change. Documents may be moved to where the policy has them, except those of the ids `stay`.

    Run by run, all documents are signed and searched again; groups are built anew on the way.

    A copy whose original expired with its hour keeps its verdict, unless its score is below the present threshold, or
    another document has the original's id now: what was known is not forgotten. A copy whose original was deleted is
    scored anew. The same rule holds for each partial copy that a verdict names. A document whose text can no longer be
    read keeps its verdict, too.
    """
    table = state.table
    known = sorted(table.ids.docs().tolist(), key=table.arrival_key)
    ranks = np.full(table.size, len(known))
    ranks[known] = np.arange(len(known))
    runs = list(_runs(state, known))
    before = {
        doc: verdict for run in runs for doc, verdict in zip(run, state.stored_verdicts(run), strict=True)
    }
    old_heads = {doc: int(table.group_arrivals[doc]) for doc in known}
    by_arrival = {int(table.arrivals[doc]): doc for doc in known}
    name_originals(state)  # while groups have their members
    table.ungroup(known)
    for run in runs:
        forms = {
            doc: form
            for doc, form in zip(run, state.texts(run), strict=True)
            if not (_outlived(state, doc, before[doc]) or state.is_unreadable(doc, form))
        }
        decided = decided_again(state, forms, ranks, before)
        for doc in run:
            old = before[doc]
            if doc not in forms:
                if old_heads[doc] != table.arrivals[doc]:  # before its row, which names the group, is stored
                    table.join(doc, old_heads[doc], by_arrival.get(old_heads[doc]))
                elif old.duplicate_of is not None:
                    table.originals.set(old_heads[doc], old.duplicate_of)
                if _set_aside(state, doc, old, stay):
                    state.store_flags(doc)
                continue
            verdict, compared = next(decided)
            head = doc if (joined := compared.matches.head) is None else joined.doc
            changed = _differ(verdict, old)
            verdict = verdict if changed else old  # a difference that is not reported is not stored
            basis = compared.matches.basis(compared.parts)
            if _set_aside(state, doc, verdict, stay) or table.arrivals[head] != old_heads[doc] or changed:
                state.record(doc, verdict, basis)
            else:
                state.join(doc, basis)
            if changed:
                yield verdict
    table.rebuild_stands()


def _runs(state: State, docs: Sequence[int]) -> Iterator[list[int]]:
    """Documents in runs, each of which is read, signed and searched at once. In a run, either all documents have stored
    sentences or none has.
    """
    if state.settings.policy != "mark" and state.search.reads_words:
        yield from ([doc] for doc in docs)  # whether a list is too long depends on which documents are kept
        return
    rows = chosen_rows(state.table.rows, docs)
    part_of = np.cumsum(np.maximum(text_sizes(rows), _BYTES_AT_ONCE // _MOST_AT_ONCE)) // _BYTES_AT_ONCE
    keys = zip(part_of.tolist(), are_with_words(rows).tolist(), strict=True)
    for _, run in groupby(zip(docs, keys, strict=True), key=itemgetter(1)):
        yield [doc for doc, _ in run]


def _remember_own_settings(state: State) -> None:
    """Records with the next commit that every verdict is by the present settings; under the policy `drop` also which
    other policies have kept the copies that are still there.
    """
    remembered = state.settings.remembered
    kept = earlier(merged(state.store.remembered or remembered, remembered)).get("policy")
    if state.settings.policy == "drop" and kept:
        remembered[EARLIER] = {"policy": kept}
    state.store.remember_at_commit(remembered)


def _set_aside(state: State, doc: int, verdict: Verdict, stay: Container[str]) -> bool:
    """Sets a document aside, or takes it back, as the policy requires; one whose id is in `stay` is left as it was
    stored. Returns whether that changed anything.
    """
    table = state.table
    if table.ids[doc] in stay:
        return table.set_aside(doc, bool(are_set_aside(table.rows[doc : doc + 1])[0]))
    return table.set_aside(doc, verdict.is_copy and state.settings.policy == "route")


def _differ(one: Verdict, other: Verdict) -> bool:
    """Whether two verdicts differ in anything but `candidates`, `truncated` and how much of a list is shown."""
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
    return is_past(state, verdict.duplicate_of, state.blob(doc).payload.time)
