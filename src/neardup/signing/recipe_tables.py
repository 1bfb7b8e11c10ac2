"""The tables and rules that a signer needs for its recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from neardup.kernels.hashing import splitmix64
from neardup.kernels.sketch import SketchRules
from neardup.kernels.words import WordTables
from neardup.model.recipe_files import unreadable
from neardup.model.settings import WIDE_ABOVE, Recipe
from neardup.signing.counted_part import CountedPart
from neardup.tables import unicode as unicode_table
from neardup.tables.lexicon import QGRAM_SLOTS, UNKNOWN_CLASS, Lexicon

if TYPE_CHECKING:
    from neardup.signing.signature import Keys

_GOLDEN: Final = 0x9E3779B97F4A7C15
_MASK: Final = 0xFFFFFFFFFFFFFFFF


class RecipeTables:
    """The tables of a recipe, read from the files that it names; `text` is the recipe string."""

    def __init__(self, recipe: Recipe) -> None:
        self.lexicon = _lexicon_of(recipe)
        self.text = recipe.text(self.lexicon.id)
        self.counted = CountedPart.by(recipe)
        self.unicode = unicode_table.load()
        self.classes = self.lexicon.qgram_classes
        if self.lexicon.q != recipe.q:
            # Another q gives other keys: their slots would hold frequencies of other q-grams.
            self.classes = np.full(QGRAM_SLOTS, UNKNOWN_CLASS, np.uint8)
        self.rules = sketch_rules(recipe)
        self.words = WordTables(self.lexicon.word_classes, self.lexicon.common_class, self.lexicon.n_class)


def _lexicon_of(recipe: Recipe) -> Lexicon:
    if recipe.lexicon is None:
        return Lexicon.default()
    try:
        return Lexicon.load(recipe.lexicon)
    except OSError as error:
        raise unreadable("lexicon", recipe.lexicon, error) from error


def sketch_rules(recipe: Recipe) -> SketchRules:
    """The numbers that sketches of a recipe depend on (docs/definitions.md, Sketch)."""
    q, limits = recipe.q, recipe.sketch_limits
    close = limits.close
    return SketchRules(
        size=recipe.sketch_size,
        whole=limits.whole,
        also_whole=limits.largest_copy_of(limits.whole),
        wide_above=WIDE_ABOVE,
        also_middle=limits.largest_copy_of(WIDE_ABOVE),
        middle=-(-q // 2) if close else q,
        wide_second=q,
        wide_third=0 if close else 2 * q - 1,
        multipliers=_multipliers(recipe.salt_seed),
    )


def _multipliers(seed: int) -> Keys:
    """The multipliers C1 to C7, which depend on the salt by `seed`."""
    values = [splitmix64((j * _GOLDEN + seed) & _MASK) for j in range(1, 8)]
    return np.array(values, np.uint64) | np.uint64(1)
