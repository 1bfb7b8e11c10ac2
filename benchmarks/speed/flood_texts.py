"""Texts of floods, seeded: one text many times, one template filled many times, many campaigns; and ordinary texts.

Ordinary texts are stretches of passages20k (its originals), or generated prose if that is not there. The text of a
flood is another such stretch. A template keeps most of it, with slots at regular distances that are filled anew in each
copy: by numbers, by names, or by both and dates. There are so few slots that any two copies have doc_q >= 0.7.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import orjson

from benchmarks.lib import bruteforce, corpora

SEED: Final = 20_261_122
CAMPAIGN: Final = 20
"""Copies of one campaign."""
KINDS: Final = ("copies", "numbers", "names", "mix", "campaigns")
_CORPUS: Final = "passages20k.jsonl.gz"
_OVERWRITTEN: Final = 0.19
"""The part of a template's q-grams in its slots: two copies then share about three quarters of their q-grams."""
_Q: Final = 4
_CHECKED_PAIRS: Final = 300


def ordinary(data: Path, length: int, *, tiny: bool = False) -> Iterator[str]:
    """Ordinary texts of about `length` characters, cut at a space: the first stretch of every passage, then the second,
    and so on.
    """
    passages = _passages(data, tiny=tiny)
    for start in range(0, max(map(len, passages)), length):
        for passage in passages:
            stretch = passage[start : start + length]
            if len(stretch) == length:
                yield stretch[: stretch.rindex(" ") if " " in stretch[1:] else length]


def source(data: Path, *, tiny: bool = False) -> str:
    """The sources of ordinary texts."""
    return "passages20k" if (data / _CORPUS).exists() and not tiny else "generated prose"


def _passages(data: Path, *, tiny: bool) -> list[str]:
    if tiny or not (data / _CORPUS).exists():
        return corpora.generated("floods", 400 if tiny else 30_000).originals()
    with gzip.open(data / _CORPUS) as lines:
        rows = map(orjson.loads, lines)
        return [" ".join(row["text"].split()) for row in rows if not row["rate"]]


class Flood:
    """The copies of one kind of flood; copy i is a function of (kind, bases, i).

    `bases` are the texts it is made from: one, or one per campaign.
    """

    def __init__(self, kind: str, bases: Sequence[str]) -> None:
        self.kind, self._bases = kind, bases

    def text(self, number: int) -> str:
        """Copy `number`; of campaigns, the first copy of each comes before the second of any."""
        if self.kind == "copies":
            return self._bases[0]
        rng = random.Random(f"{SEED}:{self.kind}:{number}")
        fillers = _FILLERS["mix" if self.kind == "campaigns" else self.kind]
        return _filled(self._bases[number % len(self._bases)], fillers, rng)

    def lowest(self, count: int) -> float:
        """The lowest doc_q of pairs drawn from the first `count` copies, those of one campaign where there are some."""
        rng, lowest = random.Random(SEED), 1.0
        for _ in range(_CHECKED_PAIRS):
            one = rng.randrange(count)
            other = rng.randrange(one % len(self._bases), count, len(self._bases))
            shared, larger = bruteforce.text_overlap(self.text(one), self.text(other))
            lowest = min(lowest, shared / larger)
        return lowest


def _number(rng: random.Random) -> str:
    return f"{rng.randrange(10_000, 1_000_000):,}"


def _name(rng: random.Random) -> str:
    return " ".join(
        "".join(rng.choices(corpora.SYLLABLES, k=rng.randint(2, 3))).capitalize() for _ in range(2)
    )


def _date(rng: random.Random) -> str:
    return f"{rng.randint(1, 28)}.{rng.randint(1, 12)}.{rng.randint(1990, 2026)}"


_FILLERS: Final[dict[str, Sequence[Callable[[random.Random], str]]]] = {
    "numbers": (_number,),
    "names": (_name,),
    "mix": (_number, _name, _date),
}


def _filled(base: str, fillers: Sequence[Callable[[random.Random], str]], rng: random.Random) -> str:
    """`base` with equidistant words replaced by the results of `fillers` in turn."""
    words = base.split()
    room = _OVERWRITTEN * len(base)
    width = sum(len(fill(random.Random(0))) for fill in fillers) / len(fillers) + _Q - 1
    slots = max(1, min(int(room / width), len(words)))
    for slot in range(slots):
        words[slot * len(words) // slots] = fillers[slot % len(fillers)](rng)
    return " ".join(words)
