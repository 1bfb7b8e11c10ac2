"""A lexicon from documents: draws a sample of a collection, and counts its words and q-grams."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from neardup.errors import SettingsError
from neardup.model.document import encode_text
from neardup.model.random_sample import RandomSample
from neardup.model.settings import Recipe
from neardup.signing.signer import Signer
from neardup.tables.lexicon import Lexicon, LexiconBuilder

if TYPE_CHECKING:
    from collections.abc import Iterable


class EmptySample(SettingsError):
    """There was no text to make the lexicon `name` from: it would know no word and no q-gram."""

    def __init__(self, name: str) -> None:
        super().__init__(name, 0, "made of documents")
        self.args = (name,)  # what pickle calls this class with

    def __str__(self) -> str:
        return (
            f"lexicon {self.name}: there is no document to build it from: give files with texts, or name their text "
            "field by --text-field"
        )


def sampled(texts: Iterable[str], size: int) -> tuple[list[str], int]:
    """(`size` of the texts, drawn at random, or all if there are fewer; how many texts there were). Repeatable."""
    sample = RandomSample[str](size, random.Random(0))  # noqa: S311 - a sample, not a secret
    for text in texts:
        sample.add(text)
    return sample.drawn, sample.seen


def lexicon_of(texts: Iterable[str], *, name: str, q: int = 4, fold_case: bool = False) -> Lexicon:
    """The lexicon of these texts, called `name`; the order of texts does not matter. Each takes about 0.1 ms and no
    memory.

    Raises `ValueError` for a text with an unpaired surrogate, `SettingsError` for a `q` outside 1 to 16, `EmptySample`
    if there is no text.

    >>> lexicon_of(["Rain at noon.", "Rain at dusk.", "Snow."], name="weather").documents
    3
    """
    signer = Signer(Recipe(q=q, fold_case=fold_case))
    builder = LexiconBuilder(q=q, fold_case=fold_case, name=name)
    for text in texts:
        builder.add(*signer.lexicon_keys(encode_text(text)))
    if not builder.documents:
        raise EmptySample(name)
    return builder.build()
