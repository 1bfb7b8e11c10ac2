"""Formats that are not read as they are, recognised by a file's name or first bytes, and what to do about them."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from neardup.sources import optional_readers
from neardup.sources.files import FORMS, INPUTS, PACKED, UNREAD, Form, ending


class OtherFormat(NamedTuple):
    """A format: its name, how to make documents of it, how `--input text` would read it, and its `form`, if any."""

    name: str
    remedy: str
    as_text: str
    form: Form | None = None


_WITHOUT: Final = optional_readers.HTML.if_missing
HTML: Final = OtherFormat("HTML", f"--input html reads its text{_WITHOUT}", "with its tags", "html")
PAGE: Final = HTML._replace(remedy=f"--html reads its text{_WITHOUT}")
"""HTML in a file whose name says so."""
XML: Final = OtherFormat("XML (RSS, Atom)", "convert it to JSON Lines, one item a line", "with its tags")
MBOX: Final = OtherFormat("a mailbox (mbox)", "--input mbox reads its messages", "as one document", "mbox")
MAIL: Final = OtherFormat("a mail", "--input mail reads its text", "with its headers", "mail")
LOG: Final = OtherFormat(
    "a log",
    "--input jsonl reads lines of JSON; convert other logs to that, one entry a line (jq -Rc '{text: .}')",
    "as one document",
)
JSON: Final = OtherFormat(
    "JSON", "--input jsonl reads its records", "with its braces and names, as one document", "jsonl"
)
MARKDOWN: Final = OtherFormat("Markdown", "convert it to text", "with its marks")
WARC: Final = OtherFormat(
    "an archive of pages (WARC)",
    "convert it to JSON Lines, one page a line",
    "with its headers, as one document",
)
TAR: Final = OtherFormat("a tar archive", "unpack it first (tar -xf)", "")
"""It cannot be read as text: it holds other files."""

_BY_ENDING: Final = {
    **dict.fromkeys((".xml", ".rss", ".atom"), XML),
    ".log": LOG,
    **dict.fromkeys((".md", ".markdown"), MARKDOWN),
    **dict.fromkeys((".warc", ".wet", ".wat"), WARC),
}
_BY_BEGINNING: Final = (
    (re.compile(rb"(?is)(?>(?:(?><!--.*?-->)\s*+)*)<(?:!doctype\s+html|html|head|body)\b"), HTML),
    (re.compile(rb"<(?:\?xml|rss|feed|rdf:RDF)\b"), XML),
    (re.compile(rb'(?:\[\s*+)?\{\s*+"(?>(?:[^"\\\n]|\\.)*)"\s*+:'), JSON),
    (re.compile(rb"(?s).{257}ustar"), TAR),
    (re.compile(rb"WARC/\d\.\d\r?\n"), WARC),
    (re.compile(rb"From \S.*\r?\n>?[!-9;-~]+:"), MBOX),
    (re.compile(rb"(?i)(?:Return-Path|Received|Delivered-To|Message-ID|MIME-Version|X-[\w-]+): .*\r?\n"), MAIL),
)  # fmt: skip
_INTO: Final = {"a spreadsheet": "CSV", "a mail": ".eml", "a mailbox": ".mbox"}
"""The format to convert such a file to, where that is not text."""
_OR_PLAIN: Final = {
    ".doc": "; --input text reads it if it is plain text",
    ".msg": "; --input mail reads it if it is a plain mail",
}
"""Endings that plain documentation and plain mails have had, too."""
_BLANK: Final = b"\xef\xbb\xbf \t\r\n"


def reason_by_name(name: str) -> str:
    """Why a file whose name implies none of the known forms is not read, and what to do."""
    if ending(name) in UNREAD:
        into = _INTO.get(UNREAD[ending(name)].partition(" of ")[0], "UTF-8 text")
        how = "unpack it" if ending(name) in PACKED else f"convert it to {into}"
        plain = _OR_PLAIN.get(ending(name), "")
        return f"this is {UNREAD[ending(name)]}, which neardup does not read: {how} first{plain}"
    kind = _BY_ENDING.get(ending(name))
    return reason_for(kind) if kind else (
        f"the name does not show the format (known: {', '.join(FORMS)}): name it by --input: {', '.join(INPUTS)}"
    )  # fmt: skip


def format_of_beginning(head: bytes) -> OtherFormat | None:
    """The other format of a file that begins with `head`; None if it looks like none of them."""
    begun = head.lstrip(_BLANK)
    return next((kind for pattern, kind in _BY_BEGINNING if pattern.match(begun)), None)


def taken_for_text(name: str) -> str:
    """What a message calls files of the format `name` that are taken for text, and what to do."""
    kind = next(kind for _, kind in _BY_BEGINNING if kind.name == name)
    return f"{name}, taken for text {kind.as_text}: {kind.remedy}"


def reason_for(kind: OtherFormat) -> str:
    """Why a file of this kind is not read, and what to do."""
    otherwise = f"; --input text compares it {kind.as_text}" if kind.as_text else ""
    return f"this is {kind.name}: {kind.remedy}{otherwise}"
