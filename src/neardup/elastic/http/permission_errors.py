"""Permission errors: what Elasticsearch's 401 and 403 mean, and which of our three roles would allow the request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from neardup.elastic.http.remedies import remedy_for
from neardup.errors import ClusterError, ClusterRefused, ClusterRejected

if TYPE_CHECKING:
    from neardup.elastic.http.address import Address

_ACTION_RE: Final = re.compile(r"action \[(\S+)\] is unauthorized")
_INDICES_RE: Final = re.compile(r"on indices \[([^\]]*)\]")
_OF_SCORERS: Final = (
    "indices:data/",
    "indices:admin/auto_create",
    "indices:admin/delete",
    "indices:admin/refresh",
)
_OF_BOTH: Final = (
    "indices:admin/get",
    "indices:admin/aliases",
    "indices:admin/create",
    "indices:monitor/settings/get",
)
"""What of the scorer's work is the set-up's too: who scores all day is not to be sent for the other role."""


def permission_error(own: Address, request: str, status: int, type: str, reason: str) -> ClusterError:
    """The error for an answer of `status` 401 or 403 about the window `own`; a block on an index (403 as well) is no
    matter of rights.
    """
    if status == 401:
        return ClusterRefused(own.url, None, None, None)
    match = _ACTION_RE.search(reason)
    if not match:
        return ClusterRejected(own.url, request, status, type, reason, remedy_for(f"{type}: {reason}"))
    action = match[1]
    indices = _INDICES_RE.search(reason)
    named = indices[1] if indices else None
    of_roles = named is None or all(map(own.has, named.split(",")))
    return ClusterRefused(own.url, action, named, role_for(action) if of_roles else None)


def role_for(action: str) -> str:
    """The least of our roles (`roles/`) that allows an action of Elasticsearch; two of which neither is the least.

    >>> role_for("indices:data/read/search"), role_for("cluster:admin/ingest/pipeline/put")
    ('scorer', 'setup')
    >>> role_for("indices:admin/create")
    'scorer (or setup)'
    """
    if action.startswith("indices:data/write/bulk"):
        return "writer"
    if action.startswith(_OF_SCORERS):
        return "scorer"
    return "scorer (or setup)" if action.startswith(_OF_BOTH) else "setup"
