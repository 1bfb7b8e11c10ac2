"""The hourly indices of a window as they are in the cluster."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from neardup.elastic.admin.resources import load
from neardup.elastic.http import admin_api as api
from neardup.model.field_path import field_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from neardup.elastic.http.address import Address
    from neardup.elastic.http.client import Cluster

_OBJECT: Final = "neardup"
SEARCHED: Final = ("status", "identity", "time", "order", "group", "group_order", "written_by")
"""Fields of our object by which documents are searched for or sorted, and which every window maps in the same way."""
_LONGEST: Final = 2**31 - 1
"""The `ignore_above` of a keyword for which none is given."""
_FIELDS: Final = (
    "aliases",
    "mappings._meta",
    "mappings._source",
    *api.MAPPED,
    *(f"mappings.properties.{_OBJECT}.properties.{name}" for name in SEARCHED),
    *(
        f"settings.index.{name}"
        for name in (
            "uuid", "refresh_interval", "default_pipeline", "final_pipeline", "lifecycle.name", "max_terms_count",
            "max_result_window", "blocks", "mode", "mapping.source.mode", "number_of_replicas",
            "write.wait_for_active_shards",
        )
    ),
)  # fmt: skip


_REBUILDING: Final = ("logsdb", "time_series")
"""Modes of an index in which `_source` is not kept, but rebuilt from the fields, as far as it can be."""


_NARROWING: Final = ("filter", "search_routing")
"""Properties of an alias by which its searches do not see all documents of an index."""


def rebuilds_source(settings: Mapping[str, Any]) -> bool:
    """Whether an index with these settings (below `index`) may return documents other than as written: a synthetic
    `_source` loses the order and repetition of values.

    >>> rebuilds_source({"mapping": {"source": {"mode": "synthetic"}}}), rebuilds_source({"mode": "standard"})
    (True, False)
    """
    source = settings.get("mapping", {}).get("source", {}).get("mode")
    return source == "synthetic" if source else settings.get("mode") in _REBUILDING


def left_out(source: Mapping[str, Any], fields: Sequence[str]) -> list[str]:
    """Those of `fields` that an index with this `_source` in its mapping does not keep, or does not keep whole.

    >>> left_out({"excludes": ["neardup.order"]}, ["text", "neardup"]), left_out({"includes": ["te*"]}, ["neardup"])
    (['neardup'], ['neardup'])
    >>> left_out({"excludes": ["*.order"]}, ["text", "neardup"]), left_out({"excludes": ["*.raw"]}, ["neardup"])
    (['neardup'], [])
    """
    if is_set(source.get("enabled"), "false"):
        return list(fields)
    included, excluded = source.get("includes"), source.get("excludes", ())
    return [
        field
        for field in fields
        if (included and not _is_among(field, included))
        or _is_among(field, excluded)
        or any(pattern.startswith(f"{field}.") or _has_part(field, pattern) for pattern in excluded)
    ]


def _has_part(field: str, pattern: str) -> bool:
    """Whether `field` is our object and a pattern such as `*.order` matches a part of it."""
    return field == _OBJECT and any(fnmatchcase(f"{field}.{part}", pattern) for part in own_fields())


@cache
def own_fields() -> Mapping[str, Mapping[str, Any]]:
    """The fields of our object, each with its mapping."""
    fields = load("mappings", "neardup-fields.json", "")["template"]["mappings"]["properties"][_OBJECT]
    return dict(fields["properties"])


def is_set(value: Any, to: Literal["true", "false"]) -> bool:
    """Whether a boolean of a mapping is set to `to`; in a user's mapping it may be a string."""
    return str(value).lower() == to


def mapping_of(fields: Mapping[str, Any], name: str) -> Any:
    """The mapping of a field, written with a dotted name or within objects; None if it is not mapped."""
    return fields.get(name) or field_of(fields, name.replace(".", ".properties."))


