"""The checks before every request (host, token, rate, size of bodies), and the headers that restrict browsers."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote_to_bytes, urlencode, urlsplit

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response

from neardup.errors import shown

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE: Final = "neardup_token_{port}"
"""Browsers keep cookies by host, not by port: so each server on a machine has a cookie name of its own."""
SECURITY_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with "no-referrer" a browser hides the origin of our own forms
    "Cache-Control": "no-store",
}
"""Nothing is loaded from elsewhere, no script in a text is run, and no other page can embed one of ours."""
_SAFE_METHODS: Final = ("GET", "HEAD")


class Limits(NamedTuple):
    """Which requests are accepted.

    hosts     host names by which the server may be addressed; () = any: with a token
    token     the token that every request must have; None = none
    body      the most bytes in the body of a request
    rate      the most requests of one client in a second; 0 = no limit
    """

    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]")
    token: str | None = None
    body: int = 32_000_000
    rate: int = 50


class _TooLarge(Exception):
    """The body of a request exceeds the limit."""


class _CountedBody:
    """The body of a request, which arrives by `receive` in parts, up to `most` bytes."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._left = most

    @property
    def is_too_large(self) -> bool:
        """Whether more bytes have come than allowed."""
        return self._left < 0

    async def receive(self) -> Message:
        """The next part; raises `_TooLarge` if the body exceeds the limit with it."""
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self.is_too_large:
            raise _TooLarge
        return message


class Guard:
    """An ASGI application that passes requests on to `app` as far as `limits` allow.

    A browser sends the token once in the address (`?token=…`) and from then on in a cookie, which no script can read
    and no other site can use; a program sends it as `Authorization: Bearer …`. Requests other than GET and HEAD are
    accepted only from pages of the same origin, or from programs.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._rate = RateLimitItemPerSecond(limits.rate) if limits.rate else None
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or refuses it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        body = _CountedBody(receive, self._limits.body)
        has_begun = False

        async def send_guarded(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        async def send_unless_too_large(message: Message) -> None:
            if not body.is_too_large:  # otherwise the application answers about half a body
                await send_guarded(message)

        refused = self._refused(scope)
        if refused is None:
            # The server leaves out the body of an answer to HEAD.
            whole = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
            try:
                with contextlib.suppress(_TooLarge):
                    await self._app(whole, body.receive, send_unless_too_large)
                refused = self._too_large() if body.is_too_large else None
            except asyncio.CancelledError:  # the server ends, and has waited for this request
                refused = None if has_begun else problem(503, "this server is shutting down: try again later")
        if refused is not None:
            await refused(scope, receive, send_guarded)

    def _refused(self, scope: Scope) -> Response | None:
        """The answer to a request that is refused; None if it may pass."""
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if self._limits.hosts and _name_of(host) not in self._limits.hosts:
            advice = f"this server does not answer to the name {shown(host)}: use {self._limits.hosts[0]}"
            return problem(421, advice)
        client = (scope.get("client") or ("?",))[0]
        if self._rate is not None and not self._limiter.hit(self._rate, client):
            return problem(
                429, f"more than {self._limits.rate} requests a second: wait a second", {"Retry-After": "1"}
            )
        coding = headers.get("content-encoding", "").strip().lower()
        if coding not in ("", "identity"):
            advice = "send it as it is, without the header Content-Encoding"
            return problem(415, f"the body of a request may not be compressed ({shown(coding)}): {advice}")
        if int(headers.get("content-length") or 0) > self._limits.body:
            return self._too_large()
        try:
            unquote_to_bytes(scope["query_string"]).decode()
        except UnicodeDecodeError as error:
            wrong = error.object[error.start]
            return problem(422, f"an address must be escaped UTF-8: its byte {wrong:#04x} is not")
        origin = headers.get("origin")
        if scope["method"] not in _SAFE_METHODS and origin and _host_of(origin) != host:
            advice = (
                "if both are this server, the proxy between must pass on the Host header that it received"
            )
            return problem(
                403, f"a page of {shown(origin)} may send only GET and HEAD to {shown(host)}: {advice}"
            )
        return self._unauthorized(scope, headers)

    def _unauthorized(self, scope: Scope, headers: Headers) -> Response | None:
        if self._limits.token is None:
            return None
        query = QueryParams(scope["query_string"])
        given = query.get("token")
        if given is not None and scope["method"] == "GET" and self._is_token(given):
            others = urlencode([(name, value) for name, value in query.multi_items() if name != "token"])
            own = "/" + scope["path"].lstrip("/")  # two slashes would begin the name of another server
            response = RedirectResponse(own + (f"?{others}" if others else ""), 303)
            secure = scope["scheme"] == "https"
            response.set_cookie(_cookie(scope), given, httponly=True, samesite="strict", secure=secure)
            return response
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        # Read leniently: other servers of this host set cookies, too.
        cookie = HTTPConnection(scope).cookies.get(_cookie(scope))
        if scheme.lower() == "bearer" and self._is_token(bearer):
            return None
        if cookie is not None and self._is_token(cookie):
            return None
        advice = "a token is needed: open the address that `neardup serve` printed, or send Authorization: Bearer TOKEN"
        return problem(401, advice, {"WWW-Authenticate": "Bearer"})

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), (self._limits.token or "").encode())

    def _too_large(self) -> Response:
        return problem(
            413, f"a request may have at most {self._limits.body:,} bytes: send less at once (--max-body)"
        )


def problem(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    """An error in the form of RFC 9457, with the next step in its detail."""
    body: dict[str, Any] = {"status": status, "detail": detail}
    return JSONResponse(body, status, headers, media_type="application/problem+json")


def _cookie(scope: Scope) -> str:
    """The name of this server's cookie."""
    return COOKIE.format(port=(scope.get("server") or ("", 0))[1])


def _host_of(origin: str) -> str:
    """The host of an Origin header in small letters, with its port; "" if it names none, as "null" does."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _name_of(host: str) -> str:
    """The host of a Host header, without its port."""
    return host if host.endswith("]") else host.rpartition(":")[0] or host
