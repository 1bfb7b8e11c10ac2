"""The data of fan_huang.py: a few source texts, many copies of each with words edited at random places.

After Fan & Huang (2011), section 4: "modified (insert, delete, replace word) these 5 texts at random locations". They
do not say how many words: here equal numbers of copies have 1, 3, 5, 10, 20 and 30 % of their words edited.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmarks.lib import edits
from neardup.baselines.tokens import STOPWORDS
from neardup.baselines.words import words

SHARES = (0.01, 0.03, 0.05, 0.10, 0.20, 0.30)


class Copy(NamedTuple):
    """An edited copy: the position of its source among the clean texts, and the share of edited words."""

    source: int
    share: float
    text: str


def source_sets(count: int, sets: int, size: int, seed: int) -> list[list[int]]:
    """`sets` times `size` positions out of `count`, none twice."""
    chosen = random.Random(f"{seed}:sources").sample(range(count), sets * size)
    return [chosen[at : at + size] for at in range(0, len(chosen), size)]


def copies(texts: Sequence[str], sources: Sequence[int], each: int, seed: int) -> list[Copy]:
    """`each` copies of every source, equally many for each share; inserted words come from another of `texts`."""
    made = []
    for source in sources:
        rng = random.Random(f"{seed}:{source}")
        for number in range(each):
            share = SHARES[number % len(SHARES)]
            other = texts[rng.randrange(len(texts))]
            made.append(Copy(source, share, edits.scattered_words(texts[source], share, rng, other)))
    return made


def stems(text: str) -> list[str]:
    """The words of `text` without stop words, each cut to its stem (Snowball's English stemmer, "Porter2")."""
    return [_stem(word) for word in words(text) if word not in STOPWORDS]


@functools.cache
def _stem(word: str) -> str:
    stem: str = _stemmer().stemWord(word)
    return stem


@functools.cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")
