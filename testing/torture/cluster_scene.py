"""The parts of every round of the cluster's kinds: a separate window, documents to write to it, and the outcome.

A run does what `neardup ingest` does: it opens the window and takes the stream from its first document on, however far
an earlier run came. So the verdicts of every run, as far as it comes, are those of one undisturbed scorer.
"""

from __future__ import annotations

import functools
import logging
import operator
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

from testing.node import clients, killing
from testing.node.prefix import fresh_prefix
from testing.torture.cluster_faults import TIMEOUT
from testing.torture.kinds import Kind, Outcome, Round
from testing.window.proxy import Proxy

from neardup.elastic.http.address import Address
from neardup.elastic.http.client import Cluster
from neardup.elastic.window.opening import open_elastic_window
from neardup.errors import NeardupError

if TYPE_CHECKING:
    from random import Random

    from testing.node.killing import Document
    from testing.node.node import Node

    from neardup.model.document import Reject
    from neardup.model.verdict import Verdict

PATIENCE: Final = 3.0
"""Seconds that a scorer of a round waits for its cluster."""
DOCUMENTS: Final = 40
BATCH: Final = 8
HOURS: Final = 2
_QUIET: Final = logging.NullHandler()


class Scene:
    """A round with the window of `cluster`, which is empty, on `node`; `outcome` is its result."""

    def __init__(self, cluster: Cluster, node: Node, round: Round, **settings: Any) -> None:
        self.cluster, self.node, self.random, self.place = cluster, node, round.random, round.place
        self.settings: dict[str, Any] = {"batch_documents": BATCH, **settings}
        self.documents = documents_of(self.random, DOCUMENTS)
        self.outcome = Outcome()
        self.messages: list[str] = []
        self.expected = killing.undisturbed(self.documents, self.settings)

    def put_in_order(self) -> None:
        """Sorts the stream by time, as `neardup ingest` does with files."""
        self.documents = clients.in_order(self.documents)
        self.expected = killing.undisturbed(self.documents, self.settings)

    # ---- runs ----

    def open(self, at: Address | None = None, **options: Any) -> Any:
        """The window, at the cluster's own or at another address (a proxy's)."""
        options = {"patience": PATIENCE, **self.settings, **options}
        return open_elastic_window(
            str(at or self.cluster.address), credentials=self.cluster.credentials, **options
        )

    def run(
        self,
        at: Address | None = None,
        *,
        at_verdict: Callable[[int], object] = lambda _: None,
        documents: Sequence[Document] | None = None,
        expected: Sequence[Verdict] | None = None,
        on_reject: Callable[[Reject], object] | None = None,
        same: Callable[[Verdict, Verdict], bool] = operator.eq,
        **options: Any,
    ) -> NeardupError | None:
        """Ingests the stream until it ends or an error ends the run; returns the error. `at_verdict` is called with
        the number of verdicts so far.
        """
        documents = self.documents if documents is None else documents
        expected = self.expected if expected is None else expected
        told = 0
        rejected: set[str | None] = set()

        def noted(reject: Reject) -> None:
            rejected.add(reject.id)
            (on_reject or self.unwanted)(reject)

        with self.ending() as ended, self.open(at, **options) as window:
            for verdict in window.ingest(documents, on_reject=noted):
                while told < len(expected) - 1 and expected[told].id in rejected - {verdict.id}:
                    told += 1
                if not same(verdict, expected[told]):
                    self.violated(f"told {verdict.to_dict()}, expected {expected[told].to_dict()}")
                    break
                told += 1
                at_verdict(told)
        told += sum(verdict.id in rejected for verdict in expected[told:])
        if not ended and told != len(expected):
            self.violated(f"{told} verdicts, expected {len(expected)}")
        return ended[0] if ended else None

    def watch(
        self, at: Address | None = None, *, most: int = sys.maxsize, on_reject: Any = None, **options: Any
    ) -> NeardupError | None:
        """One `neardup watch --once`, or its first part: about `most` documents. Returns the error that ended it."""
        own = Cluster(at or self.cluster.address, self.cluster.credentials, patience=PATIENCE)
        options = {"batch": BATCH, "patience": PATIENCE, **options}
        told = 0
        with own, self.ending() as ended:
            verdicts = clients.watching(own, **options).verdicts(
                on_reject=on_reject or self.unwanted,
                stopped=lambda: told >= most,
                sleep=lambda _: time.sleep(0.05),
            )
            for _ in verdicts:
                told += 1
        return ended[0] if ended else None

    @contextmanager
    def ending(self) -> Iterator[list[NeardupError]]:
        """Catches the error that ends its block; any error but a `NeardupError` that says where is a violation."""
        ended: list[NeardupError] = []
        try:
            yield ended
        except NeardupError as error:
            ended.append(error)
            self.outcome.count("named")
            self.messages.append(f"{type(error).__name__}: {error}")
            if self.cluster.address.prefix not in str(error) and "http" not in str(error):
                self.violated(f"an error that names nothing: {error!r}")
        except Exception:  # noqa: BLE001 - that is what is sought
            self.violated(traceback.format_exc())

    def unwanted(self, reject: Reject) -> None:
        """Called for a reject where there must be none."""
        self.violated(f"rejected {reject}")

    # ---- what must hold ----

    def violated(self, what: str) -> None:
        """Records a violation."""
        self.outcome.violations.append(what)

    def settle(self, **options: Any) -> None:
        """The fault is gone: the next run brings the window to the state of one without faults."""
        if self.outcome.violations:
            return
        error = self.run(patience=30, **options)
        if error is not None:
            self.violated(f"the next run ended with {error!r}: {error}")
        else:
            self.held(lambda: killing.check(self.cluster, self.documents, self.expected, self.settings))

    def settle_watched(self, documents: Sequence[Document] | None = None, *, late: bool = False) -> None:
        """The same for documents that other clients wrote. If some may have been scored `late`, after others that came
        later, this holds once `reconcile` has scored all in the order of their times.
        """
        documents = self.documents if documents is None else documents
        if self.outcome.violations:
            return
        error = self.watch(patience=30)
        if error is not None:
            self.violated(f"the next watch ended with {error!r}: {error}")
            return
        if late:
            with self.open(patience=30) as window:
                list(window.reconcile())
        # `reconcile` does not update how many documents each was compared with: nothing else in its verdict differs.
        but = ("candidates",) if late else ()
        self.held(lambda: clients.check_marked(self.cluster, documents, clients.expected(documents), but=but))

    def held(self, check: Callable[[], object]) -> None:
        """Records what a check finds."""
        try:
            check()
        except NeardupError as error:
            self.violated(f"cannot be checked: {error!r}: {error}")
        except AssertionError:
            self.violated(traceback.format_exc())

    def mentions(self, error: NeardupError | None, *words: str) -> None:
        """There must be an error, and it must say this."""
        if error is None:
            self.violated(f"no error, expected one that says {words}")
        elif not all(re.search(word, str(error)) for word in words):
            self.violated(f"the error says nothing of {words}: {error!r}: {error}")


