"""Speed: what a search costs among ten million documents, over posting lists alone.

Question   How long does a document take to find its candidates, as the posting lists grow?
Corpus     The sketches of 300,000 documents of the generated stream (lib/stream.py), posted up to 33 times: keys that
           at most two documents share are replaced by others each time, so that long lists grow like those of a longer
           stream, and short ones stay short.
Seed       that of the stream (`--seed`).
Excluded   signing, adding, comparing. Every document has an original posted 33 times, so that more candidates are found
           than a longer stream would have.
Oracle     lists of plain arrays, whose docs numpy counts: the candidates of the first 256 documents must be the same.
           Its time is measured in the same run. Minimum (median) of batches of 256; one batch for the oracle.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import neardup
from benchmarks.lib import corpora, harness, stream, wordmodel
from neardup.index.posting_lists import PostingLists, Query
from neardup.index.query_batch import posted
from neardup.kernels.batch_search import Documents
from neardup.kernels.counters import Counters
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

POSTED = 300_000
TIMES = (1, 3, 33)
ASKED = 8_192
BATCH = 256
SHARED = 3
"""Keys that a candidate of a long text shares at t = 0.7."""
RARE = 2
"""A key of this many documents or fewer is replaced by another in each repetition."""


class Sketches(NamedTuple):
    """Keys of documents: those of document i are `keys[offsets[i]:offsets[i + 1]]`."""

    keys: NDArray[np.uint64]
    offsets: NDArray[np.int64]

    def part(self, first: int, last: int) -> Sketches:
        """Documents `first` to `last - 1`."""
        begin, end = self.offsets[first], self.offsets[last]
        return Sketches(self.keys[begin:end], self.offsets[first : last + 1] - begin)


def sketches(documents: stream.Stream, count: int) -> Sketches:
    """Those of the first `count` documents."""
    signer, keys, sizes = signer_for(neardup.Recipe()), [], [np.zeros(1, np.int64)]
    for first in range(0, count, 4_000):
        texts = documents.texts(first, min(first + 4_000, count))
        signed = signer.sign([text.encode() for text in texts])
        keys.append(posted(signed.sketches))
        sizes.append(np.diff(signed.sketch_offsets))
    return Sketches(np.concatenate(keys), np.cumsum(np.concatenate(sizes)))


def repetitions(known: Sketches, times: int, seed: int) -> Iterator[NDArray[np.uint64]]:
    """The keys of `known`, repeated; rare keys are replaced by others each time."""
    random = np.random.default_rng(seed)
    _, which, counts = np.unique(known.keys, return_inverse=True, return_counts=True)
    rare = counts[which] <= RARE
    yield known.keys
    for _ in range(times - 1):
        keys = known.keys.copy()
        keys[rare] = posted(random.integers(0, 1 << 62, np.count_nonzero(rare), dtype=np.uint64))
        yield keys


def posted_over(known: Sketches, times: int, seed: int) -> PostingLists:
    """Lists of `known`, so many times over."""
    lists, size = PostingLists(packs=True), len(known.offsets) - 1
    for again, keys in enumerate(repetitions(known, times, seed)):
        lists.add(keys, known.offsets, np.arange(size, dtype=np.int64) + again * size)
    return lists


def searched(
    lists: PostingLists, asked: Sketches, documents: Documents, hits: Counters
) -> tuple[float, list[set[int]]]:
    """Microseconds per document, and the candidates that each found."""
    size = len(asked.offsets) - 1
    everywhere = np.zeros(size, np.int64)
    query = Query(everywhere - 1, everywhere - 1, everywhere, everywhere, (7, 10), largest=1)
    began = time.perf_counter()
    found = lists.search_and_add(*asked, everywhere + SHARED, query, documents, hits)
    took = 1e6 * (time.perf_counter() - began) / size
    return took, [
        set(found.docs[begin:end].tolist())
        for begin, end in zip(found.offsets, found.offsets[1:], strict=False)
    ]


class Oracle:
    """The lists of `posted_over` for some `keys`, as sorted arrays."""

    def __init__(self, known: Sketches, times: int, seed: int, keys: NDArray[np.uint64]) -> None:
        size = len(known.offsets) - 1
        docs = np.repeat(np.arange(size), np.diff(known.offsets))
        parts = [
            (every[wanted], docs[wanted] + again * size)
            for again, every in enumerate(repetitions(known, times, seed))
            for wanted in [np.isin(every, keys)]
        ]
        held = np.concatenate([part for part, _ in parts])
        order = np.argsort(held, kind="stable")
        self._keys, self._docs = held[order], np.concatenate([part for _, part in parts])[order]

    def candidates(self, keys: NDArray[np.uint64]) -> set[int]:
        """The docs that share enough of `keys`."""
        begins, ends = (np.searchsorted(self._keys, keys, side) for side in ("left", "right"))
        lists = [self._docs[begin:end] for begin, end in zip(begins, ends, strict=True)]
        docs, counts = np.unique(np.concatenate(lists), return_counts=True)
        return set(docs[counts >= SHARED].tolist())


def measured(known: Sketches, asked: Sketches, times: int, seed: int) -> dict[str, Any]:
    """The time of a search among the `known` documents, repeated this many times."""
    lists, docs = posted_over(known, times, seed), times * (len(known.offsets) - 1)
    documents = Documents(
        np.zeros(docs, np.int32), np.full(docs, -1, np.int32), np.ones(docs, np.uint8), np.zeros(docs, np.uint64),
        np.zeros((docs, 2), np.uint64), np.arange(docs, dtype=np.int32), np.full(docs, -1, np.int32),
    )  # fmt: skip
    hits, took, candidates = Counters.of(docs, SHARED), [], 0
    size = len(asked.offsets) - 1
    for first in range(0, size, BATCH):
        microseconds, found = searched(lists, asked.part(first, min(first + BATCH, size)), documents, hits)
        took.append(microseconds)
        candidates += sum(map(len, found))
        if first == 0:
            oracle = Oracle(known, times, seed, asked.keys[: asked.offsets[len(found)]])
            slow = checked(oracle, asked, found)
    return {"documents": docs, "candidates": candidates / size, "search": took, "oracle": slow}


def checked(oracle: Oracle, asked: Sketches, found: list[set[int]]) -> float:
    """Microseconds per document of `oracle`, which must find the same."""
    began = time.perf_counter()
    ends = asked.offsets[1 : len(found) + 1]
    true = [oracle.candidates(asked.keys[begin:end]) for begin, end in zip(asked.offsets, ends, strict=False)]
    took = 1e6 * (time.perf_counter() - began) / len(found)
    if true != found:
        raise AssertionError("the oracle finds other candidates")
    return took


def report(rows: list[dict[str, Any]]) -> str:
    """A line a number of documents."""
    return harness.table(
        ["documents", "us/doc", "oracle, us/doc", "candidates/doc"],
        [[f"{row['documents']:,}", harness.low_and_middle(row["search"]), f"{row['oracle']:,.0f}",
          f"{row['candidates']:.1f}"]
         for row in rows],
    )  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the table, writes posting-lists.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--seed", type=int, default=stream.SEED)
    args = parser.parse_args(arguments)
    posted_first, asked_for = (2_000, 512) if args.tiny else (POSTED, ASKED)
    originals = corpora.load(args.data, "passages20k", tiny=args.tiny).originals()
    documents = stream.Stream(wordmodel.build(originals[: wordmodel.SAMPLE]), args.seed)
    every = sketches(documents, posted_first + asked_for)
    rows = []
    for times in TIMES:
        print(f"{times * posted_first:,} documents", file=sys.stderr, flush=True)
        asked = every.part(posted_first, posted_first + asked_for)
        rows.append(measured(every.part(0, posted_first), asked, times, args.seed))
        harness.save(args, "posting-lists", rows)
    print(report(rows))


if __name__ == "__main__":
    main()
