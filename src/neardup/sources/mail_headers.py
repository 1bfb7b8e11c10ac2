"""Headers of mails: as people read them, and the time that a Date stands for."""

from __future__ import annotations

import email.errors
import email.utils
import re
from collections.abc import Iterable
from contextlib import suppress
from email.header import decode_header, make_header
from typing import Final

from neardup.model.times import format_time, parse_time
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
_ZONES: Final = {
    **dict.fromkeys(("wet",), "+0000"),
    **dict.fromkeys(("west", "cet", "met", "mez"), "+0100"),
    **dict.fromkeys(("cest", "mest", "mesz", "eet"), "+0200"),
    "eest": "+0300",
}
"""Names of zones with a single offset, which programs in Europe wrote into mails."""
_ZONE_RE: Final = re.compile(rf"(?<=[:.]\d\d)\s+\(?({'|'.join(_ZONES)})\)?(?!\S)", re.IGNORECASE)
_OFFSET_RE: Final = re.compile(r"(?<=[:.]\d\d)\s*(?:utc|gmt)?\s*([+-]\d\d):?(\d\d)(?!\S)", re.IGNORECASE)
"""An offset as mails of JavaScript (GMT+0100) and of ISO 8601 (+01:00) have it."""
_DATE_RE: Final = re.compile(
    r".*\d[:.]\d{1,2},?(?:\s+[+-]\d{3,4}(?!\S).*|(?:\s+(?:[a-z]|utc?|gmt|[aecmp][sd]t)(?:\s+\d{4})?(?:\s+\(.*)?|"
    r"\s+\d{4})?)",
    re.IGNORECASE,
)
"""A date whose zone the library knows, or without a zone: it would take any other zone for UTC."""
_LONGEST_DATE: Final = 200


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


def time_of_date(date: str) -> str | None:
    """The time that a Date in one line stands for, in ISO 8601 in UTC; None if it cannot be read: in spam it may be
    anything. Without a zone it is UTC; a zone whose offset is not known cannot be read.

    >>> time_of_date("Tue, 3 Mar 2020 10:00:00 CET"), time_of_date("Tue, 3 Mar 2020 10:00:00 IST")
    ('2020-03-03T09:00:00Z', None)
    """
    with suppress(ValueError):
        return format_time(parse_time(date))
    if len(date) > _LONGEST_DATE:
        return None
    date = _OFFSET_RE.sub(r" \1\2", _ZONE_RE.sub(lambda zone: f" {_ZONES[zone[1].lower()]}", date))
    with suppress(ValueError, TypeError, OverflowError, IndexError):
        if _DATE_RE.fullmatch(date):
            return format_time(parse_time(email.utils.parsedate_to_datetime(date)))
    return None
