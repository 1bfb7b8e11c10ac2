"""The corpora of montanari_puglisi.py, each with its truth."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.lib import bruteforce, corpora
from benchmarks.papers import newsday
from neardup.evaluation.corpus import Corpus
from neardup.evaluation.truth import Truth, read_truth

if TYPE_CHECKING:
    from benchmarks.lib.bruteforce import Pair

SAME_TEXT, ANOTHER_TEXT = 0.5, 0.2
"""Jaccard over 8-word shingles from which on versions are the same text to a reader, and below which they are not."""


class Case(NamedTuple):
    """One corpus with its truth."""

    name: str
    corpus: Corpus
    truth: Truth


def plain(corpus: corpora.Corpus) -> Corpus:
    """A corpus of the benchmarks as one of `neardup evaluate`."""
    return Corpus(tuple(corpus.ids), tuple(corpus.texts))


def day(args: argparse.Namespace) -> Case:
    """The stream of one day."""
    made = newsday.make(args.data, tiny=args.tiny)
    return Case("day", plain(made.corpus), Truth(made.copies))


def spamassassin(args: argparse.Namespace) -> Case:
    """The messages of which a reader judged 92 pairs; tiny: of which an exact doc_q judges some."""
    corpus = corpora.load(args.data, "spamassassin", tiny=args.tiny)
    if args.tiny:
        pairs = list(bruteforce.all_pairs(bruteforce.gram_sets(corpus.texts), "0.2"))
        return Case(
            "spamassassin", plain(corpus), Truth(_made_copies(corpus), frozenset(pairs), judged_only=True)
        )
    truth = read_truth(args.data / "spamassassin.judged.tsv", plain(corpus), copy_labels=["dup"])
    return Case("spamassassin", plain(corpus), truth)


def articles(args: argparse.Namespace) -> Case:
    """The versions of articles, all of one article taken for copies."""
    corpus = corpora.load(args.data, "wikiversions", tiny=args.tiny)
    copies = _made_copies(corpus) if args.tiny else frozenset(_overlaps(args.data, corpus, one_article=True))
    return Case("articles", plain(corpus), Truth(copies))


def versions(args: argparse.Namespace) -> Case:
    """The versions of articles, copies where the text is the same by eye; pairs that may be either are not counted."""
    corpus = corpora.load(args.data, "wikiversions", tiny=args.tiny)
    if args.tiny:
        return Case("versions", plain(corpus), Truth(_made_copies(corpus)))
    inside = _overlaps(args.data, corpus, one_article=True)
    across = _overlaps(args.data, corpus, one_article=False)
    copies = frozenset(pair for pair, jaccard in inside.items() if jaccard >= SAME_TEXT)
    either = {pair for pair, jaccard in inside.items() if ANOTHER_TEXT <= jaccard < SAME_TEXT}
    either |= {pair for pair, jaccard in across.items() if jaccard >= ANOTHER_TEXT}
    return Case("versions", plain(corpus), Truth(copies, uncounted=frozenset(either)))


CASES: dict[str, Callable[[argparse.Namespace], Case]] = {
    "day": day,
    "spamassassin": spamassassin,
    "articles": articles,
    "versions": versions,
}


def _made_copies(corpus: corpora.Corpus) -> frozenset[Pair]:
    """The pairs of a generated corpus that are copies of one another by doc_q."""
    return frozenset(bruteforce.all_pairs(bruteforce.gram_sets(corpus.texts), "0.6"))


def _overlaps(data: Path, corpus: corpora.Corpus, *, one_article: bool) -> dict[Pair, float]:
    """The pairs of overlap.tsv inside articles, or across them, with their Jaccard over 8-word shingles."""
    places = {id: place for place, id in enumerate(corpus.ids)}
    found: dict[Pair, float] = {}
    with (data / "wikiversions.overlap.tsv").open(encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            one, other, jaccard, _, relation = line.rstrip("\n").split("\t")
            if (relation != "none") == one_article:
                i, j = sorted((places[one], places[other]))
                found[i, j] = float(jaccard)
    return found
