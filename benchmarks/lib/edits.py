"""Seeded edits of a text, one function per kind: single changes, and the changes found in real copies.

An edit takes the text, a share (how much of it changes), a source of random numbers and another, unrelated text, and
returns the edited copy. The same seed gives the same copies on every machine.

Random strings are as long as the words that they replace: with 3 to 10 letters for any word, only a hundredth of the
copies with 15 % of them reached doc_q 0.7, too few to count. This was chosen before any recall was measured.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

Edit = Callable[[str, float, random.Random, str], str]
MARKS = str.maketrans("", "", ".!?\u2026;:")


class Copy(NamedTuple):
    """An edited copy and the position of the text from which it was made."""

    original: int
    text: str


def scattered_words(text: str, share: float, rng: random.Random, other: str) -> str:
    """A share of the words deleted, replaced by or preceded by words of the other text, in equal parts."""
    words, strange = text.split(), other.split() or ["other"]
    edited: list[str] = []
    chosen = _chosen(len(words), share, rng)
    for at, word in enumerate(words):
        kind = rng.randrange(3) if at in chosen else -1
        if kind >= 1:
            edited.append(rng.choice(strange))
        if kind in (-1, 1):
            edited.append(word)
    return " ".join(edited)


def foreign_block(text: str, share: float, rng: random.Random, other: str) -> str:
    """A run of words replaced by as many words from one place of the other text."""
    words, strange = text.split(), other.split()
    length = max(1, round(share * len(words)))
    at = rng.randrange(max(1, len(words) - length))
    start = rng.randrange(max(1, len(strange) - length))
    return " ".join(words[:at] + strange[start : start + length] + words[at + length :])


def junk_words(text: str, share: float, rng: random.Random, _other: str) -> str:
    """A share of the words replaced by random strings of their length, so that the size of the set hardly changes."""
    words = text.split()
    for at in _chosen(len(words), share, rng):
        words[at] = _junk(len(words[at]), rng)
    return " ".join(words)


def junk_block(text: str, share: float, rng: random.Random, _other: str) -> str:
    """A run of words replaced by random strings of their lengths."""
    words = text.split()
    length = max(1, round(share * len(words)))
    at = rng.randrange(max(1, len(words) - length))
    return " ".join(
        words[:at] + [_junk(len(word), rng) for word in words[at : at + length]] + words[at + length :]
    )


def typos(text: str, share: float, rng: random.Random, _other: str) -> str:
    """One letter swapped, dropped, doubled or changed in a share of the words."""
    words = text.split()
    for at in _chosen(len(words), share, rng):
        words[at] = _misspelt(words[at], rng)
    return " ".join(words)


def no_marks(text: str, share: float, rng: random.Random, other: str) -> str:
    """Every sentence mark removed, and a share of the words scattered."""
    return scattered_words(text.translate(MARKS), share, rng, other)


KINDS: dict[str, tuple[Edit, tuple[float, ...]]] = {
    "words scattered": (scattered_words, (0.05, 0.10, 0.20)),
    "a block of another text": (foreign_block, (0.10, 0.25)),
    "random strings for words": (junk_words, (0.05, 0.10, 0.15)),
    "a block of random strings": (junk_block, (0.10, 0.20)),
    "typos in words": (typos, (0.05, 0.10, 0.15)),
    "sentence marks removed + words": (no_marks, (0.05, 0.10, 0.15)),
}


def copies(texts: Sequence[str], kind: str, share: float, seed: int) -> Iterator[Copy]:
    """One edited copy of every text, in a seeded order; copies are made only as they are read."""
    edit = KINDS[kind][0]
    rng = random.Random(f"{seed}:{kind}:{share}")  # a seeded experiment, not a secret
    order = list(range(len(texts)))
    rng.shuffle(order)
    for place, original in enumerate(order):
        other = texts[order[place - 1]]
        yield Copy(original, edit(texts[original], share, rng, other))


def _chosen(count: int, share: float, rng: random.Random) -> set[int]:
    return set(rng.sample(range(count), round(share * count)))


def _junk(length: int, rng: random.Random) -> str:
    return "".join(rng.choices(string.ascii_letters + string.digits, k=length))


def _misspelt(word: str, rng: random.Random) -> str:
    if len(word) < 2:
        return word + rng.choice(string.ascii_lowercase)
    at = rng.randrange(len(word) - 1)
    letter = rng.choice(string.ascii_lowercase)
    middle = (word[at + 1] + word[at], word[at + 1], word[at] * 2 + word[at + 1], letter + word[at + 1])
    return word[:at] + rng.choice(middle) + word[at + 2 :]
