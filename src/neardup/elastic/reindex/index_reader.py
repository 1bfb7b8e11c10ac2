"""Reader of an existing index: its documents by (time, id), and the hours that they lie in."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.elastic.http import api
from neardup.elastic.http.admin_api import mappings
from neardup.elastic.http.scan import in_order, read, time_field
from neardup.elastic.reindex.checkpoint import Checkpoint
from neardup.errors import SettingsError
from neardup.model.document import FLUSH
from neardup.model.hours import hour_of
from neardup.model.settings import HOUR_MS
from neardup.model.times import MAX_TIME_MS, MIN_TIME_MS, parse_time
from neardup.sources.fields import Fields, FieldsKeepingRest, RecordError
from neardup.sources.position import Position

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.http.scan import Entry, TimeField
    from neardup.model.document import Reject
    from neardup.sources.position import Item

OWN_ID: Final = "_id"
"""The name for the id that a document has in its index anyway."""
MOST_READ: Final = 256
"""Documents that are asked for at once."""
OURS: Final = "neardup"
"""The object of another window's signatures and verdicts, which is not copied."""

_NAME_RE: Final = re.compile(r"[^_\-+.\s/?#%\\\"<>|](?:::|[^\s/?#%\\\"<>|:])*")
_MOST_BUCKETS: Final = 60_000
"""Elasticsearch answers with at most 65,536."""


class Span(NamedTuple):
    """The first and the last of the hours that the documents of an index lie in."""

    first: int
    last: int


class Source:
    """An index, or all indices that a name stands for, as a source of documents; `fields` names their id, text and
    time.

    Raises `SettingsError` if there is no such index, if it keeps no `_source`, or if no field tells the time.
    """

    def __init__(self, cluster: Cluster, name: str, fields: Fields) -> None:
        self.cluster, self.name, self.fields = cluster, name, fields
        self.indices = _indices(cluster, name)
        for index in self.indices:
            if cluster.address.hour_of_index(index) is not None:
                raise SettingsError(
                    "from_index", name, f"an index other than {index}, which belongs to this window"
                )
        self.time: TimeField = time_field(cluster, name, fields.time)

    def check_time(self) -> None:
        """Raises `SettingsError` unless documents have a time."""
        if self.time.kind is None:
            expected = f"{self.lacking_time()}; a document is copied to the hour of its time"
            raise SettingsError("time_field", self.time.name, expected)

    def lacking_time(self) -> str:
        """What the time field must be where documents have none of the fields named for it, and the fields of type date
        that they have.
        """
        expected = f"a field of {self.name}, which has no {' or '.join(self.fields.time)}"
        if dates := self.date_fields():
            expected += f": its fields of type date are {', '.join(dates[:8])}; --time-field names one"
        return expected

    def date_fields(self) -> list[str]:
        """The fields of type date that its documents have, by name."""
        return date_fields(self.cluster, self.name)

    def span(self) -> Span | None:
        """The first and the last hour of its documents; None if it has none with a time."""
        first, last = self._outermost_hour("asc"), self._outermost_hour("desc")
        return None if first is None or last is None else Span(first, last)

    def count_hours(self, span: Span, there: Collection[int] = ()) -> int:
        """How many hours that are not in `there` have documents; where that cannot be counted, no more than the `span`
        and the number of documents allow.
        """
        first, last = span
        if self.time.kind != "date" or last - first > _MOST_BUCKETS:
            new = last - first + 1 - sum(first <= hour <= last for hour in there)
            return min(new, self.count(self._dated()))
        hours = {"field": self.time.name, "fixed_interval": f"{HOUR_MS}ms", "min_doc_count": 1}
        body = {"size": 0, "track_total_hits": False, "aggs": {"hours": {"date_histogram": hours}}}
        page = api.search(self.cluster, self.name, body)
        return sum(hour_of(bucket["key"]) not in there for bucket in page.buckets("hours"))

    def checkpoint(self) -> Checkpoint:
        """The checkpoint of reading this source, by these fields, into the window at the cluster's address."""
        reading = {
            "source": self.name, "id_field": self.fields.id, "text_field": self.fields.text,
            "time_field": self.time.name,
        }  # fmt: skip
        return Checkpoint(self.cluster, reading)

    def count(self, query: dict[str, Any]) -> int:
        """How many of its documents match `query`."""
        return api.count(self.cluster, self.name, query)

    def _outermost_hour(self, order: str) -> int | None:
        """The hour of the oldest or newest document."""
        sort = self.time.sort("_last")
        sort[self.time.name]["order"] = order
        body = {
            "size": 1,
            "_source": False,
            "sort": [sort],
            "query": self._dated(),
            "track_total_hits": False,
        }
        hits = api.search(self.cluster, self.name, body).hits
        if not hits:
            return None
        value = hits[0].sort[0]
        try:
            return hour_of(parse_time(self.time.time(value)))
        except (ValueError, OverflowError):
            bound = MIN_TIME_MS if order == "asc" else MAX_TIME_MS
            return hour_of(bound)  # its document is rejected when it is read

    def _dated(self) -> dict[str, Any]:
        return {"exists": {"field": self.time.name}}


