"""The data of documents that is kept to be shown, as bytes at the end of a blob.

First the length of the fields, then the fields as JSON; then the original text, if it was kept, as a frame of
zstandard. In a blob the length of all these bytes follows them. Lengths have four bytes, little-endian.
"""

from __future__ import annotations

import threading
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final

import orjson
import zstandard

from neardup.model.shown_fields import shown_fields
from neardup.stores.base import Shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from neardup.model.document import Prepared

_SIZE: Final = 4
_PARAMETERS: Final = zstandard.ZstdCompressionParameters.from_level(1)
"""The parameters of level 1 for texts of any length. Its parameters for short texts look for shorter matches: a quarter
more time for 2 to 4 percent fewer bytes; higher levels take up to twice the time for one percent more.
"""

_SEVERAL: Final = "multi_compress_to_buffer" in zstandard.backend_features


class _Zstandard(threading.local):
    """Compressor and decompressor of a thread: two threads cannot share them, and making them takes longer than using
    them.
    """

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(compression_params=_PARAMETERS)
        self.decompressor = zstandard.ZstdDecompressor()


_zstandard: Final = _Zstandard()


class ShownWriter:
    """Makes the bytes that are kept to be shown: the fields `show`, and texts if `keep_text`."""

    def __init__(self, show: Sequence[str], *, keep_text: bool) -> None:
        self._show, self.keeps_text = show, keep_text

    def parts(self, documents: Sequence[Prepared]) -> list[bytes]:
        """The bytes to keep of each document; b"" if there is nothing to keep. About 20 µs for a text of 4 KB, nearly
        all of it without Python's lock.
        """
        fields = [
            shown_fields(document.fields, self._show) if document.fields else {} for document in documents
        ]
        texts = [document.text for document in documents]
        return list(map(_part, fields, _compressed(texts) if self.keeps_text else repeat(b"")))


def _part(fields: Mapping[str, Any], frame: bytes) -> bytes:
    names = orjson.dumps(fields) if fields else b""
    return len(names).to_bytes(_SIZE, "little") + names + frame if names or frame else b""


def _compressed(texts: list[bytes]) -> list[bytes]:
    """A frame for each text; all in one call, which releases Python's lock only once."""
    compressor = _zstandard.compressor
    if _SEVERAL and any(texts):
        frames = compressor.multi_compress_to_buffer([*texts], threads=1)
        return [frames[i].tobytes() for i in range(len(frames))]
    return list(map(compressor.compress, texts))


def read_shown(data: bytes) -> Shown:
    """The text and fields in bytes of `ShownWriter`; neither in b""."""
    if not data:
        return Shown()
    text, fields = read_original_text(data), data[_SIZE : _SIZE + int.from_bytes(data[:_SIZE], "little")]
    return Shown(None if text is None else text.decode(), orjson.loads(fields) if fields else {})


def read_original_text(data: bytes) -> bytes | None:
    """Only the text in bytes of `ShownWriter`, as UTF-8; None if it was not kept. Some 8 µs for a text of 4 KB."""
    frame = data[_SIZE + int.from_bytes(data[:_SIZE], "little") :]
    return _zstandard.decompressor.decompress(frame) if frame else None


def appended(blob: bytes, shown: bytes) -> bytes:
    """`blob` with the bytes `shown` at its end; `blob` itself if these are empty."""
    return blob + shown + len(shown).to_bytes(_SIZE, "little") if shown else blob


def detached(blob: bytes) -> tuple[bytes, bytes]:
    """(blob, shown): the reverse of `appended`, for a blob to which something was appended."""
    end = len(blob) - _SIZE
    start = end - int.from_bytes(blob[end:], "little")
    return blob[:start], blob[start:end]
