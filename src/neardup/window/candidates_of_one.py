"""The candidates of one document that is not added to the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neardup.index.candidates import Candidates
from neardup.index.posting_lists import Query

if TYPE_CHECKING:
    from fractions import Fraction

    from neardup.index.query_batch import SignedQueryBatch
    from neardup.index.sentence_index import Among
    from neardup.window.state import State


def candidates_of_one(
    state: State,
    signed: SignedQueryBatch,
    hours: tuple[int, int],
    threshold: Fraction,
    among: Among | None,
    *,
    searched: bool = True,
) -> Candidates:
    """Candidates `among` some (None: all) of one document that is not added; not `searched`: all of the hours."""
    search, table = state.search, state.table
    if searched and state.settings.retrieval == "complete":
        signed = signed._replace(prefixes=state.signer.prefixes(signed.signed, threshold))
    one = np.ones(1, np.int64)
    query = Query(-one, signed.signed.counts, hours[0] * one, hours[1] * one, threshold.as_integer_ratio())
    if not searched:
        every = _all_of(state, hours)
        every = every if among is None else every.among(among)
        return search.with_sentences(every, signed, query, table, among)
    return search.candidates(signed, query, table, among)


def _all_of(state: State, hours: tuple[int, int]) -> Candidates:
    """Every living document of the hours: candidates for a search that nothing was posted for."""
    table = state.table
    living = np.flatnonzero(table.alive[: table.size])
    inside = (table.hours[living] >= hours[0]) & (table.hours[living] <= hours[1])
    living = living[inside]
    return Candidates(np.zeros(len(living), np.int64), living, np.zeros(1, np.bool_))
