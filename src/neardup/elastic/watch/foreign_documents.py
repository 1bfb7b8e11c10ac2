"""Documents of other clients: from the entries of a scan to documents for the engine, or why they cannot be scored."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.http.admin_api import index_settings
from neardup.elastic.http.api import get_doc
from neardup.elastic.http.scan import read
from neardup.elastic.watch.backlog import LayoutChanged
from neardup.elastic.window.codec import OBJECT, own_object
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.state_document import read_state
from neardup.model.document import MAX_ID_BYTES, ForeignDocument, Origin, Reject
from neardup.model.field_path import field_of, has_field, listed, names_beside
from neardup.model.settings import HOUR_MS
from neardup.model.times import MAX_TIME_MS, MIN_TIME_MS, format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.elastic.http.api import StoredDocument
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.http.scan import Entry, TimeField
    from neardup.elastic.window.state_document import StateDocument

    Item = tuple[Origin, ForeignDocument | Reject]

log = logging.getLogger("neardup")

_OURS: Final = tuple(f"{OBJECT}.{name}" for name in ("status", "order", "fingerprint", "recipe", "unsigned"))

NO_TEXT: Final = "no text:"
"""How the reason begins why a document without a text gets no verdict."""

_TOO_LONG: Final = "too_long"
"""The mark that nodes put on a document whose text is too long to be signed."""

_EARLY_MS: Final = 10_000_000_000
"""A time between the beginning of 1970 and this one, in April 1970, was most likely written in seconds, and taken for
milliseconds by the cluster (until the year 2286).
"""
_TIMELESS: Final = (
    "%s/%s has no time in the field %r (`neardup setup --time-field`): such documents get the beginning of their "
    "index's hour as their time, and are scored last"
)
_TIMELESS_IN_PLACE: Final = (
    "%s/%s has no time in the field %r: such documents count as of the year 1, so they are scored before all that have "
    "a time, and a document with a time is called a copy of one without"
)
_EARLY: Final = (
    "%s/%s has a time of the first months of 1970 in the field %r: a cluster reads numbers as milliseconds; if these "
    "are seconds, index such documents again with milliseconds or ISO 8601"
)


class ForeignDocuments:
    """Reads the documents of `layout`, whose time is in the field `time`; `recipe` is the window's."""

    def __init__(self, cluster: Cluster, layout: Layout, time: TimeField, recipe: str) -> None:
        self._cluster, self._layout, self._time, self._recipe = cluster, layout, time, recipe
        self._of_one_shard: dict[str, bool] = {}
        self._warned: set[str] = set()
        self._has_named_fields = False

    def read(self, entries: Iterator[Entry], *, most: int) -> Iterator[list[Item]]:
        """The documents of `entries` as they are now, in parts of at most `most`: for each its origin, and the document
        to score, or a reject that says why it cannot be scored. Documents that were deleted or marked since are left
        out.

        Raises `LayoutChanged`, before it yields anything of a part, if the window's fields have changed: documents
        written with the new fields would be marked as having no text.
        """
        included = ",".join((self._layout.text_field, *_OURS))
        for part in read(self._cluster, entries, most=most, _source_includes=included):
            # Read after the documents: the window changes before anybody writes with the new fields.
            state = self._state()
            marked = [_is_marked(stored, state) for _, stored in part]
            yield [
                self._item(entry, stored)
                for (entry, stored), leaves in zip(part, marked, strict=True)
                if not leaves
            ]

    def _state(self) -> StateDocument | None:
        """The window's state now; raises `LayoutChanged` if its fields have changed."""
        state = read_state(self._cluster)
        if state is not None:
            now = Layout.described(self._layout.address, state.about, state.archive)
            if not now.reads_alike(self._layout):
                raise LayoutChanged(now)
        return state

    def _item(self, entry: Entry, stored: StoredDocument) -> Item:
        ours = own_object(stored.source)
        fingerprint = ours.get("fingerprint") if ours.get("recipe") == self._recipe else None
        reason = None if "fingerprint" in ours else ours.get("unsigned")
        unsigned = None if reason is None else str(reason)
        origin = Origin(entry.index, entry.id, *stored.version, fingerprint, entry.routing, unsigned)
        text = field_of(stored.source, self._layout.text_field)
        fault = self._fault(origin, entry.time, text) or self._no_text(origin, stored.source)
        if fault is not None:
            return origin, Reject(entry.id, fault, origin.qualified_id)
        return origin, ForeignDocument(entry.id, text, self._time_of(entry), origin)

    def _time_of(self, entry: Entry) -> Any:
        """The time of a document. Without one, it is the beginning of its index's hour, or in an archive the earliest
        time there is; logged once, unless no document of the archive can have a time.
        """
        if entry.time is not None:
            if self._time.kind == "date" and 0 < entry.time < _EARLY_MS:
                self._tell_once(_EARLY, entry)
            return self._time.time(entry.time)
        hour = self._layout.address.hour_of_index(entry.index)
        if hour is not None:
            self._tell_once(_TIMELESS, entry)
        elif self._time.kind is not None:
            self._tell_once(_TIMELESS_IN_PLACE, entry)
        return format_time(MIN_TIME_MS if hour is None else hour[0] * HOUR_MS)

    def _tell_once(self, what: str, entry: Entry) -> None:
        if what not in self._warned:
            self._warned.add(what)
            log.warning(what, entry.index, entry.id, self._time.name)

    def _fault(self, origin: Origin, time: Any, text: Any) -> str | None:
        """Why a document cannot be scored, as far as is known before it is signed; None if nothing is wrong."""
        if origin.unsigned == _TOO_LONG and isinstance(text, str):
            if len(text) > self._layout.max_length:
                return self._layout.too_long(text)
            return f"text has {len(text):,} characters, more than the nodes signed when it was indexed: index it again"
        if origin.unsigned is not None:
            return origin.unsigned
        if text is not None and not isinstance(text, str):
            return f"field {self._layout.text_field!r} is {type(text).__name__}, not a string"
        if len(origin.qualified_id.encode()) > MAX_ID_BYTES:
            return f"its id with the name of its index is longer than {MAX_ID_BYTES} bytes: index it by a shorter id"
        is_date = self._time.kind == "date" and time is not None
        if is_date and not MIN_TIME_MS <= time <= MAX_TIME_MS:
            return (
                f"time {time} is outside the years 1 to 9999 in UTC: a cluster reads numbers as milliseconds"
            )
        if origin.routing is not None and self._layout.archive is not None:
            return "it has a routing, so it cannot be marked in place: copy it with --from-index, without --in-place"
        if origin.routing is not None and not self._is_of_one_shard(origin.index):
            return f"it has a routing, and {origin.index} has several shards, so no verdict reaches it by its id alone"
        return None

    def _no_text(self, origin: Origin, source: dict[str, Any]) -> str | None:
        """Why a document has no text; None if it has one. For the first document without the text field, with the
        fields that it has, and what to do if another one is meant.
        """
        name = self._layout.text_field
        if field_of(source, name) is not None:
            return None
        if has_field(source, name):
            return f"{NO_TEXT} field {name!r} is null"
        reason = f"{NO_TEXT} there is no field {name!r}"
        if self._has_named_fields:
            return reason
        self._has_named_fields = True
        whole = get_doc(self._cluster, origin.index, origin.id, routing=origin.routing)
        if whole is None:  # it was deleted meanwhile
            return f"{reason}; {self._layout.other_field('text')}"
        fields = listed(each for each in names_beside(whole.source, name) if each != OBJECT)
        return f"{reason} (fields: {fields}); {self._layout.other_field('text')}"

    def _is_of_one_shard(self, index: str) -> bool:
        """Whether an index has only one shard, where a document is found whatever its routing; asked once."""
        if index not in self._of_one_shard:
            shards = index_settings(
                self._cluster, index, "index.number_of_shards", params={"flat_settings": "true"}
            )
            settings = shards.get(index, {}).get("settings", {})
            self._of_one_shard[index] = settings.get("index.number_of_shards") == "1"
        return self._of_one_shard[index]


def _is_marked(stored: StoredDocument, state: StateDocument | None) -> bool:
    """Whether a document has its verdict, or the mark that it gets none. An uncommitted mark does not count: its scorer
    may have lost the lease, or have died, and nobody may have undone the mark yet.
    """
    ours = own_object(stored.source)
    if _is_null(ours.get("status")):
        return False
    arrival = ours.get("order")
    return state is None or not (isinstance(arrival, int) and state.is_uncommitted(arrival))


def _is_null(value: Any) -> bool:
    """Whether Elasticsearch indexes nothing of a value, so that searches find its document as one without it."""
    return value is None or (isinstance(value, list) and all(map(_is_null, value)))
