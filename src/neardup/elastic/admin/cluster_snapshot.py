"""Snapshot of a cluster: everything in it that matters for setting up a window or checking it. Reads only."""

from __future__ import annotations

from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

from neardup.elastic.admin.hourly_indices import (
    Indices,
    is_remapped,
    is_set,
    left_out,
    mapping_of,
    own_fields,
    read_indices,
    rebuilds_source,
)
from neardup.elastic.admin.managed_objects import (
    COMPONENT,
    PIPELINE,
    POLICY,
    TEMPLATE,
    Kind,
    ManagedObject,
    object_in,
    window_config,
)
from neardup.elastic.http import admin_api as api
from neardup.elastic.http.address import FIELDS_COMPONENT, HOURLY_COMPONENT, STATE_DOCUMENT
from neardup.elastic.http.api import get_doc
from neardup.elastic.http.unexpected import UNREADABLE, reads_answer
from neardup.errors import ClusterRefused, WindowDamaged
from neardup.model.clock import now_ms
from neardup.model.hours import hour_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from neardup.elastic.admin.managed_objects import Tokenizer, WindowConfig
    from neardup.elastic.http.address import Address
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.http.product import Product

PROCESSOR: Final = "neardup"
_WHOSE: Final = "your component template"
_NO_TEXT: Final = (
    "long", "integer", "short", "byte", "double", "float", "half_float", "scaled_float", "unsigned_long", "boolean",
    "date", "date_nanos", "ip", "binary", "object", "nested", "flattened", "geo_point", "alias",
)  # fmt: skip
"""Types of a field that refuse a text."""
_ANALYSIS: Final = "analysis-common"
"""The module with the tokenizer `ngram`; only the smallest distributions lack it."""


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

    `lifecycle`: whether it has index lifecycle management; `objects`: our objects that exist, by path; `has_state`:
    whether the state index exists; `prefix_is`: what has the prefix as its name, None for an alias or nothing;
    `also_called`: foreign indices in the alias; `custom`: the user's component template, None if there is none;
    `remembered`: the description of a window whose templates are missing, from its state document or an hour;
    `makes_no_hours`: the `action.auto_create_index` that keeps a write from making an hour, None if a write makes one.
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
    remembered: Mapping[str, Any] | None = None
    makes_no_hours: str | None = None

    def note_on_hours(self, address: Address) -> str | None:
        """A note that writes make no hours in this cluster, with the remedy; None if they do."""
        if (setting := self.makes_no_hours) is None:
            return None
        patterns = address.pattern if setting == "false" else f"{address.pattern},{setting}"
        return (
            f"writes make no hours in this cluster (action.auto_create_index is {setting}): a write to an hour that "
            "does not exist is refused, also one by `neardup ingest`; PUT _cluster/settings "
            f'{{"persistent": {{"action.auto_create_index": "{patterns}"}}}}'
        )

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The tokenizer for q-grams that every node has, None if there is none; preferably the server's own, which
        stays when the plugin is removed.
        """
        if all(node.has_ngram for node in self.nodes):
            return "ngram"
        return "neardup_qgrams" if all(node.signs for node in self.nodes) else None

    def notes_on_custom(self, text_field: str, time_field: str) -> Iterator[str]:
        """Notes on the user's component template: a mapping without effect, because our template maps that field
        itself, and faults that make hours unusable.
        """
        mapping = self._of_custom("mappings")
        mapped = mapping_of(mapping.get("properties", {}), time_field)
        if mapped and mapped != {"type": "date"}:
            yield (
                f"{_WHOSE} maps the time, {time_field}, which has no effect: hours map it as a date of "
                "Elasticsearch's default format; write times in ISO 8601 or milliseconds"
            )
        yield from (
            f"{_WHOSE} {fault}, then delete the hours that were made with it, or choose another prefix"
            for fault in chain(
                _faults_of_mapping(mapping, text_field), _faults_of_settings(self.custom_settings)
            )
        )

    @property
    def custom_settings(self) -> Mapping[str, Any]:
        """The settings (below `index`) that the user's component template gives to hours."""
        return cast("Mapping[str, Any]", self._of_custom("settings").get("index", {}))

    def _of_custom(self, part: Literal["mappings", "settings"]) -> Mapping[str, Any]:
        return cast("Mapping[str, Any]", (self.custom or {}).get("template", {}).get(part, {}))

    @property
    def about(self) -> Mapping[str, Any] | None:
        """The window's description, from its index templates or as `remembered`; None if we did not set it up."""
        return _about_in(self.objects.values()) or self.remembered


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
    indices = read_indices(cluster)
    hour = own.hourly(hour_of(now_ms()))
    return ClusterSnapshot(
        nodes=nodes(cluster),
        lifecycle=lifecycle,
        objects=objects,
        other_templates=[
            _other_template(entry["name"], entry["index_template"])
            for entry in answer["index_templates"]
            if entry["name"] not in ours
        ],
        indices=indices,
        has_state=own.state in api.index_names(cluster, own.state, expand="all"),
        prefix_is=_kind_of(own.prefix, called),
        product=cluster.product,
        custom=custom and custom.body,
        also_called=[name for name in called if own.hour_of_index(name) is None],
        remembered=None if _about_in(objects.values()) else _remembered(cluster, indices),
        makes_no_hours=None if _makes(made := api.makes_by_itself(cluster), hour) else made,
    )


