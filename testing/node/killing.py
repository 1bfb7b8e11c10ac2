"""Writers and nodes that are killed while documents are ingested, and checks of what must be there at the end.

`kill_writer` and `kill_node` do it a few times in the tests and 20 times each in benchmarks/elastic/kill.py.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.lib.corpora import SYLLABLES
from testing.window import writer
from testing.window.backends import START

from neardup.elastic.http.bulk import FEWEST_ACTIONS
from neardup.elastic.window.opening import open_elastic_window
from neardup.model.settings import HOUR_MS
from neardup.model.times import parse_time
from neardup.opening import open_window

if TYPE_CHECKING:
    from testing.node.node import Node

    from neardup.elastic.http.client import Cluster
    from neardup.model.verdict import Verdict

BATCH = 2 * FEWEST_ACTIONS
"""Enough documents to be written in two parallel requests."""
LONGEST_DELAY = 0.4
"""Maximum number of seconds from a verdict to the kill: a batch takes about a tenth of it."""
DEADLINE = 900
"""Seconds without output after which a writer counts as hung."""

Document = dict[str, Any]


class Outcome(NamedTuple):
    """The kills: how many, how many verdicts had been printed at each, and over how many documents."""

    kills: int
    documents: int
    told: list[int]


def stream(count: int, seed: int = 1) -> list[Document]:
    """Documents with their own fields over some hours, in no strict order; about every third is an edited copy."""
    numbers = random.Random(seed)
    words = ["".join(numbers.choices(SYLLABLES, k=numbers.randint(1, 4))) for _ in range(800)]
    texts: list[list[str]] = []
    found = []
    for i in range(count):
        text = numbers.choices(words, k=numbers.randint(8, 60))
        if texts and numbers.random() < 0.35:
            text = list(numbers.choice(texts))
            text[numbers.randrange(len(text))] = numbers.choice(words)
        texts.append(text)
        seconds = START + 3_600 * (6 * i // count) + numbers.randrange(7_200)
        fields = {"title": f"Number {i}", "more": {"rank": i % 7, "tags": ["a", "b"][: i % 3]}}
        found.append({"id": f"d{i}", "text": " ".join(text), "time": seconds, **fields})
    return found


def undisturbed(documents: Sequence[Document], settings: dict[str, Any]) -> list[Verdict]:
    """The verdicts of the embedded engine on the documents, in one run."""
    with open_window(None, **settings) as window:
        return list(window.ingest(documents))


class Writer:
    """A process that ingests `documents` into a window, from the first on; `verdicts` holds the verdicts so far."""

    def __init__(
        self, place: Path, documents: Sequence[Document], window: str, settings: dict[str, Any]
    ) -> None:
        file = place / "stream.jsonl"
        file.write_text("".join(json.dumps(document) + "\n" for document in documents))
        command = [sys.executable, writer.__file__, str(file), window, json.dumps(settings)]
        self.verdicts: list[dict[str, Any]] = []
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self._watchdog = threading.Timer(DEADLINE, self._process.kill)
        self._watchdog.daemon = True
        self._watchdog.start()

    def read(self, count: int) -> bool:
        """Waits until this many verdicts have been printed in all; False if the stream ended before."""
        assert self._process.stdout is not None
        while len(self.verdicts) < count:
            line = self._process.stdout.readline()
            if not line.endswith(b"\n"):
                return False
            self.verdicts.append(json.loads(line))
        return True

    def kill(self) -> None:
        """Kills the process; output that it had written by then is still read."""
        self._process.kill()
        self.read(sys.maxsize)
        self.wait()

    def wait(self) -> int:
        """Its exit code."""
        assert self._process.stdout is not None
        code = self._process.wait()
        self._process.stdout.close()
        self._watchdog.cancel()
        return code


def kill_writer(
    cluster: Cluster, place: Path, kills: int, documents: Sequence[Document], seed: int = 0, **settings: Any
) -> Outcome:
    """Ingests `documents` with this many writers that are killed, then one that is not; checks everything.

    Each is killed a moment after it printed a verdict that its predecessors had not printed.
    """
    numbers = random.Random(seed)
    settings = {"batch_documents": BATCH, **settings}
    expected = undisturbed(documents, settings)
    window, counts = str(cluster.address), list[int]()
    most = len(documents) // (kills + 1)
    for _ in range(kills):
        ingesting = Writer(place, documents, window, settings)
        known = max(counts, default=0)
        ingesting.read(min(known + numbers.randint(1, most), len(documents) - 1))
        time.sleep(numbers.random() * LONGEST_DELAY)
        ingesting.kill()
        check_verdicts(ingesting.verdicts, expected)
        counts.append(len(ingesting.verdicts))
    last = Writer(place, documents, window, settings)
    last.read(len(documents))
    assert last.wait() == 0
    assert last.verdicts == [verdict.to_dict() for verdict in expected]
    check(cluster, documents, expected, settings)
    return Outcome(kills, len(documents), counts)


def kill_node(
    node: Node,
    cluster: Cluster,
    place: Path,
    kills: int,
    documents: Sequence[Document],
    seed: int = 0,
    **settings: Any,
) -> Outcome:
    """Ingests `documents` with one writer while the node is killed and restarted this many times; checks everything."""
    numbers = random.Random(seed)
    settings = {"batch_documents": BATCH, **settings}
    expected = undisturbed(documents, settings)
    ingesting, counts = Writer(place, documents, str(cluster.address), settings), list[int]()
    most = len(documents) // (kills + 1)
    for _ in range(kills):
        assert ingesting.read(len(ingesting.verdicts) + numbers.randint(1, most)), "the stream is too short"
        time.sleep(numbers.random() * LONGEST_DELAY)
        node.kill()
        counts.append(len(ingesting.verdicts))
        node.start(wait=False)
    ingesting.read(len(documents))
    assert ingesting.wait() == 0
    assert ingesting.verdicts == [verdict.to_dict() for verdict in expected]
    check(cluster, documents, expected, settings)
    return Outcome(kills, len(documents), counts)


def check_verdicts(verdicts: Sequence[dict[str, Any]], expected: Sequence[Verdict]) -> None:
    """Every verdict is that of an undisturbed run."""
    assert verdicts == [verdict.to_dict() for verdict in expected[: len(verdicts)]]


def check(
    cluster: Cluster, documents: Sequence[Document], expected: Sequence[Verdict], settings: dict[str, Any]
) -> None:
    """Every document is in the cluster once, in the right index, whole, with the verdict of an undisturbed run; and the
    window, opened again, has all of them.
    """
    found = stored(cluster)
    assert sorted(id for _, id, _ in found) == sorted(document["id"] for document in documents)
    by_id = {id: (index, source) for index, id, source in found}
    for document, verdict in zip(documents, expected, strict=True):
        index, source = by_id[verdict.id]
        assert (index, as_stored(source)) == as_expected(cluster, document, verdict, settings), verdict.id
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials, **settings) as window:
        assert window.stats().documents == len(documents)
        assert list(window.ingest(documents)) == list(expected)
    assert stored(cluster) == found


def stored(cluster: Cluster) -> list[tuple[str, str, dict[str, Any]]]:
    """(index, id, source) of every document under the cluster's prefix."""
    target = cluster.address.pattern
    cluster.request("POST", f"/{target}/_refresh")
    body = {"size": 10_000, "query": {"match_all": {}}, "sort": ["_doc"]}
    answer = cluster.request(
        "POST", f"/{target}/_search", params={"allow_partial_search_results": "false"}, body=body
    )
    hits = answer["hits"]
    assert hits["total"] == {"value": len(hits["hits"]), "relation": "eq"}
    return sorted((hit["_index"], hit["_id"], hit["_source"]) for hit in hits["hits"])


