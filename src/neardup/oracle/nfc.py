"""Unicode for the oracle: Normalization Form C, lower case and classes, code point by code point.

Written from UAX #15 and The Unicode Standard, sections 3.11 and 3.12, over the frozen table; part of the slow
oracle (`neardup.oracle.definitions`), never called by the fast path.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence

from neardup.tables import unicode as unicode_table

S_BASE, L_BASE, V_BASE, T_BASE = 0xAC00, 0x1100, 0x1161, 0x11A7
L_COUNT, V_COUNT, T_COUNT = 19, 21, 28
S_COUNT = L_COUNT * V_COUNT * T_COUNT


class _Unicode:
    """The frozen table as plain Python values."""

    def __init__(self) -> None:
        table = unicode_table.load()
        self.classes = table.classes.tobytes()
        self.ccc = table.ccc.tobytes()
        self.lower: list[int] = table.lower.tolist()
        starts, values = table.decomp_start.tolist(), table.decomp_values.tolist()
        self.decomposition: dict[int, list[int]] = {
            cp: values[starts[i] : starts[i + 1]] for i, cp in enumerate(table.decomp_keys.tolist())
        }
        pairs, composites = table.compose_keys.tolist(), table.compose_values.tolist()
        self.composite: dict[tuple[int, int], int] = {
            (pair >> 32, pair & 0xFFFFFFFF): cp for pair, cp in zip(pairs, composites, strict=True)
        }


_unicode = functools.cache(_Unicode)


def nfc(text: str) -> str:
    """`text` in Unicode 16 Normalization Form C (UAX #15; The Unicode Standard, section 3.11, D117 and D118).

    Raises `ValueError` if it contains a surrogate, which in Python can only be an unpaired one.
    """
    if text.isascii():  # of which nothing decomposes, and nothing composes
        return text
    for position, char in enumerate(text):
        if 0xD800 <= ord(char) <= 0xDFFF:
            raise ValueError(f"unpaired surrogate U+{ord(char):04X} at character {position}")
    decomposed = itertools.chain.from_iterable(_decomposition(ord(char)) for char in text)
    return "".join(map(chr, _composed(_canonically_ordered(decomposed))))


def _decomposition(cp: int) -> Sequence[int]:
    """The full canonical decomposition of one code point; Hangul by arithmetic (section 3.12)."""
    index = cp - S_BASE
    if 0 <= index < S_COUNT:
        lead = L_BASE + index // (V_COUNT * T_COUNT)
        vowel = V_BASE + index % (V_COUNT * T_COUNT) // T_COUNT
        tail = index % T_COUNT
        return (lead, vowel, T_BASE + tail) if tail else (lead, vowel)
    return _unicode().decomposition.get(cp, (cp,))


def _canonically_ordered(code_points: Iterable[int]) -> list[int]:
    """Every run of code points whose combining class is not 0, sorted stably by that class (D109)."""
    ccc = _unicode().ccc
    ordered: list[int] = []
    for _, run in itertools.groupby(code_points, key=lambda cp: ccc[cp] == 0):
        ordered += sorted(run, key=lambda cp: ccc[cp])
    return ordered


def _composed(code_points: list[int]) -> list[int]:
    """Canonical composition (D117): each code point joins the last starter unless it is blocked from it."""
    ccc = _unicode().ccc
    composed: list[int] = []
    starter = -1  # where the last starter stands in `composed`
    for cp in code_points:
        # Blocked: something stands between, and its class is 0 or not below ours. Order makes the last one
        # decide.
        between = len(composed) - 1 > starter
        blocked = between and ccc[composed[-1]] >= ccc[cp]
        composite = None if starter < 0 or blocked else _composite(composed[starter], cp)
        if composite is not None:
            composed[starter] = composite
            continue
        composed.append(cp)
        if ccc[cp] == 0:
            starter = len(composed) - 1
    return composed


def _composite(first: int, second: int) -> int | None:
    """The primary composite of two code points; Hangul by arithmetic (section 3.12)."""
    lead, vowel = first - L_BASE, second - V_BASE
    if 0 <= lead < L_COUNT and 0 <= vowel < V_COUNT:
        return S_BASE + (lead * V_COUNT + vowel) * T_COUNT
    syllable, tail = first - S_BASE, second - T_BASE
    if 0 <= syllable < S_COUNT and syllable % T_COUNT == 0 and 0 < tail < T_COUNT:
        return first + tail
    return _unicode().composite.get((first, second))


def lower(text: str) -> str:
    """Each code point of `text` by the simple lower-case mapping of Unicode 16: as many as before."""
    return "".join(chr(_unicode().lower[ord(char)]) for char in text)


def has_class(char: str, bit: int) -> bool:
    """Whether the class of `char` has this bit, one of those that `neardup.tables.unicode` names."""
    return bool(_unicode().classes[ord(char)] & bit)
