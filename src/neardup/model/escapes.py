"""Text from outside, made safe to show on a terminal, in a log or on a page.

Ids, titles, names of fields and files come from outside. An escape sequence in one of them could rename a terminal's
window, clear it, or reverse the rest of a line, and logs are read on terminals, too. So every character that would
control the display is replaced by its escape. A person may have typed a password where none belongs; messages do not
repeat it.
"""

from __future__ import annotations

import re
from typing import Final

_STEERING: Final = (
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1: escape sequences begin with one of them
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # the order in which a line is read
    "\u2028\u2029"  # line and paragraph separator
    "\ud800-\udfff"  # no characters: bytes of a file name that are not UTF-8
)
_PASSWORD_RE: Final = re.compile(
    r"""
    (?P<scheme> \b (?: [a-z][a-z0-9+.-]{0,20} [:;] [/\\]+ | https? [:;/\\]+ ) )  # also half a one
    [^\s/\\:@]{0,200} : (?! \d{2,5} / ) \S{0,2000} @  # but not of a path behind a port
    | (?<! [\w.@:-] ) (?<! [\w.-] / )  # none, but a host and its port; within a path it is a line of a file
    [^\s/\\:@'"`(]{1,200} : (?! (?<= http: ) // | (?<= https: ) // ) \S{0,2000} @ (?= [\w.-]+ : \d )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""A spreadsheet may compute a cell that begins with one of these; the last four are the first four in full width."""
BYTE_ORDER_MARK: Final = "\ufeff"
"""Before a CSV file: without it Excel does not read UTF-8."""
_ANY_RE: Final = re.compile(f"[{_STEERING}]")
_BUT_LINES_RE: Final = re.compile(f"(?![\t\n])[{_STEERING}]")
_UNSEEN_RE: Final = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    "|(?<![^\0-\u058f])[\u200c\u200d\ufe00-\ufe0f]"  # joiners and variants are seen in other scripts, and in emoji
)
"""The characters that cannot be seen: those of Unicode's Default_Ignorable_Code_Point, and what steers a line."""
_ESCAPE_RE: Final = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
_JSON_RE: Final = re.compile(f"(?!\n)[{_STEERING}]")


def escaped(text: str, *, lines: bool = False) -> str:
    r"""`text` with every character that controls a terminal as its escape, and bytes of a file name that are not UTF-8
    as `\xNN`. With `lines`, tabs and line feeds stay.

    >>> print(escaped("a\x1b[2Jb\u202ec\nd"))
    a\x1b[2Jb\u202ec\x0ad
    """
    return (_BUT_LINES_RE if lines else _ANY_RE).sub(_escape, text)


def advice_on_escapes(id: str) -> str:
    r"""What to add to a message that there is no document of this id, if the id may hold an escape of `escaped`.

    >>> advice_on_escapes("wire-0007"), advice_on_escapes(r"a\x0ab")[:38]
    ('', ' (tables and CSV show control characte')
    """
    if _ESCAPE_RE.search(id) is None:
        return ""
    return r" (tables and CSV show control characters as escapes, such as \x0a; --format jsonl has the ids themselves)"


def visible(text: str) -> str:
    r"""`text` with every character that cannot be seen as its escape: two texts that differ look different.

    >>> print(visible("Jo\u200bnes, n\xadot"))
    Jo\u200bnes, n\xadot
    """
    return _UNSEEN_RE.sub(_escape, text)


def without_passwords(text: str) -> str:
    """A message with *** for user and password in every URL, and in every text most likely meant as one.

    >>> without_passwords("https:/elastic:hush@search/news does not exist")
    'https:/***@search/news does not exist'
    """
    return _PASSWORD_RE.sub(lambda match: f"{match['scheme'] or ''}***@", text)


def escaped_json(data: bytes) -> bytes:
    r"""Equivalent lines of JSON, in which the characters that `escaped` replaces are JSON escapes.

    >>> escaped_json('{"id":"a\x9bb"}'.encode())
    b'{"id":"a\\u009bb"}'
    """
    return _JSON_RE.sub(_json_escape, data.decode()).encode()


def _escape(match: re.Match[str]) -> str:
    point = ord(match[0])
    if 0xDC80 <= point <= 0xDCFF:  # Python represents such a byte so
        point -= 0xDC00
    if point > 0xFFFF:
        return f"\\U{point:08x}"
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}"


def _json_escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def no_formula(text: str) -> str:
    """`text` as a cell of a CSV file, with an apostrophe in front if a spreadsheet would compute it.

    >>> no_formula("=1+1"), no_formula("wire-0007")
    ("'=1+1", 'wire-0007')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text