VERDICT = ("status", "duplicate_of", "score", "shared", "group", "candidates", "truncated", "matches")


def as_stored(source: dict[str, Any]) -> dict[str, Any]:
    """A document without the fields that say when, by whom and how it was signed and scored."""
    ours = {name: value for name in VERDICT if (value := source["neardup"].get(name)) not in (None, [])}
    return {**source, "neardup": ours}


def as_expected(
    cluster: Cluster, document: Document, verdict: Verdict, settings: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """The index and the source that a document must have, by its verdict."""
    hour = parse_time(document["time"]) // HOUR_MS
    set_aside = settings.get("policy") == "route" and verdict.is_copy
    fields = verdict.to_dict()
    ours = {name: fields[name] for name in VERDICT if fields[name] not in (None, [])}
    source = {name: value for name, value in document.items() if name not in ("id", "time")}
    index = cluster.address.copies(hour) if set_aside else cluster.address.hourly(hour)
    return index, {**source, "@timestamp": verdict.time, "neardup": ours}


@contextmanager
def prefix_on(node: Node) -> Iterator[Cluster]:
    """A connection with its own prefix to a node that may be killed."""
    from testing.node.prefix import fresh_prefix

    with fresh_prefix(node.url, patience=120) as cluster:
        yield cluster
