"""A run of `neardup serve`: the server on its socket, until it is stopped."""

from __future__ import annotations

import contextlib
import errno
import gc
import importlib.util
import os
import re
import secrets
import signal
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from neardup.cli.context import judged_file
from neardup.cli.exit_codes import Terminated, is_ignored
from neardup.cli.streams import log_line
from neardup.errors import NeardupError, NotAvailable, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup import Window
    from neardup.serving.guard import Limits
    from neardup.serving.judged import JudgedPairs
    from neardup.serving.questions import Questions

Part = Literal["serve", "mcp", "metrics"]
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_PARTS: Final = {
    "serve": ("fastapi", "uvicorn", "jinja2", "limits", "prometheus_client"),
    "mcp": ("mcp",),
    "metrics": ("prometheus_client",),
}
_TOKEN_RE: Final = re.compile(r"[!-~]{16,}")
"""A token that a header, a cookie and an address can contain."""
STOP_SECONDS: Final = 30
"""How many seconds the end waits for requests that have begun: a client may stall within one for ever."""
HOW: Final = "pip install '.[serve]' in a checkout"
"""How to install the libraries of the server."""


def needs_extra(extra: Part) -> None:
    """Raises `SettingsError` if the libraries of an extra, or of the part of it for figures, are not installed."""
    lacking = lacking_parts(extra)
    if lacking:
        how = HOW.replace("serve", "mcp") if extra == "mcp" else HOW
        raise NotAvailable(f"neardup {extra}", f"not installed: {', '.join(lacking)}", how)


def lacking_parts(extra: Part = "serve") -> list[str]:
    """The libraries of an extra that are not installed."""
    return [part for part in _PARTS[extra] if importlib.util.find_spec(part) is None]


def limits_for(host: str, token: str | None, *, body: int, rate: int) -> Limits:
    """The limits of the server: at an address of this machine only, anyone on it may ask; at any other, only clients
    with the token, which is made if none is given.
    """
    from neardup.serving.guard import Limits

    if token is not None and not _TOKEN_RE.fullmatch(token):
        expected = "at least 16 characters of ASCII without spaces, such as those of `openssl rand -hex 16`"
        raise SettingsError("token", "(not shown)", expected)
    if host not in LOOPBACK and token is None:
        token = secrets.token_urlsafe(24)
    limits = Limits(token=token, body=body, rate=rate)
    return limits if token is None else limits._replace(hosts=())


def listen(
    window: Window,
    location: str,
    host: str,
    port: int,
    limits: Limits,
    *,
    judged: Path | None,
    ingests: bool,
    own_token: bool,
) -> None:
    """Answers requests until SIGINT or SIGTERM; requests that have begun are then finished, for `STOP_SECONDS` at most.
    These raise `KeyboardInterrupt` and `Terminated`.

    With `own_token`, the token came from the user, and is not printed: others may read a service's log.
    """
    import uvicorn

    from neardup.serving.application import create_application
    from neardup.serving.connections import LimitedProtocol, Server, most_connections
    from neardup.serving.questions import Questions

    questions = Questions(window, location, ingests=ingests)
    pairs = _judged_pairs(judged, location)
    application = create_application(questions, limits=limits, judged=pairs)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol set to TCP, answers do not wait for one another.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen()  # early clients wait, and are not refused
        except (OSError, TypeError) as error:  # TypeError: a name that has no form in ASCII
            is_port = isinstance(error, OSError) and error.errno in {errno.EADDRINUSE, errno.EACCES}
            why = f"cannot listen on {host}:{port} ({getattr(error, 'strerror', None) or error})"
            raise NotAvailable("--port" if is_port else "--host", why, "give another") from None

        token = "TOKEN" if own_token else limits.token
        ends = "SIGTERM" if is_ignored(signal.SIGINT) else "Ctrl-C"  # as in a script's background
        log_line(f"serving {location} at {_address(host, listener.getsockname()[1], token)} ({ends} ends it)")
        if pairs is not None:
            log_line(f"judgements of pairs are written to {pairs.path.absolute()} ({len(pairs):,} so far)")
        threading.Thread(target=_load, args=(questions,), daemon=True).start()
        config = uvicorn.Config(
            # Its warnings are about faulty requests, and the clients get them: the operator can do nothing about them.
            application, log_level="error", access_log=False, server_header=False, lifespan="off",
            timeout_graceful_shutdown=STOP_SECONDS,
            http=LimitedProtocol, backlog=max(most_connections() // 16, 1),  # accepted at once, before any is closed
        )  # fmt: skip
        Server(config).run(sockets=[listener])


@contextlib.contextmanager
def until_terminated() -> Iterator[None]:
    """Lets `Terminated` end the block without a failure: SIGTERM is how a server is told to end, also while it opens
    its window.
    """
    try:
        yield
    except Terminated:
        log_line("terminated")


def _judged_pairs(path: Path | None, location: str) -> JudgedPairs | None:
    """The file of judged pairs; None, which is reported, if none is named and this directory cannot be written to."""
    from neardup.cli.output_files import check_outputs
    from neardup.serving.judged import JudgedPairs

    file = path or judged_file(location)
    if path is None and not os.access(Path.cwd(), os.W_OK | os.X_OK):
        log_line(f"pairs cannot be judged: {file} cannot be written here (--judged names another file)")
        return None
    check_outputs([("--judged", file)], [], replace=True)
    return JudgedPairs(file)


def _load(questions: Questions) -> None:
    """Reads the window before the first request, and exempts it from Python's garbage collector, which took 60 ms, now
    and then, of somebody's page to go through all of it.
    """
    with contextlib.suppress(NeardupError):  # clients get the error
        questions.groups()
        gc.collect()
        gc.freeze()


def _address(host: str, port: int, token: str | None) -> str:
    """The address of the first page, including the token (or a word in its place)."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"?token={token}" if token else "")
