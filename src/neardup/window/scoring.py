"""Scoring: new documents to verdicts, run by run.

A batch is signed, searched and added, verified, decided one document after the other, and appended to the hours. No
verdict depends on where a batch or a run ends: every document is compared with those before it, in the batch or not,
and with the hours that lived when it came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.index.posting_lists import MANY_OF_ONE_TEXT, Query
from neardup.model.decision import decide, unmatched
from neardup.model.hours import LAST_HOUR, first_living_hour
from neardup.window.budgets import budget_sizes, fitting, give_up_for
from neardup.window.compared_hours import ComparedHours, compared_hours_of
from neardup.window.comparison import own_copies, searched, with_kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from neardup.index.query_batch import SignedQueryBatch
    from neardup.index.verification import Verifier
    from neardup.model.document import Prepared, Reject
    from neardup.model.verdict import Basis, Verdict
    from neardup.window.newest_hour import Leaps
    from neardup.window.state import State

    Run = Callable[
        [State, Sequence[Prepared], SignedQueryBatch, Mapping[int, int], int | None], list[Verdict]
    ]
    """`score_run` or `add_run`."""


def score(
    state: State,
    documents: Sequence[Prepared],
    batch: SignedQueryBatch,
    leaps: Leaps,
    run: Run,
) -> tuple[list[Verdict], list[Reject]]:
    """(Verdicts on the documents, whose signatures are `batch`; rejects of those whose times are not believed). The
    documents are appended to the store by `run`, `score_run` or `add_run`, but not committed yet.

    A document that comes again with the same normal form gets its stored verdict, if that is still there; what differs
    besides is shown from now on. Documents that `leaps` holds for a later batch get neither verdict nor reject.
    """
    docs = state.table.ids.docs_of([document.id for document in documents])
    absent = _absent(state, documents, docs)
    earlier = _earlier_versions(state, batch, docs, absent)
    shown_otherwise = _shown_otherwise(state, documents, earlier)
    verdicts: list[Verdict] = []
    rejects: list[Reject] = []
    sizes = budget_sizes(state, documents, batch)
    leaps.begin(documents)
    first = 0
    while first < len(documents):
        document = documents[first]
        version = earlier.get(first)
        doc = version.doc if version is not None and state.table.is_present(version.doc) else None
        if version is not None and doc is not None and version.is_same:
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
        stays = doc if doc is not None and _stays(state, document) else None
        if doc is not None and stays is None:
            state.remove(doc)
            state.since_opened.replaced += 1
        give_up_for(state, int(sizes[first]))
        last = first + 1 if stays is not None else _end_of_run(state, documents, sizes, first, earlier)
        replaced = {at - first: earlier[at].doc for at in range(first + 1, last) if at in earlier}
        verdicts += run(state, documents[first:last], batch.part(first, last), replaced, stays)
        first = last
    return verdicts, rejects


class _Earlier(NamedTuple):
    """The stored `doc` with the id of a document that comes again, unless it leaves while the batch is decided.

    `is_same`: it has the same normal form, and no other client has deleted it.
    """

    doc: int
    is_same: bool


def _earlier_versions(
    state: State, batch: SignedQueryBatch, docs: NDArray[np.int64], absent: Collection[int]
) -> dict[int, _Earlier]:
    """The earlier versions of the documents of a batch that come again, by position; `docs`: -1 for a new document."""
    again = np.flatnonzero(docs >= 0)
    same = (state.table.fingerprints[docs[again]] == batch.signed.fingerprints[again]).all(axis=1).tolist()
    return {
        at: _Earlier(doc, is_same and doc not in absent)
        for at, doc, is_same in zip(again.tolist(), docs[again].tolist(), same, strict=True)
    }


def _stays(state: State, document: Prepared) -> bool:
    """Whether a stored document stays although this one, with its id, comes: because this one comes too late, and will
    not be stored. Another client has written its own over the stored one.
    """
    floor = max(state.next_commit.floor_hour, first_living_hour(state.newest, state.settings.kept_hours))
    return document.origin is None and document.hour < floor


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
    state: State, documents: Sequence[Prepared], earlier: Mapping[int, _Earlier]
) -> Collection[int]:
    """The docs, of documents that came before with the same normal form, whose kept texts differ: in punctuation,
    symbols or white space.
    """
    again = {i: version.doc for i, version in earlier.items() if version.is_same and not documents[i].origin}
    kept_texts = state.store.original_texts(state.table.rows[list(again.values())]) if again else ()
    return {
        doc
        for (i, doc), text in zip(again.items(), kept_texts, strict=True)
        if text is not None and text != documents[i].text
    }


def sign(state: State, documents: Sequence[Prepared]) -> SignedQueryBatch:
    """The signatures of a batch."""
    counted = state.signer.counted
    return state.search.query_batch([counted.of(document.text, document.fields) for document in documents])


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
    earlier: Mapping[int, _Earlier],
) -> int:
    """Where the run of new documents from `first` ends: at one that comes again, unless it can be replaced within the
    run; at a leap in time; or where a budget is reached by documents of these `sizes`.
    """
    settings = state.settings
    # Whether a list of words is too long to read depends on which documents of the run were kept.
    is_alone = settings.policy != "mark" and state.search.reads_words
    most = 1 if is_alone else fitting(state, sizes[first:])
    end = min(first + most, len(documents))
    hours = [document.hour for document in documents[first:end]]
    if earlier.keys().isdisjoint(range(first + 1, end)) and max(hours) <= max(state.newest, hours[0]) + 1:
        return end  # nearly always
    newest, oldest = state.newest, min(state.table.by_hour.documents, default=LAST_HOUR)
    for at, hour in enumerate(hours, first):
        expires = hour > newest + 1 and first_living_hour(hour, settings.kept_hours) > oldest
        newest, oldest = max(newest, hour), min(oldest, hour)
        if at > first and (
            expires
            or (at in earlier and not _is_replaceable(state, documents[at], earlier[at], newest=newest))
        ):
            return at  # decided with the next run, by what is there then
    return end


def _is_replaceable(state: State, document: Prepared, version: _Earlier, *, newest: int) -> bool:
    """Whether an earlier version can be replaced by `document` while a run is decided, in which `newest` is the newest
    hour then: if nothing expires before, its text has changed, and it is still there and must go. Not where candidates,
    or the documents that hold a sentence, are counted by the search, which still finds it.
    """
    counts = state.search.reads_words or state.settings.max_candidates
    changes = not version.is_same and state.table.is_present(version.doc) and not _stays(state, document)
    return newest == state.newest and changes and not counts


def score_run(
    state: State,
    documents: Sequence[Prepared],
    batch: SignedQueryBatch,
    replaced: Mapping[int, int],
    stays: int | None,
) -> list[Verdict]:
    """Verdicts of a run of documents; they are appended to the store, not committed yet. Their ids are new, but for
    those that replace a stored doc: `replaced`, by position; and for the only one, if the stored doc `stays`, with
    which it is not compared.
    """
    hours, docs = _begun(state, documents, batch)
    settings = state.settings
    verdicts: list[Verdict] = []
    query = Query(
        docs, batch.signed.counts, hours.lows, hours.highs, settings.threshold_fraction.as_integer_ratio(),
        many=0 if settings.matches is None or stays is not None else MANY_OF_ONE_TEXT,
    )  # fmt: skip
    among = None if stays is None else lambda _, docs: docs != stays
    for positions, part, verifier in searched(state, batch, query, among):
        part_hours = hours.part(positions.start, positions.stop)
        own = {at - positions.start: doc for at, doc in replaced.items() if at in range(len(docs))[positions]}
        verdicts += _decided(
            state, documents[positions], docs[positions], part, part_hours, verifier, own, stays
        )
    _end(state, batch, docs, len(replaced))
    return verdicts


def add_run(
    state: State,
    documents: Sequence[Prepared],
    batch: SignedQueryBatch,
    replaced: Mapping[int, int],
    _: int | None,
) -> list[Verdict]:
    """Like `score_run`, but each document gets the verdict of one that was compared with no other."""
    first = state.table.size
    hours, docs = _begun(state, documents, batch)
    for doc in replaced.values():
        state.remove(doc)
    state.table.chain_same_texts(first)
    state.search.add(batch, docs, state.table)
    kept = np.flatnonzero(docs >= 0)
    _keep_alone(state, docs[kept], hours.incomplete[kept])
    ids = [document.id for document in documents]
    state.table.ids.let_find_all(docs[kept], [ids[i] for i in kept.tolist()])
    _end(state, batch, docs, len(replaced))
    empty, comparable = np.diff(batch.signed.text_offsets) == 0, hours.highs >= hours.floors
    return unmatched(
        ids, [document.time for document in documents], empty.tolist(), comparable.tolist(),
        hours.incomplete.tolist(), parts=state.settings.partial,
    )  # fmt: skip


def _begun(
    state: State, documents: Sequence[Prepared], batch: SignedQueryBatch
) -> tuple[ComparedHours, NDArray[np.int64]]:
    """Adds a run of documents to the table. Returns the hours that each is compared with; and the doc of each, -1 for
    one that came too late.
    """
    own_hours = [document.hour for document in documents]
    hours = compared_hours_of(state, own_hours)
    state.newest = max(state.newest, *own_hours)
    if hours.late.any():
        state.since_opened.add_late([documents[i] for i in np.flatnonzero(hours.late).tolist()])
    in_time = np.flatnonzero(~hours.late)
    docs = np.full(len(documents), -1, np.int64)
    docs[in_time] = state.begin_run(documents, batch, in_time)
    return hours, docs


def _end(state: State, batch: SignedQueryBatch, docs: NDArray[np.int64], replaced: int) -> None:
    """Appends a run, of these `docs`, which has `replaced` so many others, and drops the hours that it made too old."""
    state.since_opened.replaced += replaced
    state.end_run(batch, np.flatnonzero(docs >= 0))
    state.expire_before(first_living_hour(state.newest, state.settings.kept_hours))


def _decided(
    state: State,
    documents: Sequence[Prepared],
    docs: NDArray[np.int64],
    batch: SignedQueryBatch,
    hours: ComparedHours,
    verifier: Verifier,
    replaced: Mapping[int, int],
    stays: int | None,
) -> list[Verdict]:
    """One verdict after another: each sees the groups of those before it, and which copies were not kept. A document
    without candidates changes nothing for others. `docs`: the doc of each document, -1 for one that came too late;
    `replaced`: the stored docs that documents replace, by position; `stays`: the one that the only document does not.
    """
    settings = state.settings
    # Otherwise no candidate dies while others of the run are decided.
    alive_only = settings.policy != "mark" or bool(replaced)
    truncated = verifier.truncated | hours.incomplete
    are_truncated, empty = truncated.tolist(), (np.diff(batch.signed.text_offsets) == 0).tolist()
    comparable = (hours.highs >= hours.floors).tolist()
    ids = [document.id for document in documents]
    times = [document.time for document in documents]
    verdicts = unmatched(ids, times, empty, comparable, are_truncated, parts=settings.partial)
    alone, are_kept = ~verifier.have_candidates, docs >= 0
    _keep_alone(state, docs[alone & are_kept], truncated[alone & are_kept])
    bases: dict[int, Basis] = {}
    named = 0
    for i in sorted({*np.flatnonzero(~alone).tolist(), *replaced}):
        if i in replaced:
            state.mark_dead(np.array([replaced[i]]))
        if alone[i]:
            continue
        floor = int(hours.floors[i])
        own = own_copies(state, ids[i], floor, stays)
        if own is not None:  # it goes by ids
            named = _let_find(state, ids, docs, are_kept, named, i)
        compared = verifier.compared(i, floor, alive_only=alive_only, without=own)
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
    _let_find(state, ids, docs, are_kept, named, len(ids))
    _record(state, documents, verdicts, np.where(are_kept, docs, -1), bases)
    for doc in replaced.values():
        state.end(doc)
    for i in np.flatnonzero(~are_kept).tolist():
        if documents[i].origin is not None:  # marked behind that, as it may be the document that ends
            state.store.note_not_kept(documents[i], verdicts[i])
    return verdicts


def _let_find(
    state: State,
    ids: Sequence[str],
    docs: NDArray[np.int64],
    are_kept: NDArray[np.bool_],
    first: int,
    last: int,
) -> int:
    """Lets the documents of the run that were kept, from number `first` to `last`, be found by their ids; returns
    `last`.
    """
    kept = first + np.flatnonzero(are_kept[first:last])
    state.table.ids.let_find_all(docs[kept], [ids[i] for i in kept.tolist()])
    return last


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
        state.join(doc, basis)
    elif verdict.candidates or verdict.truncated:
        table.note_compared(doc, verdict.candidates, truncated=verdict.truncated)
    if verdict.is_copy and policy == "route":
        table.set_aside(doc, aside=True)
    return True
