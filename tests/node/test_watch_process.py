"""`neardup watch` and `ingest --from-index` as processes: killed, doubled, interrupted, left without a cluster."""

from __future__ import annotations

import json
import random
import signal
import threading
import time
from contextlib import ExitStack

import pytest
from testing.node.clients import (
    check_marked,
    expected,
    in_order,
    made,
    marks,
    neardup,
    put,
    run,
    stream,
    until,
    unwanted,
    watching,
)
from testing.node.killing import stored
from testing.node.prefix import fresh_prefix
from testing.window.backends import START
from tests.node.test_from_index import archived, fill

from neardup.elastic.http.bulk import Action, bulk
from neardup.model.times import parse_time

FIELDS = ("--id-field", "_id", "--text-field", "page.body", "--time-field", "published")


def test_partial_copies_are_marked_where_wanted(cluster, tmp_path):
    quoted = (
        "Councillors postponed the costly harbour scheme after engineers found flooded mine workings."
        " Opposition members walked out before clerks counted every disputed ballot paper."
    )
    others = (
        "Beekeepers praised this summer's heather honey. Choirs rehearsed carols in draughty village halls. "
    )
    texts = {"whole": quoted, "quoting": f"{others}{quoted} {others.upper()}"}
    made(cluster)
    put(cluster, [
        {"id": name, "text": text, "time": START + place} for place, (name, text) in enumerate(texts.items())
    ])  # fmt: skip
    told = run(cluster, "watch", "--window", cluster.address, "--once", "--partial", place=tmp_path).lines
    assert [verdict["status"] for verdict in told] == ["unique", "partial"]
    assert [part["id"] for part in told[1]["partial"]] == ["whole"]


@pytest.mark.slow
def test_killed_it_goes_on_where_it_was(cluster, tmp_path):
    documents, numbers = in_order(stream(240)), random.Random(3)
    made(cluster)
    wanted = [verdict.to_dict() for verdict in expected(documents)]
    told = []
    for start in range(0, len(documents), 80):
        put(cluster, documents[start : start + 80])
        with watch(cluster, tmp_path, "--batch-documents", 16) as process:
            wait_for_lines(process, numbers.randint(1, 50))
            time.sleep(numbers.random() * 0.1)
            assert process.end(signal.SIGKILL) == -signal.SIGKILL
        told += process.lines
        # A verdict may be in its document and not yet told: the next run does not tell it either.
        assert_in_order(told, wanted)
    last = run(cluster, "watch", "--window", cluster.address, "--once", place=tmp_path)
    assert_in_order(told + last.lines, wanted)
    check_marked(cluster, documents, expected(documents))


@pytest.mark.slow
def test_two_give_every_document_one_verdict_and_the_second_takes_over(cluster, tmp_path):
    documents = stream(240)
    made(cluster)
    put(cluster, documents)
    wanted = [verdict.to_dict() for verdict in expected(documents)]
    with (
        watch(cluster, tmp_path, "--batch-documents", 8, hold=24) as first,
        # Whichever is first must not be done with all in one batch.
        watch(cluster, tmp_path, "--batch-documents", 8, "--poll", 0.2, hold=24) as second,
    ):
        until(lambda: len(first.lines) + len(second.lines) >= 24)
        until(lambda: "standing by" in first.errors + second.errors)
        worker, other = (second, first) if "standing by" in first.errors else (first, second)
        worker.end(signal.SIGKILL)
        other.read_on()
        other.wait_for(lambda each: bool(each.lines))
        until(lambda: sum(map(bool, marks(cluster).values())) == len(documents))
        assert other.end(signal.SIGTERM) == 143
    assert "starting to score" in other.errors
    assert_in_order(worker.lines + other.lines, wanted)
    check_marked(cluster, documents, expected(documents))


@pytest.mark.slow
@pytest.mark.parametrize(("scorers", "killed"), [(2, 0), (2, 1), (4, 2)])
def test_scorers_without_a_window_share_the_work_and_what_one_leaves_another_does(
    cluster, tmp_path, scorers, killed
):
    documents, numbers = stream(160 * scorers), random.Random(killed)
    made(cluster)
    put(cluster, documents)
    words = ("--candidates", "search", "--batch-documents", 16, "--poll", 0.2, "--once")
    with ExitStack() as stack:
        processes = [stack.enter_context(watch(cluster, tmp_path, *words)) for _ in range(scorers)]
        for process in processes[:killed]:
            wait_for_lines(process, numbers.randint(1, 40))
            assert process.end(signal.SIGKILL) == -signal.SIGKILL
        for process in processes[killed:]:
            assert process.end() == 0
    for process in processes:
        assert "standing by" not in process.errors
        assert process.lines
    check_marked(cluster, documents, expected(documents))


