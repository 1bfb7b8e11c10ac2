"""Boilerplate: the lines and sentences that recur across the documents of a source, and texts without them.

A text is cut into pieces (docs/definitions.md, Boilerplate): lines, and the sentences of a line. Left out of it is
every piece that the table names for its source, except the white space after the piece.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

LEAST: Final = 10
"""How many independent documents of a source have to have a piece for it to be boilerplate."""
SAMPLE: Final = 1_000
"""How many documents of a source are looked at."""
LEAST_SENTENCE: Final = 20
"""Characters of a sentence within a line: a shorter one is a piece together with what follows it."""
LEAST_LEFT: Final = 32
"""Characters other than white space that have to be left of a text; otherwise it counts whole."""
_BREAKS: Final = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
_ENDS: Final = "。！？．｡؟۔।॥።"
_ENDS_BEFORE_SPACE: Final = ".!?…"
_CLOSING: Final = r"[\"'”’»)\]」』）]*"
_BLANK: Final = rf"[^\S{_BREAKS}]"
# One class of all signs first: the engine skips to the next of them, five times as fast as with three branches.
_END_RE: Final = re.compile(
    rf"[{_BREAKS}{_ENDS}{_ENDS_BEFORE_SPACE}](?:(?<=[{_BREAKS}])\s*"
    rf"|(?<=[{_ENDS_BEFORE_SPACE}]){_CLOSING}{_BLANK}+|(?<=[{_ENDS}]){_CLOSING}{_BLANK}*)"
)
"""Where a line ends, and where a sentence within one does (docs/definitions.md, Sentences)."""
_SAYS_RE: Final = re.compile(r"[^\W_]")


def pieces(text: str) -> Iterator[tuple[int, int]]:
    r"""Where the pieces of `text` begin and end: put together they are the text. Linear, about 30 µs for 4 KB.

    >>> text = "Home | News\nThe ferry ran aground at dawn. Nobody was hurt."
    >>> [text[start:end] for start, end in pieces(text)]
    ['Home | News\n', 'The ferry ran aground at dawn. ', 'Nobody was hurt.']
    """
    start = 0
    for match in _END_RE.finditer(text):
        end = match.end()
        if text[match.start()] in _BREAKS or end - start >= LEAST_SENTENCE:
            yield start, end
            start = end
    if start < len(text):
        yield start, len(text)


def name_of(piece: str) -> str:
    """What a piece is called in the table: itself, with one blank for each run of white space; "" if it has no letter
    or digit, for such a piece counts for nothing anyway.
    """
    return " ".join(piece.split()) if _SAYS_RE.search(piece) else ""


class LeftOut(NamedTuple):
    """What is left out of a text: from where to where. `is_whole`: all or nearly all of it would have been left out, so
    nothing is.
    """

    spans: tuple[tuple[int, int], ...] = ()
    is_whole: bool = False

    def rest(self, text: str) -> str:
        """What is left of `text`."""
        if not self.spans:
            return text
        ends = (0, *(end for _, end in self.spans))
        starts = (*(start for start, _ in self.spans), len(text))
        return "".join(text[end:start] for end, start in zip(ends, starts, strict=True))

    def of(self, text: str) -> list[str]:
        """What is left out of `text`, piece by piece."""
        return [text[start:end] for start, end in self.spans]


NOTHING: Final = LeftOut()


def without(text: str, names: Collection[str]) -> LeftOut:
    """The spans of the pieces of `text` that have one of these `names`, whatever is left."""
    spans = []
    for start, end in pieces(text):
        piece = text[start:end]
        if " ".join(piece.split()) in names:
            spans.append((start, start + len(piece.rstrip())))
    return LeftOut(tuple(spans)) if spans else NOTHING


def _is_enough(rest: str) -> bool:
    """Whether `rest` has `LEAST_LEFT` characters other than white space; most have them at the beginning."""
    parts = (rest[: 4 * LEAST_LEFT], rest)
    return any(len("".join(part.split())) >= LEAST_LEFT for part in parts)


class SourceBoilerplate(NamedTuple):
    """The pieces of one source by their names, each with how many of the `documents` looked at have it."""

    documents: int
    pieces: Mapping[str, int]

    def by_frequency(self) -> list[tuple[str, int]]:
        """The pieces with their counts, the most frequent first."""
        return sorted(self.pieces.items(), key=lambda item: (-item[1], item[0]))


@dataclass(frozen=True)
class Boilerplate:
    r"""What recurs, by source; `made` says when that was found.

    >>> table = Boilerplate({"ann.org": SourceBoilerplate(40, {"All rights reserved.": 38})})
    >>> text = "All rights reserved.\nThe ferry ran aground off the western spit at dawn."
    >>> table.left_out(text, "ann.org").of(text), table.left_out(text, "bob.org").of(text)
    (['All rights reserved.'], [])
    """

    sources: Mapping[str, SourceBoilerplate]
    made: str = ""
    _of_any: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        everything = frozenset(name for source in self.sources.values() for name in source.pieces)
        object.__setattr__(self, "_of_any", everything)

    def passages(self, source: str) -> list[str]:
        """The pieces of `source` that leave out nothing, because texts are cut within them: what somebody added as a
        whole who should have added each of its sentences.
        """
        return [name for name, _ in self.sources[source].by_frequency() if len(list(pieces(name))) > 1]

    def left_out(self, text: str, source: str) -> LeftOut:
        """What of a `text` of `source` does not count. For a text of no source, "", that is what recurs in any; for a
        source that the table does not know, nothing. Linear, about 40 µs for 4 KB.
        """
        names: Collection[str] = self._of_any
        if source:
            names = self.sources[source].pieces if source in self.sources else ()
        left_out = without(text, names) if names else NOTHING
        if left_out.spans and not _is_enough(left_out.rest(text)):
            return LeftOut(is_whole=True)
        return left_out
