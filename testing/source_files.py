"""Files that tests of readers write, and what is read from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from neardup.sources.reader import Reader


def read(*paths: Path | str, **options: Any) -> list[Any]:
    """All that a reader of `paths` yields."""
    return list(Reader(list(paths), **options))


def written(path: Path, content: str | bytes) -> Path:
    """`path`, with this content in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
