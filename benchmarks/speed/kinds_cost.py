"""What kinds cost: processor time a document with the kind of every copy, and without.

Question   How much more processor time does a document take if every copy is compared with its best match once more?
Corpus     passages20k (one document in five is a copy) in memory, and into a directory; texts are kept in both cases.
Seed       none: the corpus is fixed.
Excluded   loading, starting, compiling (a warm-up run of each).
Fairness   with and without in turns, in one process; the ratio is of neighbours, of which the middle counts.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.lib import corpora, harness
from neardup.model.document import Document
from neardup.opening import open_window

if TYPE_CHECKING:
    from neardup.model.verdict import KindName

PLACES = ("memory", "directory")


def microseconds(documents: list[Document], place: str, *, kinds: bool) -> tuple[float, Counter[KindName]]:
    """Processor time a document of one run, and how many copies are of each kind."""
    with tempfile.TemporaryDirectory() as room:
        path = None if place == "memory" else Path(room) / "window"
        began = time.process_time()
        with open_window(path, keep_text=True, kinds=kinds) as window:
            seen = Counter(verdict.kind for verdict in window.ingest(documents) if verdict.kind)
        return 1e6 * (time.process_time() - began) / len(documents), seen


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the table, writes kinds_cost.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args(arguments)
    corpus = corpora.load(args.data, "passages20k", tiny=args.tiny)
    documents = [
        Document(id, text, at) for at, (id, text) in enumerate(zip(corpus.ids, corpus.texts, strict=True))
    ]
    rows, figures = [], {}
    for place in PLACES:
        _, seen = microseconds(documents, place, kinds=True)
        pairs = [
            tuple(microseconds(documents, place, kinds=kinds)[0] for kinds in (True, False))
            for _ in range(1 if args.tiny else args.rounds)
        ]
        ratio = statistics.median(one / other for one, other in pairs)
        with_them, without = (min(each) for each in zip(*pairs, strict=True))
        rows.append(
            [
                place,
                f"{with_them:.1f}",
                f"{without:.1f}",
                f"{ratio:.3f}",
                ", ".join(f"{kind} {count:,}" for kind, count in seen.most_common()),
            ]
        )
        figures[place] = {"pairs": pairs, "ratio": ratio, "kinds": seen}
    print(
        harness.table(["window", "CPU us/doc with", "without", "ratio, median of neighbours", "kinds"], rows)
    )
    harness.save(args, "kinds_cost", figures)


if __name__ == "__main__":
    main()
