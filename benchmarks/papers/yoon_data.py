"""The data of yoon.py: news articles, and blog posts some of which clip and revise them.

After Yoon et al. (2012), section 3, whose 432,162 articles and 19,076 posts, 924 of them judged duplicates, are not
available. The sentences are real (prose.py); posts and articles use different passages. The rest is made up as follows,
chosen from the paper's text before anything was measured:

- An article has 3 sentences or more, about 11.6, of six words or more each: newspapers write whole sentences, and
  phrases common in dialogues ("Yes," he said) occur only in posts. It belongs to one of 87 newspapers; 12 of these
  put their own sentence under every article ("Read the complete edition ...").
- A post has about 17 sentences of the blogger's. Of the posts that are not duplicates, one in eight quotes a sentence
  of an article, some two or three; one in twenty has a newspaper's sentence.
- 924 posts are duplicates: 55 % are an article and nothing else, 12 % an article after a comment of up to a quarter of
  its sentences, 18 % clip consecutive sentences of one article (4 or more, about 8) into a post, 15 % combine 2 to 5
  sentences from each of 2 to 4 articles. Most are whole articles, because whole-document fingerprints found 73 % of the
  paper's.
- Three in ten duplicates are revised: of their sentences 35 % trivially (a function word dropped, inserted or replaced;
  two words exchanged), 15 % in a content word.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

ARTICLE = (12.5, 0.5, 3)
"""Sentences of an article: median, spread of the logarithm, least."""
LEAST_WORDS = 6
"""Words of an article's sentence."""
COMMENT = 0.25
POST = (15.5, 0.45, 3)
CLIP = (7.5, 0.45, 4)
NEWSPAPERS, WITH_FOOTER = 87, 12
QUOTING = ((0.085, 1), (0.03, 2), (0.01, 3))
"""Among posts that are not duplicates, the shares of those that quote this many sentences."""
FOOTER_QUOTED = 0.05
KINDS = {"whole": 0.55, "whole, commented": 0.12, "clip": 0.18, "agglomerate": 0.15}
WHOLE = ("whole", "whole, commented")
REVISED_POSTS, TRIVIAL, SUBSTANTIAL = 0.3, 0.35, 0.15
_FUNCTION_WORDS = """
a about after also and are as at before but by for from had has have he her his in into is it its just more not now of
on only or over she so some still such than that the their them then there they this to up very was were what when
which while who will with would
"""
FUNCTION_WORDS = tuple(_FUNCTION_WORDS.split())


class Post(NamedTuple):
    """A post: its kind ("own" if it is no duplicate), and how many sentences it has of which article."""

    kind: str
    text: str
    taken: tuple[tuple[int, int], ...] = ()

    @property
    def is_duplicate(self) -> bool:
        """Whether a reader would call it one."""
        return self.kind != "own"


class Blogosphere(NamedTuple):
    """Articles and posts."""

    articles: list[str]
    posts: list[Post]


def blogosphere(
    passages: Sequence[Sequence[str]], articles_share: float, duplicates: int, posts: int, seed: int
) -> Blogosphere:
    """Articles from the first `articles_share` of the passages, posts from the rest; `duplicates` of `posts` copy."""
    rng = random.Random(f"{seed}:blogosphere")
    cut = round(len(passages) * articles_share)
    bodies = list(_articles(passages[:cut], rng))
    papers = [rng.randrange(NEWSPAPERS) for _ in bodies]
    articles = [" ".join([*body, *_footer(paper)]) for body, paper in zip(bodies, papers, strict=True)]
    own = (sentence for passage in passages[cut:] for sentence in passage)
    kinds = rng.choices(list(KINDS), list(KINDS.values()), k=duplicates) + ["own"] * (posts - duplicates)
    rng.shuffle(kinds)
    made = [_post(kind, bodies, own, rng) for kind in kinds]
    return Blogosphere(articles, made)


def _length(shape: tuple[float, float, int], rng: random.Random) -> int:
    median, spread, least = shape
    return max(least, round(median * rng.lognormvariate(0, spread)))


def _articles(passages: Sequence[Sequence[str]], rng: random.Random) -> Iterator[list[str]]:
    """The passages cut into articles; a remainder too short for an article is left out."""
    for passage in passages:
        whole = [sentence for sentence in passage if len(sentence.split()) >= LEAST_WORDS]
        at = 0
        while len(whole) - at >= ARTICLE[2]:
            size = _length(ARTICLE, rng)
            yield whole[at : at + size]
            at += size


