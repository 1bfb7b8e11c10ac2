"""Checks of an archive and of the state index: whether they can bear marks, be read and take writes. Reads only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.elastic.http.admin_api import data_blocks_of, index_settings, is_closed, mappings, unblocking
from neardup.elastic.reindex.index_reader import OWN_ID, Source
from neardup.elastic.watch.archive import check_source
from neardup.elastic.window.codec import OBJECT
from neardup.errors import SettingsError
from neardup.model.counted import some_of
from neardup.model.finding import Finding
from neardup.sources.fields import Fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.elastic.http.client import Cluster
    from neardup.model.finding import State


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


def check_time(cluster: Cluster, name: str, time_field: str) -> Finding | None:
    """That the archive `name` has no `time_field`, but other dates: all its documents count as of the year 1, and ids
    decide which copy is the original. None if it has that field, no date at all, or no document.
    """
    source = Source(cluster, name, Fields(OWN_ID, time=(time_field,)))
    if source.time.kind is not None or not source.count({"match_all": {}}):
        return None
    if not (dates := source.date_fields()):
        return None
    way = f"`neardup remove --window {cluster.address} --force` takes this window and its marks away"
    text = (
        f"no document has the time field of this window, {time_field!r}: all count as of the year 1, so that ids "
        f"decide which copy is the original; fields of type date are {some_of(dates, 8)}; to use one, {way}, then "
        f"score {name} again with --time-field"
    )
    return Finding(f"archive {name}", "warning", text)


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
