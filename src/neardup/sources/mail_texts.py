"""The texts of a mail: its parts in plain text and in HTML, decoded."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from neardup.sources.encoding import (
    MENDED,
    declared_encoding,
    escaped_encoding,
    first_fitting,
    meant_encoding,
    nearly_fitting,
)
from neardup.sources.mail_alternatives import says_less
from neardup.sources.mail_headers import BROKEN
from neardup.sources.mail_packing import unknown_packing, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

_EITHER: Final = "multipart/alternative"
_PAGE: Final = "text/html"
_MARKDOWN: Final = ("text/markdown", "text/x-markdown")
TEXTS: Final = ("text/plain", *_MARKDOWN, _PAGE)
UNNAMED: Final = "a text that is not UTF-8 and names no encoding that fits: Windows-1252 was assumed"
_HALF_RE: Final = re.compile(rb"[\xc2-\xf4][\x80-\xbf]{0,2}\Z")
"""The end of a text in UTF-8 that was cut within a character."""


class Text(NamedTuple):
    """A text of a message, plain or in HTML."""

    is_page: bool
    text: str
    says_less: bool = False
    """Whether there is HTML in the same place that says much more."""
    doubt: str | None = None
    """What is to be said of the encoding by which it was read."""


def _inner(part: Message) -> list[Message] | None:
    """The parts within this one; None for a text, a file or a message, even if that has parts of its own."""
    # Asked for a single part, the library would decode its text, by an encoding that may not exist.
    inner = part.get_payload() if part.is_multipart() else None
    is_message = part.get_content_maintype() == "message"
    return inner if isinstance(inner, list) and not is_message else None  # type: ignore[return-value]


def parts_of(part: Message) -> Iterator[Message]:
    """The innermost parts, those without parts of their own."""
    inner = _inner(part)
    if inner is None:
        yield part
    for each in inner or ():
        yield from parts_of(each)


def texts_of(part: Message, encoding: str | None, *, reads_pages: bool) -> list[Text]:
    """The texts of the message itself, not of attachments or of messages within it."""
    inner, kind = _inner(part), part.get_content_type()
    if inner is not None:
        if kind == _EITHER and "text/plain" in (each.get_content_type() for each in inner):
            inner = [each for each in inner if each.get_content_type() not in _MARKDOWN]
        versions = [texts_of(each, encoding, reads_pages=reads_pages) for each in inner]
        if kind == _EITHER:
            versions = _chosen(versions, reads_pages=reads_pages)
        return [text for texts in versions for text in texts]
    if not may_be_text(part) or unknown_packing(part):
        return []
    decoded, doubt = _decoded(part, encoding)
    text = Text(kind == _PAGE, decoded, doubt=doubt)
    return [] if text.is_page and not text.text.strip() else [text]


def _chosen(versions: list[list[Text]], *, reads_pages: bool) -> list[list[Text]]:
    """Of alternatives those that begin with plain text, if there are any, unless pages are read and say much more. A
    mailing list's footer is no alternative to the page before it.
    """
    plain = [texts for texts in versions if begins_with_page(texts) is False]
    pages = [texts for texts in versions if begins_with_page(texts)]
    if not plain or not pages:
        return plain or versions
    if not says_less(*("\n".join(text.text for texts in each for text in texts) for each in (plain, pages))):
        return plain
    return pages if reads_pages else [[text._replace(says_less=True) for text in texts] for texts in plain]


def may_be_text(part: Message) -> bool:
    """Whether a part is text of the message by its kind, and not attached to it."""
    return part.get_content_type() in TEXTS and part.get_content_disposition() != "attachment"


def begins_with_page(texts: list[Text]) -> bool | None:
    """Whether the first of some texts that is not blank is a page; None if all are blank."""
    return next((each.is_page for each in texts if each.text.strip()), None)


def _decoded(part: Message, encoding: str | None) -> tuple[str, str | None]:
    """(The text of a part by the encoding it names, or by the likeliest one if it names a wrong one or none; what is to
    be said of that).
    """
    data = unpacked(part)
    if data is None:
        return "", None
    named = encoding_named(part)
    declared = declared_encoding(data) if part.get_content_type() == _PAGE else None
    # A text with escapes is ASCII, and so valid as UTF-8, too, which mails name without meaning it.
    first = escaped_encoding(data, declared) if named in (None, "ascii", "utf-8") else named
    text = first_fitting(_readings(data, first, declared, encoding))
    if text is not None:
        return text, None
    text = nearly_fitting(data, ("utf-8", first, declared))
    if text is not None:
        return text, MENDED
    return first_fitting([(data, "cp1252")]) or data.decode("latin-1"), UNNAMED


def _readings(data: bytes, named: str | None, *others: str | None) -> Iterator[tuple[bytes, str | None]]:
    """Pairs of a text's bytes, perhaps cut, and an encoding that they may be in, the likeliest first."""
    yield data, named
    yield data, "utf-8"
    whole = _HALF_RE.sub(b"", data)
    if not whole.isascii():  # otherwise its end is a letter of another encoding
        yield whole, "utf-8"
    yield from ((data, other) for other in others)


def encoding_named(part: Message) -> str | None:
    """The encoding that a part names; None if it names none, or one that cannot be read."""
    with suppress(*BROKEN):
        named = part.get_content_charset()
        return meant_encoding(named) if named else None
    return None
