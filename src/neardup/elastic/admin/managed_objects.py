"""Managed objects: what a window has in a cluster besides its documents: templates, pipeline, policy.

Pure functions of values. The bodies are the files of `mappings/` and `ingest/`; with the default settings they are sent
unchanged, otherwise a few values in them are set from `WindowConfig`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import orjson

from neardup.elastic.admin import resources
from neardup.elastic.admin.node_files import NodeFiles, signing_options
from neardup.elastic.http.address import FIELDS_COMPONENT, HOURLY_COMPONENT, Address
from neardup.elastic.http.scan import PAGE
from neardup.errors import SettingsError, WindowDamaged
from neardup.model.settings import DEFAULT_WINDOW_HOURS, Recipe

if TYPE_CHECKING:
    from neardup.elastic.http.product import Product

SignedBy = Literal["plugin", "client"]
Tokenizer = Literal["ngram", "neardup_qgrams"]
"""What cuts a normal form into its q-grams: Elasticsearch's own (the module analysis-common), or the plugin's."""

TEXT_FIELD: Final = "text"
"""The field that is signed; the plugin has the same default."""
TIME_FIELD: Final = "@timestamp"
MAX_LENGTH: Final = 1_000_000
"""The longest text that a node signs, in characters: signing takes some 100 bytes of heap for each of them. The
plugin's own default is the same number, and a test compares them.
"""
MAX_TERMS: Final = 65_536
"""`index.max_terms_count`: the default of Elasticsearch, on which our searches rely."""
LIMITS: Final = (
    ("max_terms_count", MAX_TERMS, "searches for long documents"),
    ("max_result_window", PAGE, "reading what the index holds, a page at a time,"),
)
"""Settings of an index: (name, lowest value that is enough, what a lower value would refuse)."""
MARGIN_HOURS: Final = 25
"""How long the policy keeps an hour beyond the window: the hour itself, and a day in case the stream paused."""


class Kind(NamedTuple):
    """A kind of object: its title, its path in the API, and in the answer to a GET the keys of the list of objects and
    of the body in an entry (None: the answer has the body by the object's name).
    """

    title: str
    path: str
    listed: str | None
    body: str | None


COMPONENT: Final = Kind(
    "component template", "_component_template", "component_templates", "component_template"
)
TEMPLATE: Final = Kind("index template", "_index_template", "index_templates", "index_template")
PIPELINE: Final = Kind("ingest pipeline", "_ingest/pipeline", None, None)
POLICY: Final = Kind("lifecycle policy", "_ilm/policy", None, None)

_OF_HOURS: Final = "neardup-PREFIX.json"
_QGRAMS: Final = "neardup_qgrams"
"""Name of the analyzer and of the tokenizer that cut normal forms into q-grams; the plugin knows this name."""
_SIGNS: Final = "Signs the documents of the window "
"""How the description of a pipeline begins."""
SIGNATURE_STORAGE: Final = ("compact", "lossless", "terms")
"""Keys of a description that say how signatures are stored; descriptions from when there was one way lack them."""
OF_WORDS: Final = ("sentences", "simhash", "simhash_bands")
"""The parts of a signature that are made from words."""
_METADATA: Final = {
    "_data_stream_timestamp", "_doc_count", "_field_names", "_id", "_ignored", "_ignored_source", "_index",
    "_nested_path", "_primary_term", "_routing", "_seq_no", "_source", "_tier", "_version",
}  # fmt: skip
"""Metadata fields of a server; a document that brings one of these itself is rejected."""
_UNKNOWN_TO_OPENSEARCH: Final = ("ignore_missing_component_templates", "allow_auto_create")

_ADDED: Final = (
    "created_date", "created_date_millis", "modified_date", "modified_date_millis", "in_use_by",
)  # fmt: skip
"""Keys that Elasticsearch itself adds to an object."""


class ManagedObject(NamedTuple):
    """One object of the cluster, as it is wanted or as it is there."""

    kind: Kind
    name: str
    body: dict[str, Any]

    @property
    def path(self) -> str:
        """Its path in the API."""
        return f"/{self.kind.path}/{self.name}"

    @property
    def ours(self) -> bool:
        """Whether neardup made it. A pipeline of OpenSearch can say so in its description only."""
        body = self.body.get("policy", {}) if self.kind is POLICY else self.body
        if self.kind is PIPELINE and "_meta" not in body:
            return str(body.get("description", "")).startswith(_SIGNS)
        return bool(body.get("_meta", {}).get("managed_by") == "neardup")

    @property
    def version(self) -> int:
        """The version of our files that the object was made from; 0 if it is not ours."""
        return int(self.body.get("version", 0)) if self.kind is not POLICY else 0


@dataclass(frozen=True)
class WindowConfig:
    """How the documents of a window are signed, and what their fields are called.

    `recipe_text` is the whole recipe string; `lexicon` and `salt` are the names of files on the nodes, None for the
    default lexicon and for no salt. `compact`: signatures are strings that analyzers cut into terms, not lists;
    `lossless`: q-grams are indexed, too; `terms`: sketches and q-grams are indexed as terms, otherwise in the form that
    the plugin's queries scan; `words`: the parts made from words (sentence fingerprints, simhashes) are written.
    """

    recipe: Recipe
    recipe_text: str
    lexicon: str | None = None
    salt: str | None = None
    text_field: str = TEXT_FIELD
    time_field: str = TIME_FIELD
    window_hours: int = DEFAULT_WINDOW_HOURS
    max_length: int = MAX_LENGTH
    signed_by: SignedBy = "plugin"
    keep_hours: int | None = None
    compact: bool = True
    lossless: bool = True
    words: bool = True
    terms: bool = False

    @property
    def scanned(self) -> bool:
        """Whether searches scan packed sketches, and q-gram bitmaps with normal forms, instead of looking up terms."""
        return self.compact and not self.terms

    @property
    def kept_hours(self) -> int:
        """How many hours before the newest one stay; 0 = all."""
        return self.window_hours if self.keep_hours is None else self.keep_hours

    def about(self) -> dict[str, Any]:
        """The description of a window in the mapping of its indices (`_meta.neardup`)."""
        recipe = {field.name: getattr(self.recipe, field.name) for field in fields(Recipe)}
        del recipe["boilerplate"]  # a window in a cluster has none (node_files.py)
        kept = {} if self.keep_hours is None else {"keep_hours": self.keep_hours}
        storage = {name: getattr(self, name) for name in SIGNATURE_STORAGE} if self.compact else {}
        without = {} if self.words else {"words": False}
        return {
            "recipe": self.recipe_text,
            **recipe,
            "lexicon": self.lexicon,
            "salt": self.salt,
            "text_field": self.text_field,
            "time_field": self.time_field,
            "window_hours": self.window_hours,
            **kept,
            "max_length": self.max_length,
            "signed_by": self.signed_by,
            **storage,
            **without,
        }


def check_fields(config: WindowConfig) -> None:
    """Raises `SettingsError` if text and time cannot be two fields of one document, outside of our object."""
    text, time = config.text_field, config.time_field
    for name, value in (("text_field", text), ("time_field", time)):
        if not all(value.split(".")) or value.split(".")[0] == "neardup":
            expected = "the name of a field, dotted or not, outside of the object neardup"
            raise SettingsError(name, value, expected)
        if value.split(".")[0] in _METADATA:
            raise SettingsError(name, value, "a field that documents may have, not a metadata field")
    if f"{text}.".startswith(f"{time}.") or f"{time}.".startswith(f"{text}."):
        expected = f"a field other than the text field, {text!r}, with neither inside the other"
        raise SettingsError("time_field", time, expected)


def window_config(about: Mapping[str, Any], where: str = "_meta.neardup") -> WindowConfig:
    """The config in the description `about` of an index, or of the window's template or state; errors say that it lies
    at `where`.

    Older descriptions lack keys. Without `compact` and `lossless`, signatures are lists; without `terms`, they are
    indexed as terms; with version 1 of the recipe, whose recipe string tells it from any of today, there is no `reach`
    and no `salt`. `words` is only there if words are left out.

    Raises `WindowDamaged` if a description does not say all that it should.
    """
    optional = {"keep_hours", "words", "terms"}
    if "compact" not in about and "lossless" not in about:
        optional |= set(SIGNATURE_STORAGE)
    if is_of_version_1(about):
        optional |= {"reach", "salt"}
    left_out = optional - about.keys()
    signing = {field.name for field in fields(Recipe)} - {"lexicon", "salt", "boilerplate"} - left_out
    rest = {field.name for field in fields(WindowConfig)} - {"recipe", "recipe_text"} - left_out
    try:
        recipe = Recipe(**{name: about[name] for name in signing})
        older = {"compact": False, "terms": True}
        values = {**older, **{name: about[name] for name in rest}}
        return WindowConfig(recipe, _recipe_string(about), **values)
    except (KeyError, TypeError, SettingsError) as error:
        raise WindowDamaged(
            where, f"a description without {error}", "what `neardup setup` writes",
            remedy="`neardup setup` with the same --window writes that of the state anew",
        ) from error  # fmt: skip


def _recipe_string(about: Mapping[str, Any]) -> str:
    recipe = about["recipe"]
    if not isinstance(recipe, str):
        raise TypeError("a recipe string")
    return recipe


def is_of_version_1(about: Mapping[str, Any]) -> bool:
    """Whether a description is of a window that was signed by version 1 of the recipe."""
    return str(about.get("recipe")).startswith("neardup-1:")


def wanted_objects(
    address: Address,
    config: WindowConfig,
    *,
    lifecycle: bool,
    product: Product = "elasticsearch",
    has_custom: bool = False,
    tokenizer: Tokenizer | None = "ngram",
) -> list[ManagedObject]:
    """Every object of a window, in the order in which they can be made.

    There is no policy without `lifecycle` (the cluster has no lifecycle management) or if the window has no end, and no
    pipeline where the client signs; the index templates then name none. For OpenSearch, everything that it does not
    know is left out. `tokenizer`: cuts q-grams where they are terms; `has_custom`: whether the user's component
    template exists, which matters only for OpenSearch (it refuses a template that names a missing one).
    """
    policy = lifecycle and config.kept_hours > 0
    objects = [
        _from_file(COMPONENT, address, f"{name}.json") for name in (FIELDS_COMPONENT, HOURLY_COMPONENT)
    ]
    if policy:
        objects.append(_policy(address, config))
    if config.signed_by == "plugin":
        objects.append(_pipeline(address, config))
    objects += [
        _hourly(_from_file(TEMPLATE, address, file), config, policy=policy, tokenizer=tokenizer)
        for file in (_OF_HOURS, "neardup-PREFIX-copies.json")
    ]
    others = ("neardup-PREFIX-alias.json", "neardup-state-PREFIX.json")
    objects += [_from_file(TEMPLATE, address, file) for file in others]
    if product == "elasticsearch":
        return objects
    return [
        _for_opensearch(entry, address, has_custom=has_custom)
        for entry in objects
        if entry.name != address.alias_template  # all that it says is that no index is to be made
    ]


def hourly_priority(address: Address) -> int:
    """The priority of the templates by which the hours of a window are made."""
    return int(_from_file(TEMPLATE, address, _OF_HOURS).body["priority"])


def _for_opensearch(entry: ManagedObject, address: Address, *, has_custom: bool) -> ManagedObject:
    """The object without what OpenSearch refuses."""
    unknown = ("_meta",) if entry.kind is PIPELINE else _UNKNOWN_TO_OPENSEARCH
    body = {key: value for key, value in entry.body.items() if key not in unknown}
    if "composed_of" in body and not has_custom:
        body["composed_of"] = [name for name in body["composed_of"] if name != address.custom]
    return entry._replace(body=body)


def object_in(kind: Kind, name: str, answer: Any) -> ManagedObject | None:
    """The object `name` in the answer to a GET of it, without what Elasticsearch adds; None if it is not there."""
    if not answer:
        return None
    if kind.listed is None or kind.body is None:
        body = answer.get(name)
    else:
        body = next((entry[kind.body] for entry in answer[kind.listed] if entry["name"] == name), None)
    if body is None:
        return None
    # The version of a policy counts its changes; that of the others is ours.
    added = (*_ADDED, "version") if kind is POLICY else _ADDED
    return ManagedObject(kind, name, {key: value for key, value in body.items() if key not in added})


def differences(there: Any, wanted: Any, path: str = "") -> Iterator[str]:
    """Every value in which two bodies differ, as `path: there -> wanted`.

    >>> list(differences({"a": {"b": "5s"}}, {"a": {"b": "1s", "c": 1}}))
    ['a.b: "5s" -> "1s"', 'a.c: nothing -> 1']
    """
    if isinstance(there, dict) and isinstance(wanted, dict):
        for key in sorted({**there, **wanted}):
            inner = f"{path}.{key}" if path else str(key)
            yield from differences(there.get(key, _NOTHING), wanted.get(key, _NOTHING), inner)
    elif isinstance(there, list) and isinstance(wanted, list) and len(there) == len(wanted):
        for i, (one, other) in enumerate(zip(there, wanted, strict=True)):
            yield from differences(one, other, f"{path}[{i}]")
    elif there != wanted:
        yield f"{path}: {_shown(there)} -> {_shown(wanted)}"


_NOTHING: Final = object()


def _shown(value: Any) -> str:
    return "nothing" if value is _NOTHING or value is None else orjson.dumps(value).decode()


def _from_file(kind: Kind, address: Address, file: str) -> ManagedObject:
    folder: resources.Folder = "ingest" if kind is PIPELINE else "mappings"
    name = file.removesuffix(".json").removesuffix(".policy").replace(resources.PREFIX, address.prefix)
    return ManagedObject(kind, name, resources.load(folder, file, address.prefix))


def deleted_after(config: WindowConfig) -> int:
    """The age, in hours, at which the policy deletes the index of an hour."""
    return config.kept_hours + MARGIN_HOURS


def _policy(address: Address, config: WindowConfig) -> ManagedObject:
    policy = _from_file(POLICY, address, "neardup-PREFIX.policy.json")
    policy.body["policy"]["phases"]["delete"]["min_age"] = f"{deleted_after(config)}h"
    return policy


def _pipeline(address: Address, config: WindowConfig) -> ManagedObject:
    pipeline = _from_file(PIPELINE, address, "neardup-PREFIX.json")
    (step,) = pipeline.body["processors"]
    options = step["neardup"]
    signing = signing_options(config.recipe, NodeFiles(config.lexicon, config.salt))
    options |= {name: value for name, value in signing.items() if value is not None}
    if not config.compact:
        del options["compact"]
    if not config.scanned:
        del options["scanned"]
    if not config.lossless:
        options["qgrams"] = False
    if not config.words:
        options["words"] = False
    options |= {"field": config.text_field, "max_length": config.max_length, "recipe": config.recipe_text}
    return pipeline


def _hourly(
    template: ManagedObject, config: WindowConfig, *, policy: bool, tokenizer: Tokenizer | None
) -> ManagedObject:
    settings, mappings = (template.body["template"][key] for key in ("settings", "mappings"))
    if config.signed_by == "client":
        del settings["index"]["final_pipeline"]
    if not policy:
        del settings["index"]["lifecycle"]
    ours = {"neardup": _signature_fields(mappings["properties"]["neardup"], config)} if config.compact else {}
    if config.compact and config.terms and config.lossless:
        cut = {"type": tokenizer, "min_gram": str(config.recipe.q), "max_gram": str(config.recipe.q)}
        settings["index"]["analysis"] = {
            "analyzer": {_QGRAMS: {"type": "custom", "tokenizer": _QGRAMS}},
            "tokenizer": {_QGRAMS: cut},
        }
    if not settings["index"]:
        del template.body["template"]["settings"]
    mappings["_meta"]["neardup"] = config.about()
    mappings["properties"] = {config.time_field: mappings["properties"][TIME_FIELD], **ours}
    return template


def _signature_fields(mapping: dict[str, Any], config: WindowConfig) -> dict[str, Any]:
    """The mapping of compact fields. What is not indexed is mapped so that a search for it is an error."""
    fields = dict(mapping["properties"])
    if not config.lossless:
        fields["qgrams"] = fields["sketch"]
        del fields["qgram_bitmap"]
    if not config.words:
        fields |= dict.fromkeys(OF_WORDS, fields["sketch"])
    if config.terms:
        terms = {"type": "text", "index_options": "docs", "norms": False}
        fields["sketch"] = {**terms, "analyzer": "whitespace"}
        del fields["packed_sketch"]
        if config.lossless:
            fields["qgrams"] = {**terms, "analyzer": _QGRAMS}
            del fields["qgram_bitmap"]
    return {**mapping, "properties": fields}
