"""Many texts asked about at once: signed, searched and compared together. Nothing is stored."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from neardup.index.posting_lists import Query
from neardup.model.clock import now_ms
from neardup.model.decision import Evidence, decide
from neardup.model.document import text_argument
from neardup.model.hours import FIRST_HOUR, LAST_HOUR, begin_of, hour_of
from neardup.model.query_options import QueryOptions
from neardup.window.comparison import verifier_of, with_kinds
from neardup.window.query import answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.verdict import Verdict
    from neardup.window.session import Session
    from neardup.window.state import State

__all__ = ["answer", "answers"]


def answers(session: Session, whole: Sequence[str], sources: Sequence[str | None] | None) -> list[Verdict]:
    """See `Window.check`: a query each where memory has not all that is committed."""
    session.adopt_settings()
    state, settings = session.state, session.state.settings
    owners = repeat(None, len(whole)) if sources is None else sources
    texts = [
        state.signer.counted.of(text_argument("text", text), {"source": source})
        for text, source in zip(whole, owners, strict=True)
    ]
    threshold = settings.threshold_fraction
    if not texts or not session.is_in_step:
        options = settings.matches, None, settings.partial_rule
        return [answer(session, QueryOptions(text.decode(), None, threshold, *options)) for text in texts]
    state.warn_below_reach(threshold)
    verdicts: list[Verdict] = []
    signed = state.search.query_batch(texts)
    while (first := len(verdicts)) < len(texts):
        verdicts += _of_first(state, texts[first:], signed.part(first, len(texts)))
    return verdicts


def _of_first(state: State, texts: Sequence[bytes], batch: SignedQueryBatch) -> list[Verdict]:
    """The answers to the first of some texts, as many as are searched at once (`Search.candidates`)."""
    settings, count = state.settings, len(texts)
    threshold, rule = settings.threshold_fraction, settings.partial_rule
    hours = np.full(count, FIRST_HOUR), np.full(count, LAST_HOUR)
    query = Query(np.full(count, -1), batch.signed.counts, *hours, threshold.as_integer_ratio())
    candidates = state.search.candidates(batch, query, state.table, threshold)
    cut = candidates.truncated.tolist()
    batch = batch.part(0, len(cut))
    verifier = verifier_of(state, batch, candidates, threshold, rule=rule, listed=settings.matches)
    time = begin_of(state.newest if state.newest > FIRST_HOUR else hour_of(now_ms()))
    verdicts, copies = [], {}
    for i, is_empty in enumerate((np.diff(batch.signed.text_offsets) == 0).tolist()):
        compared, matches, parts, _ = verifier.compared(i, FIRST_HOUR)
        named = None if rule is None else parts
        verdicts.append(
            decide(Evidence("", time, compared, matches, named, is_empty, True, cut[i], settings.matches))
        )
        if matches.best is not None:
            copies[i] = matches.best
    subjects = [texts[i] for i in copies]
    labelled = with_kinds(state, [verdicts[i] for i in copies], subjects, list(copies.values()))
    for i, verdict in zip(copies, labelled, strict=True):
        verdicts[i] = verdict
    return verdicts
