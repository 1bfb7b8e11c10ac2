"""The file of a table of boilerplate: JSON, for people to read and cut down.

{"neardup": "boilerplate 1", "made": "2026-11-23T09:00:00Z",
"sources": {"example.org": {"documents": 812, "pieces": {"All rights reserved.": 790}}}}
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from neardup.errors import BoilerplateError
from neardup.model.boilerplate import Boilerplate, SourceBoilerplate, name_of
from neardup.tables.atomic_write import write_whole

if TYPE_CHECKING:
    import os

FORMAT: Final = "boilerplate 1"


def save(table: Boilerplate, path: str | os.PathLike[str]) -> None:
    """Write `table` to `path`, whole or not at all; the most frequent pieces of a source come first."""
    sources = {
        name: {"documents": source.documents, "pieces": dict(source.by_frequency())}
        for name, source in sorted(table.sources.items())
    }
    known = {"neardup": FORMAT, "made": table.made, "sources": sources}
    write_whole(path, json.dumps(known, ensure_ascii=False, indent=1).encode() + b"\n")


def load(path: str | os.PathLike[str]) -> Boilerplate:
    """The table in the file at `path`.

    Raises `BoilerplateError`, which says what was found and what was expected, if the file is no such table, `OSError`
    if it cannot be read.
    """
    try:
        known = json.loads(Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        raise BoilerplateError(path, str(error), "JSON") from None
    if not isinstance(known, dict) or known.get("neardup") != FORMAT:
        actual = repr(known.get("neardup")) if isinstance(known, dict) else type(known).__name__
        raise BoilerplateError(path, actual, f"{FORMAT!r}, which `neardup boilerplate learn` writes")
    try:
        sources = {str(name): _source(value) for name, value in known["sources"].items()}
        return Boilerplate(sources, str(known.get("made", "")))
    except (KeyError, AttributeError, TypeError, ValueError, OverflowError) as error:
        raise BoilerplateError(path, f"a table with {error!r}", "documents and pieces by source") from None


def _source(value: Any) -> SourceBoilerplate:
    """One source of the file. The names of its pieces are normalised again, because people may have edited them."""
    counted = {name_of(piece): int(count) for piece, count in value["pieces"].items()}
    counted.pop("", None)
    return SourceBoilerplate(int(value["documents"]), counted)
