"""What is kept of documents to be shown: fields and texts come back as they came, whatever they hold."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import numpy as np
import pytest

from neardup.model.document import Document, prepare
from neardup.model.shown_fields import shown_fields
from neardup.stores.base import Shown
from neardup.stores.blobs import decode_blob, decode_blobs, first_blobs, shown_of
from neardup.stores.records import ROW
from neardup.stores.shown import ShownWriter, appended, detached, read_shown

TEXTS = ["", "Rain.", "Rain,\r\n\tand \x1b[2J snow\u202e", "é" * 5_000]


def prepared(text, **fields):
    return prepare(Document("a", text, 0, fields), lambda: 0, 10_000)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("fields", [{}, {"title": "A\n\u202eB", "tags": ["x", 1, None]}])
def test_what_is_kept_comes_back(text, fields):
    data = ShownWriter(("title", "tags"), keep_text=True).parts([prepared(text, **fields, other=1)])[0]
    assert read_shown(data) == Shown(text, fields)
    assert detached(appended(b"a blob", data)) == (b"a blob", data)


def test_texts_are_kept_each_by_itself_however_many_there_are():
    writer = ShownWriter((), keep_text=True)
    parts = writer.parts([prepared(text) for text in TEXTS])
    assert [read_shown(part).text for part in parts] == TEXTS
    assert parts == [writer.parts([prepared(text)])[0] for text in TEXTS]
    assert writer.parts([]) == []


def test_without_texts_fields_alone_are_kept_and_nothing_where_there_is_none():
    writer = ShownWriter(("title",), keep_text=False)
    shown, nothing = writer.parts([prepared("Rain.", title="Weather"), prepared("Rain.", other="Weather")])
    assert read_shown(shown) == Shown(None, {"title": "Weather"})
    assert nothing == b""
    assert read_shown(b"") == Shown()


def test_blobs_with_and_without_a_content_are_told_apart():
    rows = np.zeros(2, ROW)
    (content,) = ShownWriter((), keep_text=True).parts([prepared("Rain.")])
    first = first_blobs(rows, [b"a", b"b"], [b"", content])
    assert [decode_blob(row, blob).id for row, blob in zip(rows, first, strict=True)] == ["a", "b"]
    assert [blob.id for blob in decode_blobs(rows, first)] == ["a", "b"]
    assert [shown_of(row, blob).text for row, blob in zip(rows, first, strict=True)] == [None, "Rain."]


@pytest.mark.parametrize(("value", "shown"), [
    (np.int64(7), 7), (True, True), (datetime(2026, 11, 21, tzinfo=UTC), "2026-11-21 00:00:00+00:00"),
    ("\ud800", "\\ud800"), ({"b": {1: 2**70}}, {"b": {"1": str(2**70)}}), (object, str(object)),
])  # fmt: skip
def test_a_field_is_kept_as_json_has_it(value, shown):
    assert shown_fields({"a": value}, ("a",)) == {"a": shown}


@pytest.mark.parametrize("value", [None, "", [], {}, math.nan, np.float64("nan")])
def test_a_field_that_says_nothing_is_not_kept(value):
    assert shown_fields({"a": value}, ("a", "b")) == {}
    assert shown_fields(None, ("a",)) == {}
