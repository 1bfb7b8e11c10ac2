"""From rows and blobs to the fields of a stored document and back: nothing is lost on the way."""

from __future__ import annotations

import base64

import numpy as np
import orjson
import pytest

from neardup.elastic.admin import resources
from neardup.elastic.http.unexpected import UNREADABLE
from neardup.elastic.window.codec import (
    BOOKKEEPING,
    OBJECT,
    RESTORED,
    UNSCORED,
    VERDICT,
    fault_of,
    first_fields,
    stored_rows,
    unstored_fields,
    verdict_fields,
)
from neardup.kernels.bitmap_filter import WORDS
from neardup.model.verdict import Match, Verdict
from neardup.signing.signature import Signature
from neardup.signing.signer import sign
from neardup.stores.records import ROW, SET_ASIDE, STATUSES, TRUNCATED, key_counts

NOW = 1_795_251_600_000
TEXT = "The ferry ran aground off the western spit at dawn. Two tugs went out to her before noon on Friday."


def a_row(**values):
    row = np.zeros(1, ROW)[0]
    row["fingerprint"] = [int(sign(TEXT).fingerprint[at : at + 16], 16) for at in (0, 16)]
    for name, value in {
        "shared": -1,
        "time": NOW,
        "order": 7,
        "group_order": 7,
        "group_time": NOW,
        **values,
    }.items():
        row[name] = value
    return row


def blob_of(row, id, group="", rest=b""):
    row["id_bytes"], row["group_bytes"] = len(id.encode()), len(group.encode())
    blob = id.encode() + group.encode() + rest
    row["blob_bytes"] = len(blob)
    return blob


def verdict_of(row, blob):
    """The fields of the verdict on one document."""
    (fields,) = verdict_fields(np.array([row], ROW), [blob], NOW)
    return fields


def first_of(row, bitmap, written_by="ingest"):
    """What is written of one document when it is scored for the first time."""
    (fields,) = first_fields(np.array([row], ROW), [bitmap], [written_by])
    return fields


def stored(row, blob, bitmap):
    """What comes back from the cluster: the signature by the pipeline, the rest by the scorer, without nulls."""
    fields = sign(TEXT).to_dict() | verdict_of(row, blob) | first_of(row, bitmap)
    kept = {name: value for name, value in fields.items() if name in RESTORED and value not in (None, [])}
    return orjson.loads(orjson.dumps(kept))


@pytest.mark.parametrize("flags", [0, TRUNCATED, SET_ASIDE, TRUNCATED | SET_ASIDE])
def test_a_copy_comes_back_as_it_was_written(flags):
    row = a_row(status=STATUSES.index("near"), shared=71, larger=90, group_order=3, candidates=5, flags=flags)
    row["count"], row["text_bytes"] = sign(TEXT).qgram_count, 78
    blob = blob_of(
        row, "zweiter-ä", "erster", orjson.dumps(["erster", NOW - 5, 71 / 90, [["erster", 71 / 90, 71]]])
    )
    bitmap = np.arange(WORDS, dtype=np.uint64)
    found = stored_rows([stored(row, blob, bitmap)], [bool(flags & SET_ASIDE)])
    assert found.ids == ["zweiter-ä"]
    assert found.blobs == [blob]
    for name in ("order", "time", "group_order", "group_time", "count", "candidates", "shared", "larger", "status",
                 "flags", "text_bytes", "id_bytes", "group_bytes", "blob_bytes"):  # fmt: skip
        assert found.rows[0][name] == row[name], name
    assert (found.rows[0]["fingerprint"] == row["fingerprint"]).all()


@pytest.mark.parametrize(("rest", "group_score", "group_shared"), [
    (["erster", NOW - 5, 0.75, [["erster", 0.75, 71]]], 0.75, 71),
    (["bester", NOW - 5, 0.75, [["bester", 0.75, 71]], [], None, None, [0.7, 66]], 0.7, 66),
    (["bester", NOW - 5, 0.75, [["bester", 0.75, 71]]], None, None),
], ids=["the best match is the head", "another is", "as earlier versions wrote it"])  # fmt: skip
def test_a_member_has_its_score_with_the_head(rest, group_score, group_shared):
    row = a_row(status=STATUSES.index("near"), shared=71, larger=90, group_order=3)
    blob = blob_of(row, "a", "erster", orjson.dumps(rest))
    fields = verdict_of(row, blob)
    assert (fields["group_score"], fields["group_shared"]) == (group_score, group_shared)
    assert stored_rows([stored(row, blob, np.empty(0, np.uint64))], [False]).blobs == [blob]


def test_a_head_has_no_score_with_itself():
    row = a_row(status=STATUSES.index("near"), shared=71, larger=90)
    blob = blob_of(row, "a", "", orjson.dumps(["b", NOW - 5, 0.75, [["b", 0.75, 71]]]))
    fields = verdict_of(row, blob)
    assert (fields["group"], fields["group_score"], fields["group_shared"]) == ("a", None, None)


def test_an_index_that_counts_no_matches_yet_is_read():
    row = a_row(status=STATUSES.index("near"), shared=71, larger=90)
    blob = blob_of(row, "a", "", orjson.dumps(["b", NOW - 5, 0.75, [["b", 0.75, 71]]]))
    found = stored(row, blob, np.empty(0, np.uint64))
    del found["matches_total"]
    assert stored_rows([found], [False]).blobs == [blob]


