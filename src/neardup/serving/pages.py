"""The pages on which people see a window and judge pairs: HTML made by the server; every text is escaped."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import FileResponse, HTMLResponse

from neardup.errors import UnknownDocument
from neardup.reading.charts import chart
from neardup.serving.differences import Side, against, compared, counted_part, whole
from neardup.serving.forms import Pasted, pasted
from neardup.serving.group_lists import Sort, csv_of, rows_of, sorted_groups, titles_of
from neardup.serving.judged import JUDGEMENTS
from neardup.serving.rendering import page
from neardup.serving.versions import MOST_READ, Version, positions, title_of, versions_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from neardup.model.verdict import Group, Match, Verdict
    from neardup.reading.facts import Fact
    from neardup.serving.judged import JudgedPairs
    from neardup.serving.questions import Band, Questions
    from neardup.window.base import ReadDocument

_ICON: Final = Path(__file__).parent / "static" / "icon.svg"
"""The icon that browsers show beside the title of every page, also of JSON and figures."""
_ROWS: Final = 50
_NEWEST_GROUPS: Final = 20
_MOST_BARS: Final = 72
_FACTS_A_VERSION: Final = 5
_MOST_FACTS: Final = 10


class Column(NamedTuple):
    """A version of a group on its page: its text compared with the head's, the score, the judgement and the kind."""

    version: Version
    is_head: bool
    score: float | None
    judged: str | None
    said: str
    side: Side


class ChangedFact(NamedTuple):
    """A fact of the head that differs in a version; `version` counts columns from 1."""

    kind: str
    head: str
    other: str
    version: int


class ShownPair(NamedTuple):
    """A copy and its best match, and the title of each."""

    id: str
    duplicate_of: str
    score: float
    begins: str
    original_begins: str


class ShownMatch(NamedTuple):
    """A match compared with the text asked about; `group`: the head of its group, if it is in one."""

    document: ReadDocument
    score: float
    group: str | None
    side: Side


