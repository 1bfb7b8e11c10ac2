"""Opening a window in a directory: find or make it, check its recipe, read what is committed."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from neardup.errors import LexiconError, RecipeMismatch, SettingsError, WindowDamaged
from neardup.model.settings import Recipe, Settings
from neardup.signing.signer import Signer, signer_for, signer_of_new
from neardup.stores.description import Description, describe, mark_in, read_description, settings_of
from neardup.stores.directory_reader import DirectoryReader
from neardup.stores.directory_writer import DirectoryWriter
from neardup.stores.remembered_settings import merged
from neardup.stores.window_directory import (
    BOILERPLATE,
    COPY,
    DESCRIPTION,
    LEXICON,
    SALT,
    check_free_directory,
    check_window,
    holds_window,
    lost_boilerplate,
    write_copies,
    write_salts,
)
from neardup.window.changed_hours import check_hours, tell_hours
from neardup.window.engine import WindowEngine

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def open_directory(
    directory: Path,
    settings: Settings | None,
    changes: Mapping[str, Any],
    *,
    readonly: bool,
    remember: bool,
    force: bool,
) -> WindowEngine:
    """The window in `directory`; see `neardup.opening.open_window`."""
    if readonly:
        check_window(directory)
    else:
        check_free_directory(directory)
        if not holds_window(directory):  # so that no directory is made for refused settings
            signer_of_new((settings or Settings()).with_changes(**changes))
        directory.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        store = DirectoryReader(directory) if readonly else DirectoryWriter(directory)
        stack.callback(store.close)
        description = read_description(directory)
        left = settings_of(directory, description)
        signer, chosen = _signer(directory, description, (settings or left).with_changes(**changes))
        store.recipe = signer.text
        store.previous = store.remembered = description.settings
        window = WindowEngine(store, chosen, signer, readonly=readonly)
        window.load()
        if window.is_empty and (remember or readonly or description.is_new):
            store.remembered = chosen.remembered  # no verdict was made by other settings
        if isinstance(store, DirectoryWriter):
            store.fsync = chosen.fsync
            if remember or description.is_new:
                _remember(window, store, signer, None if description.is_new else left, force=force)
        stack.pop_all()
        return window


def _remember(
    window: WindowEngine, store: DirectoryWriter, signer: Signer, left: Settings | None, *, force: bool
) -> None:
    """Stores the settings that the window was opened with; `left`: those of its last writer, None for a new window."""
    chosen = window.settings
    changed = left is not None and check_hours(left, chosen, window.expirable, force=force)
    store.remembered = merged(store.remembered, chosen.remembered)
    describe(store.path, store.remembered, signer.recipe, signer.text)
    if left is not None and changed:
        tell_hours(str(store.path), left, chosen)
        window.apply_hours()


def described_signer(directory: Path) -> tuple[Signer, Settings]:
    """The signer and the settings of the window in `directory`, as its last writer left them.

    Raises `WindowDamaged` if the description, the lexicon, the salt or the boilerplate is damaged or lost.
    """
    description = read_description(directory)
    return _signer(directory, description, settings_of(directory, description))


def _signer(directory: Path, description: Description, chosen: Settings) -> tuple[Signer, Settings]:
    """The signer of the window's recipe, and the `chosen` settings with that recipe; raises `RecipeMismatch` if they
    ask for another.

    A new window gets copies of the files that the recipe names, so that it stays readable when those move or change.
    """
    if description.is_new:
        signer = signer_of_new(chosen)
        keep_files(signer.recipe, directory)
        return signer, chosen.with_changes(recipe=signer.recipe)
    lexicon, salt = directory / LEXICON, directory / SALT
    if description.own_lexicon and not lexicon.exists():
        raise WindowDamaged(lexicon, "no such file", "the window's own lexicon", directory)
    try:
        recipe = Recipe(
            **description.recipe_fields,
            lexicon=lexicon if description.own_lexicon else None,
            salt=salt if salt.exists() else None,
            boilerplate=_boilerplate(directory, description),
        )
    except (TypeError, SettingsError) as error:
        raise WindowDamaged(directory / DESCRIPTION, f"a recipe with {error}", "recipe fields") from error
    try:
        signer = _checked_signer(directory, description, recipe)
    except LexiconError as error:
        raise WindowDamaged(lexicon, str(error), "the window's own lexicon", directory) from error
    for wanted in (recipe, chosen.recipe):
        if wanted is not None and signer_for(wanted).text != description.recipe:
            raise RecipeMismatch(str(directory), description.recipe, signer_for(wanted).text, directory)
    return signer, chosen.with_changes(recipe=recipe)


def _boilerplate(directory: Path, description: Description) -> Path | None:
    """The window's table of boilerplate, None if it has none; raises `WindowDamaged` if it is lost."""
    mark = description.boilerplate_mark
    if mark and BOILERPLATE in lost_boilerplate(directory, mark):
        file = directory / BOILERPLATE
        actual = "another table" if file.exists() else "no such file"
        raise WindowDamaged(file, actual, f"the table of a window whose recipe names {mark}", directory)
    return directory / BOILERPLATE if mark else None


def _checked_signer(directory: Path, description: Description, recipe: Recipe) -> Signer:
    """The signer of a window's `recipe`; raises `WindowDamaged` if the window has lost its salt, or has another."""
    salt, mark = directory / SALT, description.salt_mark
    expected = f"the secret of a window whose recipe names the salt {mark}"
    if mark and recipe.salt is None:
        raise WindowDamaged(salt, "no such file", expected, directory)
    try:
        signer = signer_for(recipe)
    except SettingsError as error:
        if error.name != "salt":
            raise
        raise WindowDamaged(salt, str(error), expected, directory) from error
    if mark_in(signer.text) != mark:
        raise WindowDamaged(salt, "another secret", expected, directory)
    return signer


def keep_files(recipe: Recipe, directory: Path) -> None:
    """Copies the files that a recipe names into a new window, in place of those left by an unfinished one. The copies
    are on the disk when this returns.
    """
    lexicons, salts = (LEXICON, LEXICON + COPY), (SALT, SALT + COPY)
    tables = BOILERPLATE, BOILERPLATE + COPY
    for name in (*lexicons, *salts, *tables):
        (directory / name).unlink(missing_ok=True)
    for file, names in ((recipe.lexicon, lexicons), (recipe.boilerplate, tables)):
        if file is not None:
            write_copies(directory, names, file)
    secret = recipe.secret
    if secret is not None:
        write_salts(directory, salts, secret)
