"""Shared by the experiments in Elasticsearch: a corpus over 25 hours, and windows that are deleted after use."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import orjson

import neardup
from benchmarks.lib import engine
from neardup.elastic.admin.setup import set_up
from neardup.elastic.http.address import parse_address
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.http.client import Cluster
from neardup.elastic.window.opening import open_elastic_window
from neardup.model.settings import HOUR_MS, Settings, exact_threshold
from neardup.model.times import format_time
from neardup.model.verdict import required_overlap

if TYPE_CHECKING:
    from benchmarks.lib.corpora import Corpus
    from neardup.window.engine import WindowEngine

SEED = 20_261_121
HOURS = 25
FIRST_MS = engine.FIRST_MS
BATCH = 256


def stream(corpus: Corpus) -> list[neardup.Document]:
    """The corpus over 25 hours, evenly."""
    step = HOURS * HOUR_MS / max(len(corpus), 1)
    return [
        neardup.Document(name, text, FIRST_MS + int(place * step))
        for place, (name, text) in enumerate(zip(corpus.ids, corpus.texts, strict=True))
    ]


@contextmanager
def window_of(url: str, name: str, *, terms: bool | None = None, **settings: Any) -> Iterator[WindowEngine]:
    """A new window whose hourly indices already exist; everything of it is deleted at the end."""
    if terms is not None:
        with Cluster(parse_address(f"{url}/{name}")) as cluster:
            set_up(cluster, terms=terms)
    with open_elastic_window(f"{url}/{name}", settings=Settings(**settings)) as window:
        address = parse_address(f"{url}/{name}")
        with Cluster(address) as cluster:
            for hour in range(HOURS):
                cluster.request("PUT", f"/{address.hourly(FIRST_MS // HOUR_MS + hour)}")
            try:
                yield window
            finally:
                names = cluster.request("GET", f"/{address.pattern}/_settings/index.uuid")
                cluster.request("DELETE", f"/{','.join([*names, address.state])}")
                for kind, what in (
                    ("index_template", address.template),
                    ("index_template", address.copies_template),
                ):
                    cluster.request("DELETE", f"/_{kind}/{what}", missing_ok=True)


def batches(actions: Sequence[Action]) -> Iterator[Sequence[Action]]:
    """Actions in groups as large as other clients write."""
    for at in range(0, len(actions), BATCH):
        yield actions[at : at + BATCH]


def index_all(cluster: Cluster, actions: Sequence[Action]) -> float:
    """Seconds to index, one request at a time; raises if anything was refused."""
    begun = time.perf_counter()
    for part in batches(actions):
        wrong = [outcome for outcome in bulk(cluster, part, at_once=1) if not outcome.ok]
        if wrong:
            msg = f"{len(wrong)} documents were refused: {wrong[0].error}"
            raise AssertionError(msg)
    return time.perf_counter() - begun


def plain_actions(name: str, documents: Sequence[neardup.Document], url: str) -> list[Action]:
    """The documents as any client would write them."""
    address = parse_address(f"{url}/{name}")
    made = []
    for document in documents:
        time_ms = int(document.time)  # type: ignore[arg-type]
        source = orjson.dumps({"text": document.text, "@timestamp": format_time(time_ms)})
        made.append(Action("create", address.hourly(time_ms // HOUR_MS), document.id, source))
    return made


def lossless(qgrams: Sequence[str]) -> dict[str, Any]:
    """A query of Elasticsearch alone for everything that shares ceil(t·|A|) q-grams."""
    needed = required_overlap(exact_threshold("0.7"), len(qgrams))
    should = [{"term": {"neardup.qgrams": gram}} for gram in qgrams]
    return {"bool": {"should": should, "minimum_should_match": needed}}
