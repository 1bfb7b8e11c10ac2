"""Codec of stored documents: from rows and blobs to the fields of the object `neardup` in the cluster, and back.

`mappings/neardup-fields.json` maps them, docs/elasticsearch.md explains them. The signature's fields are the
processor's affair (or the client's, where there is no plugin); these are the scorer's: the verdict, and what it takes
to build the window in memory again.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from neardup.elastic.window.compact import keys_of, several
from neardup.kernels.bitmap_filter import WORDS as BITMAP_WORDS
from neardup.model.document import format_time
from neardup.model.verdict import Match, PartialMatch
from neardup.stores.blobs import decode_blob, encode_blob
from neardup.stores.records import KINDS, ROW, SET_ASIDE, STATUSES, TRUNCATED, lay_keys
from neardup.stores.verdict_payload import VerdictPayload, unless_listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.model.verdict import Verdict
    from neardup.stores.records import Rows

OBJECT: Final = "neardup"
VERDICT: Final = (
    "status", "duplicate_of", "score", "shared", "group", "candidates", "truncated", "matches", "matches_total",
    "partial", "partial_total", "kind", "differing", "group_score", "group_shared", "scored_at",
)  # fmt: skip
"""The verdict as users search it, in the words of `Verdict`."""
BOOKKEEPING: Final = (
    "identity", "time", "order", "group_order", "group_time", "duplicate_time", "larger", "normal_bytes", "sieve",
    "written_by",
)  # fmt: skip
"""What the scorer needs beside it: `order` is a document's arrival, which numbers documents over all hours."""
SCORER_FIELDS: Final = (*VERDICT, *BOOKKEEPING)
"""All that the scorer writes: what an update of a stored document may change."""
RESTORED: Final = (
    "fingerprint", "qgram_count", "sketch", "sentences", "simhash_bands", *SCORER_FIELDS,
)  # fmt: skip
"""What is read of a document to restore it in a window: neither its text nor its q-grams."""
PART: Final = (*PartialMatch._fields, "time")
"""What is kept of a document that `partial` names: also its own time, as `duplicate_time` of a copy's original."""


def verdict_fields(row: Any, blob: bytes, now: int) -> dict[str, Any]:
    """The scorer's fields of a document, as a partial update that leaves nothing of an earlier verdict.

    `row` and `blob` as the state has them (stores/records.py); `now` in milliseconds.
    """
    id, group, payload = decode_blob(row, blob)
    matches, matches_total = payload.listed
    is_member = int(row["group_order"]) != int(row["order"])
    group_score, group_shared = payload.with_head(group, int(row["shared"])) if is_member else (None, None)
    return {
        "status": STATUSES[int(row["status"])],
        "duplicate_of": payload.original,
        "score": payload.score,
        "shared": int(row["shared"]) if payload.original is not None else None,
        "group": group,
        "candidates": int(row["candidates"]),
        "truncated": bool(row["flags"] & TRUNCATED),
        "matches": [match._asdict() for match in matches],
        "matches_total": matches_total,
        "partial": [dict(zip(PART, part, strict=True)) for part in payload.parts] if row["asked"] else None,
        "partial_total": payload.partial[1] if row["asked"] else None,
        "kind": KINDS[int(row["kind"])],
        "differing": payload.differing,
        "group_score": group_score,
        "group_shared": group_shared,
        "scored_at": format_time(now),
        "identity": id,
        "time": int(row["time"]),
        "order": int(row["order"]),
        "group_order": int(row["group_order"]),
        "group_time": int(row["group_time"]),
        "duplicate_time": payload.time if payload.original is not None else None,
        "larger": int(row["larger"]),
    }


def first_fields(row: Any, bitmap: NDArray[np.uint64], written_by: str) -> dict[str, Any]:
    """What is written once, when a document is scored for the first time, beside `verdict_fields`."""
    first, second = row["fingerprint"].tolist()
    return {
        "fingerprint": f"{first:016x}{second:016x}",
        "normal_bytes": int(row["text_bytes"]),
        "sieve": packed_bitmap(bitmap),
        "written_by": written_by,
    }


def packed_bitmap(bitmap: NDArray[np.uint64]) -> str | None:
    """The field `sieve`: a bitmap in base 64, None for an empty one."""
    return base64.b64encode(bitmap.tobytes()).decode() if len(bitmap) else None


def unstored_fields(verdict: Verdict, now: int) -> dict[str, Any]:
    """The verdict on a document that the window does not keep: without `order`, it is never loaded again."""
    fields = verdict.to_dict()
    del fields["id"], fields["time"]
    return {**UNSCORED, **fields, "scored_at": format_time(now)}


UNSCORED: Final[dict[str, None]] = dict.fromkeys(SCORER_FIELDS)
"""The update that takes a verdict back: as if the document had never been scored."""


