"""A window over HTTP: what programs ask, what people see, and what neither may do."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from html.parser import HTMLParser
from typing import Any, Literal, cast
from urllib.parse import quote, quote_plus

import pytest

pytest.importorskip("fastapi", reason="neardup serve is not installed (pip install 'neardup[serve]')")

from pathlib import Path

from fastapi.testclient import TestClient
from testing.window.backends import grams

import neardup
import neardup.kinds
from neardup.cli.serving import limits_for
from neardup.errors import DocumentError, NeardupError, SettingsError
from neardup.opening import open_window
from neardup.serving import answers
from neardup.serving.application import create_application
from neardup.serving.differences import MOST_SHOWN
from neardup.serving.guard import SECURITY_HEADERS, Limits
from neardup.serving.judged import JudgedPairs
from neardup.serving.metrics import Metrics
from neardup.serving.questions import Questions

HOSTILE = "<script>alert(1)</script> \u202etxet\u202c \x1b[2J\x9b & \"quoted\" 'too' " + grams(0, 120)
STREAM = [
    {
        "id": "a",
        "text": grams(0, 120),
        "time": "2026-11-21T06:00Z",
        "title": "First <b>title</b>",
        "source": "wire",
    },
    {"id": "b", "text": grams(0, 121), "time": "2026-11-21T07:00Z", "source": "paper"},
    {"id": "c", "text": grams(0, 120), "time": "2026-11-21T08:00Z"},
    {"id": "d", "text": grams(500, 540), "time": "2026-11-21T08:30Z"},
    {"id": "<img src=x onerror=alert(1)>", "text": HOSTILE, "time": "2026-11-21T09:00Z"},
]
FORM = "application/x-www-form-urlencoded"
HTML = {"accept": "text/html"}
NO_RATE = Limits(rate=0)
DOCUMENT_E = {"id": "e", "text": grams(0, 120), "time": "2026-11-21T09:30Z"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "window"
    with open_window(path) as window:
        assert len(list(window.ingest(STREAM))) == len(STREAM)
    return path


@pytest.fixture
def judged(tmp_path):
    return JudgedPairs(tmp_path / "judged.tsv")


@pytest.fixture
def serve(path, judged):
    """Makes clients; `readonly=False` lets them ingest."""
    opened = []

    def make(*, readonly: bool = True, limits: Limits = NO_RATE, judging: bool = True) -> TestClient:
        window = open_window(path, readonly=readonly)
        opened.append(window)
        questions = Questions(window, "news.window", ingests=not readonly)
        application = create_application(questions, limits=limits, judged=judged if judging else None)
        return TestClient(application, base_url="http://localhost", raise_server_exceptions=False)

    yield make
    for window in opened:
        window.close()


@pytest.fixture
def client(serve):
    return serve()


# -- programs --


def test_it_answers_as_the_window_does(client, path):
    with open_window(path, readonly=True) as window:
        asked = window.query(grams(0, 120), threshold=0.5)
        assert client.post("/api/check", json={"text": grams(0, 120), "threshold": 0.5}).json() == full(asked)
        assert client.get("/api/query", params={"id": "b"}).json() == full(window.query(id="b"))
        (read,) = window.read(["b"])
        assert read is not None
        assert client.get("/api/document", params={"id": "b"}).json() == {
            **read.to_dict(), "verdict": full(read.verdict),
        }  # fmt: skip
        groups = [
            {**group._asdict(), "members": [member._asdict() for member in group.members]}
            for group in window.groups()
        ]
        newest = sorted(groups, key=lambda group: group["time"], reverse=True)
        assert client.get("/api/groups").json() == {"total": len(groups), "groups": newest}
        assert client.get("/api/group", params={"head": "a"}).json() == groups[0]
        assert client.get("/api/stats").json() == window.stats().to_dict()


def full(verdict: neardup.Verdict) -> dict[str, Any]:
    """A verdict as the API has it: always with all fields."""
    plain = json.loads(json.dumps(verdict.to_dict()))
    return {"partial": None, "partial_total": None, "kind": None, "differing": None, **plain}


@pytest.mark.parametrize(
    ("model", "ours"),
    [
        (answers.Verdict, neardup.Verdict), (answers.Match, neardup.Match), (answers.Group, neardup.Group),
        (answers.PartialMatch, neardup.PartialMatch), (answers.Member, neardup.Member),
        (answers.Document, neardup.ReadDocument),
    ],
)  # fmt: skip
def test_answers_have_the_fields_of_the_library(model, ours):
    assert tuple(model.model_fields) == ours._fields


def test_what_the_page_says_is_sent_to_judge_is_taken(client):
    page = (Path(__file__).parents[3] / "docs/serve.md").read_text()
    (body,) = re.findall(r"POST /api/judge` `(.+?)`", page)
    pair = body.replace("…", '"a"', 1).replace("…", '"b"')
    assert client.post("/api/judge", json=json.loads(pair)).status_code == 200


def test_every_route_is_described(client):
    described = client.get("/api/openapi.json").json()
    assert {"/api/check", "/api/groups", "/api/health", "/api/judge"} <= set(described["paths"])
    assert "/api/ingest" not in described["paths"]
    operations = [operation for path in described["paths"].values() for operation in path.values()]
    assert all(operation.get("description") for operation in operations)


def test_errors_are_described_as_they_are_told(serve):
    paths = serve(readonly=False).get("/api/openapi.json").json()["paths"]
    for path in ("/api/document", "/api/query", "/api/group", "/api/kind", "/api/judge"):
        for operation in paths[path].values():
            assert "application/problem+json" in operation["responses"]["404"]["content"]
            assert "application/problem+json" in operation["responses"]["422"]["content"]
    assert {"200", "207"} <= set(paths["/api/ingest"]["post"]["responses"])


@pytest.mark.parametrize(
    ("limits", "asked", "status"),
    [
        (Limits(token="0123456789abcdef", rate=0), {}, 401),
        (NO_RATE, {"origin": "http://evil.example"}, 403),
        (Limits(body=10, rate=0), {}, 413),
        (NO_RATE, {"host": "evil.example"}, 421),
        (Limits(rate=1), {}, 429),
    ],
)
def test_what_is_refused_before_it_is_read_is_described_too(serve, limits, asked, status):
    described = serve().get("/api/openapi.json").json()["paths"]["/api/check"]["post"]["responses"]
    client = serve(limits=limits)
    answers = [client.post("/api/check", json={"text": "x"}, headers=asked) for _ in range(9)]
    assert status in {answer.status_code for answer in answers}
    assert "application/problem+json" in described[str(status)]["content"]


def test_what_the_writer_commits_is_seen(client, path, monkeypatch):
    monkeypatch.setattr("neardup.serving.questions.FRESH_SECONDS", 0)
    before = client.get("/api/changes").json()
    with open_window(path) as writer:
        list(writer.ingest([{"id": "new", "text": grams(0, 122), "time": "2026-11-21T09:30Z"}]))
    assert client.get("/api/document", params={"id": "new"}).status_code == 200
    assert client.get("/api/changes").json() == before + 1
    assert "new" in [
        member["id"] for member in client.get("/api/group", params={"head": "a"}).json()["members"]
    ]


class _Changing:
    """A window into which something is committed while its groups are read."""

    def __init__(self):
        self.commits, self.seen = 1, 0
        self.questions: Questions | None = None

    def refresh(self):
        is_new, self.seen = self.commits > self.seen, self.commits
        return is_new

    def groups(self):
        groups = [neardup.Group(str(self.seen), "2026-11-21T06:00:00.000Z", ())]
        if self.commits == 1 and self.questions is not None:
            self.commits = 2
            self.questions.look()
        return groups

    def ingest(self, documents, *, on_reject):
        yield from ()
        raise NeardupError("the disk is full")


def test_groups_that_were_read_during_a_commit_are_read_again(monkeypatch):
    monkeypatch.setattr("neardup.serving.questions.FRESH_SECONDS", 0)
    window: Any = _Changing()
    window.questions = Questions(window, "news.window")
    assert list(window.questions.groups()) == ["1"]
    assert list(window.questions.groups()) == ["2"]


def test_an_ingest_that_fails_may_have_changed_the_window():
    questions = Questions(cast("Any", _Changing()), "news.window", ingests=True)
    with pytest.raises(NeardupError):
        questions.ingest([DOCUMENT_E])
    assert questions.changes == 1


def test_a_look_is_not_taken_at_every_question(client, path, monkeypatch):
    client.get("/api/health")
    monkeypatch.setattr("neardup.serving.questions.FRESH_SECONDS", 1e9)
    with open_window(path) as writer:
        list(writer.ingest([{"id": "new", "text": "other", "time": "2026-11-21T09:30Z"}]))
    assert client.get("/api/document", params={"id": "new"}).status_code == 404


def test_a_threshold_that_is_no_decimal_is_named_as_it_was_given():
    with open_window(None, threshold="2/3") as window:
        questions = Questions(window, "news.window", ingests=True)
        client = TestClient(
            create_application(questions, limits=NO_RATE, judged=None), base_url="http://localhost"
        )
        assert client.get("/api/health").json()["threshold"] == "2/3"
        page = client.get("/").text
        assert "<dt>threshold</dt><dd>2/3</dd>" in page
        assert 'value="0.666666"' in page  # the form takes six decimals
        list(window.ingest([{"id": "a", "text": "abcdef"}]))
        assert window.query(text="abcdeX").score == 2 / 3
        sent = client.post("/check", data={"text": "abcdeX", "threshold": "0.666666"}).text
        assert sent == client.post("/check", data={"text": "abcdeX"}).text
        assert "/document?id=a" in sent


def test_health_and_the_home_page_have_the_threshold_by_which_it_answers(path):
    with open_window(path, readonly=True, threshold=0.95, window_hours=6) as window:
        client = TestClient(create_application(Questions(window, "news.window")), base_url="http://localhost")
        assert client.get("/api/health").json()["threshold"] == "0.95"
        stats = client.get("/api/stats").json()
        assert (stats["threshold"], stats["window_hours"]) == ("0.7", 6)
        assert "<dd>0.95 (stored verdicts: 0.7)</dd>" in client.get("/").text


def test_the_group_of_a_query_is_the_one_it_would_join_now(serve, path):
    with open_window(path) as window:
        window.delete("a")
    client = serve()
    assert client.get("/api/document", params={"id": "b"}).json()["verdict"]["group"] == "a"
    assert client.get("/api/group", params={"head": "a"}).json()["head_is_there"] is False
    assert client.get("/api/query", params={"id": "b"}).json()["group"] == "b"
    answer = client.get("/api/group", params={"head": "b"})
    assert answer.status_code == 404
    assert "names its group, a query the one that it would join now" in answer.json()["detail"]
    schema = client.get("/api/openapi.json").json()["components"]["schemas"]["Verdict"]["properties"]["group"]
    assert schema["description"] == answers.GROUP


def test_documents_are_taken_only_where_that_was_allowed(serve):
    refused = serve().post("/api/ingest", json=[])
    assert (refused.status_code, refused.json()["detail"]) == (
        404, "there is nothing at '/api/ingest': the server was started without --ingest",
    )  # fmt: skip
    writer = serve(readonly=False)
    answer = writer.post("/api/ingest", json=[DOCUMENT_E, {"id": "f", "text": 7}, 5])
    assert answer.status_code == 207
    assert [verdict["id"] for verdict in answer.json()["verdicts"]] == ["e"]
    assert [reject["id"] for reject in answer.json()["rejects"]] == ["f", None]
    assert writer.get("/api/document", params={"id": "e"}).status_code == 200
    assert writer.get("/api/health").json()["documents"] == len(STREAM) + 1


def test_a_window_that_must_be_opened_again_is_told_as_a_server_that_must_be_started(
    serve, path, monkeypatch
):
    client = serve(readonly=False)

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("neardup.stores.directory_writer.DirectoryWriter.commit", full)
        assert client.post("/api/ingest", json=[DOCUMENT_E]).status_code == 503
    answer = client.post("/api/ingest", json=[DOCUMENT_E])
    assert answer.status_code == 503
    assert (
        "failed half-way: close it and open it again (a server must be restarted)" in answer.json()["detail"]
    )


@pytest.mark.parametrize("error", [OSError(errno.EFBIG, "File too large"), NeardupError("lost")])
def test_a_server_that_refuses_all_documents_is_not_healthy(serve, monkeypatch, error):
    """A probe saw a healthy server that stored nothing any more."""
    client = serve(readonly=False)
    assert "neardup_ingest_usable 1.0" in client.get("/metrics").text
    with monkeypatch.context() as patched:

        def fail(*_: Any) -> None:
            raise error

        patched.setattr("neardup.stores.directory_writer.DirectoryWriter.commit", fail)
        assert client.post("/api/ingest", json=[DOCUMENT_E]).status_code == 503
    health = client.get("/api/health")
    assert (health.status_code, "a server must be restarted" in health.json()["detail"]) == (503, True)
    assert "neardup_ingest_usable 0.0" in client.get("/metrics").text
    assert client.post("/api/check", json={"text": grams(0, 120)}).status_code == 200


@pytest.mark.parametrize("readonly", [True, False])
def test_a_server_whose_directory_is_gone_is_not_healthy(serve, path, monkeypatch, readonly):
    """One that ingests answered from memory, as if nothing had happened."""
    monkeypatch.setattr("neardup.serving.questions.FRESH_SECONDS", 0)
    client = serve(readonly=readonly)
    assert client.get("/api/health").status_code == 200
    path.rename(path.parent / "elsewhere")
    for url in ("/api/health", "/metrics", "/api/document?id=a"):
        assert client.get(url).status_code == 503


def test_verdicts_and_rejects_name_the_position_of_their_document(serve):
    """A reject without an id could be that of any document."""
    sent = [
        None,
        DOCUMENT_E,
        {"text": "x"},
        {"id": "f", "text": 7},
        {"id": "", "text": "x"},
        {"id": 12, "text": "x"},
        {**DOCUMENT_E, "text": "y"},
        {"id": "z"},
    ]
    sent = [{"time": DOCUMENT_E["time"], **each} if each else each for each in sent]
    answer = serve(readonly=False).post("/api/ingest", json=sent).json()
    assert [(each["index"], each["id"]) for each in answer["verdicts"]] == [(1, "e"), (5, "12"), (6, "e")]
    assert [(each["index"], each["id"]) for each in answer["rejects"]] == [
        (0, None), (2, None), (3, "f"), (4, None), (7, "z"),
    ]  # fmt: skip


def test_where_one_of_an_id_that_comes_twice_is_rejected_no_position_is_guessed(serve):
    far = {"id": "far", "text": "far", "time": "2026-11-23T12:00Z"}
    sent = [far, {**DOCUMENT_E, "id": "far"}, DOCUMENT_E, {**DOCUMENT_E, "text": 7}]
    answer = serve(readonly=False).post("/api/ingest", json=sent).json()
    assert [(each["index"], each["id"]) for each in answer["verdicts"]] == [(None, "far"), (2, "e")]
    assert [(each["index"], each["id"]) for each in answer["rejects"]] == [(3, "e"), (None, "far")]


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (None, "null is no document: it must be an object with id and text"),
        (7, "a number is no document: it must be an object"),
        ({"text": "x"}, "there is no id: it must be a string that is not empty, or a whole number"),
        ({"id": True, "text": "x"}, "id is a boolean: it must be"),
        (
            {"id": 1.5, "text": "x"},
            "id is a number: it must be a string that is not empty, or a whole number",
        ),
        ({"id": "a", "text": None}, "text is null, not a string"),
        ({"id": "a", "text": ["x"]}, "text is an array, not a string"),
        ({"id": "a", "text": "x", "time": False}, "time is a boolean: it must be a string"),
        ({"id": "a"}, "no text: there is no field 'text'"),
    ],
)
def test_why_a_document_is_rejected_is_said_in_words_of_json(serve, document, reason):
    (reject,) = serve(readonly=False).post("/api/ingest", json=[document]).json()["rejects"]
    assert reason in reject["reason"]
    assert not re.search(r"None|True|False|tuple|mapping|list", reject["reason"])


def test_a_document_to_be_ingested_is_described(serve):
    described = serve(readonly=False).get("/api/openapi.json").json()
    body = described["paths"]["/api/ingest"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body["items"]["required"] == ["id", "text"]
    assert body["maxItems"] == answers.MOST_INGESTED


def test_a_server_that_ingests_deletes_too(serve):
    client = serve(readonly=False)
    assert client.get("/api/document", params={"id": "a"}).status_code == 200
    answers_given = [client.delete("/api/document", params={"id": "a"}) for _ in range(2)]
    assert [answer.status_code for answer in answers_given] == [204, 404]
    assert answers_given[0].content == b""
    assert client.get("/api/document", params={"id": "a"}).status_code == 404
    assert client.delete("/api/document").status_code == 422
    assert serve().delete("/api/document", params={"id": "b"}).status_code == 405


def test_documents_that_came_too_late_are_counted(serve):
    client = serve(readonly=False)
    late = {"id": "late", "text": grams(0, 120), "time": "2026-11-01T06:00Z"}
    (verdict,) = client.post("/api/ingest", json=[late]).json()["verdicts"]
    assert verdict["status"] == "unscored"
    assert client.get("/api/document", params={"id": "late"}).status_code == 404
    assert "neardup_too_late_total 1.0" in client.get("/metrics").text
    assert "neardup_too_late" not in serve().get("/metrics").text
    schemas = client.get("/api/openapi.json").json()["components"]["schemas"]
    assert "came too late" in schemas["Ingested"]["description"]


def test_a_server_that_only_reads_has_no_figure_of_ingest(client):
    assert client.get("/api/health").status_code == 200
    assert "neardup_ingest_usable" not in client.get("/metrics").text


def test_no_request_brings_more_documents_than_can_be_answered(serve):
    client = serve(readonly=False)
    answer = client.post("/api/ingest", json=[1] * (answers.MOST_INGESTED + 1))
    assert answer.status_code == 422
    assert "at most 100000 items" in answer.json()["detail"]
    assert "not 100001 (it is [1, 1, 1," in answer.json()["detail"]
    schema = client.get("/api/openapi.json").json()["paths"]["/api/ingest"]["post"]["requestBody"]
    assert schema["content"]["application/json"]["schema"]["maxItems"] == answers.MOST_INGESTED


def test_half_a_character_in_an_id_rejects_that_document_alone(serve):
    sent = json.dumps([{"id": "half \ud800", "text": "x"}, DOCUMENT_E])
    answer = serve(readonly=False).post(
        "/api/ingest", content=sent, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 207
    assert [verdict["id"] for verdict in answer.json()["verdicts"]] == ["e"]
    (reject,) = answer.json()["rejects"]
    assert (reject["id"], reject["reason"]) == (
        r"half \ud800", "id has the unpaired surrogate U+D800 at position 5",
    )  # fmt: skip


def test_a_client_that_goes_away_within_its_request_is_no_fault(client):
    async def ask(path, kind):
        parts = iter(
            ({"type": "http.request", "body": b"text=", "more_body": True}, {"type": "http.disconnect"})
        )
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST",
            "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": b"",
            "headers": [(b"host", b"localhost"), (b"content-type", kind)],
        }  # fmt: skip

        async def receive():
            return next(parts)

        async def send(message):
            pass

        await client.app(scope, receive, send)

    asyncio.run(ask("/check", b"application/x-www-form-urlencoded"))
    asyncio.run(ask("/check", b"multipart/form-data; boundary=x"))
    asyncio.run(ask("/api/check", b"application/json"))


@pytest.mark.parametrize(
    ("method", "url", "how", "status"),
    [
        ("GET", "/api/" + "a" * 9_000, {}, 404),
        ("PUT", "/api/health?" + "a" * 9_000, {}, 405),
        ("GET", f"/api/query?{'a' * 9_000}=1", {}, 422),
        ("GET", f"/api/query?id=b&id={'a' * 9_000}", {}, 422),
        ("GET", "/api/query?" + "id=b&" * 9_000, {}, 422),
        ("POST", "/api/check", {"json": {"text": "x", "a" * 9_000: 1}}, 422),
        ("POST", "/api/check", {"content": b"{}", "headers": {"content-type": "a" * 9_000}}, 422),
        ("POST", "/check", {"content": b"{}", "headers": {"content-type": "a" * 9_000}}, 422),
        ("POST", "/api/check", {"json": {}, "headers": {"origin": "http://" + "a" * 9_000}}, 403),
        ("GET", "/api/health", {"headers": {"host": "a" * 9_000}}, 421),
    ],
    ids=range(10),
)
def test_an_error_repeats_little_of_what_was_asked(client, method, url, how, status):
    answer = client.request(method, url, **how)
    assert (answer.status_code, len(answer.content) < 2_000) == (status, True)


@pytest.mark.parametrize(
    ("method", "url", "how", "status", "said"),
    [
        ("GET", "/api/document?id=nobody", {}, 404, "no document 'nobody'"),
        ("GET", "/api/group?head=d", {}, 404, "no group in this window has the head 'd'"),
        ("GET", "/api/group?head=b", {}, 404, "the verdict of a document names its group"),
        ("GET", "/api/query?id=a&threshold=2", {}, 422, "less than or equal to 1 (it is '2')"),
        ("GET", "/api/groups?limit=all", {}, 422, "(it is 'all')"),
        ("GET", "/api/query", {}, 422, "id: Field required"),
        ("POST", "/api/check", {"json": {"text": "x", "treshold": 1}}, 422, "'treshold': Extra inputs"),
        ("POST", "/api/check", {"json": {"text": "\ud800"}}, 422, ""),
        (
            "POST",
            "/api/check",
            {"content": b"{", "headers": {"content-type": "application/json"}},
            422,
            "JSON",
        ),
        (
            "POST",
            "/api/judge",
            {"content": b"not json", "headers": {"content-type": "application/json"}},
            422,
            "the body must be JSON: Expecting value at character 0",
        ),
        *(
            ("POST", "/api/check", {"json": {"text": "x", name: True}}, 422, f"{name}: true is neither text")
            for name in ("time", "threshold", "matches")
        ),
        ("POST", "/api/check", {"body": b'{"text": "\xff"}'}, 422, "JSON in UTF-8: its byte 10 is not"),
        ("POST", "/api/check", {"body": b"[" * 200_000}, 422, "JSON: it is nested too deep"),
        (
            "POST",
            "/api/check",
            {"body": b"9" * 5_000},
            422,
            "JSON: a number in it has more than 4,300 digits",
        ),
        (
            "GET",
            "/api/query?id=a&treshold=0.5",
            {},
            422,
            "/api/query has no parameter 'treshold': it takes id, threshold, matches",
        ),
        ("GET", "/api/stats?id=a", {}, 422, "/api/stats has no parameter 'id': it takes none"),
        ("GET", "/api/kind?a=a&c=b", {}, 422, "/api/kind has no parameter 'c': it takes a, b"),
        ("GET", "/api/query?id=a&id=b", {}, 422, "/api/query takes one id, and not several: 'a', 'b'"),
        (
            "POST",
            "/api/check?threshold=0.5",
            {"json": {"text": "x"}},
            422,
            "/api/check has no parameter 'threshold': it takes none",
        ),
        ("GET", "/api/document?id=%ff", {}, 422, "an address must be escaped UTF-8: its byte 0xff is not"),
        ("GET", "/api/nothing", {}, 404, "there is nothing at '/api/nothing'"),
        ("PUT", "/api/check", {}, 405, "'/api/check' does not accept PUT"),
        (
            "DELETE",
            "/api/document?id=a",
            {},
            405,
            "does not accept DELETE: the server was started without --ingest",
        ),
        ("DELETE", "/api/check", {}, 405, "does not accept DELETE: see /api/openapi.json"),
        (
            "POST",
            "/api/judge",
            {"json": {"id1": "a\tb", "id2": "c", "judgement": "copy"}},
            404,
            "no document",
        ),
        (
            "POST",
            "/api/check",
            {"json": {"text": "x", "time": [1]}},
            422,
            "time: Input should be a valid string",
        ),
        ("POST", "/api/judge", {"json": {"id1": "a", "id2": "c", "judgement": "maybe"}}, 422, "judgement"),
        ("POST", "/api/judge", {"json": {"id1": "a", "id2": "nobody", "judgement": "copy"}}, 404, "'nobody'"),
        ("POST", "/api/judge", {"json": {"id1": "a", "id2": "a", "judgement": "copy"}}, 422, "two documents"),
        (
            "POST",
            "/api/check",
            {"content": b'{"text": "x"}', "headers": {"content-type": "text/plain"}},
            422,
            "Content-Type: application/json (it says 'text/plain')",
        ),
    ],
)
def test_errors_say_what_is_wrong(client, method, url, how, status, said):
    if "json" in how:
        how = {"body": json.dumps(how["json"])}
    if "body" in how:
        how = {"content": how["body"], "headers": {"content-type": "application/json"}}
    answer = client.request(method, url, **how)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert said in answer.json()["detail"]


@pytest.mark.parametrize("url", ["/", "/groups", "/group?head=a", "/metrics", "/api/health", "/static/none"])
def test_who_asks_for_the_head_of_an_answer_has_that_of_its_body(client, url):
    """As monitors and checkers of links do."""
    head, whole = client.head(url), client.get(url)
    assert (head.status_code, head.headers["content-type"]) == (
        whole.status_code,
        whole.headers["content-type"],
    )


def test_a_fault_of_ours_is_told_without_what_it_holds(client, monkeypatch):
    def fail(*_):
        raise RuntimeError("secret")

    monkeypatch.setattr("neardup.serving.questions.Questions.stats", fail)
    for headers, kind in (({}, "application/problem+json"), (HTML, "text/html; charset=utf-8")):
        answer = client.get("/api/stats" if not headers else "/", headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (500, kind)
        assert "RuntimeError: a bug in neardup" in answer.text
        assert "secret" not in answer.text
        assert {name: answer.headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS


def test_two_servers_of_a_machine_keep_their_tokens_apart(serve):
    token = "0123456789abcdef"
    limits = Limits(hosts=(), token=token, rate=0)
    names = set()
    for port in (8001, 8002):
        client = serve(limits=limits)
        client.base_url = f"http://localhost:{port}"
        answer = client.get("/", params={"token": token}, follow_redirects=False)
        names.add(answer.headers["set-cookie"].partition("=")[0])
    assert names == {"neardup_token_8001", "neardup_token_8002"}


def test_an_error_is_a_page_for_people(client):
    answer = client.get("/group?head=<b>", headers=HTML)
    assert answer.status_code == 404
    assert "&lt;b&gt;" in answer.text
    assert "<h1>Not Found (404)</h1>" in answer.text


# -- what is judged --


def test_judged_pairs_are_a_file_that_evaluate_reads(client, judged):
    for first, second, judgement in (("a", "b", "no"), ("b", "a", "copy"), ("a", "d", "no")):
        answer = client.post("/api/judge", json={"id1": first, "id2": second, "judgement": judgement})
        assert answer.status_code == 200
    assert answer.json() == {"judged": 2, "file": "judged.tsv"}
    assert judged.path.read_text() == "id1\tid2\tlabel\na\tb\tcopy\na\td\tno\n"
    assert (JudgedPairs(judged.path).of("b", "a"), len(JudgedPairs(judged.path))) == ("copy", 2)
    assert 'data-judgement="copy" aria-pressed="true"' in client.get("/pair?a=a&b=b").text

    from neardup.evaluation.corpus import read_corpus
    from neardup.evaluation.truth import read_truth

    corpus = read_corpus(
        [neardup.Document(each["id"], each["text"]) for each in STREAM], list[object]().append
    )
    truth = read_truth(judged.path, corpus)
    assert (len(truth.copies), len(truth.others)) == (1, 1)


def test_judged_pairs_of_any_order_are_read_and_other_files_are_left_alone(tmp_path):
    path = tmp_path / "judged.tsv"
    path.write_text("id1\tid2\tlabel\nb\ta\tcopy\n")
    assert JudgedPairs(path).of("a", "b") == "copy"
    path.write_text(path.read_text(), "utf-8-sig")  # as some editors save it
    assert JudgedPairs(path).of("a", "b") == "copy"
    header = "id1\tid2\tlabel\n"
    for other in ("a\tb\tcopy\n", "\n", f"{header}a b\n", f"{header}a\ta\tcopy\n", f"{header}a\tb\tmaybe\n"):
        path.write_text(other)
        with pytest.raises(SettingsError, match="a file of neardup serve or calibrate"):
            JudgedPairs(path)
        assert path.read_text() == other


def test_a_place_for_judged_pairs_that_takes_none_is_told_at_once(tmp_path):
    with pytest.raises(SettingsError, match="--judged names another"):
        JudgedPairs(tmp_path / "nowhere" / "judged.tsv")


def test_a_judgement_that_cannot_be_written_is_told_by_what_the_system_says(client, judged, monkeypatch):
    judged.path.mkdir()
    answer = client.post("/api/judge", json={"id1": "a", "id2": "b", "judgement": "copy"})
    assert (answer.status_code, answer.json()["detail"]) == (503, f"{judged.path}: Is a directory")
    judged.path.rmdir()
    os.mkfifo(judged.path)
    answer = client.post("/api/judge", json={"id1": "a", "id2": "b", "judgement": "copy"})
    assert (answer.status_code, answer.json()["detail"]) == (503, f"{judged.path}: No such device or address")
    judged.path.unlink()
    judged.path.write_text("some other file\n")
    answer = client.post("/api/judge", json={"id1": "a", "id2": "b", "judgement": "copy"})
    assert (answer.status_code, "its first line is different" in answer.json()["detail"]) == (503, True)
    assert judged.path.read_text() == "some other file\n"
    judged.path.unlink()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(judged.path))

    with monkeypatch.context() as patched:
        patched.setattr("neardup.serving.judged.write_whole", full)
        answer = client.post("/api/judge", json={"id1": "a", "id2": "b", "judgement": "copy"})
    assert (answer.status_code, answer.json()["detail"]) == (503, f"{judged.path}: No space left on device")
    assert judged.of("a", "b") is None
    judged.path.unlink()
    judged.path.symlink_to("nowhere/judged.tsv")
    answer = client.post("/api/judge", json={"id1": "a", "id2": "b", "judgement": "copy"})
    assert (answer.status_code, answer.json()["detail"]) == (503, f"{judged.path}: No such file or directory")


def test_that_the_window_cannot_be_used_stands_in_the_log_once_a_minute(client, path, monkeypatch, caplog):
    monkeypatch.setattr("neardup.serving.questions.FRESH_SECONDS", 0)
    path.rename(path.parent / "elsewhere")
    details = {
        client.get(url).json()["detail"] for url in ("/api/stats", "/api/groups", "/api/document?id=a")
    }
    assert [record.getMessage() for record in caplog.records] == list(details)
    monkeypatch.setattr("neardup.serving.application._SAID_AGAIN", 0)
    client.get("/api/stats")
    client.get("/api/stats?none=1")  # told to whoever asked alone
    assert [record.getMessage() for record in caplog.records] == 2 * list(details)


def test_figures_read_groups_again_after_seconds_only(client, path, monkeypatch):
    monkeypatch.setattr("neardup.serving.questions.FRESH_SECONDS", 0)
    read = []
    groups = neardup.window.engine.WindowEngine.groups

    def counted(window):
        read.append(window)
        return groups(window)

    monkeypatch.setattr("neardup.window.engine.WindowEngine.groups", counted)
    client.get("/metrics")
    with open_window(path) as writer:
        for at in range(3):
            list(writer.ingest([{"id": f"new{at}", "text": grams(0, 122), "time": "2026-11-21T09:30Z"}]))
            assert "neardup_window_documents" in client.get("/metrics").text
    assert len(read) == 1
    client.get("/group?head=a")
    assert len(read) == 2


def test_ids_with_any_line_end_are_not_judged(judged):
    for id in ("", "a\tb", "a\nb", "a\x85", "a\u2028b"):
        with pytest.raises(DocumentError):
            judged.judge(id, "c", "copy")
    assert not judged.path.exists()


def test_without_a_file_nothing_is_judged(serve):
    client = serve(judging=False)
    assert client.post("/api/judge", json={}).status_code == 404
    assert "data-judgement" not in client.get("/group?head=a").text


# -- who may ask --


def test_only_this_machine_by_its_own_names(client):
    """A page elsewhere that has its name point here (DNS rebinding) asks under that name."""
    for host, status in (
        ("localhost", 200),
        ("LocalHost:8642", 200),
        ("127.0.0.1:8642", 200),
        ("[::1]:1", 200),
        ("evil.example", 421),
    ):
        assert client.get("/api/changes", headers={"host": host}).status_code == status


def test_no_other_page_changes_anything(client):
    said = {"id1": "a", "id2": "b", "judgement": "no"}
    for origin, status in (
        ("http://localhost", 200),
        ("HTTP://LOCALHOST", 200),
        ("http://evil.example", 403),
        ("null", 403),
        ("http://[", 403),
    ):
        assert client.post("/api/judge", json=said, headers={"origin": origin}).status_code == status


def test_behind_a_proxy_that_hides_its_name_a_refusal_says_what_to_do(client):
    sent = {"origin": "https://copies.example", "host": "127.0.0.1:8642"}
    refused = client.post("/check", data={"text": "x"}, headers=sent)
    assert refused.status_code == 403
    assert (
        "may send only GET and HEAD to '127.0.0.1:8642': if both are this server, the proxy between must pass on the "
        "Host" in refused.json()["detail"]
    )


@pytest.mark.parametrize(("coding", "status"), [("gzip", 415), ("ZSTD", 415), ("identity", 200), ("", 200)])
def test_a_compressed_body_is_refused_as_such(client, coding, status):
    """It was said not to be UTF-8."""
    sent = {"content-type": "application/json", "content-encoding": coding}
    body = b'{"text": "x"}' if status == 200 else b"\x1f\x8b\x08"
    answer = client.post("/api/check", content=body, headers=sent)
    assert answer.status_code == status
    assert status == 200 or "may not be compressed" in answer.json()["detail"]
    described = client.get("/api/openapi.json").json()["paths"]["/api/check"]["post"]["responses"]
    assert {"405", "415"} <= set(described)


def test_a_token_is_asked_for_and_kept_by_the_browser(serve):
    token = "0123456789abcdef"
    client = serve(limits=Limits(hosts=(), token=token, rate=0))
    assert client.get("/api/health").status_code == 401
    assert token not in client.get("/api/health").text
    assert client.get("/", params={"token": "wrong"}).status_code == 401
    assert client.get("/api/health", headers={"authorization": f"Bearer {token}"}).status_code == 200
    opened = client.get("/", params={"token": token}, follow_redirects=False)
    assert (opened.status_code, opened.headers["location"]) == (303, "/")
    assert {"HttpOnly", "SameSite=strict"} <= {
        part.strip() for part in opened.headers["set-cookie"].split(";")
    }
    assert client.get("/", headers={"host": "any.example"}).status_code == 200
    opened = client.get("/group", params={"head": "a b", "token": token}, follow_redirects=False)
    assert opened.headers["location"] == "/group?head=a+b"


@pytest.mark.parametrize(
    "token", ["short", "é" * 16, "0123456789abcde\n", "two words and more", "\udcff" * 16]
)
def test_a_token_that_no_header_can_hold_is_refused_at_the_start(token):
    with pytest.raises(SettingsError, match="at least 16 characters of ASCII without spaces") as caught:
        limits_for("127.0.0.1", token, body=1_000, rate=0)
    assert token not in str(caught.value)


def test_a_token_of_any_other_characters_is_known_again(serve):
    token = r"""a;b"c\d,e=f&g+h%23'{i}"""
    limits = limits_for("127.0.0.1", token, body=1_000, rate=0)
    client = serve(limits=limits)
    assert client.get("/api/changes", headers={"authorization": f"Bearer {token}"}).status_code == 200
    assert client.get("/api/changes").status_code == 401
    assert client.get("/", params={"token": token}).status_code == 200
    assert client.get("/api/changes").status_code == 200


