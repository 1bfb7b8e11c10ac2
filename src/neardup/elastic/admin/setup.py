"""Setting up a window in a cluster: what is wanted, what of it is missing, and making it so.

`plan` is a pure function from a `Survey` and a `WindowConfig` to the changes that are needed; a second run needs none.
What would make documents of two recipes lie in one window is refused before anything is changed.
"""

from __future__ import annotations

from dataclasses import fields, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from neardup.elastic.admin.cluster_snapshot import Survey, survey
from neardup.elastic.admin.lexicon_name import lexicon_name, recipe_text
from neardup.elastic.admin.managed_objects import (
    TEMPLATE,
    Object,
    SignedBy,
    WindowConfig,
    deleted_after,
    differences,
    wanted,
)
from neardup.elastic.http.admin_api import put_object
from neardup.errors import RecipeMismatch, SettingsError, SetupRefused, WindowDamaged
from neardup.model.settings import MAX_Q, Recipe, Settings, check_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from neardup.elastic.admin.hourly_indices import HourlyIndex
    from neardup.elastic.http.address import Address
    from neardup.elastic.http.client import Cluster

Sign = Literal["plugin", "client", "auto"]

SIGNS: Final = ("plugin", "client", "auto")
SAMPLE_HOUR: Final = 498_681
"""An hour to try the names of other templates on; any is as good."""


class Change(NamedTuple):
    """One PUT that is needed: in words with its details, and as it is sent."""

    words: str
    details: tuple[str, ...]
    path: str
    body: dict[str, Any]

    def __str__(self) -> str:
        return "\n".join((self.words, *(f"    {line}" for line in self.details)))


class Plan(NamedTuple):
    """The `changes` that make the cluster as `scheme` wants it, in order, and `notes` on what is good to know.

    `hours` says in words what is compared, and when it is deleted.
    """

    scheme: WindowConfig
    changes: list[Change]
    notes: list[str]
    hours: str = ""


def set_up(
    cluster: Cluster,
    *,
    settings: Settings | None = None,
    recipe: Recipe | None = None,
    window_hours: int | None = None,
    keep_hours: int | None = None,
    text_field: str | None = None,
    time_field: str | None = None,
    max_length: int | None = None,
    sign: Sign | None = None,
    dry_run: bool = False,
) -> Plan:
    """Set up the window at the cluster's address, or bring it up to date; with `dry_run` only say what would change.

    What is None stays as the window has it, or is the default for a new one; `settings` gives recipe and hours where
    they are not given themselves. `sign`: "plugin" on the nodes, by the pipeline; "client"; "auto": by the plugin if
    every node has it, by the client if none has. The lexicon of `recipe` is a file, or a name that the nodes know.

    Needs the role `setup`. Raises `RecipeMismatch` where documents of another recipe are there, `SetupRefused` for
    whatever else is in the way, `SettingsError`, `ClusterError`.
    """
    if settings is not None:
        recipe = recipe or settings.recipe
        window_hours = settings.window_hours if window_hours is None else window_hours
        keep_hours = settings.keep_hours if keep_hours is None else keep_hours
    found = survey(cluster)
    base = scheme_of(found.about) if found.about else None
    if base is None or recipe is not None:
        own = recipe or Recipe()
        own_text, name = recipe_text(cluster, own), lexicon_name(own)
        scheme = replace(base or WindowConfig(own, own_text), recipe=own, recipe_text=own_text, lexicon=name)
    else:
        scheme = base
    given: dict[str, Any] = {
        "window_hours": window_hours, "keep_hours": keep_hours, "text_field": text_field, "time_field": time_field,
        "max_length": max_length,
    }  # fmt: skip
    scheme = replace(scheme, **{name: value for name, value in given.items() if value is not None})
    _check(scheme)
    wish: Sign = sign or (base.signed_by if base else "auto")
    scheme = replace(scheme, signed_by=signer_of(cluster.address, found, wish))
    made = plan(cluster.address, scheme, found)
    if not dry_run:
        apply(cluster, made)
    return made


