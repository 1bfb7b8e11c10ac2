"""Credentials go only to a host that the user named, whatever lies in the working directory."""

from __future__ import annotations

from pathlib import Path

import pytest
from testing.cluster_stand_in import error, standing_in

SECRET = "c2VjcmV0OnZlcnk="
COMMANDS = [
    ["ingest", "s.jsonl"],
    ["ingest", "--from-index", "raw"],
    ["ingest", "--from-index", "raw", "--in-place"],
    ["watch", "--once"],
    ["query", "--text", "Rain."],
    ["groups"],
    ["delete", "a"],
    ["expire"],
    ["reconcile"],
    ["stats"],
    ["setup"],
    ["remove", "--force"],
    ["rollover"],
    ["doctor"],
]


@pytest.fixture
def server():
    """Somebody who listens, and lets nobody in."""
    with standing_in([error(401, "security_exception", "missing authentication credentials")]) as listening:
        yield listening


@pytest.fixture
def address(server, monkeypatch):
    monkeypatch.setenv("NEARDUP_API_KEY", SECRET)
    Path("s.jsonl").write_text('{"id": "a", "text": "Rain."}\n')
    return f"{server.url}/news"


def sent(server):
    return {request.headers.get("authorization") for request in server.requests}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_file_that_lies_there_gets_no_credentials_of_the_environment(run, server, address, command):
    Path("neardup.toml").write_text(f'window = "{address}"\n')
    done = run(*command)
    assert (done.code, server.requests) == (2, [])
    assert done.err == (
        f"neardup: {Path('neardup.toml').absolute()}: this file was found in the working directory, not named by you, "
        "and it names "
        f"the host of {address}: give --window {address} or set NEARDUP_WINDOW. Credentials from the environment are "
        "sent only where you say; if the file is yours, name it with --config neardup.toml\n"
    )


@pytest.mark.parametrize("way", ["option", "variable", "file", "file of the environment"])
def test_a_host_that_was_named_gets_them(run, server, address, monkeypatch, way):
    Path("neardup.toml").write_text(f'window = "{address}"\n')
    words = ["stats"]
    if way == "option":
        words += ["--window", address]
    elif way == "variable":
        monkeypatch.setenv("NEARDUP_WINDOW", address)
    elif way == "file":
        words += ["--config", "neardup.toml"]
    else:
        monkeypatch.setenv("NEARDUP_CONFIG", "neardup.toml")
    done = run(*words)
    assert "rejects the credentials" in done.err
    assert sent(server) == {f"ApiKey {SECRET}"}


def test_credentials_of_the_file_go_where_it_says(run, server, address, monkeypatch):
    monkeypatch.delenv("NEARDUP_API_KEY")
    Path("neardup.toml").write_text(f'window = "{address}"\n[elasticsearch]\napi_key = "own"\n')
    assert run("stats").code == 3
    assert sent(server) == {"ApiKey own"}


@pytest.mark.parametrize("variable", ["NEARDUP_API_KEY", "NEARDUP_PASSWORD"])
def test_a_host_of_the_file_beside_an_option_of_another(run, server, address, monkeypatch, variable):
    monkeypatch.delenv("NEARDUP_API_KEY")
    monkeypatch.setenv(variable, "x")
    monkeypatch.setenv("NEARDUP_USERNAME" if variable == "NEARDUP_PASSWORD" else "NEARDUP_MATCHES", "1")
    Path("neardup.toml").write_text('window = "https://elsewhere.example/news"\n')
    assert run("stats", "--window", address).code == 3
    assert server.requests
    assert run("stats", "--window", "w").err == (
        "neardup: w: there is no window here; `neardup ingest FILE --window w` makes one\n"
    )
    assert "names the host of https://elsewhere.example/news" in run("stats").err


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('ca_certs = "s.jsonl"', "says which certificates to trust: set NEARDUP_CA_CERTS"),
        ("verify_certs = false", "turns the check of certificates off"),
    ],
)
def test_a_file_that_lies_there_decides_of_no_certificate(run, server, address, line, what):
    Path("neardup.toml").write_text(f"[elasticsearch]\n{line}\n")
    done = run("stats", "--window", address)
    assert (done.code, server.requests) == (2, [])
    assert what in done.err
    assert run("stats", "--window", address, "--config", "neardup.toml").code == 3
    assert server.requests
