"""Setup of a window in a cluster: what it needs, what of that is missing, and making it.

`plan` is a pure function from a `ClusterSnapshot` and a `WindowConfig` to the changes that are needed; a second run
needs none. A setup that would put documents of two recipes into one window is refused before anything is changed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from neardup.elastic.admin.cluster_snapshot import ClusterSnapshot, lacking_pipelines, take_snapshot
from neardup.elastic.admin.hour_changes import Change, check_hour, hour_changes
from neardup.elastic.admin.managed_objects import (
    ManagedObject,
    SignedBy,
    WindowConfig,
    check_fields,
    deleted_after,
    differences,
    hourly_priority,
    is_of_version_1,
    wanted_objects,
    window_config,
)
from neardup.elastic.admin.node_checks import plugin_for
from neardup.elastic.admin.node_files import node_files, recipe_text
from neardup.elastic.http.admin_api import put_object
from neardup.errors import SettingsError, SetupRefused
from neardup.model.counted import some_of
from neardup.model.settings import DEFAULT_MAX_LENGTH, MAX_Q, Recipe, Settings, check_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from neardup.elastic.http.address import Address
    from neardup.elastic.http.client import Cluster

Sign = Literal["plugin", "client", "auto"]

SIGNS: Final = ("plugin", "client", "auto")


class Plan(NamedTuple):
    """The `changes` that make the cluster as `config` wants it, in order, and `notes` on what is good to know.

    `hours` says in words what is compared, and when it is deleted.
    """

    config: WindowConfig
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
    lossless: bool | None = None,
    words: bool | None = None,
    terms: bool | None = None,
    dry_run: bool = False,
) -> Plan:
    """Set up the window at the cluster's address, or bring it up to date; with `dry_run` only say what would change.

    An argument that is None keeps the value of the window, or is the default in a new one; `settings` gives recipe and
    hours where they are not given themselves. `sign`: "plugin": the nodes sign, in the pipeline; "client"; "auto": by
    the plugin if every node has it, by the client if none has. `lossless`: whether q-grams are indexed; `words`:
    whether sentences and simhashes are, by which partial copies and routes are found; `terms`: whether q-grams and
    sketches are indexed as terms, which any query can search for (always so where the client signs), or in the form
    that the plugin's queries scan. A window with documents keeps its storage; with `terms` given, or another signer,
    its new hours differ from the existing ones. Lexicon and salt of `recipe` are files, or names that the nodes know.

    Needs the role `setup`. Raises `RecipeMismatch` where documents of another recipe are there, `SetupRefused` for
    whatever else is in the way, `SettingsError`, `ClusterError`.
    """
    if settings is not None:
        recipe = recipe or settings.recipe
        window_hours = settings.window_hours if window_hours is None else window_hours
        keep_hours = settings.keep_hours if keep_hours is None else keep_hours
    given: dict[str, Any] = {
        "window_hours": window_hours, "keep_hours": keep_hours, "text_field": text_field, "time_field": time_field,
        "max_length": max_length, "lossless": lossless, "words": words,
    }  # fmt: skip
    snapshot = take_snapshot(cluster)
    present = window_config(snapshot.about) if snapshot.about else None
    if present is not None and is_of_version_1(snapshot.about or {}):
        recipe = recipe or replace(present.recipe, lexicon=present.lexicon)
    config = changed_config(cluster, present, recipe, given)
    wish: Sign = sign or (present.signed_by if present else "auto")
    config = replace(config, signed_by=signer_of(cluster.address, snapshot, wish))
    config = _with_signature_storage(config, snapshot, terms)
    made = plan(cluster.address, config, snapshot)
    lacking = lacking_pipelines(cluster, config, snapshot, set_up=True)
    made.notes.extend(f"{what}: {text}" for what, text in lacking)
    if not dry_run:
        apply(cluster, made)
    return made


def changed_config(
    cluster: Cluster, present: WindowConfig | None, recipe: Recipe | None, given: Mapping[str, Any]
) -> WindowConfig:
    """The config that a window has, or a new one, with the recipe and the other values that are given."""
    config = present
    if config is None or recipe is not None:
        own = recipe or Recipe()
        text, files = recipe_text(cluster, own), node_files(own)
        config = replace(config or WindowConfig(own, text), recipe=own, recipe_text=text, **files._asdict())
    config = replace(config, **{name: value for name, value in given.items() if value is not None})
    _check(config)
    return config


def _with_signature_storage(
    config: WindowConfig, snapshot: ClusterSnapshot, terms: bool | None
) -> WindowConfig:
    """`config` with the storage of signatures: unchanged where there are documents, otherwise compact, unless q-grams
    must be cut into terms and the nodes cannot. `terms` is the argument of `set_up`.
    """
    client_signs = config.signed_by == "client"
    is_empty = not (snapshot.about and snapshot.indices.hourly)
    if terms is False and (client_signs or not (is_empty or config.compact)):
        raise SettingsError(
            "terms",
            False,
            "True where the client signs, or where signatures are lists (docs/elasticsearch.md)",
        )
    terms = client_signs or (config.terms if terms is None else terms)
    can_cut = not (terms and config.lossless) or snapshot.tokenizer is not None
    compact = can_cut if is_empty else config.compact
    if not (config.words or compact):
        raise SettingsError("words", False, "True where signatures are lists (docs/elasticsearch.md)")
    return replace(config, compact=compact, terms=terms or not compact)


def signer_of(address: Address, snapshot: ClusterSnapshot, sign: Sign) -> SignedBy:
    """Who signs, as `sign` says or as the nodes allow."""
    if sign not in SIGNS:
        raise SettingsError("sign", sign, " or ".join(map(repr, SIGNS)))
    lacking = [node.name for node in snapshot.nodes if not node.signs]
    if sign == "client" or (sign == "auto" and len(lacking) == len(snapshot.nodes)):
        return "client"
    if lacking:
        wanted = {plugin_for(snapshot.product, node.version) for node in snapshot.nodes if not node.signs}
        raise SetupRefused(
            str(address),
            f"the plugin neardup is not on {some_of(lacking)}",
            f"install {some_of(sorted(wanted))} on every node and restart them (docs/elasticsearch.md), or sign in the "
            "client: --sign client",
        )
    return "plugin"


def plan(
    address: Address, config: WindowConfig, snapshot: ClusterSnapshot, *, is_in_place: bool = False
) -> Plan:
    """The changes by which the window becomes as `config` says, in a cluster that is as `snapshot`; `is_in_place`: it
    is known to score an index of another client, whose documents no node could sign.

    Raises `RecipeMismatch` or `SetupRefused`.
    """
    check_prefix(address, snapshot)
    for index in snapshot.indices.hourly:
        check_hour(address, config, index, snapshot.about, is_made=snapshot.has_state)
    _check_templates(address, snapshot)
    if config.compact and config.terms and config.lossless and snapshot.tokenizer is None:
        raise SetupRefused(
            str(address),
            "neither the tokenizer ngram nor the plugin neardup, which cut q-grams, is on every node",
            "install the plugin on every node",
        )
    objects = wanted_objects(
        address,
        config,
        lifecycle=snapshot.lifecycle,
        product=snapshot.product,
        has_custom=snapshot.custom is not None,
        tokenizer=snapshot.tokenizer,
    )
    changes = [change for entry in objects for change in _object_change(address, entry, snapshot)]
    if not snapshot.has_state:
        changes.append(Change(f"make index {address.state}", (), f"/{address.state}", {}, is_lacking=True))
    pipeline = address.pipeline if config.signed_by == "plugin" else None
    policy = address.policy if snapshot.lifecycle and config.kept_hours else None
    for index in snapshot.indices.hourly:
        changes += hour_changes(index, address, snapshot.about, pipeline, policy)
    hours = _hours_in_words(config, lifecycle=snapshot.lifecycle)
    return Plan(config, changes, list(_notes(address, config, snapshot, is_in_place=is_in_place)), hours)


def apply(cluster: Cluster, made: Plan, done: Callable[[Change], object] = lambda _: None) -> None:
    """Make the changes in order, and call `done` with each; an index that another process has made meanwhile is
    fine.
    """
    for change in made.changes:
        put_object(cluster, change.path, change.body)
        done(change)


def _check(config: WindowConfig) -> None:
    Settings(window_hours=config.window_hours, keep_hours=config.keep_hours)  # checks both
    check_whole("max_length", config.max_length, MAX_Q, DEFAULT_MAX_LENGTH)  # no more than a client signs
    check_fields(config)


def _object_change(address: Address, entry: ManagedObject, snapshot: ClusterSnapshot) -> Iterator[Change]:
    there = snapshot.objects.get(entry.path)
    if there is None:
        words = f"make {entry.kind.title} {entry.name}"
        yield Change(words, (), entry.path, entry.body, is_lacking=True)
        return
    if not there.ours:
        raise SetupRefused(
            str(address),
            f"there is {_article(entry.kind.title)} {entry.name} that neardup did not make",
            "rename it, or choose another prefix",
        )
    patterns = there.body.get("index_patterns", ())
    if patterns and set(patterns).isdisjoint(entry.body["index_patterns"]):
        raise SetupRefused(
            str(address),
            f"{entry.kind.title} {entry.name} is of another window, for {some_of(patterns)}",
            "choose another prefix: NAME and state-NAME cannot both be windows in one cluster",
        )
    if there.version > entry.version:
        raise SetupRefused(
            str(address),
            f"{entry.kind.title} {entry.name} has version {there.version}, of a newer neardup than this",
            "update this neardup",
        )
    details = tuple(differences(there.body, entry.body))
    if details:
        yield Change(f"change {entry.kind.title} {entry.name}", details, entry.path, entry.body)


_FREE_THE_ALIAS: Final = (
    'stop that client; copy its documents (POST _reindex {{"source": {{"index": "{prefix}"}}, "dest": {{"index": '
    '"{prefix}_kept"}}}}) and delete the index {prefix}; then run `neardup rollover --window {window}`, let the client '
    "write again, and run `neardup ingest --from-index {prefix}_kept --window {window}`"
)
"""Not read from where they are with `--from-index`: no hour can be made while there is an index of that name."""


def check_prefix(address: Address, snapshot: ClusterSnapshot) -> None:
    """Raises `SetupRefused` if something other than an alias already has the prefix as its name."""
    if snapshot.prefix_is:
        remedy = "choose another prefix"
        if snapshot.prefix_is == "data stream":
            remedy += (
                f"; in a window of that prefix `neardup ingest --from-index {address.prefix} --in-place` marks the "
                "documents of the data stream"
            )
        there = f"there is {_article(snapshot.prefix_is)} {address.prefix}, but the window needs an alias of this name"
        if snapshot.prefix_is == "index" and snapshot.about is not None:
            there += "; most likely a client wrote to this name before the window had its first hour"
            remedy = _FREE_THE_ALIAS.format(prefix=address.prefix, window=address)
        raise SetupRefused(str(address), there, remedy)


def _check_templates(address: Address, snapshot: ClusterSnapshot) -> None:
    """Raises `SetupRefused` for a template, not of this window, from which new hours of this window could be made."""
    priority = hourly_priority(address)
    for template in snapshot.other_templates:
        for pattern in template.patterns:
            if template.ours and _nested(address.pattern, pattern):
                raise SetupRefused(
                    str(address),
                    f"the templates of this window and of the window {pattern.removesuffix('-*')} ({template.name}) "
                    "would match the same index names",
                    "choose another prefix: neither prefix may begin with the other one and a hyphen",
                )
            if template.priority == priority and _nested(address.pattern, pattern):
                raise SetupRefused(
                    str(address),
                    f"index template {template.name} matches {pattern} with the same priority {priority}",
                    "change its priority, or choose another prefix",
                )


def _notes(
    address: Address, config: WindowConfig, snapshot: ClusterSnapshot, *, is_in_place: bool
) -> Iterator[str]:
    if config.signed_by == "client" and not is_in_place:
        is_everywhere = all(node.signs for node in snapshot.nodes)
        plugin = "is on every node but not used" if is_everywhere else "is not on every node"
        yield (
            f"the plugin neardup {plugin}: documents are signed by `neardup ingest` and `neardup watch`, not when they "
            "are indexed"
        )
    if not snapshot.lifecycle and config.kept_hours:
        yield (
            "this cluster has no lifecycle management: `neardup rollover` makes the hours and `neardup expire` deletes "
            "them; run both every hour, unless `neardup watch` is running"
        )
    if note := snapshot.note_on_hours(address):
        yield note
    priority = hourly_priority(address)
    for template in snapshot.other_templates:
        matching = ", ".join(p for p in template.patterns if _matches_an_hour(p, address.prefix))
        if template.priority > priority and matching:
            yield (
                f"index template {template.name} matches {matching} with priority {template.priority}, "
                f"above neardup's: hours will be made from it and stay unsigned; lower its priority below {priority}"
            )
    scanned = [
        index.name
        for index in snapshot.indices.hourly
        if index.about is not None and not index.about.get("terms", True)
    ]
    if config.terms and scanned:
        yield (
            f"the signatures in {some_of(scanned)} are not indexed as terms: until these indices are gone, only the "
            "plugin's queries can search them, and other searches (your own for q-grams or sketches; where the client "
            "signs, `neardup query` and --candidates search) are errors"
        )
    yield from snapshot.notes_on_custom(config.text_field, config.time_field)
    if snapshot.also_called:
        yield f"the alias {address.alias} also has {some_of(snapshot.also_called)}: searches by the alias see those too"
    alias = address.alias
    if narrowed := [each for each in snapshot.indices.hourly if each.is_narrowed(alias)]:
        flag = "true" if narrowed[0].aliases[alias].get("is_write_index") else "false"
        names = some_of([each.name for each in narrowed])
        yield (
            f"the alias {alias} has a filter or a routing on {names}: searches by the alias miss documents there; "
            "give the filter or routing to an alias of another name, and remove it from each hour: "
            f'PUT {narrowed[0].name}/_alias/{alias} {{"is_write_index": {flag}}}'
        )
    if snapshot.indices.others:
        yield (
            f"{some_of(snapshot.indices.others)} also match {address.pattern}: new indices of such names would be made "
            "from neardup's template"
        )


def _hours_in_words(config: WindowConfig, *, lifecycle: bool) -> str:
    """How far the window looks back, and when what is in it is deleted."""
    compared = f"compares {config.window_hours} h" if config.window_hours else "compares all hours"
    if not config.kept_hours:
        return f"{compared}; deletes nothing (--keep-hours)"
    hours = config.kept_hours
    deleted = (
        f"`neardup ingest` and `neardup watch` delete hours {hours} h behind the newest document, `neardup expire` "
        f"hours {hours} h behind the clock (--keep-hours)"
    )
    if lifecycle:
        deleted += f", and a policy deletes remaining ones {deleted_after(config)} h after they were made"
    return f"{compared}; {deleted}"


def _matches_an_hour(pattern: str, prefix: str) -> bool:
    """Whether any hour of the window can match the pattern of a template."""
    regex = re.sub(r"\d", r"[\g<0>#]", re.escape(pattern)).replace(r"\*", ".*")
    return re.fullmatch(regex, f"{prefix}-####.##.##-##") is not None  # no name of an index has a `#`


def _nested(one: str, other: str) -> bool:
    """Whether a name can match both patterns, each of which is a name, or a beginning of names and a star."""
    if not one.endswith("*") or not other.endswith("*"):
        return fnmatchcase(one, other) or fnmatchcase(other, one)
    one, other = one.removesuffix("*"), other.removesuffix("*")
    return one.startswith(other) or other.startswith(one)


def _article(title: str) -> str:
    return f"an {title}" if title[0] in "aeiou" else f"a {title}"