def _makes(setting: str, index: str) -> bool:
    """Whether a cluster with this `action.auto_create_index` makes the index when it is written to.

    >>> _makes("true", "a-1"), _makes("false", "a-1"), _makes("-a-*,+*", "a-1"), _makes("b-*, a-*", "a-1")
    (True, False, False, True)
    """
    if setting.lower() in ("true", "false"):
        return setting.lower() == "true"
    for pattern in map(str.strip, setting.split(",")):
        if fnmatchcase(index, pattern.lstrip("+-")):
            return not pattern.startswith("-")
    return False


def _about_in(objects: Iterable[ManagedObject]) -> Mapping[str, Any] | None:
    abouts = (api.about_of(entry.body) for entry in objects if entry.kind is TEMPLATE)
    return next((about for about in abouts if isinstance(about, dict)), None)


def _remembered(cluster: Cluster, indices: Indices) -> Mapping[str, Any] | None:
    """The description of a window whose templates were deleted: that of its state document, or else of its newest hour
    that has one. Setting the window up with the defaults instead could let a policy delete hours that must be kept.
    """
    abouts: list[Any] = []
    with suppress(ClusterRefused, *UNREADABLE):  # an unreadable state is reported when the window is opened
        if (stored := get_doc(cluster, cluster.address.state, STATE_DOCUMENT)) is not None:
            abouts.append(stored.source.get("about"))
    abouts += [index.about for index in reversed(indices.hourly)]
    return next((about for about in abouts if isinstance(about, dict) and _is_whole(about)), None)


def _is_whole(about: Mapping[str, Any]) -> bool:
    try:
        window_config(about)
    except WindowDamaged:
        return False
    return True


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


def lacking_pipelines(
    cluster: Cluster, config: WindowConfig, snapshot: ClusterSnapshot, *, set_up: bool = False
) -> Iterator[tuple[str, str]]:
    """Each hour or component template of the user that names a missing pipeline, as (what, fault and remedy). With
    `set_up`, those that are left when the window has been set up with `config`.
    """
    settings = {f"index {index.name}": dict(index.settings) for index in snapshot.indices.hourly}
    custom = f"component template {cluster.address.custom}"
    settings[custom] = dict(snapshot.custom_settings)
    if config.signed_by == "plugin":  # the final one is ours: in new hours, and in all hours after setup
        for what in settings if set_up else [custom]:
            settings[what].pop("final_pipeline", None)
    named = {
        (what, setting): name
        for what, each in settings.items()
        for setting in ("default_pipeline", "final_pipeline")
        if (name := each.get(setting, "_none")) not in ("_none", cluster.address.pipeline)
    }
    there = {name: api.get_object(cluster, f"/{PIPELINE.path}/{name}") for name in set(named.values())}
    for (what, setting), name in named.items():
        if not there[name]:
            text = f"there is no pipeline {name} (index.{setting}), so nothing can be written"
            yield what, f"{text}; make it again, or remove this setting"


