"""JSON Lines: one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import orjson

from neardup.document import FLUSH
from neardup.sources.fields import RecordError
from neardup.sources.lines import Overlong, excerpt

if TYPE_CHECKING:
    from neardup.sources.fields import Fields
    from neardup.sources.lines import Lines
    from neardup.sources.position import Item, Position


def documents(batches: Iterator[Lines], fields: Fields, position: Position) -> Iterator[Item]:
    """A document or a `Reject` for every line that is not blank; the line's number is in `position`."""
    loads, document = orjson.loads, fields.document
    for batch in batches:
        if batch is None:
            yield FLUSH
            continue
        for line in batch:
            position.line += 1
            if not line:
                continue
            try:
                record = loads(line)
            except orjson.JSONDecodeError as cause:
                if line.strip() or isinstance(line, Overlong):
                    yield position.reject(_fault(line, cause), raw=excerpt(line))
                continue
            if type(record) is not dict:
                yield position.reject("not a JSON object", raw=excerpt(line))
                continue
            try:
                yield document(record, position.name())
            except RecordError as error:
                yield position.reject(error.reason, id=error.id, raw=excerpt(line))


def _fault(line: bytes, cause: orjson.JSONDecodeError) -> str:
    """What is wrong with a line that orjson refuses; it calls three different things by similar names."""
    if isinstance(line, Overlong):
        return line.reason()
    try:
        decoded = line.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"not UTF-8: byte 0x{line[error.start]:02x} at offset {error.start}"
    try:
        # The standard library's parser lets unpaired surrogates through; all that remains is to see one.
        json.dumps(json.loads(decoded), ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        return (
            f"an unpaired surrogate (U+{ord(error.object[error.start]):04X}), which stands for no character"
        )
    except (ValueError, RecursionError):
        pass
    return f"not JSON: {cause.msg} at column {cause.colno}"
