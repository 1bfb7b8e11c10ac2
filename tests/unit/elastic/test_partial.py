"""Partial copies in a stored document: what is written comes back, and none found is not the same as not asked."""

from __future__ import annotations

import numpy as np
import orjson
import pytest

from neardup.elastic.window.codec import (
    RESTORED,
    UNSCORED,
    first_fields,
    stored_rows,
    unstored_fields,
    verdict_fields,
)
from neardup.model.verdict import PartialMatch, Verdict
from neardup.signing.signer import sign
from neardup.stores.records import ROW, STATUSES

NOW = 1_795_251_600_000
TEXT = "The grey heron stalked slowly across the frozen marsh at sunrise."
PARTS = [["a", 0.5, 1.0, 40, 2, NOW - 7], ["b", 0.25, 0.8, 20, 1, NOW - 5]]
NAMES = (*PartialMatch._fields, "time")


def written(said, *, asked):
    """The row and the blob of a document, and the fields that are made of them."""
    row = np.zeros(1, ROW)[0]
    row["fingerprint"] = [int(sign(TEXT).fingerprint[at : at + 16], 16) for at in (0, 16)]
    row["status"], row["asked"] = STATUSES.index("partial" if said else "unique"), asked
    blob = b"c" + (orjson.dumps(said) if said else b"")
    row["id_bytes"], row["blob_bytes"] = 1, len(blob)
    (fields,) = verdict_fields(np.array([row], ROW), [blob], NOW)
    return row, blob, fields


def read(row, fields):
    (first,) = first_fields(np.array([row], ROW), [np.empty(0, np.uint64)], ["ingest"])
    stored = sign(TEXT).to_dict() | fields | first
    return stored_rows([{name: value for name, value in stored.items() if name in RESTORED}], [False])


@pytest.mark.parametrize("said", [
    [None, 0, None, [], PARTS], ["a", NOW - 9, 0.75, [["a", 0.75, 60]], PARTS], ["a", NOW - 9, 0.75, [["a", 0.75, 60]]],
    ["a", NOW - 9, 0.75, [["a", 0.75, 60]], PARTS, 30], ["a", NOW - 9, 0.75, [["a", 0.75, 60]], PARTS, None, 40],
    [None, 0, None, [], [], None, 3],
], ids=["no copy", "a copy", "no parts", "matches not listed", "parts not listed", "none listed"])  # fmt: skip
def test_parts_come_back_as_they_were_written(said):
    row, blob, fields = written(said, asked=True)
    assert fields["partial"] == [
        dict(zip(NAMES, part, strict=True)) for part in (said[4] if len(said) > 4 else [])
    ]
    assert fields["matches_total"] == (30 if 30 in said else len(said[3]))
    assert fields["partial_total"] == (said[6] if len(said) > 6 else len(fields["partial"]))
    assert (fields["duplicate_of"], fields["duplicate_time"]) == (said[0], said[1] or None)
    found = read(row, fields)
    assert found.blobs == [blob]
    assert (found.rows[0]["asked"], found.rows[0]["status"]) == (1, row["status"])
    assert found.rows[0]["n_sentences"] == 1


@pytest.mark.parametrize(("asked", "partial"), [(True, []), (False, None)])
def test_none_found_is_not_the_same_as_not_asked(asked, partial):
    row, blob, fields = written(None, asked=asked)
    assert fields["partial"] == partial
    found = read(row, fields)
    assert (found.blobs, bool(found.rows[0]["asked"])) == ([blob], asked)


def test_a_document_that_is_not_kept_loses_an_earlier_verdict():
    verdict = Verdict("a", "2026-11-21T09:00:00Z", "unscored", None, None, None, "a", 0, True, (), 0)
    assert set(unstored_fields(verdict, NOW)) == set(UNSCORED)
    assert unstored_fields(verdict, NOW)["partial"] is None
    assert unstored_fields(verdict._replace(partial=()), NOW)["partial"] == []
