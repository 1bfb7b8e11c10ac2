"""Random texts, edited copies of them, and the odd ones, for the tests of the baselines."""

from __future__ import annotations

import random

from neardup.baselines.sentence_fingerprints import SentenceFingerprints

BLOG = [
    "go to some place on foot for fun",
    "some wait on it for him to come",
    "to some, on and for",
    "for some on to",
]
"""Posts that all have "to", "some", "on" and "for"."""

ODD = (
    "",
    " \n ",
    "?!",
    "a",
    "A",
    "ab",
    "rose",
    "A rose is a flower",
    "A rose is a flower!",
    "the the the",
    "echo " * 300,
    "echo " * 300 + "rose",
    "彼女は花です。バラは花です。",
    "Ça va? Ça va. Naïve café — ﬁn.",
    "x" * 2_000,
    "😀 rose 😀",
)
_FUNCTION = (
    "the",
    "a",
    "an",
    "is",
    "was",
    "will",
    "have",
    "of",
    "to",
    "and",
    "in",
    "that",
    "it",
    "for",
    "with",
)


def vocabulary(numbers: random.Random, size: int = 300) -> list[str]:
    """Random content words."""
    return ["".join(numbers.choices("aeioustrnlmdkpg", k=numbers.randint(3, 9))) for _ in range(size)]


def random_text(numbers: random.Random, words: list[str], length: int) -> str:
    """`length` words, every second one a function word, in sentences of about ten words."""
    chosen = [numbers.choice(_FUNCTION if numbers.random() < 0.4 else words) for _ in range(length)]
    ends = [word + (". " if numbers.random() < 0.1 else " ") for word in chosen]
    return "".join(ends).strip().capitalize()


def edited(numbers: random.Random, original: str, words: list[str], share: float) -> str:
    """A copy with the given share of its words replaced, dropped or doubled, and perhaps its end cut off."""
    kept = []
    for word in original.split():
        if numbers.random() >= share:
            kept.append(word)
        else:
            kept += numbers.choice(([], [word, word], [numbers.choice(words)]))
    return " ".join(kept[: len(kept) - numbers.randint(0, len(kept) // 10)])


def collection(seed: int = 0, originals: int = 8, copies: int = 4) -> list[str]:
    """Originals of 20 to 250 words, copies of each with increasing edits, a long text with copies, and the odd texts,
    shuffled.
    """
    numbers = random.Random(seed)
    words = vocabulary(numbers)
    texts = list(ODD)
    for _ in range(originals):
        original = random_text(numbers, words, numbers.randint(20, 250))
        texts += [original, *(edited(numbers, original, words, 0.03 * copy**2) for copy in range(copies))]
    long = random_text(numbers, words, 900)
    texts += [long, edited(numbers, long, words, 0.01), long]
    numbers.shuffle(texts)
    return texts


def learned_from_posts() -> SentenceFingerprints:
    """Sentence fingerprints for which the words found in every post of `BLOG` are common."""
    learned = SentenceFingerprints(cutoff=0.6, delta=0)
    learned.learn(BLOG)
    return learned
