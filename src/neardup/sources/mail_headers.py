"""Headers of mails as people read them."""

from __future__ import annotations

import email.errors
import re
from collections.abc import Iterable
from contextlib import suppress
from email.header import decode_header, make_header
from typing import Final

from neardup.sources.encoding import MEANT, first_fitting

LONGEST_HEADER: Final = 16 * 1024
"""How many characters of a header the library may parse: its time is quadratic in them."""
BROKEN: Final = (LookupError, ValueError, TypeError, email.errors.MessageError)
"""What the standard library raises for a malformed header or encoding."""
_WORD: Final = r"=\?[^?\s]*\?[bq]\?.*?\?="
_WORDS_RE: Final = re.compile(rf"{_WORD}(?:\s*{_WORD})*", re.IGNORECASE)
"""Encoded words (RFC 2047). White space between them is not part of the text."""
_WIDE: Final = ("utf-16", "utf-32")
"""Encodings that headers are never in, though almost any bytes could be text in them."""


def decoded_header(value: str, encodings: Iterable[str | None]) -> str:
    """A header, or a part of one, on one line. Its encoded words are decoded, unless they are malformed or it is longer
    than `LONGEST_HEADER`.

    `value`: as the library parses it, with surrogates for bytes that are not ASCII. These are decoded by UTF-8, else by
    the first of the `encodings` that fits, else by Windows-1252.
    """
    if not value.isascii():
        data = value.encode("utf-8", "surrogateescape")
        names = ("utf-8", *(each for each in encodings if each and not each.startswith(_WIDE)), "cp1252")
        value = first_fitting((data, name) for name in names) or data.decode("latin-1")
    if len(value) <= LONGEST_HEADER:
        value = _WORDS_RE.sub(_decoded_words, value)
    return " ".join(value.encode("utf-8", "replace").decode().split())


def _decoded_words(words: re.Match[str]) -> str:
    with suppress(*BROKEN):  # an unknown encoding, or bytes not valid in it
        return str(
            make_header([(data, MEANT.get(name or "", name)) for data, name in decode_header(words[0])])
        )
    return words[0]
