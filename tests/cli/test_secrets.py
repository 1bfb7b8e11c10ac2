"""Secrets by every way that there is: none is printed, logged, written to a file or shown by the process list."""

from __future__ import annotations

import base64
import os
import subprocess
import time
import warnings
from pathlib import Path
from typing import Any

import pytest
from testing.cluster_stand_in import RESET, Answer, Request, error, standing_in

from neardup.elastic.http.client import Backoff, ClusterWarning
from neardup.errors import ClusterUnreachable

KEY, PASSWORD, SALT = "a2V5LXNlY3JldA-KEY", "pass-SECRET-word", b"salt-SECRET-of-more-than-sixteen-bytes"
SECRETS = {
    secret[: len(secret) // 2]  # a message that is cut may end within one
    for secret in (
        KEY.encode(),
        PASSWORD.encode(),
        SALT,
        SALT.hex().encode(),
        base64.b64encode(SALT),
        base64.b64encode(f"scorer:{PASSWORD}".encode()),
    )
}
GIVEN = {"neardup.toml", "news.salt", "window.salt", "window.salt.copy"}
"""Files that are there to hold one; none else may."""


def sent(request: Request) -> str:
    """What a server repeats that is badly meant or badly made."""
    return f"you sent {request.headers.get('authorization')}"


SCRIPTS: dict[str, Any] = {
    "lets nobody in": [error(401, "security_exception", "missing authentication credentials")],
    "forbids": [
        error(403, "security_exception", "action [cluster:monitor/nodes/info] is unauthorized for user")
    ],
    "fails": [error(500, "exception", "boom")],
    "cuts the connection": [RESET],
    "repeats what it was sent": lambda request: error(400, "odd", sent(request)),
    "repeats it at the end of a long page": lambda request: Answer(
        400, f"{'x' * 165} {sent(request)}".encode()
    ),
    "repeats it in a list": lambda request: Answer(400, [[{"why": sent(request)}]]),
    "repeats it as a number": lambda request: Answer(
        200, {"status": "green", "active_shards": sent(request)}
    ),
    "repeats it as its form": lambda request: Answer(200, {}, {"content-type": sent(request)}),
    "repeats it in a warning": lambda request: Answer(
        200, {"tagline": "You Know, for Search"}, {"warning": f'299 proxy "{sent(request)}"'}
    ),
    "sends a page": [Answer(200, b"<html>login</html>")],
    "sends something else": [Answer(200, {"tagline": "You Know, for Search"})],
}
COMMANDS = [
    ["ingest", "s.jsonl"],
    ["query", "--text", "Rain."],
    ["stats"],
    ["setup"],
    ["watch", "--once"],
    ["doctor"],
]
WAYS = ("key", "password", "file")


@pytest.fixture
def given(monkeypatch):
    """Gives a secret by one of the ways."""

    def give(way: str) -> None:
        Path("s.jsonl").write_text('{"id": "a", "text": "Rain."}\n')
        if way == "key":
            monkeypatch.setenv("NEARDUP_API_KEY", KEY)
        elif way == "password":
            monkeypatch.setenv("NEARDUP_USERNAME", "scorer")
            monkeypatch.setenv("NEARDUP_PASSWORD", PASSWORD)
        else:
            Path("neardup.toml").write_text(f'[elasticsearch]\napi_key = "{KEY}"\n')

    return give


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Nobody waits for a server that does not answer."""

    def give_up(self: Any, url: str, reason: str, *, least: float = 0.0) -> None:
        raise ClusterUnreachable(url, reason)

    monkeypatch.setattr(Backoff, "wait", give_up)


def assert_untold(*said: bytes) -> None:
    for secret in SECRETS:
        assert not [text for text in said if secret in text], secret
    for file in Path().rglob("*"):
        if file.is_file() and file.name not in GIVEN:
            content = file.read_bytes()
            assert not [secret for secret in SECRETS if secret in content], file


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("way", WAYS)
def test_no_failure_of_a_cluster_tells_a_secret(run, given, caplog, way, script):
    caplog.set_level("DEBUG", logger="neardup")
    given(way)
    with standing_in(SCRIPTS[script]) as server, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("default", ClusterWarning)
        for command in COMMANDS:
            window = f"{server.url}/news"
            done = run(*command, "--window", window, "--config", "neardup.toml") if way == "file" else (
                run(*command, "--window", window)
            )  # fmt: skip
            assert done.code in (2, 3), command
            assert_untold(done.out.encode(), done.err.encode(), caplog.text.encode())
        assert_untold(*(str(warning.message).encode() for warning in warned))
        assert any("authorization" in request.headers for request in server.requests)


@pytest.mark.parametrize("where", ["https://scorer:{}@127.0.0.1:1/news", "scorer:{}@127.0.0.1:1/news"])
def test_a_password_in_an_address_is_refused_and_not_repeated(run, where):
    Path("s.jsonl").write_text('{"id": "a", "text": "Rain."}\n')
    for command in COMMANDS:
        done = run(*command, "--window", where.format(PASSWORD))
        assert done.code == 2
        assert_untold(done.out.encode(), done.err.encode())


ADDRESSES = [
    "https://scorer:{}@search/news",
    " https://scorer:{}@search:9200/news",
    "'https://scorer:{}@search/news'",
    "https:/scorer:{}@search/news",
    "https//scorer:{}@search/news",
    "htps://scorer:x/{}@search/news",
    "scorer:{}@search:9200/news",
]
NAMING = [
    "ingest ADDRESS --window w",
    "ingest s.jsonl --window ADDRESS",
    "ingest s.jsonl --window w --output ADDRESS",
    "ingest s.jsonl --window w --metrics ADDRESS",
    "ingest s.jsonl --window w --lexicon ADDRESS",
    "ingest s.jsonl --config ADDRESS",
    "dedup s.jsonl --output kept.jsonl --removed ADDRESS",
    "check s.jsonl --against ADDRESS",
    "query ADDRESS --id a",
    "query --window w --file ADDRESS",
    "get ADDRESS --window w",
    "show ADDRESS",
    "stats --window ADDRESS",
    "stats --format ADDRESS",
    "doctor --window ADDRESS",
    "doctor --window ADDRESS --repair",
    "resign --window ADDRESS",
    "ADDRESS",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_password_in_what_was_meant_as_an_address_is_not_repeated_wherever_it_stands(run, address):
    Path("s.jsonl").write_text('{"id": "a", "text": "Rain."}\n')
    assert run("ingest", "s.jsonl", "--window", "w", "--format", "quiet").code == 0
    for command in NAMING:
        words = [address.format(PASSWORD) if word == "ADDRESS" else word for word in command.split()]
        done = run(*words)
        assert done.code, command
        # A table and a frame break long lines.
        said = "".join(character for character in done.out + done.err if character not in " \n│")
        assert PASSWORD not in said, command
        assert not list(Path().rglob("*scorer*")), command


def test_a_salt_is_in_nothing_but_its_own_files(run, stream):
    Path("news.salt").write_bytes(SALT)
    said = []
    for words in (
        ("ingest", stream, "--window", "w", "--salt", "news.salt", "--output", "v.jsonl"),
        ("stats", "--window", "w"),
        ("doctor", "--window", "w"),
        ("query", "--window", "w", "--text", "Rain."),
        ("resign", "--window", "w", "--salt", "neardup.toml"),
        ("resign", "--window", "w"),
    ):
        Path("neardup.toml").write_text("[recipe]\n")
        done = run(*words)
        said += [done.out.encode(), done.err.encode()]
    assert_untold(*said)
    assert {file.stat().st_mode & 0o777 for file in Path("w").glob("window.salt*")} == {0o600}


def _command_lines(parent: int) -> list[bytes]:
    """What the process list shows of a process and of those that it started."""
    shown = subprocess.run(
        ["ps", "-eo", "ppid,pid,args"], capture_output=True, check=True
    ).stdout.splitlines()
    return [line for line in shown if str(parent).encode() in line.split(None, 2)[:2]]


@pytest.mark.parametrize("way", WAYS)
def test_the_process_list_does_not_show_it(command, given, way):
    given(way)
    with standing_in([error(503, "busy", "later")]) as server:
        words = [
            "stats",
            "--window",
            f"{server.url}/news",
            *(["--config", "neardup.toml"] if way == "file" else []),
        ]
        process = subprocess.Popen(
            [*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)
        )
        try:
            for _ in range(600):
                if server.requests:
                    break
                time.sleep(0.05)
            assert any("authorization" in request.headers for request in server.requests)
            assert_untold(b"\n".join(_command_lines(process.pid)))
        finally:
            process.kill()
            out, err = process.communicate()
        assert_untold(out, err)
