"""The oracle of bitmaps: definition QB, written down once more, slow and plain (docs/definitions.md)."""

from __future__ import annotations

import base64
from collections.abc import Iterable

from neardup.oracle.definitions import key


def qgram_bitmap(qgrams: Iterable[str]) -> str:
    """Definition QB: the bitmap of a set of q-grams, in base 64.

    >>> qgram_bitmap([])
    'AAAAAAAAAAA='
    """
    keys = [key(qgram) for qgram in qgrams]
    sizes = sorted(size for power in range(6, 64) for size in (2**power, 3 * 2**power))
    size = next(size for size in sizes if size >= 2 * len(keys))
    bits = {(hashed >> 32) * size >> 32 for hashed in keys}
    return base64.b64encode(sum(1 << bit for bit in bits).to_bytes(size // 8, "little")).decode()
