"""In Elasticsearch: what does a signed document cost compared with a bare one, in time and on disk, and which fields?

Question   How long does one client take to index documents through the pipeline: as `neardup setup` makes it by
           default, with q-grams and sketches as terms (`--terms`), without q-grams (`--no-lossless`), and also without
           the fields made of words (`--no-words`); and by `neardup ingest`, into a default window and into one without
           both; compared with the same documents bare (text and date)? How much disk do they take, and in which fields?
Corpus     passages20k.jsonl.gz cut into stretches of 800 characters, the first 20,000, over four hours.
Seed       none.
Excluded   starting the node, setting up, making the hours (all exist before the clock starts), loading kernels; a
           first round of everything as a warm-up. Included: the last refresh. Disk is measured after a merge into one
           segment. Node and client share this machine's cores.
Fairness   All ways in every round, one after the other, by the same client, 256 documents per request, each into its
           own indices, which are deleted after it; medians of the rounds. Bare indices have the default codec; `bare,
           packed` has `best_compression`, like the hours of a window.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from testing.node.node import Workshop

import neardup
from benchmarks.elastic.bench_window import FIRST_MS, index_all, plain_actions
from benchmarks.lib import corpora, harness
from neardup.elastic.admin.setup import set_up
from neardup.elastic.http.address import parse_address
from neardup.elastic.http.client import Cluster
from neardup.elastic.window.opening import open_elastic_window
from neardup.model.settings import HOUR_MS

LENGTH = 800
HOURS = 4
LIMITS = {"pipeline": (2.0, 3.0), "pipeline, no q-grams": (1.5, 1.8), "ingest": (2.5, None)}
"""The demanded limits: time and disk, relative to those of bare documents."""
BARE = {"text": {"type": "text"}, "@timestamp": {"type": "date"}}


def documents_of(corpus: corpora.Corpus, count: int) -> list[neardup.Document]:
    """Stretches of texts as documents over four hours."""
    stretches = (text[at : at + LENGTH] for text in corpus.texts for at in range(0, len(text), LENGTH))
    texts = [
        stretch
        for stretch, _ in zip((s for s in stretches if len(s) > LENGTH // 2), range(count), strict=False)
    ]
    step = HOURS * HOUR_MS / max(len(texts), 1)
    return [neardup.Document(f"d{at}", text, FIRST_MS + int(at * step)) for at, text in enumerate(texts)]


@contextmanager
def indices(url: str, name: str, body: dict[str, Any] | None, **options: Any) -> Iterator[Cluster]:
    """The hours of `name`: bare ones with this body, or those of a window that is set up with `options`."""
    address = parse_address(f"{url}/{name}")
    with Cluster(address) as cluster:
        if body is None:
            set_up(cluster, **options)
        for hour in range(HOURS):
            cluster.request("PUT", f"/{address.hourly(FIRST_MS // HOUR_MS + hour)}", body=body)
        try:
            yield cluster
        finally:
            names = [*cluster.request("GET", f"/{address.pattern}/_settings/index.uuid")]
            cluster.request("DELETE", f"/{','.join([*names, *([] if body else [address.state])])}")
            for template in (
                () if body else (address.template, address.copies_template, address.alias_template)
            ):
                cluster.request("DELETE", f"/_index_template/{template}", missing_ok=True)


def by_bulk(cluster: Cluster, documents: list[neardup.Document]) -> None:
    """As any client would write them."""
    index_all(cluster, plain_actions(cluster.address.prefix, documents, cluster.url))


def by_ingest(cluster: Cluster, documents: list[neardup.Document]) -> None:
    """With their verdicts."""
    with open_elastic_window(f"{cluster.url}/{cluster.address.prefix}") as window:
        for _ in window.ingest(documents):
            pass


def bare(codec: str) -> dict[str, Any]:
    """The body of an index of text and date."""
    settings = {
        "number_of_shards": 1,
        "auto_expand_replicas": "0-1",
        "refresh_interval": "1s",
        "codec": codec,
    }
    return {"settings": {"index": settings}, "mappings": {"properties": BARE}}


Way = tuple[Callable[[Cluster, list[neardup.Document]], None], dict[str, Any] | None, dict[str, Any]]
WAYS: dict[str, Way] = {
    "bare": (by_bulk, bare("default"), {}),
    "bare, packed": (by_bulk, bare("best_compression"), {}),
    "pipeline": (by_bulk, None, {"sign": "plugin"}),
    "pipeline, terms": (by_bulk, None, {"sign": "plugin", "terms": True}),
    "pipeline, no q-grams": (by_bulk, None, {"sign": "plugin", "lossless": False}),
    "pipeline, no q-grams, no words": (by_bulk, None, {"sign": "plugin", "lossless": False, "words": False}),
    "ingest": (by_ingest, None, {"sign": "plugin"}),
    "ingest, no q-grams, no words": (by_ingest, None, {"sign": "plugin", "lossless": False, "words": False}),
}


def on_disk(cluster: Cluster) -> dict[str, float]:
    """Bytes per document, merged, of everything and field by field, the largest first."""
    pattern = cluster.address.pattern
    for path in ("_flush", "_forcemerge?max_num_segments=1", "_flush", "_refresh"):
        cluster.request("POST", f"/{pattern}/{path}")
    fields: dict[str, int] = {}
    size = documents = 0
    for name in cluster.request("GET", f"/{pattern}/_settings/index.uuid"):
        usage = cluster.request("POST", f"/{name}/_disk_usage", params={"run_expensive_tasks": "true"})[name]
        size += usage["store_size_in_bytes"]
        documents += cluster.request("GET", f"/{name}/_count")["count"]
        for field, own in usage["fields"].items():
            fields[field] = fields.get(field, 0) + own["total_in_bytes"]
    largest = sorted(fields.items(), key=lambda item: -item[1])
    return {"store": size / documents, **{name: own / documents for name, own in largest}}


def processor_time(cluster: Cluster) -> float:
    """Seconds of processor time that the node and this process have taken."""
    nodes = cluster.request("GET", "/_nodes/stats/process")["nodes"].values()
    taken: int = sum(node["process"]["cpu"]["total_in_millis"] for node in nodes)
    return taken / 1_000 + time.process_time()


def signing(cluster: Cluster) -> float:
    """Microseconds that signing a document of these hours took by the node's figures; 0 if the node does not sign."""
    count = spent = 0
    for node in cluster.request("GET", "/_nodes/stats/ingest")["nodes"].values():
        pipeline = node["ingest"]["pipelines"].get(cluster.address.pipeline, {"processors": []})
        for processor in (each for named in pipeline["processors"] for each in named.values()):
            if processor["type"] == "neardup":
                count += processor["stats"]["count"]
                spent += processor["stats"]["time_in_millis"]
    return 1_000 * spent / max(count, 1)


