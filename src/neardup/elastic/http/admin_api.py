"""The calls to indices, templates and the cluster itself that we use, typed as those of `api.py`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.http.unexpected import UNREADABLE, reads_answer
from neardup.elastic.http.whole_answers import whole
from neardup.errors import ClusterError, ClusterRejected, WindowDamaged

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster

SHARDS_A_NODE: Final = 1_000
"""`cluster.max_shards_per_node`, as Elasticsearch sets it."""
ALL_THAT_ARE_THERE: Final = {
    "expand_wildcards": "all", "ignore_unavailable": "true", "flat_settings": "true",
}  # fmt: skip
"""Parameters of `index_settings` for every index, also hidden and closed ones; that there is no index is no error."""
MAPPED: Final = ("mappings.properties.neardup.dynamic", "mappings.properties.neardup.properties.order.type")
"""The paths that `is_mapped` reads."""
_BLOCKS_OF_WRITES: Final = ("read_only", "read_only_allow_delete", "write")
"""Blocks that keep writes out of an index: set by an operator, a full disk, a step of its lifecycle."""

_SHARDS_A_NODE: Final = "cluster.max_shards_per_node"
_BLOCKS: Final = ("cluster.blocks.read_only", "cluster.blocks.read_only_allow_delete")
_OF_STREAM_RE: Final = re.compile(r"\.ds-(.*?)(?:-\d{4}\.\d\d\.\d\d)?-\d{6,}")
_EXISTS_ALREADY: Final = "resource_already_exists_exception"
_SETTING_LEVELS: Final = ("transient", "persistent", "defaults")
"""The first that has a setting decides."""
_IN_EVERY_INDEX: Final = "settings.index.uuid"
_NO_SUCH_API: Final = (400, 404, 405, 410)


@dataclass(frozen=True, slots=True)
class Health:
    """The cluster's name and state ("green", "yellow", "red"), its nodes, and the shards of all open indices."""

    name: str
    status: str
    nodes: int
    data_nodes: int
    shards: int


@dataclass(frozen=True, slots=True)
class ShardLimit:
    """How many shards there are, and how many there may be (replicas count too)."""

    used: int
    most: int
    data_nodes: int

    @property
    def hours_left(self) -> int:
        """How many more hourly indices there is room for: a shard each, and a replica with a second data node."""
        left = (self.most - self.used) // (2 if self.data_nodes > 1 else 1)  # auto_expand_replicas 0-1
        return max(left, 0)  # a lowered limit takes no index away


# ---- the cluster ----


@reads_answer
def health(cluster: Cluster) -> Health:
    """The health of the cluster."""
    answer = cluster.request("GET", "/_cluster/health")
    shards = int(answer["active_shards"]) + int(answer["unassigned_shards"])
    return Health(
        answer["cluster_name"],
        answer["status"],
        int(answer["number_of_nodes"]),
        int(answer["number_of_data_nodes"]),
        shards,
    )


def without_shards(cluster: Cluster, target: str) -> list[str]:
    """The indices that lack a primary shard; none if this request is not answered either, which is sent once."""
    params = {
        "level": "indices",
        "expand_wildcards": "all",
        "filter_path": "indices.*.status",
        "timeout": "0s",
    }
    with suppress(ClusterError, *UNREADABLE):
        answer = cluster.request("GET", f"/_cluster/health/{target}", params=params, once=True)
        indices = answer.get("indices", {})
        return sorted(name for name, index in indices.items() if index.get("status") == "red")
    return []


@reads_answer
def shard_limit(cluster: Cluster) -> ShardLimit:
    """How many shards the cluster has, and how many it may have. Elasticsearch counts those of all open indices,
    assigned or not, against `cluster.max_shards_per_node` for every data node.
    """
    now = health(cluster)
    each = int(_cluster_setting(cluster, _SHARDS_A_NODE) or SHARDS_A_NODE)
    return ShardLimit(now.shards, each * now.data_nodes, now.data_nodes)


def cluster_block(cluster: Cluster) -> str | None:
    """The setting that blocks writes to the whole cluster; None if there is none."""
    return next((name for name in _BLOCKS if _cluster_setting(cluster, name) == "true"), None)


def makes_by_itself(cluster: Cluster) -> str:
    """The value of `action.auto_create_index`, which says whether a write makes a missing index: "true", "false", or
    patterns, of which the first that matches decides (+ or -).
    """
    value: object = _cluster_setting(cluster, "action.auto_create_index") or "true"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