def scheme_of(about: Mapping[str, Any]) -> WindowConfig:
    """The scheme that an index, or the window's template, says it has (`_meta.neardup`).

    Raises `WindowDamaged` if it does not say all of it.
    """
    names = {field.name for field in fields(Recipe)} - {"lexicon"}
    rest = {field.name for field in fields(WindowConfig)} - {"recipe", "recipe_text"}
    try:
        recipe = Recipe(**{name: about[name] for name in names})
        return WindowConfig(recipe, about["recipe"], **{name: about[name] for name in rest & _said(about)})
    except (KeyError, SettingsError) as error:
        raise WindowDamaged(
            "_meta.neardup", f"a description without {error}", "what `neardup setup` writes"
        ) from error


def _said(about: Mapping[str, Any]) -> set[str]:
    """Which fields of a `WindowConfig` a description must have: all, but for what is only said where it is set."""
    return {field.name for field in fields(WindowConfig)} - ({"keep_hours"} - about.keys())


def signer_of(address: Address, found: Survey, sign: Sign) -> SignedBy:
    """Who signs, as `sign` says or as the nodes allow."""
    if sign not in SIGNS:
        raise SettingsError("sign", sign, " or ".join(map(repr, SIGNS)))
    lacking = [node.name for node in found.nodes if not node.signs]
    if sign == "client" or (sign == "auto" and len(lacking) == len(found.nodes)):
        return "client"
    if lacking:
        raise SetupRefused(
            str(address),
            f"the plugin neardup is not on {_listed(lacking)}",
            "install it on every node and restart them (docs/elasticsearch.md), or sign in the client: --sign client",
        )
    return "plugin"


def plan(address: Address, scheme: WindowConfig, found: Survey) -> Plan:
    """What has to change in a cluster that is as `found`, for the window to be as `scheme` says.

    Raises `RecipeMismatch` or `SetupRefused`.
    """
    _refuse(address, scheme, found)
    objects = wanted(address, scheme, lifecycle=found.lifecycle)
    changes = [change for entry in objects for change in _object_change(address, entry, found)]
    if not found.state:
        changes.append(Change(f"make index {address.state}", (), f"/{address.state}", {}))
    policy = address.policy if found.lifecycle and scheme.kept_hours else None
    for index in found.indices.hourly:
        changes += _index_change(index, address.pipeline if scheme.signed_by == "plugin" else None, policy)
    hours = _hours_in_words(scheme, lifecycle=found.lifecycle)
    return Plan(scheme, changes, list(_notes(address, scheme, found)), hours)


def apply(cluster: Cluster, made: Plan) -> None:
    """Make the changes, one after another; what another process has made meanwhile is as good."""
    for change in made.changes:
        put_object(cluster, change.path, change.body)


def _check(scheme: WindowConfig) -> None:
    Settings(window_hours=scheme.window_hours, keep_hours=scheme.keep_hours)  # checks both
    check_whole("max_length", scheme.max_length, MAX_Q, 10_000_000)
    for name in ("text_field", "time_field"):
        value = getattr(scheme, name)
        if not all(value.split(".")) or value.split(".")[0] == "neardup":
            raise SettingsError(
                name, value, "the name of a field, dotted or not, outside of the object neardup"
            )


def _object_change(address: Address, entry: Object, found: Survey) -> Iterator[Change]:
    there = found.objects.get(entry.path)
    if there is None:
        yield Change(f"make {entry.kind.title} {entry.name}", (), entry.path, entry.body)
        return
    if not there.ours:
        raise SetupRefused(
            str(address),
            f"there is {_article(entry.kind.title)} {entry.name} that neardup did not make",
            "rename it, or choose another prefix",
        )
    if there.version > entry.version:
        raise SetupRefused(
            str(address),
            f"{entry.kind.title} {entry.name} has version {there.version}, of a newer neardup than this",
            "update this one",
        )
    details = tuple(differences(there.body, entry.body))
    if details:
        yield Change(f"change {entry.kind.title} {entry.name}", details, entry.path, entry.body)


def _index_change(index: HourlyIndex, pipeline: str | None, policy: str | None) -> Iterator[Change]:
    """An hour that was made before the settings changed: who signs and who deletes it can still be told."""
    has = {
        "final_pipeline": index.settings.get("final_pipeline"),
        "lifecycle.name": index.settings.get("lifecycle", {}).get("name"),
    }
    wants = {"final_pipeline": pipeline, "lifecycle.name": policy}
    body = {f"index.{key}": value for key, value in wants.items() if value != has[key]}
    if body:
        details = tuple(differences(has, wants, "index"))
        yield Change(f"change index {index.name}", details, f"/{index.name}/_settings", body)


