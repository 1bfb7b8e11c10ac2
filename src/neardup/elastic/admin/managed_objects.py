"""What a window consists of in a cluster besides its documents: templates, pipeline, policy; as wanted, as found.

Pure functions of values. The bodies are the files of `mappings/` and `ingest/`; with the default settings they are put
as they are, otherwise a few values in them are set to those of `WindowConfig`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, NamedTuple

import orjson

from neardup.elastic.admin import resources
from neardup.elastic.http.address import FIELDS_COMPONENT, HOURLY_COMPONENT, Address
from neardup.model.settings import DEFAULT_WINDOW_HOURS, Recipe

SignedBy = Literal["plugin", "client"]

TEXT_FIELD: Final = "text"
TIME_FIELD: Final = "@timestamp"
MAX_LENGTH: Final = 1_000_000
"""The longest text that a node signs, in characters: signing takes some 100 bytes of heap for each of them."""
MARGIN_HOURS: Final = 25
"""How long the policy keeps an hour beyond the window: the hour itself, and a day for a stream that stood still."""


class Kind(NamedTuple):
    """A kind of object: what it is called, its path in the API, and where a GET has it."""

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

_ADDED: Final = (
    "created_date", "created_date_millis", "modified_date", "modified_date_millis", "in_use_by",
)  # fmt: skip
"""What Elasticsearch adds to an object of its own accord."""


class Object(NamedTuple):
    """One object of the cluster, wanted or found."""

    kind: Kind
    name: str
    body: dict[str, Any]

    @property
    def path(self) -> str:
        """Its path in the API."""
        return f"/{self.kind.path}/{self.name}"

    @property
    def ours(self) -> bool:
        """Whether we have made it."""
        body = self.body.get("policy", {}) if self.kind is POLICY else self.body
        return bool(body.get("_meta", {}).get("managed_by") == "neardup")

    @property
    def version(self) -> int:
        """Which state of our files it is of; 0 if it is not of ours."""
        return int(self.body.get("version", 0)) if self.kind is not POLICY else 0


@dataclass(frozen=True)
class WindowConfig:
    """How the documents of a window are signed, and what their fields are called.

    `recipe_text` is the whole recipe string; `lexicon` the name of a lexicon on the nodes, None for the default one.
    """

    recipe: Recipe
    recipe_text: str
    lexicon: str | None = None
    text_field: str = TEXT_FIELD
    time_field: str = TIME_FIELD
    window_hours: int = DEFAULT_WINDOW_HOURS
    max_length: int = MAX_LENGTH
    signed_by: SignedBy = "plugin"
    keep_hours: int | None = None

    @property
    def kept_hours(self) -> int:
        """How many hours before the newest one stay; 0 = all."""
        return self.window_hours if self.keep_hours is None else self.keep_hours

    def about(self) -> dict[str, Any]:
        """What is said of a window in the mapping of its indices."""
        recipe = {field.name: getattr(self.recipe, field.name) for field in fields(Recipe)}
        kept = {} if self.keep_hours is None else {"keep_hours": self.keep_hours}
        return {
            "recipe": self.recipe_text,
            **recipe,
            "lexicon": self.lexicon,
            "text_field": self.text_field,
            "time_field": self.time_field,
            "window_hours": self.window_hours,
            **kept,
            "max_length": self.max_length,
            "signed_by": self.signed_by,
        }


def wanted(address: Address, scheme: WindowConfig, *, lifecycle: bool) -> list[Object]:
    """Every object of a window, in the order in which they can be made.

    Without `lifecycle` (the cluster has no lifecycle management), or without an end of the window, no policy; where
    the client signs, no pipeline; and no index that asks for one.
    """
    policy = lifecycle and scheme.kept_hours > 0
    objects = [_read(COMPONENT, address, f"{name}.json") for name in (FIELDS_COMPONENT, HOURLY_COMPONENT)]
    if policy:
        objects.append(_policy(address, scheme))
    if scheme.signed_by == "plugin":
        objects.append(_pipeline(address, scheme))
    objects += [
        _hourly(_read(TEMPLATE, address, file), scheme, policy=policy)
        for file in ("neardup-PREFIX.json", "neardup-PREFIX-copies.json")
    ]
    others = ("neardup-PREFIX-alias.json", "neardup-state-PREFIX.json")
    return objects + [_read(TEMPLATE, address, file) for file in others]


def found(kind: Kind, name: str, answer: Any) -> Object | None:
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
    return Object(kind, name, {key: value for key, value in body.items() if key not in added})


def differences(there: Any, wanted: Any, path: str = "") -> Iterator[str]:
    """Every value in which two bodies differ, as `path: found -> wanted`.

    >>> list(differences({"a": {"b": "5s"}}, {"a": {"b": "1s", "c": 1}}))
    ['a.b: "5s" -> "1s"', 'a.c: nothing -> 1']
    """
    if isinstance(there, dict) and isinstance(wanted, dict):
        for key in sorted({**there, **wanted}):
            here = f"{path}.{key}" if path else str(key)
            yield from differences(there.get(key, _NOTHING), wanted.get(key, _NOTHING), here)
    elif isinstance(there, list) and isinstance(wanted, list) and len(there) == len(wanted):
        for place, (one, other) in enumerate(zip(there, wanted, strict=True)):
            yield from differences(one, other, f"{path}[{place}]")
    elif there != wanted:
        yield f"{path}: {_shown(there)} -> {_shown(wanted)}"


_NOTHING: Final = object()


def _shown(value: Any) -> str:
    return "nothing" if value is _NOTHING or value is None else orjson.dumps(value).decode()


def _read(kind: Kind, address: Address, file: str) -> Object:
    folder: resources.Folder = "ingest" if kind is PIPELINE else "mappings"
    name = file.removesuffix(".json").removesuffix(".policy").replace(resources.PREFIX, address.prefix)
    return Object(kind, name, resources.load(folder, file, address.prefix))


def deleted_after(scheme: WindowConfig) -> int:
    """How many hours after it was made the policy deletes the index of an hour."""
    return scheme.kept_hours + MARGIN_HOURS


def _policy(address: Address, scheme: WindowConfig) -> Object:
    policy = _read(POLICY, address, "neardup-PREFIX.policy.json")
    policy.body["policy"]["phases"]["delete"]["min_age"] = f"{deleted_after(scheme)}h"
    return policy


def _pipeline(address: Address, scheme: WindowConfig) -> Object:
    pipeline = _read(PIPELINE, address, "neardup-PREFIX.json")
    (step,) = pipeline.body["processors"]
    options, recipe = step["neardup"], scheme.recipe
    options |= {
        name: getattr(recipe, name) for name in ("q", "fold_case", "simhash_variants", "sketch_size", "alpha")
    }
    options |= {"field": scheme.text_field, "max_length": scheme.max_length, "recipe": scheme.recipe_text}
    if scheme.lexicon is not None:
        options["lexicon"] = scheme.lexicon
    return pipeline


def _hourly(template: Object, scheme: WindowConfig, *, policy: bool) -> Object:
    settings, mappings = (template.body["template"][key] for key in ("settings", "mappings"))
    if scheme.signed_by == "client":
        del settings["index"]["final_pipeline"]
    if not policy:
        del settings["index"]["lifecycle"]
    if not settings["index"]:
        del template.body["template"]["settings"]
    mappings["_meta"]["neardup"] = scheme.about()
    mappings["properties"] = {scheme.time_field: mappings["properties"][TIME_FIELD]}
    return template
