"""What a stored document is called in the cluster: from rows and blobs to the fields of `neardup`, and back.

`mappings/neardup-fields.json` maps them, docs/elasticsearch.md explains them. The signature's fields are the
processor's affair (or the client's, where there is no plugin); these are the scorer's: the verdict, and what it takes
to build the window in memory again.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from neardup.kernels.bitmap_filter import WORDS as SIEVE_WORDS
from neardup.model.document import format_time
from neardup.model.verdict import Match, PartialMatch
from neardup.stores.base import ROUTED, ROW, TRUNCATED
from neardup.stores.records import VerdictPayload, unless_listed
from neardup.window.state import STATUSES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from neardup.model.verdict import Verdict
    from neardup.stores.base import Rows

OBJECT: Final = "neardup"
VERDICT: Final = (
    "status", "duplicate_of", "score", "shared", "group", "candidates", "truncated", "matches", "matches_total",
    "partial", "partial_total", "group_score", "group_shared", "scored_at",
)  # fmt: skip
"""The verdict as users search it, in the words of `Verdict`."""
BOOK: Final = (
    "identity", "time", "order", "group_order", "group_time", "duplicate_time", "larger", "normal_bytes", "sieve",
    "written_by",
)  # fmt: skip
"""What the scorer needs beside it: `order` numbers documents as they came, over all hours."""
SCORER_FIELDS: Final = (*VERDICT, *BOOK)
"""All that the scorer writes: what an update of a stored document may change."""
LOADED: Final = (
    "fingerprint", "qgram_count", "sketch", "sentences", "simhash_bands", *SCORER_FIELDS,
)  # fmt: skip
"""What is read of a document to take it into a window: neither its text nor its q-grams."""


PART: Final = (*PartialMatch._fields, "time")
"""What is kept of a document that `partial` names: also its own time, as `duplicate_time` of a copy's original."""


def verdict_fields(row: Any, blob: bytes, now: int) -> dict[str, Any]:
    """The scorer's fields of a document, as a partial update that leaves nothing of an earlier verdict.

    `row` and `blob` as the state has them (stores/records.py); `now` in milliseconds.
    """
    id_end = int(row["id_bytes"])
    group_end = id_end + int(row["group_bytes"])
    identity, group = blob[:id_end].decode(), blob[id_end:group_end].decode()
    kept = VerdictPayload.read(blob[group_end:])
    original = kept.original
    matches, matches_total = kept.listed
    is_member = int(row["group_order"]) != int(row["order"])
    group_score, group_shared = kept.with_head(group, int(row["shared"])) if is_member else (None, None)
    return {
        "status": STATUSES[int(row["status"])],
        "duplicate_of": original,
        "score": kept.score,
        "shared": int(row["shared"]) if original is not None else None,
        "group": group or identity,
        "candidates": int(row["candidates"]),
        "truncated": bool(row["flags"] & TRUNCATED),
        "matches": [match._asdict() for match in matches],
        "matches_total": matches_total,
        "partial": [dict(zip(PART, part, strict=True)) for part in kept.parts] if row["asked"] else None,
        "partial_total": kept.partial[1] if row["asked"] else None,
        "group_score": group_score,
        "group_shared": group_shared,
        "scored_at": format_time(now),
        "identity": identity,
        "time": int(row["time"]),
        "order": int(row["order"]),
        "group_order": int(row["group_order"]),
        "group_time": int(row["group_time"]),
        "duplicate_time": kept.time if original is not None else None,
        "larger": int(row["larger"]),
    }


def new_fields(row: Any, sieve: NDArray[np.uint64], written_by: str) -> dict[str, Any]:
    """What is written once, when a document is scored for the first time, beside `verdict_fields`."""
    first, second = row["fingerprint"].tolist()
    return {
        "fingerprint": f"{first:016x}{second:016x}",
        "normal_bytes": int(row["text_bytes"]),
        "sieve": base64.b64encode(sieve.tobytes()).decode() if len(sieve) else None,
        "written_by": written_by,
    }


def unstored_fields(verdict: Verdict, now: int) -> dict[str, Any]:
    """The verdict on a document that the window does not keep: without `order`, it is never loaded again."""
    fields = verdict.to_dict()
    del fields["id"], fields["time"]
    return {**UNSCORED, **fields, "scored_at": format_time(now)}


UNSCORED: Final[dict[str, None]] = dict.fromkeys(SCORER_FIELDS)
"""The update that takes a verdict back: as if the document had never been scored."""


