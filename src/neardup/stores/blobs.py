"""The blob of a document: what its row has no column for. The one home of its format.

The id; the id of the group's head, unless that is the document itself; of a copy or a partial copy the payload of its
verdict (stores/verdict_payload.py); and where the row says so what is kept of it to be shown (stores/shown.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from neardup.model.document import format_time
from neardup.model.source import SOURCE_FIELDS
from neardup.model.verdict import Member, Verdict
from neardup.stores.records import KINDS, SET_ASIDE, STATUSES, TRUNCATED, plain_values
from neardup.stores.shown import ShownWriter, appended, detached, read_came, read_shown
from neardup.stores.verdict_payload import NOTHING_SAID, VerdictPayload

if TYPE_CHECKING:
    from neardup.model.settings import Settings
    from neardup.model.verdict import Overlap, Part
    from neardup.stores.base import Shown
    from neardup.stores.records import Rows


_PARTS: Final = ("shown", "id_bytes", "group_bytes")
"""The columns that say how a blob is laid out."""


class Blob(NamedTuple):
    """What a blob says: the id of its document, that of the head of its group, and the rest."""

    id: str
    group: str
    payload: VerdictPayload


def shown_writer(keeps_text: bool | None, settings: Settings, *, by_source: bool) -> ShownWriter | None:
    """What makes the last part of blobs in a store that `keeps_text`; None where documents lie whole in it.

    `by_source`: what of a text counts depends on whose it is, and so the fields that say it are kept, too.
    """
    if keeps_text is None:
        return None
    if settings.keep_text is not None:
        keeps_text = settings.keep_text
    show = (*settings.show, *SOURCE_FIELDS) if by_source else settings.show
    return ShownWriter(show, keep_text=keeps_text or settings.kinds)


def first_blobs(rows: Rows, ids: Sequence[bytes], parts: Sequence[bytes]) -> list[bytes]:
    """The blobs of new documents, as if every one were unique, which their `rows` are told of; `parts` as
    `ShownWriter.parts` makes them.
    """
    blobs = [appended(id, part) for id, part in zip(ids, parts, strict=True)]
    rows["id_bytes"], rows["blob_bytes"] = list(map(len, ids)), list(map(len, blobs))
    rows["shown"] = [each != b"" for each in parts]
    return blobs


def encode_blob(row: Any, id: str, group: str, payload: VerdictPayload, shown: bytes = b"") -> bytes:
    """The blob of a document; `row` is told how its parts are laid out."""
    id_bytes, group_bytes = id.encode(), b"" if group == id else group.encode()
    blob = appended(id_bytes + group_bytes + payload.to_bytes(), shown)
    row["id_bytes"], row["group_bytes"], row["blob_bytes"] = len(id_bytes), len(group_bytes), len(blob)
    row["shown"] = shown != b""
    return blob


def has_shown(row: Any) -> bool:
    """Whether anything is kept of a document to be shown, in its blob."""
    return bool(row["shown"])


def shown_part(row: Any, blob: bytes) -> bytes:
    """The bytes of what is kept of a document to be shown; b"" if nothing is."""
    return detached(blob)[1] if row["shown"] else b""


def came_of(rows: Rows, blobs: Sequence[bytes]) -> list[bytes | None]:
    """The texts of documents as they came; None for one that was not kept."""
    return [
        read_came(detached(blob)[1]) if shown else None
        for shown, blob in zip(rows["shown"].tolist(), blobs, strict=True)
    ]


def shown_of(row: Any, blob: bytes) -> Shown:
    """What is kept of a document to be shown."""
    return read_shown(shown_part(row, blob))


def decode_blob(row: Any, blob: bytes) -> Blob:
    """What the blob of `row` says, but for its shown."""
    return _decoded(blob, *(int(row[name]) for name in _PARTS))


def decode_blobs(rows: Rows, blobs: Sequence[bytes]) -> list[Blob]:
    """What the blobs of `rows` say, but for their shown."""
    parts = plain_values(rows, _PARTS)
    return [_decoded(blob, *part) for blob, part in zip(blobs, parts, strict=True)]


def _decoded(blob: bytes, shown: int, id_bytes: int, group_bytes: int) -> Blob:
    if shown:
        blob = detached(blob)[0]
    id, rest = blob[:id_bytes].decode(), blob[id_bytes:]
    if not rest:  # as of most documents
        return Blob(id, id, NOTHING_SAID)
    return Blob(id, rest[:group_bytes].decode() or id, VerdictPayload.read(rest[group_bytes:]))


# ---- verdicts ----


def encode_verdict(
    row: Any,
    verdict: Verdict,
    best: Overlap | None,
    parts: Sequence[Part],
    head: Overlap | None,
    shown: bytes = b"",
) -> bytes:
    """Writes the verdict on a document into its row, as far as that has columns for it; returns its blob.

    `best` is the best match, `parts` are those that the verdict lists, and perhaps others; `head` is the match whose
    group the document joins.
    """
    row["status"], row["kind"] = STATUSES.index(verdict.status), KINDS.index(verdict.kind)
    row["candidates"] = verdict.candidates
    row["asked"] = verdict.partial is not None
    row["flags"] = (row["flags"] & SET_ASIDE) | (TRUNCATED if verdict.truncated else 0)
    row["shared"], row["larger"] = (best.shared, best.larger) if best is not None else (-1, 0)
    return encode_blob(row, verdict.id, verdict.group, VerdictPayload.of(verdict, best, parts, head), shown)


def verdict_of(row: Any, blob: bytes) -> Verdict:
    """The verdict that a stored document was given."""
    id, group, payload = decode_blob(row, blob)
    matches, matches_total = payload.listed
    partial, partial_total = payload.partial if row["asked"] else (None, None)
    return Verdict(
        id,
        format_time(int(row["time"])),
        STATUSES[int(row["status"])],
        payload.original,
        payload.score,
        int(row["shared"]) if payload.original is not None else None,
        group,
        int(row["candidates"]),
        bool(row["flags"] & TRUNCATED),
        matches,
        matches_total,
        partial,
        partial_total,
        KINDS[int(row["kind"])],
        payload.differing_pair,
    )


def member_of(row: Any, blob: bytes) -> Member:
    """A stored document as a member of its group."""
    id, group, payload = decode_blob(row, blob)
    score, shared = payload.with_head(group, int(row["shared"]))
    kind = KINDS[int(row["kind"])]
    return Member(id, format_time(int(row["time"])), score, shared, payload.original, payload.score, kind)


def best_overlap(row: Any) -> tuple[int, int]:
    """|A ∩ B| and max(|A|, |B|) of a copy and its best match."""
    return int(row["shared"]), int(row["larger"])
