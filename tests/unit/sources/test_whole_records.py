"""What else a record has, for an engine that keeps whole documents; and fields with dotted names."""

from __future__ import annotations

import pytest

from neardup.sources.fields import Fields
from neardup.sources.reader import Reader

LINE = '{"nr": 7, "page": {"body": "Rain.", "title": "T"}, "time": "", "timestamp": "2026-11-21", "lang": "en"}\n'
NAMES = Fields("nr", "page.body", ("time", "timestamp", "@timestamp"))


def read(tmp_path, name, text, **options):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return list(Reader([path], **options))


def test_everything_but_what_made_the_document_comes_along(tmp_path):
    (document,) = read(tmp_path, "a.jsonl", LINE, fields=NAMES, keep=True)
    assert document == ("7", "Rain.", "2026-11-21", {"page": {"title": "T"}, "time": "", "lang": "en"})


def test_nothing_comes_along_unless_it_is_wanted(tmp_path):
    (document,) = read(tmp_path, "a.jsonl", LINE, fields=NAMES)
    assert document == ("7", "Rain.", "2026-11-21", None)


def test_a_record_with_nothing_else_has_no_fields(tmp_path):
    (document,) = read(tmp_path, "a.jsonl", '{"id": "a", "text": "Rain."}\n', keep=True)
    assert document.fields is None


def test_an_object_left_empty_goes(tmp_path):
    (document,) = read(tmp_path, "a.jsonl", '{"id": "a", "page": {"body": "x"}}\n', fields=NAMES, keep=True)
    assert document.fields == {"id": "a"}


def test_columns_come_along_but_for_empty_cells(tmp_path):
    (document,) = read(tmp_path, "a.csv", "id,text,time,title,rank\na,Rain,1795251600,T,\n", keep=True)
    assert document == ("a", "Rain", "1795251600", {"title": "T"})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"page": {"body": 7}}\n', "field 'page.body' is an integer, not a string"),
        ('{"page": "Rain."}\n', "there is no field 'page.body' (fields: page)"),
        ('{"page": {"body": "x"}, "timestamp": [1]}\n', "field 'timestamp' is a list, not a time"),
    ],
)
def test_what_is_wrong_with_a_dotted_field_is_told(tmp_path, line, reason):
    (reject,) = read(tmp_path, "a.jsonl", line, fields=NAMES, keep=True)
    assert reason in reject.reason


def test_a_name_with_a_dot_in_it_is_found_too(tmp_path):
    (document,) = read(tmp_path, "a.jsonl", '{"page.body": "Rain."}\n', fields=NAMES, keep=True)
    assert (document.text, document.fields) == ("Rain.", None)
