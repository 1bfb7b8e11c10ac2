"""Every command runs on the real engine, in a directory of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from testing.cli.invocation import invoke
from testing.cli.samples import STREAM, written


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        """Standard output as JSON Lines."""
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Done]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch) -> Path:
    """The working directory, empty, and no settings from outside."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("NEARDUP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


@pytest.fixture
def run() -> Run:
    """Runs a command in this process; an exception that it does not expect is one of the test, too."""

    def run_command(*words: object) -> Done:
        done = invoke(*words)
        return Done(done.exit_code, done.stdout, done.stderr)

    return run_command


@pytest.fixture
def command() -> list[str]:
    """The words that start neardup as a process of its own."""
    return [sys.executable, "-m", "neardup"]


@pytest.fixture
def run_process(command) -> Run:
    """Runs a command in a process of its own."""

    def run_command(*words: object, stdin: bytes = b"", **options: Any) -> Done:
        done = subprocess.run(
            [*command, *map(str, words)],
            input=stdin,
            capture_output=True,
            check=False,
            timeout=120,
            **options,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run_command


@pytest.fixture
def stream(place) -> Path:
    """A stream with an exact copy, an edited one and an empty document."""
    return written("stream.jsonl", STREAM)


@pytest.fixture
def window(run, stream) -> str:
    """The window that the stream was read into."""
    assert run("ingest", stream, "--window", "w", "--format", "quiet").code == 0
    return "w"
