"""Ad hoc queries, of one text or document or of many texts, by what is in memory or by what the store finds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from neardup.errors import SettingsError
from neardup.model.document import items_of, text_argument, texts_of
from neardup.model.plain_values import is_missing
from neardup.model.query_options import QueryOptions, check_source
from neardup.window import in_memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from neardup.model.verdict import Verdict
    from neardup.window.session import Session


def answer(session: Session, options: QueryOptions) -> Verdict:
    """See `Window.query`: answers from memory, if all that is committed is there; else only from the documents that the
    store finds for this query, if the store can search.
    """
    session.adopt_settings()
    store, state = session.store, session.state
    state.warn_below_reach(options.threshold)
    has_sentences = options.rule is None or state.search.sentences is not None
    if not (has_sentences and session.is_in_step):
        candidates = store.candidates(options, state.settings.window_hours)
        if candidates is not None:
            # Each candidate is compared without reading a posting list, so that any retrieval will do.
            settings = state.settings.with_changes(retrieval="sketch", partial=options.rule is not None)
            among_them = session.over(candidates, settings)
            return in_memory.query(among_them.state, replace(options, verify_all=True))
    if not has_sentences:
        raise SettingsError(
            "partial", True, "set when this window is opened: partial=True, NEARDUP_PARTIAL=true"
        )
    session.synchronise()
    return in_memory.query(session.state, options)


def check(session: Session, texts: Iterable[str], sources: Iterable[str | None] | None) -> list[Verdict]:
    """See `Window.check`."""
    given = texts_of(texts)
    owners = [None] * len(given) if sources is None else items_of(sources)
    if isinstance(sources, str | bytes) or len(owners) != len(given):
        expected = f"one for each of the {len(given):,} texts, None for a text without one"
        raise SettingsError("sources", owners, expected)
    owners = [None if is_missing(owner) else owner for owner in owners]
    for owner in owners:
        check_source(owner, is_text=True)
    return session.reading(lambda: _answers(session, given, owners))


def _answers(session: Session, whole: Sequence[str], owners: Sequence[str | None]) -> list[Verdict]:
    session.adopt_settings()
    texts = [
        session.state.signer.counted.of(text_argument(f"texts[{at}]", text), {"source": source})
        for at, (text, source) in enumerate(zip(whole, owners, strict=True))
    ]
    at_once = session.state.settings.documents_at_once
    parts = (texts[at : at + at_once] for at in range(0, len(texts), at_once))
    return [verdict for part in parts for verdict in _answers_to(session, part)]


def _answers_to(session: Session, texts: Sequence[bytes]) -> list[Verdict]:
    """The verdicts on some texts, from memory or from the documents that the store finds for all of them together; by
    one query for each text, if the store cannot search for many or the lists in memory do not serve the threshold.
    """
    state, settings = session.state, session.state.settings
    threshold = settings.threshold_fraction
    state.warn_below_reach(threshold)
    if not session.is_in_step:
        candidates = session.store.candidates_of_texts(texts, threshold)
        if candidates is not None:
            # As in a query, every candidate that the store finds is compared.
            return in_memory.check(
                session.over(candidates, settings.with_changes(max_candidates=0)).state, texts
            )
    elif state.search.serves(threshold):
        return in_memory.check(state, texts)
    options = settings.matches, None, settings.partial_rule
    return [answer(session, QueryOptions(text.decode(), None, threshold, *options)) for text in texts]
