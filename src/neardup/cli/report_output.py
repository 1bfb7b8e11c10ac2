"""The content of the page of `neardup report`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import nlargest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from neardup.cli.stories import Stories, boilerplate_of
from neardup.cli.tables import duration
from neardup.model.hours import hour_named, hour_of
from neardup.model.times import parse_time

if TYPE_CHECKING:
    from neardup import Window
    from neardup.cli.config import Config
    from neardup.model.verdict import Group
    from neardup.reading.story import Story
    from neardup.window.base import ReadDocument

FLOWS: Final = 50
"""How many pairs of sources are shown."""
COMPARED: Final = 10
"""For how many versions of a group the differences from its first text are shown."""
PIECES: Final = 100
"""How many lines and sentences of boilerplate are shown."""
DIFFERENCES: Final = 10
"""How many differences of a version are shown."""
_AT_ONCE: Final = 1_000


class Reported:
    """A window as a page shows it."""

    def __init__(self, window: Window, config: Config, source_field: str) -> None:
        self._window, self._source_field = window, source_field
        self._stories = Stories(window, config, source_field)

    def page(self, limit: int, title: str, rejects: Sequence[dict[str, Any]] | None) -> str:
        """The page, with the `limit` largest groups."""
        from neardup.reading.charts import of_scores, over_time
        from neardup.reading.page import rendered

        stats, groups = self._window.stats(), list(self._window.groups())
        members = [member for group in groups for member in group.members]
        hours = [hour for name in stats.hours if (hour := hour_named(name)) is not None]
        copies, period = over_time(Counter(hour_of(parse_time(member.time)) for member in members), hours)
        boilerplate = boilerplate_of(self._window)
        largest = nlargest(limit, groups, key=lambda group: group.size)
        stories = [self._story(group) for group in largest]
        flows, unknown = self._flows(groups)
        return rendered(
            "report.html", title=title, stats=stats, copies=copies, period=_period(period), stories=stories,
            scores=of_scores(member.duplicate_score for member in members if member.duplicate_score is not None),
            forms=sum(each["story"].kind == "form" for each in stories), groups_left_out=len(groups) - len(largest),
            flows=flows.most_common(FLOWS), flows_left_out=max(0, len(flows) - FLOWS), unknown=unknown,
            source_field=self._source_field, rejects=rejects, ungrouped=stats.copies - len(members),
            first_hour=min(stats.hours, default=None), last_hour=max(stats.hours, default=None),
            boilerplate=boilerplate[:PIECES], boilerplate_left_out=max(0, len(boilerplate) - PIECES),
        )  # fmt: skip

    def _story(self, group: Group) -> dict[str, Any]:
        """A group with its texts: that of its first existing document, and the differences of the others from it."""
        story = self._stories.of(group)
        texts = _distinct_texts(story, self._stories.documents)
        return {
            "story": story,
            "title": self._stories.title(group),
            "has_sources": any(version.source is not None for version in story.versions),
            "span": duration(story.span_ms / 1_000),
            "after": [duration(version.after_ms / 1_000) for version in story.versions],
            "text": texts[0].text if texts else None,
            "text_id": texts[0].id if texts else "",
            "differing": [self._differing(texts[0], other) for other in texts[1 : COMPARED + 1]],
            "not_compared": max(0, len(texts) - 1 - COMPARED),
        }

    def _differing(self, first: ReadDocument, other: ReadDocument) -> dict[str, Any]:
        """The differences of one text from the first, by the window's recipe."""
        from neardup.reading.excerpts import differences
        from neardup.reading.explanation import explain

        why = explain(first.counted, other.counted, recipe=self._window.settings.recipe)
        return {
            "id": other.id,
            "doc_q": why.doc_q,
            "differences": list(differences(why))[:DIFFERENCES],
            "left_out": max(0, len(why.changes) - DIFFERENCES),
        }

    def _flows(self, groups: Sequence[Group]) -> tuple[Counter[tuple[str, str]], int]:
        """(Counts of copies by the source of their best match and their own; for how many a source is not known: one
        that has gone is not known, though another document may have its id).
        """
        originals = (
            (member.duplicate_of or group.head, member.id, group)
            for group in groups
            for member in group.members
        )
        pairs = [
            ("" if original == group.head and not group.head_is_there else original, copy)
            for original, copy, group in originals
        ]
        sources = self._sources({id for pair in pairs for id in pair if id})
        flows = Counter(
            (sources[original], sources[copy])
            for original, copy in pairs
            if {original, copy} <= sources.keys()
        )
        return flows, len(pairs) - flows.total()

    def _sources(self, ids: set[str]) -> dict[str, str]:
        """The sources of documents that name one, by id."""
        named = {}
        wanted = sorted(ids)
        for at in range(0, len(wanted), _AT_ONCE):
            for document in self._window.read(wanted[at : at + _AT_ONCE]):
                if document is not None and document.fields.get(self._source_field) is not None:
                    named[document.id] = str(document.fields[self._source_field])
        return named


def _period(hours: int) -> str:
    """How long a bar stands for, in words.

    >>> _period(1), _period(6), _period(336)
    ('hour', '6 hours', '14 days')
    """
    if hours == 1:
        return "hour"
    return f"{hours} hours" if hours % 24 or hours < 48 else f"{hours // 24} days"


def _distinct_texts(story: Story, documents: dict[str, ReadDocument]) -> list[ReadDocument]:
    """The first document of each text of the versions, in order of time; texts are equal by the parts that count."""
    by_text: dict[str, ReadDocument] = {}
    for version in story.versions:
        document = documents.get(version.id)
        if document is not None:
            by_text.setdefault(document.counted, document)
    return list(by_text.values())


def read_rejects(path: Path) -> list[dict[str, Any]]:
    """The rejects that `neardup ingest --rejects` wrote; raises `typer.BadParameter` for a missing or another file."""
    import orjson

    if not path.exists():
        reason = f"{path} does not exist: neardup ingest --rejects writes it"
        raise typer.BadParameter(reason, param_hint="--rejects")
    rejects = []
    with path.open("rb") as file:
        for at, line in enumerate(file, 1):
            try:
                values = orjson.loads(line)
                rejects.append({name: values[name] for name in ("source", "line", "id", "reason")})
            except (orjson.JSONDecodeError, KeyError, TypeError) as error:
                reason = f"{path}:{at} is no line of --rejects: name the file that neardup ingest wrote"
                raise typer.BadParameter(reason, param_hint="--rejects") from error
    return rejects
