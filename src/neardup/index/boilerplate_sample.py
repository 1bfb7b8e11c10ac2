"""Boilerplate from documents: the pieces that recur in many documents of a source that are not copies of one another.

A copy repeats the sentences of its original, so counting all documents would make boilerplate of a story that is there
ten times. Only *independent* documents are counted (docs/definitions.md, Boilerplate): those with a text of their own
beside what recurs, where copies of one another count as one.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.index.posting_lists import PostingLists
from neardup.kernels.counting import count_all
from neardup.model.boilerplate import LEAST, SAMPLE, Boilerplate, SourceBoilerplate, name_of, pieces, without
from neardup.model.clock import now_ms
from neardup.model.document import encode_text
from neardup.model.random_sample import RandomSample
from neardup.model.settings import Recipe, check_whole
from neardup.model.times import format_time
from neardup.signing.signer import Signer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from neardup.signing.signature import Keys, Offsets

OWN: Final = 100
"""A document counts only if it has at least this many distinct q-grams beside what recurs."""
Q: Final = 8
"""With q = 4, a long text has most q-grams of any short text in its language; with 8, only a tenth of them."""
COPIED: Final = 3
"""A document is a copy if another document has one part in this many of its own q-grams."""


def boilerplate_of(
    documents: Iterable[tuple[str, str]], *, least: int = LEAST, size: int = SAMPLE
) -> Boilerplate:
    """The pieces that at least `least` independent documents of a source have, among `size` drawn at random, by source.

    `documents` are pairs (source, text). About 1 ms for each drawn document of 4 KB, 6 ms for 20 KB; their texts are
    held in memory. Sources without boilerplate are left out. Raises `ValueError` for an unpaired surrogate,
    `SettingsError` if `least` is below 2 or `size` below `least`.
    """
    check_whole("least", least, 2)
    check_whole("sample", size, least)
    signer = Signer(Recipe(q=Q))
    chance = random.Random(0)  # noqa: S311 - a sample, not a secret
    samples: dict[str, RandomSample[str]] = defaultdict(lambda: RandomSample(size, chance))
    for source, text in documents:
        samples[source].add(text)
    by_source = {}
    for source, sample in samples.items():
        texts = sample.drawn
        recurring = _recurring(texts, least, signer) if len(texts) >= least else {}
        if recurring:
            by_source[source] = SourceBoilerplate(len(texts), recurring)
    return Boilerplate(by_source, format_time(now_ms() // 1_000 * 1_000))


def _recurring(texts: Sequence[str], least: int, signer: Signer) -> dict[str, int]:
    """The boilerplate of texts of one source: for the name of each piece, how many of the texts have it."""
    named = [{name_of(text[start:end]) for start, end in pieces(text)} - {""} for text in texts]
    counts = Counter(name for names in named for name in names)
    frequent = frozenset(name for name, count in counts.items() if count >= least)
    if not frequent:
        return {}
    rests = [without(text, frequent).rest(text) for text in texts]
    usual = {name for name in frequent if 2 * counts[name] >= len(texts)}
    origin = _origins(texts, rests, [_is_mostly_own(names, frequent, usual) for names in named], signer)
    independent: dict[str, set[int]] = defaultdict(set)
    for at, names in enumerate(named):
        if at in origin:
            for name in names & frequent:
                independent[name].add(origin[at])
    return {name: counts[name] for name, origins in independent.items() if len(origins) >= least}


def _is_mostly_own(names: set[str], frequent: frozenset[str], usual: set[str]) -> bool:
    """Whether a text has at least as many characters of its own as in pieces that recur, but not in half of all texts:
    a text that occurs many times, each time with a few words added, is still a copy.
    """
    own = sum(len(name) for name in names - frequent)
    return own >= sum(len(name) for name in (names & frequent) - usual)


def _origins(
    texts: Sequence[str], rests: Sequence[str], mostly_own: Sequence[bool], signer: Signer
) -> dict[int, int]:
    """For each text with enough of its own beside what recurs (`rests`), its origin: the first of all texts that are
    copies of it, directly or through other copies.
    """
    whole, own = _key_sets(texts, signer), _key_sets(rests, signer)
    sizes = np.diff(own[1])
    speaking = [at for at in range(len(texts)) if mostly_own[at] and sizes[at] >= OWN]
    origin = {at: at for at in speaking}

    def root(at: int) -> int:
        while origin[at] != at:
            origin[at] = at = origin[origin[at]]
        return at

    for at, other in _copies(own, whole, speaking):
        if other in origin:
            low, high = sorted((root(at), root(other)))
            origin[high] = low
    return {at: root(at) for at in speaking}


def _key_sets(texts: Sequence[str], signer: Signer) -> tuple[Keys, Offsets]:
    """The distinct q-grams of every text, one after another, and n + 1 offsets."""
    return signer.key_sets(signer.sign([encode_text(text) for text in texts]))


def _copies(
    own: tuple[Keys, Offsets], whole: tuple[Keys, Offsets], speaking: Sequence[int]
) -> Iterable[tuple[int, int]]:
    """Pairs (text, another text that has at least a third of the first one's own q-grams)."""
    count = len(whole[1]) - 1
    lists = PostingLists()
    lists.add(*whole, np.arange(count))
    for at in speaking:
        mine, shared = own[0][own[1][at] : own[1][at + 1]], np.zeros(count, np.int32)
        count_all(*lists.arrays[:2], mine, shared)
        for other in np.flatnonzero(COPIED * shared >= len(mine)).tolist():
            if other != at:
                yield at, other
