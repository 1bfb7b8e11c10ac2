"""The recipe by which a window is to be signed again, and which fields of it may change."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from neardup.errors import LexiconError, SettingsError, WindowDamaged
from neardup.model.settings import Recipe, Settings
from neardup.signing.signer import signer_for
from neardup.stores.records import are_with_words
from neardup.stores.window_directory import (
    BOILERPLATE,
    COPY,
    DESCRIPTION,
    LEXICON,
    SALT,
    SALT_WAY_ON,
    lost_salts,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from neardup.signing.signer import Signer
    from neardup.stores.original import Original

_OF_NORMAL_FORMS: Final = ("q", "fold_case", "simhash_variants")
"""The fields of a recipe that cannot change, like its boilerplate, because texts are stored as normal forms."""
_KEPT: Final = (*_OF_NORMAL_FORMS, "sketch_size")
_HIGHEST_REACH: Final = 1.0


def wanted_signer(
    path: Path, old: Original, settings: Settings, recipe: Recipe | None, changes: Mapping[str, Any]
) -> Signer:
    """The signer of the recipe that is wanted; raises `SettingsError` if normal forms cannot be signed by it."""
    wanted = replace(recipe or _nearest(path, old, settings, changes), **changes)
    mark = old.description.boilerplate_mark
    if mark and wanted.boilerplate is None:
        wanted = replace(wanted, boilerplate=path / BOILERPLATE)
    for name in _OF_NORMAL_FORMS:
        was = old.description.recipe_fields[name]
        if getattr(wanted, name) != was:
            expected = (
                f"{was!r}, as in the window, which stores texts as normal forms: to change it, ingest the documents "
                "anew"
            )
            raise SettingsError(name, getattr(wanted, name), expected)
    if wanted.boilerplate is not None and wanted.boilerplate_mark != mark:
        expected = (
            "the table of the window, or none, because texts are stored without their boilerplate: to change it, "
            "ingest the documents anew"
        )
        raise SettingsError("boilerplate", str(wanted.boilerplate), expected)
    signer = _signer(path, wanted)
    with_words = any(are_with_words(rows).any() for rows in old.hours.values())
    if with_words and f":lex-{signer.lexicon.id}:" not in old.description.recipe:
        expected = (
            "the lexicon of the window: its sentences and simhashes (--partial, --route) were made with that"
        )
        raise SettingsError("lexicon", str(wanted.lexicon or signer.lexicon.id), expected)
    return signer


def _signer(path: Path, wanted: Recipe) -> Signer:
    """The signer of a recipe; raises `WindowDamaged` if it names the window's lexicon and that is lost or damaged."""
    own = path / LEXICON
    if wanted.lexicon != own:
        return signer_for(wanted)
    window = path if (path / (LEXICON + COPY)).exists() else None
    if not own.exists():
        raise WindowDamaged(own, "no such file", "the window's own lexicon", window)
    try:
        return signer_for(wanted)
    except LexiconError as error:
        raise WindowDamaged(own, str(error), "the window's own lexicon", window) from error


def _nearest(path: Path, old: Original, settings: Settings, changes: Mapping[str, Any]) -> Recipe:
    """Today's recipe that is nearest to the window's own, and reaches its threshold if one does."""
    salt, mark = path / SALT, old.description.salt_mark
    if mark and "salt" not in changes and SALT in lost_salts(path, mark):
        actual = "another secret" if salt.exists() else "no such file"
        expected = "the secret of this window"
        if SALT + COPY not in lost_salts(path, mark):
            raise WindowDamaged(salt, actual, f"{expected}, which --salt FILE can also give", path)
        raise WindowDamaged(salt, actual, f"{expected}: {SALT_WAY_ON.format(path=path)}")
    known = old.description.recipe_fields
    reach = Recipe().reaching(settings.threshold_fraction).reach
    try:
        return Recipe(
            **{name: known[name] for name in _KEPT},
            reach=min(reach, known.get("reach", _HIGHEST_REACH)),
            lexicon=path / LEXICON if old.description.own_lexicon else None,
            salt=salt if mark else None,
            boilerplate=path / BOILERPLATE if old.description.boilerplate_mark else None,
        )
    except (KeyError, TypeError, SettingsError) as error:
        raise WindowDamaged(path / DESCRIPTION, f"a recipe with {error}", "recipe fields") from error
