"""The products that a cluster can be of."""

from __future__ import annotations

from typing import Final, Literal

Product = Literal["elasticsearch", "opensearch"]

TITLES: Final[dict[Product, str]] = {"elasticsearch": "Elasticsearch", "opensearch": "OpenSearch"}
