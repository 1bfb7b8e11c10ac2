"""HTTP client of a cluster: JSON out and in, requests repeated while it is away or busy, its errors as ours.

The only module that imports `elastic_transport`, the part of the official client for connections and TLS. The client's
hundred methods are not needed (the requests are those of the reference, readable in a log), nor are its media types for
servers of its own version: every version from 8.19 on understands plain JSON.
"""

from __future__ import annotations

import base64
import logging
import random
import re
import time
import warnings
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import quote, urlencode

from elastic_transport import ConnectionTimeout, NodePool, Serializer, TlsError, Transport, TransportError
from elastic_transport.client_utils import url_to_node_config

from neardup.elastic.http.address import Address, Credentials
from neardup.elastic.http.exact_json import dumps, loads
from neardup.elastic.http.permission_errors import permission_error
from neardup.elastic.http.remedies import TAKES_MORE, never_fits, remedy_for
from neardup.elastic.http.wait_reasons import WaitReasons
from neardup.errors import ClusterConflict, ClusterError, ClusterRejected, ClusterUnreachable

if TYPE_CHECKING:
    from elastic_transport import ApiResponseMeta, BaseNode

    from neardup.elastic.http.product import Product

Body = dict[str, Any] | Sequence[dict[str, Any] | bytes] | bytes

DEFAULT_PATIENCE: Final = 120.0
DEFAULT_TIMEOUT: Final = 60.0
BUSY: Final = (429, 502, 503, 504)
"""Too many requests; a proxy that reaches no node; a node without master or shard; either of these after a timeout."""
_REDIRECTS: Final = (301, 302, 303, 307, 308)
"""From a proxy, such as from http to https: not followed, because credentials are for this address alone."""
NODE_GONE: Final = ("node_disconnected_exception", "node_not_connected_exception", "node_closed_exception")
"""Errors of a node whose request to another node failed because that had just left; OpenSearch sends status 500."""
FIRST_WAIT: Final = 0.25
LONGEST_WAIT: Final = 15.0
_MOST_DOUBLINGS: Final = 10
"""Of the first wait, which exceeds the longest by then; without a limit the number would grow too large after hours."""
LOCAL_HOSTS: Final = ("http://localhost:", "http://127.0.0.1:", "http://[::1]:")
CONNECTIONS: Final = 16

_REPEATED_RE: Final = re.compile(r", request: \[.*", re.DOTALL)
_ABORTED_RE: Final = re.compile(r"(?:Error|Disconnected)\(\d*,? ?['\"](.+)['\"]\)")
_CAUSES_RE: Final = re.compile(r"^\[SSL: \w+\] |: ")
_CLOSED: Final = "the connection has been closed"
_NO_JSON: Final = "an answer that is no JSON, or only the beginning of one"
_OF_PROXY: Final = (
    "that is no JSON, so it is most likely from a proxy before the cluster; see what the proxy lets through"
)
_JSON: Final = "application/json"
_NDJSON: Final = "application/x-ndjson"
_OTHERS: Final = ("application/*", "text/*")  # whatever else a proxy calls its answers
_PRODUCT_HEADER: Final = "x-elastic-product"
"""On every answer of Elasticsearch; OpenSearch says what it is when it is asked."""
_WARNING_RE: Final = re.compile(r'"([^"]*)"')

_jitter: Final = random.Random()  # noqa: S311 - no secret hangs on it
"""A generator of our own: the state of a `random` that the program has seeded is left alone."""
_log = logging.getLogger("neardup")


class ClusterWarning(UserWarning):
    """A warning that a cluster sends with an answer, such as that a setting is deprecated."""


class _Json(Serializer):
    """Bodies are encoded before they come here; an answer that is not JSON (a proxy's page) stays text. A good answer
    may contain errors of single items: `hidden` masks the secrets in them.
    """

    def __init__(self, hidden: Callable[[str], str]) -> None:
        self._hidden = hidden

    def dumps(self, data: bytes) -> bytes:
        return data

    def loads(self, data: bytes) -> Any:
        try:
            answer = loads(data) if data else None
        except ValueError:
            return data.decode("utf-8", "replace")
        return _hide(answer, self._hidden) if b'"error"' in data else answer


