"""A run that goes on has figures for Prometheus."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("prometheus_client", reason="pip install 'neardup[serve]'")

from neardup.cli.metrics import metrics_at, parsed
from neardup.cli.sinks import Rejects
from neardup.cli.tally import Tally
from neardup.elastic.watch.backlog import Backlog
from neardup.errors import SettingsError
from neardup.model.clock import now_ms
from neardup.model.document import Reject
from neardup.model.verdict import Verdict


def figures_at(line):
    from prometheus_client.parser import text_string_to_metric_families

    with urllib.request.urlopen(line.split()[-1]) as answer:
        families = text_string_to_metric_families(answer.read().decode())
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
    }


def test_what_waits_is_told_with_how_long(capsys):
    tally, rejects = Tally(), Rejects(None)
    tally.backlog = Backlog(7, now_ms() - 90_000, 2, {"closed": "PUT closed"})
    tally.add(Verdict("a", "2026-11-21T06:00:00.000Z", "unique", None, None, None, "a", 3, False, (), 0))
    rejects.add(Reject("a", "no text"))
    answering = metrics_at("0", "watch")
    assert answering is not None
    with answering(tally, rejects):
        tally.spent("idle")
        told = figures_at(capsys.readouterr().err.splitlines()[-1])
    assert told["neardup_verdicts_total", "watch", "unique"] == 1
    assert told["neardup_candidates_total", "watch"] == 3
    assert told["neardup_truncated_total", "watch"] == 0
    assert (told["neardup_rejects_total",], told["neardup_waiting_documents",]) == (1, 7)
    assert told["neardup_blocked_documents",] == 2
    assert 90 <= told["neardup_lag_seconds",] < 150
    assert told["neardup_stage_seconds_total", "idle"] > 0


def test_a_stream_that_is_ingested_is_counted_while_it_runs(tmp_path):
    command = [
        sys.executable, "-m", "neardup", "ingest", "-", "--window", str(tmp_path / "window"), "--format", "quiet",
        "--metrics", "0",
    ]  # fmt: skip
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as run:
        assert run.stdin is not None
        assert run.stderr is not None
        said: list[str] = []
        for line in run.stderr:
            said.append(line)
            if "/metrics" in line:
                break
        assert "/metrics" in said[-1], said
        for id in ("a", "b"):
            run.stdin.write(
                f'{{"id": "{id}", "text": "The ferry ran aground off the western spit at dawn."}}\n'
            )
            run.stdin.flush()
        until = time.monotonic() + 60
        while (told := figures_at(line)).get(("neardup_verdicts_total", "ingest", "unique")) != 1:
            assert time.monotonic() < until
            time.sleep(0.05)
        run.stdin.close()
        rest = run.stderr.read()
    assert "neardup_waiting_documents" not in {name for name, *_ in told}
    assert "1 unique, 1 exact" in rest
    assert all(told["neardup_stage_seconds_total", stage] > 0 for stage in ("read", "score", "write"))


@pytest.mark.parametrize(
    "address", ["", "host:", "70000", "localhost:x", "١", pytest.param("9" * 5_000, id="5,000 digits")]
)
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(SettingsError, match=r"\[HOST:\]PORT"):
        parsed(address)


def test_a_port_that_is_taken_is_named_before_anything_is_made(run, stream):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = str(taken.getsockname()[1])
        done = run("ingest", stream, "--window", "new", "--metrics", address, "--output", "v.jsonl")
    assert (done.code, f"cannot listen on {address}" in done.err) == (2, True)
    assert "give another host or port" in done.err
    assert [*Path().iterdir()] == [stream]


def test_a_port_that_is_taken_meanwhile_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = str(taken.getsockname()[1])
    answering = metrics_at(address, "watch")
    assert answering is not None
    with (
        socket.create_server(("127.0.0.1", int(address))),
        pytest.raises(SettingsError, match="give another host or port"),
        answering(Tally(), Rejects(None)),
    ):
        pass


@pytest.mark.parametrize("host", ["..a", "192.0.2.1", "\udcff", "ä" * 64])
def test_a_host_that_cannot_be_is_named(host):
    why = f"--metrics: cannot listen on {host}:0 .+: give another host or port"
    with pytest.raises(SettingsError, match=why):
        metrics_at(f"{host}:0", "watch")
