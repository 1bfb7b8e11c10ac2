"""Kinds: scorers as processes that are killed, stopped, run twice or have another time; nodes that are killed."""

from __future__ import annotations

import json
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from testing.node import clients
from testing.torture.cluster_scene import BATCH, Scene, bare_kind, scene_kind, short_leases
from testing.torture.forker import start
from testing.torture.thread_kinds import THREADS, mixed_calls

from neardup.elastic.admin.setup import set_up
from neardup.elastic.window.opening import open_elastic_window
from neardup.errors import SetupRefused

if TYPE_CHECKING:
    from testing.torture.forker import Process

SOON: Final = 0.3
"""Maximum number of seconds from a verdict to the kill or stop of its scorer; a batch takes about a tenth of it."""
LEASE: Final = 1.0
KILLED: Final = 128 + signal.SIGKILL
GAVE_UP: Final = 3
CALLS_A_THREAD: Final = 10


class Scorer:
    """`neardup ingest` of the scene's stream, or `neardup watch --once`, as a process; `told`: its verdicts so far."""

    def __init__(
        self, scene: Scene, *, watches: bool, batch: int = BATCH, setups: list[list[Any]] | None = None
    ) -> None:
        self._scene, self._watches = scene, watches
        stream = scene.place / "stream.jsonl"
        stream.write_text("".join(json.dumps(each) + "\n" for each in scene.documents))
        words: list[object] = ["watch", "--once", "--poll", 0.1] if watches else ["ingest", stream]
        words += ["--batch-documents", batch, "--window", scene.cluster.address, "--format", "jsonl"]
        number = len(list(scene.place.glob("*.err")))
        self._process: Process = start(
            scene.place / f"{number}.err", "command", *map(str, words), setups=setups
        )
        self.told: list[dict[str, Any]] = []

    def read(self, most: int) -> None:
        """Reads until this many verdicts have been printed, or the process has ended."""
        while len(self.told) < most and (line := self._process.line()) is not None:
            self.told.append(line)

    def signal(self, number: signal.Signals) -> None:
        """Sends it a signal."""
        self._process.signal(number)

    def end(self, *codes: int) -> int:
        """Reads its output to the end, and checks it; the process must end with one of `codes`."""
        self.told += self._process.rest()
        code, errors = self._process.wait(), self._process.errors
        outcome = self._scene.outcome
        outcome.expect(code in codes, f"ended with {code}, expected one of {codes}: {errors}")
        outcome.expect("Traceback" not in errors, errors)
        self._check_told()
        return code

    def kill(self) -> None:
        """Kills it, and checks its output."""
        self.signal(signal.SIGKILL)
        self.end(KILLED, 0)

    def _check_told(self) -> None:
        wanted = [json.loads(each.to_json()) for each in self._scene.expected]
        if self._watches:
            wanted = [each for each in wanted if each["id"] in {told["id"] for told in self.told}]
        for told, expected in zip(self.told, wanted, strict=False):
            if not self._scene.outcome.expect(told == expected, f"told {told}, expected {expected}"):
                return


def _begun(scene: Scene) -> bool:
    """Sets up the window; returns whether it is watched, in which case the documents are written to it."""
    scene.put_in_order()
    clients.made(scene.cluster)
    watches = scene.random.random() < 0.5
    if watches:
        clients.put(scene.cluster, scene.documents)
    return watches


def _some(scene: Scene) -> int:
    return scene.random.randrange(len(scene.documents))


def _settle(scene: Scene, *, watches: bool, late: bool = False) -> None:
    if watches:
        scene.settle_watched(late=late)
    else:
        scene.settle()


def killed(scene: Scene) -> None:
    """Scorers are killed one after another at random moments."""
    watches = _begun(scene)
    for _ in range(scene.random.randint(1, 3)):
        scorer = Scorer(scene, watches=watches)
        scorer.read(0 if watches else _some(scene))
        if watches:
            scorer.read(scene.random.randrange(BATCH))
        time.sleep(scene.random.random() * SOON)
        scorer.kill()
        scene.outcome.count("killed")
    _settle(scene, watches=watches)


def stopped(scene: Scene) -> None:
    """A scorer is stopped for as long as its lease lasts, another takes over, and the first goes on."""
    watches = _begun(scene)
    scorer = Scorer(scene, watches=watches, setups=[["as_scorer", LEASE, None, 0]])
    scorer.read(scene.random.randrange(1, 1 + 3 * BATCH))
    time.sleep(scene.random.random() * SOON)
    scorer.signal(signal.SIGSTOP)
    try:
        with short_leases(LEASE):
            error = scene.watch(patience=20) if watches else scene.run(patience=20)
        scene.outcome.expect(error is None, f"the second scorer ended: {error}")
    finally:
        scorer.signal(signal.SIGCONT)
    code = scorer.end(0, GAVE_UP)
    scene.outcome.count("gave up" if code else "went on")
    _settle(
        scene, watches=watches, late=True
    )  # documents that it marked too late are scored after the others


