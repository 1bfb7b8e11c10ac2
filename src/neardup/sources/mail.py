"""Mail: a message is a document of its own text, with its Message-ID as id and its Date as time."""

from __future__ import annotations

import email
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from email.policy import Compat32
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.model.counted import some_of
from neardup.model.document import FLUSH
from neardup.sources import optional_readers
from neardup.sources.html_page import PageError
from neardup.sources.lines import BOM, Overlong, lines
from neardup.sources.mail_headers import BROKEN, LONGEST_HEADER, decoded_header, time_of_date
from neardup.sources.mail_packing import HEADER, packing_meant, unknown_packing
from neardup.sources.mail_texts import (
    TEXTS,
    Text,
    begins_with_page,
    encoding_named,
    may_be_text,
    parts_of,
    texts_of,
)
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
"""The line before a message of a mailbox: its sender and its time of arrival. Without the time it is a sentence."""
_WRITTEN_RE: Final = re.compile(rb"From \S+ +(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z][a-z] +\d+ \d\d:\d\d")
"""A postmark in the form that programs write (RFC 4155), which needs no blank line above."""
_RETURN_RE: Final = re.compile(rb"From [^\r]*\r+[^\r]")
"""A postmark that ends in carriage returns, not in a line feed; more text follows on the same line."""
_EMLX_RE: Final = re.compile(rb"\d+[ \t]*\r?\n[!-9;-~]+:")
"""How a mail of Apple Mail begins: with its length, and then its headers."""
_HEADER_RE: Final = re.compile(rb"(?:%s)?[!-9;-~]+:|>From " % BOM)
"""How the first line of a message begins: with the name of a header (RFC 5322, 2.2), or an older postmark."""
_SHOWN: Final = {"subject": "Subject", "from": "From", "to": "To"}
ONLY_HTML: Final = f"the mail begins with text in HTML: --html reads it{optional_readers.HTML.if_missing}"
NO_MAIL: Final = "not a mail: it begins with no header; --input says what it is"
EMPTY: Final = "the mail is empty"
RETURNS: Final = (
    "the lines of the mailbox end in carriage returns alone: turn them into line feeds (tr '\\r' '\\n')"
)
NO_MAILBOX: Final = (
    "not a mailbox (mbox): it does not begin with a line 'From sender time'; --input says what it is"
)
TOO_DEEP: Final = "the parts of the mail are nested too deep to be read"
NO_TEXT: Final = "the mail has no text part"
OF_OTHERS: Final = "mail has attached texts or mails, which are not read"
SAYS_LESS: Final = "mail has a plain text with less than half of what is in HTML: --html reads the HTML"
NO_DATE: Final = "mail has a Date that cannot be read, and so no time"
PACKED: Final = f"the text of the mail is encoded as {{packing!r}} ({HEADER}), which neardup cannot decode"
UNREADABLE: Final = "the mail cannot be parsed: {error}"
_LONGEST_KIND: Final = 60
BLANK: Final = b" \t\r\n"


class _Policy(Compat32):
    """Cuts the headers that say how a part is to be read to `LONGEST_HEADER`, and puts the transfer encoding that is
    meant in place of the one written: the library unpacks nothing if a blank or a comment follows its name. Bytes of
    headers that are not ASCII stay, as surrogates.
    """

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        if name.lower() == HEADER.lower():
            return name, packing_meant(value[:LONGEST_HEADER])
        return name, value[:LONGEST_HEADER] if name.lower().startswith("content-") else value

    def header_fetch_parse(self, name: str, value: str) -> str:  # noqa: ARG002 - of the library
        return value


_POLICY: Final = _Policy()


class _Mail(NamedTuple):
    """The parts of a message that are used; `id` is empty if it has none."""

    id: str
    texts: list[Text]
    date: str
    """The header Date, which may be no date; empty if there is none."""
    shown: dict[str, Any]
    packing: str | None
    """The unknown transfer encoding of a text, if for that reason no text can be read."""
    kinds: list[str]
    """The kinds of the parts, if no text can be read."""
    has_others: bool
    """Whether texts or mails are attached."""


def document(chunks: Iterator[Chunk], position: Position, longest: int, html: TextOfHtml | None) -> Item:
    """A file as one message; without a Message-ID, the file's name is the id. `html` turns parts in HTML into text."""
    data = content_of(chunks, longest)
    if data is None:
        return too_long(position, longest)
    # Some programs leave the mailbox's postmark before the mail.
    head, _, rest = data.partition(b"\n")
    return _document(
        rest if _is_postmark(head.removeprefix(BOM)) else data, position, position.named(data), html
    )


