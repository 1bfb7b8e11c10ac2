"""The reader of each form: from the content of a file to its documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, assert_never

from neardup.sources import arrow_tables, csv_rows, html_page, json_lines, mail, text_file
from neardup.sources.other_formats import JSON, PAGE, TAR, WARC, format_of_beginning, reason_for
from neardup.sources.streams import peeked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.sources.fields import FieldUse
    from neardup.sources.files import Form
    from neardup.sources.kind_counts import KindCounts
    from neardup.sources.position import Item, Position
    from neardup.sources.streams import Chunk

OF_MAIL: Final = ("mail", "mbox")
OF_ONE_DOCUMENT: Final = ("text", "mail", "html")
"""Forms in which a file is one document."""
OF_TABLES: Final = tuple(arrow_tables.NAMES)
"""Forms that are read from a file by its name, not from a stream."""
_OF_NO_FIELDS: Final = {
    "text": (TAR,),
    "html": (TAR, WARC),
    **dict.fromkeys(OF_MAIL, (JSON, TAR, WARC)),
}
"""Forms whose text is not a field of a record, with the formats that are refused in them, though they could be text."""


class Reading(NamedTuple):
    """How files are read, and the position in them: see `Reader`."""

    use: FieldUse
    position: Position
    longest: int
    delimiter: str | None
    html: bool


def items(form: Form, content: Iterator[Chunk], reading: Reading, as_text: KindCounts) -> Iterator[Item]:
    """The documents and rejects of `content`; text that looks like something else is counted in `as_text`."""
    position = reading.position
    head, content = peeked(content)
    other = format_of_beginning(head)
    if other and (other in _OF_NO_FIELDS[form] if form in _OF_NO_FIELDS else other.form != form):
        yield position.reject(reason_for(other))
        return
    if other and form == "text":
        as_text.add(other.name, position.source)
    yield from _documents(form, content, reading)


def rows(form: Form, name: str, use: FieldUse, position: Position) -> Iterator[Item]:
    """The documents and rejects of the table in the file `name`."""
    return arrow_tables.documents(name, form, use, position)


def _documents(form: Form, content: Iterator[Chunk], reading: Reading) -> Iterator[Item]:
    use, position, longest, delimiter, _ = reading
    html = html_page.text_of if reading.html else None
    match form:
        case "jsonl":
            yield from json_lines.documents(content, use, position, longest)
        case "csv":
            yield from csv_rows.documents(content, use, position, longest, delimiter)
        case "text":
            yield text_file.document(content, position, longest)
        case "mail":
            yield mail.document(content, position, longest, html)
        case "mbox":
            yield from mail.documents(content, position, longest, html)
        case "html" if html:
            yield html_page.document(content, position, longest)
        case "html":
            yield position.reject(reason_for(PAGE))
        case "parquet" | "arrow":
            raise ValueError(f"{form} is read by `rows`")
        case _:
            assert_never(form)
