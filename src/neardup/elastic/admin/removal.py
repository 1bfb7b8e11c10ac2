"""Removal of a window: which indices and objects of a cluster go with it, and what stays. Pure functions of a snapshot,
and the deletion of objects.

Only what is certainly the window's goes: an index by its exact name, which must be that of an hour, and by what its
mapping or settings say; an object if neardup made it. Everything else under the prefix stays and is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from neardup.elastic.admin.hourly_indices import read_indices
from neardup.elastic.admin.managed_objects import COMPONENT, PIPELINE, POLICY, TEMPLATE
from neardup.elastic.http.admin_api import delete_object
from neardup.errors import ClusterRejected
from neardup.model.counted import some_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from neardup.elastic.admin.cluster_snapshot import ClusterSnapshot
    from neardup.elastic.admin.hourly_indices import HourlyIndex
    from neardup.elastic.admin.managed_objects import ManagedObject
    from neardup.elastic.http.address import Address
    from neardup.elastic.http.client import Cluster

_ORDER = (TEMPLATE, PIPELINE, POLICY, COMPONENT)
"""The kinds of objects in the order in which they can be deleted: a cluster keeps what another object names."""
_BAD_REQUEST = 400


class Removal(NamedTuple):
    """What goes with a window, besides the marks of an index scored in place: the indices of its `hours`, its state
    index, its `objects` in the order of their deletion; and what stays, each in words (`kept`).
    """

    hours: list[str]
    has_state: bool
    objects: list[ManagedObject]
    kept: list[str]

    @property
    def is_empty(self) -> bool:
        """Whether the cluster has nothing of this window: the components are not its own."""
        return not (
            self.hours or self.has_state or any(entry.kind is not COMPONENT for entry in self.objects)
        )


def removal_of(
    address: Address,
    snapshot: ClusterSnapshot,
    *,
    archive: str | None,
    other_states: Sequence[str] = (),
    piped: Sequence[str] = (),
) -> Removal:
    """What goes with the window at `address`, which scores `archive` in place, or nothing (None).

    `other_states`: the state indices of other windows; while there are such, or templates of other windows, the
    components stay. `piped`: indices that name the window's pipeline; it stays while one of them does, which could not
    be written to without it.
    """
    templates = (each.name for each in snapshot.other_templates if each.ours)
    theirs = (each.name for each in snapshot.objects.values() if each.ours and not _is_for(each, address))
    others = sorted({*other_states, *templates, *theirs})
    hours = [index.name for index in snapshot.indices.hourly if archive is None and is_own(index, address)]
    users = sorted({*piped} - {*hours})
    used = {COMPONENT: others, PIPELINE: users}
    objects = [
        entry
        for kind in _ORDER
        for entry in snapshot.objects.values()
        if entry.kind is kind and entry.ours and _is_for(entry, address) and not used.get(kind)
    ]
    kept = list(_kept(address, snapshot, {*hours}, archive))
    if users:
        kept.append(
            f"ingest pipeline {address.pipeline} stays: {some_of(users)} could not be written to without it"
        )
    if others:
        kept.append(f"the component templates of neardup stay: other windows use them ({some_of(others)})")
    return Removal(hours, snapshot.has_state, objects, kept)


def is_own(index: HourlyIndex, address: Address) -> bool:
    """Whether an index with the name of an hour is certainly an hour of the window: it has the description that our
    template gives, or our pipeline, and not that of another window, as an hour cloned from there has. Somebody else's
    logs may be called as hours are.
    """
    pipeline = index.settings.get("final_pipeline", "")
    is_of_other = pipeline.startswith("neardup-") and pipeline != address.pipeline
    return pipeline == address.pipeline or (index.about is not None and not is_of_other)


def _is_for(entry: ManagedObject, address: Address) -> bool:
    """Whether an object of neardup is not a template of another window: that of the state of `news` has the name that
    the template of the hours of `state-news` would have.
    """
    patterns = set(entry.body.get("index_patterns", ()))
    ours = {address.alias, address.pattern, address.copies_pattern, address.state}
    return not patterns or not patterns.isdisjoint(ours)


def _kept(address: Address, snapshot: ClusterSnapshot, hours: set[str], archive: str | None) -> Iterator[str]:
    why = (
        "was not made for this window" if archive is None else f"is no hour of a window that scores {archive}"
    )
    for index in snapshot.indices.hourly:
        if index.name not in hours:
            yield f"index {index.name} {why}: it stays"
    for name, indices in snapshot.indices.occupied.items():
        yield f"{name} is an alias or a data stream ({some_of(indices)}): it stays"
    if snapshot.indices.others:
        yield f"no hours of this window, so they stay: {some_of(snapshot.indices.others)}"
    if snapshot.prefix_is is not None:
        yield f"the {snapshot.prefix_is} {address.prefix} stays"
    if snapshot.also_called and snapshot.prefix_is is None:
        yield f"the alias {address.alias} stays on {some_of(snapshot.also_called)}"
    for entry in snapshot.objects.values():
        if not entry.ours:
            yield f"{entry.kind.title} {entry.name} was not made by neardup: it stays"
        elif not _is_for(entry, address):
            patterns = some_of(entry.body["index_patterns"])
            yield f"{entry.kind.title} {entry.name} is of another window, for {patterns}: it stays"
    if snapshot.custom is not None:
        yield f"component template {address.custom} is yours: it stays"


def delete_entry(cluster: Cluster, entry: ManagedObject) -> str | None:
    """Deletes an object; returns why it stays, in words, if the cluster refuses that, as something else names it."""
    try:
        delete_object(cluster, entry.path)
    except ClusterRejected as error:
        if entry.kind is TEMPLATE or error.status != _BAD_REQUEST:
            raise
        return f"{entry.kind.title} {entry.name} stays: {error.reason}"
    return None


def hours_left(cluster: Cluster) -> list[str]:
    """The hours of the window at the cluster's address that exist now."""
    return [index.name for index in read_indices(cluster).hourly if is_own(index, cluster.address)]
