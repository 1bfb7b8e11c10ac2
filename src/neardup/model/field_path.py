"""Fields of a record by name: `page.body` is `body` in the object `page`, or a field whose name has a dot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from neardup.model.counted import some_of

MOST_NAMED: Final = 100
"""How many characters of a field's name a message shows: data mistaken for records may have a name of megabytes."""


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


def has_field(record: Mapping[str, Any], name: str) -> bool:
    """Whether a record has a field, which may be null.

    >>> [has_field({"page": {"body": None}}, name) for name in ("page.body", "page.title")]
    [True, False]
    """
    if name in record:
        return True
    head, _, rest = name.partition(".")
    inner = record.get(head)
    return bool(rest) and isinstance(inner, Mapping) and has_field(inner, rest)


def names_beside(record: Mapping[str, Any], name: str) -> list[str]:
    """The dotted names of the fields in the innermost object on the way to the field `name`.

    >>> names_beside({"id": 7, "page": {"body": "Rain."}}, "page.text"), names_beside({"id": 7}, "page.text")
    (['page.body'], ['id'])
    """
    head, _, rest = name.partition(".")
    inner = record.get(head)
    if not isinstance(inner, Mapping):
        return list(map(str, record))
    return [f"{head}.{each}" for each in names_beside(inner, rest)]


def leaves_near(record: Mapping[str, Any], name: str) -> list[str]:
    """The dotted names of the fields that are no objects: within the field `name` if that is an object, else in the
    innermost object on the way to it, and in the objects there.

    >>> page = {"id": 7, "page": {"body": "Rain.", "of": {"site": "a"}}}
    >>> leaves_near(page, "page"), leaves_near(page, "page.text"), leaves_near(page, "text")
    (['page.body', 'page.of.site'], ['page.body', 'page.of.site'], ['id', 'page.body', 'page.of.site'])
    """
    head, _, rest = name.partition(".")
    inner = record.get(head)
    if not isinstance(inner, Mapping):
        return list(_leaves(record))
    near = leaves_near(inner, rest) if rest else _leaves(inner)
    return [f"{head}.{each}" for each in near]


def _leaves(record: Mapping[str, Any]) -> Iterator[str]:
    for name, value in record.items():
        if isinstance(value, Mapping):
            yield from (f"{name}.{each}" for each in _leaves(value))
        else:
            yield str(name)


def listed(names: Iterable[str]) -> str:
    """The names of fields for a message: sorted, the first eight, each of them shortened.

    >>> listed(["title", "body"]), listed([])
    ('body, title', 'none')
    """
    short = (name if len(name) <= MOST_NAMED else f"{name[:MOST_NAMED]}…" for name in map(str, names))
    return some_of(sorted(short), 8) or "none"