class Loaded(NamedTuple):
    """Stored documents as a state takes them: rows by order, their ids, blobs one after another, keys likewise."""

    rows: Rows
    ids: list[str]
    blobs: list[bytes]
    keys: NDArray[np.uint64]


def loaded(objects: Sequence[Mapping[str, Any]], routed: Sequence[bool]) -> Loaded:
    """Rows, blobs and keys from the `neardup` objects of documents that have been scored.

    `blob_start` and `text_start` are left for the store to set. A missing sieve lets everything pass.
    """
    rows = np.zeros(len(objects), ROW)
    ids = [found["identity"] for found in objects]
    id_blobs = [identity.encode() for identity in ids]
    groups = [b"" if found["group"] == found["identity"] else found["group"].encode() for found in objects]
    rests = [_rest(found) for found in objects]
    for name, field in (
        ("order", "order"), ("time", "time"), ("group_order", "group_order"), ("group_time", "group_time"),
        ("count", "qgram_count"), ("candidates", "candidates"), ("larger", "larger"), ("text_bytes", "normal_bytes"),
    ):  # fmt: skip
        rows[name] = [found[field] for found in objects]
    rows["seq"] = rows["order"]
    rows["shared"] = [-1 if (shared := found.get("shared")) is None else shared for found in objects]
    rows["fingerprint"] = _hex64([found["fingerprint"] for found in objects]).reshape(-1, 2)
    rows["status"] = [STATUSES.index(found["status"]) for found in objects]
    rows["flags"] = [
        (TRUNCATED if found["truncated"] else 0) | (ROUTED if apart else 0)
        for found, apart in zip(objects, routed, strict=True)
    ]
    rows["words"] = 1  # whoever signs makes whole signatures
    rows["asked"] = [found.get("partial") is not None for found in objects]
    rows["id_bytes"], rows["group_bytes"] = list(map(len, id_blobs)), list(map(len, groups))
    blobs = [b"".join(parts) for parts in zip(id_blobs, groups, rests, strict=True)]
    rows["blob_bytes"] = list(map(len, blobs))
    return Loaded(rows, ids, blobs, _keys(rows, objects))


def _rest(found: Mapping[str, Any]) -> bytes:
    """The part of a blob that speaks of a copy's original and of parts; empty where there is neither."""
    listed = [[match[name] for name in Match._fields] for match in found.get("matches") or ()]
    parts = [[part[name] for name in PART] for part in found.get("partial") or ()]
    # Of a member whose best match is the head, the score says it already.
    apart = found.get("group_score") is not None and found["group"] != found.get("duplicate_of")
    return VerdictPayload(
        found.get("duplicate_of"),
        found.get("duplicate_time") or 0,
        found.get("score"),
        listed,
        parts,
        unless_listed(found.get("matches_total"), listed),
        unless_listed(found.get("partial_total"), parts),
        [found["group_score"], found["group_shared"]] if apart else None,
    ).to_bytes()


def _keys(rows: Rows, objects: Sequence[Mapping[str, Any]]) -> NDArray[np.uint64]:
    """The keys of all documents (stores/base.py, KEY_COUNTS); sets the counts of `rows` and where they start."""
    parts: list[NDArray[np.uint64]] = []
    sizes: list[int] = []
    for row, found in zip(rows, objects, strict=True):
        sketch = _hex64(found.get("sketch") or ())
        packed = found.get("sieve")
        sieve = np.frombuffer(base64.b64decode(packed), "<u8") if packed else np.empty(0, np.uint64)
        sentences = _hex64(found.get("sentences") or ())
        bands = _bands(found.get("simhash_bands") or ())
        row["n_sketch"], row["n_sieve"] = len(sketch), SIEVE_WORDS if len(sieve) else 0
        row["n_sentences"], row["n_bands"] = len(sentences), len(bands)
        own = [sketch, sieve, sentences, bands]
        parts += own
        sizes.append(sum(map(len, own)))
    rows["keys_start"] = list(accumulate(sizes, initial=0))[:-1]
    return np.concatenate(parts) if parts else np.empty(0, np.uint64)


def _hex64(values: Sequence[str]) -> NDArray[np.uint64]:
    """Keys from hexadecimal digits, 16 each, several in one string too."""
    return np.frombuffer(bytes.fromhex("".join(values)), ">u8").astype(np.uint64)


def _bands(terms: Sequence[str]) -> NDArray[np.uint64]:
    """The keys of simhash bands from their terms `variant:block:hhhh` (signing/signature.py, `band_keys`)."""
    split = (term.split(":") for term in terms)
    keys = [int(variant) << 18 | int(block) << 16 | int(digits, 16) for variant, block, digits in split]
    return np.array(keys, np.uint64)
