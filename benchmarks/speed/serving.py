"""The page of a group over HTTP, beside the call in the process that reads what it shows.

Question   How long does `neardup serve` take for the page of a group (p50, p99), against `Window.read` of its documents
           in a process, in the same run? How soon is a new document seen?
Corpus     passages20k in a directory (23,954 documents of about 4 KB), all its groups one after another.
Seed       none: the corpus is fixed.
Excluded   starting, compiling, the first page (which reads all groups). Included: HTTP on this machine, one client.
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from neardup.window.base import Window


def milliseconds(calls: Iterable[Callable[[], object]]) -> list[float]:
    """How long each call took."""
    took = []
    for call in calls:
        began = time.perf_counter()
        call()
        took.append(1_000 * (time.perf_counter() - began))
    return took


def p99(values: list[float]) -> float:
    """The value that 99 of 100 do not pass."""
    return statistics.quantiles(values, n=100)[98] if len(values) > 1 else values[0]


def page(address: str, path: str) -> bytes:
    """What is answered."""
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


def measure(path: Path, window: Window, text: str, most: int) -> dict[str, float]:
    """All figures, of a server that is started for them."""
    groups = {group.head: [group.head, *(member.id for member in group.members)] for group in window.groups()}
    heads = list(groups)[:most]
    command = [sys.executable, "-m", "neardup", "serve", "--window", str(path), "--port", "0", "--rate", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=path.parent) as server:
        assert server.stderr is not None
        found = re.search(r"http://\S+", server.stderr.readline())
        assert found is not None
        address = found[0]
        names = {head: f"group?head={urllib.parse.quote(head)}" for head in heads}
        try:
            page(address, names[heads[0]])
            inside = milliseconds(lambda head=head: window.read(groups[head]) for head in heads)  # type: ignore[misc]
            outside = milliseconds(lambda head=head: page(address, names[head]) for head in heads)  # type: ignore[misc]
            window.close()
            seen = seen_after(address, path, text)
        finally:
            server.send_signal(signal.SIGINT)
    return {
        "groups": len(heads), "read_p50": statistics.median(inside), "read_p99": p99(inside),
        "page_p50": statistics.median(outside), "page_p99": p99(outside), "seen_seconds": seen,
    }  # fmt: skip


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
    rows = [
        ["Window.read of its documents, ms", f"{figures['read_p50']:.2f}", f"{figures['read_p99']:.2f}"],
        ["the page over HTTP, ms", f"{figures['page_p50']:.2f}", f"{figures['page_p99']:.2f}"],
        ["ratio of p99", "", f"{figures['page_p99'] / figures['read_p99']:.1f}"],
    ]
    print(harness.table([f"{figures['groups']:,} groups", "p50", "p99"], rows))
    print(f"a new document was seen after {figures['seen_seconds']:.2f} s")
    harness.save(args, "serving", figures)


if __name__ == "__main__":
    main()
