"""Deciding stored documents again, many at once, each as if only the documents ranked before it had come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neardup.index.posting_lists import Query
from neardup.model.decision import decide
from neardup.model.hours import FIRST_HOUR, first_living_hour, hour_of
from neardup.model.verdict import Part
from neardup.window.comparison import own_copies, searched, with_kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from neardup.index.word_index import Among
    from neardup.model.decision import Compared
    from neardup.model.verdict import Verdict
    from neardup.signing.signature import SignedBatch
    from neardup.window.state import State


def decided_again(
    state: State,
    forms: Mapping[int, bytes],
    ranks: NDArray[np.int64],
    before: Mapping[int, Verdict],
) -> Iterator[tuple[Verdict, Compared]]:
    """For each stored document, the verdict as if only documents of lower `ranks` had come, and what it is compared
    with. `forms` has the normal forms of the documents to be decided, by doc; `before` their stored verdicts.

    Each document is decided when its verdict is requested, by the groups as they are then.
    """
    table, settings, next_commit = state.table, state.settings, state.next_commit
    docs = np.array(list(forms), np.int64)
    signed = state.signed_again(docs.tolist(), list(forms.values()))
    hours = table.hours[docs].astype(np.int64)
    wanted = hours - settings.window_hours if settings.window_hours else np.full_like(hours, FIRST_HOUR)
    lows, incomplete = np.maximum(wanted, next_commit.floor_hour), wanted < next_commit.budget_hour
    query = Query(
        np.full(len(docs), -1),
        signed.signed.counts,
        lows,
        hours,
        settings.threshold_fraction.as_integer_ratio(),
    )
    for positions, batch, verifier in searched(state, signed, query, _those_before(ranks, docs)):
        truncated = verifier.truncated | incomplete[positions]
        empty = np.diff(batch.signed.text_offsets) == 0
        for i, doc in enumerate(docs[positions].tolist()):
            floor = first_living_hour(int(table.hours[doc]), settings.kept_hours)
            own = own_copies(state, table.ids[doc], FIRST_HOUR, doc)
            compared = verifier.compared(i, max(floor, next_commit.floor_hour), alive_only=True, without=own)
            past = _past_parts(state, doc, batch.signed, i, before[doc])
            is_truncated = compared.truncated or bool(truncated[i])
            compared = compared._replace(parts=[*compared.parts, *past], truncated=is_truncated)
            yield _decided(state, doc, compared, empty=bool(empty[i])), compared


def _those_before(ranks: NDArray[np.int64], docs: NDArray[np.int64]) -> Among:
    """A filter by which each of `docs`, named by its position there, is compared only with documents of lower rank."""

    def came_before(queries: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
        before: NDArray[np.bool_] = ranks[others] < ranks[docs[queries]]
        return before

    return came_before


def _decided(state: State, doc: int, compared: Compared, *, empty: bool) -> Verdict:
    """The verdict on a stored document from its comparison; `empty`: whether its normal form is empty."""
    table, settings = state.table, state.settings
    verdict = decide(
        table.ids[doc], int(table.times[doc]), compared, empty=empty,
        parts=settings.partial, listed=settings.matches,
    )  # fmt: skip
    best = compared.matches.best
    return verdict if best is None else with_kinds(state, [verdict], [doc], [best])[0]


def is_past(state: State, id: str, time: int) -> bool:
    """Whether the document of this id and time is gone because its hour has expired, or was given up to a budget; not
    if another one has its id now: a verdict that is kept would name that, which may be a copy of its document.
    """
    if state.table.ids.get(id) is not None:
        return False
    return hour_of(time) < max(state.next_commit.floor_hour, state.next_commit.budget_hour)


def _past_parts(state: State, doc: int, signed: SignedBatch, at: int, verdict: Verdict) -> list[Part]:
    """The parts in a stored `verdict` whose documents have gone with their hours; `doc` is number `at` of those
    `signed`.
    """
    if state.settings.partial_rule is None or not verdict.partial:
        return []
    state.signer.count(signed, [at])
    count = int(signed.counts[at])
    return [
        Part(-1, part.id, time, part.shared, count, round(part.shared / part.containment), part.sentences)
        for part, time in zip(verdict.partial, state.blob(doc).payload.part_times, strict=True)
        if is_past(state, part.id, time)
    ]
