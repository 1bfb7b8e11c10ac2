"""The corpora as lists in memory, their given pairs, and a generated stand-in for tiny runs."""

from __future__ import annotations

import gzip
import random
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from benchmarks.lib import bruteforce

if TYPE_CHECKING:
    from benchmarks.lib.bruteforce import Pair

TINY_SEED = 7
SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "la",
    "me",
    "ni",
    "or",
    "pu",
    "ra",
    "se",
    "ti",
    "vo",
    "wu",
    "xa",
    "ye",
    "zin",
    "tor",
    "mal",
    "ken",
]


@dataclass(frozen=True)
class Corpus:
    """Texts in stream order; `copies` are the positions of texts that were made from another text."""

    name: str
    ids: list[str]
    texts: list[str]
    copies: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.ids)

    def head(self, count: int) -> Corpus:
        """The first `count` documents."""
        kept = frozenset(place for place in self.copies if place < count)
        return Corpus(self.name, self.ids[:count], self.texts[:count], kept)

    def originals(self) -> list[str]:
        """The texts that are not copies."""
        return [text for place, text in enumerate(self.texts) if place not in self.copies]


def load(data: Path, name: str, *, tiny: bool = False) -> Corpus:
    """The corpus `name` from `data`, or a generated one of 200 documents under the same name."""
    if tiny:
        return generated(name)
    ids: list[str] = []
    texts: list[str] = []
    copies: set[int] = set()
    with gzip.open(data / f"{name}.jsonl.gz") as lines:
        for line in lines:
            row = orjson.loads(line)
            if row.get("rate"):
                copies.add(len(ids))
            ids.append(str(row["id"]))
            texts.append(row["text"])
    return Corpus(name, ids, texts, frozenset(copies))


def given_pairs(data: Path, corpus: Corpus) -> dict[Pair, Pair] | None:
    """The pairs of the corpus's docq.tsv as places (i < j) with (shared, max); None if it has no such file."""
    path = data / f"{corpus.name}.docq.tsv"
    if not path.exists():
        return None
    place = {document: at for at, document in enumerate(corpus.ids)}
    pairs: dict[Pair, Pair] = {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            one, other, shared, largest, _ = line.rstrip("\n").split("\t")
            i, j = sorted((place[one], place[other]))
            pairs[i, j] = (int(shared), int(largest))
    return pairs


def true_pairs(data: Path, corpus: Corpus, *, tiny: bool = False) -> dict[Pair, Pair]:
    """Every pair with doc_q >= 0.5 (at least): from the corpus's file, else by brute force."""
    given = None if tiny else given_pairs(data, corpus)
    return bruteforce.all_pairs(bruteforce.gram_sets(corpus.texts), "0.5") if given is None else given


def at_least(pairs: dict[Pair, Pair], threshold: str) -> set[Pair]:
    """The pairs whose doc_q reaches `threshold`, compared in integers."""
    limit = Fraction(threshold)
    top, bottom = limit.numerator, limit.denominator
    return {pair for pair, (shared, largest) in pairs.items() if shared * bottom >= top * largest}


def generated(name: str, count: int = 200, seed: int = TINY_SEED) -> Corpus:
    """Made-up texts of about 1,200 characters, every fifth an edited copy of an earlier one."""
    # the name is part of the seed, so that two tiny corpora differ
    random_source = random.Random(f"{name}:{seed}")  # a seeded experiment, not a secret
    # with few syllables, all texts would be half alike, unlike texts of a language
    syllables = [a + b for a in "bcdfghjklmnprstvwxz" for b in "aeiouy"]
    words = ["".join(random_source.choices(syllables, k=random_source.randint(1, 4))) for _ in range(3_000)]
    texts: list[str] = []
    copies: set[int] = set()
    for place in range(count):
        if place % 5 == 4:
            edited = random_source.choice(texts).split()
            for at in random_source.sample(range(len(edited)), random_source.randint(1, 40)):
                edited[at] = random_source.choice(words)
            texts.append(" ".join(edited))
            copies.add(place)
        else:
            texts.append(_sentences(random_source, words))
    return Corpus(name, [f"{name}-{place}" for place in range(count)], texts, frozenset(copies))


def _sentences(random_source: random.Random, words: list[str]) -> str:
    """About 180 words with Zipf-like frequencies in sentences."""
    chosen = [words[int(len(words) * random_source.random() ** 3)] for _ in range(180)]
    for at in range(11, len(chosen), 12):
        chosen[at] += "."
    return " ".join(chosen)
