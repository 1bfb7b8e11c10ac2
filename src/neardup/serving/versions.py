"""A group as people compare it: its different texts side by side, the head first, and where each differs from that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.model.document import parse_time
from neardup.model.shown_fields import title_or_beginning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.model.verdict import Group
    from neardup.serving.questions import Questions
    from neardup.window.base import ReadDocument

MOST_VERSIONS: Final = 12
"""Columns of a page; further texts are counted, and stand in the table below."""


_TITLE: Final = 120
"""Characters of what a document is called."""


class Copy(NamedTuple):
    """A document of a group: the head (without a score) or a member."""

    id: str
    time: str
    score: float | None
    fields: dict[str, str]


class Version(NamedTuple):
    """One text of a group, and the documents that have it, by time."""

    document: ReadDocument
    copies: tuple[Copy, ...]


class Versions(NamedTuple):
    """The head's text first (if the head is still there), then the others by the time of their first document.

    left_out   texts beyond `MOST_VERSIONS`
    """

    head: Version | None
    others: tuple[Version, ...]
    left_out: int
    all: tuple[Copy, ...]


def versions_of(questions: Questions, group: Group) -> Versions:
    """The texts of `group`. Reads every document of it once."""
    scores: dict[str, float | None] = {group.head: None}
    scores |= {member.id: member.score for member in group.members}
    documents = [each for each in questions.read(list(scores)) if each is not None]
    documents.sort(key=lambda document: (document.time, document.id))
    copies = tuple(_copy(document, scores[document.id]) for document in documents)
    by_text: dict[str, list[int]] = {}
    for at, document in enumerate(documents):
        by_text.setdefault(document.text, []).append(at)
    versions = [Version(documents[own[0]], tuple(copies[at] for at in own)) for own in by_text.values()]
    head = next((each for each in versions if any(copy.id == group.head for copy in each.copies)), None)
    others = [each for each in versions if each is not head]
    return Versions(head, tuple(others[:MOST_VERSIONS]), len(others[MOST_VERSIONS:]), copies)


def _copy(document: ReadDocument, score: float | None) -> Copy:
    return Copy(
        document.id, document.time, score, {name: str(value) for name, value in document.fields.items()}
    )


def positions(copies: Sequence[Copy]) -> list[tuple[Copy, float]]:
    """Each document and where its time lies, from 0 for the first to 1 for the last."""
    times = [parse_time(copy.time) for copy in copies]
    first = min(times, default=0)
    span = max(times, default=0) - first
    return [(copy, (time - first) / span if span else 0.0) for copy, time in zip(copies, times, strict=True)]


def title_of(document: ReadDocument) -> str:
    """What a document is called: its title, its first line, else its id."""
    return title_or_beginning(document.fields, document.text)[:_TITLE] or document.id
