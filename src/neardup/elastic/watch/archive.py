"""An archive, which is scored in place: whether its documents can bear marks and have a text; the mapping of marks; and
which other windows score it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from neardup.elastic.admin.hourly_indices import rebuilds_source
from neardup.elastic.admin.resources import load
from neardup.elastic.http.admin_api import index_names, indices, put_mapping
from neardup.elastic.http.api import WHAT_IS_THERE, Hit, field_types, search
from neardup.elastic.window.codec import OBJECT
from neardup.errors import ClusterRefused, SettingsError
from neardup.model.field_path import field_of, leaves_near, listed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from neardup.elastic.http.address import Address
    from neardup.elastic.http.client import Cluster

_FIELDS: Final = "neardup-fields.json"
_OBJECTS: Final = {"object", "nested"}
_LOOKED_AT: Final = 100
"""How many documents are searched for a field that no mapping has."""
_MOST_WINDOWS: Final = 10_000
"""How many windows are looked at: as many as one search returns, more than any cluster has indices for."""


def check_source(cluster: Cluster, name: str) -> None:
    """Raises `SettingsError` for an index that would not return marks as they were written, or not find them; or whose
    `_source` leaves fields out, of which each mark, being an update of a document, would delete the index.
    """
    fields = [f"settings.index.{part}" for part in ("uuid", "mode", "mapping.source.mode")]
    fields += ["mappings.enabled", "mappings._source"]
    for index, there in indices(cluster, name, fields=fields, expand="all").items():
        mapping = there.get("mappings", {})
        source = mapping.get("_source", {})
        if source.get("includes") or source.get("excludes"):
            expected = (
                "an index whose _source leaves no field out (mappings._source): a mark writes the document again from "
                "its _source, and what is left out there would no longer be found; copy the index, without --in-place"
            )
            raise SettingsError("from_index", index, expected)
        if mapping.get("enabled") is False:
            expected = "an index whose mapping is enabled, so that marks can be found: reindex it into one"
            raise SettingsError("from_index", index, expected)
        if rebuilds_source(there["settings"]["index"]):
            expected = (
                'an index that keeps _source as written, not a synthetic one: set index.mode "standard" in its '
                "template, and roll over, or copy the index, without --in-place"
            )
            raise SettingsError("from_index", index, expected)


def check_text(cluster: Cluster, name: str, text_field: str) -> None:
    """Raises `SettingsError` if documents have no text in `text_field`: each would be marked as getting no verdict, and
    not be looked at again for another field.
    """
    if set(field_types(cluster, name, text_field)) - _OBJECTS:
        return
    hits = search(cluster, name, {"size": _LOOKED_AT, "track_total_hits": False}).hits
    if hits and not any(isinstance(field_of(hit.source, text_field), str) for hit in hits):
        theirs = {name: value for name, value in hits[0].source.items() if name != OBJECT}
        fields = listed(leaves_near(theirs, text_field))
        expected = f"a text in the documents of {name}, which have none of this name (fields: {fields})"
        raise SettingsError("text_field", text_field, f"{expected}: name it by --text-field")


def map_marks(cluster: Cluster, name: str) -> None:
    """Maps our object in the indices that `name` stands for; raises `ClusterRejected` where it is mapped otherwise.

    Marks that are written before that would be mapped dynamically, and not be found again.
    """
    ours = load("mappings", _FIELDS, cluster.address.prefix)["template"]["mappings"]
    put_mapping(cluster, name, ours)


def windows_in_place(cluster: Cluster, indices: Collection[str]) -> Iterator[Address]:
    """The windows other than the one at the cluster's address that score one of `indices` in place, as far as this user
    may see them.
    """
    address = cluster.address
    states = replace(address, prefix="*").state
    body = {"query": {"ids": {"values": ["window"]}}, "_source": ["archive"], "size": _MOST_WINDOWS}
    hits = list[Hit]()
    with suppress(ClusterRefused):
        hits = search(cluster, states, body, WHAT_IS_THERE).hits
    for hit in hits:
        archive = hit.source.get("archive")
        if hit.index == address.state or not isinstance(archive, str):
            continue
        if set(index_names(cluster, archive)) & set(indices):
            yield replace(address, prefix=hit.index.removeprefix(replace(address, prefix="").state))
