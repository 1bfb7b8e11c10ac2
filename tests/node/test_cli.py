"""The command line on a URL says what it says on a directory."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path

import pytest
from testing.cli.invocation import invoke
from testing.cli.samples import FERRY, MILL, STREAM
from testing.node.killing import stored
from testing.node.servers import only_elasticsearch
from testing.window.proxy import Proxy, too_large

from neardup.cli.cluster import FIRST_PATIENCE
from neardup.elastic.http.api import put_doc
from neardup.elastic.window.state_document import read_state

FIELDS = {"title": "Number {}", "source": "wire", "page": {"lang": "en"}}


@pytest.fixture
def run(tmp_path, monkeypatch, credentials):
    """Runs a command in this process, in a directory of its own."""
    monkeypatch.chdir(tmp_path)
    for name in ("username", "password", "api_key", "ca_certs"):
        value = getattr(credentials, name)
        if value is not None:
            monkeypatch.setenv(f"NEARDUP_{name.upper()}", value)

    return invoke


@pytest.fixture
def both(run, address):
    """Runs a command on a directory and on a URL into which the same stream was read; the answers of the two."""
    Path("ids.txt").write_text("mill\nnobody\n")
    Path("s.jsonl").write_text("".join(json.dumps({**each, **FIELDS}) + "\n" for each in STREAM))

    def run_both(command, *words):
        return tuple(run(command, *words, "--window", window) for window in ("w", address))

    directory, url = run_both("ingest", "s.jsonl")
    assert (directory.exit_code, directory.stdout) == (url.exit_code, url.stdout)
    assert len(directory.stdout.splitlines()) == len(STREAM)
    return run_both


def lines(done):
    """Standard output, without what an engine is free to choose."""
    return re.sub(r'"(candidates|postings_keys|memory_bytes)":\d+', r'"\1":0', done.stdout)


def assert_alike(answers):
    directory, url = answers
    assert (url.exit_code, lines(url)) == (directory.exit_code, lines(directory))


def test_get_says_of_a_document_without_a_verdict_where_it_is_stored(run, cluster, address):
    """It was said never to have been stored."""
    assert run("setup", "--window", address).exit_code == 0
    hour = address.hourly(498681)
    now = "2026-11-21T09:00:00Z"
    put_doc(cluster, hour, "textless", {"@timestamp": now})
    assert run("watch", "--window", address, "--once").exit_code == 1
    put_doc(cluster, hour, "later", {"text": "Rain on the quay.", "@timestamp": now})
    done = run("get", "later", "textless", "nobody", "--window", address)
    assert done.exit_code == 1
    waits, unscored, missing = done.stderr.splitlines()
    assert f"document 'later' is stored in {hour}, and waits for its verdict (neardup watch " in waits
    assert (
        f"document 'textless' is stored in {hour}, and gets no verdict: no text: there is no field"
        in unscored
    )
    assert "no document 'nobody' in this window: it was never stored, was deleted or has expired" in missing


def test_every_command_says_the_same(both):
    assert_alike(both("query", "--text", FERRY))
    assert_alike(both("query", "--id", "ferry", "--threshold", "0.5"))
    assert_alike(both("query", "--text", MILL, "--format", "table"))
    assert_alike(both("query", "--id", "nobody"))
    assert_alike(both("groups"))
    assert_alike(both("groups", "--format", "table"))
    assert_alike(both("stats", "--format", "jsonl"))
    assert_alike(both("delete", "ferry", "nobody"))
    assert_alike(both("delete", "--ids-from", "ids.txt"))
    assert_alike(both("reconcile"))
    assert_alike(both("groups"))
    assert_alike(both("expire", "--now", "2026-11-20T07:30:00Z"))
    assert_alike(both("stats", "--format", "jsonl"))
    assert_alike(both("ingest", "s.jsonl", "--threshold", "1"))


def test_fields_of_a_record_are_kept_beside_the_text(both, cluster):
    found = {id: source for _, id, source in stored(cluster)}
    for document in STREAM:
        source = found[document["id"]]
        assert {name: source[name] for name in FIELDS} == FIELDS
        assert (source["text"], source["@timestamp"]) == (document["text"], document["time"])
        assert set(source) == {*FIELDS, "text", "@timestamp", "neardup"}


def test_columns_of_a_table_are_kept_but_for_empty_cells(run, address, cluster):
    Path("s.csv").write_text("id,text,time,title,rank\na,Rain,2026-11-21,T,\n")
    assert run("ingest", "s.csv", "--window", address).exit_code == 0
    ((_, _, source),) = stored(cluster)
    assert {name: source.get(name) for name in ("title", "rank", "text")} == {
        "title": "T",
        "rank": None,
        "text": "Rain",
    }


def test_a_document_that_elasticsearch_refuses_is_rejected_with_its_line(run, address):
    Path("s.jsonl").write_text(
        '{"id": "a", "text": "Rain.", "n": 1}\n{"id": "b", "text": "Snow.", "n": "one"}\n'
    )
    done = run("ingest", "s.jsonl", "--window", address)
    assert done.exit_code == 1
    assert "rejected s.jsonl:2: Elasticsearch refuses it" in done.stderr


@pytest.mark.parametrize(
    "name",
    [
        *(
            pytest.param(name, marks=only_elasticsearch("a refusal of such a field"))
            for name in ("_id", "_index", "_version", "_routing")
        ),
        "_source",
        "_seq_no",
        "_ignored",
    ],
)
def test_a_field_that_elasticsearch_keeps_for_itself_costs_only_its_record(run, address, cluster, name):
    bad = f'{{"id": "b", "text": "Snow.", "{name}": "v"}}\n'
    Path("s.jsonl").write_text('{"id": "a", "text": "Rain."}\n' + bad + '{"id": "c", "text": "Hail."}\n')
    done = run("ingest", "s.jsonl", "--window", address)
    assert done.exit_code == 1, done.stderr
    assert "rejected s.jsonl:2: Elasticsearch refuses it: " in done.stderr
    assert sorted(id for _, id, _ in stored(cluster)) == ["a", "c"]
    assert run("ingest", "s.jsonl", "--window", address).exit_code == 1


@only_elasticsearch("a refusal of such a field")
def test_a_refused_record_can_be_the_only_one_of_its_hour(run, address, cluster):
    """Its hour is not made then."""
    bad = '{"id": "b", "text": "Snow.", "_index": "v", "time": "2026-11-20T09:00:00Z"}\n'
    good = '{{"id": "{}", "text": "{}", "time": "2026-11-20T08:00:00Z"}}\n'
    Path("s.jsonl").write_text(good.format("a", "Rain.") + bad + good.format("c", "Hail."))
    done = run("ingest", "s.jsonl", "--window", address)
    assert done.exit_code == 1, done.stderr
    assert "rejected s.jsonl:2: Elasticsearch refuses it: " in done.stderr
    assert sorted(id for _, id, _ in stored(cluster)) == ["a", "c"]


def test_dotted_names_of_fields(run, address, cluster):
    Path("s.jsonl").write_text(
        '{"nr": 7, "page": {"body": "Rain.", "title": "T"}, "meta": {"at": "2026-11-21"}}\n'
    )
    names = ("--id-field", "nr", "--text-field", "page.body", "--time-field", "meta.at")
    assert run("ingest", "s.jsonl", "--window", address, *names).exit_code == 0
    ((_, id, source),) = stored(cluster)
    assert (id, source["page"], source["text"], source["@timestamp"]) == (
        "7",
        {"title": "T"},
        "Rain.",
        "2026-11-21T00:00:00Z",
    )


@pytest.mark.parametrize("own", ["published", "time"])
def test_files_are_read_by_the_fields_of_the_window(run, address, cluster, own):
    """Or a time of arrival would take the place of the document's own."""
    fields = ("--text-field", "page.body", "--time-field", "published", "--window-hours", "0")
    assert run("setup", "--window", address, *fields).exit_code == 0
    Path("s.jsonl").write_text(f'{{"id": "7", "page": {{"body": "Rain."}}, "{own}": "2026-11-21"}}\n')
    assert run("ingest", "s.jsonl", "--window", address).exit_code == 0
    ((index, _, source),) = stored(cluster)
    assert index.endswith("-2026.11.21-00")
    assert (source["page"], source["published"]) == ({"body": "Rain."}, "2026-11-21T00:00:00Z")
    (verdict,) = run("check", "s.jsonl", "--against", address).stdout.splitlines()
    assert json.loads(verdict)["duplicate_of"] == "7"


