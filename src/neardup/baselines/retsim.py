"""RETSim: a small neural network's vector of a text, near in cosine where texts are near-duplicates.

Zhang, Vallis, Bursztein et al. (2023), "RETSim: resilient and efficient text similarity": parts of 512 characters,
each to a vector of 256 numbers, and their mean for the whole text; copies from a cosine of 0.9 on. The model and what
runs it are the library's, unisim (an optional dependency; its wheel carries the model).

Departures: none of the method's; a text without a letter or a figure is nobody's copy, where the library gives it a
vector too. All pairs are compared, where the library has an approximate index.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from neardup.baselines.base import Method
from neardup.baselines.words import words

Embedding = NDArray[np.float32]


class RetSim(Method[Embedding]):
    """The vector of a text, by the cosine of two. Tenths of a second for 4 KB on one core."""

    paper: ClassVar[str] = "Zhang, Vallis, Bursztein et al. 2023; unisim"
    thresholds = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)

    def __init__(self) -> None:
        self.name = "RETSim"
        self._library = _library()

    def sign(self, text: str) -> Embedding:
        """The vector, of length 1; none for a text without a word."""
        if not words(text):
            return np.empty(0, np.float32)
        vector: Embedding = self._library.embed([text])[0]
        vector.setflags(write=False)
        return vector

    def score(self, a: Embedding, b: Embedding) -> float:
        """The cosine to six digits, which is what its arithmetic is good for; 0 where it is negative."""
        return min(1.0, max(0.0, round(float(a @ b), 6))) if len(a) and len(b) else 0.0

    def size(self, signature: Embedding) -> int:
        """4 bytes a number."""
        return int(signature.nbytes)


@functools.cache
def _library() -> Any:
    """The library with its model, which no other part of the package needs."""
    try:
        return importlib.import_module("unisim").TextSim()
    except ImportError as cause:
        where = "pip install 'neardup[retsim]', or in a checkout pip install '.[retsim]'"
        raise ModuleNotFoundError(
            f"RETSim runs on unisim, which is not installed: {where}", name="unisim"
        ) from cause