class _OneNode(NodePool):
    """The pool of one address: there is no other to turn to, so it is never marked as dead (nor is that logged)."""

    def mark_dead(self, node: BaseNode, _now: float | None = None) -> None:
        pass


class Backoff:
    """Waits before a request is repeated: longer each time, randomised, `patience` seconds in all. `between` is called
    after each wait; `reasons` decides which reasons are logged.
    """

    def __init__(
        self,
        patience: float,
        between: Callable[[], object] = lambda: None,
        reasons: WaitReasons | None = None,
    ) -> None:
        self.patience, self._end = patience, time.monotonic() + patience
        self._between, self._tries, self._reasons = between, 0, reasons or WaitReasons()

    def wait(self, url: str, reason: str, *, least: float = 0.0) -> None:
        """Logs the reason if it is due, and waits. Raises `ClusterUnreachable` if patience does not last that long."""
        upper = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(self._tries, _MOST_DOUBLINGS))
        seconds = max(least, _jitter.uniform(upper / 2, upper))
        left = self._end - (now := time.monotonic())
        if left <= 0 or least > left:
            waited = f" (waited {self.patience:g} s)" if self._tries else ""
            waited += f"; it asks for a retry in {least:g} s" if least else ""
            remedy = remedy_for(reason)
            raise ClusterUnreachable(url, f"{reason}{waited}{f'; {remedy}' if remedy else ''}")
        self._reasons.log(url, reason, left, now)
        self._tries += 1
        time.sleep(min(seconds, left))
        self._between()


