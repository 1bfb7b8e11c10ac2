"""The frozen Unicode 16.0 table: what every code point is, for all of neardup.

The running Python's own tables are never used for a signature: they differ from version to version, and
from the JVM's. `scripts/make_unicode_table.py` makes the file `data/unicode16.bin`; Java reads the same
file.

The container is that of `neardup.tables.container` (kind "UNIC", version 1). Its payload, all numbers little-endian:

    bytes       what
    1,114,112   classes: one byte a code point, the bits named below
    1,114,112   ccc: canonical combining class of each code point
    4           uint32 n: how many code points have a simple lower-case mapping to another one
    4 n         uint32, these code points, ascending
    4 n         uint32, what each of them maps to
    4           uint32 d: how many code points have a canonical decomposition (Hangul syllables not counted)
    4           uint32 v: how many code points all the decompositions have together
    4 d         uint32, these code points, ascending
    4 (d + 1)   uint32, where each decomposition begins in the values below; the last one is v
    4 v         uint32, the full decompositions (nothing in them decomposes further) in canonical order
    4           uint32 m: how many pairs compose (Hangul not counted, composition exclusions left out)
    8 m         uint64, first << 32 | second, ascending
    4 m         uint32, what each pair composes to

Hangul syllables are decomposed and composed by arithmetic (The Unicode Standard, section 3.12), not by table.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from neardup.errors import DataFileError
from neardup.tables import container

if TYPE_CHECKING:
    from numpy.typing import NDArray

KIND: Final = b"UNIC"
VERSION: Final = 1
UNICODE_VERSION: Final = "16.0"
CODE_POINTS: Final = 0x110000

# The bits of a class. KEEP: general category L*, M* or N*, what the normal form consists of.
KEEP: Final = 0x01
# A word by itself: KEEP and Script one of Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar.
ALONE: Final = 0x02
# NFC_Quick_Check is not Yes, or the combining class is not 0: a text without any such code point is in NFC.
NFC_CHECK: Final = 0x04
# Has a simple lower-case mapping to another code point.
LOWER: Final = 0x08
# White_Space.
SPACE: Final = 0x10
# A line break: LF, VT, FF, CR, NEL, LS, PS.
BREAK: Final = 0x20
# Ends a sentence wherever it stands.
END: Final = 0x40
# Ends a sentence before white space and at the end of the text.
END_BEFORE_SPACE: Final = 0x80


class UnicodeTable(NamedTuple):
    """Read-only arrays, in the order in which kernels take them; indexed by code point where not said otherwise.

    `decomp_keys[i]` decomposes to `decomp_values[decomp_start[i]:decomp_start[i + 1]]`; the pair
    `compose_keys[i]` (first << 32 | second) composes to `compose_values[i]`. Both lists of keys ascend.
    """

    classes: NDArray[np.uint8]
    lower: NDArray[np.uint32]
    ccc: NDArray[np.uint8]
    decomp_keys: NDArray[np.uint32]
    decomp_start: NDArray[np.int32]
    decomp_values: NDArray[np.uint32]
    compose_keys: NDArray[np.uint64]
    compose_values: NDArray[np.uint32]


@functools.cache
def load() -> UnicodeTable:
    """The table that ships with the package; read once, about 10 ms and 7 MB.

    Raises `DataFileError` if the file is damaged or of another version.
    """
    return container.shipped("unicode16.bin", read)


def read(path: str | os.PathLike[str]) -> UnicodeTable:
    """The table in the file at `path`; raises `DataFileError` if it holds anything else."""
    payload = container.read(path, KIND, VERSION)
    try:
        return _parsed(payload)
    except (ValueError, IndexError) as cause:
        raise DataFileError(
            path, f"a payload of {len(payload)} bytes", "the sections of a Unicode table"
        ) from cause


class _Sections:
    """Arrays cut from the front of a payload, one after the other."""

    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self._at = 0

    def take(self, dtype: str, count: int) -> NDArray[Any]:
        # Copied into the machine's own byte order and alignment, which compiled kernels rely on.
        array = np.frombuffer(self._payload, np.dtype(dtype), count, self._at)
        self._at += array.nbytes
        return array.astype(array.dtype.newbyteorder("="))

    def count(self) -> int:
        return int(self.take("<u4", 1)[0])

    def end(self) -> None:
        if self._at != len(self._payload):
            raise ValueError(f"{len(self._payload) - self._at} bytes left over")


def _parsed(payload: bytes) -> UnicodeTable:
    sections = _Sections(payload)
    classes = sections.take("u1", CODE_POINTS)
    ccc = sections.take("u1", CODE_POINTS)
    lowered = sections.count()
    lower = np.arange(CODE_POINTS, dtype=np.uint32)
    keys = sections.take("<u4", lowered)
    lower[keys] = sections.take("<u4", lowered)
    decomposed, values = sections.count(), sections.count()
    decomp_keys = sections.take("<u4", decomposed)
    decomp_start = sections.take("<u4", decomposed + 1).astype(np.int32)
    decomp_values = sections.take("<u4", values)
    pairs = sections.count()
    compose_keys = sections.take("<u8", pairs)
    compose_values = sections.take("<u4", pairs)
    sections.end()
    arrays = (classes, lower, ccc, decomp_keys, decomp_start, decomp_values, compose_keys, compose_values)
    for array in arrays:
        array.setflags(write=False)
    return UnicodeTable(*arrays)