def _footer(paper: int) -> list[str]:
    if paper >= WITH_FOOTER:
        return []
    return [
        f"Read the complete edition of newspaper number {paper} on a computer, just as it appears in print."
    ]


def _post(kind: str, bodies: Sequence[Sequence[str]], own: Iterator[str], rng: random.Random) -> Post:
    if kind == "own":
        return _own_post(bodies, own, rng)
    revised = rng.random() < REVISED_POSTS
    if kind == "agglomerate":
        chosen = [(rng.randrange(len(bodies)), rng.randint(2, 5)) for _ in range(rng.randint(2, 4))]
    elif kind == "clip":
        chosen = [(_long_enough(bodies, CLIP[2], rng), _length(CLIP, rng))]
    else:
        chosen = [(rng.randrange(len(bodies)), 10**9)]
    comment = 0
    if kind in {"clip", "agglomerate"}:
        comment = max(2, _length(POST, rng) - 8)
    elif kind == "whole, commented":
        comment = rng.randint(1, max(1, round(COMMENT * len(bodies[chosen[0][0]]))))
    sentences = [next(own) for _ in range(comment)]
    taken = []
    for source, wanted in chosen:
        body = bodies[source]
        size = min(wanted, len(body))
        begin = rng.randrange(len(body) - size + 1)
        clipped = [_revised(one, own, rng) if revised else one for one in body[begin : begin + size]]
        place = rng.randrange(len(sentences) + 1) if kind in {"clip", "agglomerate"} else len(sentences)
        sentences[place:place] = clipped
        taken.append((source, size))
    return Post(kind, " ".join(sentences), tuple(taken))


def _long_enough(bodies: Sequence[Sequence[str]], least: int, rng: random.Random) -> int:
    while True:
        source = rng.randrange(len(bodies))
        if len(bodies[source]) >= least:
            return source


def _own_post(bodies: Sequence[Sequence[str]], own: Iterator[str], rng: random.Random) -> Post:
    sentences = [next(own) for _ in range(_length(POST, rng))]
    dice, taken = rng.random(), []
    for share, wanted in QUOTING:
        if 0 <= dice < share:
            source = rng.randrange(len(bodies))
            size = min(wanted, len(bodies[source]))
            begin, place = rng.randrange(len(bodies[source]) - size + 1), rng.randrange(len(sentences))
            sentences[place:place] = bodies[source][begin : begin + size]
            taken.append((source, size))
        dice -= share
    if rng.random() < FOOTER_QUOTED:
        sentences += _footer(rng.randrange(WITH_FOOTER))
    return Post("own", " ".join(sentences), tuple(taken))


def _revised(sentence: str, own: Iterator[str], rng: random.Random) -> str:
    dice = rng.random()
    if dice < TRIVIAL:
        return trivially_revised(sentence, rng)
    if dice < TRIVIAL + SUBSTANTIAL:
        return _reworded(sentence, own, rng)
    return sentence


def trivially_revised(sentence: str, rng: random.Random) -> str:
    """One or two function words dropped, inserted or replaced, or two neighbouring words exchanged."""
    words = sentence.split()
    for _ in range(rng.randint(1, 2)):
        function = [at for at, word in enumerate(words) if word.lower() in FUNCTION_WORDS]
        edit = rng.choice(("drop", "put in", "change", "swap") if function else ("put in", "swap"))
        if edit == "drop":
            del words[rng.choice(function)]
        elif edit == "change":
            words[rng.choice(function)] = rng.choice(FUNCTION_WORDS)
        elif edit == "put in":
            words.insert(rng.randrange(len(words)), rng.choice(FUNCTION_WORDS))
        elif len(words) > 2:
            at = rng.randrange(len(words) - 2)  # not the last word: it has the full stop
            words[at], words[at + 1] = words[at + 1], words[at]
    return " ".join(words)


def _reworded(sentence: str, own: Iterator[str], rng: random.Random) -> str:
    """The longest word exchanged for the longest of some other sentence."""
    words = sentence.split()
    at = max(range(len(words)), key=lambda place: len(words[place]))
    words[at] = max(next(own).split(), key=len) if rng.random() < 0.5 else words[at][:1] + words[at]
    return " ".join(words)