def wait_for_lines(process, least):
    process.wait_for(lambda each: len(each.lines) >= least)


def assert_in_order(told, wanted):
    """Everything told is of `wanted`, in its order, and nothing is told twice."""
    places = [wanted.index(verdict) for verdict in told]
    assert places == sorted(set(places))


def watch(cluster, place, *words, hold=None):
    return neardup(cluster, "watch", "--window", cluster.address, *words, place=place, hold=hold)


def test_it_scores_what_comes_until_it_is_told_to_end(cluster, tmp_path):
    documents = in_order(stream(60))
    made(cluster)
    with watch(cluster, tmp_path, "--poll", 0.2, "--report", 0.2, "--output", "v.jsonl") as process:
        for part in (documents[:20], documents[20:]):
            put(cluster, part)
            until(lambda: all(marks(cluster).values()), lambda: process.errors)
        process.wait_for(lambda each: "60 documents scored; none waits" in each.errors)
        assert process.end(signal.SIGINT) == 130
    assert (tmp_path / "v.jsonl").read_bytes().count(b"\n") == 60
    assert process.lines == []
    assert "60 documents in" in process.errors
    assert "Traceback" not in process.errors
    check_marked(cluster, documents, expected(documents))


def test_it_rolls_over_unless_told_not_to(cluster, tmp_path):
    made(cluster)
    alias = f"/_alias/{cluster.address.alias}"
    run(cluster, "watch", "--window", cluster.address, "--once", "--no-rollover", place=tmp_path)
    assert cluster.request("GET", alias, missing_ok=True) is None
    run(cluster, "watch", "--window", cluster.address, "--once", place=tmp_path)
    written = [
        name
        for name, index in cluster.request("GET", alias).items()
        if index["aliases"][cluster.address.alias].get("is_write_index")
    ]
    assert written in ([cluster.address.hourly(int(time.time()) // 3_600 - late)] for late in (0, 1))


def test_what_cannot_be_scored_is_told_and_the_exit_code_says_so(cluster, tmp_path):
    made(cluster, sign="client")
    put(cluster, [{"id": "a", "text": ["two", "texts"], "time": 0}])
    done = run(
        cluster, "watch", "--window", cluster.address, "--once", "--rejects", "r.jsonl", place=tmp_path
    )
    assert "1 rejected (see r.jsonl)" in done.errors
    assert "not a string" in (tmp_path / "r.jsonl").read_text()
    assert done.end() == 1


@pytest.mark.slow
def test_a_cluster_that_goes_away_is_waited_for(own_node):
    with fresh_prefix(own_node.url, patience=1) as cluster:
        documents = in_order(stream(120))
        made(cluster)
        put(cluster, documents[:60])
        verdicts, ended = [], threading.Event()

        def work():
            watch = watching(cluster, once=False, patience=1, poll=0.2, batch=8)
            for verdict in watch.verdicts(on_reject=unwanted):
                verdicts.append(verdict)
                if len(verdicts) == len(documents):
                    break
            ended.set()

        thread = threading.Thread(target=work)
        thread.start()
        until(lambda: len(verdicts) > 8)
        own_node.kill()
        own_node.start()
        put(cluster, documents[60:])
        assert ended.wait(120)
        thread.join()
        # A batch whose end the kill left open may have counted without having been told.
        told = [verdict.id for verdict in verdicts]
        assert told == sorted(set(told), key=[each["id"] for each in documents].index)
        check_marked(cluster, documents, expected(documents))


class TestFromIndex:
    @pytest.mark.slow
    def test_a_copy_that_was_killed_goes_on_and_changes_nothing_twice(self, cluster, tmp_path):
        documents, archive = in_order(stream(300)), f"{cluster.address.prefix}-archive"
        fill(cluster, archive, {each["id"]: archived(each) for each in documents})
        words = ("ingest", "--from-index", archive, "--window", cluster.address, "--window-hours", 0, *FIELDS)
        wanted = [verdict.to_dict() for verdict in expected(documents, window_hours=0)]
        told = []
        for least in (40, 120):
            with neardup(cluster, *words, "--batch-documents", 16, place=tmp_path, hold=least) as process:
                wait_for_lines(process, least)
                assert process.end(signal.SIGKILL) == -signal.SIGKILL
            told.append(process.lines)
        assert all(verdict in wanted for lines in told for verdict in lines)
        last = run(cluster, *words, "--rejects", "r.jsonl", place=tmp_path)
        assert "continuing where the last run stopped, at 2020-09-13T" in last.errors
        assert last.lines == wanted[-len(last.lines) :]
        assert len(last.lines) < len(documents), "it began at the checkpoint"
        copies = {id: source for index, id, source in stored(cluster) if index != archive}
        assert len(copies) == len(documents)
        assert {id: source["neardup"]["status"] for id, source in copies.items()} == {
            verdict["id"]: verdict["status"] for verdict in wanted
        }
        again = run(cluster, *words, place=tmp_path)
        assert "going on" not in again.errors, "a reading that was completed begins at the beginning"
        assert again.lines == wanted

    @pytest.mark.slow
    def test_one_in_place_goes_on_after_a_kill(self, cluster, new_cluster, tmp_path):
        documents, archive = in_order(stream(240)), f"{cluster.address.prefix}-archive"
        window = new_cluster().address
        fill(cluster, archive, {each["id"]: archived(each) for each in documents})
        words = ("ingest", "--from-index", archive, "--in-place", "--window", window, *FIELDS)
        wanted = [verdict.to_dict() for verdict in expected(documents, window_hours=0)]
        with neardup(cluster, *words, "--batch-documents", 16, place=tmp_path, hold=40) as process:
            wait_for_lines(process, 40)
            assert process.end(signal.SIGKILL) == -signal.SIGKILL
        last = run(cluster, *words, place=tmp_path)
        assert_in_order(process.lines + last.lines, wanted)
        assert len(last.lines) < len(documents)
        found = {id: source["neardup"] for index, id, source in stored(cluster) if index == archive}
        assert {id: (ours["status"], ours.get("duplicate_of")) for id, ours in found.items()} == {
            verdict["id"]: (verdict["status"], verdict["duplicate_of"]) for verdict in wanted
        }

    def test_there_is_no_rollover_of_one_in_place(self, cluster, new_cluster, tmp_path):
        archive, window = f"{cluster.address.prefix}-archive", new_cluster().address
        fill(cluster, archive, {each["id"]: archived(each) for each in stream(4)})
        words = ("ingest", "--from-index", archive, "--in-place", "--window", window, *FIELDS)
        run(cluster, *words, place=tmp_path)
        with neardup(cluster, "rollover", "--window", window, place=tmp_path) as done:
            assert done.end() == 2
        assert f"this one scores {archive} in place" in done.errors
        assert cluster.request("GET", f"/_alias/{window.alias}", missing_ok=True) is None, "nothing is made"

    def test_an_archive_is_not_thrown_away_by_mistake(self, cluster, tmp_path):
        archive = f"{cluster.address.prefix}-archive"
        documents = [{**each, "time": each["time"] + 200_000 * (i % 2)} for i, each in enumerate(stream(4))]
        fill(cluster, archive, {each["id"]: archived(each) for each in documents})
        with neardup(
            cluster, "ingest", "--from-index", archive, "--window", cluster.address, *FIELDS, place=tmp_path
        ) as process:
            assert process.end() == 2
        assert "--window-hours 0 keeps and compares all" in process.errors
        assert cluster.request("GET", f"/{cluster.address.state}", missing_ok=True) is None, "nothing is made"

    def test_rejects_name_index_and_id(self, cluster, tmp_path):
        archive = f"{cluster.address.prefix}-archive"
        fill(cluster, archive, {"a": {"published": "2026-11-21"}, "b": {"page": {"body": "Rain."}}})
        words = ("--from-index", archive, "--window", cluster.address, *FIELDS)
        done = run(cluster, "ingest", *words, place=tmp_path)
        assert done.end() == 1
        assert f"rejected {archive}/a: no text" in done.errors
        assert f"rejected {archive}/b: no time" in done.errors


def test_a_bare_client_and_ingest_can_write_beside_each_other(cluster, tmp_path):
    documents = in_order(stream(60))
    made(cluster)
    put(cluster, documents[::2])
    lines = tmp_path / "s.jsonl"
    lines.write_text("".join(json.dumps(each) + "\n" for each in documents[1::2]))
    with watch(cluster, tmp_path, "--poll", 0.1) as watching_it:
        done = run(cluster, "ingest", lines, "--window", cluster.address, place=tmp_path)
        until(lambda: all(marks(cluster).values()), lambda: watching_it.errors)
        watching_it.end(signal.SIGTERM)
    assert len(done.lines) == 30
    found = {id: source["neardup"] for _, id, source in stored(cluster)}
    assert len(found) == len(documents)
    assert sorted(ours["written_by"] for ours in found.values()) == ["ingest"] * 30 + ["watch"] * 30
    assert len({ours["order"] for ours in found.values()}) == len(documents)


def test_a_document_without_hour_index_is_no_concern(cluster, tmp_path):
    made(cluster)
    stray = f"{cluster.address.prefix}-stray"
    bulk(cluster, [Action("index", stray, "a", {"text": "Rain.", "@timestamp": parse_time(0)})])
    done = run(cluster, "watch", "--window", cluster.address, "--once", place=tmp_path)
    assert done.lines == []
