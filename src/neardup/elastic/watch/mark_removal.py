"""Removes the marks of a window from the index that it scores in place: our object in each document that has a mark.

A document is written back whole, without the object, if it has not changed since it was read: an update cannot remove a
key without a script, and scripts may be switched off. The user's pipelines must not run again: the default one is left
out by the request; an index with a final one, which no request leaves out, is refused. Every step can be repeated.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.admin.hourly_indices import own_fields, rebuilds_source
from neardup.elastic.http.admin_api import (
    data_blocks_of,
    index_names,
    index_settings,
    is_closed,
    unblocking,
)
from neardup.elastic.http.api import (
    NO_INDEX_NEEDED,
    WHAT_IS_THERE,
    WHOLE_OF_WHAT_IS_THERE,
    refresh,
    search,
    snapshot_pages,
)
from neardup.elastic.http.bulk import Action, bulk_done
from neardup.elastic.http.scan import PAGE, Entry, read
from neardup.elastic.watch.backlog import MARK
from neardup.elastic.window.codec import OBJECT, own_object
from neardup.errors import ClusterConflict, SettingsError
from neardup.model.counted import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from neardup.elastic.http.api import StoredDocument
    from neardup.elastic.http.client import Cluster

log = logging.getLogger("neardup")

_ARRIVAL: Final = f"{OBJECT}.order"
_ATTEMPTS: Final = 10
"""How often documents are tried again that other clients change while they are written back."""
_AT_ONCE: Final = 500
_MOST_INDICES: Final = 10_000
_SETTINGS: Final = (
    "index.verified_before_close", "index.blocks.*", "index.final_pipeline", "index.mode",
    "index.mapping.source.mode",
)  # fmt: skip


def marked(cluster: Cluster, archive: str, before: int, *, others: bool = False) -> dict[str, int]:
    """How many documents of each index of `archive` have a mark of the window, whose arrivals are all less than
    `before`; `others`: instead, how many have a verdict with another arrival, which no scorer of this window gave.
    """
    refresh(cluster, archive, {**NO_INDEX_NEEDED, **WHAT_IS_THERE})
    body = {
        "size": 0,
        "track_total_hits": False,
        "query": _query(before, others=others),
        "aggs": {"indices": {"terms": {"field": "_index", "size": _MOST_INDICES}}},
    }
    page = search(cluster, archive, body, WHOLE_OF_WHAT_IS_THERE)
    return {bucket["key"]: bucket["doc_count"] for bucket in page.buckets("indices")}


def _query(before: int, *, others: bool = False) -> dict[str, Any]:
    has_mark = {"exists": {"field": MARK}}
    is_behind = {"range": {_ARRIVAL: {"gte": before}}}
    if others:
        return {"bool": {"filter": [has_mark, is_behind]}}
    return {"bool": {"filter": [has_mark], "must_not": [is_behind]}}


def check_takes_writes(cluster: Cluster, archive: str, indices: Mapping[str, int]) -> None:
    """Raises `SettingsError` for an index of `archive` that is closed, or for one of `indices`, which have marks, whose
    documents cannot be written back as they are.
    """
    params = {"expand_wildcards": "all", "ignore_unavailable": "true"}
    there = index_settings(cluster, archive, *_SETTINGS, params=params)
    for name, about in sorted(there.items()):
        settings = about["settings"].get("index", {})
        if fault := _fault(name, settings, has_marks=name in indices):
            raise SettingsError("archive", name, f"an index {fault}, and run again")


def _fault(name: str, settings: Mapping[str, Any], *, has_marks: bool) -> str | None:
    """What an index with these `settings` must be for its marks to be removed; None if it is."""
    if is_closed(settings):
        return f"that is open, so that its marks can be removed: POST {name}/_open"
    if not has_marks:
        return None
    if blocks := data_blocks_of(settings):
        return f"that takes writes, so that its marks can be removed: {unblocking(name, blocks)}"
    if (pipeline := settings.get("final_pipeline", "_none")) != "_none":
        body = '{"index.final_pipeline": "_none"}'
        return (
            f"without a final pipeline, which could change documents that are written back without their marks: PUT "
            f"{name}/_settings {body} (set {pipeline} again afterwards)"
        )
    if rebuilds_source(settings):
        return "that keeps _source as written, not a synthetic one: reindex it without the object neardup"
    return None


def remove_marks(cluster: Cluster, archive: str, before: int, keep_lease: Callable[[], object]) -> None:
    """Removes our object from the documents of `archive` that `marked` counts. What it holds besides our own fields
    stays. Logs how many documents keep a mark that is not in such an object.

    Costs about as much as indexing these documents again. `keep_lease` is called wherever time passes. Raises
    `ClusterConflict` if other clients change documents again and again, and errors of the cluster; what was removed
    until then stays removed.
    """
    for _ in range(_ATTEMPTS):
        refresh(cluster, archive, {**NO_INDEX_NEEDED, **WHAT_IS_THERE})
        changed = sum(
            _write_back(cluster, archive, part, before, keep_lease)
            for part in _parts(cluster, archive, before)
        )
        if not changed:
            break
    else:
        reason = f"{counted(changed, 'document')} changed in each of {_ATTEMPTS} attempts"
        remedy = "stop the clients that write there, and run again"
        raise ClusterConflict(cluster.url, f"POST /{archive}/_bulk", 409, "version_conflict", reason, remedy)
    for name, left in marked(cluster, archive, before).items():
        log.warning(
            "%s: %s keep %s, which is not in an object %s of their _source",
            name,
            counted(left, "document"),
            MARK,
            OBJECT,
        )


def _parts(cluster: Cluster, archive: str, before: int) -> Iterator[list[tuple[Entry, StoredDocument]]]:
    """The documents with marks, as they are stored now."""
    body = {"query": _query(before), "_source": False}
    with closing(snapshot_pages(cluster, archive, body, size=PAGE, hidden=True)) as pages:
        entries = (Entry(None, hit.id, hit.index, hit.routing) for hits in pages for hit in hits)
        yield from read(cluster, entries, most=_AT_ONCE)


def _write_back(
    cluster: Cluster,
    archive: str,
    part: list[tuple[Entry, StoredDocument]],
    before: int,
    keep_lease: Callable[[], object],
) -> int:
    """Writes documents without our object; returns how many were changed by another client at the same moment."""
    # A write into an index that was deleted meanwhile would make that again.
    there = frozenset(index_names(cluster, archive, expand="all"))
    actions = [
        Action("index", entry.index, entry.id, source, *stored.version, entry.routing, as_stored=True)
        for entry, stored in part
        if entry.index in there and (source := without_marks(stored.source, before)) is not None
    ]
    outcomes = bulk_done(cluster, actions, between=keep_lease)
    keep_lease()
    return sum(not outcome.ok for outcome in outcomes)


def without_marks(source: Mapping[str, Any], before: int) -> dict[str, Any] | None:
    """A document without our object, or with what another client keeps in it; None if it has no mark of the window."""
    ours = own_object(source)
    arrival = ours.get("order")
    if ours.get("status") is None or (isinstance(arrival, int) and arrival >= before):
        return None
    rest = {name: value for name, value in ours.items() if name not in own_fields()}
    return {
        name: rest if name == OBJECT else value for name, value in source.items() if rest or name != OBJECT
    }
