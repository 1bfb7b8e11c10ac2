"""Checks of a window in a cluster: whether it is as it must be, and if not what to do about it. Reads only."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.admin.cluster_snapshot import ClusterSnapshot, lacking_pipelines, take_snapshot
from neardup.elastic.admin.managed_objects import LIMITS, window_config
from neardup.elastic.admin.node_checks import check_nodes
from neardup.elastic.admin.setup import check_prefix, plan
from neardup.elastic.admin.signing_checks import check_signing
from neardup.elastic.http import admin_api as api
from neardup.elastic.http.client import Cluster
from neardup.errors import ClusterRefused, NeardupError, SetupRefused
from neardup.model.clock import now_ms
from neardup.model.finding import Finding
from neardup.model.hours import hour_name, hour_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from neardup.elastic.admin.managed_objects import WindowConfig
    from neardup.elastic.http.address import Address, Credentials
    from neardup.model.finding import State

TIMEOUT: Final = 10.0
PATIENCE: Final = 1.0
"""Seconds. Enough to get over a single 502 of a proxy; a host that does not answer is reported soon."""
NEARLY_FULL: Final = 0.8
_DATES: Final = {"date", "date_nanos"}


def examine(
    address: Address, credentials: Credentials, *, is_half_signed: bool = False, is_in_place: bool = False
) -> Iterator[Finding]:
    """Every check of the window at `address`. If `is_half_signed` (the window is being signed again), the checks of how
    it signs are left out: its templates, pipeline and hours have two recipes until that is done. If it `is_in_place`
    (it scores an index of another client), no note says that the plugin does not sign, and the checks of hours and of
    the alias are left out: it has none.

    A fault of the cluster or a missing right is a finding, never an exception: a missing right is a warning if any
    other check could be made. A request is repeated for `PATIENCE` seconds only.
    """
    what = f"cluster {address.url}"
    with Cluster(address, credentials, patience=PATIENCE, timeout=TIMEOUT) as cluster:
        health = functools.cache(lambda: api.health(cluster))
        checks = {
            what: _cluster(cluster, health),
            f"window {address.prefix}": _window(
                cluster, health, is_half_signed=is_half_signed, is_in_place=is_in_place
            ),
            "shards": _shards(cluster),
        }
        is_any_allowed = False
        try:
            for each, check in checks.items():
                is_any_allowed |= yield from _allowed(each, check)
            if not is_any_allowed:
                yield Finding(what, "bad", "nothing is known of it, because no check was allowed")
        except NeardupError as error:
            yield Finding(what, "bad", str(error))


def _allowed(what: str, check: Iterator[Finding]) -> Generator[Finding, None, bool]:
    """The findings of a `check`. If the user lacks the right to make it, or the rest of it, that is the last finding.
    Returns whether the user was allowed to make any of it.
    """
    is_any_made = False
    try:
        for each in check:
            is_any_made = True
            yield each
    except ClusterRefused as error:
        if error.action is None:  # no other check is allowed either
            raise
        yield Finding(what, "warning", f"not checked: {error}")
        return is_any_made
    return True


def _cluster(cluster: Cluster, health: Callable[[], api.Health]) -> Iterator[Finding]:
    yield _health(cluster, health())
    if block := api.cluster_block(cluster):
        remedy = f'PUT _cluster/settings {{"persistent": {{"{block}": null}}}}'
        text = f'nothing can be written to this cluster; {remedy}, or "transient" if it is so'
        yield Finding(f"block {block}", "bad", text)


def _health(cluster: Cluster, health: api.Health) -> Finding:
    status, nodes = health.status, health.nodes
    own = cluster.credentials
    who = "an API key" if own.api_key else f"user {own.username}" if own.username else "no credentials"
    text = f"{health.name}, {nodes} node{'s' if nodes > 1 else ''}, {status}, asked with {who}"
    if status == "red":
        red = api.without_shards(cluster, f"{cluster.address.pattern},{cluster.address.state}")
        lost = (
            f"no shard answers for {', '.join(red)}, so the window cannot be used"
            if red
            else "not this window"
        )
        return Finding(
            f"cluster {cluster.url}", "bad", f"{text}: {lost}; GET _cluster/allocation/explain says why"
        )
    return Finding(f"cluster {cluster.url}", "ok", text)


def _window(
    cluster: Cluster, health: Callable[[], api.Health], *, is_half_signed: bool, is_in_place: bool
) -> Iterator[Finding]:
    address = cluster.address
    what = f"window {address.prefix}"
    snapshot = take_snapshot(cluster)
    yield from check_nodes(cluster, snapshot)
    if snapshot.about is None:
        yield Finding(what, "bad", _why_not_set_up(address, snapshot))
        return
    config = window_config(snapshot.about)
    yield Finding(what, "ok", f"recipe {config.recipe_text}, signed by the {config.signed_by}")
    if not is_half_signed:
        yield from _objects(address, config, snapshot, is_in_place=is_in_place)
        if config.signed_by == "plugin":
            yield from _allowed("signing", check_signing(cluster, config, snapshot.nodes))
    if not is_in_place:
        yield from _indices(config, snapshot, health().data_nodes)
        yield from _time_field(cluster, config.time_field)
    for lacks, text in lacking_pipelines(cluster, config, snapshot):
        yield Finding(lacks, "bad", text)
    yield from examine_state_index(cluster)
    if not is_in_place:
        yield _alias(cluster, snapshot)


def _why_not_set_up(address: Address, snapshot: ClusterSnapshot) -> str:
    """What to do about a window that is not set up: run `neardup setup`, or what it would refuse the prefix for."""
    try:
        check_prefix(address, snapshot)
    except SetupRefused as refused:
        return str(refused)
    return f"not set up: neardup setup --window {address}"


def _objects(
    address: Address, config: WindowConfig, snapshot: ClusterSnapshot, *, is_in_place: bool
) -> Iterator[Finding]:
    """Whether templates, pipeline and policy are as `neardup setup` would leave them."""
    what = "templates and pipeline"
    remedy = f"neardup setup --window {address} (with --dry-run it says what it would change)"
    try:
        made = plan(address, config, snapshot, is_in_place=is_in_place)
    except NeardupError as error:
        yield Finding(what, "bad", str(error))
        return
    for change in made.changes:
        state: State = "bad" if change.is_lacking else "warning"
        yield Finding(what, state, f"to do: {' '.join(str(change).split())}: {remedy}")
    if not made.changes:
        yield Finding(what, "ok", "as `neardup setup` makes them")
    for note in made.notes:
        yield Finding("setup", "warning", note)


def _indices(config: WindowConfig, snapshot: ClusterSnapshot, data_nodes: int) -> Iterator[Finding]:
    """Faults of hours that would make the scorer miss copies or wait for ever, with `data_nodes` data nodes."""
    good = True
    for name, others in sorted(snapshot.indices.occupied.items()):
        good = False
        yield _occupied(name, others)
    for index in snapshot.indices.hourly:
        for state, problem in _problems(index.settings, data_nodes, rebuilds_source=index.rebuilds_source):
            good = False
            yield Finding(f"index {index.name}", state, problem.replace("INDEX", index.name))
        if lacking := index.left_out([config.text_field, "neardup"]):
            good = False
            text = f"_source lacks {' and '.join(lacking)}: documents could not be read again"
            remedy = "let no template of yours leave it out (mappings._source)"
            again = "then delete this hour and write it again"
            yield Finding(f"index {index.name}", "bad", f"{text}; {remedy}; {again}")
        if index.remapped:
            good = False
            names = ", ".join(f"neardup.{name}" for name in index.remapped)
            text = f"maps {names} differently from neardup, so searches fail or miss documents"
            remedy = "let no template of yours map that; then delete this hour and write it again"
            yield Finding(f"index {index.name}", "bad", f"{text}; {remedy}")
    if good:
        # An hour can have two indices: one of documents, and one of copies that are set aside.
        hours = [hour_name(hour) for hour in sorted({index.hour for index in snapshot.indices.hourly})]
        span = f", {hours[0]} to {hours[-1]}" if hours else ""
        before = config.window_hours
        compared = f"the document's and {before} before" if before else "all"
        yield Finding("hours", "ok", f"{len(hours)}{span}; compared: {compared}")


def _time_field(cluster: Cluster, name: str) -> Iterator[Finding]:
    """Indices under the prefix in which the time field is not a date; searches of the hours go to all these indices."""
    for index, type in api.types_by_index(cluster, cluster.address.pattern, name).items():
        if type not in _DATES:
            text = f"the time, {name}, is {type} there and no date, so that nothing can be scored in any hour"
            yield Finding(f"index {index}", "bad", f"{text}; _reindex it under another prefix, and delete it")


def examine_state_index(cluster: Cluster) -> Iterator[Finding]:
    """The finding for a state index that was made without its template. Its undo log holds whole documents, which a
    mapping that is not `false` refuses where a field of one does not fit that of another.
    """
    own = cluster.address
    fields = ("mappings.dynamic", "mappings.properties.entries", "settings.index.uuid")
    index = api.indices(cluster, own.state, fields=fields, expand="all").get(own.state)
    mapping: dict[str, Any] = {} if index is None else index.get("mappings", {})
    dynamic = str(mapping.get("dynamic", "dynamic")).lower()
    if index is None or dynamic == "false":
        return
    text = (
        f"its mapping is {dynamic}, because it was not made by the template {own.state_template}: "
        "`neardup delete` or `neardup reconcile` of some documents may be refused"
    )
    remedy = f'PUT {own.state}/_mapping {{"dynamic": false}}'
    if "properties" in mapping:  # the log's: what is mapped stays mapped
        remedy = (
            f"once that template is there, and while nothing writes to the window, DELETE {own.state}, then "
            f"`neardup setup --window {own}` or, if it scores an index in place, "
            "`neardup ingest --from-index INDEX --in-place`, which make it anew"
        )
    yield Finding(f"index {own.state}", "warning", f"{text}; {remedy}")


def _occupied(name: str, others: list[str]) -> Finding:
    """The finding for an alias or a data stream that has the name of the hour `name`. A lifecycle policy leaves such an
    alias when it shrinks or mounts an index; a foreign template may make such a data stream.
    """
    called_so, request = api.what_has_name(name, others)
    text = f"{called_so}: no document there counts, nor any that is sent to this hour; remove it ({request})"
    if api.stream_of(others[0]) != name:
        again = f"then, if {others[0]} was made of this hour, POST {others[0]}/_clone/{name}"
        text += f'; {again}, which needs "index.blocks.write": true there'
    return Finding(f"index {name}", "bad", text)


def _problems(
    settings: Mapping[str, Any], data_nodes: int, *, rebuilds_source: bool
) -> Iterator[tuple[State, str]]:
    """Faults in the settings of an index, with `data_nodes` data nodes; the texts have INDEX for its name."""
    interval, refreshing = settings.get("refresh_interval"), _put("refresh_interval", '"1s"')
    if interval is None:
        text = "no refresh_interval is set, so the first search after a pause waits"
        yield "warning", f"{text}; {refreshing}"
    elif interval.startswith("-"):
        text = "refresh_interval is -1: nothing written would ever be seen by a search"
        yield "bad", f"{text}; {refreshing}"
    for name, least, refused in LIMITS:
        value = int(settings.get(name, least))
        if value < least:
            yield "bad", f"{name} is {value}: {refused} would be refused; {_put(name, str(least))}"
    copies = settings.get("write", {}).get("wait_for_active_shards", "1")
    needed = 1 + int(settings.get("number_of_replicas", 0)) if copies == "all" else int(copies)
    if needed > data_nodes:
        text = f"write.wait_for_active_shards is {copies}: nothing can be written with fewer than {needed} data nodes"
        yield "bad", f"{text}; {_put('write.wait_for_active_shards', 'null')}"
    if rebuilds_source:
        text = "_source is synthetic: signatures and verdicts would not be returned as they were written"
        remedy = 'have index.mapping.source.mode "stored" in your templates; then delete this hour and write it again'
        yield "bad", f"{text}; {remedy}"
    if blocks := api.data_blocks_of(settings):
        lost = "the window cannot be read" if "read" in blocks else "verdicts cannot be written"
        text = f"blocked ({', '.join(blocks)}): {lost}"
        yield "bad", f"{text}; {api.unblocking('INDEX', blocks)}, and see that the disk is not full"


def _put(setting: str, value: str) -> str:
    """The request that sets an index setting."""
    return f'PUT INDEX/_settings {{"index.{setting}": {value}}}'


def _alias(cluster: Cluster, snapshot: ClusterSnapshot) -> Finding:
    own, written_to = cluster.address, _written_to(cluster)
    hourly = snapshot.indices.hourly
    writes = [index for index in hourly if index.name in written_to]
    what = f"alias {own.alias}"
    if others := written_to - {index.name for index in hourly}:
        text = f"writes to {', '.join(others)}, no hour of this window, so nobody scores what is written"
        remedy = f"neardup rollover --window {own} has it write to the current hour"
        return Finding(what, "warning", f"{text}; {remedy}")
    # Rollover also makes the next hour, which ingest does only for a document from the future.
    if not writes and any(index.hour == hour_of(now_ms()) + 1 for index in hourly):
        text = f"writes to no hour any more, so clients that write to it are refused: neardup rollover --window {own}"
        return Finding(what, "warning", text)
    if not writes:
        return Finding(
            what, "ok", "writes to no hour: `neardup rollover` is only for clients that write to one name"
        )
    if writes[-1].hour < hour_of(now_ms()):
        return Finding(
            what,
            "warning",
            f"writes to {writes[-1].name}, an hour that is over: neardup rollover --window {own}",
        )
    if writes[-1].hour > hour_of(now_ms()) + 1:  # clocks of two machines may differ a little
        clocks = "check the clocks of this machine and of the one that moved it"
        text = f"writes to {writes[-1].name}, an hour of the future: {clocks}; if this one is right"
        return Finding(what, "warning", f"{text}: neardup rollover --window {own}")
    return Finding(what, "ok", f"writes to {writes[-1].name}")


def _written_to(cluster: Cluster) -> set[str]:
    """The write index of the alias, or nothing. The only index of an alias takes the writes without being marked."""
    members = api.alias(cluster, cluster.address.alias)
    return {name for name, member in members.items() if member.get("is_write_index", len(members) == 1)}


def _shards(cluster: Cluster) -> Iterator[Finding]:
    """How near the cluster is to its limit of shards; at the limit, no hour can be made."""
    limit = api.shard_limit(cluster)
    text = f"{limit.used:,} of {limit.most:,}"
    state: State = "ok"
    if limit.used > NEARLY_FULL * limit.most:
        remedy = (
            "an hour takes two; delete old indices (neardup expire), or raise cluster.max_shards_per_node"
        )
        state, text = "warning", f"{text}: {remedy}"
    yield Finding("shards", state, text)
