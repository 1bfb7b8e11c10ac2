"""Which documents of a stream can be scored, and why others cannot."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from neardup.errors import DocumentError
from neardup.model.clock import now_ms
from neardup.model.document import MAX_ID_BYTES, Flush, ForeignDocument, Prepared, Reject, prepare
from neardup.model.escapes import escaped
from neardup.model.hours import too_far_ahead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neardup.model.settings import Settings
    from neardup.window.base import Documents, OnReject

log = logging.getLogger("neardup")


def usable(documents: Documents, settings: Settings, reject: OnReject) -> Iterator[Prepared | Flush]:
    """The `documents` that can be used; the others go to `reject`."""
    max_length, now = settings.max_length, now_ms()
    for item in documents:
        if isinstance(item, Flush):
            yield item
            continue
        try:
            document = prepare(item, now_ms, max_length)
            if document.time > now:  # `now` may be old: the clock is read again where it matters
                now = now_ms()
                reason = too_far_ahead(document.time, now, settings.ahead_hours)
                if reason is not None:
                    raise DocumentError(document.id, reason)
        except DocumentError as error:
            source = item.origin.qualified_id if isinstance(item, ForeignDocument) else None
            reject(Reject(error.id, error.reason, source))
            continue
        yield document


def log_reject(reject: Reject) -> None:
    """Logs a reject; the default `on_reject`."""
    log.warning(
        "document %s rejected: %s", escaped((reject.id or "without id")[:MAX_ID_BYTES]), reject.reason
    )
