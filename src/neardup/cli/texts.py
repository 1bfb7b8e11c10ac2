"""One text from the command line: as an option, from a file, or from standard input."""

from __future__ import annotations

import os
from pathlib import Path

import typer


def one_text(
    text: str | None, file: Path | None, *, otherwise: str | None = None, what: str = ""
) -> str | None:
    """The text that is meant, None if `otherwise` (the value of the option `what`) stands in its place.

    Raises `typer.BadParameter` unless exactly one of the three is given, `DocumentError` for a file that is no text.
    """
    given = [value for value in (text, file, otherwise) if value is not None]
    if len(given) != 1:
        names = " or ".join(name for name in ("--text", "--file", what) if name)
        raise typer.BadParameter(f"give exactly one of {names}")
    return _content(file) if file else from_command_line(text, "--text")


def from_command_line(text: str | None, what: str) -> str | None:
    """`text` as it was meant: what the locale could not decode is UTF-8, or no text.

    Raises `DocumentError`, naming the option `what`, for the latter.
    """
    from neardup.errors import DocumentError

    if text is None or not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    data = os.fsencode(text)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        found = f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        raise DocumentError(what, found) from None


def _content(file: Path) -> str:
    from neardup.document import Document, Reject
    from neardup.errors import DocumentError
    from neardup.sources import Reader

    for item in Reader([file], form="text"):
        if isinstance(item, Document):
            return item.text
        if isinstance(item, Reject):
            raise DocumentError(str(file), item.reason)
    raise DocumentError(str(file), "there is nothing to read")