def test_check_rejects_a_text_that_is_too_large_for_a_search_and_goes_on(run, address, cluster):
    """It was the end of the run, which did not say which text it was."""
    texts = [FERRY, "Rain. " * 9_000, MILL]
    documents = [{"id": str(at), "text": text} for at, text in enumerate(texts)]
    Path("s.jsonl").write_text("".join(f"{json.dumps(document)}\n" for document in documents))
    complete = ("--retrieval", "complete")
    assert run("ingest", "s.jsonl", "--window", address, *complete).exit_code == 0
    with closing(Proxy(cluster.url)) as proxy:
        proxy.arm_where(too_large, lambda _, request: len(request.body or b"") > len(texts[1]))
        limited = f"{proxy.url}/{address.prefix}"
        done = run("check", "s.jsonl", "--against", limited, *complete, "--rejects", "r.jsonl")
    assert [json.loads(line)["duplicate_of"] for line in done.stdout.splitlines()] == ["0", "2"]
    (reject,) = map(json.loads, Path("r.jsonl").read_text().splitlines())
    assert (done.exit_code, reject["id"], reject["line"]) == (1, "1", 2)
    assert "its copies cannot be searched for" in reject["reason"]
    assert "http.max_content_length" in reject["reason"]


@pytest.mark.parametrize(
    "command", ["query --text x", "groups", "delete x", "expire", "reconcile", "stats", "watch"]
)
def test_a_window_that_is_not_there_is_not_made(run, address, cluster, command):
    done = run(*command.split(), "--window", address)
    assert done.exit_code == 3
    assert "no window is set up here" in done.stderr
    assert cluster.request("GET", f"/{address.state}", missing_ok=True) is None


