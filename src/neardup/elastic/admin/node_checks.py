"""Checks of the nodes of a cluster: their versions, and whether each has the plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from neardup.elastic.http import admin_api as api
from neardup.elastic.http.product import TITLES
from neardup.model.finding import Finding
from neardup.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.elastic.admin.cluster_snapshot import ClusterSnapshot, NodeFacts
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.http.product import Product
    from neardup.model.finding import State

_IN_ZIP: Final[dict[Product, str]] = {"elasticsearch": "es", "opensearch": "opensearch"}
_IN_MAKE: Final[dict[Product, str]] = {"elasticsearch": "", "opensearch": "opensearch-"}


def plugin_for(product: Product, server_version: str) -> str:
    """The plugin's zip for a node of this version, and the command that makes it.

    >>> plugin_for("opensearch", "3.6.0").partition("-")[2].partition("-")[2]
    'opensearch3.6.0.zip (make plugin VERSION=opensearch-3.6.0)'
    """
    zip = f"neardup-{VERSION}-{_IN_ZIP[product]}{server_version}.zip"
    return f"{zip} (make plugin VERSION={_IN_MAKE[product]}{server_version})"


def check_nodes(cluster: Cluster, snapshot: ClusterSnapshot) -> Iterator[Finding]:
    """Findings on each node: its version, and the plugin that it has or needs."""
    plugins, nodes = _plugin_versions(cluster), snapshot.nodes
    is_needed = (snapshot.about or {}).get("signed_by") == "plugin"
    for node in nodes:
        yield _version(node, nodes, TITLES[snapshot.product])
        wanted = plugin_for(snapshot.product, node.version)
        installed = plugins.get(node.name)
        what = f"plugin on {node.name}"
        if installed is None or not node.signs:
            remedy = f"install {wanted} there and restart it (docs/elasticsearch.md), or sign in the client"
            state: State = "bad" if is_needed or any(other.signs for other in nodes) else "warning"
            fails = (
                ", and the window's pipeline needs it, so writes through this node fail" if is_needed else ""
            )
            yield Finding(what, state, f"neardup is not installed{fails}: {remedy}")
        elif installed != VERSION:
            yield Finding(what, "warning", f"neardup {installed}, this is {VERSION}: install {wanted}")
        else:
            yield Finding(what, "ok", f"neardup {installed}")


def _plugin_versions(cluster: Cluster) -> dict[str, str]:
    answers = api.nodes(cluster, "plugins", fields=("name", "plugins.name", "plugins.version"))
    return {
        node["name"]: plugin["version"]
        for node in answers
        for plugin in node.get("plugins", ())
        if plugin["name"] == "neardup"
    }


def _version(node: NodeFacts, nodes: list[NodeFacts], title: str) -> Finding:
    what = f"node {node.name}"
    if len({other.version for other in nodes}) > 1:
        return Finding(
            what,
            "warning",
            f"{title} {node.version}, but not all nodes have this version: finish the upgrade",
        )
    return Finding(what, "ok", f"{title} {node.version}")
