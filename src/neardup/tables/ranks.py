"""The tables that rank q-grams for the sketch, in integers.

A sketch is a bottom-k sample with exponential ranks (Cohen & Kaplan 2007): a q-gram of document frequency
df has the rank -ln(u) · df^alpha for u uniform in (0, 1). Taken in the log domain and rounded, this is the
sum of two integers:

    rank = EL[low 16 bits of the key] + WL[class of the key]
    EL[i] = round(1024 · (log2(-ln((i + 1/2) / 65,536)) + 18))
    WL[c] = round(1024 · alpha · c / 16) for classes c < 255, where c = round(16 · log2 df)
    WL[255] = 25,000: unknown q-grams, which come last (a typing error is rarer than any word)

A sum is below 65,536. No implementation computes a logarithm: both tables ship as data, made with 50 digits
by `scripts/make_rank_tables.py`. The container of `data/rank16.bin` is that of `neardup.tables.container` (kind
"RANK", version 1); its payload, little-endian:

    bytes    what
    131,072  EL: 65,536 times uint16
    512      WL for alpha = 1.5: 256 times uint16
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.errors import DataFileError
from neardup.tables import container
from neardup.tables.lexicon import UNKNOWN_CLASS

if TYPE_CHECKING:
    from numpy.typing import NDArray

KIND: Final = b"RANK"
VERSION: Final = 1
UNKNOWN_WEIGHT: Final = 25_000
_PAYLOAD_BYTES: Final = 2 * (65_536 + 256)


@dataclass(frozen=True, eq=False, repr=False)
class RankTable:
    """Read-only arrays: `exponential` is EL (65,536 values), `class_weights` WL for alpha = 1.5 (256)."""

    exponential: NDArray[np.uint16]
    class_weights: NDArray[np.uint16]


@functools.cache
def load() -> RankTable:
    """The tables that ship with the package; read once.

    Raises `DataFileError` if the file is damaged or of another version.
    """
    return container.shipped("rank16.bin", read)


def read(path: str | os.PathLike[str]) -> RankTable:
    """The tables in the file at `path`; raises `DataFileError` if it holds anything else."""
    payload, _ = container.read(path, KIND, VERSION)
    if len(payload) != _PAYLOAD_BYTES:
        raise DataFileError(path, f"a payload of {len(payload)} bytes", f"{_PAYLOAD_BYTES} bytes")
    logarithms = np.frombuffer(payload, "<u2").astype(np.uint16)
    logarithms.setflags(write=False)
    return RankTable(logarithms[:65_536], logarithms[65_536:])


@functools.cache
def class_weights(alpha: float) -> NDArray[np.uint16]:
    """WL for any `alpha` from 0 to 2.5: what a frequency class adds to the rank, the unknown class last.

    `alpha` is taken as the decimal it prints as, halves are rounded up: no float arithmetic takes part.
    Above 1.5 the most frequent of the known q-grams may rank behind unknown ones, whose weight stays 25,000.

    >>> [int(class_weights(1.5)[c]) for c in (0, 1, 254, 255)]
    [0, 96, 24384, 25000]
    """
    exact = Fraction(str(alpha))
    if not 0 <= exact <= Fraction(5, 2):
        # Above that a sum of EL and WL would leave 16 bits.
        raise ValueError(f"alpha is {alpha}: it must be between 0 and 2.5")
    known = [int(1024 * exact * c / 16 + Fraction(1, 2)) for c in range(UNKNOWN_CLASS)]
    weights = np.array([*known, UNKNOWN_WEIGHT], np.uint16)
    weights.setflags(write=False)
    return weights
