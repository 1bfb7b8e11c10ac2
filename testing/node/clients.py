"""Actions of other clients on a window in a cluster, and `neardup` as a process beside them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from testing.cli.narrow_pipe import narrow
from testing.node import killing
from testing.node.killing import VERDICT, Document, stored
from testing.window.backends import START

from neardup.elastic.admin.setup import set_up
from neardup.elastic.http.bulk import Action, bulk
from neardup.elastic.watch.backlog import layout_at
from neardup.elastic.watch.watcher import Watcher
from neardup.elastic.window.opening import open_elastic_window
from neardup.elastic.window.state_recovery import describe
from neardup.model.settings import HOUR_MS, Settings
from neardup.model.times import format_time, parse_time
from neardup.opening import open_window

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster
    from neardup.model.verdict import Verdict

SECONDS = 120
"""How long a process may take for work that takes a second on an idle machine."""


def made(cluster: Cluster, **options: Any) -> Cluster:
    """The cluster, with its window set up."""
    settings = Settings(
        **{name: options.pop(name) for name in ("window_hours", "keep_hours") if name in options}
    )
    set_up(cluster, settings=settings, **options)
    describe(str(cluster.address), credentials=cluster.credentials)
    return cluster


def stream(count: int, hours: float = 2) -> list[Document]:
    """Documents of some hours, with their own fields, in no order; about every third is an edited copy."""
    return within(killing.stream(count), hours)


def within(documents: Sequence[Document], hours: float) -> list[Document]:
    """The documents with their times compressed into this number of hours."""
    first, last = (end(parse_time(each["time"]) for each in documents) for end in (min, max))
    scale = hours * HOUR_MS / (last - first + 1)
    return [
        {**each, "time": START + int((each["time"] * 1_000 - first) * scale) // 1_000} for each in documents
    ]


def bare(document: Document) -> dict[str, Any]:
    """A document as sent by a client that knows nothing of neardup."""
    rest = {name: value for name, value in document.items() if name not in ("id", "time")}
    return {**rest, "@timestamp": format_time(parse_time(document["time"]))}


def index_of(cluster: Cluster, document: Document) -> str:
    """The index of a document's hour."""
    return cluster.address.hourly(parse_time(document["time"]) // HOUR_MS)


def put(cluster: Cluster, documents: Iterable[Document]) -> None:
    """A plain bulk request of bare documents into the indices of their hours."""
    actions = [Action("index", index_of(cluster, each), each["id"], bare(each)) for each in documents]
    outcomes = bulk(cluster, actions)
    assert all(outcome.ok for outcome in outcomes), outcomes


def update(cluster: Cluster, document: Document, part: dict[str, Any]) -> None:
    """A plain bulk update of a part of a document."""
    (outcome,) = bulk(cluster, [Action("update", index_of(cluster, document), document["id"], part)])
    assert outcome.ok, outcome


def watching(
    cluster: Cluster, *, once: bool = True, patience: float = 60, batch: int | None = None, **options: Any
) -> Watcher:
    """The scorer that `neardup watch` makes."""
    settings = {"batch_documents": batch, "follows": [], **options.pop("settings", {})}
    return Watcher(
        lambda: open_elastic_window(
            str(cluster.address), credentials=cluster.credentials, patience=patience, **settings
        ),
        cluster,
        layout_at(cluster),
        once=once,
        **options,
    )


def watched(cluster: Cluster, **options: Any) -> list[Verdict]:
    """The verdicts on the backlog; nothing is rejected."""
    return list(watching(cluster, **options).verdicts(on_reject=unwanted))


def unwanted(reject: object) -> None:
    """Called for a reject where there must be none."""
    raise AssertionError(reject)


def in_order(documents: Iterable[Document]) -> list[Document]:
    """Documents by (time, id)."""
    return sorted(documents, key=lambda document: (parse_time(document["time"]), document["id"]))


def expected(documents: Iterable[Document], **settings: Any) -> list[Verdict]:
    """The verdicts of the embedded engine on documents in order of (time, id)."""
    with open_window(None, **settings) as window:
        return list(window.ingest(in_order(documents)))


def marks(cluster: Cluster) -> dict[str, dict[str, Any]]:
    """The verdict in every document, by `index/_id`; {} for a document without one."""
    return {
        f"{index}/{id}": {
            name: ours[name]
            for name in VERDICT
            if (ours := source.get("neardup") or {}).get(name) is not None
        }
        for index, id, source in stored(cluster)
    }


def check_marked(
    cluster: Cluster, documents: Sequence[Document], verdicts: Sequence[Verdict], *, but: Sequence[str] = ()
) -> None:
    """Every document is there as it was sent, signed, with its verdict except the fields in `but`, and nothing else."""
    found = {id: (index, source) for index, id, source in stored(cluster)}
    assert len(found) == len(stored(cluster)) == len(documents)
    by_id = {verdict.id: verdict.to_dict() for verdict in verdicts}
    for document in documents:
        index, source = found[document["id"]]
        ours = source.pop("neardup")
        assert (index, source) == (index_of(cluster, document), bare(document))
        verdict = by_id[document["id"]]
        told = {name: (ours.get(name) or None, verdict[name] or None) for name in VERDICT if name not in but}
        other = {name: pair for name, pair in told.items() if pair[0] != pair[1]}
        assert not other, f"{document['id']}: its mark, and the verdict expected: {other}; {ours}"
        assert ours["written_by"] == "watch"


class Neardup:
    """`neardup` as a separate process. Its output is collected as it arrives.

    `hold`: after this many verdicts, reading pauses until `read_on` or `end`, so that the process cannot finish
    before, however fast it is.
    """

    def __init__(self, cluster: Cluster, *words: object, place: Path, hold: int | None = None) -> None:
        own = cluster.credentials
        secrets = {"NEARDUP_API_KEY": own.api_key, "NEARDUP_CA_CERTS": own.ca_certs}
        secrets |= {"NEARDUP_USERNAME": own.username, "NEARDUP_PASSWORD": own.password}
        environment = {name: value for name, value in os.environ.items() if not name.startswith("NEARDUP_")}
        environment |= {name: value for name, value in secrets.items() if value is not None}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "neardup", *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env=environment,
            cwd=place,
        )
        assert self._process.stdout is not None
        narrow(self._process.stdout)
        self._out: list[bytes] = []
        self._err: list[bytes] = []
        self._read_on = threading.Event()
        self._readers = [
            threading.Thread(target=self._collect, args=each, daemon=True)
            for each in ((self._process.stdout, self._out, hold), (self._process.stderr, self._err, None))
        ]
        for reader in self._readers:
            reader.start()

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Whole lines of standard output so far, as JSON."""
        return [json.loads(line) for line in list(self._out) if line.endswith(b"\n")]

    @property
    def errors(self) -> str:
        """Its standard error so far."""
        return b"".join(list(self._err)).decode()

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def wait_for(self, condition: Callable[[Neardup], bool]) -> None:
        """Returns when `condition` holds."""
        until(lambda: condition(self) or not self.running, lambda: self.errors)
        assert condition(self), self.errors

    def read_on(self) -> None:
        """Reads all its output, whatever `hold` was."""
        self._read_on.set()

    def end(self, how: signal.Signals | None = None) -> int:
        """Its exit code, after a signal or when it is done."""
        if how is not None:
            self._process.send_signal(how)
        self.read_on()
        try:
            code = self._process.wait(SECONDS)
        finally:
            self._process.kill()
        for reader in self._readers:
            reader.join()
        return code

    def _collect(self, pipe: Any, lines: list[bytes], hold: int | None) -> None:
        with pipe:
            for line in pipe:
                lines.append(line)
                if len(lines) == hold:
                    self._read_on.wait()


@contextmanager
def neardup(cluster: Cluster, *words: object, place: Path, hold: int | None = None) -> Iterator[Neardup]:
    """A running process, which is ended at the latest at the end of the block."""
    process = Neardup(cluster, *words, place=place, hold=hold)
    try:
        yield process
    finally:
        if process.running:
            process.end(signal.SIGKILL)


def run(cluster: Cluster, *words: object, place: Path) -> Neardup:
    """A process that has ended successfully, or with rejects."""
    with neardup(cluster, *words, place=place) as process:
        code = process.end()
    assert code in (0, 1), process.errors
    return process


def until(condition: Callable[[], bool], what: Callable[[], object] = lambda: "waited too long") -> None:
    """Returns when `condition` holds."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, what()
        time.sleep(0.02)


def needs_processors(cluster: Cluster, *names: str) -> None:
    """Skips the test if a node lacks one of these ingest processors because its distribution lacks their module."""
    for node in cluster.request("GET", "/_nodes/ingest")["nodes"].values():
        if lacking := set(names) - {each["type"] for each in node["ingest"]["processors"]}:
            pytest.skip(f"no ingest processor {', '.join(sorted(lacking))} on the nodes")


def settings_of(cluster: Cluster, index: str) -> Mapping[str, Any]:
    """The settings of an index, flat."""
    (found,) = cluster.request("GET", f"/{index}/_settings", params={"flat_settings": "true"}).values()
    settings: Mapping[str, Any] = found["settings"]
    return settings
