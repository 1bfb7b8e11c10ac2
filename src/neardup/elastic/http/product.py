"""The products that a cluster can be of, and what the plugin for each of their versions is called."""

from __future__ import annotations

from typing import Final, Literal

from neardup.version import VERSION

Product = Literal["elasticsearch", "opensearch"]

TITLES: Final[dict[Product, str]] = {"elasticsearch": "Elasticsearch", "opensearch": "OpenSearch"}
_IN_ZIP: Final[dict[Product, str]] = {"elasticsearch": "es", "opensearch": "opensearch"}
_IN_MAKE: Final[dict[Product, str]] = {"elasticsearch": "", "opensearch": "opensearch-"}


def plugin_for(product: Product, server_version: str) -> str:
    """Which zip a node of this version wants, and how it is made.

    >>> plugin_for("opensearch", "3.6.0").partition("-")[2].partition("-")[2]
    'opensearch3.6.0.zip (make plugin VERSION=opensearch-3.6.0)'
    """
    zip = f"neardup-{VERSION}-{_IN_ZIP[product]}{server_version}.zip"
    return f"{zip} (make plugin VERSION={_IN_MAKE[product]}{server_version})"