class StoredRows(NamedTuple):
    """Stored documents as a state restores them: rows by arrival, their ids, blobs one after another, keys likewise."""

    rows: Rows
    ids: list[str]
    blobs: list[bytes]
    keys: NDArray[np.uint64]


def stored_rows(objects: Sequence[Mapping[str, Any]], set_aside: Sequence[bool]) -> StoredRows:
    """Rows, blobs and keys from the `neardup` objects of documents that have been scored, the reverse of
    `verdict_fields`; `set_aside` tells which of them lie among the copies.

    A missing bitmap lets everything pass. What no scorer has written raises one of `UNREADABLE` (http/unexpected.py).
    """
    rows = np.zeros(len(objects), ROW)
    ids = [each["identity"] for each in objects]
    for name, field in (
        ("order", "order"), ("time", "time"), ("group_order", "group_order"), ("group_time", "group_time"),
        ("count", "qgram_count"), ("candidates", "candidates"), ("larger", "larger"), ("text_bytes", "normal_bytes"),
    ):  # fmt: skip
        rows[name] = [each[field] for each in objects]
    rows["seq"] = rows["order"]
    rows["shared"] = [-1 if (shared := each.get("shared")) is None else shared for each in objects]
    rows["fingerprint"] = _hex64([each["fingerprint"] for each in objects]).reshape(-1, 2)
    rows["status"] = [STATUSES.index(each["status"]) for each in objects]
    rows["kind"] = [KINDS.index(each.get("kind")) for each in objects]
    rows["flags"] = [
        (TRUNCATED if each["truncated"] else 0) | (SET_ASIDE if aside else 0)
        for each, aside in zip(objects, set_aside, strict=True)
    ]
    rows["words"] = 1  # whoever signs makes whole signatures
    rows["asked"] = [each.get("partial") is not None for each in objects]
    blobs = [
        encode_blob(row, id, each["group"], _payload(each))
        for row, id, each in zip(rows, ids, objects, strict=True)
    ]
    return StoredRows(rows, ids, blobs, _keys(rows, objects))


def _payload(each: Mapping[str, Any]) -> VerdictPayload:
    """What a blob says of a copy's original and of parts."""
    matches = [[match[name] for name in Match._fields] for match in each.get("matches") or ()]
    parts = [[part[name] for name in PART] for part in each.get("partial") or ()]
    # Of a member whose best match is the head, the score says it already.
    has_other_head = each.get("group_score") is not None and each["group"] != each.get("duplicate_of")
    return VerdictPayload(
        each.get("duplicate_of"),
        each.get("duplicate_time") or 0,
        each.get("score"),
        matches,
        parts,
        unless_listed(each.get("matches_total"), matches),
        unless_listed(each.get("partial_total"), parts),
        [each["group_score"], each["group_shared"]] if has_other_head else None,
        each.get("differing"),
    )


def _keys(rows: Rows, objects: Sequence[Mapping[str, Any]]) -> NDArray[np.uint64]:
    """The keys of all documents (stores/records.py, `KEY_COUNTS`); sets the counts of `rows` and where they start."""
    parts: list[NDArray[np.uint64]] = []
    for row, each in zip(rows, objects, strict=True):
        stored = each.get("sketch") or ()
        sketch = keys_of(stored) if isinstance(stored, str) else _hex64(stored)
        packed = each.get("sieve")
        bitmap = np.frombuffer(base64.b64decode(packed), "<u8") if packed else np.empty(0, np.uint64)
        if len(bitmap) not in (0, BITMAP_WORDS):
            raise ValueError(f"a bitmap of {len(bitmap)} words")
        sentences = _hex64(several(each.get("sentences")))
        bands = _bands(several(each.get("simhash_bands")))
        row["n_sketch"], row["n_sieve"] = len(sketch), BITMAP_WORDS if len(bitmap) else 0
        row["n_sentences"], row["n_bands"] = len(sentences), len(bands)
        parts += [sketch, bitmap, sentences, bands]
    lay_keys(rows)
    return np.concatenate(parts) if parts else np.empty(0, np.uint64)


def _hex64(values: Sequence[str]) -> NDArray[np.uint64]:
    """Keys from hexadecimal digits, 16 each, several in one string too."""
    return np.frombuffer(bytes.fromhex("".join(values)), ">u8").astype(np.uint64)


def _bands(terms: Sequence[str]) -> NDArray[np.uint64]:
    """The keys of simhash bands from their terms `variant:block:hhhh` (signing/signature.py, `band_keys`)."""
    split = (term.split(":") for term in terms)
    keys = [int(variant) << 18 | int(block) << 16 | int(digits, 16) for variant, block, digits in split]
    return np.array(keys, np.uint64)
