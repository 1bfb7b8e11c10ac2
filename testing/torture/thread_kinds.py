"""Many threads on one window, each with its own documents: every answer is as if the thread were alone.

python -m testing.torture.thread_kinds --engine memory --calls 20000
python -m testing.torture.thread_kinds --engine directory --calls 20000
python -m testing.torture.thread_kinds --window http://127.0.0.1:9200/threads --calls 20000
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from testing.torture.kinds import Kind, Outcome, Round
from testing.torture.stories import plain
from testing.window.backends import document, grams

from neardup.elastic.window.opening import open_elastic_window
from neardup.errors import UnknownDocument
from neardup.model.document import Document
from neardup.opening import open_window

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.window.base import Window

THREADS: Final = 8
FAMILIES: Final = 24
"""Kinds of text that a thread has; no other thread has copies of them."""
MOST: Final = 60
"""The number of a thread's documents above which the oldest are deleted."""
CALLS: Final = {
    "ingest": 6,
    "query": 6,
    "query id": 4,
    "get": 3,
    "delete": 2,
    "groups": 1,
    "len": 1,
    "reject": 1,
}
"""How often each call is made."""
SAMPLE_CALLS: Final = 50


class Mixed(NamedTuple):
    """How many calls were made, and which got another answer than alone."""

    calls: int
    wrong: list[str]


def mixed_calls(opened: Callable[[], Window], calls: int, seed: int, threads: int = THREADS) -> Mixed:
    """Makes this many calls in all from this many threads to the window that `opened` opens, which is empty.

    Each must get the answer of a window in memory that nobody else uses.
    """
    each = calls // threads
    expected = []
    for thread in range(threads):
        with open_window(None) as window:
            expected.append(_answers(window, thread, each, Random(f"{seed} {thread}")))
    with opened() as window, _switching_often():
        found = _at_once(window, threads, each, seed)
        left = len(window)
    wrong = [
        f"thread {thread}, call {call}: {ours}, alone {alone}"
        for thread in range(threads)
        for call, (ours, alone) in enumerate(zip(found[thread], expected[thread], strict=True))
        if ours != alone
    ]
    alone_left = sum(answers[-1][1] for answers in expected)
    if left != alone_left:
        wrong.append(f"{left} documents are left, alone {alone_left}")
    return Mixed(threads * each, wrong)


def _at_once(window: Window, threads: int, calls: int, seed: int) -> list[list[Any]]:
    found: list[list[Any]] = [[] for _ in range(threads)]
    barrier = threading.Barrier(threads)

    def work(thread: int) -> None:
        barrier.wait()
        try:
            found[thread] = _answers(window, thread, calls, Random(f"{seed} {thread}"))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a wrong answer
            found[thread] = [f"{type(error).__name__}: {error}"] * (calls + 1)

    workers = [threading.Thread(target=work, args=(thread,)) for thread in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return found


def _answers(window: Window, thread: int, calls: int, random: Random) -> list[Any]:
    """The answers to this many calls of a thread; at the end, which of its own documents are left, and how many."""
    own: list[str] = []
    answers = []
    for call in range(calls):
        (what,) = random.choices(list(CALLS), list(CALLS.values()))
        answers.append((what, _answer(window, what, thread, call, own, random)))
    return [*answers, (sorted(own), len(own))]


def _answer(window: Window, what: str, thread: int, call: int, own: list[str], random: Random) -> Any:
    """The answer to one call, without the parts that other threads change."""
    text = _text(thread, random)
    id = random.choice(own) if own else f"{thread}-none"
    match what:
        case "ingest":
            new = [f"{thread}-{call}-{copy}" for copy in range(random.randint(1, 4))]
            texts = [text, *(_text(thread, random) for _ in new[1:])]
            answer = [plain(each) for each in window.ingest(map(document, new, texts))]
            own += new
            while len(own) > MOST:
                answer.append(window.delete(own.pop(0)))
            return answer
        case "query":
            found = plain(window.query(text))
            return {**found, "time": None}
        case "query id":
            try:
                return plain(window.query(id=id))
            except UnknownDocument:
                return None
        case "get":
            stored = window.get(id)
            return None if stored is None else plain(stored)
        case "delete":
            if id in own:
                own.remove(id)
            return window.delete(id)
        case "groups":
            groups = [group.to_dict() for group in window.groups() if group.head.startswith(f"{thread}-")]
            return plain(groups)
        case "reject":
            rejects: list[Any] = []
            list(window.ingest([Document(f"{thread}-bad", "text", "no time")], on_reject=rejects.append))
            return [reject.id for reject in rejects]
    return len(window) >= len(own)


def _text(thread: int, random: Random) -> str:
    first = 100 * (FAMILIES * thread + random.randrange(FAMILIES)) + random.choice((0, 0, 1, 3, 9))
    return grams(first, first + random.choice((1, 30, 40)))


@contextmanager
def _switching_often() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def threads(round: Round) -> Outcome:
    outcome, random = Outcome(), round.random
    settings: dict[str, Any] = {"retrieval": random.choice(("sketch", "complete")), "window_hours": 0}
    settings |= {"batch_documents": random.choice((1, 3, 50)), "threads": random.choice((1, 1, 2))}
    path = round.place / "window"
    done = mixed_calls(lambda: open_window(path, **settings), THREADS * SAMPLE_CALLS, random.randrange(2**32))
    outcome.violations.extend(done.wrong)
    outcome.count("calls", done.calls)
    return outcome


KINDS: Final = (
    Kind(
        "threads",
        "directory",
        f"{THREADS} threads ingest, ask, delete and list in one window at once; each is answered as if it were alone.",
        threads,
    ),
)


def main() -> int:
    """Makes the calls; the exit code is 1 if one was answered wrongly."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--engine", choices=("memory", "directory"), default="directory")
    parser.add_argument("--window", help="the URL of an empty window in a cluster, instead")
    parser.add_argument("--threads", type=int, default=THREADS)
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "window"

        def opened() -> Window:
            if chosen.window:
                return open_elastic_window(chosen.window, window_hours=0)
            return open_window(None if chosen.engine == "memory" else path, window_hours=0)

        begun = time.monotonic()
        done = mixed_calls(opened, chosen.calls, chosen.seed, chosen.threads)
    for wrong in done.wrong[:20]:
        print(wrong, file=sys.stderr)
    print(
        f"{chosen.window or chosen.engine}: {chosen.threads} threads, {done.calls:,} calls, "
        f"{len(done.wrong):,} wrong answers, {time.monotonic() - begun:.0f} s"
    )
    return int(bool(done.wrong))


if __name__ == "__main__":
    sys.exit(main())
