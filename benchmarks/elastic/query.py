"""The query `neardup` inside Elasticsearch: is it exact, how fast beside Elasticsearch's own, what load can it take?

Question   1. In three corpora, does it find exactly what brute force finds, with the same scores: over one index and
           25, one shard and three, before and after deletes, changes and merges?
           2. What does it cost, by bitmaps and by terms, compared with a `bool` with `minimum_should_match` over all
           q-grams, which is lossless too, and with the best query possible without a plugin: a `bool` over the rare
           prefix, and lengths? Over 25 hourly indices and over one; as indexing leaves them, and merged.
           3. How does its time grow with documents in an index, and with the number of indices?
           4. What do queries that are too large or wrong do to the node?
           5. What do thousands of clauses in one search do to it, and hundreds of large filters that are worth caching?
Corpus     passages20k, wikiversions and manpages-multi (the last two for 1 only), all of them; for 5, 140,000 made-up
           texts of three words in one segment, queried by these texts and by 30,000 random letters.
Seed       20261121 for the queried documents, thresholds, deletes and changes.
Excluded   starting the node, setting up, indexing; in 2 and 3, making the bodies of the requests.
Fairness   Kinds of query alternate and ask about the same documents; only ratios within one run count.
Check      1 compares every id and score, as a float, with brute force (bruteforce.py); 2 counts the hits.
"""

from __future__ import annotations

import random
import statistics
import string
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import orjson
from testing.node.node import Workshop

import neardup
from benchmarks.elastic.bench_window import (
    FIRST_MS,
    HOURS,
    SEED,
    index_all,
    lossless,
    plain_actions,
    stream,
    window_of,
)
from benchmarks.elastic.query_bodies import Body, ask_id, ask_text, hits_of
from benchmarks.elastic.query_exact import exact
from benchmarks.lib import corpora, harness
from neardup.elastic.http.address import parse_address
from neardup.elastic.http.bulk import Action
from neardup.elastic.http.client import Cluster
from neardup.elastic.window import query_dsl as queries
from neardup.elastic.window.candidate_query import by_rarest
from neardup.errors import ClusterRejected
from neardup.index.search import Search
from neardup.model.settings import HOUR_MS, Settings, exact_threshold
from neardup.signing.signer import signer_for

if TYPE_CHECKING:
    import argparse

    from neardup.elastic.http.address import Address

SIZES = (1_000, 4_000, 12_000)
COUNTS = (1, 5, 10, 15, 20, 25)
CROWD, CLAUSES, FILTERS = 140_000, 4_000, 400


# 2 and 3. Fast


class Asker:
    """The kinds of query for copies of a text at 0.7, as bodies of requests."""

    def __init__(self) -> None:
        self._signer = signer_for(neardup.Recipe())
        self._search = Search(self._signer, Settings(retrieval="complete"))
        self._threshold = exact_threshold("0.7")
        self.ways: dict[str, Callable[[str], Body]] = {
            "neardup": ask_text, "terms": ask_text, "bool": self._bool, "prefix": self._prefix,
        }  # fmt: skip

    def _bool(self, text: str) -> Body:
        return lossless(self._signer.signature(text).qgrams)

    def _prefix(self, text: str) -> Body:
        signed = self._signer.sign([text.encode()])
        terms = by_rarest(self._signer, self._search, signed, self._threshold)
        return queries.all_of([terms, queries.lengths(int(signed.counts[0]), self._threshold)])


def search_ms(cluster: Cluster, target: str, bodies: Sequence[Body]) -> tuple[float, int]:
    """Milliseconds per search, one after another, and the number of hits."""
    begun, hits = time.perf_counter(), 0
    for body in bodies:
        answer = cluster.request(
            "POST", f"/{target}/_search",
            body={"query": body, "size": 100, "_source": False, "track_total_hits": False},
            params={"allow_partial_search_results": "false", "filter_path": "hits.hits._id"},
        )  # fmt: skip
        hits += len(answer.get("hits", {}).get("hits", ()))
    return 1_000 * (time.perf_counter() - begun) / len(bodies), hits


