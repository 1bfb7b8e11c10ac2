"""Processes that have everything loaded when they begin: forked from a process that does nothing else.

So a process costs a few hundredths of a second, not the half second that Python and its libraries take to load; and
none is forked from a process that has threads. Call `start`; `main` is the process that forks.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from testing.cli.narrow_pipe import narrow
from testing.torture.kinds import LONGEST

_MESSAGE: Final = 65_536
_CRASHED: Final = 70
"""Exit code of a process that ended with an unexpected exception."""
_LITTLE: Final = 1_024
"""Bytes of a process's output that are read ahead: the process must not get far ahead of what has been read."""
LOADED: Final = (
    "neardup.cli.pipeline", "neardup.cli.cleaning_run", "neardup.cli.installation", "neardup.cli.repair",
    "neardup.cli.ingest", "neardup.cli.dedup", "neardup.cli.doctor", "neardup.cli.resign", "neardup.cli.stats",
    "neardup.window.directory_resign", "neardup.cli.tables", "neardup.cli.watch", "neardup.elastic.watch.watcher",
    "neardup.elastic.window.opening", "neardup.elastic.admin.rollover", "encodings.ascii",
    "testing.torture.children",
)  # fmt: skip


class _Forker(NamedTuple):
    process: subprocess.Popen[bytes]
    channel: socket.socket

    def ask(self, request: dict[str, Any], files: list[int]) -> int:
        socket.send_fds(self.channel, [json.dumps(request).encode()], files)
        answer = self.channel.recv(_MESSAGE)
        if not answer:
            raise RuntimeError("the process that forks has ended")
        return int(answer)


@functools.cache
def _forker() -> _Forker:
    """The process that forks for this one; it ends with it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "testing.torture.forker", str(theirs.fileno())],
            pass_fds=(theirs.fileno(),),
            cwd=Path(__file__).parents[2],
        )
    atexit.register(process.wait)
    atexit.register(ours.close)
    return _Forker(process, ours)


class Process:
    """A forked process. Its standard error is written to a file beside its standard output."""

    def __init__(self, pid: int, output: IO[bytes], errors: Path) -> None:
        self.pid, self.output, self._errors = pid, output, errors
        self._code: int | None = None

    def line(self) -> Any:
        """The next complete line of JSON that it has printed; None at its end."""
        line = self.output.readline()
        return json.loads(line) if line.endswith(b"\n") else None

    def rest(self) -> list[Any]:
        """All remaining lines of JSON, up to its end."""
        found = []
        while (line := self.line()) is not None:
            found.append(line)
        return found

    def signal(self, number: int) -> None:
        """Sends it a signal, if it has not been waited for."""
        if self._code is None:
            os.kill(self.pid, number)

    def line_is_over(self) -> bool:
        """Whether it has closed its standard output, as it does when it ends."""
        return bool(select.select([self.output], [], [], 0)[0]) and not self.output.peek(1)  # type: ignore[attr-defined]

    def wait(self) -> int:
        """Its exit code as in a shell: for a signal, 128 plus its number."""
        if self._code is None:
            self._code = _forker().ask({"wait": self.pid}, [])
            self.output.close()
            _RUNNING.discard(self)
        return self._code

    def kill(self) -> list[Any]:
        """Kills it; returns the lines that it had printed."""
        self.signal(signal.SIGKILL)
        told = self.rest()
        self.wait()
        return told

    @property
    def errors(self) -> str:
        """Its standard error."""
        return self._errors.read_text("utf-8", errors="replace")


_RUNNING: Final[set[Process]] = set()


def end_all() -> None:
    """Ends the processes that a round has left running, as after an exception."""
    for process in list(_RUNNING):
        process.signal(signal.SIGKILL)
        process.wait()


def start(
    errors: Path,
    work: str,
    *arguments: object,
    setups: list[list[Any]] | None = None,
    stdin: int | None = None,
) -> Process:
    """Starts a process that does the `work` in testing/torture/children.py after the `setups`; `errors` is a new file
    for its standard error.
    """
    reading, writing = os.pipe()
    with errors.open("wb") as error_file, Path(os.devnull).open("rb") as nothing:
        request = {"work": work, "arguments": [_plain(each) for each in arguments], "setups": setups or []}
        files = [stdin if stdin is not None else nothing.fileno(), writing, error_file.fileno()]
        pid = _forker().ask(request, files)
    os.close(writing)
    output = os.fdopen(reading, "rb", buffering=_LITTLE)
    narrow(output)
    process = Process(pid, output, errors)
    _RUNNING.add(process)
    return process


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Path) else value


# ---- the process that forks ----


def main(number: int) -> None:
    """Forks the processes that the other end of the socket `number` asks for, until the socket is closed."""
    _load()
    running: set[int] = set()
    with socket.socket(fileno=number) as channel:
        while True:
            message, files, _, _ = socket.recv_fds(channel, _MESSAGE, 3)
            if not message:
                break
            request = json.loads(message)
            if "wait" in request:
                _, status = os.waitpid(request["wait"], 0)
                running.discard(request["wait"])
                code = os.waitstatus_to_exitcode(status)
                channel.send(str(code if code >= 0 else 128 - code).encode())
                continue
            pid = os.fork()
            if pid == 0:
                channel.close()
                _work(request, files)
            for file in files:
                os.close(file)
            running.add(pid)
            channel.send(str(pid).encode())
    for pid in running:  # the other end has gone before they ended
        os.kill(pid, signal.SIGKILL)


def _load() -> None:
    """Everything that is loaded lazily."""
    from testing.window.backends import document, grams

    from neardup.opening import open_window

    for name in LOADED:
        importlib.import_module(name)
    for settings in ({}, {"retrieval": "complete"}, {"partial": True, "routes": ("sentences", "simhash")}):
        with open_window(None, **settings) as window:
            list(window.ingest([document(f"{i}", grams(i, i + 30)) for i in range(9)]))
            window.query(grams(0, 30))
            list(window.groups())
    with tempfile.TemporaryDirectory() as place:
        for _ in range(2):  # stored documents are read by other code than new ones
            with open_window(Path(place) / "window") as window:
                list(window.ingest([document(f"{i}", grams(i, i + 30)) for i in range(9)]))
                window.delete("3")
                list(window.reconcile())


def _work(request: dict[str, Any], files: list[int]) -> None:
    from testing.torture.children import SETUPS, WORK

    signal.alarm(2 * LONGEST)  # in case nobody ends it
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    # New streams, as in a new process: those of the forking process remember whether its own files were seekable.
    sys.stdin = sys.__stdin__ = _stream(0, "r")  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = _stream(1, "w")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _stream(2, "w")  # type: ignore[misc]
    try:
        for name, *arguments in request["setups"]:
            SETUPS[name](*arguments)
        code = WORK[request["work"]](*request["arguments"]) or 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - whatever it is, the process ends by it
        traceback.print_exc()
        code = _CRASHED
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _stream(number: int, mode: str) -> Any:
    return os.fdopen(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False)


if __name__ == "__main__":
    main(int(sys.argv[1]))
