"""The cost of trust: checksums in the files of a window, and fingerprints that nobody can forge.

Question   How much more processor time does a document take with checksums of everything stored and SHA-256
           fingerprints than with neither (a constant, and xxh3 of 128 bits)?
Corpus     passages20k in memory, and into a directory that keeps texts.
Seed       none: the corpus is fixed.
Excluded   loading, starting, compiling (a warm-up run of each).
Fairness   with and without in turns, in one process; the figure is the median of the ratios of neighbouring runs.
"""

from __future__ import annotations

import tempfile
import time
from functools import partial
from itertools import chain, pairwise, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import xxhash

from benchmarks.lib import harness, neighbours
from neardup.kernels.checksums import SUM_BYTES, checksums, checksums_of_both, sealed
from neardup.kernels.digests import halves_by, sha256_halves
from neardup.opening import open_window

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from neardup.model.document import Document


def _without_sums(data: NDArray[np.uint8], offsets: NDArray[np.int64], _: object) -> bytes:
    """Like `sealed`, with zeros for checksums."""
    items = (data[begin:end].data for begin, end in pairwise(offsets.tolist()))
    return b"".join(chain.from_iterable(zip(items, repeat(bytes(SUM_BYTES)))))


WITHOUT = {
    "neardup.stores.checksums.xxhash": SimpleNamespace(xxh3_64_digest=lambda *_: bytes(8)),
    "neardup.stores.hour_files.checksums": lambda _, starts, *__: np.zeros(len(starts), np.uint64),
    "neardup.stores.hour_files.checksums_of_both": lambda rows, *_: np.zeros(len(rows), np.uint64),
    "neardup.stores.hour_files.sealed": _without_sums,
    "neardup.signing.signer.sha256_halves": partial(halves_by, xxhash.xxh3_128_digest),
}
WITH = {
    "neardup.stores.checksums.xxhash": xxhash,
    "neardup.stores.hour_files.checksums": checksums,
    "neardup.stores.hour_files.checksums_of_both": checksums_of_both,
    "neardup.stores.hour_files.sealed": sealed,
    "neardup.signing.signer.sha256_halves": sha256_halves,
}


def microseconds(documents: list[Document], place: str, patched: Mapping[str, Any]) -> float:
    """Processor time per document of one run."""
    with tempfile.TemporaryDirectory() as room:
        patches = [mock.patch(name, value) for name, value in patched.items()]
        for patch in patches:
            patch.start()
        try:
            began = time.process_time()
            with open_window(None if place == "memory" else Path(room) / "window") as window:
                for _ in window.ingest(documents):
                    pass
            return 1e6 * (time.process_time() - began) / len(documents)
        finally:
            for patch in patches:
                patch.stop()


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the table, writes trust.json."""
    args, documents = neighbours.prepared(__doc__, arguments)
    rows, figures = [], {}
    for place in neighbours.PLACES:
        microseconds(documents, place, WITH)
        cost = neighbours.measured(
            partial(microseconds, documents, place, WITH),
            partial(microseconds, documents, place, WITHOUT),
            args.rounds,
        )
        rows.append(cost.row(place))
        figures[place] = cost._asdict()
    print(harness.table(neighbours.HEADER, rows))
    harness.save(args, "trust", figures)


if __name__ == "__main__":
    main()