class IndexReader:
    """The documents of `source` in order of (time, id), those from the time `since` on if it is given.

    Iterating yields a `Document` with all its other fields, a `Reject` for a record that makes no document, and `FLUSH`
    after every part that was read at once; on the next step, `on_done` is called with the time up to which all is done.
    The id of a document is its `_id`, `index/_id` where the name stands for several indices, or the field named for it.

    `done` of `total` documents have been read.
    """

    def __init__(
        self, source: Source, *, since: Any = None, on_done: Callable[[Any], object] = lambda _: None
    ) -> None:
        self._source, self._on_done = source, on_done
        self._fields = FieldsKeepingRest.of(source.fields)
        self._position = Position()
        self._query = _from(source.time, since)
        self.done, self.total = 0, source.count(self._query)

    def __iter__(self) -> Iterator[Item]:
        source = self._source
        entries = in_order(source.cluster, source.name, source.time, self._query)
        for part in read(source.cluster, entries, most=MOST_READ, _source_excludes=OURS):
            for entry, document in part:
                yield self._item(entry, document.source)
                self.done += 1
            yield FLUSH
            # A consumer that asks for more has finished what it was given.
            if part and part[-1][0].time is not None:
                self._on_done(part[-1][0].time)

    def position(self) -> tuple[float, float | None]:
        """How many documents have been read, and of how many."""
        return self.done, self.total

    def located(self, reject: Reject) -> Reject:
        """`reject` with the index its document was read from, if it names none."""
        return self._position.located(reject)

    def _item(self, entry: Entry, record: dict[str, Any]) -> Item:
        self._position.enter(f"{entry.index}/{entry.id}", entry.index)
        otherwise = entry.id if len(self._source.indices) == 1 else f"{entry.index}/{entry.id}"
        if entry.time is None:
            return self._position.reject(
                f"no time: there is no field {self._source.time.name!r}", id=otherwise
            )
        try:
            document = self._fields.document(record, otherwise)
            document = document._replace(time=self._source.time.time(entry.time))
        except RecordError as error:
            return self._position.reject(error.reason, id=error.id or otherwise)
        except (ValueError, OverflowError):
            return self._position.reject(f"time {entry.time} is outside the years 1 to 9999", id=otherwise)
        self._position.remember(document.id)
        return document


def date_fields(cluster: Cluster, target: str) -> list[str]:
    """The fields of type date in the indices of `target`, by name, without those of neardup."""
    names = api.fields_of_types(cluster, target, "date", "date_nanos")
    return [name for name in names if not name.startswith(f"{OURS}.")]


def _from(time: TimeField, since: Any) -> dict[str, Any]:
    if since is None:
        return {"match_all": {}}
    bounds = {"gte": since} | ({"format": "epoch_millis"} if time.kind == "date" else {})
    undated = {"bool": {"must_not": [{"exists": {"field": time.name}}]}}
    return {"bool": {"should": [{"range": {time.name: bounds}}, undated], "minimum_should_match": 1}}


def _indices(cluster: Cluster, name: str) -> list[str]:
    """The indices that a name stands for. Raises `SettingsError` if there is none, or if one keeps no `_source`."""
    if not _NAME_RE.fullmatch(name):
        expected = "the name of an index, an alias or a data stream of this cluster"
        if ":" in name:
            expected += (
                "; to read one of another cluster (cluster:index), first copy it here by POST _reindex"
            )
        raise SettingsError("from_index", name, expected)
    by_index = mappings(cluster, name)
    if not by_index:
        raise SettingsError(
            "from_index", name, "the name of an index, an alias or a data stream of this cluster"
        )
    for index, mapping in by_index.items():
        if mapping.get("_source", {}).get("enabled") is False:
            raise SettingsError("from_index", index, "an index that keeps _source, which has the texts")
    return sorted(by_index)
