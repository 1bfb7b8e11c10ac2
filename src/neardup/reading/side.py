"""One text of a comparison, with the values that are computed from it alone."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from neardup.model.document import text_argument
from neardup.reading.facts import Dated
from neardup.reading.normal_text import normal_text
from neardup.reading.passages import stretch_keys
from neardup.reading.words import Words
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.model.settings import Recipe
    from neardup.reading.normal_text import NormalText


class Side:
    """A `text`, by `recipe`, with the values that are computed from it alone: worth keeping for a text compared with
    many.

    Each property is computed when it is first asked for, in linear time. Raises `TypeError`, which names the argument
    by `name`, if `text` is not a string, and `DocumentError` for an unpaired surrogate.
    """

    def __init__(self, text: str, recipe: Recipe, name: str = "text") -> None:
        text_argument(name, text)
        self.text = text
        self.signer = signer_for(recipe)

    @functools.cached_property
    def words(self) -> Words:
        """The words and signs of the text."""
        return Words(self.text)

    @functools.cached_property
    def dated(self) -> Dated:
        """The words of the text, and which of them are in dates."""
        return Dated(self.words)

    @functools.cached_property
    def normal(self) -> NormalText:
        """The normal form of the text, and where each character of it comes from."""
        return normal_text(self.text, self.signer)

    @functools.cached_property
    def stretches(self) -> NDArray[np.uint64]:
        """The keys of the stretches of the normal form."""
        return stretch_keys(self.normal.form)

    @functools.cached_property
    def ordered_stretches(self) -> NDArray[np.uint64]:
        """The keys of the stretches in ascending order."""
        return np.sort(self.stretches)