def doubled(scene: Scene) -> None:
    """Two scorers work at once; every document gets one verdict, from either of them."""
    watches = _begun(scene)
    two = [Scorer(scene, watches=watches, batch=scene.random.choice((1, 3, 8, 50))) for _ in range(2)]
    # The output of both is read at the same time: a scorer whose output nobody reads blocks.
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda each: each.end(0), two))
    told = [each["id"] for scorer in two for each in scorer.told]
    if watches:
        scene.outcome.expect(len(told) == len(set(told)), f"told twice: {sorted(told)}")
    else:
        scene.outcome.expect(len(told) == 2 * len(scene.documents), f"{len(told)} verdicts of two")
    _settle(scene, watches=watches)


def clock_off(scene: Scene) -> None:
    """Two scorers run on two machines, one with another time; this one is killed, or both finish."""
    watches = _begun(scene)
    ahead = scene.random.choice((-1, 1)) * scene.random.choice((60, 3_600, 10**7)) * 1_000
    other = Scorer(scene, watches=watches, setups=[["as_scorer", LEASE, "elsewhere", ahead]])
    is_killed = scene.random.random() < 0.5
    if is_killed:
        other.read(scene.random.randrange(1, 1 + 2 * BATCH))
        time.sleep(scene.random.random() * SOON)
        other.kill()
    with short_leases(LEASE):
        error = scene.watch(patience=30) if watches else scene.run(patience=30)
    scene.outcome.expect(error is None, f"with a clock that is {ahead:,} ms ahead elsewhere: {error}")
    if not is_killed:
        other.end(0)
    scene.outcome.count("killed" if is_killed else "went on")
    _settle(scene, watches=watches)


def node_killed(scene: Scene) -> None:
    """The node is killed and started again while a scorer works; the scorer waits for it."""
    watches = _begun(scene)
    scorer = Scorer(scene, watches=watches)
    scorer.read(scene.random.randrange(1, 1 + 2 * BATCH))
    time.sleep(scene.random.random() * SOON)
    scene.node.kill()
    scene.node.start()
    # `watch --once` does not wait for an unavailable cluster before it has opened a window.
    scorer.end(0)
    if not watches:
        scene.outcome.expect(len(scorer.told) == len(scene.documents), f"told {len(scorer.told)}")
    _settle(scene, watches=watches)


def without_plugin(scene: Scene) -> None:
    """A node has no plugin: the client signs; asking for signing in the nodes gives an error."""
    try:
        set_up(scene.cluster, sign="plugin")
        scene.violated("a window is set up to be signed by a plugin that is not there")
    except SetupRefused as refused:
        scene.mentions(refused, "plugin", "--sign client")
    killed(scene)


def threads(scene: Scene) -> None:
    """Many threads use one window at once."""
    settings: dict[str, Any] = {"window_hours": 0, "batch_documents": scene.random.choice((1, 3, 50))}
    done = mixed_calls(
        lambda: open_elastic_window(str(scene.cluster.address), patience=60, **settings),
        THREADS * CALLS_A_THREAD,
        scene.random.randrange(2**32),
    )
    scene.outcome.violations.extend(done.wrong)
    scene.outcome.count("calls", done.calls)


HOLDS: Final = (
    "what was acknowledged is there, no document is lost or stored twice, "
    "and all verdicts are those of one scorer"
)

KINDS: Final = (
    scene_kind("scorer-killed", f"Scorers (`ingest`, `watch`) are killed with -9; {HOLDS}.", killed),
    scene_kind(
        "scorer-stopped",
        f"A scorer stands still until its lease is over, and another takes over; {HOLDS}, of a `watch` once "
        "`reconcile` has put what came late in its place.",
        stopped,
    ),
    scene_kind("two-scorers", f"Two scorers work at once; {HOLDS}.", doubled),
    scene_kind(
        "clock-off", f"The clock of a scorer's machine is wrong; {HOLDS}, and nobody waits for it.", clock_off
    ),
    scene_kind("node-killed", f"The node is killed with -9 and started again; {HOLDS}.", node_killed),
    scene_kind(
        "threads-in-a-cluster",
        "Eight threads ingest, query and delete in one window at once; each is answered as if it were alone.",
        threads,
    ),
    bare_kind("without-plugin", f"A node has no plugin, and scorers are killed; {HOLDS}.", without_plugin),
)