class Pages:
    """Makes one page of a window, which shows what was committed when this object was made, or later."""

    def __init__(self, questions: Questions, judged: JudgedPairs | None) -> None:
        self._questions = questions
        self._judged = judged
        # Before anything is read, so that the page reloads after any later commit.
        self._changes = questions.look()

    def render(self, template: str, **values: Any) -> HTMLResponse:
        """The page of a template, with the values that all pages show."""
        judgements = JUDGEMENTS if self._judged is not None else ()
        return page(
            template, window=self._questions.name, changes=self._changes, judgements=judgements, **values
        )

    def home(self) -> HTMLResponse:
        """The home page: a box to paste a text into, the figures of the window, its newest groups."""
        stats = self._questions.stats()
        newest = sorted_groups(self._questions, "time", 1)[:_NEWEST_GROUPS]
        return self.render(
            "home.html", stats=stats, groups=rows_of(self._questions, newest),
            threshold=self._questions.threshold, exact_threshold=self._questions.exact_threshold,
            is_other_stored=not self._questions.answers_by(stats.threshold),
            chart=chart(list(stats.hours.values())[-_MOST_BARS:], list(stats.hours)[-_MOST_BARS:]),
        )  # fmt: skip

    def groups(self, sort: Sort, offset: int) -> HTMLResponse:
        """A list of groups."""
        chosen = sorted_groups(self._questions, sort, 1)
        listed = rows_of(self._questions, chosen[offset : offset + _ROWS])
        return self.render(
            "groups.html", groups=listed, total=len(chosen), sort=sort, offset=offset, rows=_ROWS
        )

    def group(self, head: str, offset: int = 0) -> HTMLResponse:
        """The texts of a group side by side, from the member `offset` on."""
        group = self._questions.group(head)
        versions = versions_of(self._questions, group, offset)
        if not versions.all:
            raise UnknownDocument(head)
        shown = [version for version in (versions.head, *versions.others) if version is not None]
        title = title_of(versions.head.document) if versions.head else titles_of(self._questions, [group])[0]
        columns, facts = [], []
        for number, version in enumerate(shown, 1):
            against = None if versions.head in (None, version) else versions.head
            column, changed = self._column(group, version, against)
            columns.append(column)
            facts += [ChangedFact(fact.kind, fact.a or "–", fact.b or "–", number) for fact in changed]
        return self.render(
            "group.html", group=group, versions=versions, columns=columns, line=positions(versions.all),
            title=title, facts=sorted(facts, key=lambda fact: fact.kind == "name"), most_facts=_MOST_FACTS,
            is_replaced=self._is_replaced(group), offset=offset, step=MOST_READ,
        )  # fmt: skip

    def _is_replaced(self, group: Group) -> bool:
        """Whether another document has the id of the head, which has gone."""
        return not group.head_is_there and self._questions.read([group.head]) != [None]

    def _column(self, group: Group, version: Version, head: Version | None) -> tuple[Column, Sequence[Fact]]:
        """A version, and the facts in which it differs from the head's text, if that is still there."""
        document, score = version.document, version.copies[0].score
        judged = self._judged.of(group.head, document.id) if self._judged is not None else None
        is_head = any(copy.id == group.head for copy in version.copies)
        if head is None:
            return Column(version, is_head, score, judged, "", whole(document.counted)), ()
        side, said, facts = against(
            head.document.counted, document.counted, self._questions.recipe, most_facts=_FACTS_A_VERSION
        )
        return Column(version, is_head, score, judged, said, side), facts

    def check(
        self, text: str, threshold: float | None, on_verdict: Callable[[Verdict], None]
    ) -> HTMLResponse:
        """The matches of a pasted text; `on_verdict` is called with the verdict."""
        verdict, documents, first, dated = self._questions.seen(text, threshold=threshold)
        on_verdict(verdict)
        counted = counted_part(text, self._questions.recipe)
        matches = [
            self._shown_match(match, document, counted)
            for match, document in zip(verdict.matches, documents, strict=True)
            if document is not None
        ]
        return self.render(
            "check.html", verdict=verdict, matches=matches, first=first, dated=dated,
            reach=self._questions.reach, asked=threshold or self._questions.threshold,
        )  # fmt: skip

    def _shown_match(self, match: Match, document: ReadDocument, text: str) -> ShownMatch:
        in_group = document.verdict.group if self._questions.is_in_group(document) else None
        side = against(text, document.counted, self._questions.recipe, most_facts=0).side
        return ShownMatch(document, match.score, in_group, side)

    def document(self, id: str) -> HTMLResponse:
        """A whole document."""
        document = self._questions.document(id)
        in_group = self._questions.is_in_group(document)
        now = self._questions.present_score(document)
        return self.render("document.html", document=document, in_group=in_group, score_now=now)

    def pair(self, a: str, b: str) -> HTMLResponse:
        """Two documents side by side."""
        first, second = self._questions.document(a), self._questions.document(b)
        left, right, said, facts = compared(first.counted, second.counted, self._questions.recipe)
        return self.render(
            "pair.html", score=self._questions.explain(first, second).doc_q, said=said, facts=facts,
            judged=self._judged.of(a, b) if self._judged is not None else None,
            sides=((first, left), (second, right)),
        )  # fmt: skip

    def scores(self) -> HTMLResponse:
        """How well copies match."""
        bands, stats = self._questions.bands(), self._questions.stats()
        lowest = next((at for at, band in enumerate(bands) if band.copies), 0)
        bands = bands[lowest:]
        total = sum(band.copies for band in bands)
        titles = self._titles(bands)
        below, shown = 0, []
        for band in bands:
            below += band.copies
            pairs = [
                ShownPair(
                    *pair, titles.get(pair.id, pair.id), titles.get(pair.duplicate_of, pair.duplicate_of)
                )
                for pair in band.pairs
            ]
            shown.append({**band._asdict(), "below": below, "pairs": pairs})
        names = [f"{band.low:.2f} to {band.high:.2f}" if band.low < 1 else "1.00" for band in bands]
        return self.render(
            "scores.html", bands=shown if total else [],
            chart=chart([band.copies for band in bands], names), total=total, stats=stats,
            others=stats.copies - total,
        )  # fmt: skip

    def _titles(self, bands: Sequence[Band]) -> dict[str, str]:
        """The titles of the documents in the pairs of bands, by id, as far as they still exist."""
        ids = list({id: None for band in bands for pair in band.pairs for id in (pair.id, pair.duplicate_of)})
        return {
            document.id: title_of(document) for document in self._questions.read(ids) if document is not None
        }

    def csv(self, head: str) -> Response:
        """All documents of a group as CSV, one row each."""
        name = {"Content-Disposition": 'attachment; filename="group.csv"'}
        return Response(
            csv_of(self._questions.group(head)), media_type="text/csv; charset=utf-8", headers=name
        )


def routes(
    questions: Questions, judged: JudgedPairs | None, on_verdict: Callable[[Verdict], None]
) -> APIRouter:
    """The routes of all pages; `on_verdict` is called with the verdict on each pasted text."""
    router = APIRouter(include_in_schema=False)

    def pages() -> Pages:
        return Pages(questions, judged)

    @router.get("/")
    def home() -> Response:
        return pages().home()

    @router.get("/favicon.ico")
    def icon() -> Response:
        return FileResponse(_ICON, media_type="image/svg+xml")

    @router.get("/groups")
    def groups(sort: Sort = "time", offset: Annotated[int, Query(ge=0)] = 0) -> Response:
        return pages().groups(sort, offset)

    @router.get("/group")
    def group(head: str, offset: Annotated[int, Query(ge=0)] = 0) -> Response:
        return pages().group(head, offset)

    @router.get("/group.csv")
    def group_csv(head: str) -> Response:
        return pages().csv(head)

    @router.get("/document")
    def document(id: str) -> Response:
        return pages().document(id)

    @router.get("/pair")
    def pair(a: str, b: str) -> Response:
        return pages().pair(a, b)

    @router.get("/scores")
    def scores() -> Response:
        return pages().scores()

    @router.post("/check")
    def check(form: Annotated[Pasted, Depends(pasted)]) -> Response:
        return pages().check(form.text, form.threshold, on_verdict)

    return router


def error_page(status: int, detail: str) -> HTMLResponse:
    """An error, for people."""
    return page("error.html", status, code=status, phrase=HTTPStatus(status).phrase, detail=detail)