SCANNED, BY_TERMS = "bench-scanned", "bench-terms"
"""Windows of the same documents, with bitmaps of their q-grams and with terms."""
MOST_CLAUSES = 1 << 15
"""The clauses of a `bool`, for OpenSearch, which takes 1,024 by default: each q-gram is a clause."""


@contextmanager
def both_windows(url: str) -> Iterator[tuple[Cluster, Cluster]]:
    """Connections with both windows, each of which has its hours and no documents."""
    with (
        window_of(url, SCANNED, terms=False),
        window_of(url, BY_TERMS, terms=True),
        Cluster(parse_address(f"{url}/{SCANNED}"), timeout=600) as scanned,
        Cluster(parse_address(f"{url}/{BY_TERMS}"), timeout=600) as by_terms,
    ):
        if scanned.product != "opensearch":
            yield scanned, by_terms
            return
        name = "indices.query.bool.max_clause_count"
        scanned.request("PUT", "/_cluster/settings", body={"transient": {name: MOST_CLAUSES}})
        try:
            yield scanned, by_terms
        finally:
            scanned.request("PUT", "/_cluster/settings", body={"transient": {name: None}})


def merged(cluster: Cluster) -> None:
    """Every index of a window as one segment."""
    cluster.request("POST", f"/{cluster.address.pattern}/_forcemerge", params={"max_num_segments": 1})


def speed(url: str, args: argparse.Namespace) -> Iterator[Body]:
    """All kinds of query, over hourly indices and over one, as indexing leaves them and merged."""
    corpus = corpora.load(args.data, "passages20k", tiny=args.tiny)
    documents = stream(corpus)
    texts = [
        document.text for document in random.Random(SEED).sample(documents, min(args.timed, len(documents)))
    ]
    with both_windows(url) as clusters:
        for cluster in clusters:
            one = f"{cluster.address.prefix}-one"
            cluster.request("PUT", f"/{one}")
            actions = plain_actions(cluster.address.prefix, documents, url)
            index_all(cluster, actions)
            index_all(cluster, [action._replace(index=one) for action in actions])
        for state in ("as indexed", "merged"):
            for cluster in clusters:
                if state == "merged":
                    merged(cluster)
                cluster.request("POST", f"/{cluster.address.pattern}/_refresh")
            for number in range(args.rounds):
                for place, behind in (("25 indices", "-2*"), ("one index", "-one")):
                    yield {"state": state, "place": place, "round": number, **_ways(clusters, behind, texts)}


def _ways(
    clusters: tuple[Cluster, Cluster],
    behind: str,
    texts: Sequence[str],
    names: Sequence[str] = ("neardup", "terms", "bool", "prefix"),
) -> Body:
    """The kinds of query in `names`, in the indices of both windows named `behind` after their prefix (or several,
    with commas).
    """
    asker, row = Asker(), dict[str, Any](asked=len(texts))
    scanned, by_terms = clusters
    for way in names:
        cluster = scanned if way == "neardup" else by_terms
        target = ",".join(f"{cluster.address.prefix}{name}" for name in behind.split(","))
        bodies = [asker.ways[way](text) for text in texts]
        search_ms(cluster, target, bodies[:5])  # the JVM and the page cache know what is coming
        spent, row[f"{way}_hits"] = search_ms(cluster, target, bodies)
        row[f"{way}_ms"] = round(spent, 2)
    for way in names[1:]:
        row[f"of_{way}"] = round(row["neardup_ms"] / row[f"{way}_ms"], 4)
    return row


