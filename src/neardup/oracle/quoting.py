"""Which lines of a text are not its own words: quoted lines, the line that says who wrote them, a footer.

By the conventions of mail and news (RFC 3676, section 4: quote marks, and "-- " before a signature), not by words of
any language. Linear in the length of the text. The fast path is neardup.kernels.quoted_lines.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Final, Literal

from neardup.tables import signs

Origin = Literal["own", "quoted", "footer"]
"""Whose words a line has; a footer is a signature, too."""

_MARK_RE: Final = re.compile(rf"[A-Za-z]{{0,{signs.MOST_INITIALS}}}>")
_ATTRIBUTION_ENDS: Final = (":", "...", "…")


def is_of(sign: str, kind: int) -> bool:
    """Whether `sign` is of a class of `neardup.tables.signs`."""
    return bool(_classes()[ord(sign)] & kind)


@functools.cache
def _classes() -> bytes:
    return signs.classes().tobytes()


def origins(lines: Sequence[str]) -> list[Origin]:
    """For each of `lines` whose words it has; a line that says who is quoted is quoted, too.

    >>> origins(["Ann wrote:", "> Rain?", "Snow.", "-- ", "Bo"])
    ['quoted', 'quoted', 'own', 'footer', 'footer']
    """
    quoted = _quoted([bare(line) for line in lines])
    _add_attributions(lines, quoted)
    whose: list[Origin] = ["quoted" if is_quoted else "own" for is_quoted in quoted]
    forwarded, footer = _forwarded_from(lines), _footer_from(lines)
    whose[footer:] = ["footer"] * (len(lines) - footer)
    whose[forwarded:] = ["quoted"] * (len(lines) - forwarded)
    return whose


def _quoted(lines: Sequence[str]) -> list[bool]:
    """For each of `lines`, without white space around them, whether it has a quote mark."""
    weak = [line[:1] if line[:1] in signs.WEAK_MARKS else "" for line in lines]
    return [
        _is_marked(line) or (mark != "" and mark in (*weak[max(at - 1, 0) : at], *weak[at + 1 : at + 2]))
        for at, (line, mark) in enumerate(zip(lines, weak, strict=True))
    ]


def _is_marked(line: str) -> bool:
    """A line between two bars is a row of a table."""
    if line.startswith("|"):
        return not line.endswith("|")
    return line.startswith(": ") or _MARK_RE.match(line) is not None


def _add_attributions(lines: Sequence[str], quoted: list[bool]) -> None:
    """Marks the paragraph right before quoted lines that says whose they are; of a long one its last line."""
    marked = list(quoted)
    for at in range(1, len(lines)):
        if not marked[at] or marked[at - 1]:
            continue
        last = at - 1 if bare(lines[at - 1]) else at - 2
        if last < 0 or marked[last] or not bare(lines[last]).endswith(_ATTRIBUTION_ENDS):
            continue
        first = last
        while (
            last - first < signs.MOST_ATTRIBUTION
            and first
            and bare(lines[first - 1])
            and not marked[first - 1]
        ):
            first -= 1
        if last - first == signs.MOST_ATTRIBUTION:
            first = last
        quoted[first : last + 1] = [True] * (last + 1 - first)


def _forwarded_from(lines: Sequence[str]) -> int:
    """Where a whole message follows, divided off and with its headers; the number of lines if none does."""
    for at in range(1, len(lines)):
        if not _divides(bare(lines[at])):
            continue
        next_lines = [line for line in lines[at + 1 : at + 1 + signs.LOOKED_AT] if bare(line)][
            : signs.HEADERS_LOOKED_AT
        ]
        if sum(map(_is_header, next_lines)) >= 2:
            return at
    return len(lines)


def _is_header(line: str) -> bool:
    """Whether `line` begins as a header: a name, a colon, white space."""
    name, colon, rest = bare(line, right=False).partition(":")
    is_name = all(sign in "_-" or is_of(sign, signs.KEEP) for sign in name) and name[:1] not in ("_", "-")
    return (
        colon != ""
        and 2 <= len(name) <= signs.LONGEST_HEADER
        and is_name
        and not is_of(name[0], signs.DIGIT)
        and rest != ""
        and is_of(rest[0], signs.SPACE)
    )


def bare(line: str, *, right: bool = True) -> str:
    """`line` without the white space before it and, if wanted, behind it."""
    start, end = 0, len(line)
    while start < end and is_of(line[start], signs.SPACE):
        start += 1
    while right and start < end and is_of(line[end - 1], signs.SPACE):
        end -= 1
    return line[start:end]


def _divides(line: str) -> bool:
    """Whether `line` begins and ends with three signs of a rule."""
    return len(line) >= 3 and all(is_of(sign, signs.RULE) for sign in line[:3] + line[-3:])


def _footer_from(lines: Sequence[str]) -> int:
    """Where a signature or footer begins: at the first mark behind which few lines are left."""
    start, left = len(lines), 0
    for at in range(len(lines) - 1, 0, -1):
        line = bare(lines[at])
        if line == "--" or _is_rule(line):
            start = at
        left += bool(line)
        if left > signs.MOST_FOOTER:
            break
    return start


def _is_rule(line: str) -> bool:
    is_long = len(line) >= signs.SHORTEST_RULE and is_of(line[0], signs.RULE)
    return is_long and 3 * sum(is_of(sign, signs.RULE) for sign in line) >= 2 * len(line)
