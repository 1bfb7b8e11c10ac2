"""The server: routes, pages, guard, figures and errors put together."""

from __future__ import annotations

import logging
import reprlib
import sys
import time
from typing import TYPE_CHECKING, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from neardup.errors import NeardupError, shown
from neardup.model.counted import some_of
from neardup.serving import api, pages
from neardup.serving.guard import SECURITY_HEADERS, Guard, Limits, problem
from neardup.serving.metrics import Metrics
from neardup.version import VERSION

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from neardup.serving.judged import JudgedPairs
    from neardup.serving.questions import Questions


log: Final = logging.getLogger("neardup")
_OWN_MACHINE: Final = Limits()
_SAID_AGAIN: Final = 60
"""After so many seconds the log repeats that the window cannot be used, and why."""
_READS_ONLY: Final = "the server was started without --ingest"


def create_application(
    questions: Questions, *, limits: Limits = _OWN_MACHINE, judged: JudgedPairs | None = None
) -> FastAPI:
    """The ASGI application that answers `questions`, within `limits`, and keeps people's judgements in `judged`."""
    metrics = Metrics(questions)
    application = FastAPI(
        title="neardup",
        summary=f"Near-duplicates in {questions.name}, by exact doc_q",
        version=VERSION,
        docs_url=None,  # its pages load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    application.include_router(api.routes(questions, judged, metrics))
    application.include_router(
        pages.routes(questions, judged, lambda verdict: metrics.count("check", [verdict]))
    )
    application.mount("/static", StaticFiles(packages=[("neardup.serving", "static")]), name="static")

    @application.get("/metrics", include_in_schema=False)
    def figures() -> Response:
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    _tell_errors(application)
    application.add_middleware(_Timed, metrics=metrics)
    application.add_middleware(Guard, limits=limits)
    return application


def _tell_errors(application: FastAPI) -> None:
    said, said_at = "", 0.0

    def unusable(request: Request, detail: str) -> Response:
        """Also logs the error for the operator of the server, but not once for every request."""
        nonlocal said, said_at
        if detail != said or time.monotonic() - said_at >= _SAID_AGAIN:
            said, said_at = detail, time.monotonic()
            log.warning("%s", detail)
        return _error(request, 503, detail)

    @application.exception_handler(NeardupError)
    async def answer_error(request: Request, error: NeardupError) -> Response:
        status, detail = api.status_of(error), str(error)
        return unusable(request, detail) if status == 503 else _error(request, status, detail)

    @application.exception_handler(OSError)
    async def answer_system(request: Request, error: OSError) -> Response:
        """For a full disk, or a directory that has gone: nothing is wrong with the request."""
        return unusable(request, f"{error.filename or 'the system'}: {error.strerror or error}")

    @application.exception_handler(ClientDisconnect)
    async def answer_nobody(request: Request, _: ClientDisconnect) -> Response:
        return _error(request, 400, "the client disconnected before its whole request had arrived")

    @application.exception_handler(RequestValidationError)
    async def answer_invalid(request: Request, error: RequestValidationError) -> Response:
        return _error(request, 422, _why_invalid(request, error))

    @application.exception_handler(HTTPException)
    async def answer_refused(request: Request, error: HTTPException) -> Response:
        path, method = request.url.path, request.method
        if error.status_code == 404:
            started = f": {_READS_ONLY}" if path == "/api/ingest" else ""
            return _error(request, 404, f"there is nothing at {shown(path)}{started}")
        if unreadable := _why_unreadable(error.__cause__):
            return _error(request, 422, unreadable)
        detail = str(error.detail)
        if error.status_code == 405:
            is_change = (method, path) == ("DELETE", "/api/document")
            why = _READS_ONLY if is_change else "see /api/openapi.json"
            detail = f"{shown(path)} does not accept {method}: {why}"
        answer = _error(request, error.status_code, detail)
        answer.headers.update(error.headers or {})
        return answer

    @application.exception_handler(Exception)
    async def answer_fault(request: Request, error: Exception) -> Response:
        """The server's log has all that is known of the error; the client learns only its class."""
        advice = f"{type(error).__name__}: a bug in neardup. The log of the server has the details; please report it"
        answer = _error(request, 500, advice)
        answer.headers.update(SECURITY_HEADERS)  # this answer does not pass the guard
        return answer


def _why_invalid(request: Request, error: RequestValidationError) -> str:
    """The first thing that is wrong with a request, and the next step."""
    first = error.errors()[0]
    kind = request.headers.get("content-type", "none").partition(";")[0]
    if first["loc"] == ("body",) and request.url.path.startswith("/api/") and kind != "application/json":
        says = f"Content-Type: application/json (it says {shown(kind)})"
        return f"the body must be JSON, and the header must say so: {says}"
    if first["type"] == "json_invalid":
        return f"the body must be JSON: {first['ctx']['error']} at character {first['loc'][-1]}"
    where = first["loc"][1] if len(first["loc"]) > 1 else "the request"  # a type may follow it
    if first["type"] == "extra_forbidden":  # then it is a name chosen by the client
        where = shown(where)
    given = f" (it is {reprlib.repr(first['input'])})"
    if first["type"] == "missing":
        names = [shown(name) for name in first["input"]] if isinstance(first["input"], dict) else []
        given = f" (there is {some_of(names)})" if names else ""
    return f"{where}: {first['msg']}{given}"


def _why_unreadable(cause: BaseException | None) -> str | None:
    """Why a body cannot be read as JSON at all, from the `cause` of the error; None if that is not the fault."""
    if isinstance(cause, UnicodeDecodeError):
        return f"the body must be JSON in UTF-8: its byte {cause.start:,} is not"
    if isinstance(cause, RecursionError):
        return "the body must be JSON: it is nested too deep"
    if isinstance(cause, ValueError):
        return f"the body must be JSON: a number in it has more than {sys.get_int_max_str_digits():,} digits"
    return None


def _error(request: Request, status: int, detail: str) -> Response:
    """An error as an answer: a page for people, a problem (RFC 9457) for programs."""
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        return problem(status, detail)
    return pages.error_page(status, detail)


class _Timed:
    """An ASGI application that reports to `metrics` how long `app` takes until it begins to answer a request."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()

        async def send_timed(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", "other")
                self._metrics.time(route, message["status"], time.perf_counter() - began)
            await send(message)

        await self._app(scope, receive, send_timed)
