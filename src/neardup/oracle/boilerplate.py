"""Boilerplate, slow and plain: what recurs in a source, and texts without it (docs/definitions.md, Boilerplate)."""

from __future__ import annotations

from collections.abc import Sequence

from neardup.oracle.definitions import normal_form, qgrams

BREAKS = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
ENDS_BEFORE_SPACE = ".!?…"
ENDS = "。！？．｡؟۔।॥።"
CLOSING = "\"'”’»)]」』）"


def pieces(text: str) -> list[str]:
    """The lines of a text, and the sentences of 20 characters and more of a line."""
    cut, start, at = [], 0, 0
    while at < len(text):
        end = _line_end(text, at) or _sentence_end(text, at)
        if end and (text[at] in BREAKS or end - start >= 20):
            cut.append(text[start:end])
            start = end
        at = max(end, at + 1)
    return [*cut, text[start:]] if start < len(text) else cut


def _line_end(text: str, at: int) -> int:
    """Where a line ends whose break is at `at`, with all white space behind it; 0 if there is no break."""
    if text[at] not in BREAKS:
        return 0
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _sentence_end(text: str, at: int) -> int:
    """Where a sentence ends whose sign is at `at`, with its closing signs and the blanks behind; 0 if it does not."""
    if text[at] not in ENDS + ENDS_BEFORE_SPACE:
        return 0
    end = at + 1
    while end < len(text) and text[end] in CLOSING:
        end += 1
    blank = end
    while blank < len(text) and text[blank].isspace() and text[blank] not in BREAKS:
        blank += 1
    return blank if blank > end or text[at] in ENDS else 0


def name_of(piece: str) -> str:
    """A piece with one blank for all white space; "" if no letter or digit is in it."""
    return " ".join(piece.split()) if any(character.isalnum() for character in piece) else ""


def without(text: str, names: set[str]) -> str:
    """A text without the pieces of these names, whose white space at the end stays."""
    kept = [piece[len(piece.rstrip()) :] if name_of(piece) in names else piece for piece in pieces(text)]
    return "".join(kept)


def counted(text: str, names: set[str]) -> str:
    """What counts of a text of a source with such boilerplate: all of it, if fewer than 32 characters would be left."""
    rest = without(text, names)
    return text if sum(not character.isspace() for character in rest) < 32 else rest


def _length(names: set[str]) -> int:
    return sum(map(len, names))


def boilerplate(texts: Sequence[str], least: int = 10) -> dict[str, int]:
    """What recurs in the texts of a source: pieces that `least` independent texts have, with how many texts have it."""
    named = [{name_of(piece) for piece in pieces(text)} - {""} for text in texts]
    counts = {name: sum(name in names for names in named) for name in set().union(*named)}
    frequent = {name for name, count in counts.items() if count >= least}
    own = [qgrams(normal_form(without(text, frequent)), 8) for text in texts]
    whole = [qgrams(normal_form(text), 8) for text in texts]
    usual = {name for name in frequent if 2 * counts[name] >= len(texts)}
    speaking = [
        at
        for at, names in enumerate(named)
        if len(own[at]) >= 100 and _length(names - frequent) >= _length(names & frequent - usual)
    ]
    origin = {at: at for at in speaking}
    for a in speaking:
        for b in speaking:
            if a != b and 3 * len(own[a] & whole[b]) >= len(own[a]):
                old, new = origin[a], origin[b]
                origin = {at: new if first == old else first for at, first in origin.items()}
    return {
        name: counts[name]
        for name in frequent
        if len({origin[at] for at in speaking if name in named[at]}) >= least
    }
