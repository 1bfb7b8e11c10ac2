"""What is kept of documents to be shown, as bytes at the end of a blob.

The fields as JSON, behind the number of its bytes; then the text as it came, as a frame of zstandard, unless it was not
kept. In a blob the number of all these bytes follows them. Numbers have four bytes, the lowest first.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

import orjson
import zstandard

from neardup.model.shown_fields import shown_fields
from neardup.stores.base import Shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.model.document import Prepared

_SIZE: Final = 4
_LEVEL: Final = 1
"""Of compression: higher ones take up to twice the time for a hundredth of the bytes."""


class _Decompressor(threading.local):
    """One a thread: it is not for two at once, and to make one takes longer than to use it."""

    def __init__(self) -> None:
        self.frames = zstandard.ZstdDecompressor()


_decompressor: Final = _Decompressor()


class ShownWriter:
    """Makes the bytes of what is kept: the fields `show`, and texts if `keep_text`. Not for two threads at once."""

    def __init__(self, show: Sequence[str], *, keep_text: bool) -> None:
        self._show = show
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL) if keep_text else None

    @property
    def keeps_text(self) -> bool:
        """Whether texts are kept."""
        return self._compressor is not None

    def shown_bytes(self, document: Prepared) -> bytes:
        """What is kept of a document; b"" if that is nothing. About 20 µs for a text of 4 KB."""
        fields = shown_fields(document.fields, self._show) if document.fields else {}
        if not fields and self._compressor is None:
            return b""
        names = orjson.dumps(fields) if fields else b""
        text = self._compressor.compress(document.text) if self._compressor is not None else b""
        return len(names).to_bytes(_SIZE, "little") + names + text


def read_shown(data: bytes) -> Shown:
    """What bytes of `ShownWriter` say; b"" says nothing."""
    if not data:
        return Shown()
    came, fields = read_came(data), data[_SIZE : _SIZE + int.from_bytes(data[:_SIZE], "little")]
    return Shown(None if came is None else came.decode(), orjson.loads(fields) if fields else {})


def read_came(data: bytes) -> bytes | None:
    """The text alone, as UTF-8; None where it was not kept. Some 8 µs for one of 4 KB."""
    frame = data[_SIZE + int.from_bytes(data[:_SIZE], "little") :]
    return _decompressor.frames.decompress(frame) if frame else None


def appended(blob: bytes, shown: bytes) -> bytes:
    """A blob that ends with this shown; the blob itself if there is none."""
    return blob + shown + len(shown).to_bytes(_SIZE, "little") if shown else blob


def detached(blob: bytes) -> tuple[bytes, bytes]:
    """The reverse of `appended`, for a blob that has a shown."""
    end = len(blob) - _SIZE
    start = end - int.from_bytes(blob[end:], "little")
    return blob[:start], blob[start:end]
