"""The scored documents in a cluster, whatever the state document says, and whether that exists."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NamedTuple

from neardup.elastic.admin.setup import set_up
from neardup.elastic.http import api
from neardup.elastic.http.admin_api import config_of_template
from neardup.elastic.window.codec import OBJECT, own_object
from neardup.elastic.window.index_layout import Layout
from neardup.elastic.window.loader import ARRIVAL, BY_ARRIVAL, PAGE, committed, pages
from neardup.elastic.window.state_document import StateDocument
from neardup.errors import WindowDamaged
from neardup.model.hours import FIRST_HOUR

if TYPE_CHECKING:
    from neardup.elastic.http.api import DocumentRef
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.lease import Lease
    from neardup.model.settings import Settings

log = logging.getLogger("neardup")


class Scored(NamedTuple):
    """A summary of scored documents: how many there are, their last arrival, and their newest hour."""

    documents: int
    last: int
    newest: int


def scored_documents(cluster: Cluster, layout: Layout) -> Scored:
    """A summary of a window's scored documents. Needs the role `scorer`, unless there is no hour. Three requests."""
    if layout.archive is None and not layout.existing_hours(cluster):
        return Scored(0, -1, FIRST_HOUR)
    layout.refresh(cluster)
    arrival = {"field": f"{OBJECT}.order"}
    scored = Scored(0, -1, FIRST_HOUR)
    for bucket in _by_index(cluster, layout, {"exists": arrival}, {"last": {"max": arrival}}):
        hour = layout.address.hour_of_index(bucket["key"])
        scored = Scored(
            scored.documents + bucket["doc_count"],
            max(scored.last, int(bucket["last"]["value"])),
            max(scored.newest, hour[0] if hour else FIRST_HOUR),
        )
    return scored


def _by_index(
    cluster: Cluster, layout: Layout, query: dict[str, Any], each: dict[str, Any]
) -> list[dict[str, Any]]:
    """A bucket, with the aggregations `each`, for every index of the window with documents that match `query`."""
    indices = {"terms": {"field": "_index", "size": 65_536}, "aggs": each}
    body = {"query": query, "size": 0, "track_total_hits": False, "aggs": {"indices": indices}}
    page = api.search(cluster, layout.target, body, api.WHOLE_OF_WHAT_IS_THERE)
    return [bucket for bucket in page.buckets("indices") if layout.owns(bucket["key"])]


def verdicts_of_others(
    cluster: Cluster, layout: Layout, next_order: int | None
) -> tuple[int, DocumentRef] | None:
    """How many documents have verdicts that no scorer of this window gave, and one of them; None if there are none.

    Such a verdict has no arrival, as `neardup export` writes it, or, as `_reindex` copies it, an arrival from
    `next_order` on, which has not been given out yet (None: those are not looked for). What a scorer writes without an
    arrival does not count: the mark of a document that gets no verdict, and the verdict on one that came too late to be
    kept (`unstored_fields`). Only scorers write `scored_at`.
    """
    if layout.archive is None and not layout.existing_hours(cluster):
        return None
    layout.refresh(cluster)
    status = f"{OBJECT}.status"
    left_out = [{"exists": {"field": f"{OBJECT}.{name}"}} for name in ("order", "scored_at")]
    left_out.append({"term": {status: "unscored"}})
    foreign: list[dict[str, Any]] = [
        {"bool": {"filter": [{"exists": {"field": status}}], "must_not": left_out}}
    ]
    if next_order is not None:
        foreign.append({"range": {ARRIVAL: {"gte": next_order}}})
    one = {"one": {"top_hits": {"size": 1, "_source": False}}}
    buckets = _by_index(cluster, layout, {"bool": {"should": foreign, "minimum_should_match": 1}}, one)
    if not buckets:
        return None
    first = min(buckets, key=lambda bucket: bucket["key"])
    ref = api.DocumentRef(first["key"], first["one"]["hits"]["hits"][0]["_id"])
    return sum(bucket["doc_count"] for bucket in buckets), ref


