"""Rows and blobs: what is written comes back, and nobody else knows the names of the columns."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import neardup
from neardup.model.decision import NO_MATCHES, Compared, Matches, decide
from neardup.model.verdict import Match, Member, Overlap, Part
from neardup.stores import blobs, records
from neardup.stores.records import KEY_COUNTS, ROW, SET_ASIDE, TRUNCATED

PACKAGE = Path(neardup.__file__).parent
AT_HOME = {"stores/records.py", "stores/blobs.py", "index/document_table.py", "elastic/window/codec.py"}
NAMED_COLUMN_RE = re.compile(r"\b(?:row|rows|part|version|of_head)(?:\[[^\]]*\])?\[\"(?P<column>\w+)\"\]")

BEST = Overlap(3, "best", 50, 8, 10, False)
HEAD = Overlap(1, "head", 20, 7, 10, False)
LISTED = Match("best", BEST.score, BEST.shared)
PARTS = [Part(1, "less", 50, 3, 10, 5, 1), Part(2, "more", 60, 4, 10, 8, 2)]
ALONE = Compared(7, NO_MATCHES, [])


def test_nobody_else_indexes_rows_by_the_names_of_columns():
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for match in NAMED_COLUMN_RE.finditer(path.read_text("utf-8"))
        if match["column"] in (ROW.names or ())
    }
    assert found - AT_HOME == set()
    assert found & AT_HOME == AT_HOME


def test_a_row_is_as_long_as_it_was_in_every_version():
    assert ROW.itemsize == 128


@pytest.mark.parametrize(("compared", "listed", "parts"), [
    (ALONE, None, False),
    (ALONE._replace(matches=Matches(BEST, BEST, 1, (LISTED,)), truncated=True), None, False),
    (ALONE._replace(matches=Matches(BEST, HEAD, 4, (LISTED,)), parts=PARTS), 1, True),
    (ALONE._replace(parts=PARTS), None, True),
    (ALONE, None, True),
], ids=["unique", "a copy of its head", "a copy of another", "a partial copy", "looked for in vain"])  # fmt: skip
def test_a_verdict_comes_back_as_it_was_written(compared, listed, parts):
    verdict = decide("ä", 1_000, compared, empty=False, parts=parts, listed=listed)
    rows = np.zeros(2, ROW)
    rows["time"], rows["flags"] = 1_000, SET_ASIDE
    basis, row = compared.matches.basis(compared.parts), rows[1:]
    (blob,) = blobs.encode_verdicts(rows, np.array([1]), [verdict], [basis], [b""])
    assert list(blobs.verdicts_of(row, blobs.decode_blobs(row, [blob]))) == [verdict]
    assert len(blob) == row["blob_bytes"]
    assert row["flags"] == SET_ASIDE | (TRUNCATED if verdict.truncated else 0)
    if verdict.is_copy:
        with_head = HEAD if compared.matches.head is HEAD else BEST
        expected = Member("ä", verdict.time, with_head.score, with_head.shared, "best", BEST.score)
        assert list(blobs.members_of(row, [blob])) == [(verdict.group, expected)]


def test_the_last_version_of_a_living_document_is_what_counts():
    rows = np.zeros(6, ROW)
    rows["order"] = [4, 2, 4, 3, 3, 1]
    rows["seq"] = [1, 2, 3, 4, 5, 6]
    records.set_deleted(rows[4])
    assert records.last_versions(rows, 0).tolist() == [5, 1, 2]
    assert records.last_versions(rows, 2).tolist() == [1, 2]


def test_bitmaps_are_found_among_all_keys():
    rows = np.zeros(3, ROW)
    for name, counts in zip(KEY_COUNTS, ([2, 0, 1], [3, 3, 0], [0, 1, 0], [1, 0, 0], [0, 0, 2]), strict=True):
        rows[name] = counts
    records.lay_keys(rows)
    assert rows["keys_start"].tolist() == [0, 6, 10]
    found = records.bitmaps_among(rows, np.arange(13, dtype=np.uint64))
    assert [bitmap.tolist() for bitmap in found] == [[2, 3, 4], [6, 7, 8], []]


def test_chosen_rows_are_put_back_where_they_were():
    rows = np.zeros(5, ROW)
    rows["order"] = np.arange(5)
    rows["fingerprint"][:, 1] = 9
    chosen = records.chosen_rows(rows, [1, 3])
    chosen["seq"] = [7, 8]
    records.put_rows(rows[:4], np.array([1, 3]), chosen)
    assert rows["seq"].tolist() == [0, 7, 0, 8, 0]
    assert (rows["order"].tolist(), rows["fingerprint"][3].tolist()) == ([0, 1, 2, 3, 4], [0, 9])


def test_columns_of_rows_are_read_as_plain_values():
    rows = np.zeros(2, ROW)
    rows["order"], rows["shared"] = [2**40, 1], [-1, 5]
    assert list(records.plain_values(rows, ("order", "shared"))) == [(2**40, -1), (1, 5)]
    assert list(records.plain_values(rows[:0], ("order",))) == []
