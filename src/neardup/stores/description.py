"""The description of a window in a directory, `window.json`: format, recipe, and the settings that it remembers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.errors import SettingsError, WindowDamaged
from neardup.model.settings import REMEMBERED, REMEMBERED_IF_GIVEN, Recipe, Settings
from neardup.stores.window_directory import DESCRIPTION

if TYPE_CHECKING:
    from pathlib import Path

FORMAT: Final = 1


class Description(NamedTuple):
    """What `window.json` says; all of it is empty for a new window."""

    recipe: str
    recipe_fields: Mapping[str, Any]
    settings: dict[str, Any]

    @property
    def is_new(self) -> bool:
        """Whether there is no window yet."""
        return not self.recipe


def read_description(directory: Path) -> Description:
    """The description of the window in `directory`; raises `WindowDamaged` where it is not what was written."""
    file = directory / DESCRIPTION
    try:
        known = json.loads(file.read_bytes())
    except FileNotFoundError:
        if (directory / "hours").exists():
            raise WindowDamaged(directory, "hours but no window.json", "a window.json beside them") from None
        return Description("", {}, {})
    except ValueError as error:
        raise WindowDamaged(file, str(error), "JSON") from None
    if not isinstance(known, dict) or known.get("format") != FORMAT:
        stored_format = known.get("format") if isinstance(known, dict) else known
        raise WindowDamaged(file, f"format {stored_format!r}", f"format {FORMAT}, the one this version reads")
    if not {"recipe", "recipe_fields", "settings"} <= known.keys():
        raise WindowDamaged(file, f"only {', '.join(sorted(known))}", "recipe, recipe_fields and settings")
    return Description(known["recipe"], known["recipe_fields"], known["settings"])


def settings_of(directory: Path, description: Description) -> Settings:
    """The settings that the last writer left; the defaults for a new window."""
    left = description.settings
    try:
        names = [*(() if description.is_new else REMEMBERED), *(n for n in REMEMBERED_IF_GIVEN if n in left)]
        return Settings(**{name: left[name] for name in names})
    except (KeyError, TypeError, SettingsError) as error:
        file = directory / DESCRIPTION
        raise WindowDamaged(file, f"settings with {error}", "settings that a writer left") from error


def describe(directory: Path, remembered: Mapping[str, Any], recipe: Recipe, recipe_text: str) -> None:
    """Writes the description, whole or not at all."""
    fields = asdict(recipe)
    del fields["lexicon"], fields["salt"]  # the window has copies of both (stores/window_directory.py)
    _write(
        directory,
        {"format": FORMAT, "recipe": recipe_text, "recipe_fields": fields, "settings": remembered},
    )


def remember(directory: Path, remembered: Mapping[str, Any]) -> None:
    """Puts what a window remembers into its description, whole or not at all."""
    known = json.loads((directory / DESCRIPTION).read_bytes())
    _write(directory, known | {"settings": dict(remembered)})


def _write(directory: Path, description: Mapping[str, Any]) -> None:
    """Writes window.json, whole or not at all, unless it says this already."""
    file, text = directory / DESCRIPTION, json.dumps(description, indent=1)
    if file.exists() and file.read_text() == text:
        return
    draft = directory / f"{DESCRIPTION}.new"
    draft.write_text(text)
    draft.replace(file)
