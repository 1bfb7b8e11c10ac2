"""Scoring: new documents to verdicts, run by run.

A batch is signed, searched and added, verified, decided one document after the other, and appended to the hours. No
verdict depends on where a batch or a run ends: every document is compared with those before it, in the batch or not,
and with the hours that lived when it came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neardup.index.posting_lists import MANY_OF_ONE_TEXT, Query
from neardup.model.decision import decide, unmatched
from neardup.model.hours import LAST_HOUR, first_living_hour
from neardup.window.budgets import budget_sizes, fitting, give_up_for
from neardup.window.compared_hours import ComparedHours, compared_hours_of
from neardup.window.comparison import own_groups, searched, with_kinds

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from neardup.index.query_batch import SignedQueryBatch
    from neardup.index.verification import Verifier
    from neardup.model.document import Prepared, Reject
    from neardup.model.verdict import Basis, Verdict
    from neardup.window.newest_hour import Leaps
    from neardup.window.state import State


def score(
    state: State,
    documents: Sequence[Prepared],
    batch: SignedQueryBatch,
    leaps: Leaps,
) -> tuple[list[Verdict], list[Reject]]:
    """(Verdicts on the documents, whose signatures are `batch`; rejects of those whose times are not believed). The
    documents are appended to the store, but not committed yet.

    A document that comes again with the same normal form gets its stored verdict, if that is still there; what differs
    besides is shown from now on. Documents that `leaps` holds for a later batch get neither verdict nor reject.
    """
    docs = state.table.ids.docs_of([document.id for document in documents])
    came_before = (docs >= 0).tolist()  # unless its hour leaves while the batch is decided
    absent = _absent(state, documents, docs)
    shown_otherwise = _shown_otherwise(state, documents, batch, docs, absent)
    verdicts: list[Verdict] = []
    rejects: list[Reject] = []
    sizes = budget_sizes(state, documents, batch)
    leaps.begin(documents)
    first = 0
    while first < len(documents):
        document = documents[first]
        doc = state.table.ids.get(document.id) if came_before[first] else None
        if doc is not None and doc not in absent and _has_text(state, doc, batch.signed.fingerprints[first]):
            state.since_opened.unchanged += 1
            if doc in shown_otherwise:
                state.show_anew(doc, document)
            verdicts.append(_stored_verdict(state, document, doc, batch.signed.bitmaps[first, 1]))
            first += 1
            continue
        doubt = leaps.doubt(first, state)
        if leaps.held:
            break
        if doubt is not None:
            rejects.append(document.rejected(doubt))
            first += 1
            continue
        if doc is not None:
            state.remove(doc)
            state.since_opened.replaced += 1
        give_up_for(state, int(sizes[first]))
        last = _end_of_run(state, documents, sizes, first, came_before)
        verdicts += _score_run(state, documents[first:last], batch.part(first, last))
        first = last
    return verdicts, rejects


def _absent(state: State, documents: Sequence[Prepared], docs: NDArray[np.int64]) -> Collection[int]:
    """The docs, of documents that came before, that other clients have deleted; -1 in `docs` is a new document."""
    own = [
        doc
        for doc, document in zip(docs.tolist(), documents, strict=True)
        if doc >= 0 and not document.origin
    ]
    if not own:
        return ()
    return {own[i] for i in np.flatnonzero(state.store.absent(state.table.rows[own])).tolist()}


def _shown_otherwise(
    state: State,
    documents: Sequence[Prepared],
    batch: SignedQueryBatch,
    docs: NDArray[np.int64],
    absent: Collection[int],
) -> Collection[int]:
    """The docs, of documents that came before with the same normal form, whose kept texts differ: in punctuation,
    symbols or white space.
    """
    again = [
        i
        for i, doc in enumerate(docs.tolist())
        if doc >= 0
        and doc not in absent
        and not documents[i].origin
        and _has_text(state, doc, batch.signed.fingerprints[i])
    ]
    kept_texts = state.store.original_texts(state.table.rows[docs[again]]) if again else ()
    return {
        int(docs[i])
        for i, text in zip(again, kept_texts, strict=True)
        if text is not None and text != documents[i].text
    }


def sign(state: State, documents: Sequence[Prepared]) -> SignedQueryBatch:
    """The signatures of a batch."""
    counted = state.signer.counted
    return state.search.query_batch([counted.of(document.text, document.fields) for document in documents])


def _has_text(state: State, doc: int, fingerprint: NDArray[np.uint64]) -> bool:
    return bool((state.table.fingerprints[doc] == fingerprint).all())


def _stored_verdict(state: State, document: Prepared, doc: int, bitmap: NDArray[np.uint64]) -> Verdict:
    """The verdict on a document that came before with the same text, which has this bitmap."""
    row = state.table.rows[doc : doc + 1]  # not copied: a stream may come again as a whole
    if document.origin is not None:
        state.store.note_repeated(document, row, bitmap)
    return next(state.verdicts_in(row))


def _end_of_run(
    state: State,
    documents: Sequence[Prepared],
    sizes: NDArray[np.int64],
    first: int,
    came_before: Sequence[bool],
) -> int:
    """Where the run of new documents from `first` ends: at an id that `came_before`, a leap in time, or where a budget
    is reached by documents of these `sizes`.
    """
    settings = state.settings
    # Whether a list of words is too long to read depends on which documents of the run were kept.
    is_alone = settings.policy != "mark" and state.search.reads_words
    most = 1 if is_alone else fitting(state, sizes[first:])
    end = min(first + most, len(documents))
    hours = [document.hour for document in documents[first:end]]
    if not any(came_before[first + 1 : end]) and max(hours) <= max(state.newest, hours[0]) + 1:
        return end  # nearly always
    newest, oldest = state.newest, min(state.table.by_hour.documents, default=LAST_HOUR)
    for at, hour in enumerate(hours, first):
        expires = hour > newest + 1 and first_living_hour(hour, settings.kept_hours) > oldest
        if at > first and (came_before[at] or expires):
            return at  # decided with the next run, by what is there then
        newest, oldest = max(newest, hour), min(oldest, hour)
    return end


def _score_run(state: State, documents: Sequence[Prepared], batch: SignedQueryBatch) -> list[Verdict]:
    """Verdicts of a run of documents whose ids are new; they are appended to the store, not committed yet."""
    own_hours = [document.hour for document in documents]
    hours = compared_hours_of(state, own_hours)
    state.newest = max(state.newest, *own_hours)
    if hours.late.any():
        state.since_opened.add_late([documents[i] for i in np.flatnonzero(hours.late).tolist()])
    in_time = np.flatnonzero(~hours.late)
    docs = np.full(len(documents), -1, np.int64)
    docs[in_time] = state.begin_run(documents, batch, in_time)
    settings = state.settings
    verdicts: list[Verdict] = []
    query = Query(
        docs, batch.signed.counts, hours.lows, hours.highs, settings.threshold_fraction.as_integer_ratio(),
        many=0 if settings.matches is None else MANY_OF_ONE_TEXT,
    )  # fmt: skip
    for positions, part, verifier in searched(state, batch, query):
        part_hours = hours.part(positions.start, positions.stop)
        verdicts += _decided(state, documents[positions], docs[positions], part, part_hours, verifier)
    state.end_run(batch, in_time)
    state.expire_before(first_living_hour(state.newest, state.settings.kept_hours))
    return verdicts


def _decided(
    state: State,
    documents: Sequence[Prepared],
    docs: NDArray[np.int64],
    batch: SignedQueryBatch,
    hours: ComparedHours,
    verifier: Verifier,
) -> list[Verdict]:
    """One verdict after another: each sees the groups of those before it, and which copies were not kept. A document
    without candidates changes nothing for others. `docs`: the doc of each document, -1 for one that came too late.
    """
    settings = state.settings
    alive_only = settings.policy != "mark"  # otherwise no candidate dies while others of the run are decided
    truncated = verifier.truncated | hours.incomplete
    are_truncated, empty = truncated.tolist(), (np.diff(batch.signed.text_offsets) == 0).tolist()
    comparable = (hours.highs >= hours.floors).tolist()
    ids = [document.id for document in documents]
    times = [document.time for document in documents]
    verdicts = unmatched(ids, times, empty, comparable, are_truncated, parts=settings.partial)
    alone, are_kept = ~verifier.have_candidates, docs >= 0
    _keep_alone(state, docs[alone & are_kept], truncated[alone & are_kept])
    bases: dict[int, Basis] = {}
    for i in np.flatnonzero(~alone).tolist():
        own = own_groups(state, ids[i])
        compared = verifier.compared(i, int(hours.floors[i]), alive_only=alive_only, without=own)
        verdicts[i] = decide(
            ids[i], times[i], compared, empty=empty[i], comparable=comparable[i], truncated=are_truncated[i],
            parts=settings.partial, listed=settings.matches,
        )  # fmt: skip
        if compared.matches.total or compared.parts:
            bases[i] = compared.matches.basis(compared.parts)
            best = bases[i].best
            is_earlier = best is not None and best.time > times[i]
            state.since_opened.earlier_copies += is_earlier and bool(are_kept[i])
        are_kept[i] = are_kept[i] and _keep(state, int(docs[i]), verdicts[i], bases.get(i))
    state.table.ids.let_find_all(docs[are_kept], [ids[i] for i in np.flatnonzero(are_kept).tolist()])
    _record(state, documents, verdicts, np.where(are_kept, docs, -1), bases)
    return verdicts


def _keep_alone(state: State, docs: NDArray[np.int64], truncated: NDArray[np.bool_]) -> None:
    """Records documents of the run that were compared with none: whatever the policy, they are kept."""
    state.table.ids.known[docs] = 1
    for doc in docs[truncated].tolist():
        state.table.note_compared(doc, 0, truncated=True)


def _record(
    state: State,
    documents: Sequence[Prepared],
    verdicts: list[Verdict],
    docs: NDArray[np.int64],
    bases: Mapping[int, Basis],
) -> None:
    """Gives the copies among `verdicts` their kinds, all at once, and writes the verdicts that have a basis.

    `docs`: the doc of each document, -1 for one not kept. `bases`: the bases of verdicts with a match or part, by
    position.
    """
    copies = [(i, best) for i, basis in bases.items() if (best := basis.best) is not None]
    counted = state.signer.counted
    texts = [counted.of(documents[i].text, documents[i].fields) for i, _ in copies]
    labelled = with_kinds(state, [verdicts[i] for i, _ in copies], texts, [best for _, best in copies])
    for (i, _), verdict in zip(copies, labelled, strict=True):
        verdicts[i] = verdict
    written = [i for i in bases if docs[i] >= 0]
    state.write(docs[written].tolist(), [verdicts[i] for i in written], [bases[i] for i in written])
    for i in np.flatnonzero(docs < 0).tolist():
        if documents[i].origin is not None:
            state.store.note_not_kept(documents[i], verdicts[i])


def _keep(state: State, doc: int, verdict: Verdict, basis: Basis | None) -> bool:
    """Records the verdict on a document of the run, as the policy requires; `basis`: None if the document has neither a
    match nor a part. Returns whether the document is kept, and so can be found by its id.
    """
    table, policy = state.table, state.settings.policy
    if verdict.is_copy and policy == "drop":
        table.delete(doc)
        return False
    table.ids.known[doc] = 1
    if basis is not None:
        state.join(doc, basis.head)
    elif verdict.candidates or verdict.truncated:
        table.note_compared(doc, verdict.candidates, truncated=verdict.truncated)
    if verdict.is_copy and policy == "route":
        table.set_aside(doc, aside=True)
    return True
