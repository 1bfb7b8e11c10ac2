"""Checksums of what a window's files hold: xxh3 of 64 bits.

They are seeded with an item's `owner`, the arrival or version that it belongs to, and its `kind`, the file that it lies
in, as a small number: an item in another's place does not check either.
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
    """By what the checksums of the items of these owners are seeded, for the kernels (kernels/checksums.py)."""
    return owners.astype(np.uint64) * np.uint64(_KINDS) + np.uint64(kind)


def unsealed(data: bytes, owner: int, kind: int) -> bytes | None:
    """The item of `data`, which is one and its checksum; None unless it is what was sealed."""
    item = data[:-SUM_BYTES]
    whole = data[-SUM_BYTES:] == xxhash.xxh3_64_digest(item, owner * _KINDS + kind)
    return item if whole else None
