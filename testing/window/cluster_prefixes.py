"""Prefixes for windows in the cluster of a run: each is used once, and all are deleted at the end."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from testing.node.prefix import indices_like, remove_windows

from neardup.elastic.http.address import Address, Credentials
from neardup.elastic.http.client import Cluster
from neardup.errors import ClusterRejected

_TOGETHER = 10
"""Windows deleted at a time."""


class Prefixes:
    """Makes addresses of windows. Their prefixes share a beginning, so that deleting them cannot affect others."""

    def __init__(self, url: str, credentials: Credentials) -> None:
        self.credentials = credentials
        self._url, self._run = url, f"test{secrets.token_hex(5)}"
        self._count = 0
        self._closed: list[Address] = []
        self._cluster = Cluster(Address(url, self._run), credentials, patience=60)

    def fresh(self) -> Address:
        """The address of a window that does not exist yet."""
        self._count += 1
        return Address(self._url, f"{self._run}w{self._count:04}")

    def give_back(self, addresses: Iterable[Address]) -> None:
        """These windows are closed, and are deleted together with the next ones."""
        self._closed += addresses
        if len(self._closed) >= _TOGETHER:
            self.sweep()

    def sweep(self) -> None:
        """Deletes indices and templates of the windows that were given back."""
        gone, self._closed = self._closed, []
        remove_windows(self._cluster, gone, f"*{self._run}*")

    def indices(self, patterns: list[str]) -> list[str]:
        """The names of indices that match one of `patterns`."""
        return indices_like(self._cluster, patterns)

    def close(self) -> None:
        """Deletes all that is left."""
        self.sweep()
        for path in ("/_ingest/pipeline", "/_ilm/policy"):
            try:
                found = self._request("GET", f"{path}/neardup-{self._run}w*")
            except ClusterRejected:
                continue  # a distribution without lifecycle policies
            for name in found:
                self._request("DELETE", f"{path}/{name}")
        self._cluster.close()

    def _request(self, method: str, path: str, params: dict[str, Any] | None = None) -> Any:
        return self._cluster.request(method, path, params=params, missing_ok=True) or {}
