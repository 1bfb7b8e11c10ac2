"""Codec of stored documents: from rows and blobs to the fields of the object `neardup` in the cluster, and back.

`mappings/neardup-fields.json` maps them, docs/elasticsearch.md explains them. The fields of the signature are made by
the processor (or by the client, where there is no plugin). The fields here are the scorer's: the verdict, and what is
needed to build the window in memory again.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from neardup.elastic.http.unexpected import in_words
from neardup.elastic.window.compact import hex_keys, several, sketch_keys
from neardup.kernels.bitmap_filter import WORDS as BITMAP_WORDS
from neardup.model.field_path import field_of
from neardup.model.times import format_time
from neardup.model.verdict import Match, PartialMatch, Verdict
from neardup.stores.blobs import Blob, decode_blobs, encode_blobs, verdicts_of
from neardup.stores.records import (
    KINDS,
    ROW,
    SET_ASIDE,
    STATUSES,
    TRUNCATED,
    fingerprints_of,
    lay_keys,
    plain_values,
    text_sizes,
)
from neardup.stores.verdict_payload import VerdictPayload, unless_listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.stores.records import Rows

OBJECT: Final = "neardup"
VERDICT: Final = (
    *(name for name in Verdict._fields if name not in ("id", "time")),
    "group_score",
    "group_shared",
    "scored_at",
)
"""The fields for users' searches: those of `Verdict`, but the id and the time that a document has anyway; then doc_q
and |A ∩ B| with the head of its group, and when it was scored.
"""
BOOKKEEPING: Final = (
    "identity", "time", "order", "group_order", "group_time", "duplicate_time", "larger", "normal_bytes", "sieve",
    "written_by",
)  # fmt: skip
"""What the scorer needs besides: `order` is a document's arrival, which numbers documents across all hours."""
SCORER_FIELDS: Final = (*VERDICT, *BOOKKEEPING)
"""All fields that the scorer writes: an update of a stored document may change these."""
RESTORED: Final = (
    "fingerprint", "qgram_count", "sketch", "packed_sketch", "sentences", "simhash_bands", *SCORER_FIELDS,
)  # fmt: skip
"""The fields from which a document is restored in a window: neither its text nor its q-grams."""
PART: Final = (*PartialMatch._fields, "time")
"""What is kept of each document in `partial`: also its own time, like `duplicate_time` of a copy's original."""

_BOOKKEEPING_COLUMNS: Final = ("shared", "time", "order", "group_order", "group_time", "larger")
_FINGERPRINT_DIGITS: Final = 32


def own_object(source: Mapping[str, Any]) -> Mapping[str, Any]:
    """Our object in a document; an empty one if another client has removed it, or replaced it by null or a list."""
    own = source.get(OBJECT)
    return own if isinstance(own, Mapping) else {}


def arrival_in(source: Mapping[str, Any]) -> Any:
    """The arrival of a document of the window; None if it has not been scored."""
    return own_object(source).get("order")


def text_of(source: Mapping[str, Any], text_field: str) -> str | None:
    """The text of a document; None if another client has removed it, or replaced it by something else than a string."""
    text = field_of(source, text_field)
    return text if isinstance(text, str) else None


def verdict_fields(rows: Rows, blobs: Sequence[bytes], now: int) -> list[dict[str, Any]]:
    """The scorer's fields of each document, as a partial update that overwrites all of an earlier verdict.

    `rows` and `blobs` as the state has them (stores/records.py); `now` in milliseconds.
    """
    scored_at, contents = format_time(now), decode_blobs(rows, blobs)
    made = []
    columns = plain_values(rows, _BOOKKEEPING_COLUMNS)
    for verdict, (id, group, payload), row in zip(
        verdicts_of(rows, contents), contents, columns, strict=True
    ):
        shared, time, order, group_order, group_time, larger = row
        is_member = group_order != order
        group_score, group_shared = payload.with_head(group, shared) if is_member else (None, None)
        fields = _fields_of(verdict) | {
            "group_score": group_score,
            "group_shared": group_shared,
            "scored_at": scored_at,
            "identity": id,
            "time": time,
            "order": order,
            "group_order": group_order,
            "group_time": group_time,
            "duplicate_time": payload.time if verdict.is_copy else None,
            "larger": larger,
        }
        for part, part_time in zip(fields["partial"] or (), payload.part_times, strict=False):
            part["time"] = part_time
        made.append(fields)
    return made


def _fields_of(verdict: Verdict) -> dict[str, Any]:
    """The fields of a verdict, with None for those that `to_dict` leaves out: they overwrite an earlier verdict's."""
    fields = dict.fromkeys(VERDICT) | verdict.to_dict()
    del fields["id"], fields["time"]
    return fields


def first_fields(
    rows: Rows, bitmaps: Sequence[NDArray[np.uint64]], written_by: Sequence[str]
) -> list[dict[str, Any]]:
    """The fields that are written only when a document is scored for the first time, besides `verdict_fields`."""
    digits = fingerprints_of(rows).astype(">u8").tobytes().hex()
    starts = range(0, len(digits), _FINGERPRINT_DIGITS)
    return [
        {
            "fingerprint": digits[at : at + _FINGERPRINT_DIGITS],
            "normal_bytes": size,
            "sieve": packed_bitmap(bitmap),
            "written_by": who,
        }
        for at, size, bitmap, who in zip(starts, text_sizes(rows).tolist(), bitmaps, written_by, strict=True)
    ]


