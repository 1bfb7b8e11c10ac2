"""The backlog of a window: the documents that wait for a verdict, how many they are, and since when."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.elastic.admin.managed_objects import window_config
from neardup.elastic.http.admin_api import index_settings, is_closed, stream_of, unblocking, write_blocks_of
from neardup.elastic.http.api import NO_INDEX_NEEDED, WHAT_IS_THERE, WHOLE_OF_WHAT_IS_THERE, refresh, search
from neardup.elastic.http.scan import TimeField, in_order, time_field
from neardup.elastic.watch.archive import check_source, map_marks
from neardup.elastic.window.codec import OBJECT, own_object
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.loader import PAGE, in_aborted_range
from neardup.elastic.window.state_document import read_state
from neardup.errors import NotSetUp
from neardup.model.hours import FIRST_HOUR

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from neardup.elastic.http.api import Hit
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.http.scan import Entry
    from neardup.elastic.window.state_document import StateDocument

log = logging.getLogger("neardup")

_TIME_RE: Final = re.compile(r"\d[\d.-]*")
"""What follows the prefix in the name of an hour, or of an index that was meant to be one."""

MARK: Final = f"{OBJECT}.status"
_IDS_AT_ONCE: Final = 200
"""A page has room for several documents of each: an hour of each may have one."""
_SETTINGS: Final = ("index.uuid", "index.blocks.*", "index.verified_before_close")


@dataclass(frozen=True)
class Backlog:
    """How far scoring is behind: `waiting` documents, of which the oldest has the time `oldest` (milliseconds, None: no
    time).

    `blocked` more wait in the `readonly` indices, each of which takes marks only after the request beside its name. How
    many wait in `closed` indices is unknown.
    """

    waiting: int = 0
    oldest: int | None = None
    blocked: int = 0
    readonly: Mapping[str, str] = field(default_factory=dict)
    closed: tuple[str, ...] = ()


class _Indices(NamedTuple):
    """The indices that documents are scored in: those that can be written to, each with its UUID, which tells it from
    an earlier index of its name; those that cannot, each with the request that opens it to writes; and those that are
    closed.
    """

    writable: dict[str, str]
    readonly: dict[str, str]
    closed: list[str]


class LayoutChanged(Exception):
    """Documents must be read by another `layout`, the new one: `neardup setup` has changed the window meanwhile."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self.layout = layout


def layout_at(cluster: Cluster) -> Layout:
    """The layout of the window at the cluster's address; raises `NotSetUp` if there is none."""
    state = read_state(cluster)
    if state is None:
        raise NotSetUp(str(cluster.address))
    own = cluster.address
    config = window_config(state.about, f"{own.state}/window of {own}")
    return Layout.of(own, config, state.archive)


def without_verdict(cluster: Cluster, layout: Layout, ids: Sequence[str]) -> dict[str, str]:
    """Where documents with these `_id`s are stored that do not count in the window, and why not, in words. A request
    for every 200 of them, and one more.
    """
    own = layout.without_others(cluster, {"match_all": {}})
    words = dict[str, str]()
    for at in range(0, len(ids), _IDS_AT_ONCE):
        query = {"bool": {"filter": [own, {"ids": {"values": [*ids[at : at + _IDS_AT_ONCE]]}}]}}
        fields = [f"{OBJECT}.{name}" for name in ("status", "unsigned", "scored_at", "order")]
        body = {"query": query, "size": PAGE, "track_total_hits": False, "_source": fields}
        for hit in search(cluster, layout.target, body, WHOLE_OF_WHAT_IS_THERE).hits:
            words[hit.id] = f"is stored in {hit.index}, and {_why_without(cluster, hit)}"
    return words


def _why_without(cluster: Cluster, hit: Hit) -> str:
    ours = own_object(hit.source)
    if ours.get("status") is None:
        return f"waits for its verdict (neardup watch --window {cluster.address})"
    if ours.get("unsigned") is not None:
        return f"gets no verdict: {ours['unsigned']}"
    if ours.get("scored_at") is not None and ours.get("order") is None:  # as `unstored_fields` leaves it
        return f"came too late to be in the window (its verdict: {ours['status']})"
    return f"its verdict, {ours['status']}, does not count"