@reads_answer
def _cluster_setting(cluster: Cluster, name: str) -> str | None:
    """The effective value of a setting; None where the cluster does not have it."""
    # No filter_path: its dots are steps into an object, those of a flat setting are not.
    params = {"include_defaults": "true", "flat_settings": "true"}
    answer = cluster.request("GET", "/_cluster/settings", params=params)
    return next((answer[level][name] for level in _SETTING_LEVELS if name in answer.get(level, ())), None)


@reads_answer
def nodes(cluster: Cluster, *what: str, fields: Sequence[str]) -> list[dict[str, Any]]:
    """The description of each node, as far as it is asked for: `what` names parts of it, `fields` paths in it. If some
    nodes do not answer, all are asked again: a node that is left out may be the one without the plugin.
    """
    params = {"filter_path": ",".join(("_nodes.failed", *(f"nodes.*.{name}" for name in fields)))}
    answer = whole(cluster, f"/_nodes/{','.join(what)}", params, method="GET")
    return list(answer["nodes"].values())


def has_lifecycle(cluster: Cluster) -> bool:
    """Whether the cluster has ILM: distributions without it, and serverless projects, do not know its API."""
    try:
        cluster.request("GET", "/_ilm/status")
    except ClusterRejected as error:
        if error.status in _NO_SUCH_API:
            return False
        raise
    return True


def get_object(cluster: Cluster, path: str) -> Any:
    """A template, pipeline or policy, or all of a kind, as the cluster returns it; None if there is none."""
    return cluster.request("GET", path, missing_ok=True)


@reads_answer
def config_of_template(cluster: Cluster) -> dict[str, Any] | None:
    """The window's description in its index template; None if the window is not set up."""
    answer = get_object(cluster, f"/_index_template/{cluster.address.template}")
    if answer is None:
        return None
    return about_of(answer["index_templates"][0]["index_template"])


def is_mapped(mapping: Mapping[str, Any]) -> bool:
    """Whether the mapping of an index (of which the paths `MAPPED` are enough) has our object as our template maps it:
    without dynamic fields, and with arrivals, by which documents are found.
    """
    ours = mapping.get("properties", {}).get("neardup", {})
    return str(ours.get("dynamic")).lower() == "false" and "order" in ours.get("properties", {})


def about_of(template: Mapping[str, Any]) -> dict[str, Any] | None:
    """The description of a window in the index template that makes its indices; None in any other template."""
    mapping = template.get("template", {}).get("mappings", {})
    about: dict[str, Any] | None = mapping.get("_meta", {}).get("neardup")
    return about


def put_object(cluster: Cluster, path: str, body: dict[str, Any] | None = None) -> bool:
    """Makes or changes an object, or makes an index; False if the index exists already (another process was faster)."""
    try:
        cluster.request("PUT", path, body=body)
    except ClusterRejected as error:
        if error.type != _EXISTS_ALREADY:
            raise
        return False
    return True


def delete_object(cluster: Cluster, path: str) -> None:
    """Deletes a template, pipeline or policy, if it is there."""
    cluster.request("DELETE", path, missing_ok=True)


@reads_answer
def simulate(
    cluster: Cluster, source: dict[str, Any], *, name: str | None = None, processors: Sequence[Any] = ()
) -> dict[str, Any]:
    """The result of an ingest pipeline (called `name`, or made of `processors`) for a document: `doc` or `error`."""
    path = "/_ingest/pipeline/_simulate" if name is None else f"/_ingest/pipeline/{name}/_simulate"
    pipeline = {"pipeline": {"processors": list(processors)}} if name is None else {}
    (answer,) = cluster.request("POST", path, body={**pipeline, "docs": [{"_source": source}]})["docs"]
    return dict(answer)


# ---- indices ----


def indices(
    cluster: Cluster, target: str, *, fields: Sequence[str], expand: str | None = None
) -> dict[str, dict[str, Any]]:
    """The `fields` of aliases, mappings and settings of every index, by index name; empty if there is no index."""
    params = {"filter_path": ",".join(f"*.{name}" for name in fields)}
    params |= {"expand_wildcards": expand} if expand is not None else {}
    return cluster.request("GET", f"/{target}", params=params, missing_ok=True) or {}


def index_names(cluster: Cluster, target: str, *, expand: str | None = None) -> list[str]:
    """The names of all indices, in order."""
    return sorted(indices(cluster, target, fields=(_IN_EVERY_INDEX,), expand=expand))


def own_index(cluster: Cluster, name: str, *, fields: Sequence[str]) -> dict[str, Any]:
    """The `fields` of one index, as by `indices`; {} if it does not exist. Raises `WindowDamaged` where a foreign alias
    or data stream has its name.
    """
    there = indices(cluster, name, fields=(*fields, _IN_EVERY_INDEX))
    if others := sorted(there.keys() - {name}):
        called_so, request = what_has_name(name, others)
        remedy = f"remove it ({request}), and run again"
        raise WindowDamaged(name, called_so, "an index of this window", remedy=remedy)
    return there.get(name, {})


