"""Checks of an archive and of the state index: whether they can bear marks, be read and take writes; of hours: whether
they index anything; of a window's documents: whether they have their text and their time in its fields. Reads only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.admin.hourly_indices import is_set
from neardup.elastic.http.admin_api import (
    data_blocks_of,
    index_settings,
    indices,
    is_closed,
    mappings,
    unblocking,
)
from neardup.elastic.http.api import WHOLE_OF_WHAT_IS_THERE, search
from neardup.elastic.reindex.index_reader import date_fields
from neardup.elastic.watch.archive import check_source
from neardup.elastic.watch.foreign_documents import NO_TEXT
from neardup.elastic.window.codec import OBJECT
from neardup.errors import SettingsError
from neardup.model.counted import some_of
from neardup.model.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.index_layout import Layout
    from neardup.model.finding import State

_MANY: Final = 0.1
"""The share of documents without a text from which on another field is probably meant."""


def check_archive(cluster: Cluster, name: str) -> Finding:
    """Whether marks can be found again in the archive `name`."""
    what, there = f"archive {name}", mappings(cluster, name)
    if not there:
        remedy = "restore it under this name, or score another index under another prefix"
        return Finding(
            what, "bad", f"does not exist: the documents that this window has scored are gone; {remedy}"
        )
    try:
        check_source(cluster, name)
    except SettingsError as error:
        return Finding(what, "bad", f"{error.value} cannot bear marks; it must be {error.expected}")
    ours = {index: about.get("properties", {}).get(OBJECT) for index, about in there.items()}
    guessed = [index for index, mapping in ours.items() if mapping and mapping.get("dynamic") != "false"]
    if guessed:
        remedy = "reindex its documents into an index that `neardup watch` has mapped first"
        fault = f"{OBJECT} in {guessed[0]} was not mapped by neardup, so marks there cannot be found again"
        return Finding(what, "bad", f"{fault}; {remedy}")
    unmapped = sum(1 for mapping in ours.values() if not mapping)
    waiting = f", {unmapped} not looked at yet (neardup watch)" if unmapped else ""
    return Finding(what, "ok", f"{len(there)} {'index' if len(there) == 1 else 'indices'}{waiting}")


def check_blocks(cluster: Cluster, name: str) -> Iterator[Finding]:
    """The indices of the archive `name` that are closed or blocked."""
    there = index_settings(cluster, name, "index.verified_before_close", "index.blocks.*", params={})
    for index, about in sorted(there.items()):
        settings = about["settings"].get("index", {})
        if is_closed(settings):
            yield closed(index)
        elif blocks := data_blocks_of(settings):
            remedy = f"{unblocking(index, blocks)}, and make sure that the disk is not full"
            state: State = "warning"
            lost = "verdicts cannot be written, and its documents wait"
            if "read" in blocks:
                state, lost = "bad", "the window cannot be read"
            yield Finding(f"index {index}", state, f"blocked ({', '.join(blocks)}): {lost}; {remedy}")


def check_state_index(cluster: Cluster) -> Finding | None:
    """That the index of the state document is closed or blocked, so that nothing can be scored; None if it is not."""
    name = cluster.address.state
    there = index_settings(cluster, name, "index.verified_before_close", "index.blocks.*", params={})
    settings = there.get(name, {}).get("settings", {}).get("index", {})
    if is_closed(settings):
        # Deleting this index, as an hour might be, would lose which documents count.
        text = f"closed: the window cannot be read; POST {name}/_open"
    elif blocks := data_blocks_of(settings):
        lost = "the window cannot be read" if "read" in blocks else "nothing can be scored"
        remedy = f"{unblocking(name, blocks)}, and make sure that the disk is not full"
        text = f"blocked ({', '.join(blocks)}): {lost}; {remedy}"
    else:
        return None
    return Finding(f"index {name}", "bad", text)


def closed(index: str) -> Finding:
    """The finding that an index of the window is closed."""
    remedy = f"POST {index}/_open, or delete it"
    return Finding(f"index {index}", "bad", f"closed: the window cannot be read; {remedy}")


def check_hours_index(cluster: Cluster) -> Iterator[Finding]:
    """The hours whose mapping indexes nothing, so that no search finds what their documents have."""
    own = cluster.address
    there = indices(cluster, own.pattern, fields=("mappings.enabled",), expand="all")
    for name, about in sorted(there.items()):
        if own.hour_of_index(name) is not None and is_set(about.get("mappings", {}).get("enabled"), "false"):
            fault = "its mapping indexes nothing (enabled: false), so nothing can be scored in it"
            remedy = f"remove that from {own.custom}; then delete this hour and write it again"
            yield Finding(f"index {name}", "bad", f"{fault}; {remedy}")


def check_fields(cluster: Cluster, layout: Layout) -> Iterator[Finding]:
    """That many documents of a window get no verdict, because they have no text in its field; that none has a time in
    its field, or that some in an archive have none. An archive without any date has no time, which is no finding. Needs
    the role `scorer`, unless there is no hour.
    """
    if layout.archive is None and not layout.existing_hours(cluster):
        return
    # For a user who may not read them, a search of a pattern has no documents; a refresh is refused.
    layout.refresh(cluster)
    what = f"documents of {cluster.address.prefix}"
    every, textless, dated = _counts(cluster, layout)
    if textless and textless >= _MANY * every:
        text = f"{textless:,} of {every:,} get no verdict, because they have no text in the field {layout.text_field!r}"
        yield Finding(what, "warning", f"{text}; {layout.other_field('text')}")
    if every and not dated:
        others = [name for name in date_fields(cluster, layout.target) if name != layout.time_field]
        if layout.archive is None or others:
            yield Finding(what, "warning", _timeless(layout, others))
    elif layout.archive is not None and dated < every:
        text = f"{every - dated:,} of {every:,} have no time in the field {layout.time_field!r}"
        counts = "they count as of the year 1, so a document with a time is called a copy of one without"
        yield Finding(what, "warning", f"{text}: {counts}")


def _timeless(layout: Layout, others: list[str]) -> str:
    counts = "each counts as of the beginning of the hour that it is in"
    if layout.archive is not None:
        counts = "all count as of the year 1, so that ids decide which copy is the original"
    there = f"; fields of type date are {some_of(others, 8)}" if others else ""
    return (
        f"none has a time in the field {layout.time_field!r}: {counts}{there}; {layout.other_field('time')}"
    )


def _counts(cluster: Cluster, layout: Layout) -> tuple[int, int, int]:
    """How many documents there are, how many are marked as having no text, and how many have a time. Two requests."""
    queries = {
        "every": {"match_all": {}},
        "textless": {"prefix": {f"{OBJECT}.unsigned": NO_TEXT}},
        "dated": {"exists": {"field": layout.time_field}},
    }
    body: dict[str, Any] = {
        "query": layout.without_others(cluster, {"match_all": {}}),
        "size": 0, "track_total_hits": False, "aggs": {"counts": {"filters": {"filters": queries}}},
    }  # fmt: skip
    buckets = search(cluster, layout.target, body, WHOLE_OF_WHAT_IS_THERE).buckets("counts")
    every, textless, dated = (buckets[name]["doc_count"] if buckets else 0 for name in queries)
    return every, textless, dated