def _faults_of_mapping(mapping: Mapping[str, Any], text_field: str) -> Iterator[str]:
    """Faults of the mapping in a user's template by which hours could not keep documents, or not find them again."""
    fields = mapping.get("properties", {})
    if is_set(mapping.get("_routing", {}).get("required"), "true"):
        text = "requires a routing (mappings._routing.required), but documents are written by their ids alone"
        yield f"{text}, so every one is refused or left unscored; remove that"
    dynamic, text_mapping = str(mapping.get("dynamic")), mapping_of(fields, text_field)
    if dynamic.startswith("strict") and not text_mapping:
        text = f"is {dynamic} (mappings.dynamic) and does not map the text, {text_field}"
        yield f"{text}, so every document is refused; map it and your other fields there"
    if is_set(mapping.get("enabled"), "false"):
        text = "indexes nothing (mappings.enabled), so no document is found again, and each is scored in every pass"
        yield f"{text}; remove that"
    if text_mapping and _refuses_text(text_mapping):
        type = text_mapping.get("type", "object")
        yield f"maps the text, {text_field}, as {type}, so every document is refused; map it as text or keyword"
    if remapped := [name for name, ours in own_fields().items() if is_remapped(fields, name, ours)]:
        names = ", ".join(f"neardup.{name}" for name in remapped)
        yield f"maps {names} differently from neardup, so searches may fail or miss documents; remove that"
    if lacking := left_out(mapping.get("_source", {}), [text_field, "neardup"]):
        text = f"leaves {' and '.join(lacking)} out of _source (mappings._source)"
        yield f"{text}, so documents could not be read again; remove that"


def _faults_of_settings(settings: Mapping[str, Any]) -> Iterator[str]:
    """Faults of the settings (below `index`) in a user's template that make hours unusable."""
    if blocks := [f"index.blocks.{name}" for name in api.data_blocks_of(settings)]:
        yield f"blocks the hours ({', '.join(blocks)}), so they cannot be used; remove that"
    if rebuilds_source(settings):
        text = "makes _source synthetic (index.mapping.source.mode, or index.mode)"
        yield f"{text}, so verdicts would not be returned as they were written; remove that"


def _refuses_text(mapping: Mapping[str, Any]) -> bool:
    """Whether a field with this mapping refuses a text. One that is not parsed, or of which malformed values are
    ignored, takes any: the text is then in `_source`, which is all that neardup reads of it.
    """
    type = mapping.get("type", "object")
    takes_any = is_set(mapping.get("ignore_malformed"), "true") or is_set(mapping.get("enabled"), "false")
    if type == "binary":  # decoded only to be stored, or for doc values
        return any(is_set(mapping.get(name), "true") for name in ("store", "doc_values"))
    return type in _NO_TEXT and not takes_any


def _others(own: Address, *, lifecycle: bool) -> list[tuple[Kind, str]]:
    components = [(COMPONENT, FIELDS_COMPONENT), (COMPONENT, HOURLY_COMPONENT)]
    return [*components, (PIPELINE, own.pipeline), *([(POLICY, own.policy)] if lifecycle else [])]


def _other_template(name: str, body: Mapping[str, Any]) -> OtherTemplate:
    ours = body.get("_meta", {}).get("managed_by") == "neardup"
    return OtherTemplate(name, tuple(body["index_patterns"]), int(body.get("priority", 0)), ours)


def _kind_of(name: str, called: Iterable[str]) -> Literal["index", "data stream"] | None:
    """What has this `name`, judged by the names of the indices `called` by it; None for nothing, or an alias. Some
    distributions have no API of data streams that could be asked.
    """
    if name in called:
        return "index"
    return "data stream" if any(api.stream_of(each) == name for each in called) else None
