"""In Elasticsearch: do both engines agree, what does a verdict cost compared with indexing, and where does time go?

Question   1. Are the verdicts of `neardup ingest` into 25 hourly indices those of the embedded engine, and how many of
           the pairs with doc_q >= 0.7 does it find, by `sketch` and by `complete`?
           2. What is its rate compared with that of the same node indexing the same documents, signed by its
           pipeline, without any scoring? Where does the time go?
           3. What does signing in the node cost compared with indexing the same fields made by the client beforehand?
           4. What does the sketch search cost compared with a lossless `bool` with `minimum_should_match` over all
           q-grams?
Corpus     passages20k.jsonl.gz, all of it, spread evenly over 25 hours.
Seed       20261121 for the queried documents; none for the streams.
Excluded   starting the node, setting up, making the hourly indices (all exist before the clock starts), loading
           kernels. In 3, encoding the client's fields. Node and client share this machine's cores.
Fairness   Runs alternate; every run has its own indices, deleted after it. Only ratios within one run count, because
           the machine is shared.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import orjson
from testing.node.node import Workshop

import neardup
from benchmarks.elastic.bench_window import SEED, index_all, lossless, plain_actions, stream, window_of
from benchmarks.lib import corpora, engine, harness
from neardup.elastic.http.address import parse_address
from neardup.elastic.http.client import Cluster
from neardup.elastic.window.candidate_query import CandidateQueries
from neardup.elastic.window.index_layout import ElasticContext, Layout
from neardup.elastic.window.state_document import scoring_lease
from neardup.model.settings import Settings, exact_threshold
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    from benchmarks.lib.corpora import Corpus

PARTS = ("verdicts", "rate", "signing", "search")


class Spent:
    """Seconds of requests by their purpose."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.requests: defaultdict[str, int] = defaultdict(int)

    def watch(self, cluster: Cluster) -> None:
        """Counts the requests of `cluster` from now on."""
        send = cluster.request

        def request(method: str, path: str, **rest: Any) -> Any:
            kind = path.rsplit("/", 1)[-1] if "/_doc/" not in path else "turn"
            begun = time.perf_counter()
            try:
                return send(method, path, **rest)
            finally:
                self.seconds[kind] += time.perf_counter() - begun
                self.requests[kind] += 1

        cluster.request = request  # type: ignore[method-assign]


