"""The tables that texts are marked by: a class of every code point, the figure words as an array, the limits of all
rules.

They come from the frozen Unicode table and fixed lists, so that a kind is the same with every version of Python.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.tables import unicode as unicode_table
from neardup.tables.figure_words import FIGURE_WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The bits of a class. KEEP, SPACE and BREAK are those of the Unicode table, moved.
KEEP: Final = 0x01
DIGIT: Final = 0x02
"""A decimal digit, or a fraction in one code point."""
SPACE: Final = 0x04
BREAK: Final = 0x08
RULE: Final = 0x10
"""Characters whose repetition makes a dividing line: -_=*~#"""
IN_NAME: Final = 0x20
"""Characters in the local part of a mail address besides letters and digits: _.%+-"""
VISIBLE: Final = 0x40
"""Visible ASCII, of which a web address consists."""
UNSEEN: Final = 0x80
"""Format characters that are not seen and that a normal form leaves out: soft hyphens, zero-width spaces, joiners. A
word or a number with one of them is the same word or number.
"""

MOST_INITIALS: Final = 3
"""The most letters before a quote mark: "JD> "."""
WEAK_MARKS: Final = ":}]!%~"
"""Characters that are quote marks only if the line before or after begins with the same one."""
MOST_ATTRIBUTION: Final = 3
"""The most lines of an attribution, which names the author of the quotation below."""
MOST_FOOTER: Final = 10
"""The most lines of a footer behind a signature mark or a rule; if more follow, the rule only divides the text."""
SHORTEST_RULE: Final = 20
"""The fewest characters of a line of dashes that divides a footer from a text; a third of the line may be words: "---
Sponsor ---".
"""
LOOKED_AT: Final = 7
"""How many lines behind a divider are searched for headers, ..."""
HEADERS_LOOKED_AT: Final = 3
"""... and how many of them that are not blank; a forwarded message has at least two headers there."""
LONGEST_HEADER: Final = 15
"""The most letters of a header's name, which has two at least."""
SHORTEST_ID: Final = 6
"""A word with both letters and digits is an id from this length on; a shorter one is a name such as "B52"."""
LONGEST_WORD: Final = 25
"""A longer word of plain letters is a random token, no word of a language."""
LONGEST_SUFFIX: Final = 2
"""The most letters behind the digits of a figure: "10th", "5pm"."""

_ZEROS: Final = (
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0,
    0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620,
    0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x10D40, 0x11066, 0x110F0, 0x11136,
    0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0,
    0x11C50, 0x11D50, 0x11DA0, 0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1CCF0, 0x1D7CE, 0x1D7D8,
    0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E5F1, 0x1E950, 0x1FBF0,
)  # fmt: skip
"""The zeros of Unicode 16: nine more digits follow each."""
_UNSEEN: Final = (
    range(0xAD, 0xAE), range(0x61C, 0x61D), range(0x180E, 0x180F), range(0x200B, 0x2010), range(0x202A, 0x202F),
    range(0x2060, 0x2065), range(0x2066, 0x2070), range(0xFEFF, 0xFF00), range(0x1BCA0, 0x1BCA4),
    range(0x1D173, 0x1D17B), range(0xE0001, 0xE0002), range(0xE0020, 0xE0080),
)  # fmt: skip
"""Those of Unicode 16's category Cf that have Default_Ignorable_Code_Point."""
_FRACTIONS: Final = (*range(0xBC, 0xBF), *range(0x2150, 0x215F), 0x2189)

LONGEST_FIGURE_WORD: Final = max(map(len, FIGURE_WORDS))
_SLOTS: Final = 2048
_SLOT_BITS: Final = 12
SLOT_FACTOR: Final = 0x9E37_79B1
SLOT_SHIFT: Final = 32 - _SLOT_BITS


@functools.cache
def classes() -> NDArray[np.uint8]:
    """The class of every code point."""
    frozen = unicode_table.load().classes
    made = np.zeros(len(frozen), np.uint8)
    for ours, theirs in (
        (KEEP, unicode_table.KEEP),
        (SPACE, unicode_table.SPACE),
        (BREAK, unicode_table.BREAK),
    ):
        made[frozen & theirs != 0] |= ours
    for zero in _ZEROS:
        made[zero : zero + 10] |= DIGIT
    made[list(_FRACTIONS)] |= DIGIT
    made[list(b"-_=*~#")] |= RULE
    made[list(b"_.%+-")] |= IN_NAME
    made[0x21:0x7F] |= VISIBLE
    for points in _UNSEEN:
        made[list(points)] |= UNSEEN
    made.setflags(write=False)
    return made


def lowered(point: int) -> int:
    """The lower case of a letter of ASCII or Latin-1, or of the capital ß; figure words have no other letters."""
    if 0x41 <= point <= 0x5A or (0xC0 <= point <= 0xDE and point != 0xD7):
        return point + 0x20
    return 0xDF if point == 0x1E9E else point


@functools.cache
def figure_words() -> NDArray[np.uint8]:
    """The figure words as an open-addressing table: each row has the length of a word, 0 if free, then its letters in
    Latin-1.
    """
    table = np.zeros((_SLOTS, LONGEST_FIGURE_WORD + 1), np.uint8)
    for word in sorted(FIGURE_WORDS):
        letters = word.encode("latin-1")
        value = 0
        for letter in letters:
            value = (value * 31 + letter) & 0xFFFF_FFFF
        slot = value & (_SLOTS - 1)
        while table[slot, 0]:
            slot = (slot + 1) & (_SLOTS - 1)
        table[slot, 0] = len(letters)
        table[slot, 1 : len(letters) + 1] = list(letters)
    table.setflags(write=False)
    return table


@functools.cache
def figure_word_lengths() -> NDArray[np.uint32]:
    """For each combination of first, second, third and last letter, the lengths of the figure words that have it, as
    bits. The index is the `letters_slot` of the lowest five bits of each letter, which do not depend on case; a shorter
    word repeats its last letter.
    """
    lengths = np.zeros(1 << _SLOT_BITS, np.uint32)
    for word in FIGURE_WORDS:
        first, second, third, last = (ord(letter) & 31 for letter in (*f"{word}{word[-1] * 2}"[:3], word[-1]))
        lengths[letters_slot(first, second, third, last)] |= np.uint32(1 << len(word))
    lengths.setflags(write=False)
    return lengths


def letters_slot(first: int, second: int, third: int, last: int) -> int:
    """The index in `figure_word_lengths` for these letters, below 2^12."""
    return ((first | second << 5 | third << 10 | last << 15) * SLOT_FACTOR & 0xFFFF_FFFF) >> SLOT_SHIFT
