"""Mail: a message is a document of its own text, called by its Message-ID, at its Date."""

from __future__ import annotations

import email
import email.errors
import email.utils
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from email.header import decode_header, make_header
from email.policy import Compat32
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.model.document import FLUSH
from neardup.model.times import format_time, parse_time
from neardup.sources import optional_readers
from neardup.sources.encoding import MEANT, meant_encoding
from neardup.sources.html_page import PageError
from neardup.sources.lines import BOM, Overlong, lines
from neardup.sources.mail_packing import HEADER, packing_meant, unknown_packing, unpacked
from neardup.sources.other_formats import reason_by_name
from neardup.sources.position import ATTACHMENTS
from neardup.sources.text_file import content_of, too_long

if TYPE_CHECKING:
    from email.message import Message

    from neardup.sources.lines import Lines
    from neardup.sources.position import Item, Position
    from neardup.sources.streams import Chunk

TextOfHtml = Callable[[str], str]

_POSTMARK_RE: Final = re.compile(rb"From \S.*\d\d:\d\d")
"""The line before a message of a mailbox: its sender and when it came. Without the time it is a sentence of a mail."""
_WRITTEN_RE: Final = re.compile(rb"From \S+ +(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z][a-z] +\d+ \d\d:\d\d")
"""The same as programs write it (RFC 4155), which may do without a blank line above."""
_RETURN_RE: Final = re.compile(rb"From [^\r]*\r+[^\r]")
"""The same where no line feed ends it: what comes behind it is no part of it."""
_EMLX_RE: Final = re.compile(rb"\d+[ \t]*\r?\n[!-9;-~]+:")
"""How a mail of Apple Mail begins: with how long it is, and then its headers."""
_HEADER_RE: Final = re.compile(rb"(?:%s)?[!-9;-~]+:|>From " % BOM)
"""How the first line of a message begins: with the name of a header (RFC 5322, 2.2), or an older postmark."""
_SHOWN: Final = {"subject": "Subject", "from": "From", "to": "To"}
ONLY_HTML: Final = f"the mail begins with text in HTML: --html reads it{optional_readers.HTML.if_missing}"
NO_MAIL: Final = "not a mail: it begins with no header; --input says what it is"
EMPTY: Final = "the mail is empty"
RETURNS: Final = (
    "the lines of the mailbox end in carriage returns alone: make line feeds of them (tr '\\r' '\\n')"
)
NO_MAILBOX: Final = (
    "not a mailbox (mbox): it does not begin with a line 'From sender time'; --input says what it is"
)
TOO_DEEP: Final = "the parts of the mail lie in one another too deep to be read"
NO_TEXT: Final = "the mail has no text part"
PACKED: Final = f"the text of the mail is packed by {{packing!r}} ({HEADER}), which nobody knows to unpack"
UNREADABLE: Final = "the mail cannot be taken apart: {error}"
_EITHER: Final = "multipart/alternative"
_PAGE: Final = "text/html"
_TEXTS: Final = ("text/plain", _PAGE)
BLANK: Final = b" \t\r\n"
_HALF_RE: Final = re.compile(rb"[\xc2-\xf4][\x80-\xbf]{0,2}\Z")
"""What a text in UTF-8 ends with that was cut within a character."""
LONGEST_HEADER: Final = 16 * 1024
"""Characters of a header that the library takes apart: its time goes with their square."""
_BROKEN: Final = (LookupError, ValueError, TypeError, email.errors.MessageError)
"""What the standard library raises for a header or an encoding that is not as it should be."""


class _Policy(Compat32):
    """Of headers that say how a part is to be read, and are longer than any that says it, the beginning counts; of how
    it was packed for transfer, what is meant: the library unpacks nothing by one with a blank or a comment behind it.
    """

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        if name.lower() == HEADER.lower():
            return name, packing_meant(value[:LONGEST_HEADER])
        return name, value[:LONGEST_HEADER] if name.lower().startswith("content-") else value


_POLICY: Final = _Policy()


class _Text(NamedTuple):
    """A text of a message, plain or in HTML."""

    is_page: bool
    text: str


class _Mail(NamedTuple):
    """What of a message is used; no `id` if it has none."""

    id: str
    texts: list[_Text]
    time: str | None
    shown: dict[str, Any]
    packing: str | None
    """What a text is packed by that cannot be read for it, where none can be read."""


def document(chunks: Iterator[Chunk], position: Position, longest: int, html: TextOfHtml | None) -> Item:
    """A file as one message; its name is the id of one without a Message-ID. `html` makes text of parts in HTML."""
    data = content_of(chunks, longest)
    if data is None:
        return too_long(position, longest)
    # Some programs leave the postmark of the mailbox in.
    head, _, rest = data.partition(b"\n")
    return _document(
        rest if _is_postmark(head.removeprefix(BOM)) else data, position, position.named(data), html
    )


