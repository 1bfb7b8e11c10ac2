"""The routes of `/api`, for programs. FastAPI generates the OpenAPI description from them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Body, Depends, HTTPException, Query, Request, Response

from neardup.errors import DocumentError, NeardupError, SettingsError, UnknownDocument, shown
from neardup.model.counted import some_of
from neardup.model.shown_fields import utf8_text
from neardup.serving import answers
from neardup.serving.group_lists import Sort, sorted_groups
from neardup.version import VERSION

if TYPE_CHECKING:
    from neardup.serving.judged import JudgedPairs
    from neardup.serving.metrics import Metrics
    from neardup.serving.questions import Questions


def _problem(description: str) -> dict[str, Any]:
    """An error as OpenAPI describes it."""
    schema = answers.Problem.model_json_schema()
    return {"description": description, "content": {"application/problem+json": {"schema": schema}}}


_ERRORS: Final[dict[int | str, dict[str, Any]]] = {
    401: _problem("A token is needed"),
    403: _problem("A page of another origin may send only GET and HEAD"),
    405: _problem("This path does not accept the method"),
    413: _problem("The request is too large"),
    415: _problem("The body of a request may not be compressed"),
    421: _problem("This server does not answer to that name"),
    422: _problem("The request is not valid"),
    429: _problem("Too many requests in this second"),
    503: _problem("The window cannot be used"),
}
_UNKNOWN: Final[dict[int | str, dict[str, Any]]] = {404: _problem("It is not in the window")}
_SOME_REJECTED: Final[dict[int | str, dict[str, Any]]] = {
    207: {"model": answers.Ingested, "description": "Some documents were rejected"}
}


def routes(questions: Questions, judged: JudgedPairs | None, metrics: Metrics) -> APIRouter:
    """All routes; those that change anything are included only where that was allowed."""
    router = APIRouter(prefix="/api", responses=_ERRORS, dependencies=[Depends(_refuse_unknown)])
    _add_questions(router, questions, metrics)
    _add_groups(router, questions)
    if judged is not None:
        _add_judgements(router, questions, judged)
    if questions.ingests:
        _add_ingest(router, questions, metrics)
    return router


async def _refuse_unknown(request: Request) -> None:
    """Raises for a query parameter that the route does not have, or that comes twice: it would be ignored otherwise."""
    known = [field.alias for field in request.scope["route"].dependant.query_params]
    for name in request.query_params:
        if name not in known:
            takes = ", ".join(known) or "none"
            raise HTTPException(422, f"{request.url.path} has no parameter {shown(name)}: it takes {takes}")
        if len(values := request.query_params.getlist(name)) > 1:
            given = some_of([shown(value) for value in values])
            raise HTTPException(422, f"{request.url.path} takes one {name}, and not several: {given}")


def _add_questions(router: APIRouter, questions: Questions, metrics: Metrics) -> None:
    @router.get("/health")
    def health() -> answers.Health:
        """Whether the server can be used, and for which window; 503 also if it is to ingest but refuses all documents
        until it is started again.
        """
        questions.check_usable()
        stats = questions.stats()
        return answers.Health(
            window=questions.name, documents=stats.documents, newest=stats.newest, changes=questions.changes,
            threshold=questions.exact_threshold, version=VERSION,
        )  # fmt: skip

    @router.get("/changes")
    def changes() -> int:
        """A number that grows when the server sees a new commit; pages update themselves by it."""
        return questions.look()

    @router.post("/check")
    def check(query: answers.TextQuery) -> answers.Verdict:
        """Which documents say the same as a text? Nothing is stored."""
        verdict = questions.check(**query.model_dump())
        metrics.count("check", [verdict])
        return answers.Verdict.model_validate(verdict.to_dict())

    @router.get("/query", responses=_UNKNOWN)
    def query(
        id: str,
        threshold: Annotated[float | None, Query(gt=0, le=1, description=answers.THRESHOLD)] = None,
        matches: Annotated[int, Query(ge=0, le=answers.MOST_LISTED)] = 10,
    ) -> answers.Verdict:
        """Which other documents say the same as a stored one?"""
        verdict = questions.query(id, threshold=threshold, matches=matches)
        metrics.count("query", [verdict])
        return answers.Verdict.model_validate(verdict.to_dict())

    @router.get("/document", responses=_UNKNOWN)
    def document(id: str) -> answers.Document:
        """A stored document with its text, its fields and its verdict."""
        return answers.Document.model_validate(questions.document(id).to_dict())

    @router.get("/kind", responses=_UNKNOWN)
    def kind(a: str, b: str) -> answers.PairKind:
        """How two stored documents are related: copy, form, quote, frame, other; and why."""
        why = questions.explain(questions.document(a), questions.document(b))
        return answers.PairKind.model_validate(asdict(why.kind))

    @router.get("/stats")
    def stats() -> dict[str, Any]:
        """The window in figures, as `neardup stats --format jsonl`."""
        return questions.stats().to_dict()


def _add_groups(router: APIRouter, questions: Questions) -> None:
    @router.get("/groups")
    def groups(
        sort: Sort = "time",
        limit: Annotated[int, Query(ge=1, le=answers.MOST_LISTED)] = 50,
        offset: Annotated[int, Query(ge=0)] = 0,
        least: Annotated[int, Query(ge=1, description="only groups of at least this many documents")] = 1,
    ) -> answers.Groups:
        """Groups, the largest first or, by the times of their first documents, the newest first."""
        chosen = sorted_groups(questions, sort, least)
        listed = [answers.Group.model_validate(group.to_dict()) for group in chosen[offset : offset + limit]]
        return answers.Groups(total=len(chosen), groups=listed)

    @router.get("/group", responses=_UNKNOWN)
    def group(head: str) -> answers.Group:
        """One group, by the id of its head."""
        return answers.Group.model_validate(questions.group(head).to_dict())

    @router.get("/scores")
    def scores() -> list[answers.Band]:
        """Copies by doc_q with their best match, in ranges of 0.05 and one of doc_q 1, with pairs to read in each:
        helps to choose a threshold.
        """
        return [
            answers.Band.model_validate({**band._asdict(), "pairs": [pair._asdict() for pair in band.pairs]})
            for band in questions.bands()
        ]


def _add_judgements(router: APIRouter, questions: Questions, judged: JudgedPairs) -> None:
    @router.post("/judge", responses=_UNKNOWN)
    def judge(said: answers.Judged) -> answers.JudgedTotal:
        """Records how two stored documents are related, for `neardup evaluate --truth`; the last judgement counts."""
        for id in (said.id1, said.id2):
            questions.document(id)
        judged.judge(said.id1, said.id2, said.judgement)
        return answers.JudgedTotal(judged=len(judged), file=judged.path.name)


def _add_ingest(router: APIRouter, questions: Questions, metrics: Metrics) -> None:
    @router.post("/ingest", responses=_SOME_REJECTED)
    def ingest(
        documents: Annotated[
            list[Any],
            Body(max_length=answers.MOST_INGESTED, json_schema_extra={"items": answers.DOCUMENT_SENT}),
        ],
        response: Response,
    ) -> answers.Ingested:
        """Stores documents (id, text, optionally time) and gives a verdict on each; 207 if some were rejected."""
        ingested = questions.ingest(documents)
        metrics.count("ingest", [verdict for verdict, _ in ingested.verdicts], len(ingested.rejects))
        if ingested.rejects:
            response.status_code = 207
        return answers.Ingested(
            verdicts=[
                answers.IngestedVerdict.model_validate({**verdict.to_dict(), "index": index})
                for verdict, index in ingested.verdicts
            ],
            rejects=[
                answers.Rejected(index=index, id=reject.id and utf8_text(reject.id), reason=reject.reason)
                for reject, index in ingested.rejects
            ],
        )

    @router.delete("/document", responses=_UNKNOWN, status_code=204)
    def delete(id: str) -> None:
        """Removes a document; verdicts of others that name it stay. A directory holds its bytes until its hour goes."""
        questions.delete(id)


def status_of(error: NeardupError) -> int:
    """The HTTP status for an error; 503 for an error that is not about the request."""
    if isinstance(error, UnknownDocument):
        return 404
    return 422 if isinstance(error, SettingsError | DocumentError) else 503
