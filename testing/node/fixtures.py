"""Fixtures that need Elasticsearch; `tests/conftest.py` offers them to every test.

One node serves the whole run, or, if several processes share the run, all tests of a directory. `NEARDUP_TEST_URL`
names a cluster to use instead (credentials as for `neardup`); tests that kill nodes, or need several, still start their
own. If no node can be made, such tests are skipped, and the last lines of the run say so; `NEARDUP_REQUIRE_NODE=1`
makes that a failure.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

import pytest
from testing.node.java import Missing, distribution, find_jdk, find_maven
from testing.node.node import QUICK, Node, Workshop
from testing.node.prefix import fresh_prefix
from testing.node.servers import chosen

from neardup.elastic.http.address import Address, Credentials

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

PATIENCE: Final = 60.0
ABSENT: Final = "no Elasticsearch node"
"""The beginning of the reason of every skip here."""


@pytest.fixture(scope="session")
def workshop(request: pytest.FixtureRequest) -> Iterator[Workshop]:
    """The place where nodes are made; needs a JDK and Maven."""
    try:
        find_maven()
        find_jdk()
        distribution(chosen())
    except Missing as missing:
        reason = f"{ABSENT}: {missing}"
        if os.environ.get("NEARDUP_REQUIRE_NODE"):
            pytest.fail(f"{reason}; NEARDUP_REQUIRE_NODE wants one")
        pytest.skip(reason)
    workshop = Workshop(in_memory=True)
    try:
        yield workshop
    finally:
        kept = workshop.close(keep_logs=request.session.testsfailed > 0)
        if kept is not None:
            _tell_kept_logs(request.config, str(kept))


KEPT_LOGS: Final = pytest.StashKey[str]()


def _tell_kept_logs(config: pytest.Config, path: str) -> None:
    """Passes this to the process that writes the last lines; a worker of pytest-xdist does so when it ends."""
    if hasattr(config, "workeroutput"):
        config.workeroutput["kept_logs"] = path
    else:
        config.stash[KEPT_LOGS] = path


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker has ended: take over its messages."""
    if kept := getattr(node, "workeroutput", {}).get("kept_logs"):
        node.config.stash[KEPT_LOGS] = kept


@pytest.fixture(scope="session")
def elasticsearch_url(request: pytest.FixtureRequest) -> str:
    """Scheme, host and port of the cluster of this run, which has the plugin."""
    given = os.environ.get("NEARDUP_TEST_URL")
    if given:
        return given.rstrip("/")
    workshop: Workshop = request.getfixturevalue("workshop")
    return workshop.node("shared", java=QUICK).start().url


@pytest.fixture(scope="session")
def credentials() -> Credentials:
    """The credentials for `NEARDUP_TEST_URL`."""
    return Credentials.from_settings({}, os.environ if os.environ.get("NEARDUP_TEST_URL") else {})


@pytest.fixture
def new_cluster(elasticsearch_url: str, credentials: Credentials) -> Iterator[Callable[..., Cluster]]:
    """Makes connections, each with its own prefix; everything under these prefixes is deleted at the end."""
    with ExitStack() as stack:

        def make(**options: Any) -> Cluster:
            options.setdefault("patience", PATIENCE)
            return stack.enter_context(fresh_prefix(elasticsearch_url, credentials, **options))

        yield make


@pytest.fixture
def cluster(new_cluster: Callable[..., Cluster]) -> Cluster:
    """A connection with a prefix that nobody else uses."""
    return new_cluster()


@pytest.fixture
def address(cluster: Cluster) -> Address:
    """The address of that connection; `str` makes a window URL of it."""
    return cluster.address


@pytest.fixture(scope="session")
def _own_node(workshop: Workshop) -> Node:
    return workshop.small("own")


@pytest.fixture(scope="session")
def _bare_node(workshop: Workshop) -> Node:
    return workshop.small("bare", plugin=False)


@pytest.fixture(scope="session")
def _two_nodes(workshop: Workshop) -> tuple[Node, Node]:
    first, second = workshop.joined("pair", 2)
    return first, second


@pytest.fixture
def own_node(_own_node: Node) -> Node:
    """A node that a test may kill and start again; running when the test begins."""
    _run(_own_node)
    return _own_node


@pytest.fixture
def bare_node(_bare_node: Node) -> Node:
    """A node without the plugin."""
    _run(_bare_node)
    return _bare_node


@pytest.fixture
def two_nodes(_two_nodes: tuple[Node, Node]) -> tuple[Node, Node]:
    """Two nodes of one cluster."""
    _run(*_two_nodes)
    return _two_nodes


def _run(*nodes: Node) -> None:
    """Start the nodes that are not running, all at once."""
    started = [node.start(wait=False) for node in nodes if not node.running]
    for node in started:
        node.wait()


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist, which looks for groups in the hook of this name
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that needs a cluster, so that `-m 'not node'` leaves them out.

    If several processes share the run, one process with its own node runs all tests of a directory; if they share an
    existing cluster, one process runs them all. Tests of other nodes may be in a separate group.
    """
    is_shared = bool(os.environ.get("NEARDUP_TEST_URL"))
    for item in items:
        if {"workshop", "elasticsearch_url"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("node")
        if item.get_closest_marker("node") and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group("node" if is_shared else f"node/{item.path.parent.name}"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Say at the end, where nobody can miss it, that the tests of Elasticsearch did not run."""
    yield
    if KEPT_LOGS in terminalreporter.config.stash:
        terminalreporter.write_line(f"logs of the nodes: {terminalreporter.config.stash[KEPT_LOGS]}")
    skipped = [
        report.longrepr[2]
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple) and ABSENT in report.longrepr[2]
    ]
    if skipped:
        reason = skipped[0].removeprefix("Skipped: ")
        line = f"{len(skipped)} tests against Elasticsearch were NOT run: {reason}"
        terminalreporter.write_line(line, yellow=True, bold=True)
        terminalreporter.write_line("(or set NEARDUP_TEST_URL to a cluster that has the plugin)", yellow=True)