def documents(
    chunks: Iterator[Chunk], position: Position, longest: int, html: TextOfHtml | None
) -> Iterator[Item]:
    """The messages of a mailbox (mbox), of at most `longest` bytes each; `position` has the line each begins in.

    The standard library's reader of mailboxes needs a file that it can seek in; here it may be compressed, or a pipe,
    in which a message ends when the next one begins.
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
    """The messages without their postmarks, each with the number of its first line, and None in place of a message that
    is too long. A bare None: nothing more is available now.

    Text before the first postmark has the number 0, unless it is blank. A postmark must be followed by a header:
    otherwise it is a sentence of a mail.
    """
    held: list[bytes] = []
    number, start, size, is_after_blank = 0, 0, 0, True
    for pair in _with_next(lines(chunks, longest)):
        if pair is None:
            yield None
            continue
        number, (line, below) = number + 1, pair
        is_blank = not line.strip(BLANK)
        is_bare = is_after_blank and not (below or b"").strip(BLANK)  # an empty message
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
    """Every line with the one below it, None below the last. A bare None: nothing more is available now."""
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
        mail = _taken_apart(data, position.encoding, reads_pages=html is not None)
    except (RecursionError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - a broken mail may make the library raise anything
        return position.reject(UNREADABLE.format(error=f"{type(error).__name__}: {error}"), id=otherwise)
    if mail is None:
        return position.reject(_why_no_mail(data), id=position.stem)
    id = mail.id or otherwise
    if not mail.texts:
        reason = f"{NO_TEXT}: it has {some_of(mail.kinds)}" if mail.kinds else NO_TEXT
        return position.reject(PACKED.format(packing=mail.packing) if mail.packing else reason, id=id)
    if html is None and begins_with_page(mail.texts):
        return position.reject(ONLY_HTML, id=id)
    texts = mail.texts if html else [each for each in mail.texts if not each.is_page]
    try:
        read = [html(each.text) if html and each.is_page else each.text for each in texts]
    except PageError as error:
        plain = "" if begins_with_page(texts) else "; without --html only the plain text before it is read"
        return position.reject(f"{error}{plain}", id=id)
    time = time_of_date(mail.date)
    if mail.date and time is None:
        position.notice(NO_DATE, mail.date)
    if mail.has_others:
        position.notice(OF_OTHERS)
    if any(each.says_less for each in texts):
        position.notice(SAYS_LESS)
    for doubt in sorted({each.doubt for each in texts if each.doubt}):
        position.notice(f"mail has {doubt}")
    return position.document(id, "\n".join(read), time, mail.shown)


def _why_no_mail(data: bytes) -> str:
    if not data.strip(BOM + BLANK):
        return EMPTY
    return reason_by_name("mail.emlx") if _EMLX_RE.match(data) else NO_MAIL


def _taken_apart(data: bytes, encoding: str | None, *, reads_pages: bool) -> _Mail | None:
    """The parts of the message that are used; None if it has no header. All of the library's work is done here."""
    message = email.message_from_bytes(data.lstrip(BOM + BLANK), policy=_POLICY)
    if not message.keys():
        return None
    texts = texts_of(message, encoding, reads_pages=reads_pages)
    packings = () if texts else (unknown_packing(each) for each in parts_of(message) if may_be_text(each))
    named = next(filter(None, map(encoding_named, parts_of(message))), None)
    return _Mail(
        decoded_header(message.get("Message-ID") or "", (named, encoding)).strip("<> \t"),
        texts,
        decoded_header(message.get("Date") or "", (named, encoding)),
        _shown(message, (named, encoding)),
        next(filter(None, packings), None),
        [] if texts else [*dict.fromkeys(map(_kind, parts_of(message)))],
        any(
            each.get_content_type() == "message/rfc822"
            or (each.get_content_type() in TEXTS and not may_be_text(each))
            for each in parts_of(message)
        ),
    )


def _kind(part: Message) -> str:
    """The kind of a part that is not read, and why if it could be a text by its kind."""
    kind = decoded_header(part.get_content_type(), ())[:_LONGEST_KIND]
    if part.get_content_maintype() == "multipart":
        return f"{kind} that cannot be divided into parts"
    if part.get_content_type() not in TEXTS:
        return kind
    return f"blank {kind}" if may_be_text(part) else f"{kind} as an attachment"


def _shown(message: Message, encodings: tuple[str | None, ...]) -> dict[str, Any]:
    """The fields to show beside the text: headers, and the names of attachments."""
    values = {name: decoded_header(message.get(header) or "", encodings) for name, header in _SHOWN.items()}
    values[ATTACHMENTS] = ", ".join(_attached(message, encodings))
    return {name: value for name, value in values.items() if value}


def _attached(message: Message, encodings: tuple[str | None, ...]) -> Iterator[str]:
    """The names of attachments and of forwarded messages, or their kinds if they have no names. Signatures and pictures
    that a page shows are left out.
    """
    for part in parts_of(message):
        kind, is_attached = part.get_content_type(), part.get_content_disposition() == "attachment"
        is_own = (kind in TEXTS and not unknown_packing(part)) or part["Content-ID"]
        if not kind.endswith("-signature") and (is_attached or not is_own):
            name = None
            with suppress(*BROKEN):
                name = part.get_filename()
            yield decoded_header(name or kind, encodings)
