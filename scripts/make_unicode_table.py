"""Makes src/neardup/data/unicode16.bin, the frozen Unicode 16.0 table (format: neardup.tables.unicode).

    pip install unicodedata2==16.0.0 fonttools==4.59.0 pyicu-wheels==2.14
    python scripts/make_unicode_table.py

Categories, combining classes and decompositions come from unicodedata2, scripts from fontTools, simple
lower-case mappings from ICU 76. All three report their version of Unicode, and the script stops unless it is
16.0. If ICU knows a property that another source gave, the two must agree on every code point.
"""

from __future__ import annotations

import itertools
import sys
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import icu
import unicodedata2 as ucd
from fontTools.unicodedata import Scripts, script

from neardup.tables import container
from neardup.tables import unicode as layout

TARGET = Path(__file__).resolve().parents[1] / "src" / "neardup" / "data" / "unicode16.bin"

ALONE_SCRIPTS = frozenset({"Hani", "Hira", "Kana", "Thai", "Laoo", "Khmr", "Mymr"})
WHITE_SPACE = frozenset({0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}).union(
    range(0x09, 0x0E), range(0x2000, 0x200B)
)
LINE_BREAKS = frozenset({0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029})
ENDS_BEFORE_SPACE = frozenset({0x2E, 0x21, 0x3F, 0x2026})
ENDS = frozenset({0x3002, 0xFF01, 0xFF1F, 0xFF0E, 0xFF61, 0x061F, 0x06D4, 0x0964, 0x0965, 0x1362})

# Vowel and tail jamo: each composes with the code point before it, by arithmetic.
HANGUL_SECONDS = frozenset([*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)])

QUICK_CHECK_YES = 1


@dataclass(frozen=True)
class Normalization:
    """Full decompositions, primary composites, and the code points whose NFC quick check is not Yes."""

    full: dict[int, tuple[int, ...]]
    pairs: dict[tuple[int, int], int]
    excluded: frozenset[int]
    unsure: frozenset[int]


def main() -> None:
    """Write the table."""
    check_sources()
    norm = normalization()
    for cp in range(layout.CODE_POINTS):
        check_against_icu(cp, norm)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    checksum = container.write(TARGET, layout.KIND, layout.VERSION, payload(norm))
    print(f"{TARGET.name}: {TARGET.stat().st_size} bytes, checksum {checksum:016x}")


def check_sources() -> None:
    """Stops unless each source holds Unicode 16.0."""
    scripts_head = Path(Scripts.__file__).read_text(encoding="utf-8")[:2000]
    found = {
        "unicodedata2": ucd.unidata_version,
        "fontTools": "16.0" if "Scripts-16.0.0.txt" in scripts_head else "another version",
        "ICU": icu.UNICODE_VERSION,
    }
    for source, version in found.items():
        if not version.startswith(layout.UNICODE_VERSION):
            sys.exit(f"{source} holds Unicode {version}, this table is of {layout.UNICODE_VERSION}")


def normalization() -> Normalization:
    """The canonical decompositions and compositions, without Hangul."""
    steps = {}
    for cp in range(layout.CODE_POINTS):
        field = ucd.decomposition(chr(cp))
        if field and not field.startswith("<"):
            steps[cp] = tuple(int(part, 16) for part in field.split())
    # Excluded from composition, for any of the standard's four reasons: code points that NFC itself changes.
    excluded = frozenset(cp for cp in steps if ucd.normalize("NFC", chr(cp)) != chr(cp))
    pairs = {(steps[cp][0], steps[cp][1]): cp for cp in steps if cp not in excluded}
    full = {cp: full_decomposition(cp, steps) for cp in steps}
    seconds = HANGUL_SECONDS | {second for _, second in pairs}
    # Also code points that begin with a second: U+113C5 is U+113C2 twice, and a U+113C2 before it takes the first
    # of them.
    begins = {cp for cp, parts in full.items() if parts[0] in seconds}
    return Normalization(full, pairs, excluded, excluded | seconds | begins)


