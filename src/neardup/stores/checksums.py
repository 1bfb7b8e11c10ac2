"""Checksums of the items in a window's files: xxh3 of 64 bits.

A checksum is seeded with the item's `owner`, the arrival or version that it belongs to, and its `kind`, the number of
its file, so that an intact item in the place of another one does not check either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash

from neardup.kernels.checksums import SUM_BYTES

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KINDS: Final = 4


def seeds_of(owners: NDArray[Any], kind: int) -> NDArray[np.uint64]:
    """The seeds of the checksums of items with these owners, for the kernels (kernels/checksums.py)."""
    return owners.astype(np.uint64) * np.uint64(_KINDS) + np.uint64(kind)


def unsealed(data: bytes, owner: int, kind: int) -> bytes | None:
    """The item in `data`, which is an item and its checksum; None if the checksum does not match."""
    item = data[:-SUM_BYTES]
    whole = data[-SUM_BYTES:] == xxhash.xxh3_64_digest(item, owner * _KINDS + kind)
    return item if whole else None