def scene_kind(name: str, what: str, run: Callable[[Scene], object], **settings: Any) -> Kind:
    """A kind on a node that keeps running: `run` gets a separate window, to be opened with `settings`."""
    return Kind(name, "elasticsearch", what, functools.partial(_on_own_node, run, settings))


def _on_own_node(run: Callable[[Scene], object], settings: dict[str, Any], round: Round) -> Outcome:
    assert round.nodes is not None, "a kind of Elasticsearch"
    return _on(round.nodes.own, run, settings, round)


def bare_kind(name: str, what: str, run: Callable[[Scene], object]) -> Kind:
    """The same on a node without the plugin."""
    return Kind(name, "elasticsearch", what, functools.partial(_on_bare_node, run))


def _on_bare_node(run: Callable[[Scene], object], round: Round) -> Outcome:
    assert round.nodes is not None, "a kind of Elasticsearch"
    return _on(round.nodes.bare, run, {}, round)


def _on(node: Node, run: Callable[[Scene], object], settings: dict[str, Any], round: Round) -> Outcome:
    logging.getLogger("neardup").addHandler(_QUIET)
    with fresh_prefix(node.url, patience=120) as cluster:
        scene = Scene(cluster, node, round, **settings)
        run(scene)
    return scene.outcome


def documents_of(random: Random, count: int) -> list[Document]:
    """Documents of two hours, a third of them copies; see `testing.node.killing.stream`."""
    seeded = killing.stream(count, seed=random.randrange(1 << 32))
    return clients.within(seeded, HOURS)


@contextmanager
def proxied(scene: Scene) -> Iterator[tuple[Proxy, Address]]:
    """A proxy before the node, and the address of the window through it; clients retry soon."""
    with Proxy(scene.cluster.url) as proxy, impatient():
        yield proxy, Address(proxy.url, scene.cluster.address.prefix)


@contextmanager
def short_leases(seconds: float = 1.0) -> Iterator[None]:
    """Short leases."""
    with (
        mock.patch("neardup.elastic.window.state_document.LEASE_SECONDS", seconds),
        mock.patch("neardup.elastic.watch.leadership.LEADER_SECONDS", seconds),
    ):
        yield


@contextmanager
def impatient() -> Iterator[None]:
    """Clients that retry soon, and do not wait long for an answer."""
    defaults = Cluster.__init__.__kwdefaults__
    with (
        mock.patch.dict(defaults, timeout=TIMEOUT),
        mock.patch("neardup.elastic.http.client.FIRST_WAIT", 0.02),
    ):
        yield