def check_against_icu(cp: int, norm: Normalization) -> None:
    """Stops unless ICU agrees with the other sources and the sets above on `cp`."""
    char, prop = chr(cp), icu.UProperty
    quick_check = icu.Char.getIntPropertyValue(cp, prop.NFC_QUICK_CHECK)
    opinions = {
        "category": (ucd.category(char), icu_name(prop.GENERAL_CATEGORY, cp)),
        "script": (script(char), icu_name(prop.SCRIPT, cp)),
        "combining class": (ucd.combining(char), icu.Char.getCombiningClass(cp)),
        "white space": (cp in WHITE_SPACE, icu.Char.hasBinaryProperty(cp, prop.WHITE_SPACE)),
        "NFC quick check": (cp not in norm.unsure, quick_check == QUICK_CHECK_YES),
        "exclusion": (cp in norm.excluded, icu.Char.hasBinaryProperty(cp, prop.FULL_COMPOSITION_EXCLUSION)),
    }
    for what, (ours, theirs) in opinions.items():
        if ours != theirs:
            sys.exit(f"U+{cp:04X}: {what} is {ours} by one source and {theirs} by ICU")


def icu_name(prop: int, cp: int) -> str:
    """The short name of the value of a property, such as "Lu" or "Latn"."""
    value = icu.Char.getIntPropertyValue(cp, prop)
    return str(icu.Char.getPropertyValueName(prop, value, icu.UPropertyNameChoice.SHORT_PROPERTY_NAME))


def class_of(cp: int, norm: Normalization) -> int:
    """The byte of `cp` in the table's classes."""
    char = chr(cp)
    keep = ucd.category(char)[0] in "LMN"
    conditions = {
        layout.KEEP: keep,
        layout.ALONE: keep and script(char) in ALONE_SCRIPTS,
        layout.NFC_CHECK: cp in norm.unsure or ucd.combining(char) != 0,
        layout.LOWER: icu.Char.tolower(cp) != cp,
        layout.SPACE: cp in WHITE_SPACE,
        layout.BREAK: cp in LINE_BREAKS,
        layout.END: cp in ENDS,
        layout.END_BEFORE_SPACE: cp in ENDS_BEFORE_SPACE,
    }
    return sum(bit for bit, holds in conditions.items() if holds)


def full_decomposition(cp: int, steps: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    """`cp` decomposed until nothing decomposes any further."""
    if cp not in steps:
        return (cp,)
    return tuple(itertools.chain.from_iterable(full_decomposition(part, steps) for part in steps[cp]))


def payload(norm: Normalization) -> bytes:
    """The sections of the table, in the order that `neardup.tables.unicode` documents."""
    lower = {cp: icu.Char.tolower(cp) for cp in range(layout.CODE_POINTS) if icu.Char.tolower(cp) != cp}
    full = dict(sorted(norm.full.items()))
    starts = list(itertools.accumulate((len(parts) for parts in full.values()), initial=0))
    composed = sorted((first << 32 | second, cp) for (first, second), cp in norm.pairs.items())
    return b"".join(
        (
            bytes(class_of(cp, norm) for cp in range(layout.CODE_POINTS)),
            bytes(ucd.combining(chr(cp)) for cp in range(layout.CODE_POINTS)),
            numbers("I", [len(lower)]),
            numbers("I", lower),
            numbers("I", lower.values()),
            numbers("I", [len(full), starts[-1]]),
            numbers("I", full),
            numbers("I", starts),
            numbers("I", itertools.chain.from_iterable(full.values())),
            numbers("I", [len(composed)]),
            numbers("Q", (pair for pair, _ in composed)),
            numbers("I", (cp for _, cp in composed)),
        )
    )


def numbers(code: str, values: Iterable[int]) -> bytes:
    """The values as little-endian numbers of the array type `code`."""
    packed = array(code, values)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


if __name__ == "__main__":
    main()
