"""Comparing documents in a window: a signed batch with its candidates, exactly; and, for their kinds, copies with their
best matches, by the texts as they came.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from neardup.index.crowd_comparison import CrowdComparison
from neardup.index.originals import doc_of, leads_to
from neardup.index.pair_comparison import PairComparison
from neardup.index.verification import Verifier
from neardup.kinds.kind import labels_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from neardup.index.candidates import Candidates
    from neardup.index.posting_lists import Query
    from neardup.index.query_batch import SignedQueryBatch
    from neardup.index.verification import Chosen
    from neardup.index.word_index import Among
    from neardup.model.settings import PartialRule
    from neardup.model.verdict import Overlap, Verdict
    from neardup.window.state import State

_VERDICTS_AT_ONCE: Final = 1_000


def verifier_of(
    state: State,
    batch: SignedQueryBatch,
    candidates: Candidates,
    threshold: Fraction,
    *,
    rule: PartialRule | None,
    listed: int | None,
    docs: NDArray[np.int64] | None = None,
) -> Verifier:
    """The verifier that compares a signed batch with its `candidates`, at `threshold`.

    `rule`: when documents below the threshold share a part. `listed`: how many matches are listed; None = all. `docs`:
    the doc of each document of the batch, -1 for one that is not kept; None: none is kept.
    """
    settings, table, signer = state.settings, state.table, state.signer
    comparing = partial(
        PairComparison, batch.signed, table=table, signer=signer, settings=settings, threshold=threshold,
        rule=rule,
    )  # fmt: skip
    pairs = comparing(read_texts=state.texts)
    # With very many candidates, each text is read once for all documents that have it.
    texts = comparing(read_texts=state.texts_of_any)
    in_crowds = CrowdComparison(
        batch.signed, candidates.many, np.full(len(batch.signed.counts), -1) if docs is None else docs, texts,
        table=table, crowds=state.search.crowds, signer=signer, threshold=threshold,
    )  # fmt: skip
    return Verifier(
        batch, candidates, pairs, in_crowds, table=table, most=settings.max_candidates, listed=listed
    )


def own_copies(state: State, id: str, floor: int, doc: int | None = None) -> Chosen | None:
    """Which documents are copies of an earlier document of this id, or of the stored `doc`, if it is given, when the
    hours before `floor` have gone (docs/definitions.md, Window); None if none is.

    After a window was read, the stored verdict on one member of each group without a head, and on each head that is a
    copy, is read once.
    """
    table = state.table
    if table.originals.unnamed:
        name_originals(state)
    if id not in table.originals and not (doc is not None and table.leads[doc]):
        return None

    known: dict[int, bool] = {}

    def chosen(docs: NDArray[Any]) -> NDArray[np.bool_]:
        groups, at = np.unique(table.group_arrivals[docs], return_inverse=True)
        are_own = np.array([leads_to(table, group, id, floor, known) for group in groups.tolist()], np.bool_)
        return are_own[at]

    return chosen


def name_originals(state: State) -> None:
    """Finds the ids for heads that were gone or copies when the window was read: the verdict on such a copy, or on a
    member of the group of a head that is gone, says it.
    """
    table, originals = state.table, state.table.originals
    unnamed = sorted(originals.unnamed)
    for at in range(0, len(unnamed), _VERDICTS_AT_ONCE):
        docs: dict[int, int] = {}
        for arrival in unnamed[at : at + _VERDICTS_AT_ONCE]:
            head, members = doc_of(table, arrival), table.members.get(arrival, ())
            present = filter(table.is_present, members if head is None else (head, *members))
            docs.update((arrival, doc) for doc in islice(present, 1))
        verdicts = state.stored_verdicts([*docs.values()])
        for (arrival, doc), verdict in zip(docs.items(), verdicts, strict=True):
            is_head = table.arrivals[doc] == arrival
            originals.set(arrival, verdict.duplicate_of if is_head else verdict.group)
    originals.unnamed.clear()


def searched(
    state: State, batch: SignedQueryBatch, query: Query, among: Among | None = None
) -> Iterator[tuple[slice, SignedQueryBatch, Verifier]]:
    """A batch in parts, each with the positions of its documents, and the verifier that compares it by the settings of
    the window. A part is searched and added when it is requested: after the part before it was decided.
    """
    settings, first, last = state.settings, 0, len(query.docs)
    while first < last:
        rest = query.part(slice(first, last))
        those = None if among is None else _from(first, among)
        candidates = state.search.candidates(batch.part(first, last), rest, state.table, those)
        positions = slice(first, first + len(candidates.truncated))
        part = batch.part(positions.start, positions.stop)
        yield positions, part, verifier_of(
            state, part, candidates, query.threshold, rule=settings.partial_rule, listed=settings.matches,
            docs=query.docs[positions],
        )  # fmt: skip
        first = positions.stop


def _from(first: int, among: Among) -> Among:
    """`among` for the documents of a batch from number `first` on, which are numbered from 0."""
    return lambda queries, docs: among(queries + first, docs)


def with_kinds(
    state: State,
    verdicts: Sequence[Verdict],
    subjects: Sequence[bytes | int],
    originals: Sequence[Overlap],
) -> list[Verdict]:
    """The verdicts on copies with the kind of each: `subjects` are the copies, texts or docs of stored documents,
    `originals` their best matches. A verdict gets no kind if one of the two texts was not kept, or if the settings ask
    for none.

    All texts that are needed from the store are read in one call, for that may be a request.
    """
    if not verdicts or not state.settings.kinds:
        return list(verdicts)
    docs = [original.doc for original in originals]
    wanted = list(dict.fromkeys([*docs, *(each for each in subjects if isinstance(each, int))]))
    kept = dict(zip(wanted, state.original_texts(wanted), strict=True))
    texts = [kept[each] if isinstance(each, int) else each for each in subjects]
    pairs = {
        i: (text, other)
        for i, (text, other) in enumerate(zip(texts, (kept[doc] for doc in docs), strict=True))
        if text is not None and other is not None
    }
    known = [(originals[i].larger, originals[i].shared) for i in pairs]
    recipe = state.signer.recipe
    labels = labels_of(list(pairs.values()), known, q=recipe.q, fold_case=recipe.fold_case)
    labelled = list(verdicts)
    for i, label in zip(pairs, labels, strict=True):
        labelled[i] = verdicts[i]._replace(kind=label.kind, differing=label.differing)
    return labelled
