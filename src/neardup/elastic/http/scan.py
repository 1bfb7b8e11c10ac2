"""Scan of indices: first where each document lies, in order of (time, id), then the documents themselves.

Elasticsearch sorts by time; documents of one time are held back until all of them are known, and are sorted by id here,
because Elasticsearch cannot sort by id. Their contents are read later, by id: so they are up to date, and a million
documents of one time take the memory of a million names, not of a million texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from neardup.elastic.http.api import field_types, snapshot_pages
from neardup.elastic.http.mget import FIRST_READ, mget, next_size
from neardup.errors import ClusterRejected, SettingsError
from neardup.model.times import format_time

if TYPE_CHECKING:
    from neardup.elastic.http.api import Hit, StoredDocument
    from neardup.elastic.http.client import Cluster

PAGE: Final = 5_000
"""Entries that are read at once; an index of a window must allow that many (`index.max_result_window`)."""

_REOPENINGS: Final = 10
_MISSING: Final = (2**63 - 1, -(2**63), "Infinity", "-Infinity", None)
"""Sort values of documents without the field: dates last and first, numbers last and first, words."""
_LAST_NANOSECOND: Final = (2**63 - 1) // 10**6
"""In milliseconds. Where one of the fields is a `date_nanos`, OpenSearch refuses a page behind a later date."""
_NUMBERS: Final = {
    "long",
    "integer",
    "short",
    "byte",
    "unsigned_long",
    "double",
    "float",
    "half_float",
    "scaled_float",
}
_KINDS: Final[dict[str, Kind]] = {
    "date": "date",
    "date_nanos": "date",
    "keyword": "word",
    **dict.fromkeys(_NUMBERS, "number"),
}

Kind = Literal["date", "number", "word"]
Missing = Literal["_first", "_last"]
"""Where documents without a time are sorted."""


class TimeField(NamedTuple):
    """The field with the time of documents, and its kind in Elasticsearch; `kind` None: no document has the field."""

    name: str
    kind: Kind | None
    has_nanoseconds: bool = False

    def sort(self, missing: Missing | int) -> dict[str, Any]:
        """The clause that sorts by it, oldest first; `missing`: what documents without it are sorted by."""
        # As one type: nanoseconds are cut to milliseconds, and longs are compared with doubles.
        how = {
            "date": {"unmapped_type": "date", "numeric_type": "date"},
            "number": {"unmapped_type": "double", "numeric_type": "double"},
            "word": {"unmapped_type": "keyword"},
        }
        return {self.name: {"order": "asc", "missing": missing, **how[self.kind or "date"]}}

    def time(self, value: Any) -> Any:
        """`Document.time` for a value that was sorted by; a date is one of the years 1 to 9999, or a `ValueError`."""
        return format_time(value) if self.kind == "date" else value


class Entry(NamedTuple):
    """A document as a scan finds it. `time` is what was sorted by, None where there is none."""

    time: Any
    id: str
    index: str  # type: ignore[assignment]  # the word of the reference; nobody asks an entry for `tuple.index`
    routing: str | None


def time_field(cluster: Cluster, target: str, names: Sequence[str]) -> TimeField:
    """The first of `names` that documents of `target` have.

    Raises `SettingsError` for a field whose type cannot be a time, or which is not of one kind everywhere.
    """
    for name in names:
        types = field_types(cluster, target, name)
        kinds = {_KINDS.get(type) for type in types}
        if not types:
            continue
        if len(kinds) > 1 or None in kinds:
            shown = f"{name} ({' and '.join(types)})"
            raise SettingsError("time_field", shown, f"a date, a number or a keyword everywhere in {target}")
        return TimeField(name, kinds.pop(), "date_nanos" in types)
    return TimeField(names[0], None)


def in_order(
    cluster: Cluster,
    target: str,
    by: TimeField,
    query: Mapping[str, Any],
    *,
    missing: Missing = "_last",
    page: int = PAGE,
    hidden: bool = False,
) -> Iterator[Entry]:
    """The documents of `target` that match `query` now, by (time, id); those without a time come together, where
    `missing` says. `hidden`: patterns match hidden indices too.

    Costs a search for every `page` of them; memory for a page and for all documents of one time. A node that restarts
    forgets the position of a scan: the scan then goes on behind the last time whose documents were all known.
    """
    is_cut = missing == "_last" and by.has_nanoseconds and cluster.product == "opensearch"
    sort = by.sort(_LAST_NANOSECOND if is_cut else missing)
    absent = (*_MISSING, _LAST_NANOSECOND) if is_cut else _MISSING
    whole: Any = None
    lost = 0
    while True:
        try:
            for tie in _by_time(cluster, target, sort, query, page, whole, hidden=hidden):
                yield from sorted((_entry(hit, absent) for hit in tie), key=attrgetter("id", "index"))
                whole, lost = [tie[0].sort[0]], 0
            return
        except ClusterRejected as error:
            lost += 1
            if error.status != 404 or lost > _REOPENINGS:
                raise


def _entry(hit: Hit, absent: tuple[Any, ...]) -> Entry:
    """The entry of a hit; `absent`: the sort values of documents without a time."""
    value = hit.sort[0]
    return Entry(None if value in absent else value, hit.id, hit.index, hit.routing)


def _by_time(
    cluster: Cluster,
    target: str,
    sort: dict[str, Any],
    query: Mapping[str, Any],
    size: int,
    after: Any,
    *,
    hidden: bool,
) -> Iterator[list[Hit]]:
    """The hits behind `after`, one list for each time."""
    body = {"query": query, "sort": [sort], "_source": False}
    with closing(snapshot_pages(cluster, target, body, size=size, after=after, hidden=hidden)) as pages:
        for _, tie in groupby(chain.from_iterable(pages), key=lambda hit: hit.sort[0]):
            yield list(tie)


def read(
    cluster: Cluster, entries: Iterator[Entry], *, most: int, **fields: str
) -> Iterator[list[tuple[Entry, StoredDocument]]]:
    """Entries with their documents as stored now, in parts of at most `most` entries and a few megabytes; an entry
    whose document no longer exists is left out.

    `fields` as in a request: `_source_includes`, `_source_excludes`. A shard that does not answer is waited for.
    """
    size = min(most, FIRST_READ)
    while part := list(islice(entries, size)):
        documents = zip(part, mget(cluster, part, **fields), strict=True)
        there = [(entry, document) for entry, document in documents if document is not None]
        yield there
        size = next_size([document for _, document in there], size, most)
