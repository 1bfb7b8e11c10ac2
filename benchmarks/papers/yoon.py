"""Experiment D: partial copies by sentence fingerprints (Yoon et al. 2012, section 3), containment and doc_q beside.

Question   What do the document frequency cut-off and the number of collisions delta do? (Figures 5-7.) How do sentence
           fingerprints compare with whole-document and segment fingerprints? (Table 2.) With containment of q-grams,
           and, on whole copies, with doc_q? Are the originals named?
Corpus     Articles and posts made of real sentences of passages20k (see yoon_data.py); the paper's Korean posts and
           news are not available. As many duplicates as in the paper, 924; half as many other posts, and a tenth as
           many articles.
Seed       20261121.
Measured   As in the paper: a post is called a duplicate if more than delta of its sentence hashes are in the table of
           the articles; precision and recall of posts. Document frequencies are those of the articles. Table 2's sizes
           are the bytes of the hashes; loading is reading them from a file into a table; a request is one post from
           text to answer, in Python; both in processor time. Naming: the articles that share fingerprints or contain
           enough, against those from which at least two sentences were taken.
Excluded   posts that copy posts. Containment is counted exactly, but only with the 50 articles that share most of the
           300 rarest q-grams of a post.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import neardup
from benchmarks.lib import harness
from benchmarks.papers import prose, yoon_data
from benchmarks.papers.yoon_judging import (
    Data,
    Pair,
    data_of,
    facts,
    judge,
    on_scores,
    originals,
    posts_above,
    verdicts,
)
from benchmarks.papers.yoon_others import containments, doc_q_scores, on_product
from benchmarks.papers.yoon_sentence_table import SentenceTable
from benchmarks.papers.yoon_tables import DELTA, DELTAS, NEVER, tables
from neardup.baselines.imatch import IMatch
from neardup.baselines.segments import SegmentFingerprints
from neardup.baselines.sentence_fingerprints import MOST_OCCURRENCES, SentenceFingerprints, SentenceHashes
from neardup.baselines.words import Frequencies, words
from neardup.signing.signer import signer_for

SEED = 20_261_121
ARTICLES_SHARE = 0.75
DUPLICATES, POSTS = 924, 9_538
CUTOFFS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
PARTIAL_DELTAS = (1, 2, 3, 4, 5)
"""For the product's own fingerprints, alone or together with containment."""
SURELY = 3.0
"""A score that reaches even NEVER."""
DOC_Q = (0.5, 0.6, 0.7, 0.8, 0.9)
CONTAINMENTS = tuple(round(0.4 + 0.05 * step, 2) for step in range(12))
IDF_RANGES = (
    (0.2, 0.85), (0.2, 1.0), (0.0, 0.5),
    (0.3, 0.4), (0.4, 0.5), (0.5, 0.6), (0.6, 0.7), (0.3, 0.5), (0.4, 0.6), (0.5, 0.7),
)  # fmt: skip


def blogosphere(args: argparse.Namespace, seed: int = SEED) -> yoon_data.Blogosphere:
    """The seeded articles and posts, or a few."""
    passages = list(chain.from_iterable(prose.collections(args.data, tiny=args.tiny).values()))
    random.Random(f"{seed}:order").shuffle(passages)
    duplicates, posts = (60, 120) if args.tiny else (DUPLICATES, POSTS)
    return yoon_data.blogosphere(passages, ARTICLES_SHARE, duplicates, posts, seed)


# -- figures 5 to 7 --


