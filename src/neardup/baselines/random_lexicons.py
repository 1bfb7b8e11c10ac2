"""Random lexicons: the whole vocabulary, numbered 0, and others without about a third of its words.

Kołcz, Chowdhury & Alspector (2004), "Improved robustness of signature-based near-replica detection via lexicon
randomization". A word's hash says whether a lexicon has it, so that none need be stored.
"""

from __future__ import annotations

from typing import Final

import xxhash

from neardup.model.settings import WORDS_KEPT_BELOW

MOST: Final = 1_000
"""Lexicon i of seed s hashes words with 1,000 s + i: with more, two seeds would have lexicons in common."""


def keeps(word: str, lexicon: int, seed: int = 0) -> bool:
    """Whether that lexicon of a seed has the word; those of seed 0 are the product's. `lexicon` is below `MOST`.

    >>> [keeps("rose", lexicon) for lexicon in range(6)]
    [True, False, False, False, True, True]
    """
    return not lexicon or xxhash.xxh64_intdigest(word.encode(), MOST * seed + lexicon) < WORDS_KEPT_BELOW