def growth(url: str, args: argparse.Namespace) -> Iterator[Body]:
    """Time against documents in one index, and against the number of indices of 958 documents."""
    corpus = corpora.load(args.data, "passages20k", tiny=args.tiny)
    documents, names = stream(corpus), ("neardup", "terms", "prefix")
    texts = [
        document.text for document in random.Random(SEED).sample(documents, min(args.timed, len(documents)))
    ]
    sizes = [*(size for size in SIZES if size < len(corpus)), len(corpus)]
    with both_windows(url) as clusters:
        for cluster in clusters:
            prefix = cluster.address.prefix
            actions = plain_actions(prefix, documents, url)
            index_all(cluster, actions)
            for size in sizes:
                cluster.request("PUT", f"/{prefix}-n{size}")
                index_all(cluster, [action._replace(index=f"{prefix}-n{size}") for action in actions[:size]])
            merged(cluster)
            cluster.request("POST", f"/{cluster.address.pattern}/_refresh")
        for size in sizes:
            row = _ways(clusters, f"-n{size}", texts, names)
            yield {"against": "documents", "indices": 1, "documents": size, **row}
        address = clusters[0].address
        hours = [
            address.hourly(FIRST_MS // HOUR_MS + hour).removeprefix(address.prefix) for hour in range(HOURS)
        ]
        for count in COUNTS:
            held = sum(hour <= hours[count - 1] for hour in (_hour_of(each, address) for each in documents))
            row = _ways(clusters, ",".join(hours[:count]), texts, names)
            yield {"against": "indices", "indices": count, "documents": held, **row}


def _hour_of(document: neardup.Document, address: Address) -> str:
    """The part after the prefix in the name of a document's hour."""
    return address.hourly(int(document.time) // HOUR_MS).removeprefix(address.prefix)  # type: ignore[arg-type]


# 4. Limits


def limits(url: str, args: argparse.Namespace) -> Iterator[Body]:
    """Which queries are refused and how; memory of the node before and after."""
    documents = stream(corpora.load(args.data, "passages20k", tiny=args.tiny).head(500))
    source = random.Random(SEED)
    wide = "".join(map(chr, source.choices(range(0x4E00, 0x9FA5), k=300_003)))
    megabyte = " ".join(source.choices("abcdefghijklmnopqrstuvwxyz", k=600_000))
    with (
        window_of(url, "bench-limits"),
        Cluster(parse_address(f"{url}/bench-limits"), timeout=600) as cluster,
    ):
        prefix = cluster.address.prefix
        index_all(cluster, plain_actions("bench-limits", documents, url))
        cluster.request(
            "PUT", f"/{prefix}.other", body={"mappings": {"properties": {"text": {"type": "text"}}}}
        )
        hour = cluster.address.hourly(FIRST_MS // HOUR_MS)
        fields = cluster.request("GET", f"/{hour}/_mapping")
        properties = next(iter(fields.values()))["mappings"]["properties"]
        cluster.request("PUT", f"/{prefix}.bare", body={"mappings": {"properties": properties}})
        index_all(cluster, [Action("create", f"{prefix}.bare", "1", {"text": "no signature"})])
        cluster.request("POST", f"/{prefix}*/_refresh")
        good = ask_text(documents[0].text)
        refused_queries: dict[str, tuple[str, Body]] = {
            "a text of 1.2 million characters": (f"{prefix}-*", ask_text(megabyte)),
            "300,000 distinct q-grams": (f"{prefix}-*", ask_text(wide)),
            "threshold 0": (f"{prefix}-*", ask_text("a", "0")),
            "threshold 1.5": (f"{prefix}-*", ask_text("a", "1.5")),
            "fields not mapped": (f"{prefix}.other", good),
            "an index without recipe": (f"{prefix}.bare", good),
            "a document that is not there": (f"{prefix}-*", ask_id(prefix, "nobody", "0.7")),
        }
        before = _memory(cluster)
        expected = hits_of(cluster, f"{prefix}-*", good)
        for what, (target, query) in refused_queries.items():
            refused = [_refusal(cluster, target, query) for _ in range(20)]
            statuses = sorted({status for status, _ in refused})
            yield {"asked": what, "times": len(refused), "statuses": statuses, "reason": refused[0][1]}
        unharmed = hits_of(cluster, f"{prefix}-*", good) == expected
        after = _memory(cluster)
        yield {"asked": "memory", "before": before, "after": after, "answers_as_before": unharmed}
        cluster.request("DELETE", f"/{prefix}.other,{prefix}.bare")


# 5. A crowd


def crowd(url: str, args: argparse.Namespace) -> Iterator[Body]:
    """Many queries at once, and many that are repeated; memory of the node before and after."""
    source = random.Random(SEED)
    documents, clauses, filters = (n // 100 if args.tiny else n for n in (CROWD, CLAUSES, FILTERS))

    def letters(count: int) -> str:
        return "".join(source.choices(string.ascii_lowercase, k=count))

    with window_of(url, "bench-crowd"), Cluster(parse_address(f"{url}/bench-crowd"), timeout=600) as cluster:
        hour = cluster.address.hourly(FIRST_MS // HOUR_MS)
        texts = [" ".join(letters(8) for _ in range(3)) for _ in range(documents)]
        index_all(cluster, [Action("create", hour, str(i), {"text": each}) for i, each in enumerate(texts)])
        cluster.request("POST", f"/{hour}/_forcemerge", params={"max_num_segments": 1})
        cluster.request("POST", f"/{hour}/_refresh")
        yield {"asked": "memory", "when": "before", **_memory(cluster)}
        any_of = {"bool": {"should": [ask_text(each) for each in texts[:clauses]]}}
        spent, hits = search_ms(cluster, hour, [any_of])
        yield {"asked": "clauses", "clauses": clauses, "ms": round(spent), "hits_of_100": hits}
        yield {"asked": "memory", "when": "after the clauses", **_memory(cluster)}
        bodies = [{"bool": {"filter": [ask_text(letters(30_000))]}} for _ in range(filters)]
        spent, _ = search_ms(cluster, hour, [body for body in bodies for _ in range(6)])
        yield {"asked": "filters", "filters": filters, "times": 6, "ms": round(spent, 1)}
        yield {"asked": "memory", "when": "after the filters", **_memory(cluster)}


def _refusal(cluster: Cluster, target: str, query: Body) -> tuple[int, str]:
    try:
        hits_of(cluster, target, query)
    except ClusterRejected as error:
        return error.status, error.reason
    return 200, "answered"


def _memory(cluster: Cluster) -> Body:
    """Heap in use after garbage collections, and what the circuit breakers hold and have refused."""
    stats = cluster.request("GET", "/_nodes/stats/jvm,breaker,indices")
    (node,) = stats["nodes"].values()
    breakers = {
        name: [breaker["estimated_size_in_bytes"], breaker["tripped"]]
        for name, breaker in node["breakers"].items() if name in ("request", "parent", "fielddata")
    }  # fmt: skip
    return {
        "old_generation_mb": node["jvm"]["mem"]["pools"]["old"]["used_in_bytes"] >> 20,
        "query_cache_mb": node["indices"]["query_cache"]["memory_size_in_bytes"] >> 20,
        "breakers_bytes_and_trips": breakers,
    }


_PARTS = {"exact": exact, "speed": speed, "growth": growth, "limits": limits, "crowd": crowd}


def main() -> None:
    """Runs the chosen parts and prints their rows."""
    parser = harness.options(__doc__)
    parser.add_argument("--parts", nargs="*", default=list(_PARTS), choices=_PARTS)
    parser.add_argument(
        "--asked", type=int, default=500, help="documents asked about in each layout of part exact"
    )
    parser.add_argument(
        "--timed", type=int, default=40, help="documents asked about in parts speed and growth"
    )
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--url", help="a node that runs already; default: one of its own")
    args = parser.parse_args()
    figures: dict[str, Any] = {}
    workshop = None if args.url else Workshop()
    try:
        url = args.url or workshop.node("bench", heap="2g").start().url  # type: ignore[union-attr]
        for part in args.parts:
            rows = []
            for row in _PARTS[part](url, args):
                print(f"{part}: {orjson.dumps(row).decode()}", file=sys.stderr, flush=True)
                rows.append(row)
            figures[part] = rows
    finally:
        if workshop is not None:
            workshop.close()
    if "exact" in figures:
        figures["mismatches"] = sum(row["mismatches"] for row in figures["exact"])
    for way in ("terms", "bool", "prefix"):
        for place in ("25 indices", "one index"):
            ratios = [row[f"of_{way}"] for row in figures.get("speed", ()) if row["place"] == place]
            if ratios:
                figures[f"of_{way}_median, {place}"] = statistics.median(ratios)
    print(orjson.dumps(figures, option=orjson.OPT_INDENT_2).decode())
    if "growth" in figures:
        from benchmarks.lib import chart

        chart.search_times(figures["growth"], harness.results_of(args) / "query.svg")
    print(harness.save(args, "query", figures))


if __name__ == "__main__":
    main()
