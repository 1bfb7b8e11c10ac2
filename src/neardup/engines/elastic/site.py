"""Site: what every part of an opened window in a cluster works with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from neardup.cluster.client import Cluster
    from neardup.engines.elastic.layout import Layout
    from neardup.engines.elastic.lease import Lease
    from neardup.signature import Signer


class Site(NamedTuple):
    """The connection, what fields and indices are called, this scorer's turns, and who signs by the window's recipe."""

    cluster: Cluster
    layout: Layout
    lease: Lease
    signer: Signer
