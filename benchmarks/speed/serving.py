"""The page of a group over HTTP, compared with calls in the process that return the same content.

Question   How long does `neardup serve` take for the page of a group (p50, p99), compared with calls in a process, in
           the same run: only `Window.read` of its documents, and that together with `explain` of each against the head,
           which is what the page shows? How soon is a new document seen?
Corpus     passages20k in a directory (23,954 documents of about 4 KB), all its groups one after another.
Seed       none: the corpus is fixed.
Excluded   starting, compiling, the first page (which reads all groups). Included: HTTP on this machine, one client,
           each page for the first time and then once more; the calls of one group are made one after another.
"""

from __future__ import annotations

import contextlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.lib import corpora, harness
from neardup.model.document import Document
from neardup.opening import open_window
from neardup.reading.explanation import explain

if TYPE_CHECKING:
    from collections.abc import Callable

    from neardup.window.base import Window


def milliseconds(call: Callable[[str], object], head: str) -> float:
    """How long a call takes."""
    began = time.perf_counter()
    call(head)
    return 1_000 * (time.perf_counter() - began)


def p99(values: list[float]) -> float:
    """The value that 99 of 100 do not exceed."""
    return statistics.quantiles(values, n=100)[98] if len(values) > 1 else values[0]


def page(address: str, path: str) -> bytes:
    """The answer."""
    with urllib.request.urlopen(address + path) as answer:  # noqa: S310 - our own server
        return bytes(answer.read())


def seen_after(address: str, path: Path, text: str) -> float:
    """Seconds from the commit of a new document until the server has it."""
    with open_window(path) as window:
        list(window.ingest([Document("new", text, 40_000)]))
        began = time.perf_counter()
        while time.perf_counter() - began < 60:
            with contextlib.suppress(urllib.error.HTTPError):  # 404 until it is seen
                page(address, "api/query?id=new&matches=0")
                return time.perf_counter() - began
            time.sleep(0.01)
    raise TimeoutError("the new document was not seen within a minute")


def explained(window: Window, ids: list[str]) -> None:
    """Reads a group and finds the differences from its head, which its page shows."""
    head, *others = [document.text for document in window.read(ids) if document is not None]
    for text in others:
        why = explain(head, text)
        _ = why.changes, why.facts, why.moved


def told_address(server: subprocess.Popen[str]) -> str:
    """The address that the server prints; other lines may come first."""
    assert server.stderr is not None
    for line in server.stderr:
        found = re.search(r"http://\S+", line)
        if found:
            return found[0]
    raise RuntimeError(f"the server ended with {server.wait()} before it told its address")


def measure(path: Path, window: Window, text: str, most: int) -> dict[str, float]:
    """All figures, of a server that is started for them."""
    groups = {group.head: [group.head, *(member.id for member in group.members)] for group in window.groups()}
    heads = list(groups)[:most]
    command = [sys.executable, "-m", "neardup", "serve", "--window", str(path), "--port", "0", "--rate", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=path.parent) as server:
        address = told_address(server)
        names = {head: f"group?head={urllib.parse.quote(head)}" for head in heads}
        try:
            page(address, names[heads[0]])
            calls: dict[str, Callable[[str], object]] = {
                "read": lambda head: window.read(groups[head]),
                "explained": lambda head: explained(window, groups[head]),
                "page": lambda head: page(address, names[head]),
                "again": lambda head: page(address, names[head]),
            }
            took: dict[str, list[float]] = {name: [] for name in calls}
            for head in heads:
                for name, call in calls.items():
                    took[name].append(milliseconds(call, head))
            window.close()
            seen = seen_after(address, path, text)
        finally:
            server.send_signal(signal.SIGINT)
    figures = {"groups": float(len(heads)), "seen_seconds": seen}
    for name, values in took.items():
        figures |= {f"{name}_p50": statistics.median(values), f"{name}_p99": p99(values)}
    return figures


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the table, writes serving.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--most", type=int, default=2_000, help="groups whose pages are asked for")
    args = parser.parse_args(arguments)
    corpus = corpora.load(args.data, "passages20k", tiny=args.tiny)
    documents = [
        Document(id, text, at) for at, (id, text) in enumerate(zip(corpus.ids, corpus.texts, strict=True))
    ]
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / "window"
        window = open_window(path)
        for _ in window.ingest(documents):
            pass
        figures = measure(path, window, corpus.texts[0] + " and more", args.most)
    names = {
        "read": "Window.read of its documents", "explained": "the same, and explain of each with the head",
        "page": "the page over HTTP, for the first time", "again": "the page over HTTP, once more",
    }  # fmt: skip
    rows = [
        [
            name,
            *(f"{figures[f'{key}_{part}']:.2f}" for part in ("p50", "p99")),
            *(f"{figures[f'page_{part}'] / figures[f'{key}_{part}']:.1f}" for part in ("p50", "p99")),
        ]
        for key, name in names.items()
    ]
    header = [f"{figures['groups']:,.0f} groups, ms", "p50", "p99", "first page to this, p50", "p99"]
    print(harness.table(header, rows))
    print(f"a new document was seen after {figures['seen_seconds']:.2f} s")
    harness.save(args, "serving", figures)


if __name__ == "__main__":
    main()
