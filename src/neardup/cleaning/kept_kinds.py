"""Copies by their kinds (docs/definitions.md, Kinds): which stay although doc_q is at or above the threshold, and how
many of those removed are not plain copies.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.errors import SettingsError
from neardup.kinds.kind import labels_of
from neardup.model.document import encode_text
from neardup.model.random_sample import RandomSample
from neardup.model.source import source_of
from neardup.signing.counted_part import CountedPart

if TYPE_CHECKING:
    from neardup.model.settings import Recipe
    from neardup.model.verdict import KindName

KEEPABLE: Final[tuple[KindName, ...]] = ("form", "quote", "frame", "other")
"""The kinds that may stay: all but plain copies."""
MOST_MATCHES: Final = 20
"""With how many of the kept texts, those most like it, a text is compared for its kind: a thousand forms make half a
million pairs.
"""
HELD_CHARACTERS: Final = 32 << 20
LOOKED_AT: Final = 500

Kinds = frozenset["KindName"]
Goes = Callable[[int, int], bool]
"""Whether a text is removed for an earlier one that stays, both by their numbers."""


def parse_kinds(kinds: Any) -> Kinds:
    """The kinds that stay, from a list or from words between commas; raises `SettingsError` for a kind that cannot
    stay, or for any other value.

    >>> sorted(parse_kinds("form, quote"))
    ['form', 'quote']
    """
    words = kinds.split(",") if isinstance(kinds, str) else kinds
    names = [str(word).strip() for word in words] if isinstance(words, Iterable) else [kinds]
    chosen = frozenset(kind for kind in KEEPABLE if kind in names)
    if not set(names) - {""} <= chosen:
        raise SettingsError("keep_kinds", kinds, f"some of {', '.join(KEEPABLE)}, with commas between them")
    return chosen


def kind_names(pairs: Sequence[tuple[str, str]], *, fold_case: bool) -> list[KindName]:
    """The kind of each pair of texts (neardup.kinds); about 0.1 ms each."""
    texts = [(encode_text(one), encode_text(other)) for one, other in pairs]
    return [label.kind for label in labels_of(texts, fold_case=fold_case)]


def by_kind(kept: Kinds, texts: Sequence[Any], recipe: Recipe) -> Goes:
    """A function that returns whether the kind of a pair of `texts`, given by their numbers, is none of `kept`. Only
    the parts that count are compared; the texts have no known source. Raises as `CountedPart.by`.
    """
    counted = CountedPart.by(recipe)
    if counted.table is not None:
        texts = [counted.left_out(text, None).rest(text) if isinstance(text, str) else text for text in texts]
    return partial(_goes, kept, texts, recipe.fold_case)  # not a closure, because a partial can be pickled


def _goes(kept: Kinds, texts: Sequence[str], fold_case: bool, later: int, earlier: int) -> bool:
    return kind_names([(texts[later], texts[earlier])], fold_case=fold_case)[0] not in kept


def first_to_go(
    text: str, others: Sequence[str], kept: Kinds, *, fold_case: bool
) -> tuple[int | None, KindName | None]:
    """(The place of the first of `others`, best first, for which the text is removed, None if for none of the first
    `MOST_MATCHES`; the kind of that pair, or else of the first pair).
    """
    first: KindName | None = None
    for at, other in enumerate(others[:MOST_MATCHES]):
        (kind,) = kind_names([(text, other)], fold_case=fold_case)
        if kind not in kept:
            return at, kind
        first = first or kind
    return None, first


class Looked(NamedTuple):
    """How many near copies are removed, how many of them were looked at, and the kinds of those."""

    near: int
    looked_at: int
    kinds: Counter[KindName]


class _Owned(NamedTuple):
    """A text and its source."""

    text: str
    source: str


class KindSample:
    """The kinds of a random sample of the near copies that are removed, or of all, if there are no more than
    `LOOKED_AT`; only the parts that count by the recipe are compared.

    As many of the kept texts are held as fit into `HELD_CHARACTERS`: all, or at random one in two, in four …, but none
    that is longer than that by itself; only copies of held texts are drawn. All of it costs less than 0.1 s at the end
    and no time before.
    """

    def __init__(
        self, recipe: Recipe, *, held_characters: int = HELD_CHARACTERS, most: int = LOOKED_AT
    ) -> None:
        self._counted = CountedPart.by(recipe)
        self._fold_case, self._limit = recipe.fold_case, held_characters
        self._held: dict[int, _Owned] = {}
        self._bits = 0
        self._characters = 0
        self._pairs = RandomSample[tuple[_Owned, _Owned]](most, random.Random(17))  # noqa: S311 - equal input, equal answer
        self._near = 0

    def stays(self, number: int, text: str, fields: Any) -> None:
        """Records a text that stays; its `fields` name its source."""
        if len(text) > self._limit or not self._is_held(number):
            return
        self._held[number] = _Owned(text, source_of(fields))
        self._characters += len(text)
        while self._characters > self._limit:
            self._bits += 1
            self._held = {at: each for at, each in self._held.items() if self._is_held(at)}
            self._characters = sum(len(each.text) for each in self._held.values())

    def goes(self, text: str, fields: Any, original: int) -> None:
        """Records a near copy, which is removed, of the text with the number `original`."""
        self._near += 1
        other = self._held.get(original)
        if other is not None:
            self._pairs.add((_Owned(text, source_of(fields)), other))

    def _is_held(self, number: int) -> bool:
        """Whether this text is among the one in 2^bits that are held, by the upper bits of a Fibonacci hash."""
        return (number * 0x9E3779B97F4A7C15 & (1 << 64) - 1) >> 64 - self._bits == 0

    def looked(self) -> Looked:
        """The kinds of the drawn pairs."""
        drawn = [(self._rest(one), self._rest(other)) for one, other in self._pairs.drawn]
        return Looked(
            self._near, len(drawn), Counter(kind_names(drawn, fold_case=self._fold_case) if drawn else ())
        )

    def _rest(self, each: _Owned) -> str:
        return self._counted.left_out(each.text, {"source": each.source}).rest(each.text)