def test_an_address_with_the_token_leads_to_no_other_server(serve):
    token = "0123456789abcdef"
    client = serve(limits=Limits(hosts=(), token=token, rate=0))
    for path in ("//evil.example/x", "///evil.example/x"):
        opened = client.get(
            f"http://localhost{path}", params={"token": token, "a": "b"}, follow_redirects=False
        )
        assert opened.headers["location"] == "/evil.example/x?a=b"


def test_cookies_of_other_servers_do_not_hide_the_token(serve):
    token = "0123456789abcdef"
    client = serve(limits=Limits(hosts=(), token=token, rate=0))
    cookies = f'other={{"a": 1, "b"}}; neardup_token_80={token}; c=[x, y]'
    assert client.get("/api/changes", headers={"cookie": cookies}).status_code == 200


def test_bodies_and_rates_have_limits(serve):
    client = serve(limits=Limits(body=1_000, rate=0))
    assert client.post("/api/check", json={"text": "x" * 2_000}).status_code == 413
    chunks = (b'{"text": "' + b"x" * 400 for _ in range(5))
    assert client.post("/api/check", content=chunks).status_code == 413
    assert client.post("/check", data={"text": "x" * 2_000}).status_code == 413
    for size, status in ((1_000, 200), (1_001, 413)):
        chunks = (part for part in (b"text=", b"x" * (size - 5)))
        assert client.post("/check", content=chunks, headers={"content-type": FORM}).status_code == status
    client = serve(limits=Limits(rate=3))
    statuses = [client.get("/api/changes").status_code for _ in range(8)]
    assert 200 in statuses
    assert 429 in statuses


