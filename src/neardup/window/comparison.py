"""Comparing a signed batch with its candidates in a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.index.verification import Verifier

if TYPE_CHECKING:
    from fractions import Fraction

    from neardup.index.candidates import Candidates
    from neardup.index.query_batch import SignedQueryBatch
    from neardup.model.settings import PartialRule
    from neardup.window.state import State


def verifier_of(
    state: State,
    signed: SignedQueryBatch,
    candidates: Candidates,
    threshold: Fraction,
    *,
    rule: PartialRule | None,
    listed: int | None,
) -> Verifier:
    """What compares a signed batch with its `candidates`; see `Verifier` for the rest."""
    return Verifier(
        signed, candidates, table=state.table, crowds=state.search.crowds, signer=state.signer,
        settings=state.settings, threshold=threshold, read_texts=state.texts, rule=rule, listed=listed,
    )  # fmt: skip
