"""Signing a window in a directory again by another recipe, or bringing it to today's format (stores/resign.py).

Verdicts, groups, arrivals, texts and settings stay as they are. The keys that documents are searched by are made anew
from the stored normal forms, except sentences and simhashes, which cannot be made from normal forms and stay valid.
"""

from __future__ import annotations

import logging
import shutil
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.errors import WindowDamaged
from neardup.model.settings import REACHES
from neardup.stores.description import FORMAT, describe, settings_of
from neardup.stores.lock import held
from neardup.stores.resign import finish, new_draft, original, put_in_place, write_draft
from neardup.stores.survey import read_everything
from neardup.stores.window_directory import HOURS, check_window, is_half_way, lost_salts, write_salts
from neardup.window.directory_opening import keep_files, open_directory
from neardup.window.signing_again import sign_again
from neardup.window.wanted_recipe import wanted_signer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from neardup.model.settings import Recipe, Settings
    from neardup.signing.signer import Signer
    from neardup.stores.original import Original

log = logging.getLogger("neardup")

_SECONDS_A_DOCUMENT: Final = 40e-6
_SECONDS_A_BYTE: Final = 10e-9


class Resigning(NamedTuple):
    """What signing a window again does, or has done. `seconds` and `bytes` are estimates of the time and the disk space
    that it takes; `free` is the free disk space in bytes. `aside` is where the old files are now, None if nothing was
    done. `lost_salts` are the lost files of the window's salt; if nothing else is to be done, the secret is put back
    there.
    """

    documents: int
    hours: int
    old_format: int
    old_recipe: str
    recipe: str
    seconds: float
    bytes: int
    free: int
    aside: Path | None
    lost_salts: list[str]

    @property
    def is_needed(self) -> bool:
        """Whether the window is not yet as it is to be."""
        return (self.old_format, self.old_recipe) != (FORMAT, self.recipe)


def resign_directory(
    path: Path, recipe: Recipe | None, changes: Mapping[str, Any], *, dry_run: bool
) -> Resigning:
    """Signs the window at `path` again by `recipe` (None: today's recipe that is nearest to its own) with `changes`; a
    `dry_run` changes nothing.

    If an interrupted run had begun to put its result in place, that is finished first. Reads the old window once, and
    the new one twice. Raises `WindowMissing`, `WindowLocked`, `WindowDamaged`, `SettingsError` for a recipe that normal
    forms cannot be signed by; after any error the window is as it was.
    """
    if not is_half_way(path):
        check_window(path)
    with held(path):
        finished = finish(path)
        with original(path) as old:
            settings = settings_of(path, old.description)
            signer = wanted_signer(path, old, settings, recipe, changes)
            plan = _plan(path, old, signer)
            _warn_below_reach(path, settings, signer)
            if not dry_run and not plan.is_needed:
                write_salts(path, plan.lost_salts, signer.recipe.secret or b"")
            if dry_run or not plan.is_needed:
                return plan._replace(aside=finished)
            _write(path, old, signer, settings)
        return plan._replace(aside=put_in_place(path))


def _warn_below_reach(path: Path, settings: Settings, signer: Signer) -> None:
    """Logs that the sketches are to be made for thresholds above the window's own."""
    lowest, own = signer.recipe.sketch_limits.lowest, settings.threshold_fraction
    if settings.retrieval == "sketch" and own < lowest:
        log.warning(
            "%s: sketches of this recipe are made for thresholds from %g on, and miss copies at %g, the threshold of "
            "the window: --reach %g makes them for %g and above, `--retrieval complete` misses none",
            path, float(lowest), float(own), min(REACHES), min(REACHES),
        )  # fmt: skip


def _plan(path: Path, old: Original, signer: Signer) -> Resigning:
    mark = old.description.salt_mark
    return Resigning(
        old.documents,
        len(old.hours),
        old.format,
        old.description.recipe,
        signer.text,
        _SECONDS_A_DOCUMENT * old.documents + _SECONDS_A_BYTE * old.text_bytes,
        sum(file.stat().st_size for file in (path / HOURS).rglob("*") if file.is_file()),
        shutil.disk_usage(path).free,
        None,
        lost_salts(path, mark) if mark else [],
    )


def _write(path: Path, old: Original, signer: Signer, settings: Settings) -> None:
    """Writes the whole draft, and checks it: every byte is read, and the window opened."""
    with new_draft(path) as draft:
        keep_files(signer.recipe, draft)
        write_draft(draft, old, sign_again(signer, settings))
        describe(draft, old.description.settings, signer.recipe, signer.text)
        read_everything(draft)
        with open_directory(draft, None, {}, readonly=True, remember=False, force=False) as window:
            there = window.stats().documents
        if there != old.documents:
            raise WindowDamaged(draft, f"{there:,} documents", f"the {old.documents:,} of the window")
