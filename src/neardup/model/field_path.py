"""Fields of a record by name: `page.body` is `body` in the object `page`, or a field whose name has a dot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def field_of(record: Mapping[str, Any], name: str) -> Any:
    """The value of a field; None if it is not there.

    >>> field_of({"page": {"body": "Rain."}}, "page.body"), field_of({"page.body": "Rain."}, "page.body")
    ('Rain.', 'Rain.')
    """
    if name in record:
        return record[name]
    head, _, rest = name.partition(".")
    inner = record.get(head)
    return field_of(inner, rest) if rest and isinstance(inner, Mapping) else None


def put_field(record: dict[str, Any], name: str, value: Any) -> None:
    """Sets a field. A dotted name sets a field within objects, and removes a field of that literal name. Objects on the
    way are copied, not changed.

    >>> record = {"page": {"title": "Weather"}, "page.body": "Snow."}
    >>> put_field(record, "page.body", "Rain.")
    >>> record
    {'page': {'title': 'Weather', 'body': 'Rain.'}}
    """
    head, _, rest = name.partition(".")
    if not rest:
        record[name] = value
        return
    record.pop(name, None)
    inner = record.get(head)
    copied = dict(inner) if isinstance(inner, Mapping) else {}
    put_field(copied, rest, value)
    record[head] = copied


def in_the_way(record: Mapping[str, Any], name: str) -> str | None:
    """The name of the field that keeps `put_field` from setting `name`, because it is not an object; None if nothing
    does.

    >>> in_the_way({"page": {"body": "Rain."}}, "page.body.text"), in_the_way({"page": {}}, "page.body.text")
    ('page.body', None)
    """
    head, _, rest = name.partition(".")
    inner = record.get(head)
    if not rest or inner is None:
        return None
    if not isinstance(inner, Mapping):
        return head
    within = in_the_way(inner, rest)
    return within and f"{head}.{within}"


def without_field(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A copy of a record without a field; objects that become empty by this are removed too.

    >>> without_field({"page": {"title": "Weather", "body": "Rain."}, "lang": "en"}, "page.body")
    {'page': {'title': 'Weather'}, 'lang': 'en'}
    """
    rest = dict(record)
    if name in rest:
        del rest[name]
        return rest
    head, _, inner_name = name.partition(".")
    inner = rest.get(head)
    if inner_name and isinstance(inner, Mapping):
        rest[head] = without_field(inner, inner_name)
        if not rest[head]:
            del rest[head]
    return rest
