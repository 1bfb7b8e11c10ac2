"""What every test may ask for."""

import signal

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

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Whoever runs the tests in the background ignores it, and so would every process that they interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