def packed_bitmap(bitmap: NDArray[np.uint64]) -> str | None:
    """The field `sieve`: a bitmap in base 64, None for an empty one."""
    return base64.b64encode(bitmap.tobytes()).decode() if len(bitmap) else None


def unstored_fields(verdict: Verdict, now: int) -> dict[str, Any]:
    """The fields of the verdict on a document that the window does not keep; without `order` it is never loaded."""
    return {**UNSCORED, **_fields_of(verdict), "scored_at": format_time(now)}


_IN_ALL: Final = (
    "identity", "time", "order", "group", "group_order", "group_time", "fingerprint", "qgram_count", "status",
    "candidates", "truncated", "larger", "normal_bytes",
)  # fmt: skip
"""Fields that every scored document has."""
UNSCORED: Final[dict[str, None]] = dict.fromkeys(SCORER_FIELDS)
"""The update that removes a verdict, as if the document had never been scored."""


class StoredRows(NamedTuple):
    """Stored documents as a state restores them: rows by arrival, their ids, blobs one after another, keys likewise."""

    rows: Rows
    ids: list[str]
    blobs: list[bytes]
    keys: NDArray[np.uint64]


def stored_rows(objects: Sequence[Mapping[str, Any]], set_aside: Sequence[bool]) -> StoredRows:
    """Rows, blobs and keys from the `neardup` objects of documents that have been scored, the reverse of
    `verdict_fields`; `set_aside` tells which of them lie among the copies.

    A missing bitmap lets everything pass. Raises one of `UNREADABLE` (http/unexpected.py) for values that no scorer
    writes.
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
    rows["fingerprint"] = hex_keys([each["fingerprint"] for each in objects]).reshape(-1, 2)
    rows["status"] = [STATUSES.index(each["status"]) for each in objects]
    rows["kind"] = [KINDS.index(each.get("kind")) for each in objects]
    rows["flags"] = [
        (TRUNCATED if each["truncated"] else 0) | (SET_ASIDE if aside else 0)
        for each, aside in zip(objects, set_aside, strict=True)
    ]
    alone = np.array([each.get("duplicate_of") is None for each in objects], np.bool_)
    if (alone & (rows["group_order"] != rows["order"])).any():
        raise ValueError("the group of another document, of which it is no copy")
    rows["words"] = 1  # nodes and clients make whole signatures
    rows["asked"] = [each.get("partial") is not None for each in objects]
    contents = [Blob(id, each["group"], _payload(each)) for id, each in zip(ids, objects, strict=True)]
    blobs = encode_blobs(rows, np.arange(len(rows)), contents, [b""] * len(rows))
    return StoredRows(rows, ids, blobs, _keys(rows, objects))


def fault_of(each: Mapping[str, Any], error: Exception) -> str:
    """What is wrong with the `neardup` object of a scored document, of which `stored_rows` raised `error`."""
    if lacking := [name for name in _IN_ALL if each.get(name) is None]:
        return f"no {', '.join(lacking)}"
    if each["status"] not in STATUSES:
        return f"the status {each['status']!r}"
    return in_words(error)


def _payload(each: Mapping[str, Any]) -> VerdictPayload:
    """The payload of a document's blob, from its `neardup` object."""
    matches = [[match[name] for name in Match._fields] for match in each.get("matches") or ()]
    parts = [[part[name] for name in PART] for part in each.get("partial") or ()]
    # Of a member whose best match is the head, the score says it already.
    has_other_head = each.get("group_score") is not None and each["group"] != each.get("duplicate_of")
    return VerdictPayload(
        original=each.get("duplicate_of"),
        time=each.get("duplicate_time") or 0,
        score=each.get("score"),
        matches=matches,
        parts=parts,
        matches_total=unless_listed(each.get("matches_total"), matches),
        partial_total=unless_listed(each.get("partial_total"), parts),
        head=[each["group_score"], each["group_shared"]] if has_other_head else None,
        differing=each.get("differing"),
    )


def _keys(rows: Rows, objects: Sequence[Mapping[str, Any]]) -> NDArray[np.uint64]:
    """The keys of all documents (stores/records.py, `KEY_COUNTS`); sets the counts of `rows` and where they start."""
    parts: list[NDArray[np.uint64]] = []
    for row, each in zip(rows, objects, strict=True):
        sketch = sketch_keys(each)
        packed = each.get("sieve")
        bitmap = np.frombuffer(base64.b64decode(packed), "<u8") if packed else np.empty(0, np.uint64)
        if len(bitmap) not in (0, BITMAP_WORDS):
            raise ValueError(f"a bitmap of {len(bitmap)} words")
        sentences = hex_keys(several(each.get("sentences")))
        bands = _bands(several(each.get("simhash_bands")))
        row["n_sketch"], row["n_sieve"] = len(sketch), BITMAP_WORDS if len(bitmap) else 0
        row["n_sentences"], row["n_bands"] = len(sentences), len(bands)
        parts += [sketch, bitmap, sentences, bands]
    lay_keys(rows)
    return np.concatenate(parts) if parts else np.empty(0, np.uint64)


def _bands(terms: Sequence[str]) -> NDArray[np.uint64]:
    """The keys of simhash bands from their terms `variant:block:hhhh` (signing/signature.py, `band_keys`)."""
    split = (term.split(":") for term in terms)
    keys = [int(variant) << 18 | int(block) << 16 | int(digits, 16) for variant, block, digits in split]
    return np.array(keys, np.uint64)