def test_a_query_after_setup_finds_nothing_and_says_so(run, address):
    assert run("setup", "--window", address).exit_code == 0
    done = run("query", "--window", address, "--text", FERRY)
    assert (done.exit_code, json.loads(done.stdout)["status"]) == (0, "unique")


def test_setup_and_bare_documents_and_watch_are_a_round_trip(run, address, cluster):
    assert run("setup", "--window", address, "--text-field", "page.body").exit_code == 0
    for n in (1, 2):
        cluster.request(
            "PUT", f"/{address.hourly(498681)}/_doc/{n}",
            body={"page": {"body": FERRY}, "@timestamp": f"2026-11-21T09:0{n}:00Z"},
        )  # fmt: skip
    done = run("watch", "--window", address, "--once", "--no-rollover")
    assert [json.loads(line)["status"] for line in done.stdout.splitlines()] == ["unique", "exact"]
    assert "2 wait, the oldest of" in done.stderr
    assert "2 documents in" in done.stderr
    assert json.loads(run("groups", "--window", address).stdout)["head"] == "1"


def test_a_window_that_takes_no_documents_refuses_files_before_their_records(run, address, cluster):
    """Each record without the window's text field was rejected, and nothing said why."""
    index = f"{address.prefix}x1"
    try:
        cluster.request("PUT", f"/{index}", body={"aliases": {f"{address.prefix}x": {}}})
        cluster.request("PUT", f"/{index}/_doc/1", params={"refresh": "true"}, body={"body": FERRY})
        names = ("--in-place", "--text-field", "body")
        assert run("ingest", "--from-index", f"{address.prefix}x", *names, "--window", address).exit_code == 0
        Path("s.jsonl").write_text('{"id": "a", "text": "Rain."}\n')
        done = run("ingest", "s.jsonl", "--window", address)
        assert done.exit_code == 2
        assert "it must be a window that takes documents" in done.stderr
        assert "rejected" not in done.stderr
        check = ("check", "s.jsonl", "--against", address)  # by the window's field, unless one is named
        assert (run(*check).exit_code, run(*check, "--text-field", "text").exit_code) == (1, 0)
    finally:
        cluster.request("DELETE", f"/{index}", missing_ok=True)


