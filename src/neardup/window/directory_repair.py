"""A damaged window in a directory is repaired (stores/repair.py); what lost its keys is signed again from its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.stores.repair import repair
from neardup.window.signing_again import signing_of

if TYPE_CHECKING:
    from pathlib import Path

    from neardup.stores.survey import Survey


def repair_directory(path: Path, *, dry_run: bool) -> Survey:
    """See `stores/repair.py`; loads kernels only if anything is to be signed."""
    return repair(path, signing_of, dry_run=dry_run)
