"""64-bit hashes: xxh64 of byte ranges, and the finaliser of splitmix64.

xxh64 follows the xxHash specification (Y. Collet, section XXH64); the test compares it with the `xxhash` package for
every length up to several stripes. native/hashing.h implements it because a kernel cannot call that package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from neardup.kernels.native import Kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MASK: Final = (1 << 64) - 1
_splitmix64 = Kernel("splitmix64")
_xxh64 = Kernel("xxh64")


def splitmix64(value: int) -> int:
    """splitmix64's finaliser: a bijection on 64-bit values (Steele, Lea & Flood 2014; docs/definitions.md, Key)."""
    return _splitmix64(value) & _MASK


def xxh64(data: NDArray[np.uint8], start: int, end: int, seed: int) -> int:
    """xxh64 of the bytes `data[start:end]` with the 64-bit `seed`."""
    return _xxh64(data, start, end, seed) & _MASK
