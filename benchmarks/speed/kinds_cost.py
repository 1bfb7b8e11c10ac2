"""The cost of kinds: processor time per document with the kind of every copy, and without.

Question   How much more processor time does a document take if every copy is compared with its best match once more?
Corpus     passages20k (one document in five is a copy) in memory, and into a directory; texts are kept in both cases.
Seed       none: the corpus is fixed.
Excluded   loading, starting, compiling (a warm-up run of each).
Fairness   with and without in turns, in one process; the figure is the median of the ratios of neighbouring runs.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.lib import harness, neighbours
from neardup.opening import open_window

if TYPE_CHECKING:
    from neardup.model.document import Document
    from neardup.model.verdict import KindName


def microseconds(documents: list[Document], place: str, *, kinds: bool) -> tuple[float, Counter[KindName]]:
    """Processor time per document of one run, and how many copies are of each kind."""
    with tempfile.TemporaryDirectory() as room:
        path = None if place == "memory" else Path(room) / "window"
        began = time.process_time()
        with open_window(path, keep_text=True, kinds=kinds) as window:
            seen = Counter(verdict.kind for verdict in window.ingest(documents) if verdict.kind)
        return 1e6 * (time.process_time() - began) / len(documents), seen


def cost_of_one(documents: list[Document], place: str, *, kinds: bool) -> float:
    """Processor time a document of one run."""
    return microseconds(documents, place, kinds=kinds)[0]


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the table, writes kinds_cost.json."""
    args, documents = neighbours.prepared(__doc__, arguments)
    rows, figures = [], {}
    for place in neighbours.PLACES:
        _, seen = microseconds(documents, place, kinds=True)
        cost = neighbours.measured(
            partial(cost_of_one, documents, place, kinds=True),
            partial(cost_of_one, documents, place, kinds=False),
            args.rounds,
        )
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in seen.most_common())
        rows.append([*cost.row(place), kinds])
        figures[place] = {**cost._asdict(), "kinds": seen}
    print(harness.table([*neighbours.HEADER, "kinds"], rows))
    harness.save(args, "kinds_cost", figures)


if __name__ == "__main__":
    main()
