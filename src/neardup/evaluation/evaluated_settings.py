"""The settings that decide which copies neardup itself finds: it is measured with the user's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

from neardup.model.settings import (
    DEFAULT_MAX_CANDIDATES,
    DEFAULT_MAX_LENGTH,
    Recipe,
    Retrieval,
    Settings,
    exact_threshold,
)
from neardup.tables.lexicon import Lexicon

if TYPE_CHECKING:
    from neardup.evaluation.corpus import Corpus


@dataclass(frozen=True)
class EvaluatedSettings:
    """The settings of neardup that an evaluation takes over, under the names that they have in `Settings`.

    The evaluation varies threshold and retrieval itself. It leaves out the settings by which a window forgets (hours,
    budgets, the policy `drop`), because every document is compared with all before it; partial copies, which are not
    duplicates; and settings that never change a verdict.

    gives_reach   whether the recipe's own reach is used at every threshold; else sketches get the reach that a new
                  window of that threshold has

    >>> str(EvaluatedSettings(Recipe(q=5, fold_case=True), min_shared=3)), str(EvaluatedSettings())
    ('q=5, fold_case, min_shared=3', '')
    """

    recipe: Recipe = field(default_factory=Recipe)
    max_length: int = DEFAULT_MAX_LENGTH
    max_candidates: int = DEFAULT_MAX_CANDIDATES
    routes: tuple[str, ...] = ()
    min_shared: int | None = None
    gives_reach: bool = False

    @classmethod
    def of(cls, settings: Settings, *, gives_reach: bool = False) -> Self:
        """The part of `settings` that is taken over."""
        return cls(
            settings.recipe or Recipe(),
            settings.max_length,
            settings.max_candidates,
            tuple(settings.routes),
            settings.min_shared,
            gives_reach,
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The settings that `to_dict` wrote."""
        return cls(**{**values, "recipe": Recipe(**values["recipe"]), "routes": tuple(values["routes"])})

    def to_dict(self) -> dict[str, Any]:
        """Plain values; a lexicon, a salt and a table of boilerplate by their paths."""
        values = asdict(self)
        for name in ("lexicon", "salt", "boilerplate"):
            path = getattr(self.recipe, name)
            values["recipe"][name] = None if path is None else str(path)
        return values

    def settings(self, retrieval: Retrieval, threshold: float) -> Settings:
        """The settings of a window in which every document is compared with all before it, and every copy is listed."""
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "gives_reach"}
        if not self.gives_reach:
            own["recipe"] = self.recipe.reaching(exact_threshold(threshold))
        return Settings(threshold=threshold, retrieval=retrieval, matches=None, window_hours=0, **own)

    def sources_of(self, corpus: Corpus) -> Sequence[str]:
        """The source of each document if boilerplate is left out by source; else (), as a window would store it."""
        return corpus.sources if self.recipe.boilerplate else ()

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Plain values that are equal if the same copies are found; a lexicon counts by its contents, not by its name.

        Raises `LexiconError` or `OSError` for a lexicon that cannot be read, as `str` does.
        """
        rest = (getattr(self, one.name) for one in fields(self) if one.name != "recipe")
        return (self.recipe.text(self._lexicon_id), *rest)

    @cached_property
    def _lexicon_id(self) -> str:
        path = self.recipe.lexicon
        return (Lexicon.default() if path is None else Lexicon.load(path)).id

    def __str__(self) -> str:
        """The settings that differ from the defaults; empty if none does."""
        return ", ".join(self._differences())

    def _differences(self) -> Iterator[str]:
        default = type(self)()
        for mine, its in ((self.recipe, default.recipe), (self, default)):
            for one in fields(mine):
                value = getattr(mine, one.name)
                is_wanted = one.name == "reach" and self.gives_reach
                if one.name in {"recipe", "gives_reach"} or (
                    value == getattr(its, one.name) and not is_wanted
                ):
                    continue
                if one.name == "lexicon":
                    value = self._lexicon_id
                elif isinstance(value, tuple):
                    value = "+".join(value)
                yield one.name if value is True else f"{one.name}={value}"


DEFAULTS: Final = EvaluatedSettings()
