"""The nodes of Elasticsearch that rounds of torture share: started when first needed, and running when given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from testing.node.node import Workshop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from testing.node.node import Node

NodeName = Literal["own", "bare", "pair"]


class Nodes:
    """Gives nodes; `make` makes those of a name, and is asked for each name once."""

    def __init__(self, make: Callable[[NodeName], Sequence[Node]]) -> None:
        self._make = make
        self._made: dict[NodeName, Sequence[Node]] = {}

    @property
    def own(self) -> Node:
        """A node with the plugin, which a kind may kill: it is started again when it is needed next."""
        return self._running("own")[0]

    @property
    def bare(self) -> Node:
        """The same, without the plugin."""
        return self._running("bare")[0]

    @property
    def pair(self) -> tuple[Node, Node]:
        """Two nodes of one cluster, with the plugin."""
        first, second = self._running("pair")
        return first, second

    def _running(self, name: NodeName) -> Sequence[Node]:
        if name not in self._made:
            self._made[name] = self._make(name)
        nodes = self._made[name]
        for node in [node.start(wait=False) for node in nodes if not node.running]:
            node.wait()
        return nodes


@contextmanager
def new_nodes() -> Iterator[Nodes]:
    """Nodes of a separate run, ended with it."""
    workshop = Workshop(in_memory=True)

    def make(name: NodeName) -> Sequence[Node]:
        if name == "pair":
            return workshop.joined(name, 2)
        return (workshop.small(name, plugin=name == "own"),)

    try:
        yield Nodes(make)
    finally:
        workshop.close()
