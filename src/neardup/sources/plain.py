"""Plain text: one file, one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.sources.position import Item, Position
    from neardup.sources.streams import Chunk


def document(chunks: Iterator[Chunk], position: Position, longest: int) -> Item:
    """The whole stream as one document named by the file, or why it is none."""
    pieces: list[bytes] = []
    length = 0
    for chunk in chunks:
        pieces.append(chunk or b"")
        length += len(pieces[-1])
        if length > longest:
            return position.reject(f"the file is longer than {longest:,} bytes", id=position.stem)
    data = b"".join(pieces)
    try:
        return Document(position.stem, data.decode("utf-8-sig"), None)
    except UnicodeDecodeError as error:
        reason = f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        return position.reject(reason, id=position.stem)
