"""HTTP client of a cluster: JSON out and in, requests repeated while it is away or busy, its errors as ours.

The only module that imports `elasticsearch`. Of the official client it uses the transport (connections, TLS,
authentication, the headers that make two versions understand each other), not the hundred methods: the requests are
those of the reference, readable in a log.
"""

from __future__ import annotations

import logging
import random
import re
import time
from collections.abc import Sequence
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

import orjson
from elastic_transport import ApiError, ConnectionTimeout, NodePool, Serializer, TlsError, TransportError
from elasticsearch import Elasticsearch, UnsupportedProductError
from elasticsearch import __version__ as _client_version

from neardup.elastic.http.address import Address, Credentials
from neardup.elastic.http.permission_errors import permission_error
from neardup.elastic.http.remedies import never_fits, remedy_for
from neardup.errors import ClusterConflict, ClusterError, ClusterRejected, ClusterUnreachable

if TYPE_CHECKING:
    from elastic_transport import BaseNode

Body = dict[str, Any] | Sequence[dict[str, Any] | bytes] | bytes

CLIENT_MAJOR: Final = int(_client_version[0])
"""The client library speaks to servers of its own major version, and newer ones."""
DEFAULT_PATIENCE: Final = 120.0
DEFAULT_TIMEOUT: Final = 60.0
BUSY: Final = (429, 502, 503, 504)
"""Too many requests; a proxy that reaches no node; a node without master or shard; the same in time."""
FIRST_WAIT: Final = 0.25
LONGEST_WAIT: Final = 15.0
LOCAL_HOSTS: Final = ("http://localhost:", "http://127.0.0.1:", "http://[::1]:")
CONNECTIONS: Final = 16

_ABORTED_RE: Final = re.compile(r"(?:Error|Disconnected)\(\d*,? ?['\"](.+)['\"]\)")
_CLOSED: Final = "the connection has been closed"
_NO_JSON: Final = "an answer that is no JSON, or only the beginning of one"
_JSON: Final = "application/json"
_NDJSON: Final = "application/x-ndjson"

_jitter: Final = random.Random()  # noqa: S311 - no secret hangs on it
"""Of our own: whoever seeds `random` for something else finds it as he left it."""
_log = logging.getLogger("neardup")


class _Json(Serializer):
    """Bodies are encoded before they come here; what is no JSON (a proxy's page) stays text."""

    def dumps(self, data: bytes) -> bytes:
        return data

    def loads(self, data: bytes) -> Any:
        try:
            return orjson.loads(data) if data else None
        except orjson.JSONDecodeError:
            return data.decode("utf-8", "replace")


class _OneNode(NodePool):
    """The pool of one address: there is no other to turn to, so none is counted out (nor mentioned in the log)."""

    def mark_dead(self, node: BaseNode, _now: float | None = None) -> None:
        pass


class Backoff:
    """How long to wait before asking again: longer each time, never the same for two who wait, `patience` in all."""

    def __init__(self, patience: float) -> None:
        self.patience, self._end, self._tries = patience, time.monotonic() + patience, 0
        self._logged: set[str] = set()

    def wait(self, url: str, reason: str, *, least: float = 0.0) -> None:
        """Waits; the log has each reason once. Raises `ClusterUnreachable` instead when patience would be over."""
        upper = min(LONGEST_WAIT, FIRST_WAIT * 2**self._tries)
        seconds = max(least, _jitter.uniform(upper / 2, upper))
        left = self._end - time.monotonic()
        if left <= 0 or least > left:
            waited = f" (waited {self.patience:g} s)" if self._tries else ""
            raise ClusterUnreachable(url, f"{reason}{waited}")
        if reason not in self._logged:
            self._logged.add(reason)
            _log.warning("Elasticsearch at %s: %s; trying again for up to %.0f s", url, reason, left)
        self._tries += 1
        time.sleep(min(seconds, left))


