"""What trust costs: checksums in the files of a window, and fingerprints that nobody can forge.

Question   How much more processor time does a document take with checksums of all that is stored and SHA-256
           fingerprints than with neither (a constant, and xxh3 of 128 bits)?
Corpus     passages20k in memory, and into a directory that keeps texts.
Seed       none: the corpus is fixed.
Excluded   loading, starting, compiling (a warm-up run of each).
Fairness   with and without in turns, in one process; the ratio is of neighbours, of which the middle counts.
"""

from __future__ import annotations

import tempfile
import time
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import xxhash

from benchmarks.lib import corpora, engine, harness, neighbours
from neardup.kernels.digests import sha256_halves
from neardup.opening import open_window

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from neardup.model.document import Document


def xxh3_halves(texts: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """As `sha256_halves`, of a hash that can be forged."""
    whole = texts.data
    digests = [xxhash.xxh3_128_digest(whole[start:end]) for start, end in pairwise(offsets.tolist())]
    return np.frombuffer(b"".join(digests), ">u8").astype(np.uint64).reshape(-1, 2)


WITHOUT = {
    "neardup.stores.checksums.xxhash": SimpleNamespace(
        xxh3_64_intdigest=lambda *_: 0, xxh3_64_digest=lambda *_: bytes(8)
    ),
    "neardup.signing.signer.sha256_halves": xxh3_halves,
}
WITH = {"neardup.stores.checksums.xxhash": xxhash, "neardup.signing.signer.sha256_halves": sha256_halves}


def microseconds(documents: list[Document], place: str, patched: Mapping[str, Any]) -> float:
    """Processor time a document of one run."""
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
    parser = harness.options(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args(arguments)
    corpus = corpora.load(args.data, "passages20k", tiny=args.tiny)
    documents = list(engine.documents(corpus.ids, corpus.texts))
    rows, figures = [], {}
    for place in neighbours.PLACES:
        microseconds(documents, place, WITH)
        cost = neighbours.measured(
            partial(microseconds, documents, place, WITH),
            partial(microseconds, documents, place, WITHOUT),
            1 if args.tiny else args.rounds,
        )
        rows.append(cost.row(place))
        figures[place] = cost._asdict()
    print(harness.table(neighbours.HEADER, rows))
    harness.save(args, "trust", figures)


if __name__ == "__main__":
    main()
