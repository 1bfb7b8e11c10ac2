"""ElasticContext: what every part of an opened window in a cluster works with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster
    from neardup.elastic.window.index_layout import Layout
    from neardup.elastic.window.lease import Lease
    from neardup.elastic.window.state_document import StateDocument
    from neardup.signing.signer import Signer


class ElasticContext(NamedTuple):
    """The connection, what fields and indices are called, this scorer's lease, and who signs by the window's recipe."""

    cluster: Cluster
    layout: Layout
    lease: Lease[StateDocument]
    signer: Signer
