"""What is kept of documents to be shown, as bytes at the end of a blob.

The fields as JSON, behind the number of its bytes; then the text as it came, as a frame of zstandard, unless it was not
kept. In a blob the number of all these bytes follows them. Numbers have four bytes, the lowest first.
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
"""Those of texts of any length: what level 1 takes for short ones looks for shorter matches, a quarter longer for 2 to
4 hundredths of the bytes; higher levels take up to twice the time for a hundredth more.
"""

_SEVERAL: Final = "multi_compress_to_buffer" in zstandard.backend_features


class _Zstandard(threading.local):
    """What is one a thread: it is not for two at once, and to make one takes longer than to use it."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(compression_params=_PARAMETERS)
        self.decompressor = zstandard.ZstdDecompressor()


_zstandard: Final = _Zstandard()


class ShownWriter:
    """Makes the bytes of what is kept: the fields `show`, and texts if `keep_text`."""

    def __init__(self, show: Sequence[str], *, keep_text: bool) -> None:
        self._show, self.keeps_text = show, keep_text

    def parts(self, documents: Sequence[Prepared]) -> list[bytes]:
        """What is kept of each of these; b"" if that is nothing. About 20 µs for a text of 4 KB, nearly all of it
        without Python's lock.
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
    """A frame of each; all in one call, which lets go of Python's lock once and not for each."""
    compressor = _zstandard.compressor
    if _SEVERAL and any(texts):
        frames = compressor.multi_compress_to_buffer([*texts], threads=1)
        return [frames[i].tobytes() for i in range(len(frames))]
    return list(map(compressor.compress, texts))


def read_shown(data: bytes) -> Shown:
    """What bytes of `ShownWriter` say; b"" says nothing."""
    if not data:
        return Shown()
    came, fields = read_came(data), data[_SIZE : _SIZE + int.from_bytes(data[:_SIZE], "little")]
    return Shown(None if came is None else came.decode(), orjson.loads(fields) if fields else {})


def read_came(data: bytes) -> bytes | None:
    """The text alone, as UTF-8; None where it was not kept. Some 8 µs for one of 4 KB."""
    frame = data[_SIZE + int.from_bytes(data[:_SIZE], "little") :]
    return _zstandard.decompressor.decompress(frame) if frame else None


def appended(blob: bytes, shown: bytes) -> bytes:
    """A blob that ends with this shown; the blob itself if there is none."""
    return blob + shown + len(shown).to_bytes(_SIZE, "little") if shown else blob


def detached(blob: bytes) -> tuple[bytes, bytes]:
    """The reverse of `appended`, for a blob that has a shown."""
    end = len(blob) - _SIZE
    start = end - int.from_bytes(blob[end:], "little")
    return blob[:start], blob[start:end]
