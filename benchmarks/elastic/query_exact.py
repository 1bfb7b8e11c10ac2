"""Part 1 of query.py: is the query exact, compared with brute force over the same texts?"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.elastic.bench_window import HOURS, SEED, index_all, window_of
from benchmarks.elastic.query_bodies import Body, ask_id, ask_text, hits_of
from benchmarks.lib import bruteforce, corpora
from neardup.elastic.http.address import parse_address
from neardup.elastic.http.bulk import Action
from neardup.elastic.http.client import Cluster

if TYPE_CHECKING:
    import argparse

    from benchmarks.lib.corpora import Corpus

THRESHOLDS = ("0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "0.95", "1")
EXACT = ("passages20k", "wikiversions", "manpages-multi")


class Question(NamedTuple):
    """A document of the corpus, how it is queried, and at which threshold."""

    place: int
    by_id: bool
    threshold: str


class Truth:
    """Brute force over the current texts; None for a deleted document."""

    def __init__(self, ids: list[str], texts: list[str | None]) -> None:
        self.ids, self.texts = ids, texts
        self.sets = bruteforce.gram_sets([text or "" for text in texts])
        self.sizes = np.diff(self.sets.starts)

    def copies(self, question: Question) -> dict[str, np.float32]:
        """Ids and scores of all documents with doc_q >= t; no text here is shorter than a q-gram."""
        shared = bruteforce.shared_with_all(self.sets, question.place)
        largest = np.maximum(self.sizes, self.sizes[question.place])
        limit = Fraction(question.threshold)
        found = np.flatnonzero(shared * limit.denominator >= limit.numerator * largest)
        return {
            self.ids[place]: np.float32(shared[place] / largest[place])
            for place in found.tolist()
            if self.texts[place] is not None and not (question.by_id and place == question.place)
        }


def exact(url: str, args: argparse.Namespace) -> Iterator[Body]:
    """Every layout of every corpus, before and after changes."""
    for name in EXACT[: 1 if args.tiny else None]:
        corpus = corpora.load(args.data, name, tiny=args.tiny)
        kept = [
            place
            for place, text in enumerate(corpus.texts)
            if len(bruteforce.normal_form(text)) >= bruteforce.Q
        ]
        corpus = corpora.Corpus(
            name, [corpus.ids[place] for place in kept], [corpus.texts[place] for place in kept]
        )
        for indices in (1, HOURS):
            for shards in (1, 3):
                window = f"bench-exact-{indices}-{shards}"
                with (
                    window_of(url, window),
                    Cluster(parse_address(f"{url}/{window}"), timeout=600) as cluster,
                ):
                    yield from _layout(cluster, corpus, indices, shards, args.asked)


def _layout(cluster: Cluster, corpus: Corpus, indices: int, shards: int, questions: int) -> Iterator[Body]:
    source = random.Random(f"{SEED} {corpus.name} {indices} {shards}")
    prefix = f"{cluster.address.prefix}-part"
    for number in range(indices):
        body = {"settings": {"index.number_of_shards": shards}}
        cluster.request("PUT", f"/{prefix}-{number}", body=body)

    def at(place: int) -> str:
        return f"{prefix}-{place % indices}"

    def write(places: Sequence[int], texts: Sequence[str | None]) -> None:
        actions = [
            Action("delete", at(place), corpus.ids[place]) if text is None
            else Action("index", at(place), corpus.ids[place], {"text": text})
            for place, text in zip(places, texts, strict=True)
        ]  # fmt: skip
        index_all(cluster, actions)
        cluster.request("POST", f"/{prefix}-*/_refresh")

    def compared(state: str, truth: Truth) -> Body:
        living = [place for place, text in enumerate(truth.texts) if text is not None]
        places = source.sample(living, min(questions, len(living)))
        chosen = [Question(place, source.random() < 0.5, source.choice(THRESHOLDS)) for place in places]
        wrong, hits = 0, 0
        for question in chosen:
            text = truth.texts[question.place]
            assert text is not None
            body = (
                ask_id(at(question.place), corpus.ids[question.place], question.threshold)
                if question.by_id else ask_text(text, question.threshold)
            )  # fmt: skip
            found = hits_of(cluster, f"{prefix}-*", body)
            wrong += {name: np.float32(score) for name, score in found} != truth.copies(question)
            hits += len(found)
        return {
            "corpus": corpus.name, "documents": len(living), "indices": indices, "shards": shards,
            "state": state, "asked": len(chosen), "hits": hits, "mismatches": wrong,
        }  # fmt: skip

    texts: list[str | None] = list(corpus.texts)
    every = range(len(texts))
    for part in np.array_split(np.array(every), 4):  # refreshed in between: several segments
        write(part.tolist(), [texts[place] for place in part.tolist()])
    yield compared("as indexed", Truth(corpus.ids, texts))
    changed = source.sample(every, len(texts) // 5)
    for place in changed:  # half of them deleted, half exchanged for another's text
        texts[place] = None if source.random() < 0.5 else corpus.texts[source.choice(every)]
    write(changed, [texts[place] for place in changed])
    truth = Truth(corpus.ids, texts)
    yield compared("changed", truth)
    cluster.request("POST", f"/{prefix}-*/_forcemerge", params={"max_num_segments": 1})
    cluster.request("POST", f"/{prefix}-*/_refresh")
    yield compared("merged", truth)