class Cluster:
    """A connection to the cluster of `address`; safe to use from several threads.

    `patience`: for how many seconds one request may be asked again while the cluster is away or busy, 0 for not at
    all. `timeout`: after how many seconds without an answer a request counts as lost.
    """

    def __init__(
        self,
        address: Address,
        credentials: Credentials | None = None,
        *,
        patience: float = DEFAULT_PATIENCE,
        timeout: float = DEFAULT_TIMEOUT,
    ) -> None:
        self.address, self.patience, self.timeout = address, patience, timeout
        self.url = address.url
        self.credentials = credentials or Credentials()
        self._client = Elasticsearch(self.url, **self._options())
        self._closed = False

    def __repr__(self) -> str:
        return f"Cluster({str(self.address)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; a request after that raises `ClusterUnreachable` at once."""
        self._closed = True
        self._client.close()

    def backoff(self) -> Backoff:
        """Waits for a piece of work that is begun now."""
        return Backoff(self.patience)

    def request(
        self,
        method: str,
        path: str,
        *,
        params: dict[str, Any] | None = None,
        body: Body | None = None,
        missing_ok: bool = False,
    ) -> Any:
        """The answer, parsed; None for 404 where `missing_ok`; True for a HEAD that found something.

        `body` is a dict, the lines of a request in lines (dicts or encoded), or bytes that are sent as they are (as
        lines if they end with one). A request whose answer was lost, or is no JSON, is sent again, so it must be one
        that can be: a `create` that had landed then conflicts. Raises `ClusterUnreachable` when patience is over,
        `ClusterRefused`, `ClusterConflict` (409) or `ClusterRejected`.
        """
        encoded, kind = _encode(body)
        headers = {"accept": _JSON} | ({"content-type": kind} if encoded is not None else {})
        backoff = self.backoff()
        while True:
            if self._closed:
                raise ClusterUnreachable(self.url, _CLOSED)
            least = 0.0
            try:
                answer = self._client.perform_request(
                    method, path, params=params, headers=headers, body=encoded
                )
            except ApiError as error:
                known = _is_of_elasticsearch(error, method)
                if missing_ok and known and error.meta.status == 404:
                    return None
                reason = f"{error.meta.status} {' '.join(self._type_and_reason(error))}"
                is_busy = error.meta.status in BUSY and not never_fits(reason)
                if not is_busy and (known or error.meta.status != 404):
                    raise self._error(f"{method} {path}", error) from None
                least = _retry_after(error.meta.headers.get("retry-after"))
            except TlsError as error:
                raise ClusterUnreachable(self.url, _tls_reason(error)) from None
            except TransportError as error:
                reason = _transport_reason(error)
            else:
                if method == "HEAD":
                    return self._head_answer(f"{method} {path}", answer.meta.status, missing_ok)
                if isinstance(answer.body, dict | list):
                    return answer.body
                reason = _NO_JSON
            backoff.wait(self.url, reason, least=least)

    def _head_answer(self, request: str, status: int, missing_ok: bool) -> bool | None:
        if status == 404 and not missing_ok:
            raise ClusterRejected(self.url, request, status, "not_found", "there is nothing of this name")
        return None if status == 404 else True

    def _options(self) -> dict[str, Any]:
        own = self.credentials
        options: dict[str, Any] = {
            "request_timeout": self.timeout,
            "max_retries": 0,
            "retry_on_timeout": False,
            "retry_on_status": (),
            "connections_per_node": CONNECTIONS,
            "node_pool_class": _OneNode,
            "serializers": {
                mimetype: _Json() for form in ("json", "x-ndjson") for mimetype in _mimetypes(form)
            },
        }
        if own.api_key is not None:
            options["api_key"] = own.api_key
        elif own.username is not None and own.password is not None:
            options["basic_auth"] = (own.username, own.password)
        if self.url.startswith("https://"):
            options |= {"verify_certs": own.verify_certs, "ssl_show_warn": False}
            if own.ca_certs is not None and own.verify_certs:
                options["ca_certs"] = own.ca_certs
            if not own.verify_certs:
                _log.warning("verify_certs is off: whoever answers at %s is believed", self.url)
        elif own.secret and not self.url.startswith(LOCAL_HOSTS):
            _log.warning("credentials go to %s unencrypted: use https", self.url)
        return options

    def _type_and_reason(self, error: ApiError) -> tuple[str, str]:
        """What an error's body says, but for our secrets: a server may repeat what it was sent."""
        type, reason = _type_and_reason(error.meta.status, error.body)
        return self.credentials.hidden(type), self.credentials.hidden(reason)

    def _error(self, request: str, error: ApiError) -> ClusterError:
        if isinstance(error, UnsupportedProductError):
            return ClusterUnreachable(self.url, "what answers there does not say that it is Elasticsearch")
        status, (type, reason) = error.meta.status, self._type_and_reason(error)
        if status in (401, 403):
            return permission_error(self.url, request, status, type, reason)
        if type == "media_type_header_exception":
            reason = "the server is older than the client library: pip install 'elasticsearch<9'"
        kind = ClusterConflict if status == 409 else ClusterRejected
        return kind(self.url, request, status, type, reason, remedy_for(f"{type}: {reason}"))