def test_nobody_there_is_told_soon(run, monkeypatch):
    monkeypatch.setattr("neardup.cli.cluster.FIRST_PATIENCE", 0.0)
    assert FIRST_PATIENCE <= 10
    for command in (["stats"], ["watch"], ["ingest", "--from-index", "x"]):
        done = run(*command, "--window", "http://127.0.0.1:1/news")
        assert done.exit_code == 3
        assert "http://127.0.0.1:1 cannot be used" in done.stderr


def test_files_into_a_new_window_are_compared_whole(run, address, monkeypatch):
    Path("s.jsonl").write_text("".join(json.dumps(each) + "\n" for each in STREAM))
    with monkeypatch.context() as small:
        small.setattr("neardup.elastic.reindex.capacity._hours_left", lambda _: 2)
        done = run("ingest", "s.jsonl", "--window", address)
    assert (done.exit_code, done.stdout) == (2, "")
    assert (
        "files with documents in 3 hours: each hour becomes an index, and the cluster has room for 2 more"
        in done.stderr
    )
    assert "--window-hours 24 keeps the last hours only, a directory as --window keeps all" in done.stderr
    done = run("ingest", "s.jsonl", "--window", address)
    assert (done.exit_code, "no limit of hours: all documents of the files are compared" in done.stderr) == (
        0,
        True,
    )
    assert json.loads(run("stats", "--window", address, "--format", "jsonl").stdout)["window_hours"] == 0


def test_what_expires_is_tried_out_counted_and_asked_for(both):
    hours = ("--window-hours", "1", "--now", "2026-11-19T09:00:00Z")
    for words in ((*hours, "--dry-run"), hours, (*hours, "--force"), ("--newest", "2026-11-19T07:00:00Z")):
        directory, url = both("expire", *words)
        assert (url.exit_code, url.stdout, url.stderr) == (
            directory.exit_code,
            directory.stdout,
            directory.stderr,
        )
    assert_alike(both("stats", "--format", "jsonl"))


def test_a_new_window_is_told(run, address, new_cluster):
    """A name with a typing error made templates, a pipeline and indices, in silence."""
    Path("s.jsonl").write_text("".join(json.dumps(each) + "\n" for each in STREAM))
    for own, options, told in (
        (address, [], "is a new window\n"),
        (
            new_cluster().address,
            ["--window-hours", "24"],
            "is a new window, of 24 hours (--window-hours 0 for",
        ),
    ):
        first, second = (run("ingest", "s.jsonl", "--window", own, *options) for _ in range(2))
        assert f"neardup: {own} {told}" in first.stderr
        assert "is a new window" not in second.stderr


@pytest.mark.parametrize("options", [[], ["--candidates", "search"]])
def test_files_of_which_nothing_can_be_used_make_no_window(run, cluster, address, options):
    Path("bad.jsonl").write_text(json.dumps({"text": FERRY, "time": "the day before yesterday"}) + "\n")
    done = run("ingest", "bad.jsonl", "--window", address, *options)
    assert (done.exit_code, "is a new window" in done.stderr) == (1, False)
    assert "neardup: no window is made: nothing that was read can be used\n" in done.stderr
    assert read_state(cluster) is None
    templates = cluster.request("GET", "/_index_template")["index_templates"]
    names = [each["name"] for each in templates]
    assert not [name for name in names if name.startswith(cluster.address.prefix)]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--window-hours", "0"], "is a new window, without a limit of hours\n"),
        (["--in-place"], "is a new window, which scores {} in place\n"),
    ],
)
def test_a_new_window_of_an_index_is_told(run, cluster, new_cluster, options, told):
    there = f"{cluster.address.prefix}-archive"
    put_doc(cluster, there, "a", {"text": FERRY, "at": "2020-09-13T12:00:00Z"})
    cluster.request("POST", f"/{there}/_refresh")
    own = new_cluster().address
    words = ["ingest", "--from-index", there, "--time-field", "at", "--window", own, *options]
    first, second = (run(*words) for _ in range(2))
    assert f"neardup: {own} {told.format(there)}" in first.stderr
    assert "is a new window" not in second.stderr
