"""Which lines of a text are not its own words: quoted lines, the line that says who wrote them, a footer.

By the conventions of mail and news (RFC 3676, section 4: quote marks, and "-- " before a signature), not by words of
any language. Linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

Origin = Literal["own", "quoted", "footer"]
"""Whose words a line has; a footer is a signature, too."""

MOST_INITIALS: Final = 3
"""Letters that may stand before a quote mark: "JD> "."""
WEAK_MARKS: Final = frozenset(":}]!%~")
"""Quote marks that are that only if the line before or after begins with the same one."""
MOST_ATTRIBUTION: Final = 3
"""Lines that may say who wrote what is quoted below."""
MOST_FOOTER: Final = 10
"""Lines that may follow a signature's mark or a rule at the end: more, and it is text that a rule divides."""
SHORTEST_RULE: Final = 20
"""Signs of a line of dashes that divides a footer from a text; a third of it may be words: "--- Sponsor ---"."""
HEADERS_LOOKED_AT: Final = 3
"""Lines behind a divider of which two must be headers for a forwarded message."""
_MARK_RE: Final = re.compile(rf"[A-Za-z]{{0,{MOST_INITIALS}}}>")
_HEADER_RE: Final = re.compile(r"[^\W\d_][\w-]{1,14}:\s")
_RULES: Final = frozenset("-_=*~#")
_ATTRIBUTION_ENDS: Final = (":", "...", "…")


def origins(lines: Sequence[str]) -> list[Origin]:
    """For each of `lines` whose words it has; a line that says who is quoted is quoted, too.

    >>> origins(["Ann wrote:", "> Rain?", "Snow.", "-- ", "Bo"])
    ['quoted', 'quoted', 'own', 'footer', 'footer']
    """
    quoted = _quoted([line.strip() for line in lines])
    _add_attributions(lines, quoted)
    whose: list[Origin] = ["quoted" if is_quoted else "own" for is_quoted in quoted]
    forwarded, footer = _forwarded_from(lines), _footer_from(lines)
    whose[footer:] = ["footer"] * (len(lines) - footer)
    whose[forwarded:] = ["quoted"] * (len(lines) - forwarded)
    return whose


def _quoted(lines: Sequence[str]) -> list[bool]:
    """For each of `lines`, without white space around them, whether it has a quote mark."""
    weak = [line[:1] if line[:1] in WEAK_MARKS else "" for line in lines]
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
        last = at - 1 if lines[at - 1].strip() else at - 2
        if last < 0 or marked[last] or not lines[last].rstrip().endswith(_ATTRIBUTION_ENDS):
            continue
        first = last
        while (
            last - first < MOST_ATTRIBUTION and first and lines[first - 1].strip() and not marked[first - 1]
        ):
            first -= 1
        if last - first == MOST_ATTRIBUTION:
            first = last
        quoted[first : last + 1] = [True] * (last + 1 - first)


def _forwarded_from(lines: Sequence[str]) -> int:
    """Where a whole message follows, divided off and with its headers; the number of lines if none does."""
    for at in range(1, len(lines)):
        if not _divides(lines[at].strip()):
            continue
        next_lines = [line for line in lines[at + 1 : at + 8] if line.strip()][:HEADERS_LOOKED_AT]
        if sum(_HEADER_RE.match(line.lstrip()) is not None for line in next_lines) >= 2:
            return at
    return len(lines)


def _divides(line: str) -> bool:
    """Whether `line` begins and ends with three signs of a rule."""
    return len(line) >= 3 and _RULES.issuperset(line[:3]) and _RULES.issuperset(line[-3:])


def _footer_from(lines: Sequence[str]) -> int:
    """Where a signature or footer begins: at the first mark behind which few lines are left."""
    start, left = len(lines), 0
    for at in range(len(lines) - 1, 0, -1):
        line = lines[at].strip()
        if line == "--" or _is_rule(line):
            start = at
        left += bool(line)
        if left > MOST_FOOTER:
            break
    return start


def _is_rule(line: str) -> bool:
    is_long = len(line) >= SHORTEST_RULE and line[0] in _RULES
    return is_long and 3 * sum(sign in _RULES for sign in line) >= 2 * len(line)
