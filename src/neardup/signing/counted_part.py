"""The part of a text that is signed: the whole text, or the text without the boilerplate of its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

from neardup.model.boilerplate import NOTHING, Boilerplate, LeftOut
from neardup.model.source import source_of
from neardup.signing.boilerplate_file import load

if TYPE_CHECKING:
    from neardup.model.settings import Recipe


class CountedPart(NamedTuple):
    """Selects the part of a text that is signed, by a recipe's boilerplate `table`; None: texts are signed whole."""

    table: Boilerplate | None

    @classmethod
    def by(cls, recipe: Recipe) -> Self:
        """The `CountedPart` of `recipe`. Raises `BoilerplateError` for a file that is no table, `SettingsError` or
        `OSError` if it cannot be read.
        """
        return cls(None if recipe.boilerplate is None else load(recipe.boilerplate))

    def left_out(self, text: str, fields: Any) -> LeftOut:
        """The parts of `text` that are not signed; `fields` name its source (`source_of`)."""
        return NOTHING if self.table is None else self.table.left_out(text, source_of(fields))

    def of(self, text: bytes, fields: Any) -> bytes:
        """The part of `text` that is signed; both in UTF-8."""
        if self.table is None:
            return text
        whole = text.decode()
        left_out = self.left_out(whole, fields)
        return left_out.rest(whole).encode() if left_out.spans else text
