"""A lexicon from documents: the sample of a collection counted into statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.document import encode_text
from neardup.lexicon import Lexicon, LexiconBuilder
from neardup.params import Recipe
from neardup.signature import Signer

if TYPE_CHECKING:
    from collections.abc import Iterable


def lexicon_of(texts: Iterable[str], *, name: str, q: int = 4, fold_case: bool = False) -> Lexicon:
    """The lexicon called `name` of these texts, whose order does not matter; about 0.1 ms and no memory for each.

    Raises `ValueError` for a text with an unpaired surrogate, and `SettingsError` for a `q` that cannot be.

    >>> lexicon_of(["Rain at noon.", "Rain at dusk.", "Snow."], name="weather").documents
    3
    """
    signer = Signer(Recipe(q=q, fold_case=fold_case))
    builder = LexiconBuilder(q=q, fold_case=fold_case, name=name)
    for text in texts:
        builder.add(*signer.lexicon_keys(encode_text(text)))
    return builder.build()
