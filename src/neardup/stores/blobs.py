"""The blob of a document: the data for which its row has no column. Only this module knows the format.

A blob has the id; the id of the group's head, unless that is the document itself; for a copy or a partial copy the
payload of its verdict (stores/verdict_payload.py); and, if the row says so, what is kept to be shown (stores/shown.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from neardup.model.source import SOURCE_FIELDS
from neardup.model.times import format_time
from neardup.model.verdict import Member, Verdict
from neardup.stores.records import KINDS, SET_ASIDE, STATUSES, TRUNCATED, plain_values
from neardup.stores.shown import ShownWriter, appended, detached, read_original_text, read_shown
from neardup.stores.verdict_payload import EMPTY_PAYLOAD, VerdictPayload

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.model.settings import Settings
    from neardup.model.verdict import Basis
    from neardup.stores.base import Shown
    from neardup.stores.records import Rows


_PARTS: Final = ("shown", "id_bytes", "group_bytes")
"""The columns of a row that describe the layout of its blob."""


class Blob(NamedTuple):
    """The contents of a blob: the id of its document, that of the head of its group, and the payload of the verdict."""

    id: str
    group: str
    payload: VerdictPayload


def shown_writer(keeps_text: bool | None, settings: Settings, *, by_source: bool) -> ShownWriter | None:
    """The writer of the last part of blobs, for the `keeps_text` of a store; None if the store keeps whole documents.

    `by_source`: the signed part of a text depends on its source, so the fields that name the source are kept, too.
    """
    if keeps_text is None:
        return None
    if settings.keep_text is not None:
        keeps_text = settings.keep_text
    show = (*settings.show, *SOURCE_FIELDS) if by_source else settings.show
    return ShownWriter(show, keep_text=keeps_text or settings.kinds)


def first_blobs(rows: Rows, ids: Sequence[bytes], parts: Sequence[bytes]) -> list[bytes]:
    """The blobs of new documents, as if every one were unique; sets their layout in `rows`. `parts`: from
    `ShownWriter.parts`.
    """
    blobs = [appended(id, part) for id, part in zip(ids, parts, strict=True)]
    rows["id_bytes"], rows["blob_bytes"] = list(map(len, ids)), list(map(len, blobs))
    rows["shown"] = [each != b"" for each in parts]
    return blobs


def encode_blobs(
    rows: Rows, which: NDArray[np.int64], contents: Iterable[Blob], shown: Sequence[bytes]
) -> list[bytes]:
    """The blobs of the documents of `rows[which]`; sets their layout in these rows. A blob has its `contents`, and the
    bytes `shown` that are kept to be shown, b"" for nothing.
    """
    ids, groups, blobs = [], [], []
    for (id, group, payload), part in zip(contents, shown, strict=True):
        encoded, other = id.encode(), b"" if group == id else group.encode()
        ids.append(len(encoded))
        groups.append(len(other))
        blobs.append(appended(encoded + other + payload.to_bytes(), part))
    rows["id_bytes"][which], rows["group_bytes"][which] = ids, groups
    rows["blob_bytes"][which], rows["shown"][which] = list(map(len, blobs)), list(map(bool, shown))
    return blobs


def have_shown(rows: Rows) -> NDArray[np.bool_]:
    """Which documents have anything in their blobs that is kept to be shown."""
    have: NDArray[np.bool_] = rows["shown"] != 0
    return have


def shown_part(blob: bytes) -> bytes:
    """The part of a blob that is kept to be shown; the blob must have one."""
    return detached(blob)[1]


def shown_anew(rows: Rows, at: int, blob: bytes, part: bytes) -> bytes:
    """The `blob` of the document of row `at` with another `part` to be shown; sets its layout in that row."""
    contents = detached(blob)[0] if rows["shown"][at] else blob
    anew = appended(contents, part)
    rows["blob_bytes"][at], rows["shown"][at] = len(anew), part != b""
    return anew


def original_texts_of(rows: Rows, blobs: Sequence[bytes]) -> list[bytes | None]:
    """The original texts of documents; None for one that was not kept."""
    return [
        read_original_text(detached(blob)[1]) if shown else None
        for shown, blob in zip(rows["shown"].tolist(), blobs, strict=True)
    ]


def shown_of(row: Any, blob: bytes) -> Shown:
    """The text and fields of a document that are kept to be shown."""
    return read_shown(shown_part(blob) if row["shown"] else b"")


def decode_blob(row: Any, blob: bytes) -> Blob:
    """The contents of the blob of `row`, without the part to be shown."""
    return _decoded(blob, *(int(row[name]) for name in _PARTS))


def decode_blobs(rows: Rows, blobs: Sequence[bytes]) -> list[Blob]:
    """The contents of the blobs of `rows`, without the parts to be shown."""
    parts = plain_values(rows, _PARTS)
    return [_decoded(blob, *part) for blob, part in zip(blobs, parts, strict=True)]


def _decoded(blob: bytes, shown: int, id_bytes: int, group_bytes: int) -> Blob:
    if shown:
        blob = detached(blob)[0]
    id, rest = blob[:id_bytes].decode(), blob[id_bytes:]
    if not rest:  # as of most documents
        return Blob(id, id, EMPTY_PAYLOAD)
    return Blob(id, rest[:group_bytes].decode() or id, VerdictPayload.read(rest[group_bytes:]))


# ---- verdicts ----


def encode_verdicts(
    rows: Rows,
    which: NDArray[np.int64],
    verdicts: Sequence[Verdict],
    bases: Sequence[Basis],
    shown: Sequence[bytes],
) -> list[bytes]:
    """Writes the verdicts on the documents of `rows[which]` into the columns of these rows; returns their blobs, each
    of which ends with its `shown`, b"" for nothing.
    """
    columns = {
        "status": [STATUSES.index(verdict.status) for verdict in verdicts],
        "kind": [KINDS.index(verdict.kind) for verdict in verdicts],
        "candidates": [verdict.candidates for verdict in verdicts],
        "asked": [verdict.partial is not None for verdict in verdicts],
        "shared": [-1 if basis.best is None else basis.best.shared for basis in bases],
        "larger": [0 if basis.best is None else basis.best.larger for basis in bases],
    }
    for name, values in columns.items():  # written row by row they take ten times as long
        rows[name][which] = values
    truncated = np.array([verdict.truncated for verdict in verdicts])
    rows["flags"][which] = (rows["flags"][which] & SET_ASIDE) | np.where(truncated, TRUNCATED, 0)
    contents = [
        Blob(verdict.id, verdict.group, VerdictPayload.of(verdict, basis))
        for verdict, basis in zip(verdicts, bases, strict=True)
    ]
    return encode_blobs(rows, which, contents, shown)


def verdicts_of(rows: Rows, contents: Iterable[Blob]) -> Iterator[Verdict]:
    """The verdicts that stored documents were given."""
    columns = plain_values(rows, ("time", "status", "shared", "candidates", "flags", "asked", "kind"))
    for (id, group, payload), row in zip(contents, columns, strict=True):
        time, status, shared, candidates, flags, is_asked, kind = row
        matches, matches_total = payload.listed
        partial, partial_total = payload.partial if is_asked else (None, None)
        yield Verdict(
            id=id,
            time=format_time(time),
            status=STATUSES[status],
            duplicate_of=payload.original,
            score=payload.score,
            shared=shared if payload.original is not None else None,
            group=group,
            candidates=candidates,
            truncated=bool(flags & TRUNCATED),
            matches=matches,
            matches_total=matches_total,
            partial=partial,
            partial_total=partial_total,
            kind=KINDS[kind],
            differing=payload.differing_pair,
        )


def members_of(rows: Rows, blobs: Sequence[bytes]) -> Iterator[tuple[str, Member]]:
    """Stored documents as members of their groups, each with the id of the head."""
    columns = plain_values(rows, ("time", "shared", "kind"))
    for (id, group, payload), (time, best, kind) in zip(decode_blobs(rows, blobs), columns, strict=True):
        score, shared = payload.with_head(group, best)
        own = payload.original, payload.score, KINDS[kind]
        yield group, Member(id, format_time(time), score, shared, *own)


def best_overlap(row: Any) -> tuple[int, int]:
    """|A ∩ B| and max(|A|, |B|) of a copy and its best match."""
    return int(row["shared"]), int(row["larger"])
