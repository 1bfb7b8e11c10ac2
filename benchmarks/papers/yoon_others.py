"""The methods beside the paper's in yoon.py: doc_q, containment of q-grams, and the product's own verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import neardup
from benchmarks.lib import bruteforce, engine
from benchmarks.lib.corpora import Corpus
from benchmarks.papers.yoon_judging import Data, duplicates, judge, originals
from benchmarks.papers.yoon_tables import DELTA

if TYPE_CHECKING:
    from benchmarks.papers import yoon_data

DOC_Q_LOWEST = "0.5"
RAREST = 300
CANDIDATES = 50


def doc_q_scores(data: Data) -> list[float]:
    """For every post its best doc_q with an article, by the product itself; 0 if under 0.5."""
    texts = [*data.articles, *(post.text for post in data.posts)]
    corpus = Corpus("blogosphere", [str(place) for place in range(len(texts))], texts)
    run = engine.ingest(corpus, threshold=DOC_Q_LOWEST)
    best = [0.0] * len(data.posts)
    for (earlier, later), (_, score) in run.found.items():
        if earlier < len(data.articles) <= later:
            number = later - len(data.articles)
            best[number] = max(best[number], score)
    return best


def containments(data: Data) -> list[dict[int, float]]:
    """For every post |A n B| / min(|A|, |B|) with each of the articles that share most of its rarest q-grams."""
    sets = bruteforce.gram_sets([*data.articles, *(post.text for post in data.posts)])
    sizes, articles = np.diff(sets.starts), len(data.articles)
    grams = sets.ids[: sets.starts[articles]]
    order = np.argsort(grams, kind="stable")
    postings = np.repeat(np.arange(articles, dtype=np.int32), sizes[:articles])[order]
    offsets = np.zeros(len(sets.frequencies) + 1, np.int64)
    np.cumsum(np.bincount(grams, minlength=len(sets.frequencies)), out=offsets[1:])
    member = np.zeros(len(sets.frequencies), np.bool_)
    found = []
    for number in range(articles, len(sizes)):
        own = sets.of(number)
        rarest = own[np.argsort(sets.frequencies[own], kind="stable")[:RAREST]]
        runs = [postings[offsets[gram] : offsets[gram + 1]] for gram in rarest]
        shared = np.bincount(np.concatenate([*runs, postings[:0]]), minlength=articles)
        best = np.argsort(-shared, kind="stable")[:CANDIDATES]
        member[own] = True
        found.append({
            int(article): float(member[sets.of(article)].sum() / max(1, min(sizes[article], len(own))))
            for article in best[shared[best] > 0]
        })  # fmt: skip
        member[own] = False
    return found


def product_verdicts(made: yoon_data.Blogosphere, **changes: Any) -> list[neardup.Verdict]:
    """The verdicts of `neardup ingest --partial` on each post after all articles, with its defaults and `changes`."""
    texts = [*made.articles, *(post.text for post in made.posts)]
    stream = engine.documents(map(str, range(len(texts))), texts)
    with neardup.open(None, settings=engine.settings(partial=True, **changes)) as window:
        return list(window.ingest(stream))[len(made.articles) :]


class Named(NamedTuple):
    """The content of a verdict: the named articles, how many sentences they have in common with the post, and whether
    one of them is nearly all in the post, or the post in one of them.
    """

    articles: set[int]
    sentences: int
    contained: bool


def named_by(verdict: neardup.Verdict, articles: int) -> Named:
    """What `verdict` names among the first `articles` documents: copies of other posts do not count."""
    copied = {int(match.id) for match in verdict.matches if int(match.id) < articles}
    parts = [part for part in verdict.partial or () if int(part.id) < articles]
    contained = any(part.containment >= neardup.Settings().containment for part in parts)
    return Named(
        copied | {int(part.id) for part in parts},
        sum(part.sentences for part in parts),
        bool(copied) or contained,
    )


def on_product(made: yoon_data.Blogosphere) -> dict[str, Any]:
    """The product's verdicts by three rules; under each the posts called duplicates, and the originals named."""
    rows: dict[str, Any] = {}
    for delta in (neardup.Settings().delta, DELTA):
        verdicts = product_verdicts(made, delta=delta)
        named = dict(enumerate(named_by(verdict, len(made.articles)) for verdict in verdicts))
        pairs = {(number, article) for number, one in named.items() for article in one.articles}
        naming = {
            "quoting": judge(
                {number for number, _ in pairs}, {number for number, _ in originals(made.posts)}
            ),
            "naming": judge(pairs, originals(made.posts)),
        }
        rules = {f"delta = {delta}: an original is named": {number for number, _ in pairs}}
        if delta < DELTA:
            rules[f"delta = {delta}: originals with more than {DELTA} sentences together"] = {
                number for number, one in named.items() if one.contained or one.sentences > DELTA
            }
        rows |= {
            rule: {"all": judge(found, duplicates(made.posts)), **naming} for rule, found in rules.items()
        }
    return rows
