"""The contract of a method of the papers: sign a text, compare two signatures, find those worth comparing.

A method is one paper in one file. It subclasses `Method`, which gives it the defaults written here; `registry.py`
knows it by name. What every method must keep is tested for all of them in `tests/unit/baselines/test_laws.py`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import ClassVar, Protocol, TypeVar

S = TypeVar("S")
"""What a method's `sign` gives: an immutable value that can be pickled."""
S_contra = TypeVar("S_contra", contravariant=True)

YES_NO = (1.0,)
"""The thresholds of a method that says only yes or no."""


class Index(Protocol[S_contra]):
    """The signatures added so far, numbered 0, 1, 2 … in that order.

    An index that can tell also has `compared`: how many pairs it looked at so far.
    """

    @abstractmethod
    def add(self, signature: S_contra) -> None:
        """Adds the next signature."""

    @abstractmethod
    def matches(self, signature: S_contra) -> Iterator[tuple[int, float]]:
        """(doc, score) of every signature added that `same` calls a copy of this one, each once, in any order.

        All of them, unless the method's docstring says what it loses.
        """


class Method(Protocol[S]):
    """One way to tell whether two texts are near-duplicates.

    name        unique and readable, with the parameters that shape it: "doc_q(q=4)"
    paper       authors, year, section: what is implemented
    thresholds  the sweep that makes sense for its scores, ascending; `YES_NO` for a method that only decides

    Laws: `score` is symmetric; two texts with equal non-empty features score 1; a text without any feature (empty, or
    all filtered away) is nobody's copy: it scores 0, even with its like. A method without `learn`ed statistics that
    needs them raises `ValueError` on `sign`.
    """

    name: str
    paper: ClassVar[str]
    thresholds: tuple[float, ...]

    def learn(self, texts: Iterable[str]) -> None:
        """Takes collection statistics from `texts`, forgetting earlier ones; reads nothing for a method without."""
        del texts

    @abstractmethod
    def sign(self, text: str) -> S:
        """The signature of `text`."""

    @abstractmethod
    def score(self, a: S, b: S) -> float:
        """How similar two signatures are, from 0 to 1; 1 or 0 where the paper only says yes or no."""

    def same(self, a: S, b: S, threshold: float) -> bool:
        """Whether the paper calls them copies at this threshold."""
        return self.score(a, b) >= threshold

    def keys(self, signature: S, threshold: float) -> Iterable[Hashable] | None:  # noqa: ARG002
        """What two signatures that are the `same` at `threshold` (or above it) have at least one of in common.

        None: nothing can be said of this one, compare it with all. Lossless, unless the method's docstring says what
        it loses.
        """
        return None

    def index(self, threshold: float) -> Index[S]:
        """An empty index that finds whatever is the `same` at `threshold`."""
        return KeyIndex(self, threshold)

    @abstractmethod
    def size(self, signature: S) -> int:
        """Bytes that an index would hold for `signature`."""


class KeyIndex(Index[S]):
    """Candidates share a key; each is compared. The index of every method that has no better one."""

    def __init__(self, method: Method[S], threshold: float) -> None:
        self._method, self._threshold = method, threshold
        self._signatures: list[S] = []
        self.compared = 0
        self._holders: defaultdict[Hashable, list[int]] = defaultdict(list)
        self._keyless: list[int] = []

    def add(self, signature: S) -> None:
        """Adds the next signature under each of its keys."""
        keys = self._method.keys(signature, self._threshold)
        if keys is None:
            self._keyless.append(len(self._signatures))
        for key in set(keys or ()):
            self._holders[key].append(len(self._signatures))
        self._signatures.append(signature)

    def matches(self, signature: S) -> Iterator[tuple[int, float]]:
        """Compares whatever shares a key, or everything where the method has no keys."""
        for doc in self._candidates(signature):
            other = self._signatures[doc]
            self.compared += 1
            if self._method.same(signature, other, self._threshold):
                yield doc, self._method.score(signature, other)

    def _candidates(self, signature: S) -> Iterable[int]:
        keys = self._method.keys(signature, self._threshold)
        if keys is None:
            return range(len(self._signatures))
        docs = {doc for key in keys for doc in self._holders.get(key, ())}
        return sorted(docs.union(self._keyless))
