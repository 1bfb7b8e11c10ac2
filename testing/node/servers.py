"""The servers that the plugin is built for, as `plugin/versions.tsv` lists them."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PLUGIN: Final = ROOT / "plugin"
LIST: Final = PLUGIN / "versions.tsv"
CHOICE: Final = "NEARDUP_TEST_SERVER"
"""The variable that names the server of a run of tests."""

_TITLES: Final = {"elasticsearch": "Elasticsearch", "opensearch": "OpenSearch"}
_SHORT: Final = {"elasticsearch": "es"}


@dataclass(frozen=True)
class Server:
    """One version of a product; `note` says its role among the others ("default", "newest", "oldest", or nothing)."""

    product: str
    version: str
    note: str = ""

    def __str__(self) -> str:
        return f"{_TITLES[self.product]} {self.version}"

    @property
    def name(self) -> str:
        """Its name wherever a version is given."""
        return self.version if self.product == "elasticsearch" else self.path

    @property
    def path(self) -> str:
        """The directory for files made for it."""
        return f"{self.product}-{self.version}"

    @property
    def variables(self) -> str:
        """The prefix of the names of its environment variables."""
        return {"elasticsearch": "ES"}.get(self.product, self.product.upper())

    @property
    def managers(self) -> str:
        """The word in its settings for nodes that can lead a cluster."""
        return {"elasticsearch": "master"}.get(self.product, "cluster_manager")

    def zip_name(self, version: str) -> str:
        """The name of the plugin of this version of neardup."""
        return f"neardup-{version}-{_SHORT.get(self.product, self.product)}{self.version}.zip"

    def options(self) -> list[str]:
        """The options by which Maven builds for it."""
        done = subprocess.run([PLUGIN / "options", self.name], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(done.stderr.strip())
        return done.stdout.split()


def server_of(name: str) -> Server:
    """The server of this name, listed or not."""
    product, _, version = name.rpartition("-")
    there = Server(product or "elasticsearch", version)
    return next((server for server in SERVERS if server.name == there.name), there)


def chosen() -> Server:
    """The server of this run of tests."""
    return server_of(os.environ[CHOICE]) if os.environ.get(CHOICE) else DEFAULT


def only_elasticsearch(reason: str) -> pytest.MarkDecorator:
    """The mark of tests of something that OpenSearch lacks, for `reason`."""
    return pytest.mark.skipif(chosen().product != "elasticsearch", reason=f"not in OpenSearch: {reason}")


def _listed() -> list[Server]:
    rows = [line.split("\t") for line in LIST.read_text("utf-8").splitlines() if not line.startswith("#")]
    return [Server(row[0], row[1], row[-1]) for row in rows[1:]]


SERVERS: Final = _listed()
DEFAULT: Final = next(server for server in SERVERS if server.note == "default")