def documents(
    chunks: Iterator[Chunk], position: Position, longest: int, html: TextOfHtml | None
) -> Iterator[Item]:
    """The messages of a mailbox (mbox), of at most `longest` bytes each; `position` has the line each begins in.

    The standard library's reader of mailboxes needs a file that it can seek in; ours may be compressed, or a pipe, of
    which a message is read when the next one begins.
    """
    for each in _messages(chunks, longest):
        if each is None:
            yield FLUSH
            continue
        line, message = each
        position.line = line
        if message is None:
            yield position.reject(f"the mail is longer than {longest:,} bytes")
        elif not line:
            yield position.reject(RETURNS if _RETURN_RE.match(message.partition(b"\n")[0]) else NO_MAILBOX)
        else:
            yield _document(message, position, position.distinct(position.name(message)), html)


def _messages(chunks: Iterator[Chunk], longest: int) -> Iterator[tuple[int, bytes | None] | None]:
    """The messages without their postmarks, each with the number of its first line; None for one that is too long. Or
    None: nothing more is there now.

    What stands before the first postmark has the number 0, unless it is blank. Below a postmark a header begins: else
    it is a sentence of a mail.
    """
    held: list[bytes] = []
    number, start, size, is_after_blank = 0, 0, 0, True
    for pair in _with_next(lines(chunks, longest)):
        if pair is None:
            yield None
            continue
        number, (line, below) = number + 1, pair
        is_blank = not line.strip(BLANK)
        is_bare = is_after_blank and not (below or b"").strip(BLANK)  # a message that is nothing
        is_mark = _is_postmark(line, _POSTMARK_RE if is_after_blank else _WRITTEN_RE)
        if is_mark and (is_bare or _HEADER_RE.match(below or b"")):
            if size:
                yield start, None if size > longest else b"\n".join(held)
            held, size, start = [], 0, number
        elif size or start or not is_blank:
            size += longest + 1 if isinstance(line, Overlong) else len(line) + 1
            held = held if size <= longest else []
            held.append(line)
        is_after_blank = is_blank
    if size or start:
        yield start, None if size > longest else b"\n".join(held)


def _is_postmark(line: bytes, pattern: re.Pattern[bytes] = _POSTMARK_RE) -> bool:
    return pattern.match(line) is not None and not _RETURN_RE.match(line)


def _with_next(batches: Iterator[Lines]) -> Iterator[tuple[bytes, bytes | None] | None]:
    """Every line with the one below it, None below the last. Or None: nothing more is there now."""
    above: bytes | None = None
    for batch in batches:
        if batch is None:
            yield None
        for line in batch or ():
            if above is not None:
                yield above, line
            above = line
    if above is not None:
        yield above, None


def _document(data: bytes, position: Position, otherwise: str, html: TextOfHtml | None) -> Item:
    try:
        return _read(data, position, otherwise, html)
    except RecursionError:
        return position.reject(TOO_DEEP, id=otherwise)