def stream_of(index: str) -> str | None:
    """The data stream that an index of this name is a part of, or None. Elasticsearch puts a date into such a name,
    OpenSearch does not.

    >>> stream_of(".ds-news-1-2026.11.21-000001"), stream_of(".ds-news-000001"), stream_of("news-1")
    ('news-1', 'news', None)
    """
    match = _OF_STREAM_RE.fullmatch(index)
    return match and match[1]


def what_has_name(name: str, others: Sequence[str]) -> tuple[str, str]:
    """What `name`, which stands for the indices `others`, is (a data stream or an alias, in words), and the request
    that removes it.

    >>> what_has_name("news-1", [".ds-news-1-2026.11.21-000001"])
    ('a data stream', 'DELETE _data_stream/news-1, with all its documents, and let no template of yours make one')
    """
    if stream_of(others[0]) == name:
        also = "with all its documents, and let no template of yours make one"
        return "a data stream", f"DELETE _data_stream/{name}, {also}"
    return f"an alias of {', '.join(others)}", f"DELETE {','.join(others)}/_alias/{name}"


def blocks_of(settings: Mapping[str, Any]) -> list[str]:
    """The blocks that an index with these settings (below `index`) has."""
    return sorted(name for name, value in settings.get("blocks", {}).items() if value == "true")


def data_blocks_of(settings: Mapping[str, Any]) -> list[str]:
    """The blocks in these settings (below `index`) that keep documents from being read or written."""
    return [name for name in blocks_of(settings) if name != "metadata"]


def write_blocks_of(settings: Mapping[str, Any]) -> list[str]:
    """The blocks in these settings (below `index`) that keep writes out of the index."""
    return [name for name in blocks_of(settings) if name in _BLOCKS_OF_WRITES]


def is_closed(settings: Mapping[str, Any]) -> bool:
    """Whether an index with these settings (below `index`) is closed."""
    return settings.get("verified_before_close") == "true"


def unblocking(index: str, blocks: Sequence[str]) -> str:
    """The request that takes `blocks` off an index, as text for a remedy."""
    freed = ", ".join(f'"index.blocks.{name}": null' for name in blocks)
    return f"PUT {index}/_settings {{{freed}}}"


def index_settings(
    cluster: Cluster, target: str, *names: str, params: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """Settings of every index, by name; none if there is no index."""
    path = f"/{target}/_settings/{','.join(names)}"
    return cluster.request("GET", path, params=dict(params), missing_ok=True) or {}


@reads_answer
def mappings(cluster: Cluster, target: str) -> dict[str, dict[str, Any]]:
    """The mapping of every index, by name; none if there is no index."""
    answer = cluster.request("GET", f"/{target}/_mapping", missing_ok=True) or {}
    return {name: described["mappings"] for name, described in answer.items()}


@reads_answer
def types_by_index(cluster: Cluster, target: str, field: str) -> dict[str, str]:
    """The type of a field in every index that has it, by name."""
    answer = get_object(cluster, f"/{target}/_mapping/field/{field}") or {}
    return {
        index: str(mapped["type"])
        for index, there in sorted(answer.items())
        for named in there["mappings"].values()
        for mapped in named["mapping"].values()
    }


def put_mapping(cluster: Cluster, index: str, mapping: dict[str, Any]) -> None:
    """Adds fields to the mapping of an index."""
    cluster.request("PUT", f"/{index}/_mapping", body=mapping)


def is_readable(cluster: Cluster, name: str) -> bool:
    """Whether there is an index of this name; needs no more than the right to read it."""
    return cluster.request("GET", f"/{name}/_count", missing_ok=True) is not None


def delete_index(cluster: Cluster, name: str) -> None:
    """Deletes an index, if it is there."""
    cluster.request("DELETE", f"/{name}", missing_ok=True)


@reads_answer
def alias(cluster: Cluster, name: str) -> dict[str, dict[str, Any]]:
    """The properties of an alias in each of its indices, by index name; empty if there is no alias."""
    answer = cluster.request("GET", f"/_alias/{name}", missing_ok=True) or {}
    return {index: described["aliases"][name] for index, described in answer.items()}


def update_aliases(cluster: Cluster, actions: Sequence[dict[str, Any]]) -> None:
    """Changes aliases, all at once."""
    cluster.request("POST", "/_aliases", body={"actions": list(actions)})
