"""The files that a recipe names: their contents, and the marks by which the recipe string identifies them."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from neardup.errors import SettingsError


def check_path(name: str, value: object) -> None:
    """Raises `SettingsError` unless `value` of the setting `name` is None or can be the path of a file."""
    is_path = isinstance(value, str | os.PathLike) and "\0" not in str(value)
    if value is not None and not (value and is_path):
        raise SettingsError(name, value, "the path of a file")


def salt_mark(secret: bytes) -> str:
    """The mark of a salt in a recipe string: 8 hex digits that differ when the secret differs."""
    return hashlib.sha256(hashlib.sha256(secret).digest()).hexdigest()[:8]


def boilerplate_mark(table: bytes) -> str:
    """The mark of a boilerplate table in a recipe string: the first 8 hex digits of the SHA-256 of its file's bytes."""
    return hashlib.sha256(table).hexdigest()[:8]


def file_bytes(name: str, path: str | Path) -> bytes:
    """The bytes of the file at `path`. Raises `SettingsError` for the setting `name` if it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise unreadable(name, path, error) from error


def unreadable(name: str, path: str | Path, error: OSError) -> SettingsError:
    """The error to raise if the file at `path`, given by the setting `name`, cannot be read."""
    return SettingsError(name, str(path), f"a file that can be read ({error.strerror})")
