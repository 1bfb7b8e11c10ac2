"""The description of a window in a directory, `window.json`: format, recipe, and the settings that the window
remembers.

The file has a checksum and a copy beside it, because nothing else in the window can be used without the recipe.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import xxhash

from neardup.errors import SettingsError, WindowDamaged, WindowOutdated
from neardup.model.settings import REMEMBERED, REMEMBERED_IF_GIVEN, Recipe, Settings
from neardup.stores.lock import write_flushed
from neardup.stores.window_directory import COPY, DESCRIPTION, holds_window

if TYPE_CHECKING:
    from pathlib import Path

FORMAT: Final = 2
_FIELDS: Final = {"recipe": str, "recipe_fields": dict, "own_lexicon": bool, "settings": dict}


class Description(NamedTuple):
    """The contents of `window.json`; all of it is empty for a new window. `own_lexicon`: `window.lexicon` exists."""

    recipe: str
    recipe_fields: Mapping[str, Any]
    own_lexicon: bool
    settings: dict[str, Any]

    @property
    def is_new(self) -> bool:
        """Whether there is no window yet."""
        return not self.recipe

    @property
    def salt_mark(self) -> str:
        """The mark of the window's salt in the recipe string; empty if it has none."""
        return mark_in(self.recipe)

    @property
    def boilerplate_mark(self) -> str:
        """The mark of the window's boilerplate table in the recipe string; empty if it has none."""
        return self.recipe.partition(":strip-")[2].partition(":")[0]


def mark_in(recipe: str) -> str:
    """The mark of the salt in a recipe string (`model.recipe_files.salt_mark`); empty if it has none."""
    return recipe.partition(":salt-")[2]


def read_description(directory: Path, *, copy: bool = False) -> Description:
    """The description of the window in `directory`, or with `copy` that in its copy; an empty one if there is no
    window.

    Raises `WindowDamaged` if it is not what was written, `WindowOutdated` if an earlier version has written it.
    """
    known = _read(directory, DESCRIPTION + COPY if copy else DESCRIPTION)
    if known is None:
        return Description("", {}, False, {})
    return Description(known["recipe"], known["recipe_fields"], known["own_lexicon"], known["settings"])


def settings_of(directory: Path, description: Description) -> Settings:
    """The settings stored by the last writer; the defaults for a new window."""
    left = description.settings
    try:
        names = [*(() if description.is_new else REMEMBERED), *(n for n in REMEMBERED_IF_GIVEN if n in left)]
        return Settings(**{name: left[name] for name in names})
    except (KeyError, TypeError, SettingsError) as error:
        file = directory / DESCRIPTION
        raise WindowDamaged(file, f"settings with {error}", "settings that a writer left") from error


def describe(directory: Path, remembered: Mapping[str, Any], recipe: Recipe, recipe_text: str) -> None:
    """Writes the description of a window, whole or not at all."""
    fields = asdict(recipe)
    # The window has its own copies of these files (stores/window_directory.py).
    del fields["lexicon"], fields["salt"], fields["boilerplate"]
    known = {"format": FORMAT, "recipe": recipe_text, "recipe_fields": fields}
    _write(directory, known | {"own_lexicon": recipe.lexicon is not None, "settings": dict(remembered)})


def remember(directory: Path, remembered: Mapping[str, Any]) -> None:
    """Replaces the remembered settings in the description of a window, whole or not at all."""
    known = _read(directory, DESCRIPTION)
    if known is None:
        raise WindowDamaged(directory / DESCRIPTION, "no such file", "that of this window", directory)
    _write(directory, known | {"settings": dict(remembered)})


def _read(directory: Path, name: str) -> dict[str, Any] | None:
    """The contents of the file, without its checksum; None if there is no window."""
    file = directory / name
    try:
        known = json.loads(file.read_bytes())
    except FileNotFoundError:
        if holds_window(directory):
            raise WindowDamaged(directory, f"no {name}", f"a {name} with the rest", directory) from None
        return None
    except (ValueError, RecursionError) as error:
        raise WindowDamaged(file, str(error), "JSON", directory) from None
    if not isinstance(known, dict) or known.get("format") != FORMAT:
        stored_format = known.get("format") if isinstance(known, dict) else known
        if stored_format == 1 and isinstance(known, dict) and "checksum" not in known:
            raise WindowOutdated(directory, stored_format)
        expected = f"format {FORMAT}, the one this version reads"
        raise WindowDamaged(file, f"format {stored_format!r}", expected, directory)
    whole = known.pop("checksum", None) == _checksum(known)
    if not whole or not all(isinstance(known.get(name), kind) for name, kind in _FIELDS.items()):
        raise WindowDamaged(file, "a description that fails its check", "what was written", directory)
    return known


def _write(directory: Path, known: Mapping[str, Any]) -> None:
    """Writes window.json and its copy, flushed to disk, each whole or not at all, unless they hold the same already."""
    data = json.dumps({**known, "checksum": _checksum(known)}, indent=1).encode()
    for name in (DESCRIPTION, DESCRIPTION + COPY):
        file = directory / name
        if not file.exists() or file.read_bytes() != data:
            draft = directory / f"{DESCRIPTION}.new"
            write_flushed(draft, data)
            draft.replace(file)


def _checksum(known: Mapping[str, Any]) -> str:
    return xxhash.xxh3_64_hexdigest(json.dumps(known, sort_keys=True).encode())
