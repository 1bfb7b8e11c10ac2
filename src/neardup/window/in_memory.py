"""Answers from what is in memory: the copies of a text, of many texts, or of a stored document. Nothing is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.errors import DocumentError, UnknownDocument
from neardup.index.candidates import Candidates
from neardup.index.posting_lists import Query
from neardup.model.clock import now_ms
from neardup.model.decision import decide
from neardup.model.document import encode_text
from neardup.model.hours import FIRST_HOUR, LAST_HOUR, begin_of, compared_hours, hour_of
from neardup.window.comparison import searched, verifier_of, with_kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.query_options import QueryOptions
    from neardup.model.verdict import Overlap, Verdict
    from neardup.window.state import State

_CHANGED: Final = (
    "another client has changed its text since it was scored: index it again whole, or delete it here"
)


def query(state: State, options: QueryOptions) -> Verdict:
    """The verdict from what is in memory."""
    own, signed, time = _subject(state, options)
    hours = FIRST_HOUR, LAST_HOUR
    if options.time is not None:
        time = options.time
        hours = compared_hours(hour_of(time), state.settings.window_hours)
    candidates = _candidates(state, options, own, signed, hours)
    verifier = verifier_of(
        state, signed, candidates, options.threshold, rule=options.rule, listed=options.matches
    )
    compared, empty = verifier.compared(0, FIRST_HOUR), bool(signed.signed.text_offsets[1] == 0)
    verdict = decide(
        options.id or "", time, compared, empty=empty, truncated=bool(candidates.truncated[0]),
        parts=options.rule is not None, listed=options.matches,
    )  # fmt: skip
    best = compared.matches.best
    if best is None:
        return verdict
    subject = (options.text or "").encode() if own < 0 else own
    return with_kinds(state, [verdict], [subject], [best])[0]


def _subject(state: State, options: QueryOptions) -> tuple[int, SignedQueryBatch, int]:
    """(The doc asked about, -1 for a text that is not stored; its signature; its time)."""
    if options.id is not None:
        own = state.table.ids.get(options.id)
        if own is None:
            raise UnknownDocument(options.id)
        (form,) = state.texts([own])
        if state.is_unreadable(own, form):
            raise DocumentError(options.id, _CHANGED)
        return own, state.signed_again([own], [form]), int(state.table.times[own])
    try:
        signed = state.search.query_batch([encode_text(options.text or "")])
    except ValueError as error:
        raise DocumentError(None, str(error)) from None
    return -1, signed, _present(state)


def _candidates(
    state: State, options: QueryOptions, own: int, signed: SignedQueryBatch, hours: tuple[int, int]
) -> Candidates:
    """The candidates of the document asked about, except `own`, that document itself: the results of one search, or all
    documents of the hours, if the options ask for that or the search is not built for the threshold.
    """
    search, table, threshold = state.search, state.table, options.threshold
    among = None if own < 0 else lambda _, docs: docs != own
    one = np.ones(1, np.int64)
    query = Query(-one, signed.signed.counts, hours[0] * one, hours[1] * one, threshold.as_integer_ratio())
    if options.verify_all or not search.serves(threshold):
        every = _all_of(state, hours)
        every = every if among is None else every.among(among)
        return search.with_sentences(search.told_of_routes(every, signed), signed, query, table, among)
    if state.settings.retrieval == "complete":
        signed = signed._replace(prefixes=state.signer.prefixes(signed.signed, threshold))
    return search.candidates(signed, query, table, among)


def _all_of(state: State, hours: tuple[int, int]) -> Candidates:
    """Every living document of the hours, as candidates where the posting lists cannot be searched."""
    table = state.table
    living = np.flatnonzero(table.alive[: table.size])
    inside = (table.hours[living] >= hours[0]) & (table.hours[living] <= hours[1])
    living = living[inside]
    return Candidates(np.zeros(len(living), np.int64), living, np.zeros(1, np.bool_))


def _present(state: State) -> int:
    """The time for a text that has none: the newest hour of the window, or the clock's hour if the window has none."""
    return begin_of(state.newest if state.newest > FIRST_HOUR else hour_of(now_ms()))


def check(state: State, texts: Sequence[bytes]) -> list[Verdict]:
    """The verdicts on texts that are not stored, from what is in memory and by the settings of the window: those of
    `query` on each text, but all texts are signed, searched and compared together.
    """
    settings, time = state.settings, _present(state)
    signed, count = state.search.query_batch(texts), len(texts)
    hours = np.full(count, FIRST_HOUR), np.full(count, LAST_HOUR)
    query = Query(
        np.full(count, -1), signed.signed.counts, *hours, settings.threshold_fraction.as_integer_ratio()
    )
    verdicts: list[Verdict] = []
    copies: dict[int, Overlap] = {}
    for positions, part, verifier in searched(state, signed, query):
        are_truncated = verifier.truncated.tolist()
        for i, is_empty in enumerate((np.diff(part.signed.text_offsets) == 0).tolist()):
            compared = verifier.compared(i, FIRST_HOUR)
            if (best := compared.matches.best) is not None:
                copies[positions.start + i] = best
            verdict = decide(
                "", time, compared, empty=is_empty, truncated=are_truncated[i], parts=settings.partial,
                listed=settings.matches,
            )  # fmt: skip
            verdicts.append(verdict)
    subjects = [texts[i] for i in copies]
    labelled = with_kinds(state, [verdicts[i] for i in copies], subjects, list(copies.values()))
    for i, verdict in zip(copies, labelled, strict=True):
        verdicts[i] = verdict
    return verdicts
