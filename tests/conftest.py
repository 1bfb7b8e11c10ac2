"""What every test may ask for."""

from tests.node.fixtures import (
    _bare_node,
    _own_node,
    _two_nodes,
    address,
    bare_node,
    cluster,
    credentials,
    elasticsearch_url,
    new_cluster,
    own_node,
    pytest_collection_modifyitems,
    pytest_terminal_summary,
    two_nodes,
    workshop,
)

__all__ = [
    "_bare_node",
    "_own_node",
    "_two_nodes",
    "address",
    "bare_node",
    "cluster",
    "credentials",
    "elasticsearch_url",
    "new_cluster",
    "own_node",
    "pytest_collection_modifyitems",
    "pytest_terminal_summary",
    "two_nodes",
    "workshop",
]