def _read(data: bytes, position: Position, otherwise: str, html: TextOfHtml | None) -> Item:
    try:
        mail = _taken_apart(data, position.encoding)
    except (RecursionError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - what else a broken mail makes the library raise is not foreseen
        return position.reject(UNREADABLE.format(error=f"{type(error).__name__}: {error}"), id=otherwise)
    if mail is None:
        return position.reject(_why_no_mail(data), id=position.stem)
    id = mail.id or otherwise
    if not mail.texts:
        return position.reject(PACKED.format(packing=mail.packing) if mail.packing else NO_TEXT, id=id)
    if html is None and _begins_with_page(mail.texts):
        return position.reject(ONLY_HTML, id=id)
    texts = mail.texts if html else [each for each in mail.texts if not each.is_page]
    try:
        read = [html(each.text) if html and each.is_page else each.text for each in texts]
    except PageError as error:
        plain = "" if _begins_with_page(texts) else "; without --html the plain text before it is read alone"
        return position.reject(f"{error}{plain}", id=id)
    return position.document(id, "\n".join(read), mail.time, mail.shown)


def _why_no_mail(data: bytes) -> str:
    if not data.strip(BOM + BLANK):
        return EMPTY
    return reason_by_name("mail.emlx") if _EMLX_RE.match(data) else NO_MAIL


def _taken_apart(data: bytes, encoding: str | None) -> _Mail | None:
    """What is used of the message; None if it has no header. All of the library's work on one mail is done here."""
    message = email.message_from_bytes(data.lstrip(BOM + BLANK), policy=_POLICY)
    if not message.keys():
        return None
    texts = _texts(message, encoding)
    packings = () if texts else (unknown_packing(each) for each in _parts(message) if _may_be_text(each))
    return _Mail(
        _header(message, "Message-ID").strip("<> \t"),
        texts,
        _time(message),
        _shown(message),
        next(filter(None, packings), None),
    )


def _shown(message: Message) -> dict[str, Any]:
    """What a reader wants to see beside the text: headers, and names of what is attached."""
    values = {name: _header(message, header) for name, header in _SHOWN.items()}
    values[ATTACHMENTS] = ", ".join(_attached(message))
    return {name: value for name, value in values.items() if value}


def _inner(part: Message) -> list[Message] | None:
    """The parts within this one; None of one that is a text, a file or a message, whatever that has."""
    # Of one part alone the library would decode the text, by an encoding that may be none.
    inner = part.get_payload() if part.is_multipart() else None
    is_message = part.get_content_maintype() == "message"
    return inner if isinstance(inner, list) and not is_message else None  # type: ignore[return-value]


def _parts(part: Message) -> Iterator[Message]:
    """The parts that have none of their own."""
    inner = _inner(part)
    if inner is None:
        yield part
    for each in inner or ():
        yield from _parts(each)


def _texts(part: Message, encoding: str | None) -> list[_Text]:
    """The texts of the message itself, not those of attachments, or of messages within it: of alternatives those that
    begin with plain text, if there are any. A mailing list's footer is no alternative to the page before it.
    """
    inner, kind = _inner(part), part.get_content_type()
    if inner is not None:
        versions = [_texts(each, encoding) for each in inner]
        plain = [texts for texts in versions if _begins_with_page(texts) is False]
        return [text for texts in (plain if kind == _EITHER and plain else versions) for text in texts]
    if not _may_be_text(part) or unknown_packing(part):
        return []
    text = _Text(kind == _PAGE, _decoded(part, encoding))
    return [] if text.is_page and not text.text.strip() else [text]


def _may_be_text(part: Message) -> bool:
    return part.get_content_type() in _TEXTS and part.get_content_disposition() != "attachment"


def _begins_with_page(texts: list[_Text]) -> bool | None:
    """Whether the first of some texts that is not blank is a page; None if all are blank."""
    return next((each.is_page for each in texts if each.text.strip()), None)


def _attached(message: Message) -> Iterator[str]:
    """The names of what is attached, or forwarded as it came; without a name, its kind. Not signatures, nor pictures
    that a page shows.
    """
    for part in _parts(message):
        kind, is_attached = part.get_content_type(), part.get_content_disposition() == "attachment"
        is_own = (kind in _TEXTS and not unknown_packing(part)) or part["Content-ID"]
        if not kind.endswith("-signature") and (is_attached or not is_own):
            name = None
            with suppress(*_BROKEN):
                name = part.get_filename()
            yield _plain(name or kind)


def _decoded(part: Message, encoding: str | None) -> str:
    """The text of a part by the encoding it names, or what it can be if it names a wrong one or none.

    What has half a surrogate pair in it is no text, and its encoding a wrong one (unicode_escape, utf-7).
    """
    data = unpacked(part)
    if data is None:
        return ""
    for each, name in _readings(data, _encoding_named(part), encoding):
        with suppress(LookupError, ValueError):
            text = each.decode(name or "ascii")
            text.encode()  # half a pair has no UTF-8
            return text
    return data.decode("latin-1")


def _readings(data: bytes, named: str | None, otherwise: str | None) -> Iterator[tuple[bytes, str | None]]:
    """What of a text may be in which encoding, the likeliest first."""
    yield data, named
    yield data, "utf-8"
    whole = _HALF_RE.sub(b"", data)
    if not whole.isascii():  # else what ends it is a letter of another encoding
        yield whole, "utf-8"
    yield data, otherwise
    yield data, "cp1252"


def _encoding_named(part: Message) -> str | None:
    """The encoding that a part names; None if it names none, or in a way that cannot be read."""
    with suppress(*_BROKEN):
        named = part.get_content_charset()
        return meant_encoding(named) if named else None
    return None


def _header(message: Message, name: str) -> str:
    """A header as people read it; as it stands if it is not as it should be, or longer than `LONGEST_HEADER`."""
    value = str(message.get(name) or "")
    if len(value) <= LONGEST_HEADER:
        with suppress(*_BROKEN):  # an encoding that nobody knows, or bytes that are not of it
            parts = [(data, MEANT.get(charset or "", charset)) for data, charset in decode_header(value)]
            value = str(make_header(parts))
    return _plain(value)


def _plain(value: str) -> str:
    return " ".join(value.encode("utf-8", "replace").decode().split())


def _time(message: Message) -> str | None:
    """The Date in ISO 8601; None where it is none: spam has any date."""
    try:
        return format_time(parse_time(email.utils.parsedate_to_datetime(str(message.get("Date")))))
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
