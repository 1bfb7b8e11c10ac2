"""Plain text: one file, one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.sources.encoding import not_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.sources.position import Item, Position
    from neardup.sources.streams import Chunk


def document(chunks: Iterator[Chunk], position: Position, longest: int) -> Item:
    """The whole stream as one document named by the file, or the reject in its place."""
    data = content_of(chunks, longest)
    if data is None:
        return too_long(position, longest)
    if fault := not_text(data, position.encoding):
        return position.reject(fault, id=position.stem)
    return position.document(position.named(data), data.decode("utf-8-sig"), None, {})


def too_long(position: Position, longest: int) -> Item:
    """The reject of a file that is one document and has more than `longest` bytes."""
    return position.reject(f"the file is longer than {longest:,} bytes", id=position.stem)


def content_of(chunks: Iterator[Chunk], longest: int) -> bytes | None:
    """The whole stream; None if it is longer than `longest` bytes."""
    pieces: list[bytes] = []
    length = 0
    for chunk in chunks:
        pieces.append(chunk or b"")
        length += len(pieces[-1])
        if length > longest:
            return None
    return b"".join(pieces)
