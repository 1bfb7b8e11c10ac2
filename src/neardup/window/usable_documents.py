"""Which documents of a stream can be scored, and why others cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neardup.errors import DocumentError
from neardup.model.clock import now_ms
from neardup.model.document import Flush, Item, Prepared, Reject, prepare
from neardup.model.hours import too_far_ahead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.model.settings import Settings
    from neardup.window.base import Documents, OnReject


def usable(documents: Documents, settings: Settings, reject: OnReject) -> Iterator[Prepared | Flush]:
    """What of `documents` can be used."""
    for item in documents:
        if isinstance(item, Flush):
            yield item
            continue
        try:
            yield _prepared(item, settings)
        except DocumentError as error:
            reject(Reject(error.id, error.reason))


def _prepared(item: Item, settings: Settings) -> Prepared:
    document = prepare(item, now_ms, settings.max_length)
    reason = too_far_ahead(document.time, now_ms(), settings.ahead_hours)
    if reason is not None:
        raise DocumentError(document.id, reason)
    return document
