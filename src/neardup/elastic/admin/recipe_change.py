"""What changes in a window's managed objects and hourly indices with its recipe, and whether it can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.elastic.admin.cluster_snapshot import take_snapshot
from neardup.elastic.admin.hour_changes import described
from neardup.elastic.admin.managed_objects import PIPELINE, SIGNATURE_STORAGE, wanted_objects
from neardup.elastic.admin.setup import plan
from neardup.elastic.http import admin_api
from neardup.errors import SetupRefused

if TYPE_CHECKING:
    from neardup.elastic.admin.cluster_snapshot import ClusterSnapshot
    from neardup.elastic.admin.managed_objects import WindowConfig
    from neardup.elastic.admin.setup import Plan
    from neardup.elastic.http.address import Address
    from neardup.elastic.http.client import Cluster


def checked_plan(cluster: Cluster, config: WindowConfig, archive: str | None) -> Plan:
    """The changes, besides those of the documents, by which a window of hours or of an `archive` is signed as `config`
    says.

    Raises `SetupRefused` (also for an index that takes no writes), and `ClusterRejected` if the nodes cannot sign so.
    """
    address, snapshot = cluster.address, take_snapshot(cluster)
    _check_writable(cluster, snapshot, archive)
    made = plan(address, config, _as_if_signed(address, snapshot, config))
    for entry in wanted_objects(address, config, lifecycle=False):
        if entry.kind is PIPELINE:
            admin_api.simulate(cluster, {"text": ""}, processors=entry.body["processors"])
    return made


def _check_writable(cluster: Cluster, snapshot: ClusterSnapshot, archive: str | None) -> None:
    settings = {index.name: index.settings for index in snapshot.indices.hourly}
    if archive is not None:
        fields = ("settings.index.uuid", "settings.index.blocks")
        there = admin_api.indices(cluster, archive, fields=fields, expand="all")
        settings = {name: described["settings"]["index"] for name, described in there.items()}
    for name, own in sorted(settings.items()):
        if blocks := admin_api.blocks_of(own):
            raise SetupRefused(
                str(cluster.address),
                f"index {name} is read-only, so its documents cannot be signed",
                f"allow writes to it again ({admin_api.unblocking(name, blocks)}), or delete it",
            )


def _as_if_signed(address: Address, snapshot: ClusterSnapshot, config: WindowConfig) -> ClusterSnapshot:
    """`snapshot` as if every hour were signed by the recipe of `config`: a plan made from it has everything else that
    must change. An hour whose description another client has removed is described again when it is signed
    (`describe_index`).
    """
    hourly = [
        index if about is None else index._replace(about={**about, "recipe": config.recipe_text})
        for index in snapshot.indices.hourly
        for about in (described(index, address, snapshot.about),)
    ]
    return snapshot._replace(indices=snapshot.indices._replace(hourly=hourly))


def describe_index(cluster: Cluster, name: str, config: WindowConfig) -> None:
    """Writes into the mapping of an hour by which recipe its documents are signed now; what it says of their storage
    stays. Does nothing if the hour no longer exists.
    """
    there = admin_api.mappings(cluster, name).get(name)
    if there is not None:
        meta = there.get("_meta", {})
        new, old = config.about(), meta.get("neardup")
        if old is not None:
            new = {**old, **{name: value for name, value in new.items() if name not in SIGNATURE_STORAGE}}
        admin_api.put_mapping(cluster, name, {"_meta": {**meta, "neardup": new}})
