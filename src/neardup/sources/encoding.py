"""Text in other encodings than UTF-8, converted to UTF-8 at the edge, so that all readers see only UTF-8."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from neardup.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from neardup.sources.streams import Chunk

_MARKS: Final = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32le",  # before that of UTF-16, which begins it
    codecs.BOM_UTF32_BE: "utf-32be",
    codecs.BOM_UTF16_LE: "utf-16le",
    codecs.BOM_UTF16_BE: "utf-16be",
}
"""Encodings by their byte order marks. `checked_encoding` spells UTF-16 and UTF-32 differently, so that the name tells
whether a mark or the user named it.
"""
OTHER_NAMES: Final = {
    "windows-874": "cp874", "windows-31j": "cp932", "x-sjis": "cp932", "windows-949": "cp949",
    "iso-8859-8-i": "iso-8859-8", "x-euc-jp": "euc-jp",
}  # fmt: skip
"""Encodings by names that Python does not know (WHATWG, Encoding: labels)."""
MEANT: Final = {
    **OTHER_NAMES,
    "gb2312": "gb18030", "shift_jis": "cp932", "euc-kr": "cp949", "ks_c_5601-1987": "cp949",
    "iso-2022-jp": "iso2022_jp_ext", "big5": "cp950", "iso-8859-1": "cp1252", "latin1": "cp1252", "tis-620": "cp874",
}  # fmt: skip
"""The encodings that mails and pages mean by names that Python does not know, or takes for a smaller encoding."""
_ESCAPE_RE: Final = re.compile(rb"\x1b\$(?:[@B]|\(D|\)C)")
_DECLARED_RE: Final = re.compile(rb"<meta[^>]+charset\s*=[\s\"']*([\w.:-]+)", re.IGNORECASE)
_HEAD: Final = 4_096
"""Within so many bytes a page declares its encoding."""
UNDECODABLE: Final = "neardup.undecodable"
"""The name of the error handler for bytes that are not text in the encoding: see `_undecodable`."""
BAD: Final = b"\xff"
"""Stands for bytes that are not text in the encoding: UTF-8 never has it, so that only their record is rejected."""

_PER_BAD: Final = 3
"""The fewest characters besides ASCII for each place that is no text, in an encoding that is not wrong."""
MENDED: Final = "bytes that are no text in the encoding of the rest: U+FFFD is in their place"
"""What is to be said of a mail or a page that was `nearly_fitting`."""

_OF_OTHER_SHAPE: Final = ("utf", "iso2022", "hz")
"""How the names of encodings begin that UTF-8 is not mistaken for."""
_LEAST: Final = 6
"""The fewest characters besides ASCII by which text is UTF-8 that another encoding may have, too: of pieces of 40
characters in GB18030 or cp866 one in 5,000 has four by chance, and none has more.
"""

_SAMPLE: Final = 1024
"""How many of the first bytes tell an encoding without a byte order mark."""
_PER_ZERO: Final = 32
"""The most bytes for each zero byte in such an encoding: a space has a zero byte in any script."""
_FEW: Final = 8
"""The fewest zeros among the high bytes for each zero among the low ones: the low bytes of 😀 and 一 have one."""

_BEGINNING: Final = 8
"""How many first bytes can also tell it, in records with ASCII names, though their texts may have hardly a zero."""

_CONTROLS: Final = bytes((*range(0x09), *range(0x0E, 0x1B), *range(0x1C, 0x20)))
"""Bytes that occur in no text of an encoding whose units are bytes (except ESC, with which some begin)."""
_CONTROL_RE: Final = re.compile(b"[%s]" % re.escape(_CONTROLS))
_PER_CONTROL: Final = 32
"""The fewest bytes for each control byte in a text that has some by mistake: of random bytes, one in ten is such."""


def checked_encoding(name: str) -> str:
    """The encoding's name as Python has it; `SettingsError` if it knows no such encoding of text.

    >>> checked_encoding("Latin-1"), checked_encoding("Windows-874")
    ('iso8859-1', 'cp874')
    """
    known = OTHER_NAMES.get(name.lower(), name)
    try:
        "".encode(known)  # refuses codecs that do not turn text into bytes
        # Refuses the encodings of host names, idna and punycode, whose time is quadratic in what is decoded.
        codecs.getincrementaldecoder(known)(UNDECODABLE).decode(b"")
        return codecs.lookup(known).name
    except (LookupError, ValueError):
        expected = "the name of an encoding, such as latin-1, cp1252 or utf-16"
        raise SettingsError("encoding", name, expected) from None


def meant_encoding(name: str) -> str:
    """The encoding that mails and pages mean by a `name`, in small letters; raises as `checked_encoding`."""
    return checked_encoding(MEANT.get(name, name))


def declared_encoding(page: bytes) -> str | None:
    """The encoding that an HTML page declares; None if it declares none, or one that it cannot be in.

    >>> declared_encoding(b"<meta charset=KOI8-R><p>Rain"), declared_encoding(b"<p>Rain")
    ('koi8-r', None)
    """
    declared = _DECLARED_RE.search(page, 0, _HEAD)
    with suppress(SettingsError, ValueError):
        name = meant_encoding(declared[1].decode().lower()) if declared else None
        # A page in an encoding that is not ASCII at its start cannot name it in ASCII.
        return name if declared and declared[0].decode(name or "ascii").isascii() else None
    return None


def escaped_encoding(data: bytes, declared: str | None = None) -> str | None:
    r"""The encoding of text that changes its characters by escapes, as that of Japanese and Korean mails does: the one
    `declared`, if it is such an encoding; None if there are no escapes. All is ASCII, so that it passes for UTF-8.

    >>> escaped_encoding("雨".encode("iso2022_jp")), escaped_encoding(b"\x1b[31mRain")
    ('iso2022_jp_ext', None)
    """
    if declared and "2022" in declared:
        return declared
    escape = _ESCAPE_RE.search(data)
    if escape is None or not data.isascii():
        return None
    return "iso2022_kr" if escape[0].endswith(b"C") else "iso2022_jp_ext"


def first_fitting(readings: Iterable[tuple[bytes, str | None]]) -> str | None:
    r"""The text of the first pair of bytes and their encoding (None: ASCII) that fit; None if none do.

    A result with half a surrogate pair is no text, so its encoding was wrong (unicode_escape, utf-7).

    >>> first_fitting([(b"F\xe4hre", "utf-8"), (b"F\xe4hre", "cp1252")])
    'Fähre'
    """
    for data, name in readings:
        with suppress(LookupError, ValueError):
            text = data.decode(name or "ascii")
            text.encode()  # half a pair has no UTF-8
            return text
    return None


def nearly_fitting(data: bytes, names: Iterable[str | None]) -> str | None:
    r"""The text by the first of some encodings in which nearly all of it is text, with U+FFFD in place of the rest.

    None if there is none: in a wrong encoding most of what is not ASCII is no text.

    >>> nearly_fitting("Fähre über Tübingen".encode() + b"\xff", ["utf-8"])
    'Fähre über Tübingen�'
    """
    for name in filter(None, names):
        with suppress(LookupError, ValueError):
            text = data.decode(name, "replace")
            text.encode()  # half a pair has no UTF-8
            if is_nearly_text(text):
                return text
    return None


def is_nearly_text(text: str) -> bool:
    """Whether few of the characters besides ASCII stand for bytes that could not be decoded."""
    bad = text.count("\N{REPLACEMENT CHARACTER}")
    return _PER_BAD * bad <= _beyond_ascii(text) - bad


def _beyond_ascii(text: str) -> int:
    """How many characters are not ASCII."""
    return len(text) - len(text.encode("ascii", "ignore"))


def marked_encoding(head: bytes) -> str | None:
    """The encoding whose byte order mark `head` begins with, by which the mark is text, too; None if there is none."""
    return next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)


def is_utf8(head: bytes, encoding: str) -> bool:
    """Whether text that begins with `head`, which may end within a character, is UTF-8 though it is said to be in
    `encoding`: hardly any text in another encoding is, unless it is short, or in one of another shape.

    >>> ferry = "Паром сел на мель"
    >>> is_utf8(ferry.encode(), "koi8-r"), is_utf8(ferry.encode("koi8-r"), "koi8-r"), is_utf8(b"Rain", "koi8-r")
    (True, False, False)
    """
    if encoding.startswith(_OF_OTHER_SHAPE):
        return False
    with suppress(UnicodeDecodeError):
        text = codecs.getincrementaldecoder("utf-8")().decode(head)
        return _beyond_ascii(text) >= _LEAST
    return False


def bare_encoding(head: bytes) -> str | None:
    """The encoding, UTF-16 or UTF-32, of text without a byte order mark, by where its zero bytes are; None if these are
    few, or at no regular places, and the text does not begin with ASCII. The name is valid for iconv, too.

    >>> bare_encoding("Rain.".encode("utf-16-le")), bare_encoding("Rain.".encode("utf-32-be")), bare_encoding(b"Rain.")
    ('utf-16le', 'utf-32be', None)
    """
    if len(head) >= _BEGINNING:
        zeros = [not byte for byte in head[:_BEGINNING]]
        if not any(zeros[::2]) and all(zeros[1::2]):
            return "utf-16le"
        if all(zeros[::2]) and not any(zeros[1::2]):
            return "utf-16be"
    head = head[:_SAMPLE]
    first, second, third, fourth = (head[at::4].count(0) for at in range(4))
    even, odd, characters = first + third, second + fourth, len(head) // 4
    if even + odd < max(2, len(head) / _PER_ZERO):
        return None
    if _FEW * even <= odd:
        return "utf-16le"
    if _FEW * odd <= even:
        return "utf-16be"
    if _FEW * first <= fourth == characters:
        return "utf-32le"
    return "utf-32be" if _FEW * fourth <= first == characters else None


def transcoded(
    chunks: Iterator[Chunk], encoding: str, on_utf8: Callable[[], object] = lambda: None
) -> Iterator[Chunk]:
    """`chunks` of text in `encoding` as UTF-8, with a `BAD` byte in place of bytes that are not text in it.

    If the first chunk that is not ASCII `is_utf8`, `on_utf8` is called, and all remain as they are.
    """
    decoder = codecs.getincrementaldecoder(encoding)(UNDECODABLE)
    is_all_ascii = True
    for chunk in chunks:
        if is_all_ascii and chunk and not chunk.isascii():
            is_all_ascii = False
            if is_utf8(chunk, encoding):
                on_utf8()
                yield chunk
                yield from chunks
                return
        yield None if chunk is None else _utf8(decoder.decode(chunk))
    yield _utf8(decoder.decode(b"", True))


def not_text(data: bytes, encoding: str | None) -> str | None:
    """What is wrong with bytes that are not UTF-8, or were not text in their `encoding`; None if nothing is."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if encoding is not None:
            good = len(data[: error.start].decode("utf-8"))  # the original bytes are no longer known
            # The encoding of a file with the mark of UTF-8 is None.
            is_marked = encoding in _MARKS.values() and encoding != "utf-8"
            who = "its byte order mark" if is_marked else "--encoding"
            return f"not {encoding}, as {who} says, after {good} characters"
        byte = data[error.start]
        if (control := _CONTROL_RE.search(data)) is not None:
            return (
                f"not text: control byte 0x{control[0][0]:02x} at offset {control.start()}, and not UTF-8: if it is "
                "text, name its encoding by --encoding, such as utf-16le"
            )
        return (
            f"not UTF-8: byte 0x{byte:02x} at offset {error.start}: --encoding names another, such as latin-1"
        )
    if encoding is None and (escaped := escaped_encoding(data)):
        return f"this is text in ISO 2022, with escapes: --encoding {escaped} reads it"
    return None


def is_binary(data: bytes) -> bool:
    """Whether so many bytes are control bytes that this is no text of an encoding whose units are bytes."""
    return _PER_CONTROL * (len(data) - len(data.translate(None, _CONTROLS))) > len(data)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _undecodable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return BAD.decode("utf-8", "surrogateescape"), error.end


codecs.register_error(UNDECODABLE, _undecodable)