def test_each_of_several_documents_has_its_own_fields():
    rows = np.array(
        [a_row(order=order, group_order=3, text_bytes=order, shared=71) for order in (3, 4, 5)], ROW
    )
    rows["fingerprint"][:, 1] = [0, 1, 2**64 - 1]
    said = orjson.dumps(["erster", NOW - 5, 0.75, [["erster", 0.75, 71]]])
    blobs = [
        blob_of(row, *names)
        for row, names in zip(rows, [("erster",), ("ä", "erster", said), ("b",)], strict=True)
    ]
    verdicts = verdict_fields(rows, blobs, NOW)
    bitmaps = [np.empty(0, np.uint64), np.arange(WORDS, dtype=np.uint64), np.empty(0, np.uint64)]
    firsts = first_fields(rows, bitmaps, ["ingest", "watch", "ingest"])
    assert verdicts == [verdict_of(row, blob) for row, blob in zip(rows, blobs, strict=True)]
    assert [(each["identity"], each["group"], each["duplicate_of"], each["order"]) for each in verdicts] == [
        ("erster", "erster", None, 3), ("ä", "erster", "erster", 4), ("b", "b", None, 5),
    ]  # fmt: skip
    assert [(each["fingerprint"][16:], each["normal_bytes"], each["written_by"]) for each in firsts] == [
        ("0" * 16, 3, "ingest"), (f"{1:016x}", 4, "watch"), ("f" * 16, 5, "ingest"),
    ]  # fmt: skip
    assert [each["sieve"] is None for each in firsts] == [True, False, True]


def test_a_document_without_copies_comes_back_without_an_original():
    row = a_row(status=STATUSES.index("unique"))
    blob = blob_of(row, "a")
    found = stored_rows([stored(row, blob, np.empty(0, np.uint64))], [False])
    assert found.blobs == [b"a"]
    assert found.rows[0]["shared"] == -1
    assert found.rows[0]["n_sieve"] == 0


@pytest.mark.parametrize("group_order", [-1, 3, 9])
def test_a_group_of_another_is_refused_of_a_document_that_is_no_copy(group_order):
    row = a_row(status=STATUSES.index("unique"))
    written = stored(row, blob_of(row, "a"), np.empty(0, np.uint64))
    with pytest.raises(ValueError, match="no copy"):
        stored_rows([written | {"group_order": group_order}], [False])


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"time": None}, "no time"),
        ({"group": None, "order": None}, "no order, group"),
        ({"status": "mine"}, "the status 'mine'"),
        ({"sieve": "AAAA"}, "a value that cannot be read: "),
    ],
)
def test_what_cannot_be_restored_is_said_in_words(change, fault):
    """It was `KeyError 'time'`."""
    row = a_row(status=STATUSES.index("unique"))
    written = stored(row, blob_of(row, "a"), np.empty(0, np.uint64)) | change
    with pytest.raises(UNREADABLE) as raised:
        stored_rows([written], [False])
    assert fault_of(written, raised.value).startswith(fault)


def test_keys_come_back_in_the_order_of_the_store():
    row = a_row(status=0)
    bitmap = np.arange(100, 100 + WORDS, dtype=np.uint64)
    two = [stored(row, blob_of(row, name), bitmap) for name in ("a", "b")]
    found = stored_rows(two, [False, False])
    signature = sign(TEXT)
    counts = key_counts(found.rows)
    assert counts[:, 0].tolist() == [
        len(signature.sketch),
        WORDS,
        0,
        len(signature.sentences),
        len(signature.simhash_bands),
    ]
    start = int(found.rows[1]["keys_start"])
    assert start == counts[:, 0].sum()
    keys = found.keys[start:].tolist()
    assert [f"{key:016x}" for key in keys[: len(signature.sketch)]] == list(signature.sketch)
    assert keys[len(signature.sketch) : len(signature.sketch) + WORDS] == bitmap.tolist()
    assert keys[-4:] == [
        block << 16 | int(band[-4:], 16) for block, band in enumerate(signature.simhash_bands)
    ]


def test_a_bitmap_survives_as_text():
    packed = first_of(a_row(), np.arange(32, dtype=np.uint64))["sieve"]
    assert np.frombuffer(base64.b64decode(packed), np.uint64).tolist() == list(range(32))


def test_a_new_verdict_leaves_nothing_of_the_one_before():
    row = a_row(status=STATUSES.index("unique"))
    fields = verdict_of(row, blob_of(row, "a"))
    assert {"duplicate_of", "score", "shared", "duplicate_time"} <= {
        name for name, value in fields.items() if value is None
    }
    assert set(VERDICT) <= fields.keys()


def test_a_verdict_taken_back_leaves_no_field_of_the_scorer():
    assert set(UNSCORED) == {*VERDICT, *BOOKKEEPING}
    assert set(UNSCORED.values()) == {None}


def test_a_document_that_is_not_kept_has_a_verdict_and_no_order():
    verdict = Verdict(
        "a", "2026-11-21T09:00:00Z", "near", "b", 0.75, 3, "b", 1, True, (Match("b", 0.75, 3),), 1
    )
    fields = unstored_fields(verdict, NOW)
    assert fields["order"] is None
    assert fields["matches"] == [{"id": "b", "score": 0.75, "shared": 3}]
    assert set(fields) == {*VERDICT, *BOOKKEEPING}


def test_every_field_is_mapped_and_nothing_else_is():
    mapping = resources.load("mappings", "neardup-fields.json", "news")["template"]["mappings"]["properties"][
        OBJECT
    ]
    signature = set(Signature.__dataclass_fields__)
    assert set(mapping["properties"]) == {*signature, *VERDICT, *BOOKKEEPING, "unsigned"}
