"""Kinds: changes by other clients and operators to the indices and objects of a window while it is scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from testing.node import clients, killing
from testing.torture.cluster_scene import Scene, impatient, scene_kind, short_leases

from neardup.errors import NeardupError
from neardup.opening import open_window

if TYPE_CHECKING:
    from collections.abc import Callable

    from neardup.elastic.http.client import Cluster

    Doing = Callable[[Scene], object]


def changed(scene: Scene, change: Doing, heal: Doing, *, watched: bool | None = None) -> NeardupError | None:
    """Ingests, or watches, with a change at a random moment; then runs once more, heals, and settles. Returns the error
    of the run after the change.
    """
    random = scene.random
    clients.made(scene.cluster)
    watched = random.random() < 0.5 if watched is None else watched
    middle = random.randrange(1, len(scene.documents))

    def do(told: int) -> None:
        if told == middle:
            try:
                change(scene)
            except NeardupError as error:
                raise AssertionError("the change itself failed") from error

    with impatient():
        if watched:
            clients.put(scene.cluster, scene.documents)
            scene.watch(most=middle)
            do(middle)
            error = scene.watch()
        else:
            first = scene.run(at_verdict=do)
            if first is None:
                scene.outcome.count("not noticed")
            error = scene.run()
    if error is None:
        scene.outcome.count("through")
    heal(scene)
    if watched:
        scene.settle_watched(late=error is None)
    else:
        scene.settle()
    return error


def hour(scene: Scene) -> str:
    """The index of an hour that has documents from the beginning on."""
    return clients.index_of(scene.cluster, scene.documents[0])


# ---- indices ----


def closed(scene: Scene) -> None:
    """An hour is closed: a run after that says so, even if it does not write to it."""
    own, names = scene.cluster, list[str]()

    def change(_: Scene) -> None:
        names.append(scene.random.choice(sorted(own.request("GET", f"/{own.address.pattern}"))))
        own.request("POST", f"/{names[0]}/_close")

    def heal(_: Scene) -> None:
        new = [{**each, "id": f"new-{each['id']}"} for each in scene.documents]
        elsewhere = [each for each in new if clients.index_of(own, each) != names[0]]
        scene.mentions(scene.run(documents=elsewhere, expected=[]), names[0], "open")
        with scene.open(readonly=True) as window, scene.ending() as ended:
            window.query("Any text will do, as long as it is one.")
        scene.mentions(ended[0] if ended else None, names[0], "open")
        own.request("POST", f"/{names[0]}/_open")

    scene.mentions(changed(scene, change, heal), "open that index")


def blocked(scene: Scene) -> None:
    """An hour takes no writes, no reads, or neither."""
    name = hour(scene)
    block = scene.random.choice(("write", "read", "read_only", "read_only_allow_delete"))

    def put(value: bool | None) -> None:
        scene.cluster.request("PUT", f"/{name}/_settings", body={f"index.blocks.{block}": value})

    error = changed(scene, lambda _: put(True), lambda _: put(None))
    if error is not None:
        scene.mentions(error, name)


def red(scene: Scene) -> None:
    """An hour has no shard that answers, from its beginning on."""
    clients.made(scene.cluster)
    name = hour(scene)
    where = "index.routing.allocation.require._name"
    body = {"settings": {where: "nowhere"}}
    scene.cluster.request("PUT", f"/{name}", params={"timeout": "1ms"}, body=body)
    with impatient():
        scene.mentions(scene.run(), name)
        if scene.random.random() < 0.5:
            scene.mentions(scene.watch(), name)
    scene.cluster.request("PUT", f"/{name}/_settings", body={where: None})
    scene.cluster.request("GET", f"/_cluster/health/{name}", params={"wait_for_status": "yellow"})
    scene.settle()


def without_alias(scene: Scene) -> None:
    """The alias of the window is removed, or refers to something else: scoring does not need it."""
    own = scene.cluster.address

    def change(_: Scene) -> None:
        actions: list[Any] = [{"remove": {"index": own.pattern, "alias": own.alias, "must_exist": False}}]
        if scene.random.random() < 0.5:
            scene.cluster.request("PUT", f"/{own.prefix}-elsewhere")
            actions.append({"add": {"index": f"{own.prefix}-elsewhere", "alias": own.alias}})
        scene.cluster.request("POST", "/_aliases", body={"actions": actions})

    error = changed(scene, change, lambda _: None)
    scene.outcome.expect(error is None, f"the alias is missed: {error}")


def hour_deleted(scene: Scene) -> None:
    """An hour is deleted: its documents are new when they come again, and everything else is as it was."""
    name, random = hour(scene), scene.random
    gone = [each["id"] for each in scene.documents if clients.index_of(scene.cluster, each) == name]
    scene.outcome.expect(scene.run() is None, "the stream does not go in")
    scene.cluster.request("DELETE", f"/{name}")
    with open_window(None, **scene.settings) as reference:
        list(reference.ingest(scene.documents))
        for id in gone:
            reference.delete(id)
        again = list(scene.documents)
        random.shuffle(again)
        expected = list(reference.ingest(again))
    error = scene.run(documents=again, expected=expected)
    scene.outcome.expect(error is None, f"the stream does not come again: {error}")
    scene.held(lambda: killing.check(scene.cluster, again, expected, scene.settings))


# ---- templates and pipelines ----


def object_lost(scene: Scene) -> None:
    """The pipeline, a template or a component of it is deleted; `neardup setup` makes it anew."""
    own = scene.cluster.address
    pipeline = f"/_ingest/pipeline/{own.pipeline}"
    templates = f"/_index_template/{own.template}", f"/_index_template/{own.state_template}"
    path = scene.random.choice((pipeline, *templates))

    def change(_: Scene) -> None:
        if path == pipeline:
            _put_pipeline_aside(scene.cluster)
        scene.cluster.request("DELETE", path)

    def heal(_: Scene) -> None:
        described = scene.cluster.request("GET", f"/{own.pattern}")
        for name in described:  # which `neardup setup` would refuse
            if not described[name]["mappings"].get("_meta"):
                scene.cluster.request("DELETE", f"/{name}")
        clients.made(scene.cluster)
        if path == pipeline:
            clients.made(scene.cluster)
            for index, id, source in killing.stored(scene.cluster):
                if "recipe" not in source.get("neardup", {}):
                    scene.cluster.request("PUT", f"/{index}/_doc/{id}", body=source)

    changed(scene, change, heal)


def _put_pipeline_aside(cluster: Cluster) -> None:
    """Removes the pipeline from indices and template: Elasticsearch does not delete one that an index names."""
    own = cluster.address
    for name in cluster.request("GET", f"/{own.pattern}"):
        cluster.request("PUT", f"/{name}/_settings", body={"index.final_pipeline": "_none"})
    template = cluster.request("GET", f"/_index_template/{own.template}")["index_templates"][0]
    body = template["index_template"]
    body["template"]["settings"]["index"]["final_pipeline"] = "_none"
    for name in ("created_date_millis", "modified_date_millis", "created_date", "modified_date"):
        body.pop(name, None)
    cluster.request("PUT", f"/_index_template/{own.template}", body=body)


# ---- the state ----

STATES: Final[tuple[Callable[[dict[str, Any]], dict[str, Any]], ...]] = (
    lambda _: {},
    lambda _: {"garbage": [1, 2]},
    lambda state: {**state, "commit": {}},
    lambda state: {**state, "commit": {**state["commit"], "next_order": None}},
    lambda state: {**state, "about": {}},
    lambda state: {**state, "settings": {"threshold": "much"}},
    lambda state: {**state, "gaps": "none"},
    lambda state: {**state, "undo": [{}]},
    lambda state: {name: value for name, value in state.items() if name != "turn"},
)


def state_lost(scene: Scene) -> None:
    """The state document, or its index, is deleted: this never makes a new window; `neardup setup` makes it anew."""
    place = f"/{scene.cluster.address.state}" + scene.random.choice(("", "/_doc/window"))
    error = changed(
        scene,
        lambda _: scene.cluster.request("DELETE", place),
        lambda _: clients.made(scene.cluster),
    )
    scene.mentions(error, "neardup setup")


def state_garbage(scene: Scene) -> None:
    """The state document is overwritten with content that no scorer wrote."""
    place = f"/{scene.cluster.address.state}/_doc/window"
    made = scene.random.choice(STATES)

    def change(_: Scene) -> None:
        scene.cluster.request("PUT", place, body=made(scene.cluster.request("GET", place)["_source"]))

    error = changed(scene, change, lambda _: clients.made(scene.cluster))
    scene.mentions(error, "neardup setup")


def lease_garbage(scene: Scene) -> None:
    """The lease on the state, or that of the watchers, is held for ever by an unknown name, or by no holder at all."""
    random = scene.random
    name = random.choice(("window", "watch"))
    holder = random.choice(("", "x", "elsewhere:1:abc", "a:b:c:d", "elsewhere:-5:"))
    until = random.choice((0, 2**53))

    def change(_: Scene) -> None:
        place = f"/{scene.cluster.address.state}/_doc/{name}"
        found = scene.cluster.request("GET", place, missing_ok=True)
        source = found["_source"] if found else {}
        scene.cluster.request("PUT", place, body={**source, "holder": holder, "until": until})

    with short_leases():
        changed(scene, change, lambda _: None)


HOLDS: Final = "an error names it, or nothing comes of it; undone, the window goes on as if it had never been"

KINDS: Final = (
    scene_kind("hour-closed", f"An operator closes an hour; {HOLDS}.", closed),
    scene_kind("hour-blocked", f"An operator, or a full disk, blocks an hour; {HOLDS}.", blocked),
    scene_kind("hour-red", f"An hour has no shard that answers; {HOLDS}.", red),
    scene_kind(
        "hour-deleted",
        "Another client deletes an hour; its documents are new when they come again, all others as they were.",
        hour_deleted,
    ),
    scene_kind("alias-taken", "The alias is taken away; scoring goes on.", without_alias),
    scene_kind("objects-deleted", f"Templates or the pipeline are deleted; {HOLDS}.", object_lost),
    scene_kind(
        "state-deleted",
        "The state document or its index is deleted; never a new window, and `neardup setup` makes it anew.",
        state_lost,
    ),
    scene_kind("state-garbage", "The state document is overwritten with garbage; the same.", state_garbage),
    scene_kind(
        "lease-garbage",
        "A lease bears the name of nobody, for ever; scorers take over, and nothing comes of it.",
        lease_garbage,
    ),
)
