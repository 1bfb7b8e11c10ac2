"""doc_q of two texts, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from neardup.model.document import text_argument
from neardup.model.settings import Recipe
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    from neardup.signing.signer import Signer


class SetOverlap(NamedTuple):
    """How much the q-grams of two texts have in common: |A ∩ B|, |A|, |B|; and whether the normal forms are equal.

    `score` is doc_q; `containments` are |A ∩ B| / |A| and |A ∩ B| / |B|. All are 1 for equal non-empty normal forms,
    however short, and otherwise 0 if a text has no q-gram.
    """

    shared: int
    size_a: int
    size_b: int
    is_exact: bool

    @property
    def score(self) -> float:
        """doc_q."""
        return self._share(max(self.size_a, self.size_b))

    @property
    def containments(self) -> tuple[float, float]:
        """|A ∩ B| / |A|, the share of A that is in B, and |A ∩ B| / |B|."""
        return self._share(self.size_a), self._share(self.size_b)

    def _share(self, size: int) -> float:
        return 1.0 if self.is_exact else self.shared / size if size else 0.0


def overlap(a: str, b: str, signer: Signer) -> SetOverlap:
    """The overlap of two texts by the recipe of `signer`; raises `DocumentError` for an unpaired surrogate."""
    batch = signer.sign([text_argument("a", a), text_argument("b", b)])
    keys, offsets = signer.key_sets(batch)
    size_a, size_b = np.diff(offsets).tolist()
    shared = np.intersect1d(keys[:size_a], keys[size_a:], assume_unique=True)
    is_exact = batch.text(0) == batch.text(1) and bool(batch.text(0))
    return SetOverlap(len(shared), size_a, size_b, is_exact)


def doc_q(a: str, b: str, *, q: int = 4, fold_case: bool = False) -> float:
    """|A ∩ B| / max(|A|, |B|) over the sets of q-grams of the two normal forms (Montanari & Puglisi 2012,
    Definition 3.32).

    From 0 to 1; symmetric; 1 for equal non-empty normal forms, however short; else 0 if one has no q-gram. Raises
    `TypeError` if an argument is no text, `DocumentError` for an unpaired surrogate, `SettingsError` for a q outside 1
    to 16. Costs about 0.1 ms for 4 KB.

    >>> doc_q("A rose is a flower", "A rose is a flower!")
    1.0
    """
    return overlap(a, b, signer_for(Recipe(q=q, fold_case=fold_case))).score
