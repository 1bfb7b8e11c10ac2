"""Sentence lengths: a text as the sequence of the numbers of words of its sentences, compared by sliding windows.

Chang & Wang (2007), "Organizing news archives by near-duplicate copy detection in digital libraries", section 3. The
feature string of a text has a number a sentence; a feature vector is `ws` numbers in a row, taken at every `sw`-th
place of an indexed text (static jumping) and at every place of a query; dynamic jumping leaves out vectors amid
repetition.
Two texts are copies if `t` vectors in a row match, so at least ws + sw (t - 1) sentences; answers are ranked by the
number of matched vectors.

Departures and what the paper leaves open: the beginning and the end of a text are delimiters too; a sentence without a
word is none; all vectors weigh 1 in the ranking (the paper's sum is weighted, its weights are not given); with dynamic
jumping, vectors "in a row" are so among those that were not left out. The paper names "." and "!" and not
its whole set of delimiters: by its own figures it counted some 12 words a sentence of news, between the 16 of
`SENTENCE_MARKS` and the 9 that commas, colons and semicolons leave on newswire of the same time.
"""

from __future__ import annotations

import functools
import re
from array import array
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from itertools import pairwise
from typing import ClassVar, NamedTuple

from neardup.baselines.base import YES_NO, Method
from neardup.baselines.words import words

FeatureString = tuple[int, ...]

SENTENCE_MARKS = ".!?…。！？．｡؟۔।॥።"
"""What ends a sentence, wherever it stands: "3.14" is two."""
LONGEST = 65_535
"""A vector keeps two bytes a sentence; longer ones count as this long."""
DOCUMENT_ID_BYTES = 4


def feature_string(text: str, delimiters: str = SENTENCE_MARKS) -> FeatureString:
    """The number of words of each sentence of `text`, a sentence being what lies between two delimiters.

    >>> feature_string("One, two. Three four five! 6")
    (2, 3, 1)
    """
    counts = (len(words(sentence)) for sentence in _delimiter_re(delimiters).split(text))
    return tuple(min(count, LONGEST) for count in counts if count)


@functools.cache
def _delimiter_re(delimiters: str) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(delimiters)}]+")


def least_matching_length(ws: int, sw: int, t: int) -> int:
    """Sentences that t matched vectors in a row cover: equation (1) of the paper.

    >>> least_matching_length(8, 1, 9), least_matching_length(16, 2, 1)
    (16, 16)
    """
    return ws + sw * (t - 1)


def positions(string: FeatureString, ws: int, sw: int, *, dynamic: bool = False) -> list[int]:
    """Where the vectors of an indexed feature string begin: every `sw`-th one, some left out if `dynamic`.

    Left out is a position whose leading `sw` numbers equal both the `sw` before it and the `sw` after them.
    """
    return [
        at
        for at in range(0, len(string) - ws + 1, sw)
        if not dynamic
        or at < sw
        or not string[at - sw : at] == string[at : at + sw] == string[at + sw : at + 2 * sw]
    ]


def vectors(string: FeatureString, ws: int, sw: int = 1) -> list[FeatureString]:
    """The feature vectors of an indexed feature string, in order.

    >>> vectors((0, 1, 2, 3, 4, 5, 6), 4, 2)
    [(0, 1, 2, 3), (2, 3, 4, 5)]
    """
    return [string[at : at + ws] for at in positions(string, ws, sw)]


class LengthMatch(NamedTuple):
    """A document, and how many of its vectors the query matches."""

    document: int
    matched: int