def test_nothing_is_loaded_from_elsewhere_and_nothing_is_run(client):
    for page in ("/", "/groups", "/group?head=a", "/document?id=a", "/pair?a=a&b=b", "/scores", "/nothing"):
        answer = client.get(page, headers=HTML)
        assert {name: answer.headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS
        attributes = attributes_of(answer.text)
        links = [value for name, value in attributes if name in ("src", "href", "action")]
        assert links
        assert all(link.startswith(("/", "#")) and not link.startswith("//") for link in links)
        assert not [name for name, _ in attributes if name.startswith("on") or name == "style"]
        assert "<script>" not in answer.text


def attributes_of(page: str) -> list[tuple[str, str]]:
    """All attributes of all elements of a page."""
    return Attributes.of(page)


class Attributes(HTMLParser):
    @classmethod
    def of(cls, page: str) -> list[tuple[str, str]]:
        parser = cls()
        parser.found = []
        parser.feed(page)
        return parser.found

    def handle_starttag(self, tag, attrs):
        self.found += [(name, value or "") for name, value in attrs]

    found: list[tuple[str, str]]


# -- what people see --


@pytest.mark.parametrize(
    "page",
    ["/", "/groups", "/group?head=a", "/scores", "/document?id=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"],
)
def test_texts_ids_and_fields_of_others_do_no_harm(client, page):
    text = client.get(page, headers=HTML).text
    assert "<img" not in text
    assert "<script>alert" not in text
    assert "<b>title" not in text
    assert "\x1b" not in text
    assert "\x9b" not in text


def test_a_group_shows_its_texts_beside_one_another(client):
    text = client.get("/group?head=a").text
    assert "4 documents, 3 different texts" in " ".join(text.split())
    assert text.count("<article") == 3
    assert "First &lt;b&gt;title" in text
    assert re.search(r'<mark class="(added|changed)">', text)
    assert text.count("<circle") == 4
    assert "and 1 more with the same text" in text


def test_a_large_group_is_read_in_parts(serve, path, monkeypatch):
    monkeypatch.setattr("neardup.serving.versions.MOST_READ", 2)
    monkeypatch.setattr("neardup.serving.pages.MOST_READ", 2)
    monkeypatch.setattr("neardup.serving.questions._READ_AT_ONCE", 2)
    first, second = (serve().get(f"/group?head=a&offset={offset}").text for offset in (0, 2))
    assert "Members 1 to 2 of 3" in " ".join(first.split())
    assert 'rel="next" href="/group?head=a&amp;offset=2"' in first
    assert 'rel="prev" href="/group?head=a&amp;offset=0"' in second
    assert 'rel="next"' not in second
    assert ("4 documents" in first, first.count("<circle"), second.count("<circle")) == (True, 3, 2)


def test_a_page_beyond_the_end_of_a_list_says_so(client):
    """A page that is looked at follows a window from which groups and members go."""
    assert "No groups on this page." in client.get("/groups?offset=50").text
    assert "No copies yet." not in client.get("/groups?offset=50").text
    page = client.get("/group?head=a&offset=200").text
    assert "No members on this page: the group has 3." in page
    assert "Members 201" not in page


def test_pages_of_an_empty_window_say_that_there_are_no_copies():
    with open_window(None) as window:
        client = TestClient(create_application(Questions(window, "empty")), base_url="http://localhost")
        for page in ("/", "/groups", "/scores"):
            assert "No copies yet." in client.get(page).text


def test_what_a_version_is_to_the_head_is_said(client):
    assert 'href="/pair?a=a&amp;b=b">copy: ' in client.get("/group?head=a").text
    said = client.get("/api/kind?a=a&b=b").json()
    assert said == {**asdict(neardup.kinds.kind_of(grams(0, 120), grams(0, 121))), "differing": None}
    assert f"{said['name']}: {said['reason']}" in client.get("/pair?a=a&b=b").text
    assert client.get("/api/kind?a=a&b=nobody").status_code == 404


def test_a_long_field_is_cut_on_the_page_of_its_group_and_whole_on_its_own(serve, path):
    with open_window(path) as writer:
        long = {"id": "long", "text": grams(500, 541), "time": "2026-11-21T09:20Z", "title": "T" * 50_000}
        assert [verdict.group for verdict in writer.ingest([long])] == ["d"]
    client = serve()
    assert f"<bdi>{'T' * 199}…</bdi>" in client.get("/group?head=d").text
    assert "T" * 201 not in client.get("/group?head=d").text
    assert "T" * 50_000 in client.get("/document?id=long").text


def test_a_group_whose_head_has_gone_is_still_shown(client, path, monkeypatch):
    monkeypatch.setattr("neardup.serving.questions.FRESH_SECONDS", 0)
    with open_window(path) as writer:
        writer.delete("a")
    text = client.get("/group?head=a").text
    assert "has left the window" in text
    assert "3 documents" in text
    said = {"id1": "a", "id2": "b", "judgement": "copy"}
    assert client.post("/api/judge", json=said).status_code == 404
    assert ("data-judgement" in text, "<kbd>c</kbd>" in text) == (False, False)


def test_a_document_that_replaced_a_head_is_not_shown_as_the_head(client, path, monkeypatch):
    monkeypatch.setattr("neardup.serving.questions.FRESH_SECONDS", 0)
    with open_window(path) as writer:
        list(
            writer.ingest(
                [{"id": "a", "text": grams(900, 960), "time": "2026-11-21T09:30Z", "title": "Cake"}]
            )
        )
    group = client.get("/group?head=a").text
    assert "was replaced by another document with the same id: " in group
    assert 'href="/document?id=a"' in group
    assert ("Cake" in group, "data-judgement" in group, "3 documents" in group) == (False, False, True)
    assert "Cake" not in client.get("/groups").text
    scores = client.get("/scores").text
    assert ("Cake" in scores, "more pair" in scores) == (False, True)
    assert "its group" not in client.get("/document?id=a").text
    assert "its group" in client.get("/document?id=b").text
    assert ": its text, or the recipe, has changed since then)" in client.get("/document?id=b").text
    assert "since then" not in client.get("/document?id=d").text


def test_a_document_that_replaced_a_head_and_heads_a_group_is_shown_with_that(client, path, monkeypatch):
    monkeypatch.setattr("neardup.serving.questions.FRESH_SECONDS", 0)
    other = {"id": "a", "text": grams(900, 960), "time": "2026-11-21T09:30Z"}
    with open_window(path) as writer:
        list(writer.ingest([other, {**other, "id": "of the other"}]))
    members = client.get("/api/group", params={"head": "a"}).json()["members"]
    assert [member["id"] for member in members] == ["of the other"]
    links = {
        id: "its group" in client.get("/document", params={"id": id}).text
        for id in ("a", "b", "of the other")
    }
    assert links == {"a": True, "b": False, "of the other": True}


def test_a_difference_beyond_what_is_shown_of_a_long_text_is_told(serve, path):
    long = " ".join(grams(at, at + 1_000) for at in range(2_000, 12_000, 300))
    with open_window(path) as writer:
        texts = {"long": long, "ends otherwise": long[:-900] + grams(500, 540), "same": long}
        list(
            writer.ingest(
                [{"id": id, "text": text, "time": "2026-11-21T09:20Z"} for id, text in texts.items()]
            )
        )
    assert len(long) > MOST_SHOWN + 1_000
    said = "The two texts also differ in what is not shown here"
    client = serve()
    assert client.get("/group?head=long").text.count(said) == 1
    assert client.get("/pair?a=long&b=ends otherwise").text.count(said) == 2
    assert said not in client.get("/pair?a=long&b=same").text


def test_pages_say_of_their_times_that_they_are_utc(client):
    seen = client.post(
        "/check", content=f"text={quote_plus(grams(0, 120))}", headers={"content-type": FORM}
    ).text
    pages = [
        client.get(page).text for page in ("/", "/groups", "/group?head=a", "/document?id=a", "/pair?a=a&b=b")
    ]
    for page in (seen, *pages):
        without = re.sub(r'<table.*?</table>|datetime="[^"]*"', "", page, flags=re.DOTALL)
        times = re.findall(r"\d{4}-\d\d-\d\d \d\d:\d\d(.{4})", without)
        assert all(each in (" UTC", ", to", " to ") for each in times), times
        for table in re.findall(r"<table.*?</table>", page, flags=re.DOTALL):
            assert re.search(r">(?:since|time) \(UTC\)</th>", table)
    assert "2026-11-21 06:00 UTC" in pages[3]


def test_a_text_that_was_seen_in_part_is_shown_with_where(tmp_path):
    fire = "Nobody was hurt in the fire that destroyed the old timber yard beside the harbour."
    ferry = "The ferry from Belhaven ran aground off the western spit shortly before dawn."
    with open_window(tmp_path / "parts", partial=True, matches=1) as window:
        list(
            window.ingest([("fire", fire), ("<ferry>", ferry), ("both", f"{fire} {ferry} More will follow.")])
        )
        application = create_application(Questions(window, "parts"), limits=NO_RATE)
        client = TestClient(application, base_url="http://localhost", raise_server_exceptions=False)
        text = client.post(
            "/check", data={"text": f"{ferry} All of the harbour was closed until the evening of that day."}
        ).text
        assert ("Seen in part" in text, "Not seen before" in text) == (True, False)
        assert "<bdi>&lt;ferry&gt;</bdi></a> 57 %" in text
        assert "Seen in part" not in client.post("/check", data={"text": "nothing like it"}).text
        text = client.get("/document?id=both").text
        assert "/document?id=fire" in text
        assert "1 more is not listed" in text


def test_a_group_has_one_title_wherever_it_is_named(serve, path):
    """That of its head, whatever came with an earlier time or has the same text; then that of its first member."""
    early = [
        {"id": "head", "text": grams(900, 1020), "time": "2026-11-21T09:10Z", "title": "Of the head"},
        {"id": "same", "text": grams(900, 1020), "time": "2026-11-21T08:10Z", "title": "Of the same text"},
        {"id": "other", "text": grams(900, 1021), "time": "2026-11-21T07:10Z", "title": "Of another"},
    ]
    with open_window(path) as writer:
        list(writer.ingest(early))
    for title in ("Of the head", "Of another"):
        client = serve()
        page = client.get("/group?head=head").text
        assert f'<h1 dir="auto"><bdi>{title}</bdi></h1>' in page
        for listed in ("/", "/groups", "/groups?sort=size"):
            assert f'href="/group?head=head" dir="auto"><bdi>{title}</bdi>' in client.get(listed).text
        with open_window(path) as writer:
            writer.delete("head")


def test_the_column_of_the_head_has_the_head_s_own_id_and_no_score(serve, path):
    with open_window(path) as writer:
        list(writer.ingest([{"id": "early", "text": grams(0, 120), "time": "2026-11-21T05:00Z"}]))
    column = serve().get("/group?head=a").text.partition('id="v1"')[2].partition("</article>")[0]
    assert 'href="/document?id=a"' in column
    assert 'class="score"' not in column


def test_the_newest_groups_are_in_the_order_that_is_shown(serve, path):
    late = [
        {"id": "x", "text": grams(900, 1020), "time": "2026-11-21T09:00:00Z"},
        {"id": "x2", "text": grams(900, 1021), "time": "2026-11-21T05:00:00Z"},
        {"id": "y", "text": grams(1900, 2020), "time": "2026-11-21T08:00:00.500Z"},
        {"id": "y2", "text": grams(1900, 2021), "time": "2026-11-21T08:00:00Z"},
        {"id": "z", "text": grams(2900, 3020), "time": "2026-11-21T08:00:00.250Z"},
        {"id": "z2", "text": grams(2900, 3021), "time": "2026-11-21T08:10:00Z"},
    ]
    with open_window(path) as writer:
        list(writer.ingest(late))
    client = serve()
    for page in ("/", "/groups"):
        shown = re.findall(r'class="main" role="cell"><a href="/group\?head=(\w+)"', client.get(page).text)
        assert shown == ["z", "y", "a", "x"]
    assert [group["head"] for group in client.get("/api/groups").json()["groups"]] == ["z", "y", "a", "x"]


def test_there_is_an_icon(client):
    for path in ("/favicon.ico", "/static/icon.svg"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (
            200,
            "image/svg+xml",
        )


def test_a_pasted_text_finds_what_says_the_same(client):
    text = client.post("/check", data={"text": grams(0, 119), "threshold": "0.7"}).text
    assert "Seen: 4 matches" in text
    assert 'href="/group?head=a"' in text
    assert "Not seen before" in client.post("/check", data={"text": "nothing like it"}).text
    assert client.post("/check", data={}, headers=HTML).status_code == 422


def test_the_first_of_a_pasted_text_need_not_be_among_its_best_matches(monkeypatch):
    with open_window(None) as window:
        texts = [("first", grams(0, 119)), *((f"later {number:02}", grams(0, 120)) for number in range(12))]
        list(window.ingest([(id, text, at) for at, (id, text) in enumerate(texts)]))
        client = TestClient(create_application(Questions(window, "w")), base_url="http://localhost")
        page = client.post("/check", data={"text": grams(0, 120)}).text
        assert ("Seen: 13 matches" in page, "3 more matches are not listed" in page) == (True, True)
        assert 'The earliest match is <a class="id" href="/document?id=first">' in page
        monkeypatch.setattr("neardup.serving.questions._MOST_DATED", 12)
        assert (
            "The earliest of the 12 best matches is"
            in client.post("/check", data={"text": grams(0, 120)}).text
        )


@pytest.mark.parametrize(("threshold", "misses"), [("0.3", True), ("0.6", False), ("", False)])
def test_a_doc_q_at_which_copies_are_missed_is_told(client, threshold, misses):
    text = client.post("/check", data={"text": "nothing like it", "threshold": threshold}).text
    assert ("Below doc_q 0.6 sketches miss copies" in text) is misses
    assert ("Try a lower doc_q, down to 0.6" in text) is not misses


def test_a_window_of_a_low_threshold_tells_it_of_its_own_and_one_that_misses_none_does_not():
    cases: list[tuple[Literal["sketch", "complete"], bool]] = [("sketch", True), ("complete", False)]
    for retrieval, misses in cases:
        with open_window(None, threshold=0.4, retrieval=retrieval) as window:
            client = TestClient(create_application(Questions(window, "w")), base_url="http://localhost")
            text = client.post("/check", data={"text": "nothing like it"}).text
            assert ("Below doc_q 0.6 sketches miss copies" in text) is misses


@pytest.mark.parametrize(
    ("kind", "body", "status", "said"),
    [
        pytest.param(
            FORM, b"&" * 1_000_000, 413, "has 1,000,001 fields: it may have 100: write & as", id="&"
        ),
        (FORM, b"text=%ff", 422, "the form must be UTF-8: its byte 0xff is not"),
        (FORM, b"text=\xff", 422, "the form must be UTF-8: its byte 0xff is not"),
        (FORM, b"txt=x&threshold=0.7", 422, "text: Field required (there is 'txt', 'threshold')"),
        (FORM, b"text=&threshold=0.7", 422, "text: Field required"),
        (FORM, b"text=x&threshold=2", 422, "less than or equal to 1 (it is '2')"),
        (
            "multipart/form-data; boundary=x",
            b"--x--",
            422,
            "must be application/x-www-form-urlencoded (it is 'multip",
        ),
    ],
)
def test_a_form_that_cannot_be_read_is_refused_at_once(client, kind, body, status, said):
    answer = client.post("/check", content=body, headers={"content-type": kind})
    assert answer.status_code == status
    assert said in answer.json()["detail"]


def test_a_form_may_be_written_without_escapes_and_leave_a_field_empty(client, path):
    text = "Die Fähre lief bei Dämmerung auf die Küste: niemand wurde verletzt (n=0), heißt es später."
    with open_window(path) as window:
        list(window.ingest([{"id": "f", "text": text, "time": "2026-11-21T09:10Z"}]))
    for sent in (text, quote(text), quote_plus(text)):
        form = f"text={sent}&threshold=&=".encode()
        answer = client.post("/check", content=form, headers={"content-type": FORM})
        assert "<p>exact; 1 document" in answer.text


def test_a_pasted_text_may_be_as_large_as_a_request(client):
    answer = client.post("/check", data={"text": "é" * 600_000}, headers=HTML)
    assert answer.status_code == 200
    assert client.post("/check", data={"text": "x", "threshold": "2"}).status_code == 422


def test_the_csv_of_a_group_is_no_formula(serve, path, monkeypatch):
    with open_window(path) as writer:
        list(writer.ingest([{"id": "=cmd()", "text": grams(0, 123), "time": "2026-11-21T09:40Z"}]))
    content = serve().get("/group.csv", params={"head": "a"}).content
    assert content.startswith(b"\xef\xbb\xbf")  # by which Excel knows UTF-8
    lines = content.decode("utf-8-sig").splitlines()
    assert lines[0] == "id,time,doc_q with the head,copy of,doc_q with that"
    assert "'=cmd()" in {line.split(",")[0] for line in lines}


def test_scores_say_what_another_threshold_would_lose(client):
    bands = client.get("/api/scores").json()
    copies = client.get("/api/stats").json()["copies"]
    assert sum(band["copies"] for band in bands) == copies
    assert all(band["low"] <= pair["score"] <= band["high"] for band in bands for pair in band["pairs"])
    assert (bands[-1]["low"], bands[-1]["high"], bands[-1]["copies"]) == (1, 1, 1)
    page = client.get("/scores").text
    assert f"At 1.00 you would lose {copies - 1} of {copies}." in page
    assert "no threshold loses them" in page
    assert "First &lt;b&gt;title&lt;/b&gt;</bdi> and" in page


def test_scores_list_copies_where_the_threshold_is_1(tmp_path):
    with open_window(tmp_path / "exact", threshold=1) as window:
        list(window.ingest(STREAM))
        client = TestClient(create_application(Questions(window, "exact", ingests=True), limits=NO_RATE))
        page = client.get("/scores", headers={"host": "localhost"}).text
    assert "1.00: 1 copy" in page
    assert "of no group" not in page


def test_scores_show_the_copies_of_a_window_that_is_asked_at_another_threshold(path):
    with open_window(path, threshold=0.99, remember=False) as window:
        client = TestClient(create_application(Questions(window, "other", ingests=True), limits=NO_RATE))
        page, copies = client.get("/scores", headers={"host": "localhost"}).text, window.stats().copies
        assert f"At 1.00 you would lose {copies - 1} of {copies}." in page
        assert "The window's threshold is 0.7: pairs below it are not copies.\n" in page
        assert "of no group" not in page
        list(window.ingest([{"id": "new", "text": grams(700, 820), "time": "2026-11-21T09:40Z"}]))
    with open_window(path, threshold=0.9) as window:
        list(window.ingest([{"id": "newer", "text": grams(900, 990), "time": "2026-11-21T09:41Z"}]))
        client = TestClient(create_application(Questions(window, "other", ingests=True), limits=NO_RATE))
        page = client.get("/scores", headers={"host": "localhost"}).text
        assert (
            "threshold is 0.9: pairs below it are not copies, except in verdicts made with another (0.7)"
            in page
        )
        assert f"you would lose {copies - 1} of {copies}." in page


def test_scores_say_how_many_pairs_they_do_not_list(serve, path):
    with open_window(path) as writer:
        list(
            writer.ingest(
                {"id": f"more {number}", "text": grams(0, 120), "time": "2026-11-21T09:40Z"}
                for number in range(11)
            )
        )
    assert "2 more pairs in this range are not listed" in serve().get("/scores").text


# -- figures --


def test_figures_are_those_of_prometheus(client):
    from prometheus_client.parser import text_string_to_metric_families

    client.post("/api/check", json={"text": grams(0, 120)})
    client.post("/check", data={"text": grams(0, 120)})  # on the page
    client.get("/made/up/path")
    families = {family.name: family for family in text_string_to_metric_families(client.get("/metrics").text)}
    window = {
        name: family.samples[0].value
        for name, family in families.items()
        if name.startswith("neardup_window") and family.samples
    }
    assert (window["neardup_window_documents"], window["neardup_window_copies"]) == (5, 3)
    (checked,) = (s for s in families["neardup_verdicts"].samples if s.name.endswith("_total"))
    assert (checked.labels, checked.value) == ({"call": "check", "status": "exact"}, 2)
    stories = {s.labels["hours"]: s.value for s in families["neardup_story_copies"].samples}
    assert stories == {"1": 1, "3": 3, "24": 3}
    paths = {s.labels["path"] for s in families["neardup_request_seconds"].samples}
    assert "/made/up/path" not in paths


def test_figures_tell_copies_by_their_kinds(tmp_path):
    with open_window(tmp_path / "kinds", window_hours=0, kinds=True) as window:
        texts = (grams(0, 120), grams(0, 119), grams(500, 620))
        list(window.ingest({"id": str(at), "text": text} for at, text in enumerate(texts)))
        assert 'neardup_window_kinds{kind="copy"} 1.0' in Metrics(Questions(window, "kinds")).text().decode()


def test_figures_count_a_group_of_one_document_whose_head_is_gone_by_what_they_say(tmp_path):
    with open_window(tmp_path / "gone", window_hours=0) as window:
        list(window.ingest({"id": str(at), "text": grams(0, 120 - at)} for at in range(2)))
        window.delete("0")
        text = Metrics(Questions(window, "gone")).text().decode()
    assert "neardup_window_documents 1.0" in text
    assert "# HELP neardup_window_groups Groups that have a member besides their head\n" in text
    assert "neardup_window_groups 1.0" in text


def test_a_story_is_over_when_the_window_goes_on_without_it(tmp_path):
    with open_window(tmp_path / "over", window_hours=0) as window:
        spread = [{"id": str(at), "text": grams(0, 120), "time": "2026-11-21T08:10Z"} for at in range(9)]
        other = {"id": "other", "text": grams(500, 620), "time": "2026-11-21T13:00Z"}
        assert len(list(window.ingest([*spread, other]))) == 10
        figures = Metrics(Questions(window, "over")).text().decode()
    assert 'neardup_story_copies{hours="3"} 0.0' in figures
    assert 'neardup_story_copies{hours="24"} 8.0' in figures


def test_two_who_judge_at_once_lose_nothing_of_one_another(tmp_path):
    path = tmp_path / "judged.tsv"

    def judge(name: str) -> None:
        own = JudgedPairs(path)
        for number in range(20):
            own.judge(name, f"{number}", "copy")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(judge, "abcd"))
    assert len(JudgedPairs(path)) == 80


def test_a_linked_file_of_judgements_stays_linked_and_keeps_its_mode(tmp_path):
    (tmp_path / "real").mkdir()
    path = tmp_path / "judged.tsv"
    path.symlink_to("real/judged.tsv")
    one, two = JudgedPairs(path), JudgedPairs(path)
    one.judge("a", "b", "copy")
    path.chmod(0o600)
    two.judge("a", "c", "no")
    one.judge("a", "d", "form")
    assert path.read_text() == "id1\tid2\tlabel\na\tb\tcopy\na\tc\tno\na\td\tform\n"
    assert path.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_no_file_takes_no_judgement():
    with pytest.raises(SettingsError, match="a regular file, not a directory, a pipe or a device"):
        JudgedPairs(Path("/dev/null"))


def test_what_a_client_sends_that_is_no_request_is_told_to_that_client_alone(path, tmp_path):
    command = [sys.executable, "-m", "neardup", "serve", "--window", str(path), "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        port = re.search(r"127\.0\.0\.1:(\d+)", process.stderr.readline())
        assert port is not None
        try:
            with socket.create_connection(("127.0.0.1", int(port[1])), timeout=20) as client:
                client.sendall(b"\x16\x03\x01\r\n\r\n")  # as of https://
                assert client.recv(100).startswith(b"HTTP/1.1 400")
        finally:
            process.terminate()
        log = process.stderr.read().splitlines()
    assert [line for line in log if not line.startswith("neardup: ")] == []