def _encode(body: Body | None) -> tuple[bytes | None, str]:
    if body is None:
        return None, _JSON
    if isinstance(body, dict):
        return orjson.dumps(body), _JSON
    if isinstance(body, bytes):
        return body, _NDJSON if body.endswith(b"\n") else _JSON
    lines = [line if isinstance(line, bytes) else orjson.dumps(line) for line in body]
    return b"\n".join(lines) + b"\n", _NDJSON


def _mimetypes(form: str) -> tuple[str, str]:
    return f"application/{form}", f"application/vnd.elasticsearch+{form}"


def _is_of_elasticsearch(error: ApiError, method: str) -> bool:
    """Whether an error comes from a node, as JSON, and not from a proxy that knows no way to one for a moment."""
    return method == "HEAD" or isinstance(error.body, dict)


def _retry_after(value: str | None) -> float:
    return float(value) if value is not None and value.isdecimal() else 0.0


def _type_and_reason(status: int, body: Any) -> tuple[str, str]:
    """The type and the reason in the body of an error, in few words."""
    if not body:
        return "error", HTTPStatus(status).phrase if status in set(HTTPStatus) else "without a word"
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return "error", str(error)[:200]
    # Of a search that shards refused the reason stands at the root, and above it only that they did.
    roots = error.get("root_cause") or [{}]
    cause = error.get("caused_by") or (roots[0] if error.get("phase") else {})
    reason = str(error.get("reason"))
    failed = {str(shard.get("index")) for shard in error.get("failed_shards") or ()}
    if failed and not any(name in reason for name in failed):
        reason = f"{reason} of {', '.join(sorted(failed))}"
    if cause.get("reason") and str(cause["reason"]) not in reason:
        reason = f"{reason}: {cause['reason']}"
    return str(error.get("type", "error")), reason


def _transport_reason(error: TransportError) -> str:
    """What a connection failed of. (The transport empties `errors` on its way out, but leaves the message.)"""
    if isinstance(error, ConnectionTimeout):
        return "no answer in time"
    text = str(error.message)
    aborted = _ABORTED_RE.search(text)
    return aborted[1] if aborted else text.rpartition(": ")[2]


def _tls_reason(error: TlsError) -> str:
    if "certificate verify failed" in str(error.message).lower().replace("_", " "):
        remedy = "give its authority's certificate as NEARDUP_CA_CERTS"
        return f"its certificate is not trusted ({_transport_reason(error)}): {remedy}"
    return f"no TLS connection ({_transport_reason(error)}): is it https, and the right port?"
