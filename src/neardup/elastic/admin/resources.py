"""The files of `mappings/`, `ingest/` and `roles/`: what is put into a cluster, one file an object.

They lie beside the sources, and in an installed package inside of it (pyproject.toml, force-include).
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import orjson

from neardup.errors import DataFileError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

Folder = Literal["mappings", "ingest", "roles"]

PREFIX: Final = "PREFIX"
"""The placeholder of the prefix in names and values of these files."""


def folder(name: Folder) -> Traversable:
    """The directory of that name, of the package or of the source tree."""
    installed = resources.files("neardup") / "elastic" / "files" / name
    return installed if installed.is_dir() else Path(__file__).parents[4] / name


def load(name: Folder, file: str, prefix: str) -> dict[str, Any]:
    """The object in a file, for `prefix`.

    Raises `DataFileError` if the file is not there or is no JSON.
    """
    path = folder(name) / file
    try:
        # No character that a prefix can have (`parse_address`) needs an escape in JSON.
        return dict(orjson.loads(path.read_bytes().replace(PREFIX.encode(), prefix.encode())))
    except (OSError, orjson.JSONDecodeError) as error:
        raise DataFileError(str(path), str(error), "an object in JSON") from error