def measured(url: str, documents: list[neardup.Document], rounds: int, names: list[str]) -> dict[str, Any]:
    """Seconds of each way in each round but the first, and the disk size of its documents in the last."""
    seconds: dict[str, list[float]] = {name: [] for name in names}
    busy: dict[str, list[float]] = {name: [] for name in names}
    signed: dict[str, list[float]] = {name: [] for name in names}
    disk: dict[str, dict[str, float]] = {}
    for number in range(rounds + 1):
        for at, name in enumerate(names):
            write, body, options = WAYS[name]
            with indices(url, f"cost{number}x{at}", body, **options) as cluster:
                begun, before = time.perf_counter(), processor_time(cluster)
                write(cluster, documents)
                cluster.request("POST", f"/{cluster.address.pattern}/_refresh")
                seconds[name].append(time.perf_counter() - begun)
                busy[name].append(processor_time(cluster) - before)
                signed[name].append(signing(cluster))
                if number == rounds:
                    disk[name] = on_disk(cluster)
            print(
                f"{number} {name}: {seconds[name][-1]:.2f} s, processor {busy[name][-1]:.2f} s, "
                f"signing {signed[name][-1]:.1f} us a document",
                file=sys.stderr,
                flush=True,
            )
    return {
        name: {
            "seconds": seconds[name][1:],
            "processor": busy[name][1:],
            "signing": signed[name][1:],
            "bytes": disk[name],
        }
        for name in names
    }


def tables(figures: dict[str, Any]) -> dict[str, str]:
    """The measured figures beside the demanded ones, and the disk by field."""
    ways = figures["ways"]
    middle = {name: statistics.median(way["seconds"]) for name, way in ways.items()}
    base, size = middle["bare"], ways["bare"]["bytes"]["store"]
    busy = {name: statistics.median(way["processor"]) for name, way in ways.items()}
    rows = [
        [
            name, f"{middle[name]:.2f}", f"{middle[name] / base:.2f}", f"{busy[name]:.2f}",
            f"{busy[name] / busy['bare']:.2f}", f"{statistics.median(way['signing']):.0f}",
            f"{way['bytes']['store']:.0f}", f"{way['bytes']['store'] / size:.2f}",
            " / ".join("" if limit is None else f"{limit}" for limit in LIMITS.get(name, (None, None))),
        ]
        for name, way in ways.items()
    ]  # fmt: skip
    header = [
        "way",
        "s",
        "times bare",
        "processor s",
        "times bare",
        "us signing",
        "bytes a document",
        "times bare",
        "demanded",
    ]
    fields = {
        name: ", ".join(f"{field} {size:.0f}" for field, size in way["bytes"].items() if size >= 1)
        for name, way in ways.items()
    }
    return {
        "cost": harness.table(header, rows),
        "fields": harness.table(["way", "bytes a document, by field"], list(fields.items())),
    }


def main(arguments: list[str] | None = None) -> None:
    """Measures and prints; writes cost.json."""
    parser = harness.options(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--url", help="a node that runs already; default: one is started")
    args = parser.parse_args(arguments)
    corpus = corpora.load(args.data, "passages20k", tiny=args.tiny)
    documents = documents_of(corpus, args.documents)
    rounds = 1 if args.tiny else args.rounds
    workshop = None if args.url else Workshop(tested=False)
    try:
        url = args.url or workshop.node("node", heap="3g").start().url  # type: ignore[union-attr]
        ways = measured(url, documents, rounds, args.ways)
    finally:
        if workshop is not None:
            workshop.close()
    path = harness.save(args, "cost", {"documents": len(documents), "ways": ways})
    harness.show(tables, path)


if __name__ == "__main__":
    main()
