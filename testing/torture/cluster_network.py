"""Kinds: faults of networks, proxies and busy clusters between a scorer and its node, at random requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from testing.node import clients
from testing.torture import cluster_faults as faults
from testing.torture.cluster_scene import Scene, proxied, scene_kind
from testing.window.proxy import Fault, busy, half_busy, lost, unheard

if TYPE_CHECKING:
    from random import Random

    from testing.torture.kinds import Kind


def disturbed(scene: Scene, made: Callable[[Random], Fault]) -> None:
    """Ingests, or watches, while a share of all requests meets a fault; then without faults."""
    random = scene.random
    fault = made(random)
    watched = random.random() < 0.5
    if watched:
        clients.made(scene.cluster)
        clients.put(scene.cluster, scene.documents)
    with proxied(scene) as (proxy, at):
        if random.random() < 0.5:
            proxy.arm_where(fault, faults.at_random(random, random.choice((0.05, 0.2, 0.4))))
        else:
            first = random.randint(1, 60)
            proxy.arm_where(fault, faults.within(first, first + random.choice((1, 5, 1_000))))
        for _ in range(2):
            error = scene.watch(at) if watched else scene.run(at)
            if error is None:
                scene.outcome.count("through")
                break
    if watched:
        scene.settle_watched()
    else:
        scene.settle()


HOLDS: Final = (
    "every document is there once, with the verdict of an undisturbed scorer, however far each run came"
)


def _kind(name: str, what: str, made: Callable[[Random], Fault]) -> Kind:
    """The kind whose fault is made by `made`."""
    return scene_kind(name, f"{what}; {HOLDS}.", lambda scene: disturbed(scene, made))


def _items_failing(random: Random) -> Fault:
    errors = ("io_exception", "unavailable_shards_exception", "es_rejected_execution_exception")
    return faults.items_failing(random, *zip((500, 503, 429), errors, strict=True))


def _page(*statuses: int) -> Callable[[Random], Fault]:
    return lambda random: faults.page(random, *statuses)


KINDS: Final = (
    _kind("requests-lost", "Connections are cut before the node hears of requests", lambda _: unheard),
    _kind("answers-lost", "Connections are cut before the node's answers come", lambda _: lost),
    _kind("answers-cut", "Connections are cut in the middle of answers", faults.cut_short),
    _kind("answers-no-json", "Of answers only the beginning comes, as if it were all", faults.cut_to_fit),
    _kind("answers-empty", "Answers are empty", faults.empty),
    _kind("pages-of-a-proxy", "A proxy answers 502, 503 or 504 with a page", _page(502, 503, 504)),
    _kind("pages-instead", "A proxy answers 200, 404 or 500 with a page", _page(200, 404, 500)),
    _kind("answers-late", "Answers come too late, requests arrive late", faults.slow),
    _kind("busy", "The cluster answers 429 to whole requests", lambda _: busy),
    _kind(
        "items-put-off", "The cluster answers 429 to half of the items of bulk requests", lambda _: half_busy
    ),
    _kind("items-failing", "Items of bulk requests fail with 500, 503 or 429", _items_failing),
    _kind("security-failing", "Security answers 401 or 403", lambda random: faults.refused(random, 401, 403)),
    _kind("parts-of-answers", "Shards have no part in answers", faults.partial),
)
