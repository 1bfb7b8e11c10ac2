"""The hash table of Yoon et al. (2012), section 2: the sentence fingerprints of all comparable documents together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from neardup.baselines.sentence_fingerprints import MOST_OCCURRENCES

if TYPE_CHECKING:
    from neardup.baselines.sentence_fingerprints import SentenceHashes


class SentenceTable:
    """The fingerprints of all comparable documents except those that occur more than `most` times.

    A post with more than delta `collisions` is a duplicate.
    """

    def __init__(self, signatures: Iterable[Iterable[bytes]], most: int = MOST_OCCURRENCES) -> None:
        occurrences = Counter(value for signature in signatures for value in signature)
        self.struck_out = sum(count > most for count in occurrences.values())
        self._values = frozenset(value for value, count in occurrences.items() if count <= most)

    def __len__(self) -> int:
        return len(self._values)

    def values(self) -> frozenset[bytes]:
        """The hash values in the table."""
        return self._values

    def collisions(self, signature: SentenceHashes) -> int:
        """How many of the target's hash values are in the table; a repeated value counts each time."""
        return sum(value in self._values for value in signature)