class LengthIndex:
    """The feature database: which vector occurs in which documents, and where. Documents are numbered from 0 on."""

    def __init__(self, ws: int, sw: int = 1, *, dynamic: bool = False) -> None:
        self.ws, self.sw, self.dynamic = ws, sw, dynamic
        self.documents = self.records = 0
        self._holders: defaultdict[bytes, list[tuple[int, int, int]]] = defaultdict(list)

    def add(self, string: FeatureString) -> None:
        """Adds the vectors of the next document; `records` counts them (the paper's "index number")."""
        packed = array("H", string).tobytes()
        for number, at in enumerate(positions(string, self.ws, self.sw, dynamic=self.dynamic)):
            vector = packed[2 * at : 2 * (at + self.ws)]
            self._holders[vector].append((self.documents, number, at))
            self.records += 1
        self.documents += 1

    def size(self) -> int:
        """Bytes of the paper's (feature vector, document) records."""
        return self.records * (2 * self.ws + DOCUMENT_ID_BYTES)

    def search(self, query: FeatureString, t: int = 1) -> list[LengthMatch]:
        """Every document that the query matches in `t` vectors in a row, by vectors matched, then in order.

        A vector that occurs n times in the query and m times in a document counts n m times: texts that repeat
        themselves take long.
        """
        packed = array("H", query).tobytes()
        # matches of one document with one displacement lie in a row if the numbers of its vectors do
        rows: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for at in range(len(query) - self.ws + 1):
            vector = packed[2 * at : 2 * (at + self.ws)]
            for doc, number, there in self._holders.get(vector, ()):
                rows[doc, there - at].append(number)
        matched: defaultdict[int, int] = defaultdict(int)
        for (doc, _), numbers in rows.items():
            matched[doc] += sum(length for length in _consecutive_lengths(numbers) if length >= t)
        matches = [LengthMatch(doc, count) for doc, count in matched.items() if count]
        return sorted(matches, key=lambda one: (-one.matched, one.document))


def _consecutive_lengths(numbers: list[int]) -> Iterator[int]:
    """How long each stretch of consecutive numbers of an ascending list is."""
    begin = 0
    for at, (one, other) in enumerate(pairwise(numbers), 1):
        if other != one + 1:
            yield at - begin
            begin = at
    yield len(numbers) - begin


class SentenceLengths(Method[FeatureString]):
    """Yes if `t` feature vectors of `ws` sentences in a row match, whichever of the two texts is the indexed one.

    A text of fewer than ws + sw (t - 1) sentences has no feature: it can be nobody's copy. Equal feature strings match
    even where dynamic jumping leaves out too many of their vectors.
    """

    paper: ClassVar[str] = "Chang & Wang 2007, section 3"

    def __init__(
        self, ws: int = 8, sw: int = 1, t: int = 1, *, dynamic: bool = False, delimiters: str = SENTENCE_MARKS
    ) -> None:
        if min(ws, sw, t) < 1:
            raise ValueError(f"ws = {ws}, sw = {sw}, t = {t}: each must be 1 or more")
        jumping = ", dynamic" if dynamic else ""
        marks = "" if delimiters == SENTENCE_MARKS else f", delimiters={delimiters!r}"
        self.name = f"sentence lengths(ws={ws}, sw={sw}, t={t}{jumping}{marks})"
        self.thresholds = YES_NO
        self.ws, self.sw, self.t, self.dynamic, self.delimiters = ws, sw, t, dynamic, delimiters

    def sign(self, text: str) -> FeatureString:
        """The feature string of `text`, empty if it is too short to match anything."""
        string = feature_string(text, self.delimiters)
        return string if len(string) >= least_matching_length(self.ws, self.sw, self.t) else ()

    def score(self, a: FeatureString, b: FeatureString) -> float:
        """1 if either text, indexed, is found by the other as the query; else 0."""
        if not a or not b:
            return 0.0
        return float(a == b or self._finds(a, b) or self._finds(b, a))

    def keys(self, signature: FeatureString, threshold: float) -> Iterable[Hashable]:  # noqa: ARG002
        """Its vectors at every place: a match is a vector of both."""
        return set(vectors(signature, self.ws))

    def size(self, signature: FeatureString) -> int:
        """Bytes of its vectors, two a sentence, and of a document id with each."""
        indexed = len(positions(signature, self.ws, self.sw, dynamic=self.dynamic))
        return indexed * (2 * self.ws + DOCUMENT_ID_BYTES)

    def _finds(self, indexed: FeatureString, query: FeatureString) -> bool:
        index = LengthIndex(self.ws, self.sw, dynamic=self.dynamic)
        index.add(indexed)
        return bool(index.search(query, self.t))
