"""The stories of a window's groups, for tables, files and pages."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

from neardup.cli.described import described
from neardup.cli.streams import log_line
from neardup.model.counted import counted
from neardup.model.escapes import escaped, no_formula
from neardup.model.settings import DEFAULT_SHOW

if TYPE_CHECKING:
    from neardup import Window
    from neardup.cli.config import Config
    from neardup.model.verdict import Group
    from neardup.reading.story import Story
    from neardup.window.base import ReadDocument

KindOption = Literal["all", "copies", "form"]

COLUMNS: Final = (
    "group", "size", "kind", "origins", "id", "time", "after_seconds", "source", "score", "matched", "matched_score",
    "of_first", "origin", "begins",
)  # fmt: skip
"""The columns of a CSV file, which has a row for each document of a group."""
LONGEST: Final = 200
"""How many characters of a piece of boilerplate are shown."""


def showing(config: Config, source_field: str) -> Config:
    """`config` for reading documents with this field, too."""
    show = config.given.get("show", DEFAULT_SHOW)
    return config.with_options(show=tuple(dict.fromkeys((*show, source_field))))


def told_groups(window: Window) -> list[Group]:
    """The groups of a window; says on standard error how many copies are in none, if there are any, and why."""
    groups = list(window.groups())
    copies = window.stats().copies - sum(len(group.members) for group in groups)
    if copies > 0:
        said = counted(copies, "copy is a member", "copies are members")
        match = "it matches" if copies == 1 else "they match"
        log_line(f"{said} of no group and not listed: {match} members of groups, but no head")
    return groups


class Stories:
    """The stories of groups of `window`, made when they are asked for; `documents` are those read last, by id."""

    def __init__(self, window: Window, config: Config, source_field: str) -> None:
        from neardup.signing.signer import signer_for

        self._window, self._source_field = window, source_field
        self._signer = signer_for(window.settings.recipe or config.recipe)
        self.documents: dict[str, ReadDocument] = {}

    def of(self, group: Group) -> Story:
        """The story of one group; reads its documents."""
        from neardup.reading.story import stored_ids, story

        read = self._window.read(stored_ids(group))
        self.documents = {document.id: document for document in read if document is not None}
        return story(group, self.documents, self._signer, self._source_field)

    def listed(self, groups: Iterable[Group], kind: KindOption, most: int) -> Iterator[Story]:
        """The stories of the first groups of a kind, as many as `most` (0: all)."""
        stories = (self.of(group) for group in groups)
        return islice((each for each in stories if kind in ("all", each.kind)), most or None)

    def begins(self, id: str) -> str:
        """The beginning of the text of a document of the last story, or its title."""
        document = self.documents.get(id)
        return "" if document is None else described(document).begins

    def title(self, group: Group) -> str:
        """The title of the group of the last story, or the beginning of its text."""
        from neardup.reading.story import titled_by

        document = titled_by(group, self.documents)
        return "" if document is None else described(document).begins

    def rows(self, story: Story) -> Iterator[Sequence[Any]]:
        """A story as rows of `COLUMNS`."""
        for each in story.versions:
            yield (
                story.group.head, story.group.size, story.kind, story.origins, each.id, each.time,
                each.after_ms / 1_000, each.source, each.score, each.matched, each.matched_score,
                each.of_first, each.origin, self.begins(each.id),
            )  # fmt: skip


def csv_line(cells: Iterable[Any]) -> str:
    r"""One row of a CSV file. A text that a spreadsheet would compute gets an apostrophe before it.

    >>> csv_line(["=1+1", 0.5, None, "a, b"]).rstrip()
    '\'=1+1,0.5,,"a, b"'
    """
    file = io.StringIO()
    csv.writer(file).writerow(
        [no_formula(escaped(cell)) if isinstance(cell, str) else cell for cell in cells]
    )
    return file.getvalue()


def boilerplate_of(window: Window) -> list[dict[str, Any]]:
    """The pieces that the window leaves out of texts: the most frequent of each source first, then the next."""
    from neardup.signing.signer import signer_for

    recipe = window.settings.recipe
    table = None if recipe is None else signer_for(recipe).counted.table
    if table is None:
        return []
    ranked = [
        (rank, name, {"source": name, "count": count, "of": source.documents, "text": piece[:LONGEST]})
        for name, source in table.sources.items()
        for rank, (piece, count) in enumerate(source.by_frequency())
    ]
    return [row for _, _, row in sorted(ranked, key=lambda each: each[:2])]
