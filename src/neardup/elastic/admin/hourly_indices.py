"""The hourly indices of a window as they are in the cluster."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from neardup.elastic.admin.resources import load
from neardup.elastic.http import admin_api as api

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from neardup.elastic.http.address import Address
    from neardup.elastic.http.client import Cluster

_OBJECT: Final = "neardup"
_FIELDS: Final = (
    "aliases",
    "mappings._meta",
    "mappings._source",
    *api.MAPPED,
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
"""What an alias may have, by which its searches do not see all documents of an index."""


def rebuilds_source(settings: Mapping[str, Any]) -> bool:
    """Whether an index of these settings (below `index`) may give documents back otherwise than they were written:
    synthetic `_source`, which loses order and repetition of values.

    >>> rebuilds_source({"mapping": {"source": {"mode": "synthetic"}}}), rebuilds_source({"mode": "standard"})
    (True, False)
    """
    source = settings.get("mapping", {}).get("source", {}).get("mode")
    return source == "synthetic" if source else settings.get("mode") in _REBUILDING


def left_out(source: Mapping[str, Any], fields: Sequence[str]) -> list[str]:
    """Those of `fields` that are not whole in documents of an index whose mapping says this of `_source`.

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
    """Whether a pattern that begins with a star, as `*.order`, has a part of our object, if that is the field."""
    return field == _OBJECT and any(fnmatchcase(f"{field}.{part}", pattern) for part in own_fields())


@cache
def own_fields() -> Mapping[str, Mapping[str, Any]]:
    """What our object consists of, and how each part is mapped."""
    fields = load("mappings", "neardup-fields.json", "")["template"]["mappings"]["properties"][_OBJECT]
    return dict(fields["properties"])


def is_set(value: Any, to: Literal["true", "false"]) -> bool:
    """Whether a switch of a mapping is set so; one that a user wrote may be a string."""
    return str(value).lower() == to


def _is_among(field: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns has the field, or an object that it lies in, or all that is in that."""
    steps = field.split(".")
    objects = [".".join(steps[: i + 1]) for i in range(len(steps))]
    return any(fnmatchcase(name, p) or f"{name}.*" == p for name in objects for p in patterns)


class HourlyIndex(NamedTuple):
    """An index of an hour (`hour`, in whole hours since 1970) of the window, or of its `copies` that are set aside.

    `about`: what `neardup setup` says of it (`_meta.neardup`), None if it was not made by our template, or if another
    client has written the `meta` of its mapping anew, which replaces it whole; `settings`: those of ours that it has,
    as Elasticsearch gives them: strings; `source`: what its mapping says of `_source`; `is_mapped`: whether it maps our
    object, and nothing in it by guess.
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

    def is_made_for(self, address: Address, signed_by: Literal["plugin", "client"]) -> bool:
        """Whether our template has made it, whatever it says of itself: it maps our object, and if nodes sign, all that
        came went through the pipeline.
        """
        return self.is_mapped and (
            signed_by == "client" or self.settings.get("final_pipeline") == address.pipeline
        )

    def is_narrowed(self, alias: str) -> bool:
        """Whether a search by the alias may pass over documents of it that another finds."""
        return not self.aliases.get(alias, {}).keys().isdisjoint(_NARROWING)

    @property
    def rebuilds_source(self) -> bool:
        """Whether it may give documents back otherwise than they were written."""
        return rebuilds_source(self.settings)

    def left_out(self, fields: Sequence[str]) -> list[str]:
        """Those of `fields` that its documents are given back without, or without a part of."""
        return left_out(self.source, fields)


class Indices(NamedTuple):
    """What is called as the window: our `hourly` indices by hour, the names of `others` that begin with the prefix, and
    of hours that are `occupied` by an alias or a data stream of others, with the names of the indices of these.
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
        hourly.append(HourlyIndex(name, *hour, meta.get(_OBJECT), settings, aliases, source, meta, mapped))
    return Indices(sorted(hourly, key=lambda index: (index.hour, index.copies)), sorted(others), occupied)
