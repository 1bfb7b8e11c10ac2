"""The files that a recipe names: what is in them, and what the recipe string tells of them."""

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
    """What a recipe tells of a salt: 8 hex digits, which show when the secret is another one."""
    return hashlib.sha256(hashlib.sha256(secret).digest()).hexdigest()[:8]


def boilerplate_mark(table: bytes) -> str:
    """What a recipe tells of the table of boilerplate in a file of these bytes: 8 hex digits of their SHA-256."""
    return hashlib.sha256(table).hexdigest()[:8]


def file_bytes(name: str, path: str | Path) -> bytes:
    """What is in the file that the setting `name` names; `SettingsError` if it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise unreadable(name, path, error) from error


def unreadable(name: str, path: str | Path, error: OSError) -> SettingsError:
    """What is raised where the file that the setting `name` names cannot be read."""
    return SettingsError(name, str(path), f"a file that can be read ({error.strerror})")
