"""Ad hoc queries: the copies of a text, or of a stored document, among those in memory. Nothing is stored."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from neardup.errors import DocumentError, SettingsError, UnknownDocument
from neardup.model.clock import now_ms
from neardup.model.decision import Evidence, decide
from neardup.model.document import encode_text
from neardup.model.hours import FIRST_HOUR, LAST_HOUR, begin_of, compared_hours, hour_of
from neardup.window.candidates_of_one import candidates_of_one
from neardup.window.comparison import verifier_of, with_kinds
from neardup.window.session import Session

if TYPE_CHECKING:
    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.query_options import QueryOptions
    from neardup.model.verdict import Verdict
    from neardup.window.state import State

_CHANGED: Final = (
    "another client has changed its text since it was scored: index it again whole, or delete it here"
)


def answer(session: Session, options: QueryOptions) -> Verdict:
    """See `Window.query`: from what is in memory, if that is all that is committed; else from only those documents that
    the store finds for the query, if it can.
    """
    session.adopt_settings()
    store, state = session.store, session.state
    state.warn_below_reach(options.threshold)
    has_sentences = options.rule is None or state.search.sentences is not None
    if not (has_sentences and session.is_in_step):
        candidates = store.candidates(options, state.settings.window_hours)
        if candidates is not None:
            # Each of them is compared: no posting list is read, so that any retrieval will do.
            settings = state.settings.with_changes(retrieval="sketch", partial=options.rule is not None)
            among_them = Session(candidates, settings, state.signer, readonly=True)
            among_them.load()
            return query(among_them.state, replace(options, verify_all=True))
    if not has_sentences:
        raise SettingsError("partial", True, "set when this window is opened: partial=True")
    session.synchronise()
    return query(session.state, options)


def query(state: State, options: QueryOptions) -> Verdict:
    """The verdict from what is in memory. One search; if the options ask for it, or at a threshold that the complete
    search is not built for, every document is verified.
    """
    own, signed, time = _subject(state, options)
    hours = FIRST_HOUR, LAST_HOUR
    if options.time is not None:
        time = options.time
        hours = compared_hours(hour_of(time), state.settings.window_hours)
    serves = not options.verify_all and state.search.serves(options.threshold)
    among = None if own < 0 else lambda _, docs: docs != own
    candidates = candidates_of_one(state, signed, hours, options.threshold, among, searched=serves)
    verifier = verifier_of(
        state, signed, candidates, options.threshold, rule=options.rule, listed=options.matches
    )
    checked, matches, parts, _ = verifier.compared(0, FIRST_HOUR)
    verdict = decide(
        Evidence(
            options.id or "",
            time,
            checked,
            matches,
            None if options.rule is None else parts,
            empty=bool(signed.signed.text_offsets[1] == 0),
            comparable=True,
            cut=bool(candidates.truncated[0]),
            listed=options.matches,
        )
    )
    if matches.best is None:
        return verdict
    subject = (options.text or "").encode() if own < 0 else own
    return with_kinds(state, [verdict], [subject], [matches.best])[0]


def _subject(state: State, options: QueryOptions) -> tuple[int, SignedQueryBatch, int]:
    """The document asked about, -1 for a text that is not stored; its signature; its time, which for a text is the
    newest hour of the window, or the present one.
    """
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
    newest = state.newest if state.newest > FIRST_HOUR else hour_of(now_ms())
    return -1, signed, begin_of(newest)