class Cluster:
    """A connection to the cluster of `address`; safe to use from several threads.

    `patience`: for how many seconds a request is repeated while the cluster is away or busy, 0 for not at all.
    `timeout`: after how many seconds without an answer a request counts as lost.
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
        self._headers = {"user-agent": "neardup", **_authorization(self.credentials)}
        self._transport = self._connect()
        self._product: Product | None = None
        self._reasons, self._closed = WaitReasons(), False

    def __repr__(self) -> str:
        return f"Cluster({str(self.address)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections; a request after that raises `ClusterUnreachable` at once."""
        self._closed = True
        self._transport.close()

    def backoff(self) -> Backoff:
        """The waits of a piece of work that begins now."""
        return Backoff(self.patience, reasons=self._reasons)

    def request(
        self,
        method: str,
        path: str,
        *,
        params: dict[str, Any] | None = None,
        body: Body | None = None,
        missing_ok: bool = False,
        once: bool = False,
        between: Callable[[], object] = lambda: None,
    ) -> Any:
        """The parsed answer; None for 404 with `missing_ok`. `once`: the request is not repeated; `between` is called
        before each repetition, and nothing more is sent if it raises.

        `body` is a dict, the lines of an NDJSON body (dicts or encoded), or bytes that are sent as they are (as NDJSON
        if they end with a newline). A request whose answer was lost, or is no JSON, is sent again, so it must be
        repeatable: a `create` that had been applied then conflicts. Raises `ClusterUnreachable` when patience is over,
        `ClusterRefused`, `ClusterConflict` (409) or `ClusterRejected`.
        """
        encoded, kind = _encode(body)
        headers = self._headers | {"accept": _JSON} | ({"content-type": kind} if encoded is not None else {})
        target = f"{path}?{urlencode(params, safe=',*', quote_via=quote)}" if params else path
        backoff = Backoff(0.0) if once else Backoff(self.patience, between, self._reasons)
        while True:
            if self._closed:
                raise ClusterUnreachable(self.url, _CLOSED)
            try:
                meta, answer = self._transport.perform_request(method, target, headers=headers, body=encoded)
                is_whole = isinstance(answer, dict | list)
                if self._product is None and is_whole and (meta.status < 300 or meta.status == 404):
                    self._product = self._ask_product(meta)
            except TlsError as error:
                raise ClusterUnreachable(self.url, self._tls_reason(error)) from None
            except TransportError as error:
                backoff.wait(self.url, self._transport_reason(error))
                continue
            if missing_ok and is_whole and meta.status == HTTPStatus.NOT_FOUND:
                return None
            if meta.status < 300 and is_whole:
                _warn(self.credentials.hidden(meta.headers.get("warning") or ""))
                return answer
            reason = self._why_again(f"{method} {path}", meta, answer, is_whole=is_whole)
            backoff.wait(self.url, reason, least=_retry_after(meta.headers.get("retry-after")))

    def _why_again(self, request: str, meta: ApiResponseMeta, answer: Any, *, is_whole: bool) -> str:
        """Why a request with this answer must be sent again; raises the error if it must not."""
        if (status := meta.status) < 300:
            return _NO_JSON
        if status in _REDIRECTS:
            to = self.credentials.hidden(meta.headers.get("location") or "")
            why = f"the server redirects ({status}, to {to}); if the cluster is there, give that address"
            raise ClusterUnreachable(self.url, why)
        type, said = self._type_and_reason(status, answer)
        reason = f"{status} {type} {said}"
        is_busy = (status in BUSY or node_left(answer)) and not never_fits(reason)
        # Without JSON it comes from a proxy that reaches no node for a moment, or got no answer from one in time.
        if is_busy or (not is_whole and (status in (404, 408) or status >= 500)):
            return reason
        raise self.error(request, status, answer)

    @property
    def product(self) -> Product:
        """The product that the cluster runs; asked once."""
        if self._product is None:
            self.request("GET", "/_cluster/health")
        assert self._product is not None
        return self._product

    def _ask_product(self, meta: ApiResponseMeta) -> Product:
        """The product whose first answer was `meta`; raises `ClusterUnreachable` if it is neither of the two, and the
        error of an answer 401 or 403.
        """
        if meta.headers.get(_PRODUCT_HEADER) == "Elasticsearch":
            return "elasticsearch"
        root, about = self._transport.perform_request("GET", "/", headers=self._headers | {"accept": _JSON})
        if root.status in BUSY:
            raise TransportError(f"{root.status} when asked which product it is")
        if root.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            raise self.error("GET /", root.status, about)
        version = about.get("version") if isinstance(about, dict) else None
        if isinstance(version, dict) and version.get("distribution") == "opensearch":
            return "opensearch"
        raise ClusterUnreachable(self.url, "the server does not say that it is Elasticsearch or OpenSearch")

    def _connect(self) -> Transport:
        own = self.credentials
        options: dict[str, Any] = {"connections_per_node": CONNECTIONS, "request_timeout": self.timeout}
        if self.url.startswith("https://"):
            options |= {"verify_certs": own.verify_certs, "ssl_show_warn": False}
            if own.ca_certs is not None and own.verify_certs:
                options["ca_certs"] = own.ca_certs
            if not own.verify_certs:
                _log.warning("verify_certs is off: the identity of %s is not verified", self.url)
        elif own.secret and not self.url.startswith(LOCAL_HOSTS):
            _log.warning("credentials go to %s unencrypted: use https", self.url)
        node = url_to_node_config(self.url, use_default_ports_for_scheme=True).replace(**options)
        return Transport(
            [node],
            node_pool_class=_OneNode,
            serializers={mimetype: _Json(own.hidden) for mimetype in (_JSON, _NDJSON, *_OTHERS)},
            max_retries=0,
            retry_on_status=(),
            meta_header=False,
        )

    def _type_and_reason(self, status: int, body: Any) -> tuple[str, str]:
        """Type and reason in an error's body, with our secrets masked: a server may repeat what it was sent."""
        return _type_and_reason(status, _hide(body, self.credentials.hidden, is_error=True))

    def _transport_reason(self, error: TransportError) -> str:
        """Why a connection failed, from the error's message, which may quote what came (`errors` is empty by now)."""
        if isinstance(error, ConnectionTimeout):
            return "no answer in time"
        text = self.credentials.hidden(str(error.message))
        if "IncompleteRead(" in text:
            return _NO_JSON
        aborted = _ABORTED_RE.search(text)
        return aborted[1] if aborted else _CAUSES_RE.split(text)[-1]

    def _tls_reason(self, error: TlsError) -> str:
        reason = self._transport_reason(error)
        if "certificate verify failed" in str(error.message).lower().replace("_", " "):
            remedy = "give its authority's certificate as NEARDUP_CA_CERTS"
            return f"its certificate is not trusted ({reason}): {remedy}"
        return f"no TLS connection ({reason}): is it https, and the right port?"

    def error(self, request: str, status: int, body: Any) -> ClusterError:
        """The error for an answer of this status to a `request`, with what its body says."""
        type, reason = self._type_and_reason(status, body)
        is_proxys = bool(body) and not isinstance(body, dict)
        if status == 401 or (status == 403 and not is_proxys):
            return permission_error(self.address, request, status, type, reason)
        kind = ClusterConflict if status == 409 else ClusterRejected
        remedy = _OF_PROXY if is_proxys else remedy_for(f"{type}: {reason}")
        if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            remedy = TAKES_MORE
        return kind(self.url, request, status, type, reason, remedy)