class BacklogReader:
    """The documents of a window, or of an archive, that bear no mark."""

    def __init__(self, cluster: Cluster, layout: Layout) -> None:
        self._cluster, self._layout = cluster, layout
        self._mapped: set[str] = set()
        self._passed_over: set[str] = set()
        self._floor_hour = FIRST_HOUR
        # Our template maps the time of an hour as a date; what an archive calls its time can be of several types.
        self.time = (
            TimeField(layout.time_field, "date")
            if layout.archive is None
            else time_field(cluster, layout.archive, [layout.time_field])
        )

    def measure(self) -> Backlog:
        """How many documents wait now. Two requests; sees refreshed documents only."""
        writable, readonly, closed = self._indices()
        by_index = self._count([*writable, *readonly]) if writable or readonly else {}
        blocked = {name: by_index.pop(name)[0] for name in readonly if name in by_index}
        times = [time for _, time in by_index.values() if time is not None]
        return Backlog(
            sum(count for count, _ in by_index.values()),
            min(times, default=None),
            sum(blocked.values()),
            {name: readonly[name] for name in blocked},
            tuple(closed),
        )

    def entries(self) -> Generator[Entry]:
        """The waiting documents that can be marked, by (time, id). Close the generator if it is not read to its end: it
        keeps a search open.

        In an archive, documents without a time come first: they count as older than all others. In hours, they come
        last: they get the beginning of their index's hour as their time.

        Marks in aborted ranges, of a watcher that died, do not count, as nobody may have undone them yet.
        """
        writable = self._indices().writable
        self._map_new(writable)
        if writable:
            yield from in_order(
                self._cluster, self._layout.target, self.time, self._query([*writable], self._state()),
                missing="_first" if self._layout.archive else "_last", hidden=True,
            )  # fmt: skip

    def check_open(self) -> None:
        """Raises `ClusterRejected` for a closed hour of the window: searches would skip it."""
        self._state()
        self._layout.refresh(self._cluster, self._floor_hour)

    def _state(self) -> StateDocument | None:
        """The window's state now; also updates the floor, below which closed hours no longer belong to the window."""
        state = read_state(self._cluster)
        self._floor_hour = FIRST_HOUR if state is None else state.commit.floor_hour
        return state

    def refresh(self) -> None:
        """Makes everything written so far visible to searches."""
        refresh(self._cluster, self._layout.target, {**WHAT_IS_THERE, **NO_INDEX_NEEDED})

    def _indices(self) -> _Indices:
        params = {"expand_wildcards": "all", "ignore_unavailable": "true"}
        there = index_settings(self._cluster, self._layout.target, *_SETTINGS, params=params)
        indices = _Indices({}, {}, [])
        for name, about in sorted(there.items()):
            # Copies that are set aside have been scored.
            is_hour = self._layout.owns(name) and not self._layout.is_set_aside(name)
            if self._layout.archive is None and not is_hour:
                self._tell_passed_over(stream_of(name) or name)
                continue
            settings, hour = about["settings"]["index"], self._layout.address.hour_of_index(name)
            if is_closed(settings):
                if hour is None or hour[0] >= self._floor_hour:
                    indices.closed.append(name)
            elif blocks := write_blocks_of(settings):
                indices.readonly[name] = unblocking(name, blocks)
            else:
                indices.writable[name] = settings["uuid"]
        return indices

    def _tell_passed_over(self, name: str) -> None:
        """Logs, once, that an index seems meant to be an hour, but is none, or that an hour is a foreign data stream:
        otherwise its documents would wait in silence.
        """
        own = self._layout.address
        if name in self._passed_over or not _TIME_RE.fullmatch(name.removeprefix(f"{own.prefix}-")):
            return
        self._passed_over.add(name)
        if own.hour_of_index(name) is not None:
            why, remedy = "a data stream", "`neardup doctor` says how to make it an hour again"
        else:
            why = f"not named like an hour ({own.prefix}-yyyy.MM.dd-HH, in UTC)"
            remedy = f"`neardup ingest --from-index {name} --window {own}` copies them"
        log.warning("%s is %s: its documents are not scored; %s", name, why, remedy)

    def _map_new(self, indices: dict[str, str]) -> None:
        """Maps the marks in indices that the archive has got since the last look: a data stream rolls over, an index is
        deleted and made again. Raises `SettingsError` for an index that cannot bear marks.
        """
        if self._layout.archive is not None:
            for name, uuid in indices.items():
                if uuid not in self._mapped:
                    check_source(self._cluster, name)
                    map_marks(self._cluster, name)
            self._mapped.update(indices.values())

    def _count(self, indices: list[str]) -> dict[str, tuple[int, int | None]]:
        """For each index with waiting documents, their number and the time of the oldest."""
        oldest = {"oldest": {"min": {"field": self.time.name}}} if self.time.kind == "date" else {}
        body = {
            "size": 0,
            "track_total_hits": False,
            "query": self._query(indices),
            "aggs": {"indices": {"terms": {"field": "_index", "size": len(indices)}, "aggs": oldest}},
        }
        page = search(self._cluster, self._layout.target, body, WHOLE_OF_WHAT_IS_THERE)
        return {bucket["key"]: (bucket["doc_count"], _time(bucket)) for bucket in page.buckets("indices")}

    def _query(self, indices: list[str], state: StateDocument | None = None) -> dict[str, Any]:
        """The query for unmarked documents of `indices`, which are named in the body because a path of all hours can be
        too long. With `state`, also for documents whose mark never counts.
        """
        waiting: list[dict[str, Any]] = [{"bool": {"must_not": [{"exists": {"field": MARK}}]}}]
        if state is not None and state.aborted:
            by_watch = {"term": {f"{OBJECT}.written_by": "watch"}}
            waiting.append({"bool": {"filter": [by_watch, in_aborted_range(state)]}})
        return {
            "bool": {"filter": [{"terms": {"_index": indices}}], "should": waiting, "minimum_should_match": 1}
        }


def _time(bucket: dict[str, Any]) -> int | None:
    value = bucket.get("oldest", {}).get("value")
    return None if value is None else int(value)
