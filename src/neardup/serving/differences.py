"""Where a text differs from another, for a page: its pieces, marked, and the facts that changed."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final, NamedTuple

MOST_SHOWN: Final = 20_000
"""Characters of a text on a page that shows several; the rest is a link away."""
_TOKEN_RE = re.compile(r"\w+|\s+|[^\w\s]")


class Piece(NamedTuple):
    """A run of a text; `differs`: the other text has not got it there."""

    text: str
    differs: bool


class Marked(NamedTuple):
    """The beginning of a text in pieces; `cut`: characters that are not shown."""

    pieces: list[Piece]
    cut: int


def marked(text: str, other: str | None) -> Marked:
    """`text` in pieces, word by word against `other`; unmarked where there is none."""
    shown, cut = text[:MOST_SHOWN], len(text[MOST_SHOWN:])
    if other is None or other == text:
        return Marked([Piece(shown, False)], cut)
    mine, theirs = _TOKEN_RE.findall(shown), _TOKEN_RE.findall(other[: 2 * MOST_SHOWN])
    pieces: list[Piece] = []
    at = 0
    for start, _, size in SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks():
        if start > at:
            pieces.append(Piece("".join(mine[at:start]), True))
        if size:
            pieces.append(Piece("".join(mine[start : start + size]), False))
        at = start + size
    return Marked(pieces, cut)
