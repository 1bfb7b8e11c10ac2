"""Kills: is anything lost, written twice or given another verdict when the writer or the node is killed with -9?

Question   After each of 20 kills of `ingest` into a cluster, and 20 of the node under it, at random moments: is every
           document there once, whole, in the right index, with the verdict of an undisturbed run?
Corpus     made-up documents with their own fields over some hours, a third of them edited copies.
Seed       --seed; it also draws the moments.
Excluded   power cuts: Elasticsearch syncs its log at every request, which is its own responsibility.

Needs a JDK and Maven, because it starts its own node (testing/node). Fails at the first difference.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from testing.node.killing import Outcome, kill_node, kill_writer, stream
from testing.node.node import Node, Workshop
from testing.node.prefix import fresh_prefix

from benchmarks.lib import harness

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

DOCUMENTS_A_KILL = 200
"""Enough documents that the stream does not end before the last kill."""


@contextmanager
def own_node() -> Iterator[Node]:
    """A node that nobody else uses."""
    workshop = Workshop()
    try:
        yield workshop.node("killed").start()
    finally:
        workshop.close()


def survive(node: Node, kill: Callable[[Cluster, Path], Outcome]) -> dict[str, Any]:
    """The result for a window whose writer or node is killed by `kill`."""
    start = time.perf_counter()
    with fresh_prefix(node.url, patience=120) as cluster, tempfile.TemporaryDirectory() as place:
        outcome = kill(cluster, Path(place))
        state = cluster.request("GET", f"/{cluster.address.state}/_doc/window")["_source"]
    return {
        **outcome._asdict(),
        "turns_lost": len(state["gaps"]),
        "seconds": round(time.perf_counter() - start, 1),
    }


def main(arguments: list[str] | None = None) -> None:
    """Kills, checks, prints the table, writes kill.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--kills", type=int, help="of each kind (default: 20; 1 with --tiny)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    if args.kills is None:
        args.kills = 1 if args.tiny else 20
    documents = stream(DOCUMENTS_A_KILL * (args.kills + 1), args.seed)
    options = {"kills": args.kills, "documents": documents, "seed": args.seed}
    with own_node() as node:
        figures = {
            "writer, mark": survive(node, partial(kill_writer, policy="mark", **options)),
            "writer, route": survive(node, partial(kill_writer, policy="route", **options)),
            "node, mark": survive(node, partial(kill_node, node, policy="mark", **options)),
        }
    rows = [
        [kind, found["kills"], found["turns_lost"], found["documents"], found["seconds"]]
        for kind, found in figures.items()
    ]
    header = [
        "killed, policy",
        "times",
        "in the middle of a batch",
        "documents, all as undisturbed",
        "seconds",
    ]
    print(harness.table(header, rows))
    harness.save(args, "kill", figures)


if __name__ == "__main__":
    main()
