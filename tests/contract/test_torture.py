"""A round or two of every kind of torture (`make torture` does more): no violation, on any engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from testing.torture.kinds import ENGINES
from testing.torture.nodes import Nodes
from testing.torture.page import PAGE
from testing.torture.registry import ALL
from testing.torture.rounds import run_round

if TYPE_CHECKING:
    from testing.node.node import Node
    from testing.torture.kinds import Kind
    from testing.torture.nodes import NodeName

SEED = 2
BY_ENGINE = {engine: [kind for kind in ALL if kind.engine == engine] for engine in ENGINES}


def names(kind: Kind) -> str:
    return kind.name


def check(kind, room, nodes=None):
    for number in range(1, kind.sample + 1):
        result = run_round(kind, SEED, number, room, nodes)
        assert not result.violations, "\n".join([*result.violations, result.repeat])


@pytest.mark.slow
@pytest.mark.parametrize("kind", BY_ENGINE["directory"], ids=names)
def test_a_window_in_a_directory_stands_it(kind, tmp_path):
    check(kind, tmp_path)


@pytest.fixture
def nodes(request):
    """The nodes of this run, each started when a kind wants it."""

    def make(name: NodeName) -> tuple[Node, ...]:
        found = request.getfixturevalue({"own": "own_node", "bare": "bare_node", "pair": "two_nodes"}[name])
        return found if name == "pair" else (found,)

    return Nodes(make)


@pytest.mark.slow
@pytest.mark.node
@pytest.mark.parametrize("kind", BY_ENGINE["elasticsearch"], ids=names)
def test_a_window_in_elasticsearch_stands_it(kind, tmp_path, nodes):
    check(kind, tmp_path, nodes)


def test_the_page_names_every_kind():
    page = PAGE.read_text("utf-8")
    missing = [kind.name for kind in ALL if f"| `{kind.name}` | {kind.what} |" not in page]
    assert not missing, "run: python -m testing.torture --write-table"


def test_no_two_kinds_have_one_name():
    assert len({(kind.engine, kind.name) for kind in ALL}) == len(ALL)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: f"{kind.engine}-{kind.name}")
def test_a_kind_says_in_a_sentence_what_is_done_and_what_must_hold(kind):
    assert not kind.what[0].islower()
    assert kind.what.endswith(".")
    assert "|" not in kind.what
