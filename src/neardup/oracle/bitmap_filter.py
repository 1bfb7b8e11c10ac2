"""The oracle of the bitmap by which `sketch` leaves candidates out, slow and plain (docs/definitions.md, Bitmap)."""

from __future__ import annotations

import math
from fractions import Fraction

from neardup.oracle.definitions import key, multipliers, qgrams

BITS = 1_024
COMPARED_BITS = 512
SAMPLE = 256  # the fewest windows that a level above 0 leaves
SPREAD = 5  # standard deviations


def level(form: str) -> int:
    """The level of a normal form."""
    size = len(form.encode())
    return max((each for each in range(1, 64) if size >> each >= SAMPLE), default=0)


def bitmap(form: str, at_level: int, *, q: int = 4, salt: bytes | None = None) -> set[int]:
    """The numbers of the bits that are set in the bitmap of a normal form at some level."""
    factor = multipliers(salt)[6]
    products = [key(qgram) * factor % 2**64 for qgram in qgrams(form, q)]
    return {(each >> 32) % BITS for each in products if (each >> 16) % 2**at_level == 0}


def may_match(a: str, b: str, threshold: Fraction, *, q: int = 4, salt: bytes | None = None) -> bool:
    """Whether the bitmaps leave the pair of normal forms in; `b` is the stored one, and has a bitmap."""
    if abs(level(a) - level(b)) > 1:
        return True
    own, other = ({bit % COMPARED_BITS for bit in bitmap(form, level(b), q=q, salt=salt)} for form in (a, b))
    x, y = len(own - other), len(other - own)
    if level(a) == level(b) == 0:
        size_a, size_b = len(qgrams(a, q)), len(qgrams(b, q))
        need = math.ceil(threshold * max(size_a, size_b))
        if x > size_a - need or y > size_b - need:
            return False
    t = float(threshold)
    e, f = _mean(len(own), len(other), t), _mean(len(other), len(own), t)
    return x <= _most(e, t) and y <= _most(f, t) and x + y <= _most(e + f, (1 + t) / 2)


def _mean(bits: int, others: int, t: float) -> float:
    """How many of the bits of one set, which are `bits`, the `others` lack on average at the threshold."""
    return COMPARED_BITS * (1 - others / COMPARED_BITS) * (1 - math.pow(1 - bits / COMPARED_BITS, 1 - t))


def _most(e: float, v: float) -> float:
    return e + SPREAD * math.sqrt(e * v) + 1
