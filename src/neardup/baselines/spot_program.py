"""SpotSigs, LSH and I-Match as the program of the SpotSigs authors runs them: all three on spot signatures.

Theobald, Siddharth & Paepcke (2008); the public copy of their Java program with its default settings, which Montanari
& Puglisi (2012), section 4, compared with. A spot signature is the next word after an antecedent that is no stop word,
without the antecedent. Of a document with four or more, those stay whose idf, log((N + 1) / n) / log(N + 1), is 0.2 to
0.85; N counts such documents; with fewer than four left it is nobody's copy. SpotSigs compares the bags that are left;
LSH the same bags where any of 32 tables has the same 6 minima; I-Match digests the sorted signatures.

Departures: words and stop words are those of the other methods here; equal texts get no score by their checksum;
minima are of 64-bit linear functions, drawn for each table, and all six must be equal, not their sum. The settings
file beside the program has 0.8 where its source has 0.85.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator
from typing import ClassVar

import numpy as np

from neardup.baselines.base import YES_NO, Index, KeyIndex, Method
from neardup.baselines.collection import FeatureFrequencies, learned
from neardup.baselines.spotsigs import SpotSigs
from neardup.baselines.tokens import STOPWORDS, Bag, Keys, distinct, keys_of
from neardup.baselines.words import words

_ANTECEDENTS = """
the be is are was will would shall should can could has have had do did does done
un une le la el al
"""
PROGRAM_ANTECEDENTS = frozenset(_ANTECEDENTS.split())
LEAST = 4
TABLES, ROWS = 32, 6
IDF = (0.2, 0.85)


def spots(text: str) -> list[str]:
    """The spot signatures of `text` in its order.

    >>> spots("The rose is a flower, and the sea was the wide sea.")
    ['rose', 'flower', 'sea', 'wide', 'wide']
    """
    all_words = words(text)
    chosen: list[str] = []
    following = ""
    for word in reversed(all_words):
        if word in PROGRAM_ANTECEDENTS and following:
            chosen.append(following)
        if word not in STOPWORDS and word not in PROGRAM_ANTECEDENTS:
            following = word
    return chosen[::-1]


class _Kept:
    """Which spot signatures a collection of `documents` texts leaves, in some languages none: those of middling idf."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.documents = 0
        self.frequencies = FeatureFrequencies.of(self._counted(texts))

    def _counted(self, texts: Iterable[str]) -> Iterator[Keys]:
        for text in texts:
            self.documents += 1
            keys = keys_of(spots(text))
            if len(keys) >= LEAST:
                yield distinct(keys)

    def of(self, keys: Keys) -> Keys:
        """Those of `keys` that stay, in their order, repeated ones too."""
        held = self.frequencies.look_up(keys)
        known = np.maximum(held, 1)
        all_counted = max(self.frequencies.documents, 1)  # of none, no key is held either
        idf = np.log((all_counted + 1) / known) / math.log(all_counted + 1)
        return keys[(held > 0) & (IDF[0] <= idf) & (idf <= IDF[1])]


class ProgramSpotSigs(SpotSigs):
    """Bags of the spot signatures that are left, by their Jaccard coefficient."""

    paper: ClassVar[str] = "Theobald, Siddharth & Paepcke 2008: the authors' program"

    def __init__(self) -> None:
        name = f"SpotSigs(program, idf={IDF[0]}..{IDF[1]})"
        super().__init__(1, 1, antecedents=PROGRAM_ANTECEDENTS, name=name)
        self._kept: _Kept | None = None

    def learn(self, texts: Iterable[str]) -> None:
        """Counts the documents of each spot signature."""
        self._kept = _Kept(texts)

    def chains(self, text: str) -> list[str]:
        """The spot signatures of `text` in its order, rare and frequent ones too."""
        return spots(text)

    def sign(self, text: str) -> Bag:
        """The bag of those that are left; an empty one of fewer than four."""
        keys = keys_of(spots(text))
        kept = learned(self._kept, self.name).of(keys)
        return Bag.of(kept if len(kept) >= LEAST else kept[:0])


class SpotLsh(ProgramSpotSigs):
    """The same bags, of which only those are compared that have the minima of a whole table in common.

    Loses pairs by design: of sets with a Jaccard coefficient of 0.5 three in five, of 0.7 two in a hundred.
    """

    def __init__(self, *, seed: int = 0) -> None:
        super().__init__()
        self.name = f"LSH(program, tables={TABLES}, rows={ROWS}, idf={IDF[0]}..{IDF[1]})"
        numbers = np.random.default_rng(seed)
        draws = numbers.integers(0, 1 << 63, (2, TABLES * ROWS), dtype=np.uint64)
        self._factors, self._addends = 2 * draws[0] + np.uint64(1), 2 * draws[1]

    def keys(self, signature: Bag, threshold: float) -> list[tuple[int, bytes]]:  # noqa: ARG002
        """Each table with its minima, which do not depend on the threshold."""
        if not len(signature.keys):
            return []
        hashed = signature.keys[:, None] * self._factors + self._addends
        minima = hashed.min(axis=0).reshape(TABLES, ROWS)
        return [(table, row.tobytes()) for table, row in enumerate(minima)]

    def index(self, threshold: float) -> Index[Bag]:
        """The tables."""
        return KeyIndex(self, threshold)


class SpotIMatch(Method[bytes]):
    """One digest of the different spot signatures that are left."""

    paper: ClassVar[str] = "Theobald, Siddharth & Paepcke 2008: the authors' program, I-Match"
    thresholds = YES_NO

    def __init__(self) -> None:
        self.name = f"I-Match(program, idf={IDF[0]}..{IDF[1]})"
        self._kept: _Kept | None = None

    def learn(self, texts: Iterable[str]) -> None:
        """Counts the documents of each spot signature."""
        self._kept = _Kept(texts)

    def sign(self, text: str) -> bytes:
        """The digest; nothing of fewer than four signatures."""
        kept = distinct(learned(self._kept, self.name).of(keys_of(spots(text))))
        return hashlib.sha1(kept.tobytes(), usedforsecurity=False).digest() if len(kept) >= LEAST else b""

    def score(self, a: bytes, b: bytes) -> float:
        """1 if the digests are equal."""
        return float(bool(a) and a == b)

    def keys(self, signature: bytes, threshold: float) -> list[bytes]:  # noqa: ARG002 - it says yes or no
        """The digest."""
        return [signature] if signature else []

    def size(self, signature: bytes) -> int:
        """20 bytes."""
        return len(signature)
