"""Checkpoint of reading an index: how far an interrupted run had come."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from neardup.elastic.http.api import delete_doc, get_doc, put_doc

if TYPE_CHECKING:
    from collections.abc import Mapping

    from neardup.elastic.http.client import Cluster


class Checkpoint:
    """How far reading a source into a window has come: a document beside the window's state.

    All documents before its time are in the window. It is valid only for the same `reading` (source and fields);
    another source or another field has its own.
    """

    def __init__(self, cluster: Cluster, reading: Mapping[str, str]) -> None:
        self._cluster, self._reading = cluster, reading
        digest = hashlib.sha256(repr(sorted(reading.items())).encode()).hexdigest()[:16]
        self._index, self._id = cluster.address.state, f"from-{digest}"

    def time(self) -> Any:
        """The time to go on from; None if there is no checkpoint."""
        kept = get_doc(self._cluster, self._index, self._id)
        return None if kept is None else kept.source["time"]

    def note(self, time: Any) -> None:
        """Record that everything before `time` is done; documents of that time are read again, which changes
        nothing.
        """
        put_doc(self._cluster, self._index, self._id, {**self._reading, "time": time})

    def clear(self) -> None:
        """Delete the checkpoint of a complete reading: the next one starts anew, and finds what has come meanwhile."""
        delete_doc(self._cluster, self._index, self._id)
