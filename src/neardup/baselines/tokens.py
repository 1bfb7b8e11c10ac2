"""What the methods take their features from: normal form, q-grams, shingles, sentences; features as 64-bit keys.

The definitions are the project's own, so that no difference between two methods is one of cleaning text: normal form
and q-grams by its kernels, words and sentences by `baselines/words.py`. A key is an xxh64: two of the million
different shingles of a collection collide once in 37 million collections.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from neardup.baselines import words as wording
from neardup.model.document import encode_text
from neardup.model.settings import Recipe
from neardup.signing.signer import Signer

Keys = NDArray[np.uint64]
Counts = NDArray[np.int64]

_STOPWORDS = """
a about above after again against all also although am among an and another any anyone anything are around as at
away back be became because become been before behind being below between both but by came can cannot could did
do does doing done down during each either else enough etc even ever every everyone everything few first for
from further get gets give go goes going got had has have having he her here hers herself him himself his how
however i if in indeed instead into is it its itself just last least less let like made make makes many may me
might mine more most much must my myself neither never no nobody none nor not nothing now of off often on once
one only onto or other others otherwise our ours ourselves out over own per perhaps put quite rather said same
say says see seem seemed seems several shall she should since so some someone something sometimes still such
than that the their theirs them themselves then there therefore these they thing things this those though
through thus to together too toward towards two under until up upon us use used very was we well went were what
whatever when where whether which while who whole whom whose why will with within without would yet you your
yours yourself yourselves
"""
STOPWORDS = frozenset(_STOPWORDS.split())
"""English words that say how, not what. The papers use such lists and name none of them."""


def distinct(keys: Keys) -> Keys:
    """The different ones of `keys`, ascending; read-only. By sort and flag: np.unique takes ten times as long."""
    ordered = np.sort(keys)
    kept: Keys = ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered
    kept.setflags(write=False)
    return kept


class Bag(NamedTuple):
    """Features and how often each occurs: `keys` ascending, each once."""

    keys: Keys
    counts: Counts

    @classmethod
    def of(cls, keys: Keys) -> Bag:
        """The bag of `keys`, repeated ones counted."""
        ordered = np.sort(keys)
        first = (
            np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
            if len(ordered)
            else np.empty(0, np.int64)
        )
        counts = np.diff(np.append(first, len(ordered)))
        kept = ordered[first]
        kept.setflags(write=False)
        counts.setflags(write=False)
        return cls(kept, counts)

    @property
    def total(self) -> int:
        """How many occurrences there are."""
        return int(self.counts.sum())


def keys_of(tokens: Iterable[str]) -> Keys:
    """The key of each of `tokens`, in their order."""
    return np.array([xxhash.xxh64_intdigest(token.encode()) for token in tokens], np.uint64)


# -- normal form and q-grams -----------------------------------------------------------------------


@functools.cache
def _signer(q: int) -> Signer:
    return Signer(Recipe(q=q))  # the product keeps eight signers at most; a sweep of q needs them all


def normal_form(text: str) -> bytes:
    """The normal form of `text` in UTF-8."""
    return _signer(4).sign([encode_text(text)]).text(0)


def qgrams(text: str, q: int, *, as_it_stands: bool = False) -> Keys:
    """The keys of the set of q-grams of the normal form of `text`, or of `text` itself, ascending.

    A string shorter than q stands for itself: two such are copies if they are equal, as by the project's doc_q.
    """
    signer = _signer(q)
    batch = signer.sign([encode_text(text)], normal=as_it_stands)
    form = batch.text(0)
    keys = signer.key_sets(batch)[0]
    return distinct(keys if len(keys) or not form else keys_of([form.decode()]))


# -- words -----------------------------------------------------------------------------------------


def shingles(text: str, width: int) -> Keys:
    """The keys of all sequences of `width` words of `text`, in its order, repeated ones too; none of fewer words."""
    all_words = wording.words(text)
    return keys_of([" ".join(all_words[at : at + width]) for at in range(len(all_words) - width + 1)])


def sentences(text: str) -> Keys:
    """The keys of the sentences of `text` as sequences of words, in its order, repeated ones too."""
    return keys_of([" ".join(sentence) for sentence in wording.sentences(text)])
