"""One text from the command line: as an option, from a file, or from standard input."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from neardup.cli.exit_codes import say

if TYPE_CHECKING:
    from neardup.sources.reader import Reader


def one_text(
    text: str | None,
    file: Path | None,
    *,
    otherwise: str | None = None,
    what: str = "",
    encoding: str | None = None,
) -> str | None:
    """The text that is meant, None if `otherwise` (the value of the option `what`) stands in its place.

    Raises `typer.BadParameter` unless exactly one of the three is given, and for a file of records, `DocumentError` for
    a file that is no text.
    """
    given = [value for value in (text, file, otherwise) if value is not None]
    if len(given) != 1:
        names = " or ".join(name for name in ("--text", "--file", what) if name)
        raise typer.BadParameter(f"give exactly one of {names}")
    return _content(file, encoding) if file else from_command_line(text, "--text")


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


def _content(file: Path, encoding: str | None) -> str:
    from neardup.errors import DocumentError
    from neardup.model.document import Document, Reject
    from neardup.sources.reader import Reader

    _check_not_records(file)
    reader = Reader([file], form="text", encoding=encoding)
    for item in reader:
        if isinstance(item, Document):
            _tell_of_kind(file, item.text, reader)
            return item.text
        if isinstance(item, Reject):
            raise DocumentError(str(file), item.reason)
    raise DocumentError(str(file), "there is nothing to read")


def _check_not_records(file: Path) -> None:
    from neardup.sources.files import STDIN, form_of

    if str(file) != STDIN and form_of(file.name) not in ("text", None):
        raise typer.BadParameter(
            f"{file} holds records, not one text: give the text of one by --text, or all of them to `neardup ingest`; "
            f"--file - < {file} takes the whole of it for one text",
            param_hint="--file",
        )


def _tell_of_kind(file: Path, text: str, reader: Reader) -> None:
    """Tells of a text that looks like something else, which is compared with whatever makes it that."""
    for remark in reader.remarks():
        say(remark)
    if is_record(text):
        name = "standard input" if str(file) == "-" else str(file)
        say(
            f"{name} looks like a record, and is compared with its braces and names; --text takes the text alone"
        )


def is_record(text: str) -> bool:
    """Whether the first line of `text`, or the whole of it, is an object of JSON."""
    import orjson

    for part in (text.partition("\n")[0], text):
        try:
            if part.lstrip().startswith("{") and isinstance(orjson.loads(part), dict):
                return True
        except orjson.JSONDecodeError:
            continue
    return False
