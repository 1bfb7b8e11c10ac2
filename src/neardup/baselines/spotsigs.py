"""SpotSigs: chains of content words that follow a frequent word, compared as bags.

Theobald, Siddharth & Paepcke (2008), "SpotSigs: robust and efficient near duplicate detection in large web
collections". Signatures: at each antecedent a(d, c), the chain of the c words found by going d
content words further each time. Similarity: the Jaccard coefficient of bags, sum of minima over sum of
maxima. Matching: bags are partitioned by their size so that copies lie in the same or in adjacent
partitions; in a partition, an inverted index whose lists are ordered by size, read from the shortest list on, and
left as soon as what has been read shows that no further document can be a copy.

Departures: the antecedents are the articles and the forms of be, can, will, have and do, reported as the paper's best;
stop words are a list of our own, English, and antecedents are skipped in chains too. A chain that the text ends
within is left out. No filter by the idf of signatures: `spot_program.py` has it, with the rest of the authors'
program. Documents are added as they arrive, so both neighbours of a partition are searched, where the paper goes
through a finished collection from one end.
"""

from __future__ import annotations

import bisect
import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import ClassVar

from neardup.baselines.base import Index, Method
from neardup.baselines.tokens import STOPWORDS, Bag, keys_of
from neardup.baselines.words import words
from neardup.kernels.counting import overlap

_ANTECEDENTS = """
a an the
be am is are was were been being
can could will would
have has had having
do does did doing done
"""
ANTECEDENTS = frozenset(_ANTECEDENTS.split())


class SpotSigs(Method[Bag]):
    """Bags of spot signatures: chains of `chain` words, `distance` content words apart."""

    paper: ClassVar[str] = "Theobald, Siddharth & Paepcke 2008"
    thresholds = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

    def __init__(
        self,
        distance: int = 1,
        chain: int = 2,
        *,
        antecedents: frozenset[str] = ANTECEDENTS,
        name: str | None = None,
    ) -> None:
        if distance < 1 or chain < 1 or not antecedents:
            raise ValueError(
                f"distance = {distance}, chain = {chain} and {len(antecedents)} antecedents: each must be 1 or more"
            )
        self.name = name or f"SpotSigs(distance={distance}, chain={chain})"
        self.distance, self.chain, self.antecedents = distance, chain, antecedents

    def chains(self, text: str) -> list[str]:
        """The spot signatures of `text` in its order, as "antecedent:word:word"."""
        all_words = words(text)
        content = [word for word in all_words if not self._skipped(word)]
        spots = []
        before = 0  # content words so far
        for word in all_words:
            if word in self.antecedents:
                last = before + self.distance * self.chain - 1
                if last < len(content):
                    chosen = content[before + self.distance - 1 : last + 1 : self.distance]
                    spots.append(":".join([word, *chosen]))
            before += not self._skipped(word)
        return spots

    def _skipped(self, word: str) -> bool:
        return word in STOPWORDS or word in self.antecedents

    def sign(self, text: str) -> Bag:
        """The bag of spot signatures."""
        return Bag.of(keys_of(self.chains(text)))

    def score(self, a: Bag, b: Bag) -> float:
        """The Jaccard coefficient of the bags; 0 where one is empty."""
        shared = int(overlap(a.keys, a.counts, b.keys, b.counts))
        return shared / (a.total + b.total - shared) if shared else 0.0

    def keys(self, signature: Bag, threshold: float) -> Iterable[Hashable]:  # noqa: ARG002 - the index knows better
        """The signatures."""
        return map(int, signature.keys)

    def index(self, threshold: float) -> Index[Bag]:
        """Partitions of inverted lists."""
        return SpotIndex(self, threshold)

    def size(self, signature: Bag) -> int:
        """12 bytes a signature: key and count."""
        return 12 * len(signature.keys)


Lists = defaultdict[int, list[tuple[int, int]]]
"""For each signature of a partition, the (-size, doc) of the bags that hold it: largest first."""


class SpotIndex(Index[Bag]):
    """Bags by size and signature. Lossless: nothing is passed over whose score could still reach the threshold."""

    def __init__(self, method: SpotSigs, threshold: float) -> None:
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold is {threshold}: partitions need one above 0, up to 1")
        self._method, self._threshold = method, threshold
        self._bags: list[Bag] = []
        self._bounds = [1]
        self._partitions: defaultdict[int, Lists] = defaultdict(lambda: defaultdict(list))
        self.compared = 0

    def partition(self, size: int) -> int:
        """Which partition a bag of `size` belongs to.

        A partition ends before the first size that its smallest is too small for; so sizes two partitions apart never
        belong to copies, because no score is above the ratio of the sizes.
        """
        while self._bounds[-1] <= size:
            smallest = self._bounds[-1]
            end = max(smallest + 1, math.floor(smallest / self._threshold))
            while smallest / end >= self._threshold:
                end += 1
            self._bounds.append(end)
        return bisect.bisect_right(self._bounds, size) - 1

    def add(self, signature: Bag) -> None:
        """Adds the next bag to the lists of its partition."""
        doc = len(self._bags)
        self._bags.append(signature)
        if not len(signature.keys):
            return
        size = signature.total
        lists = self._partitions[self.partition(size)]
        for key in signature.keys.tolist():
            bisect.insort(lists[key], (-size, doc))

    def matches(self, signature: Bag) -> Iterator[tuple[int, float]]:
        """All bags at or above the threshold."""
        if not len(signature.keys):
            return
        middle = self.partition(signature.total)
        for partition in range(middle - 1, middle + 2):
            if partition in self._partitions:
                yield from self._in_partition(self._partitions[partition], signature)

    def _in_partition(self, lists: Lists, signature: Bag) -> Iterator[tuple[int, float]]:
        """The copies in one partition, by its shortest lists first.

        `passed` occurrences belong to lists already read: a bag not met in any of those lacks them all.
        """
        size, passed = signature.total, 0
        spots = zip(signature.keys.tolist(), signature.counts.tolist(), strict=True)
        seen: set[int] = set()
        for _, key, count in sorted((len(lists.get(key, ())), key, count) for key, count in spots):
            if (size - passed) / size < self._threshold:
                return
            for negative, doc in lists.get(key, ()):
                other = -negative
                if other / size < self._threshold:
                    break  # those that follow are smaller still
                best = min(size - passed, other) / max(size, other + passed)
                if best < self._threshold or doc in seen:
                    continue
                seen.add(doc)
                self.compared += 1
                score = self._method.score(signature, self._bags[doc])
                if score >= self._threshold:
                    yield doc, score
            passed += count
