"""doc_q of two texts, exactly."""

from __future__ import annotations

import numpy as np

from neardup.document import encode_text
from neardup.params import Recipe
from neardup.signature import signer


def doc_q(a: str, b: str, *, q: int = 4, fold_case: bool = False) -> float:
    """|A ∩ B| / max(|A|, |B|) over the sets of q-grams of the two normal forms (Montanari & Puglisi 2012,
    Definition 3.32).

    From 0 to 1; symmetric; 1 for equal non-empty normal forms, however short, else 0 where one has no q-gram.
    Raises `ValueError` for an unpaired surrogate, `SettingsError` for a q outside 1 to 16. Costs about 0.1 ms
    for 4 KB.

    >>> doc_q("A rose is a flower", "A rose is a flower!")
    1.0
    """
    batch = signer(Recipe(q=q, fold_case=fold_case)).sign([encode_text(a), encode_text(b)])
    if batch.text(0) == batch.text(1):
        return 1.0 if batch.text(0) else 0.0
    counts = batch.counts
    if not counts.all():
        return 0.0
    first, second = batch.keys[: counts[0]], batch.keys[counts[0] :]
    shared = np.intersect1d(first, second, assume_unique=True)
    return len(shared) / int(counts.max())
