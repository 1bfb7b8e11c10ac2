"""The requests of docs/query.md, as they stand there, to a window filled from the sample."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from testing.cli.invocation import invoke
from testing.node.servers import chosen

from neardup.elastic.window.opening import open_elastic_window
from neardup.errors import ClusterRejected

ROOT = Path(__file__).resolve().parents[2]
CONSOLE = re.compile(r"```console\n(\w+) (\S+)\n(.*?)```", re.DOTALL)
TEXT_REQUEST, RECENT, BY_SOURCE, COUNT, UNMARKED, UNREAD, STORIES, SEVERAL, WHY, MERGE = CONSOLE.findall(
    (ROOT / "docs/query.md").read_text("utf-8")
)
ASKED = "wire-0282"


@pytest.fixture(scope="module")
def sample() -> list[dict[str, Any]]:
    """Every document of the sample that can be read and has a text."""
    found = []
    for line in (ROOT / "examples/stream.jsonl").read_bytes().splitlines():
        with contextlib.suppress(orjson.JSONDecodeError):
            found.append(orjson.loads(line))
    return [document for document in found if document.get("text")]


def names(answer: dict[str, Any]) -> set[str]:
    assert answer["_shards"]["failed"] == 0
    return {hit["_id"] for hit in answer["hits"]["hits"]}


def test_every_request_of_the_page_does_what_it_says(cluster, sample):
    def asked(request: tuple[str, str, str]) -> Any:
        method, path, text = (part.replace("news", cluster.address.prefix) for part in request)
        body = text.encode() if path.endswith("_msearch") else orjson.loads(text) if text else None
        return cluster.request(method, f"/{path}", body=body)

    with open_elastic_window(str(cluster.address), credentials=cluster.credentials) as window:
        verdicts = list(window.ingest(sample))
        matches = {match.id for match in window.query(id=ASKED, matches=100).matches}
    cluster.request("POST", f"/{cluster.address.pattern}/_refresh")
    marked = {verdict.id for verdict in verdicts if verdict.is_copy}
    assert len(matches) == 2

    assert {"wire-0244", ASKED} <= names(asked(TEXT_REQUEST))
    assert names(asked(RECENT)) == set(), "the sample is older than six hours"
    buckets = asked(BY_SOURCE)["aggregations"]["by_source"]["buckets"]
    assert sum(bucket["doc_count"] for bucket in buckets) == len(matches)
    assert 0 < asked(COUNT)["count"] <= len(matches)
    unmarked, unread = names(asked(UNMARKED)), names(asked(UNREAD))
    assert unmarked
    assert not unmarked & marked
    assert unread
    assert not unread & matches
    stories = asked(STORIES)["hits"]["hits"]
    heads = [hit["fields"]["neardup.group"][0] for hit in stories]
    assert len(set(heads)) == len(heads)
    versions = [hit["inner_hits"]["versions"]["hits"]["total"]["value"] for hit in stories]
    assert max(versions) > 1
    assert [len(names(answer)) for answer in asked(SEVERAL)["responses"]] == [2, 2]
    if chosen().product == "opensearch" and chosen().version.startswith("2."):
        with pytest.raises(ClusterRejected, match="async actions are left"):  # docs/versions.md
            asked(WHY)
    else:
        explained = asked(WHY)
        assert explained["matched"]
        assert "shared q-grams" in str(explained["explanation"])
    merged = asked(MERGE)
    assert merged["_shards"]["failed"] == 0
    assert len(names(asked(SEVERAL)["responses"][0])) == 2


def test_the_requests_of_the_plugin_page_find_a_copy(cluster):
    """The pipeline, the index, then the search, with names of our own and a document between."""
    page = (ROOT / "plugin/README.md").read_text("utf-8")
    requests = re.findall(r"^    (PUT|GET) (\S+)\n((?:    .*\n)+)", page, re.MULTILINE)
    assert [path for _, path, _ in requests] == ["_ingest/pipeline/sign", "news", "news/_search"]
    pipeline, index = cluster.address.pipeline, cluster.address.hourly(0)

    def asked(method: str, path: str, text: str) -> Any:
        path, text = (part.replace("sign", pipeline).replace("news", index) for part in (path, text))
        return cluster.request(method, f"/{path}", body=orjson.loads(text.replace('"..."', '"Rain, now"')))

    for request in requests[:2]:
        asked(*request)
    cluster.request("PUT", f"/{index}/_doc/1", params={"refresh": "true"}, body={"text": "Rain now."})
    assert names(asked(*requests[2])) == {"1"}


def test_what_the_page_runs_takes_away_all_that_a_window_is(cluster, sample):
    """But for what windows share."""
    section = (ROOT / "docs/elasticsearch.md").read_text("utf-8").partition("### Taking a window away\n")[2]
    commands = re.findall(r"^    neardup (.*)$", section.partition("\n#")[0], re.MULTILINE)
    assert len(commands) == 2
    with open_elastic_window(str(cluster.address), credentials=cluster.credentials) as window:
        assert len(list(window.ingest(sample[:3]))) == 3
    prefix = cluster.address.prefix

    def left() -> list[str]:
        indices = f"_resolve/index/*{prefix}*?expand_wildcards=all"
        paths = indices, f"_index_template/*{prefix}*", f"_ingest/pipeline/*{prefix}*"
        found = [cluster.request("GET", f"/{path}", missing_ok=True) or {} for path in paths]
        named = [*found[0]["indices"], *found[1].get("index_templates", ())]
        return [one["name"] for one in named] + list(found[2])

    count = 6 if cluster.product == "opensearch" else 7
    for command, expected in zip(commands, (count, 0), strict=True):
        done = invoke(*command.replace("https://localhost:9200/news", str(cluster.address)).split())
        assert done.exit_code == 0, done.stderr
        assert len(left()) == expected


def test_a_search_without_a_field_leaves_out_the_verdicts_where_the_template_of_the_page_says_so(cluster):
    section = (ROOT / "docs/elasticsearch.md").read_text("utf-8").partition("## 4. Searching\n")[2]
    own, documents = cluster.address, [{"id": "a", "text": "A ferry ran aground."}]
    counts = []
    bodies: list[dict[str, Any]] = [
        {"template": {}},
        orjson.loads(section.partition("@custom\n")[2].splitlines()[0]),
    ]
    for body in bodies:
        cluster.request("PUT", f"/_component_template/{own.custom}", body=body)
        with open_elastic_window(str(own), credentials=cluster.credentials) as window:
            list(window.ingest(documents))
        cluster.request("POST", f"/{own.pattern}/_refresh")
        found = [
            cluster.request("GET", f"/{own.pattern}/_search", params={"q": word})["hits"]["total"]["value"]
            for word in ("unique", "ferry")
        ]
        counts.append(found)
        cluster.request("DELETE", f"/{','.join(sorted(cluster.request('GET', f'/{own.pattern}/_settings')))}")
        cluster.request("DELETE", f"/{own.state}")
    assert counts == [[1, 1], [0, 1]]
