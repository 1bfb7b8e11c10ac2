"""Lists of groups: their order, and what a row shows of each group."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Literal, NamedTuple

from neardup.model.escapes import BYTE_ORDER_MARK, no_formula
from neardup.reading.group_order import first_and_last, in_order
from neardup.reading.story import title_ids, titled_by
from neardup.serving.versions import title_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.model.verdict import Group
    from neardup.serving.questions import Questions

Sort = Literal["time", "size"]


class Row(NamedTuple):
    """A group in a list; `since` and `until`: the times of its first and its last document."""

    head: str
    since: str
    until: str
    documents: int
    lowest: float | None
    title: str


def sorted_groups(questions: Questions, sort: Sort, least: int) -> list[Group]:
    """The groups of at least `least` documents, the largest first, or those with the newest first document first."""
    return list(in_order(questions.groups().values(), sort, least))


def rows_of(questions: Questions, groups: Sequence[Group]) -> list[Row]:
    """The rows of these groups in a list."""
    return [
        Row(group.head, *first_and_last(group), group.size, _lowest(group), title)
        for group, title in zip(groups, titles_of(questions, groups), strict=True)
    ]


def titles_of(questions: Questions, groups: Sequence[Group]) -> list[str]:
    """The titles of groups (`neardup.reading.story`); if its documents have just gone, its head's id."""
    read = questions.read([id for group in groups for id in title_ids(group)])
    documents = {document.id: document for document in read if document is not None}
    titled = ((group, titled_by(group, documents)) for group in groups)
    return [group.head if document is None else title_of(document) for group, document in titled]


def _lowest(group: Group) -> float | None:
    return min((member.score for member in group.members if member.score is not None), default=None)


def csv_of(group: Group) -> str:
    """All documents of a group as a CSV file for a spreadsheet, one row each."""
    file = io.StringIO()
    file.write(BYTE_ORDER_MARK)
    writer = csv.writer(file)
    writer.writerow(("id", "time", "doc_q with the head", "copy of", "doc_q with that"))
    writer.writerow((no_formula(group.head), group.time, "", "", ""))
    for member in group.members:
        original = no_formula(member.duplicate_of or "")
        writer.writerow((no_formula(member.id), member.time, member.score, original, member.duplicate_score))
    return file.getvalue()
