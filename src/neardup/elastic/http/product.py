"""The products that a cluster can run."""

from __future__ import annotations

from typing import Final, Literal

Product = Literal["elasticsearch", "opensearch"]

TITLES: Final[dict[Product, str]] = {"elasticsearch": "Elasticsearch", "opensearch": "OpenSearch"}
