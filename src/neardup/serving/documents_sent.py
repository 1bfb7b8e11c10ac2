"""The documents of a request: why one cannot be used, in words of JSON, and which one a verdict or reject is about."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from neardup.errors import DocumentError
from neardup.model.document import Reject, plain_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from neardup.model.verdict import Verdict

_JSON_NAMES: Final = {
    bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "an array", dict: "an object",
}  # fmt: skip


class DocumentsSent:
    """The `documents` of a request, for `Window.ingest`, and its verdicts and rejects with the positions of their
    documents, from 0 on.

    A position is None if it is not known: if an id comes more than once, and the window rejected one of its documents.
    """

    def __init__(self, documents: Sequence[Any]) -> None:
        self._documents = documents
        self._at = -1
        self._positions: dict[str, list[int]] = defaultdict(list)
        """Of the documents that the window got, by their ids."""
        self._rejects: list[tuple[Reject, int | None]] = []

    def usable(self) -> Iterator[Any]:
        """The documents, without those that are rejected here."""
        for at, document in enumerate(self._documents):
            self._at = at
            id, reason = _id_of(document), _why_unusable(document)
            if reason is not None:
                self._rejects.append((Reject(id, reason), at))
                continue
            if id is not None:
                self._positions[id].append(at)
            yield document

    def reject(self, reject: Reject) -> None:
        """Notes a reject of the window. One without an id is about the document that was read last."""
        self._rejects.append((reject, self._at if reject.id is None else None))

    def indexed_verdicts(self, verdicts: Sequence[Verdict]) -> list[tuple[Verdict, int | None]]:
        """Each verdict with the position of its document; those of one id are in the order of their documents."""
        unclear = {reject.id for reject, at in self._rejects if at is None}
        left = {id: iter(own) for id, own in self._positions.items() if id not in unclear}
        return [(verdict, next(left.get(verdict.id, iter(())), None)) for verdict in verdicts]

    def indexed_rejects(self) -> list[tuple[Reject, int | None]]:
        """Each reject with the position of its document, in the order of these."""
        indexed = [(reject, self._position(reject) if at is None else at) for reject, at in self._rejects]
        return sorted(indexed, key=lambda each: len(self._documents) if each[1] is None else each[1])

    def _position(self, reject: Reject) -> int | None:
        positions = self._positions.get(reject.id or "", ())
        return positions[0] if len(positions) == 1 else None


def _id_of(document: Any) -> str | None:
    """The id of a document as verdicts have it; None if it has none that can be used."""
    if isinstance(document, list):
        id = document[0] if document else None
    else:
        id = document.get("id") if isinstance(document, dict) else None
    try:
        return plain_id(id)
    except DocumentError:
        return None


def _why_unusable(document: Any) -> str | None:
    """What is wrong with the types of a document; None if nothing is, or if the window says it."""
    if isinstance(document, list):  # [id, text, time]
        return None
    if not isinstance(document, dict):
        return f"{_json_name(document)} is no document: it must be an object with id and text"
    id, text, time = (document.get(name) for name in ("id", "text", "time"))
    if not isinstance(id, str | int) or isinstance(id, bool):
        given = f"id is {_json_name(id)}" if "id" in document else "there is no id"
        return f"{given}: it must be a string that is not empty, or a whole number of 64 bits"
    if "text" in document and not isinstance(text, str):
        return f"text is {_json_name(text)}, not a string"
    if isinstance(time, bool | list | dict):
        return f"time is {_json_name(time)}: it must be a string, as in ISO 8601, or a number of seconds"
    return None


def _json_name(value: Any) -> str:
    return "null" if value is None else _JSON_NAMES[type(value)]
