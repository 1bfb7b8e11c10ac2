"""Lists of groups: in which order they stand, and what is told of each."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Literal, NamedTuple

from neardup.model.escapes import no_formula
from neardup.reading.group_order import first_and_last, in_order
from neardup.reading.group_title import title_ids, titled_by
from neardup.serving.versions import title_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.model.verdict import Group
    from neardup.serving.questions import Questions

Sort = Literal["time", "size"]


class Row(NamedTuple):
    """A group in a list; `since` and `until`: when its first and its last document came."""

    head: str
    since: str
    until: str
    documents: int
    lowest: float | None
    title: str


def sorted_groups(questions: Questions, sort: Sort, least: int) -> list[Group]:
    """The groups of at least so many documents, the largest first, or those of which the first document is newest."""
    return list(in_order(questions.groups().values(), sort, least))


def rows_of(questions: Questions, groups: Sequence[Group]) -> list[Row]:
    """What a list tells of these groups."""
    return [
        Row(group.head, *first_and_last(group), group.size, _lowest(group), title)
        for group, title in zip(groups, titles_of(questions, groups), strict=True)
    ]


def titles_of(questions: Questions, groups: Sequence[Group]) -> list[str]:
    """What groups are called (`neardup.reading.group_title`); one whose documents have just gone by its head's id."""
    read = questions.read([id for group in groups for id in title_ids(group)])
    documents = {document.id: document for document in read if document is not None}
    titled = ((group, titled_by(group, documents)) for group in groups)
    return [group.head if document is None else title_of(document) for group, document in titled]


def _lowest(group: Group) -> float | None:
    return min((member.score for member in group.members if member.score is not None), default=None)


def csv_of(group: Group) -> str:
    """All documents of a group, a line each."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(("id", "time", "doc_q with the head", "copy of", "doc_q with that"))
    writer.writerow((no_formula(group.head), group.time, "", "", ""))
    for member in group.members:
        original = no_formula(member.duplicate_of or "")
        writer.writerow((no_formula(member.id), member.time, member.score, original, member.duplicate_score))
    return file.getvalue()
