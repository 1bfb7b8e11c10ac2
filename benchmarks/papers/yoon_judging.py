"""The posts and articles of yoon.py as sentences, and the quality of calling some of the posts duplicates."""

from __future__ import annotations

import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from benchmarks.papers import yoon_data
from neardup.baselines.words import sentences

Split = list[list[str]]
Pair = tuple[int, int]
T = TypeVar("T", int, Pair)


class Data(NamedTuple):
    """Articles and posts, and both as sentences of words."""

    articles: list[str]
    posts: list[yoon_data.Post]
    article_sentences: list[Split]
    post_sentences: list[Split]

    def duplicates(self) -> set[int]:
        """The numbers of the posts that are duplicates."""
        return duplicates(self.posts)


def data_of(made: yoon_data.Blogosphere) -> Data:
    """The articles and posts with their sentences."""
    return Data(
        made.articles,
        made.posts,
        [_interned(text) for text in made.articles],
        [_interned(post.text) for post in made.posts],
    )


def duplicates(posts: Sequence[yoon_data.Post]) -> set[int]:
    """The numbers of the posts that are duplicates."""
    return {number for number, post in enumerate(posts) if post.is_duplicate}


def originals(posts: Sequence[yoon_data.Post]) -> set[Pair]:
    """Each post with the articles from which at least two of its sentences were taken."""
    return {(number, source) for number, post in enumerate(posts) for source, size in post.taken if size >= 2}


def _interned(text: str) -> Split:
    """The sentences of a text, with equal words sharing one object, because millions are held at once."""
    return [[sys.intern(word) for word in sentence] for sentence in sentences(text)]


def judge(called: Iterable[T], wanted: set[T], among: Iterable[T] | None = None) -> dict[str, float]:
    """Precision, recall and F of what was called a duplicate (or named), counting only those `among`."""
    found = set(called)
    if among is not None:
        found, wanted = found & set(among), wanted & set(among)
    right = len(found & wanted)
    precision, recall = right / len(found) if found else 1.0, right / len(wanted)
    f = 2 * precision * recall / (precision + recall) if right else 0.0
    return {"precision": precision, "recall": recall, "f": f}


def posts_above(collisions: Sequence[int], delta: int) -> set[int]:
    """The posts with more than delta collisions."""
    return {number for number, count in enumerate(collisions) if count > delta}


def verdicts(data: Data, found: set[int]) -> dict[str, Any]:
    """The quality of calling these posts duplicates: on all posts, on whole copies among the others, by kind."""
    whole = [number for number, post in enumerate(data.posts) if post.kind in {"own", *yoon_data.WHOLE}]
    total, so_called = Counter(post.kind for post in data.posts), Counter(data.posts[n].kind for n in found)
    return {
        "all": judge(found, data.duplicates()),
        "whole": judge(found, data.duplicates(), whole),
        "by_kind": {kind: so_called[kind] / total[kind] for kind in sorted(total)},
    }


def on_scores(data: Data, scores: Sequence[float], thresholds: Iterable[float]) -> list[dict[str, Any]]:
    """One row per threshold: all posts, whole copies, and each kind."""
    return [
        {"threshold": threshold}
        | verdicts(data, {number for number, score in enumerate(scores) if score >= threshold})
        for threshold in thresholds
    ]


def facts(data: Data) -> dict[str, Any]:
    """Table 1 for our data."""

    def shape(split: list[Split]) -> dict[str, float]:
        lengths = [len(one) for some in split for one in some]
        return {"sentences": len(lengths) / len(split), "words": statistics.mean(lengths)}

    return {
        "articles": len(data.articles), "posts": len(data.posts),
        "kinds": dict(Counter(post.kind for post in data.posts)),
        "article": shape(data.article_sentences), "post": shape(data.post_sentences),
    }  # fmt: skip
