"""One text that a command is about: given as it is, in a file, or as the record of a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from neardup.cli.streams import log_line
from neardup.errors import DocumentError
from neardup.model.document import Document, Reject
from neardup.model.times import format_time, parse_time

if TYPE_CHECKING:
    from neardup.cli.config import Config
    from neardup.sources.files import Form
    from neardup.sources.reader import Reader

_MOST_SHOWN: Final = 40
"""How many characters of a text a message about it shows."""
_MOST_DIGITS: Final = 18
"""The most digits of a line's number: Python refuses to convert thousands of digits."""


def one_text(
    text: str | None,
    file: Path | None,
    *,
    otherwise: str | None = None,
    otherwise_option: str = "",
    encoding: str | None = None,
    html: bool = False,
    form: Form | None = None,
) -> str | None:
    """The text that is meant, None if `otherwise` (the value of `otherwise_option`) is given in its place.

    The text of a page includes its markup, unless `html` is set. `form`: the form of the file, whatever its name.
    Raises `typer.BadParameter` unless exactly one of the three is given, and for a file of records, `DocumentError` for
    a file that is not text.
    """
    given = [value for value in (text, file, otherwise) if value is not None]
    if len(given) != 1:
        names = " or ".join(name for name in ("--text", "--file", otherwise_option) if name)
        raise typer.BadParameter(f"give exactly one of {names}")
    return _content(file, encoding, html=html, form=form) if file else from_command_line(text, "--text")


def is_file(name: str) -> bool:
    """Whether `name` is an existing file, standard input, or a pipe, such as a shell makes for `<(command)`."""
    from neardup.sources import files

    return name == files.STDIN or files.is_file(name) or _is_pipe(name)


def _is_pipe(name: str) -> bool:
    try:
        return Path(name).is_fifo()
    except (OSError, ValueError):
        return False


def is_record_of_file(name: str) -> bool:
    """Whether `name` names a record as messages and `dedup` do: by an existing file and a line."""
    file, _, line = name.rpartition(":")
    return line.isdecimal() and len(line) <= _MOST_DIGITS and is_file(file)


def record_of_file(name: str, config: Config, **reading: Any) -> Document:
    """The document of a record named as in `is_record_of_file`; its file is read up to that record by `Config.reader`.

    Raises `DocumentError` for a record that cannot be used, or that does not exist.
    """
    file, _, line = name.rpartition(":")
    reader = config.reader([file], **reading)
    item = None
    for item in reader:
        if isinstance(item, Document) and reader.where == (file, int(line)):
            return item
        if isinstance(item, Reject) and reader.located(item).line in (None, int(line)):
            raise DocumentError(name, item.reason)
    why = f"no record of {file} is at line {line}"
    if isinstance(item, Reject):
        why += f"; before it {file}:{reader.located(item).line} is rejected: {item.reason}"
    raise DocumentError(name, why)


def from_command_line(text: str | None, option: str) -> str | None:
    """`text` with the bytes that the locale could not decode read as UTF-8.

    Raises `DocumentError`, which names the `option` and the beginning of the text, if they are not UTF-8.
    """
    from neardup.sources import files

    if text is None or not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    data = os.fsencode(text)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        shown = files.bytes_escaped(text)
        shown = f"{shown[:_MOST_SHOWN]}…" if len(shown) > _MOST_SHOWN else shown
        reason = f"{shown} is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        raise DocumentError(option, reason) from None


def time_of(document: Document) -> str:
    """The record's own time; "" if it has none that can be read."""
    try:
        return "" if document.time is None else format_time(parse_time(document.time))
    except ValueError:
        return ""


def _content(file: Path, encoding: str | None, *, html: bool, form: Form | None) -> str:
    from neardup.sources.files import STDIN, form_of, is_delivered
    from neardup.sources.reader import Reader

    own = None if str(file) == STDIN else "mail" if is_delivered(file) else form_of(file.name)
    _check_not_records(file, form or own)
    form = form or (own if own == "mail" or (own == "html" and html) else "text")
    reader = Reader([file], form=form, encoding=encoding, html=html)
    for item in reader:
        if isinstance(item, Document):
            _report_kind(file, item.text, reader)
            return item.text
        if isinstance(item, Reject):
            raise DocumentError(str(file), item.reason)
    raise DocumentError(str(file), "there is nothing to read")


def _check_not_records(file: Path, form: Form | None) -> None:
    if form not in ("text", "html", "mail", None):
        raise typer.BadParameter(
            f"{file} holds records, not one text: give the text of one by --text, or ask about all of them by "
            f"`neardup check {file} --against WINDOW`; --file - < {file} reads all of it as one text",
            param_hint="--file",
        )


def _report_kind(file: Path, text: str, reader: Reader) -> None:
    """Reports that a text looks like another format, and is compared with its markup or headers."""
    if is_record(text):
        name = "standard input" if str(file) == "-" else str(file)
        log_line(
            f"{name} looks like a record, and is compared with its braces and names; give its text alone by --text"
        )
        return
    for remark in reader.remarks():
        log_line(remark)


def is_record(text: str) -> bool:
    """Whether the first line of `text`, or the whole text, is a JSON object."""
    import orjson

    for part in (text.partition("\n")[0], text):
        try:
            if part.lstrip().startswith("{") and isinstance(orjson.loads(part), dict):
                return True
        except orjson.JSONDecodeError:
            continue
    return False
