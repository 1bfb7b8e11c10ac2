"""JSON: one object a line (JSON Lines), an array of objects, or objects spread over lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import orjson

from neardup.model.document import FLUSH
from neardup.sources.encoding import not_text
from neardup.sources.fields import RecordError
from neardup.sources.json_values import Cut, is_spread, values
from neardup.sources.lines import BOM, Overlong, excerpt, lines, without_bom
from neardup.sources.position import Record

if TYPE_CHECKING:
    from neardup.sources.fields import FieldUse
    from neardup.sources.json_values import Values
    from neardup.sources.lines import Lines
    from neardup.sources.position import Item, Position
    from neardup.sources.streams import Chunk

_LEAST: Final = -(2.0**63)
_BEYOND: Final = 2.0**64
_COLUMNS: Final = (
    "not a record, but one object of columns, as to_json() of pandas writes it: to_json(orient='records') writes "
    "records"
)


def documents(chunks: Iterator[Chunk], use: FieldUse, position: Position, longest: int) -> Iterator[Item]:
    """A document or a `Reject` for every object, of at most `longest` bytes; `position` has the number of its line."""
    spread, chunks = is_spread(chunks)
    if spread:
        return _documents_of_values(values(chunks, longest), use, position)
    return _documents_of_lines(lines(chunks, longest), use, position)


def _documents_of_lines(batches: Iterator[Lines], use: FieldUse, position: Position) -> Iterator[Item]:
    """A document or a `Reject` for every line that is not blank."""
    for batch in batches:
        if batch is None:
            yield FLUSH
            continue
        for line in batch:
            position.line += 1
            if line and (item := _item(line, use, position)) is not None:
                yield item


def _documents_of_values(batches: Iterator[Values], use: FieldUse, position: Position) -> Iterator[Item]:
    for batch in batches:
        if batch is None:
            yield FLUSH
            continue
        for line, value in batch:
            position.nth = position.nth + 1 if line == position.line else 1
            position.line = line
            item = _item(value, use, position)
            yield position.reject("the JSON ends before its last bracket") if item is None else item


def _item(line: bytes, use: FieldUse, position: Position) -> Item | None:
    """The document or `Reject` that a line or value makes; None if it is blank."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as cause:
        if type(line) is bytes and line.startswith(BOM):  # files were concatenated
            return _item(without_bom(line), use, position)
        if line.strip() or isinstance(line, Overlong):
            return position.reject(_fault(line, cause, position.encoding), raw=excerpt(line))
        return None
    if type(record) is not dict:
        return position.reject("not a JSON object", raw=excerpt(line))
    position.record = Record(line, record)
    try:
        document = use.document(record, position.name(line))
    except RecordError as error:
        reason = _COLUMNS if _is_of_columns(record, use.text) else error.reason
        return position.reject(reason, id=error.id, raw=excerpt(line))
    if document.fields and _has_rounded(document.fields):
        with suppress(ValueError, RecursionError):  # thousands of digits, or levels
            return document._replace(fields=use.rest(json.loads(line)))
    return document


def _has_rounded(fields: dict[str, object]) -> bool:
    """Whether a number in `fields` may be an integer beyond 64 bits, which orjson has rounded to floating point."""
    left: list[Any] = [fields]
    for value in left:
        for each in value.values() if type(value) is dict else value:
            if type(each) is float and not _LEAST < each < _BEYOND:
                return True
            if type(each) is dict or type(each) is list:
                left.append(each)
    return False


def _is_of_columns(record: dict[str, object], text: str) -> bool:
    """Whether this is a table: an object whose values, the columns, are all objects with the same keys."""
    column = record.get(text)
    return isinstance(column, dict) and all(
        isinstance(each, dict) and each.keys() == column.keys() for each in record.values()
    )


def _fault(line: bytes, cause: orjson.JSONDecodeError, encoding: str | None) -> str:
    """What is wrong with a line that orjson refuses, whose messages for three different faults are similar."""
    if isinstance(line, Overlong):
        return line.reason()
    if fault := not_text(line, encoding):
        return fault
    if isinstance(line, Cut):
        return "not JSON: the end comes before this is complete (cut short, or a quote or bracket is never closed)"
    constants: list[str] = []
    try:
        # The standard library's parser lets unpaired surrogates and NaN through; all that remains is to see one.
        value = json.loads(line, parse_constant=constants.append)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        return (
            f"an unpaired surrogate (U+{ord(error.object[error.start]):04X}), which stands for no character"
        )
    except (ValueError, RecursionError):
        pass
    else:
        if constants:
            return (
                f"not JSON: {constants[0]} near column {cause.colno}, which JSON does not have: write null instead "
                "(in Python, json.dumps(..., allow_nan=False) refuses such numbers)"
            )
    advice = "; a line ends in a line feed, not in a carriage return alone" if b"\r" in line.rstrip() else ""
    return f"not JSON: {cause.msg} at column {cause.colno}{advice}"
