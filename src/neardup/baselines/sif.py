"""sif: fingerprints of 50 characters in a row, of which one in so many is kept by its value.

Manber (1994), "Finding similar files in a large file system", section 3: all sequences of 50 characters of a file as
they stand; kept are those whose fingerprint ends in zeros; two files are as alike as the share of what they have in
common. Montanari & Puglisi (2012), section 3.1, name it.

Departures: xxh64 in place of Rabin fingerprints; the file is the UTF-8 text; the share is of the smaller set, and one
in 16 is kept, where the paper keeps one in 256 of larger files. A text of fewer than 50 bytes is nobody's copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
import xxhash

from neardup.baselines import tokens
from neardup.baselines.sets import Measure, SetMethod
from neardup.baselines.shingling import THRESHOLDS
from neardup.model.document import encode_text

if TYPE_CHECKING:
    from neardup.baselines.tokens import Keys


class Sif(SetMethod):
    """Sequences of `length` bytes whose hash is 0 modulo `every`."""

    paper: ClassVar[str] = "Manber 1994"
    thresholds = THRESHOLDS
    measure = Measure.SMALLER

    def __init__(self, length: int = 50, every: int = 16) -> None:
        if length < 1 or every < 1:
            raise ValueError(f"length = {length} and every = {every}: both must be 1 or more")
        self.name = f"sif(length={length}, every={every})"
        self.length, self.every = length, every

    def sign(self, text: str) -> Keys:
        """The fingerprints that are kept, ascending. About 1 ms for 4 KB."""
        data, length = encode_text(text), self.length
        if not text.strip():
            return tokens.distinct(np.empty(0, np.uint64))
        hashed = (xxhash.xxh64_intdigest(data[at : at + length]) for at in range(len(data) - length + 1))
        return tokens.distinct(np.array([key for key in hashed if not key % self.every], np.uint64))
