"""An archive: what is scored in place. Whether its documents can bear marks, and the mapping of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from neardup.elastic.admin.hourly_indices import rebuilds_source
from neardup.elastic.admin.resources import load
from neardup.elastic.http.admin_api import indices, put_mapping
from neardup.errors import SettingsError

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

_FIELDS: Final = "neardup-fields.json"


def check_source(cluster: Cluster, name: str) -> None:
    """Raises `SettingsError` for an index that would not give the marks back as they were written, or not find them."""
    fields = [f"settings.index.{part}" for part in ("uuid", "mode", "mapping.source.mode")]
    for index, there in indices(cluster, name, fields=["mappings.enabled", *fields], expand="all").items():
        if there.get("mappings", {}).get("enabled") is False:
            expected = "an index whose mapping is enabled, where marks are found: reindex it into one"
            raise SettingsError("from_index", index, expected)
        if rebuilds_source(there["settings"]["index"]):
            expected = (
                "an index that keeps _source as written, not a synthetic one; without --in-place it is copied"
            )
            raise SettingsError("from_index", index, expected)


def map_marks(cluster: Cluster, name: str) -> None:
    """Maps our object in the indices that `name` stands for; raises `ClusterRejected` where another one is mapped.

    Marks that came first would be mapped by guess, and not be found again.
    """
    ours = load("mappings", _FIELDS, cluster.address.prefix)["template"]["mappings"]
    put_mapping(cluster, name, ours)