def verdicts(url: str, corpus: Corpus, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Both engines on the same stream, level by level."""
    documents, whole = stream(corpus), corpora.load(args.data, corpus.name, tiny=args.tiny)
    pairs = corpora.at_least(corpora.true_pairs(args.data, whole, tiny=args.tiny), "0.7")
    wanted = {pair for pair in pairs if max(pair) < len(corpus)}
    places = {name: place for place, name in enumerate(corpus.ids)}
    for level in args.levels:
        with neardup.open(None, retrieval=level) as embedded:
            expected = list(embedded.ingest(documents))
        spent, run = Spent(), engine.Run()
        with window_of(url, f"bench-{level}", retrieval=level) as window:
            list(window.ingest(documents[:0]))
            spent.watch(window._session.store._cluster)  # type: ignore[attr-defined]  # noqa: SLF001 - where the time goes cannot be seen from outside
            clock = harness.Clock()
            received = list(window.ingest(documents))
            took = clock.took()
        engine.note(run, received, places)
        yield {
            "level": level, "documents": len(documents), "seconds": round(took.wall, 2),
            "client_cpu_seconds": round(took.cpu, 2), "documents_per_second": round(len(documents) / took.wall),
            "different_verdicts": sum(a != b for a, b in zip(received, expected, strict=True)),
            "pairs": len(wanted), "found": len(wanted & set(run.found)),
                        "recall": len(wanted & set(run.found)) / max(len(wanted), 1),
            "unscored": sum(v.status == "unscored" for v in received),
            "seconds_by_request": {kind: round(seconds, 2) for kind, seconds in spent.seconds.items()},
            "requests": dict(spent.requests),
        }  # fmt: skip


def rate(url: str, corpus: Corpus, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Ingest with verdicts against plain indexing through the same pipeline, in alternation."""
    documents = stream(corpus)
    for number in range(args.rounds):
        name = f"bench-plain-{number}"
        with window_of(url, name), Cluster(parse_address(f"{url}/{name}")) as cluster:
            plain = index_all(cluster, plain_actions(name, documents, url))
        with window_of(url, f"bench-ingest-{number}") as window:
            begun = time.perf_counter()
            verdicts_made = sum(1 for _ in window.ingest(documents))
            scored = time.perf_counter() - begun
        yield {
            "round": number, "documents": verdicts_made, "plain_per_second": round(len(documents) / plain),
            "ingest_per_second": round(verdicts_made / scored), "share": round(plain / scored, 3),
        }  # fmt: skip


def signing(url: str, corpus: Corpus, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Bare documents through the pipeline against the same documents with the client's fields, past the pipeline."""
    documents, maker = stream(corpus)[: args.signed], signer_for(neardup.Recipe())
    signed = [maker.signature(document.text).to_dict() for document in documents]
    for number in range(args.rounds):
        name = f"bench-signed-{number}"
        with window_of(url, name), Cluster(parse_address(f"{url}/{name}")) as cluster:
            in_node = index_all(cluster, plain_actions(name, documents, url))
        name = f"bench-client-{number}"
        with window_of(url, name), Cluster(parse_address(f"{url}/{name}")) as cluster:
            body = {"index": {"final_pipeline": "_none"}}
            cluster.request("PUT", f"/{cluster.address.pattern}/_settings", body=body)
            actions = []
            for action, own in zip(plain_actions(name, documents, url), signed, strict=True):
                assert isinstance(action.source, bytes)
                source = orjson.loads(action.source)
                actions.append(action._replace(source=orjson.dumps(source | {"neardup": own})))
            by_client = index_all(cluster, actions)
        yield {
            "round": number, "documents": len(documents), "in_node_seconds": round(in_node, 2),
            "by_client_seconds": round(by_client, 2), "ratio": round(in_node / by_client, 3),
        }  # fmt: skip


def search(url: str, corpus: Corpus, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The sketch search against a lossless `bool`, with the same queried documents, several per request."""
    documents = stream(corpus)
    with window_of(url, "bench-search", terms=True) as window:
        for _ in window.ingest(documents):
            pass
        yield from compare_searches(f"{url}/bench-search", documents, args)


def compare_searches(
    window: str, documents: Sequence[neardup.Document], args: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """One row per round: both ways of querying a window that holds `documents`."""
    address, threshold = parse_address(window), exact_threshold("0.7")
    with Cluster(address, timeout=600) as cluster:
        lease, maker = scoring_lease(cluster), signer_for(neardup.Recipe())
        content = lease.read()
        assert content is not None
        sample = random.Random(SEED).sample(list(documents), min(args.asked, len(documents)))
        texts = [document.text.encode() for document in sample]
        queries = CandidateQueries(
            ElasticContext(cluster, Layout.described(address, content.about, None), lease, maker, Settings()),
            content,
        )

        def by_sketch(text: bytes) -> dict[str, Any]:
            batch = queries.query_batch(text.decode())
            return queries.alike(batch, threshold, None, queries.by_keys(batch, threshold), frozenset())

        ways: dict[str, Callable[[bytes], dict[str, Any]]] = {
            "sketch": by_sketch,
            "bool": lambda text: lossless(maker.signature(text.decode()).qgrams),
        }
        cluster.request("POST", f"/{address.pattern}/_refresh")
        for number in range(args.rounds):
            found = {way: _search_all(cluster, [make(text) for text in texts]) for way, make in ways.items()}
            yield {
                "round": number, "asked": len(texts),
                **{f"{way}_ms": round(1_000 * seconds / len(texts), 2) for way, (seconds, _) in found.items()},
                **{f"{way}_hits": hits for way, (_, hits) in found.items()},
                "ratio": round(found["sketch"][0] / found["bool"][0], 3),
            }  # fmt: skip


def _search_all(cluster: Cluster, queries: Sequence[dict[str, Any]], each: int = 10) -> tuple[float, int]:
    """Seconds of all searches and how many hits they had; the bodies are made before the clock starts."""
    head: dict[str, Any] = {"index": cluster.address.pattern}
    lines = [
        [head, {"query": query, "size": 100, "_source": False, "track_total_hits": False}]
        for query in queries
    ]
    bodies = [
        b"".join(orjson.dumps(line) + b"\n" for pair in lines[at : at + each] for line in pair)
        for at in range(0, len(lines), each)
    ]
    begun, hits = time.perf_counter(), 0
    for body in bodies:
        answer = cluster.request(
            "POST", "/_msearch", body=body, params={"filter_path": "responses.hits.hits._id,responses.error"}
        )
        hits += sum(len(found.get("hits", {}).get("hits", ())) for found in answer.get("responses", ()))
    return time.perf_counter() - begun, hits


def main() -> None:
    """Runs the chosen parts and prints their tables."""
    parser = harness.options(__doc__)
    parser.add_argument("--parts", nargs="*", default=PARTS, choices=PARTS)
    parser.add_argument("--levels", nargs="*", default=("sketch", "complete"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--signed", type=int, default=6_000, help="documents of the signing part")
    parser.add_argument("--asked", type=int, default=200, help="documents of the search part")
    parser.add_argument("--documents", type=int, help="only so many of the corpus")
    parser.add_argument("--url", help="a node that runs already; default: one of its own")
    args = parser.parse_args()
    corpus = corpora.load(args.data, "passages20k", tiny=args.tiny)
    if args.documents:
        corpus = corpus.head(args.documents)
    measures = {"verdicts": verdicts, "rate": rate, "signing": signing, "search": search}
    figures: dict[str, Any] = {}
    workshop = None if args.url else Workshop()
    try:
        url = args.url or workshop.node("bench", heap="2g").start().url  # type: ignore[union-attr]
        with neardup.open(None) as warm:
            list(warm.ingest(stream(corpora.generated("warm", 40))))
        for part in args.parts:
            rows = []
            for row in measures[part](url, corpus, args):
                print(f"{part}: {orjson.dumps(row).decode()}", file=sys.stderr)
                rows.append(row)
            figures[part] = rows
            for name in ("share", "ratio"):
                if rows and name in rows[0]:
                    figures[f"{part}_{name}_median"] = statistics.median(row[name] for row in rows)
    finally:
        if workshop is not None:
            workshop.close()
    print(orjson.dumps(figures, option=orjson.OPT_INDENT_2).decode())
    print(harness.save(args, "cluster", figures))


if __name__ == "__main__":
    main()
