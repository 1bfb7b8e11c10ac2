"""Speed: what a search costs among ten million documents, over posting lists alone.

Question   How long does a document take to find its candidates, counted block by block of docs or by a counter of every
           doc, as the posting lists grow?
Corpus     The sketches of 300,000 documents of the generated stream (lib/stream.py), posted up to 33 times over: what
           two documents share at most is other keys each time, so that long lists grow as those of a longer stream
           would, and short ones stay short.
Seed       that of the stream (`--seed`).
Excluded   signing, adding, comparing. Every document has an original posted 33 times, so that more candidates are found
           than a longer stream would have.
Fairness   both ways in turns, over one set of lists; the candidates must be the same. Whoever comes second finds the
           lists in the cache, so they take turns in that, too. Minimum (median) of batches of 256.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

import numpy as np

import neardup
from benchmarks.lib import corpora, harness, stream, wordmodel
from neardup.index import posting_lists
from neardup.index.posting_lists import Hits, PostingLists, Query
from neardup.index.query_batch import posted
from neardup.kernels.batch_search import Documents
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

POSTED = 300_000
TIMES = (1, 3, 33)
ASKED = 8_192
BATCH = 256
SHARED = 3
"""Keys that a candidate of a long text shares at t = 0.7."""
RARE = 2
"""A key of so many documents or fewer is another one in each repetition."""
WAYS = {"by blocks": 0, "a counter a doc": 1 << 62}
"""From how many docs on they are counted by blocks."""


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


def posted_over(known: Sketches, times: int, seed: int) -> PostingLists:
    """Lists of `known`, so many times over."""
    lists, random = PostingLists(packs=True), np.random.default_rng(seed)
    _, which, counts = np.unique(known.keys, return_inverse=True, return_counts=True)
    rare, size = counts[which] <= RARE, len(known.offsets) - 1
    for again in range(times):
        keys = known.keys.copy()
        if again:
            keys[rare] = posted(random.integers(0, 1 << 62, np.count_nonzero(rare), dtype=np.uint64))
        lists.add(keys, known.offsets, np.arange(size, dtype=np.int64) + again * size)
    return lists


def searched(
    lists: PostingLists, asked: Sketches, documents: Documents, hits: Hits
) -> tuple[float, list[set[int]]]:
    """Microseconds a document, and whom each found."""
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


def measured(lists: PostingLists, asked: Sketches, docs: int) -> dict[str, Any]:
    """Both ways in turns over the same lists, which hold `docs` docs."""
    documents = Documents(
        np.zeros(docs, np.int32), np.full(docs, -1, np.int32), np.ones(docs, np.uint8), np.zeros(docs, np.uint64),
        np.zeros((docs, 2), np.uint64), np.arange(docs, dtype=np.int32), np.full(docs, -1, np.int32),
    )  # fmt: skip
    hits = {}
    for way, blocks_from in WAYS.items():
        with mock.patch.object(posting_lists, "_BLOCKS_FROM", blocks_from):
            hits[way] = Hits(docs, SHARED)
    took: dict[str, list[float]] = {way: [] for way in WAYS}
    candidates = 0
    size = len(asked.offsets) - 1
    for first in range(0, size, BATCH):
        some = asked.part(first, min(first + BATCH, size))
        answers = []
        for way in sorted(WAYS, reverse=first // BATCH % 2 == 1):
            microseconds, found = searched(lists, some, documents, hits[way])
            took[way].append(microseconds)
            answers.append(found)
        if answers[0] != answers[1]:
            raise AssertionError(f"the two ways find other candidates from document {first} on")
        candidates += sum(map(len, answers[0]))
    return {"documents": docs, "candidates": candidates / size, **took}


def report(rows: list[dict[str, Any]]) -> str:
    """A line a number of documents."""
    return harness.table(
        ["documents", *(f"us/doc, {way}" for way in WAYS), "candidates/doc"],
        [[f"{row['documents']:,}", *(harness.low_and_middle(row[way]) for way in WAYS), f"{row['candidates']:.1f}"]
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
        lists = posted_over(every.part(0, posted_first), times, args.seed)
        asked = every.part(posted_first, posted_first + asked_for)
        rows.append(measured(lists, asked, times * posted_first))
        harness.save(args, "posting-lists", rows)
    print(report(rows))


if __name__ == "__main__":
    main()
