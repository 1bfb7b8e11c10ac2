"""What a cluster holds of scored documents, whatever the state document says, and whether there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from neardup.elastic.admin.setup import window_config
from neardup.elastic.http import api
from neardup.elastic.window.codec import OBJECT
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.loader import refresh
from neardup.errors import WindowDamaged
from neardup.model.hours import FIRST_HOUR

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neardup.elastic.http.client import Cluster


class Scored(NamedTuple):
    """What is there of scored documents: how many, the last arrival among them, the newest of their hours."""

    documents: int
    last: int
    newest: int


def scored_documents(cluster: Cluster, layout: Layout) -> Scored:
    """The scored documents of a window. Needs the role `scorer`, unless there is no hour. Three requests."""
    if layout.archive is None and not layout.living(cluster):
        return Scored(0, -1, FIRST_HOUR)
    refresh(cluster, layout)
    arrival = {"field": f"{OBJECT}.order"}
    body = {
        "query": {"exists": arrival}, "size": 0, "track_total_hits": False,
        "aggs": {"indices": {"terms": {"field": "_index", "size": 65_536}, "aggs": {"last": {"max": arrival}}}},
    }  # fmt: skip
    aggregations = api.search(cluster, layout.target, body, api.WHOLE_OF_WHAT_IS_THERE).aggregations
    scored = Scored(0, -1, FIRST_HOUR)
    for bucket in aggregations.get("indices", {}).get("buckets", ()):
        if layout.owns(bucket["key"]):
            hour = layout.address.hour_of_index(bucket["key"])
            scored = Scored(
                scored.documents + bucket["doc_count"],
                max(scored.last, int(bucket["last"]["value"])),
                max(scored.newest, hour[0] if hour else FIRST_HOUR),
            )
    return scored


def check_new(cluster: Cluster, about: Mapping[str, Any], archive: str | None) -> None:
    """Raises `WindowDamaged` for a window without state, described by `about`, that has scored documents all the
    same: it would be taken for a new one, and none of them be scored.
    """
    layout = Layout.of(cluster.address, window_config(about), archive)
    scored = scored_documents(cluster, layout)
    if scored.documents:
        own = layout.address
        raise WindowDamaged(
            f"{own.state} of {own}",
            f"no state document, but {scored.documents:,} scored documents in {layout.target}",
            "the one that says which of them count",
            remedy=f"`neardup setup --window {own}` makes it anew, from these documents",
        )