def on_cutoffs(data: Data, frequencies: Frequencies) -> list[dict[str, Any]]:
    """One row per cut-off: sizes (Figure 5), and precision, recall and F at every delta (Figures 6 and 7)."""
    rows: list[dict[str, Any]] = []
    for cutoff in CUTOFFS:
        method = SentenceFingerprints(cutoff)
        method.use(frequencies)
        table = SentenceTable(map(method.sign_sentences, data.article_sentences))
        signatures = [method.sign_sentences(split) for split in data.post_sentences]
        collisions = [table.collisions(signature) for signature in signatures]
        left = [len(method.sequence(one)) for split in data.post_sentences for one in split]
        rows.append({
            "cutoff": cutoff,
            "common_words": sum(map(method.is_common, frequencies.of)),
            "words_left": statistics.mean(left), "entries": len(table), "struck_out": table.struck_out,
            "by_delta": [judge(posts_above(collisions, delta), data.duplicates()) for delta in DELTAS],
        })  # fmt: skip
        print(f"cut-off {cutoff}: F {rows[-1]['by_delta'][DELTA]['f']:.4f}", file=sys.stderr, flush=True)
    return rows


# -- table 2 --


class Contender(NamedTuple):
    """One row of Table 2: the keys of a text, and how many of them must be in the table for a duplicate."""

    name: str
    keys: Callable[[str], Sequence[bytes]]
    more_than: int
    most: int


def contenders(data: Data, frequencies: Frequencies, cutoff: float) -> Iterator[Contender]:
    """The paper's three, and the product's own sentence fingerprints."""
    for low, high in IDF_RANGES:
        whole = IMatch(low, high)
        whole.learn(data.articles)

        def digests(text: str, whole: IMatch = whole) -> list[bytes]:
            return [digest for digest in whole.sign(text) if digest is not None]

        yield Contender(f"I-Match (Chowdhury02), idf {low} to {high}", digests, 0, len(data.articles))
    yield Contender("segments (Wang09)", SegmentFingerprints().sign, DELTA, MOST_OCCURRENCES)
    method = SentenceFingerprints(cutoff)
    method.use(frequencies)
    yield Contender(f"sentence fingerprints, cut-off {cutoff}", method.sign, DELTA, MOST_OCCURRENCES)
    yield Contender("the product's sentence fingerprints", product_sentences, DELTA, MOST_OCCURRENCES)


def product_sentences(text: str) -> SentenceHashes:
    """The sentences that a window with the route "sentences" keeps: default lexicon, three words or more."""
    found = signer_for(neardup.Recipe()).word_features([text.encode()])
    return tuple(value.tobytes() for value in found.sentences)


def on_contender(data: Data, one: Contender) -> tuple[dict[str, Any], list[int]]:
    """A row of Table 2, and how many keys of each post are in the table."""
    table = SentenceTable((one.keys(text) for text in data.articles), one.most)
    with tempfile.TemporaryDirectory() as scratch:
        entries = sorted(table.values())
        path = Path(scratch) / "table"
        path.write_bytes(b"".join(entries))
        width, size = len(entries[0]), path.stat().st_size
        clock = harness.Clock()
        packed = path.read_bytes()
        loaded = {packed[at : at + width] for at in range(0, size, width)}
        loading = clock.took().cpu
    clock = harness.Clock()
    collisions = [sum(key in loaded for key in one.keys(post.text)) for post in data.posts]
    request = clock.took().cpu / len(data.posts)
    row: dict[str, Any] = {"name": one.name, "bytes": size, "entries": len(entries), "loading_ms": 1e3 * loading,
           "request_ms": 1e3 * request} | verdicts(data, posts_above(collisions, one.more_than))  # fmt: skip
    print(f"{one.name}: F {row['all']['f']:.4f}", file=sys.stderr, flush=True)
    return row, collisions


def by_half(data: Data, collisions: dict[str, list[int]]) -> list[dict[str, Any]]:
    """For each half of the posts (every other one): its best I-Match, and the result of that on the other half."""
    wanted = data.duplicates()
    halves = [range(first, len(data.posts), 2) for first in (0, 1)]
    rows = []
    for number, (here, there) in enumerate((halves, halves[::-1]), 1):
        by = {name: judge(posts_above(each, 0), wanted, here) for name, each in collisions.items()}
        name = max(by, key=lambda one: by[one]["f"])
        rows.append({
            "chosen on": number, "name": name, "f there": by[name]["f"],
            **judge(posts_above(collisions[name], 0), wanted, there),
        })  # fmt: skip
    return rows


