"""Transfer encodings of mails, by which a text is packed (RFC 2045, 6), and as much of it as can be unpacked."""

from __future__ import annotations

import binascii
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

HEADER: Final = "Content-Transfer-Encoding"
_BASE64: Final = "base64"
_PACKINGS: Final = {
    _BASE64: re.compile("base64"),
    "quoted-printable": re.compile("quoted?print"),
    "x-uuencode": re.compile("x?uue"),
    "": re.compile("$|[78]bit|binary|none|plain|text|(us)?ascii|utf8|iso8859|windows125"),
}
"""The transfer encodings by their names in the library, and how the letters of the header begin, however it is spelt;
some headers name the encoding of the text instead, which is not packed.
"""
_LONGEST_NAME: Final = 40
_NO_LETTER_RE: Final = re.compile(rb"[^A-Za-z0-9+/=]+")
_NO_BASE64_RE: Final = re.compile(rb"[^A-Za-z0-9+/=\s]|\S[ \t]++\S")
"""What never occurs in a line of base64: a character outside its alphabet, or a blank between words."""
_PADDING_RE: Final = re.compile(rb"=+\s*[\r\n]")
"""The end of packed text whose number of bytes is not a multiple of three."""
_LONG_LINE_RE: Final = re.compile(rb"[A-Za-z0-9+/]{60}")
"""A run of letters that packed lines have (RFC 2045, 6.8: up to 76 characters), footers and sentences hardly ever."""


def packing_meant(value: str) -> str:
    """The transfer encoding that a header's `value` means; empty for a part that is not packed. An unknown one is
    returned as it stands.

    >>> packing_meant(" Quoted Printable"), packing_meant("8-bit"), packing_meant("x-secret; 1")
    ('quoted-printable', '', 'x-secret; 1')
    """
    letters = re.sub(r"[\W_]+", "", value).lower()
    unknown = " ".join(value.encode("ascii", "replace").decode().split())[:_LONGEST_NAME]
    return next((name for name, spelt in _PACKINGS.items() if spelt.match(letters)), unknown)


def unknown_packing(part: Message) -> str | None:
    """The unknown transfer encoding of a part, which is then no text (RFC 2045, 6.4); None if it is known."""
    packing = str(part[HEADER] or "")
    return None if packing in _PACKINGS else packing


def unpacked(part: Message) -> bytes | None:
    """The unpacked bytes of a part without inner parts; None if the library finds none."""
    is_base64 = part[HEADER] == _BASE64
    if is_base64:
        del part[HEADER]  # the library gives up on a cut text, and takes a footer for a part of it
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return None
    return _of_base64(data) if is_base64 else data


def _of_base64(data: bytes) -> bytes:
    """As much of `data` as can be decoded: up to a plain footer that a mailing list added, and to the last whole byte.

    Damaged text, with packed lines after the damage, is read as mail programs read it, skipping characters that are not
    base64. A text that was never packed stays as it is.
    """
    other = _NO_BASE64_RE.search(data)
    if other and not _LONG_LINE_RE.search(data, other.start()):
        line = max(data.rfind(end, 0, other.start() + 1) for end in (b"\n", b"\r")) + 1
        above = data[:line]
        if not above.strip() and len(data.split()) > 1:
            return data
        data = above if above.strip() else data
    return b"".join(map(_decoded, _pieces(data)))


def _pieces(data: bytes) -> Iterator[bytes]:
    """The pieces packed one after the other, each up to its padding; another piece begins only with packed lines."""
    start, last = 0, max((line.start() for line in _LONG_LINE_RE.finditer(data)), default=0)
    for padding in _PADDING_RE.finditer(data, 0, last):
        yield data[start : padding.end()]
        start = padding.end()
    yield data[start:]


def _decoded(piece: bytes) -> bytes:
    letters = _NO_LETTER_RE.sub(b"", piece)
    try:
        return binascii.a2b_base64(letters + b"==")
    except binascii.Error:  # one letter too many for whole bytes
        return binascii.a2b_base64(letters.rstrip(b"=")[:-1] + b"==")