def copied_within(
    cluster: Cluster, layout: Layout, state: StateDocument
) -> tuple[DocumentRef, DocumentRef] | None:
    """Two documents with the same arrival, which arise if another client copies documents within the window; None if a
    random sample of the documents that count has none. If one document in a thousand is such a copy, two samples in a
    hundred have none; if one in a hundred is, one sample in 10^17. Four requests.
    """
    if layout.archive is None and not layout.existing_hours(cluster):
        return None
    own = layout.without_others(cluster, {"match_all": {}})
    at_random = {"random_score": {"seed": 0, "field": "_seq_no"}, "boost_mode": "replace"}
    counting = {"bool": {"filter": [own, committed(state, 0)]}}
    body: dict[str, Any] = {
        "query": {"function_score": {"query": counting, **at_random}},
        "size": PAGE, "track_total_hits": False, "_source": [ARRIVAL],
    }  # fmt: skip
    page = api.search(cluster, layout.target, body, api.WHOLE_OF_WHAT_IS_THERE)
    sampled = {own_object(hit.source).get("order") for hit in page.hits}
    body = {
        "query": {"bool": {"filter": [own, {"terms": {ARRIVAL: sorted(sampled - {None})}}]}},
        "size": 0, "track_total_hits": False,
        "aggs": {"twice": {"terms": {"field": ARRIVAL, "size": PAGE, "min_doc_count": 2}}},
    }  # fmt: skip
    page = api.search(cluster, layout.target, body, api.WHOLE_OF_WHAT_IS_THERE)
    for bucket in page.buckets("twice"):
        body = {"query": {"term": {ARRIVAL: bucket["key"]}}, "sort": BY_ARRIVAL, "_source": False}
        refs = [hit.ref for hits in pages(cluster, layout, body) for hit in hits]
        if len(refs) > 1:
            return refs[0], refs[1]
    return None


def recovered(
    cluster: Cluster, about: dict[str, Any], settings: dict[str, Any], archive: str | None
) -> StateDocument:
    """A state in which all scored documents count, by settings that are not known; the state of a new window if there
    are none.
    """
    layout = Layout.described(cluster.address, about, archive)
    scored = scored_documents(cluster, layout)
    if not scored.documents:
        return StateDocument(about, settings, archive=archive)
    log.warning(
        "%s: the state document is made anew, and all %d scored documents count",
        layout.address, scored.documents,
    )  # fmt: skip
    state = StateDocument.made_anew(about, settings, archive, last=scored.last, newest=scored.newest)
    return state.with_settings_lost(str(layout.address), settings)


def check_unscored(cluster: Cluster, about: dict[str, Any], *, has_state: bool) -> None:
    """Raises `WindowDamaged` if a window described by `about` has scored documents in its hours, but no state, or (with
    `has_state`) one that nobody has scored by: it would be taken for a new window, and none of them would be found.
    """
    layout = Layout.described(cluster.address, about, None)
    scored = scored_documents(cluster, layout)
    if scored.documents:
        own = layout.address
        actual = (
            "a state document of a window that nobody has scored in" if has_state else "no state document"
        )
        raise WindowDamaged(
            f"{own.state} of {own}",
            f"{actual}, but {scored.documents:,} scored documents in {layout.target}",
            "the one that says which of them count",
            remedy=f"`neardup setup --window {own}` makes it anew, and then all of them count; if they were copied "
            "from another window with their verdicts (`_reindex`), index them again without the object neardup "
            "instead, for `neardup watch`",
        )


def _first_state(
    cluster: Cluster, about: dict[str, Any], settings: dict[str, Any], archive: str | None, *, has_state: bool
) -> StateDocument:
    """The state of a window that has none yet, or (with `has_state`) an unused one; raises what `check_unscored`
    raises. For an archive, which `neardup setup` does not know, the state is made anew at once.
    """
    if archive is not None:
        return recovered(cluster, about, settings, archive)
    check_unscored(cluster, about, has_state=has_state)
    return StateDocument(about, settings)


def begin_window(
    cluster: Cluster, lease: Lease[StateDocument], chosen: Settings, archive: str | None
) -> StateDocument:
    """The state of a window without scored documents; sets the window up if need be. Raises `WindowDamaged` if the
    window has scored documents but has lost its state; `SettingsError` if the window cannot have the settings `chosen`,
    which are not remembered then.
    """
    about = config_of_template(cluster) or set_up(cluster, settings=chosen).config.about()
    Layout.described(cluster.address, about, archive).check_indexed(chosen)
    try:
        lease.create(_first_state(cluster, about, chosen.remembered, archive, has_state=False))
    except WindowDamaged:
        if lease.read() is None:  # else another scorer has begun meanwhile
            raise
    return lease.read_existing()


def checked_unused(cluster: Cluster, lease: Lease[StateDocument], unused: StateDocument) -> StateDocument:
    """The state of a window that, by `unused`, nobody has scored in; checked here, because the user who set it up may
    not have been allowed to look. Raises what `check_unscored` raises.
    """
    try:
        state = _first_state(cluster, unused.about, unused.settings, unused.archive, has_state=True)
    except WindowDamaged:
        now = lease.read()
        if now is None or now.is_unused:
            raise
        return now  # another scorer has begun meanwhile
    if not state.commit.next_order:
        return unused
    lease.replace(state)
    return state