# -- naming the originals --


def shared_sentences(data: Data, keys: Callable[[str], Sequence[bytes]]) -> dict[Pair, int]:
    """How many fingerprints each post shares with each article, those of too many articles left out."""
    holders: dict[bytes, list[int]] = {}
    for article, text in enumerate(data.articles):
        for key in set(keys(text)):
            holders.setdefault(key, []).append(article)
    shared: Counter[Pair] = Counter()
    for number, post in enumerate(data.posts):
        for key in set(keys(post.text)):
            held = holders.get(key, ())
            if len(held) <= MOST_OCCURRENCES:
                shared.update((number, article) for article in held)
    return dict(shared)


def on_naming(
    data: Data, keys: Callable[[str], Sequence[bytes]], contained: list[dict[int, float]]
) -> list[dict[str, Any]]:
    """Precision and recall of the pairs of post and original, by fingerprints, by containment, by either."""
    wanted = originals(data.posts)
    shared = shared_sentences(data, keys)
    rows = []
    for more_than, least in (
        (0, None),
        (1, None),
        (2, None),
        (3, None),
        (None, 0.6),
        (None, 0.8),
        (1, 0.6),
        (1, 0.8),
    ):
        found: set[Pair] = set()
        if more_than is not None:
            found |= {pair for pair, count in shared.items() if count > more_than}
        if least is not None:
            found |= {
                (number, article)
                for number, some in enumerate(contained)
                for article, c in some.items()
                if c >= least
            }
        rows.append({
            "more_than": more_than, "containment": least, "pairs": len(wanted), "named": len(found),
            **judge(found, wanted),
        })  # fmt: skip
    return rows


def measure(made: yoon_data.Blogosphere) -> dict[str, Any]:
    """All figures."""
    data = data_of(made)
    frequencies = Frequencies(words, data.articles)
    cutoffs = on_cutoffs(data, frequencies)
    best = max(cutoffs, key=lambda row: row["by_delta"][DELTA]["f"])["cutoff"]
    method = SentenceFingerprints(best)
    method.use(frequencies)
    uncut = SentenceTable(map(method.sign_sentences, data.article_sentences), most=sys.maxsize)
    collisions = [uncut.collisions(method.sign_sentences(split)) for split in data.post_sentences]
    table_2 = [on_contender(data, one) for one in contenders(data, frequencies, best)]
    contained = containments(data)
    most = [max(some.values(), default=0.0) for some in contained]
    shared = table_2[-1][1]  # of the product's fingerprints
    either = {
        delta: on_scores(
            data,
            [SURELY if count > delta else score for count, score in zip(shared, most, strict=True)],
            (*CONTAINMENTS, NEVER),
        )
        for delta in PARTIAL_DELTAS
    }
    return {
        "facts": facts(data),
        "cutoffs": cutoffs,
        "best_cutoff": best,
        "without_the_cut_of_300": [
            judge(posts_above(collisions, delta), data.duplicates()) for delta in DELTAS
        ],
        "table_2": [row for row, _ in table_2],
        "imatch": by_half(
            data, {row["name"]: found for row, found in table_2 if row["name"].startswith("I-Match")}
        ),
        "containment": on_scores(data, most, CONTAINMENTS),
        "partial": either,
        "doc_q": on_scores(data, doc_q_scores(data), DOC_Q),
        "naming": on_naming(data, product_sentences, contained),
        "product": on_product(made),
    }


def main(arguments: list[str] | None = None) -> None:
    """Measures, prints the tables, writes yoon.json."""
    args = harness.options(__doc__).parse_args(arguments)
    figures = measure(blogosphere(args))
    figures["product, second draw"] = on_product(blogosphere(args, SEED + 1))
    harness.show(tables, harness.save(args, "yoon", figures))


if __name__ == "__main__":
    main()
