"""Permission errors: what Elasticsearch's 401 and 403 mean, and which of our roles would allow the request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from neardup.elastic.http.remedies import remedy_for
from neardup.errors import ClusterError, ClusterRefused, ClusterRejected

if TYPE_CHECKING:
    from neardup.elastic.http.address import Address

_ACTION_RE: Final = re.compile(r"action \[(\S+)\] is unauthorized")
_INDICES_RE: Final = re.compile(r"on indices \[([^\]]*)\]")
_ROLES: Final = {
    "indices:data/write/bulk": "writer",
    "indices:data/read/": "reader (or scorer)",
    "indices:admin/refresh": "reader (or scorer)",
    "indices:admin/get": "reader (or scorer, setup)",
    "indices:monitor/settings/get": "reader (or scorer, setup)",
    "indices:data/": "scorer",
    "indices:admin/auto_create": "scorer",
    "indices:admin/delete": "scorer",
    "indices:admin/aliases": "scorer (or setup)",
    "indices:admin/create": "scorer (or setup)",
}
"""Roles by the beginning of an action, of which the first that matches counts. Where several roles allow an action all
are named: a scorer should not be sent for the role `setup`, nor for one that only reads.
"""


def permission_error(own: Address, request: str, status: int, type: str, reason: str) -> ClusterError:
    """The error for an answer of `status` 401 or 403 about the window `own`: `ClusterRefused`, or `ClusterRejected` for
    a 403 that is not about rights, such as a block on an index.
    """
    if status == 401:
        return ClusterRefused(own.url, None, None, None)
    match = _ACTION_RE.search(reason)
    if not match:
        return ClusterRejected(own.url, request, status, type, reason, remedy_for(f"{type}: {reason}"))
    action = match[1]
    indices = _INDICES_RE.search(reason)
    named = indices[1] if indices else None
    # No role may delete the state, which says what counts.
    is_of_state = named == own.state and action.startswith("indices:admin/delete")
    of_roles = named is None or (all(map(own.has, named.split(","))) and not is_of_state)
    return ClusterRefused(own.url, action, named, role_for(action) if of_roles else None)


def role_for(action: str) -> str:
    """Our roles (`roles/`) that allow an action of Elasticsearch, in words, the one that allows least first.

    >>> role_for("indices:data/read/search"), role_for("cluster:admin/ingest/pipeline/put")
    ('reader (or scorer)', 'setup')
    >>> role_for("indices:admin/create")
    'scorer (or setup)'
    """
    return next((role for beginning, role in _ROLES.items() if action.startswith(beginning)), "setup")
