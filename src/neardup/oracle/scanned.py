"""The oracle of what the plugin's queries scan, slow and plain (docs/definitions.md, Compact fields)."""

from __future__ import annotations

import base64
from collections.abc import Iterable

from neardup.oracle.definitions import key


def qgram_bitmap(qgrams: Iterable[str]) -> str:
    """Bitmap of q-grams: that of a set, in base 64.

    >>> qgram_bitmap([])
    'AAAAAAAAAAA='
    """
    keys = [key(qgram) for qgram in qgrams]
    sizes = sorted(size for power in range(6, 64) for size in (2**power, 3 * 2**power))
    size = next(size for size in sizes if size >= 2 * len(keys))
    bits = {(hashed >> 32) * size >> 32 for hashed in keys}
    return base64.b64encode(sum(1 << bit for bit in bits).to_bytes(size // 8, "little")).decode()


def packed_sketch(sketch: Iterable[str]) -> str:
    """Packed sketch: the keys of a sketch, given in hexadecimal digits, in base 64.

    >>> packed_sketch(["00000000c0000001", "0000000000000102"])
    'AQAAAAIBAAA='
    """
    numbers = (int(digits, 16) % 2**30 for digits in sketch)
    return base64.b64encode(b"".join(number.to_bytes(4, "little") for number in numbers)).decode()