def is_remapped(fields: Mapping[str, Any], name: str, ours: Mapping[str, Any]) -> bool:
    """Whether a field of our object has another type than `ours`, lacks an index or doc values that `ours` has, or does
    not index all values as they are.
    """
    theirs = mapping_of(fields, f"neardup.{name}")
    return bool(theirs) and (
        theirs.get("type", "object") != ours["type"]
        or "normalizer" in theirs
        or int(theirs.get("ignore_above", _LONGEST)) < ours.get("ignore_above", 0)
        or any(
            is_set(theirs.get(key), "false") and ours.get(key) is not False for key in ("index", "doc_values")
        )
    )


def _is_among(field: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns matches the field, an object that it lies in, or everything in such an object."""
    steps = field.split(".")
    objects = [".".join(steps[: i + 1]) for i in range(len(steps))]
    return any(fnmatchcase(name, p) or f"{name}.*" == p for name in objects for p in patterns)


class HourlyIndex(NamedTuple):
    """The index of an hour of the window (`hour`, in whole hours since 1970), or of that hour's `copies` that are set
    aside.

    `about`: its description by `neardup setup` (`_meta.neardup`), None if our template did not make the index, or if
    another client has replaced the `meta` of its mapping; `settings`: those of ours that it has, as strings, as
    Elasticsearch returns them; `source`: the `_source` part of its mapping; `is_mapped`: whether it maps our object,
    without dynamic fields; `remapped`: those of `SEARCHED` that it maps differently from our template.
    """

    name: str
    hour: int
    copies: bool
    about: Mapping[str, Any] | None
    settings: Mapping[str, Any]
    aliases: Mapping[str, Any]
    source: Mapping[str, Any]
    meta: Mapping[str, Any] = MappingProxyType({})
    is_mapped: bool = False
    remapped: tuple[str, ...] = ()

    def is_made_for(self, address: Address, signed_by: Literal["plugin", "client"]) -> bool:
        """Whether our template made the index, even if its description is lost: it maps our object and, if nodes sign,
        has our pipeline as its final one.
        """
        return self.is_mapped and (
            signed_by == "client" or self.settings.get("final_pipeline") == address.pipeline
        )

    def is_narrowed(self, alias: str) -> bool:
        """Whether searches through the alias may miss documents of this index, by a filter or a routing."""
        return not self.aliases.get(alias, {}).keys().isdisjoint(_NARROWING)

    @property
    def rebuilds_source(self) -> bool:
        """Whether the index may return documents other than as written."""
        return rebuilds_source(self.settings)

    def left_out(self, fields: Sequence[str]) -> list[str]:
        """Those of `fields` that the index does not keep, or does not keep whole."""
        return left_out(self.source, fields)


class Indices(NamedTuple):
    """Everything whose name is that of the window or an hour: our `hourly` indices by hour; the names of `others` that
    begin with the prefix; the names of hours that are `occupied` by a foreign alias or data stream, each with the
    indices of that.
    """

    hourly: list[HourlyIndex]
    others: list[str]
    occupied: Mapping[str, list[str]] = MappingProxyType({})


def read_indices(cluster: Cluster) -> Indices:
    """The indices under the cluster's prefix, open or closed, hidden or not; one request."""
    own = cluster.address
    hourly, others = [], []
    occupied: dict[str, list[str]] = {}
    for name, described in api.indices(cluster, own.pattern, fields=_FIELDS, expand="all").items():
        hour = own.hour_of_index(name)
        for called in (*described.get("aliases", {}), api.stream_of(name)):
            if called is not None and own.hour_of_index(called) is not None:
                occupied.setdefault(called, []).append(name)
        if hour is None:
            if fnmatchcase(name, own.pattern):  # not found by an alias alone
                others.append(name)
            continue
        mapping = described.get("mappings", {})
        meta, source = mapping.get("_meta", {}), mapping.get("_source", {})
        settings = described.get("settings", {}).get("index", {})
        aliases, mapped = described.get("aliases", {}), api.is_mapped(mapping)
        fields = mapping.get("properties", {})
        remapped = tuple(each for each in SEARCHED if is_remapped(fields, each, own_fields()[each]))
        hourly.append(
            HourlyIndex(name, *hour, meta.get(_OBJECT), settings, aliases, source, meta, mapped, remapped)
        )
    return Indices(sorted(hourly, key=lambda index: (index.hour, index.copies)), sorted(others), occupied)