def _authorization(credentials: Credentials) -> dict[str, str]:
    """The header that carries `credentials`; none without a secret."""
    if credentials.api_key is not None:
        return {"authorization": f"ApiKey {credentials.api_key}"}
    if credentials.username is not None and credentials.password is not None:
        pair = f"{credentials.username}:{credentials.password}".encode()
        return {"authorization": f"Basic {base64.b64encode(pair).decode()}"}
    return {}


def _warn(header: str) -> None:
    """Issues the warnings in a header, all from this one place, so that Python shows each text only once."""
    for text in _WARNING_RE.findall(header):
        warnings.warn(text, ClusterWarning, stacklevel=1)


def _hide(answer: Any, hidden: Callable[[str], str], *, is_error: bool = False) -> Any:
    """`answer` with `hidden` applied to every text of an error, before any is cut; to all texts if it `is_error`.

    Nothing else is changed: a password may be a word that also stands in documents, or is the name of an index.
    """
    root = [answer]
    left: list[tuple[Any, bool]] = [(root, is_error)]
    while left:
        values, of_error = left.pop()
        for key, value in values.items() if isinstance(values, dict) else enumerate(values):
            said = of_error or key == "error"
            if isinstance(value, dict | list) and (said or key != "_source"):
                left.append((value, said))
            elif isinstance(value, str) and said:
                values[key] = hidden(value)
    return root[0]


def _encode(body: Body | None) -> tuple[bytes | None, str]:
    if body is None:
        return None, _JSON
    if isinstance(body, dict):
        return dumps(body), _JSON
    if isinstance(body, bytes):
        return body, _NDJSON if body.endswith(b"\n") else _JSON
    lines = [line if isinstance(line, bytes) else dumps(line) for line in body]
    return b"\n".join(lines) + b"\n", _NDJSON


def node_left(answer: Any) -> bool:
    """Whether an error is that of a node which has just left the cluster: its own, or that of a search's shards."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(error, dict):
        return False
    return any(each.get("type") in NODE_GONE for each in (error, *error.get("root_cause", ())))


def _retry_after(value: str | None) -> float:
    return float(value) if value is not None and value.isdecimal() else 0.0


def _type_and_reason(status: int, body: Any) -> tuple[str, str]:
    """The type and the reason in the body of an error, in few words."""
    if not body:
        return "error", HTTPStatus(status).phrase if status in set(HTTPStatus) else "without a word"
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict) or {"type", "reason"}.isdisjoint(error):  # of a proxy
        said = error if isinstance(error, str) else dumps(error).decode()
        return "error", " ".join(said.split())[:200]
    # If shards refused a search, the reason stands at the root; above it stands only that they did.
    roots = error.get("root_cause") or [{}]
    cause = error.get("caused_by") or (roots[0] if error.get("phase") else {})
    reason = str(error.get("reason"))
    failed = {str(shard.get("index")) for shard in error.get("failed_shards") or ()}
    if failed and not any(name in reason for name in failed):
        reason = f"{reason} of {', '.join(sorted(failed))}"
    return str(error.get("type", "error")), with_causes(reason, cause)


def with_causes(reason: str, cause: Any) -> str:
    """The reason of an error, followed by those of its chain of causes, each once; without the documents of a delayed
    request, which the error repeats.
    """
    reason = _REPEATED_RE.sub("", reason)
    while isinstance(cause, dict):
        own = cause.get("reason")
        if own and str(own) not in reason:
            reason = f"{reason}: {own}"
        cause = cause.get("caused_by")
    return reason.removesuffix(";")  # a block's ends so, and what to do follows
