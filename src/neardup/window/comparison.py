"""Comparing documents in a window: a signed batch with its candidates, exactly; and, for their kinds, copies with their
best matches, by the texts as they came.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from neardup.index.crowd_comparison import CrowdComparison
from neardup.index.pair_comparison import PairComparison
from neardup.index.verification import Verifier
from neardup.kernels.gram_sets import SHORT
from neardup.kinds.kind import labels_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from neardup.index.candidates import Candidates
    from neardup.index.posting_lists import Query
    from neardup.index.query_batch import SignedQueryBatch
    from neardup.index.word_index import Among
    from neardup.model.settings import PartialRule
    from neardup.model.verdict import Overlap, Verdict
    from neardup.window.state import State


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


def own_groups(
    state: State, id: str, floor: int, candidates: NDArray[np.int64] | None = None, doc: int | None = None
) -> Collection[int]:
    """The groups whose members are copies of an earlier document of this id, or of the stored `doc`, if it is given: by
    the arrivals of their heads. These are the groups that it heads, those that their members head, and so on, when the
    hours before `floor` have gone (docs/definitions.md, Window).

    After a window was read, a blob is read for each group without a head, once: of all such groups, or of those that a
    document with these `candidates` may be concerned with.
    """
    table = state.table
    heads = table.former_heads
    if heads.unnamed:
        name_former_heads(state, None if candidates is None else heads.unnamed_above(candidates, table))
    groups = set(heads.of(id))
    if doc is not None and table.leads[doc]:
        groups.add(int(table.arrivals[doc]))
    rest = list(groups)
    while rest:
        for member in table.members.get(rest.pop(), ()):
            arrival, is_living = int(table.arrivals[member]), table.hours[member] >= floor
            if arrival in table.members and arrival not in groups and is_living and table.is_present(member):
                groups.add(arrival)
                rest.append(arrival)
    return groups


def name_former_heads(state: State, arrivals: set[int] | None = None) -> None:
    """Finds the ids of heads that were gone when the window was read, all or those of these `arrivals`: the verdicts of
    their members tell them.
    """
    table = state.table
    heads = table.former_heads
    unnamed = set(heads.unnamed) if arrivals is None else arrivals
    groups = (filter(table.is_present, table.members.get(arrival, ())) for arrival in unnamed)
    docs = sorted(doc for members in groups for doc in islice(members, 1))
    for doc, (head, _) in zip(docs, state.members(docs), strict=True):
        heads.add(head, int(table.group_arrivals[doc]))
    heads.unnamed -= unnamed


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
    recipe = state.signer.recipe
    known = [(original.larger, original.shared) if recipe.q == SHORT else (0, 0) for original in originals]
    pairs = {
        i: (text, other)
        for i, (text, other) in enumerate(zip(texts, (kept[doc] for doc in docs), strict=True))
        if text is not None and other is not None
    }
    labels = labels_of(list(pairs.values()), [known[i] for i in pairs], fold_case=recipe.fold_case)
    labelled = list(verdicts)
    for i, label in zip(pairs, labels, strict=True):
        labelled[i] = verdicts[i]._replace(kind=label.kind, differing=label.differing)
    return labelled
