"""Snapshot of a cluster: everything in it that setting up a window, and checking it, must know. Reads only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from neardup.elastic.admin.hourly_indices import Indices, read_indices
from neardup.elastic.admin.managed_objects import (
    COMPONENT,
    PIPELINE,
    POLICY,
    TEMPLATE,
    Kind,
    ManagedObject,
    object_in,
)
from neardup.elastic.http import admin_api as api
from neardup.elastic.http.address import FIELDS_COMPONENT, HOURLY_COMPONENT
from neardup.elastic.http.unexpected import reads_answer
from neardup.model.field_path import field_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from neardup.elastic.admin.managed_objects import Tokenizer
    from neardup.elastic.http.address import Address
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.http.product import Product

PROCESSOR: Final = "neardup"
_ANALYSIS: Final = "analysis-common"
"""The module that has the tokenizer `ngram`; only the smallest distributions have not."""


class NodeFacts(NamedTuple):
    """A node of the cluster: name, version, whether it has our processor, where it is reached from outside, and whether
    it has the tokenizer `ngram`.
    """

    name: str
    version: str
    signs: bool
    http: str | None
    has_ngram: bool = True


class OtherTemplate(NamedTuple):
    """An index template that is not this window's."""

    name: str
    patterns: tuple[str, ...]
    priority: int
    ours: bool


class ClusterSnapshot(NamedTuple):
    """A cluster as it was at one moment.

    `lifecycle`: whether it has index lifecycle management; `objects`: those of ours that are there, by path;
    `has_state`: whether the state index is there; `prefix_is`: what is called so, if it is no alias; `also_called`:
    indices of others in the alias; `custom`: the user's component template, None if there is none.
    """

    nodes: list[NodeFacts]
    lifecycle: bool
    objects: Mapping[str, ManagedObject]
    other_templates: list[OtherTemplate]
    indices: Indices
    has_state: bool
    prefix_is: Literal["index", "data stream"] | None
    product: Product = "elasticsearch"
    custom: Mapping[str, Any] | None = None
    also_called: Sequence[str] = ()

    @property
    def tokenizer(self) -> Tokenizer | None:
        """What can cut q-grams on every node: better the server's own, which stays when the plugin goes."""
        if all(node.has_ngram for node in self.nodes):
            return "ngram"
        return "neardup_qgrams" if all(node.signs for node in self.nodes) else None

    def notes_on_custom(self, text_field: str, time_field: str) -> Iterator[str]:
        """What of the user's component template has no effect, because our template maps this field itself, or has
        every document of an hour refused.
        """
        mapping = (self.custom or {}).get("template", {}).get("mappings", {})
        fields, whose = mapping.get("properties", {}), "a component template of yours"
        mapped = _mapping_of(fields, time_field)
        if mapped and mapped != {"type": "date"}:
            yield (
                f"{whose} maps the time, {time_field}, which has no effect: in hours it is a "
                "date as Elasticsearch reads it by itself, ISO 8601 or milliseconds; write it so"
            )
        made = "then delete the hours that were made so, or choose another prefix"
        if str(mapping.get("_routing", {}).get("required")).lower() == "true":
            text = "wants a routing (mappings._routing.required): documents are written by their ids alone"
            yield f"{whose} {text}, so every one is refused or left unscored; take that out of it, {made}"
        dynamic = str(mapping.get("dynamic"))
        if dynamic.startswith("strict") and not _mapping_of(fields, text_field):
            text = f"is {dynamic} (mappings.dynamic) and does not map the text, {text_field}"
            yield f"{whose} {text}, so every document is refused; map it and your other fields there, {made}"

    @property
    def about(self) -> Mapping[str, Any] | None:
        """What the window's index templates say of it; None if it is not set up, or not by us."""
        abouts = (api.about_of(entry.body) for entry in self.objects.values() if entry.kind is TEMPLATE)
        return next((about for about in abouts if isinstance(about, dict)), None)


@reads_answer
def take_snapshot(cluster: Cluster) -> ClusterSnapshot:
    """The snapshot of a cluster; about ten requests."""
    own = cluster.address
    answer = api.get_object(cluster, f"/{TEMPLATE.path}")
    lifecycle = api.has_lifecycle(cluster)
    called = api.index_names(cluster, own.prefix, expand="all")
    templates = (own.template, own.copies_template, own.alias_template, own.state_template)
    custom = object_in(COMPONENT, own.custom, api.get_object(cluster, f"/{COMPONENT.path}/{own.custom}"))
    entries = [object_in(TEMPLATE, name, answer) for name in templates]
    for kind, name in _others(own, lifecycle=lifecycle):
        entries.append(object_in(kind, name, api.get_object(cluster, f"/{kind.path}/{name}")))
    objects = {entry.path: entry for entry in entries if entry is not None}
    ours = {entry.name for entry in objects.values()}
    return ClusterSnapshot(
        nodes=nodes(cluster),
        lifecycle=lifecycle,
        objects=objects,
        other_templates=[
            _other_template(entry["name"], entry["index_template"])
            for entry in answer["index_templates"]
            if entry["name"] not in ours
        ],
        indices=read_indices(cluster),
        has_state=own.state in api.index_names(cluster, own.state, expand="all"),
        prefix_is=_kind_of(own.prefix, called),
        product=cluster.product,
        custom=custom and custom.body,
        also_called=[name for name in called if own.hour_of_index(name) is None],
    )


def nodes(cluster: Cluster) -> list[NodeFacts]:
    """Every node of the cluster, by name."""
    known = ("name", "version", "ingest", "http.publish_address", "modules.name")
    answers = api.nodes(cluster, "ingest", "http", "plugins", fields=known)
    return sorted(
        NodeFacts(
            node["name"],
            node["version"],
            any(entry["type"] == PROCESSOR for entry in node.get("ingest", {}).get("processors", ())),
            node.get("http", {}).get("publish_address"),
            any(module.get("name") == _ANALYSIS for module in node.get("modules", ())),
        )
        for node in answers
    )


def _mapping_of(fields: Mapping[str, Any], name: str) -> Any:
    """How a field is mapped, be it called by a name with dots or within objects; None if it is not."""
    return fields.get(name) or field_of(fields, name.replace(".", ".properties."))


def _others(own: Address, *, lifecycle: bool) -> list[tuple[Kind, str]]:
    components = [(COMPONENT, FIELDS_COMPONENT), (COMPONENT, HOURLY_COMPONENT)]
    return [*components, (PIPELINE, own.pipeline), *([(POLICY, own.policy)] if lifecycle else [])]


def _other_template(name: str, body: Mapping[str, Any]) -> OtherTemplate:
    ours = body.get("_meta", {}).get("managed_by") == "neardup"
    return OtherTemplate(name, tuple(body["index_patterns"]), int(body.get("priority", 0)), ours)


def _kind_of(name: str, called: Iterable[str]) -> Literal["index", "data stream"] | None:
    """What is `called` so, from the names of its indices; None for nothing, or an alias. Some distributions have no API
    of data streams to ask.
    """
    if name in called:
        return "index"
    return "data stream" if any(api.stream_of(each) == name for each in called) else None
