"""A group as people compare it: its different texts side by side, the head first, each with the differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.model.shown_fields import title_or_beginning
from neardup.model.times import parse_time
from neardup.reading.group_order import by_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.model.verdict import Group
    from neardup.serving.questions import Questions
    from neardup.window.base import ReadDocument

MOST_VERSIONS: Final = 12
"""The most columns of a page; further texts are counted, and listed in the table below."""
MOST_READ: Final = 200
"""The most members of a group that a page reads; the next page has the next ones."""
_TITLE: Final = 120
"""The most characters of a document's title."""


class Copy(NamedTuple):
    """A document of a group: the head (without a score) or a member."""

    id: str
    time: str
    score: float | None
    fields: dict[str, str]


class Version(NamedTuple):
    """One text of a group, and the documents that have it: the head first, then by time; `document` is the first."""

    document: ReadDocument
    copies: tuple[Copy, ...]


class Versions(NamedTuple):
    """Some documents of a group by the parts of their texts that count: that of the head first (if it is still there),
    then the others by the time of their first document.

    left_out   texts beyond `MOST_VERSIONS`
    all        the documents that were read, by time
    """

    head: Version | None
    others: tuple[Version, ...]
    left_out: int
    all: tuple[Copy, ...]


def versions_of(questions: Questions, group: Group, offset: int = 0) -> Versions:
    """The texts of `group`: of its head, and of `MOST_READ` members from `offset` on, by time. Each is read once, in
    parts, between which other queries are answered.
    """
    members = sorted(group.members, key=by_time)[offset : offset + MOST_READ]
    scores: dict[str, float | None] = {group.head: None} if group.head_is_there else {}
    scores |= {member.id: member.score for member in members}
    documents = sorted(questions.read_in_parts(list(scores)), key=by_time)
    copies = tuple(_copy(document, scores[document.id]) for document in documents)
    by_text: dict[str, list[int]] = {}
    for at, document in enumerate(documents):
        own = by_text.setdefault(document.counted, [])
        own.insert(0 if document.id == group.head else len(own), at)
    versions = [Version(documents[own[0]], tuple(copies[at] for at in own)) for own in by_text.values()]
    head = next((each for each in versions if any(copy.id == group.head for copy in each.copies)), None)
    others = [each for each in versions if each is not head]
    return Versions(head, tuple(others[:MOST_VERSIONS]), len(others[MOST_VERSIONS:]), copies)


def _copy(document: ReadDocument, score: float | None) -> Copy:
    return Copy(
        document.id, document.time, score, {name: str(value) for name, value in document.fields.items()}
    )


def positions(copies: Sequence[Copy]) -> list[tuple[Copy, float]]:
    """Each document with the relative position of its time, from 0 for the first to 1 for the last."""
    times = [parse_time(copy.time) for copy in copies]
    first = min(times, default=0)
    span = max(times, default=0) - first
    return [(copy, (time - first) / span if span else 0.0) for copy, time in zip(copies, times, strict=True)]


def title_of(document: ReadDocument) -> str:
    """What a document is called: its title, its first line, or else its id; a cut one ends in "…"."""
    title = title_or_beginning(document.fields, document.text) or document.id
    return title if len(title) <= _TITLE else title[: _TITLE - 1] + "…"
