"""MinHash with locality-sensitive hashing, by datasketch.

Broder (1997), "On the resemblance and containment of documents": the share of equal minima under random permutations
estimates the resemblance. Indyk & Motwani (1998), "Approximate nearest neighbors: towards removing the curse of
dimensionality": documents that agree in a whole band of minima are candidates. The LSH of Montanari & Puglisi (2012),
section 4, is of this kind.

The permutations, the index and its choice of bands for a threshold are datasketch's (an optional dependency).
Departures: candidates whose estimate lies below the threshold are not reported, and features are 4-grams of the normal
form unless words are asked for, so that the difference from doc_q is not one of features. From a threshold of 0.99 on
(of 128 permutations) datasketch would take a single band, which it refuses: there are two, and nothing is lost.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from neardup.baselines import tokens
from neardup.baselines.base import Index, Method

Minima = NDArray[np.uint32]

PERMUTATIONS = 128


class MinHashLsh(Method[Minima]):
    """Estimated resemblance of sets of q-grams, or of shingles of `width` words.

    Loses pairs by design: those without an equal band are never looked at, by `keys` as by `index`.
    """

    paper: ClassVar[str] = "Broder 1997; Indyk & Motwani 1998; datasketch"
    thresholds = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

    def __init__(
        self, permutations: int = PERMUTATIONS, *, q: int = 4, width: int | None = None, seed: int = 0
    ) -> None:
        self._datasketch = _datasketch()
        features = f"q={q}" if width is None else f"w={width}"
        self.name = f"MinHash LSH({features}, permutations={permutations})"
        self.permutations, self.q, self.width = permutations, q, width
        self._bands: dict[float, tuple[int, int]] = {}
        # Permutations are drawn once; every sketch shares them.
        self._empty = self._datasketch.MinHash(permutations, seed=seed + 1, hashfunc=int)

    def sign(self, text: str) -> Minima:
        """The minimum of every permutation; none for a text without features."""
        keys = tokens.qgrams(text, self.q) if self.width is None else tokens.shingles(text, self.width)
        sketch = self._empty.copy()
        sketch.update_batch((keys & np.uint64(0xFFFFFFFF)).tolist())  # hash values are 32 bits wide
        minima: Minima = sketch.hashvalues if len(keys) else sketch.hashvalues[:0]
        minima.setflags(write=False)
        return minima

    def score(self, a: Minima, b: Minima) -> float:
        """The share of equal minima."""
        return float(np.count_nonzero(a == b) / self.permutations) if len(a) and len(b) else 0.0

    def sketch(self, signature: Minima) -> Any:
        """The signature as datasketch has it."""
        empty = self._empty
        return self._datasketch.MinHash(
            hashvalues=signature, permutations=empty.permutations, scheme=empty.scheme, seed=empty.seed
        )

    def lsh(self, threshold: float) -> Any:
        """Datasketch's index for `threshold`, with two bands where it would take fewer and raises."""
        try:
            return self._datasketch.MinHashLSH(threshold, self.permutations)
        except ValueError:
            return self._datasketch.MinHashLSH(
                threshold, self.permutations, params=(2, self.permutations // 2)
            )

    def keys(self, signature: Minima, threshold: float) -> Iterable[tuple[int, bytes]]:
        """The bands that datasketch would choose."""
        if not len(signature):
            return
        if threshold not in self._bands:  # choosing takes datasketch 20 ms
            lsh = self.lsh(threshold)
            self._bands[threshold] = lsh.b, lsh.r
        bands, rows = self._bands[threshold]
        for band in range(bands):
            yield band, signature[band * rows : (band + 1) * rows].tobytes()

    def index(self, threshold: float) -> Index[Minima]:
        """Datasketch's own."""
        return LshIndex(self, threshold)

    def size(self, signature: Minima) -> int:
        """4 bytes a permutation."""
        return int(signature.nbytes)


class LshIndex(Index[Minima]):
    """datasketch's index of bands; candidates are checked by their estimate."""

    def __init__(self, method: MinHashLsh, threshold: float) -> None:
        self._method, self._threshold = method, threshold
        self._lsh = method.lsh(threshold)
        self._signatures: list[Minima] = []
        self.compared = 0

    def add(self, signature: Minima) -> None:
        """Adds the next signature."""
        if len(signature):
            self._lsh.insert(len(self._signatures), self._method.sketch(signature), check_duplication=False)
        self._signatures.append(signature)

    def matches(self, signature: Minima) -> Iterator[tuple[int, float]]:
        """Candidates at or above the threshold."""
        if not len(signature):
            return
        for doc in sorted(self._lsh.query(self._method.sketch(signature))):
            self.compared += 1
            score = self._method.score(signature, self._signatures[doc])
            if score >= self._threshold:
                yield doc, score


def _datasketch() -> Any:
    """The library, which no other part of the package needs."""
    try:
        return importlib.import_module("datasketch")
    except ModuleNotFoundError as cause:
        where = "pip install 'neardup[bench]', or in a checkout pip install '.[bench]'"
        message = f"MinHash LSH runs on datasketch, which is not installed: {where}"
        raise ModuleNotFoundError(message, name="datasketch") from cause