def _refuse(address: Address, scheme: WindowConfig, found: Survey) -> None:
    """Raises for what this window cannot live beside."""
    if found.taken:
        raise SetupRefused(
            str(address),
            f"there is an index {address.prefix}, where an alias of this name is needed",
            "choose another prefix",
        )
    for index in found.indices.hourly:
        _refuse_index(address, scheme, index)
    for template in found.templates:
        for pattern in template.patterns:
            if template.ours and _nested(address.pattern, pattern):
                raise SetupRefused(
                    str(address),
                    f"the indices of the window {pattern.removesuffix('-*')} ({template.name}) and its own would match "
                    "the same names",
                    "choose a prefix that neither begins with that one and a hyphen nor the other way round",
                )
            if template.priority == _priority(address, scheme) and _nested(address.pattern, pattern):
                raise SetupRefused(
                    str(address),
                    f"index template {template.name} matches {pattern} with the same priority {template.priority}",
                    "change its priority, or choose another prefix",
                )


def _refuse_index(address: Address, scheme: WindowConfig, index: HourlyIndex) -> None:
    if index.about is None:
        raise SetupRefused(
            str(address),
            f"index {index.name} was not made for neardup and its documents are not signed",
            f"choose another prefix, and take them over: neardup ingest --from-index {index.name}",
        )
    if index.about["recipe"] != scheme.recipe_text:
        raise RecipeMismatch(f"index {index.name}", str(index.about["recipe"]), scheme.recipe_text)
    for name in ("text_field", "time_field"):
        if index.about[name] != getattr(scheme, name):
            raise SetupRefused(
                str(address),
                f"index {index.name} has {name} {index.about[name]!r}, not {getattr(scheme, name)!r}",
                f"keep {index.about[name]!r}, or choose another prefix",
            )


def _notes(address: Address, scheme: WindowConfig, found: Survey) -> Iterator[str]:
    if scheme.signed_by == "client":
        plugin = (
            "is on every node but not used"
            if all(node.signs for node in found.nodes)
            else "is not on every node"
        )
        yield (
            f"the plugin neardup {plugin}: documents are signed by `neardup ingest` and `neardup watch`, not when they "
            "are indexed"
        )
    if not found.lifecycle:
        yield (
            "this cluster has no lifecycle management: `neardup rollover` makes the hours and `neardup expire` deletes "
            "them; run both every hour, unless `neardup watch` is running"
        )
    hour = address.hourly(SAMPLE_HOUR)
    for template in found.templates:
        if template.priority > _priority(address, scheme) and any(
            fnmatchcase(hour, p) for p in template.patterns
        ):
            yield (
                f"index template {template.name} matches {hour} with priority {template.priority}, above ours: hours "
                f"will be made by it and stay unsigned; lower its priority below {_priority(address, scheme)}"
            )
    if found.indices.others:
        yield (
            f"{_listed(found.indices.others)} match {address.pattern} as well: new indices of such names would be "
            "made by our template"
        )


def _hours_in_words(scheme: WindowConfig, *, lifecycle: bool) -> str:
    """How far the window looks back, and when what is in it is deleted."""
    compared = f"compares {scheme.window_hours} h" if scheme.window_hours else "compares all hours"
    if not scheme.kept_hours:
        return f"{compared}; deletes nothing (--keep-hours)"
    if not lifecycle:
        return f"{compared}; `neardup ingest` and `neardup expire` delete hours {scheme.kept_hours} h behind the newest"
    return f"{compared}; deletes indices {deleted_after(scheme)} h after they were made (--keep-hours)"


def _priority(address: Address, scheme: WindowConfig) -> int:
    objects = wanted(address, scheme, lifecycle=False)
    return next(
        int(entry.body["priority"])
        for entry in objects
        if entry.name == address.template and entry.kind is TEMPLATE
    )


def _nested(one: str, other: str) -> bool:
    """Whether two patterns, each a name or the beginning of names with a star, have a name in common."""
    if not one.endswith("*") or not other.endswith("*"):
        return fnmatchcase(one, other) or fnmatchcase(other, one)
    one, other = one.removesuffix("*"), other.removesuffix("*")
    return one.startswith(other) or other.startswith(one)


def _listed(names: list[str], most: int = 3) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def _article(title: str) -> str:
    return f"an {title}" if title[0] in "aeiou" else f"a {title}"
