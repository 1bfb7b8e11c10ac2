"""JSON that is not one object a line: arrays, objects over several lines, and what is broken in them."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neardup.model.document import Document, Reject
from neardup.sources.json_values import Cut, is_spread, values
from neardup.sources.lines import Overlong
from neardup.sources.reader import Reader

RECORDS = [
    {"id": f"n{i}", "text": f'Story {i}: "quoted" \\ [x], {{y}}\n', "tags": [[], {}]} for i in range(3)
]
DOCUMENTS = [Document(str(record["id"]), str(record["text"])) for record in RECORDS]


def in_chunks(data: bytes, size: int):
    return (data[start : start + size] for start in range(0, len(data), size))


def split(data: bytes, size: int = 7, longest: int = 10_000) -> list[tuple[int, bytes]]:
    return [pair for batch in values(in_chunks(data, size), longest) if batch for pair in batch]


SHAPES = {
    "array": json.dumps(RECORDS),
    "array over lines": json.dumps(RECORDS, indent=2),
    "an array after a byte order mark": "\ufeff \n" + json.dumps(RECORDS),
    "objects over lines": "\n".join(json.dumps(record, indent=2) for record in RECORDS),
    "objects over lines, glued": "".join(json.dumps(record, indent=4) for record in RECORDS),
    "two arrays": json.dumps(RECORDS[:1]) + "\n" + json.dumps(RECORDS[1:], indent=1),
    "an array, then lines": json.dumps(RECORDS[:1]) + "\n" + "\n".join(map(json.dumps, RECORDS[1:])),
    "JSON Lines": "\n".join(map(json.dumps, RECORDS)),
    "CRLF": json.dumps(RECORDS, indent=2).replace("\n", "\r\n"),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_every_shape_gives_its_objects(tmp_path, shape, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(shape.encode()))
    assert list(Reader([path])) == DOCUMENTS


def test_documents_are_named_by_the_line_they_begin_in(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[\n {"text": "a"},\n\n {\n"text": "b"}, {"text": 7}\n]\n')
    first, second, reject = Reader([path])
    assert isinstance(reject, Reject)
    assert [getattr(first, "id", None), getattr(second, "id", None)] == ["a.json:2", "a.json:4"]
    assert (reject.line, reject.raw) == (5, '{"text": 7}')


def test_documents_that_begin_in_one_line_do_not_share_ids(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[{"text": "a"}, {"text": "b"}, {"text": "c"},\n{"text": "d"}]')
    ids = [item.id for item in Reader([path]) if isinstance(item, Document)]
    assert ids == ["a.json:1", "a.json:1-2", "a.json:1-3", "a.json:2"]


BROKEN = {
    '[{"text": "a"}, {"text": bad}, {"text": "b"}]': ["a", "not JSON: ", "b"],
    '[{"text": "a"}, 7, null, "x", {"text": "b"}]': ["a", *3 * ["not a JSON object"], "b"],
    '[{"text": "a"} {"text": "x"}, {"text": "b"}]': ["not JSON: ", "b"],
    '[{"text": "a"}': ["a", "the JSON ends before its last bracket"],
    '[{"text": "a"},\n {"text": "never closed}]': ["a", "not JSON: the end comes before this is complete"],
    '{\n"text": "a"\n': ["not JSON: the end comes before this is complete"],
    '[{"text": "a"}] what {"text": "b"}': ["a", "not JSON: ", "b"],
    "[]": [],
    "[": ["the JSON ends before its last bracket"],
}


@pytest.mark.parametrize(("content", "expected"), BROKEN.items())
def test_what_is_broken_is_rejected_and_the_rest_read(tmp_path, content, expected):
    path = tmp_path / "a.json"
    path.write_text(content)
    found = list[Any](Reader([path]))
    shown = [item.text if isinstance(item, Document) else item.reason for item in found]
    assert len(shown) == len(expected)
    assert all(text.startswith(begin) for text, begin in zip(shown, expected, strict=True))


def test_a_value_over_the_limit_is_let_go_and_the_next_is_read():
    data = json.dumps(["x" * 500, {"text": "b"}]).encode()
    (_, long), (_, short) = split(data, longest=50)
    assert isinstance(long, Overlong)
    assert len(long) <= 200
    assert json.loads(short) == {"text": "b"}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"[", True),
        (b" \n [1]", True),
        (b'[1]\n[{"text": "b"}]\n', True),
        (b'[7,\n{"text": "b"}]', True),
        (b'[\n7,\n{\n"text": "b"}]', True),
        (b"[1" + b" " * (1 << 20) + b'\n{"text": "b"}', True),
        (b'[{"text": "a"}]\n{"text": "b"}\n', True),
        (b'[1, 2]\n\n {"text": "b"}\n', False),
        (b'[WARN] started\n[1\n{"text": "b"}\n', False),
        (b"{\n}", True),
        (b'{"a":\n1}', True),
        (b'{"a": 1}\n{', False),
        (b"{\n{", False),
        (b"{", False),
        (b'{"text": "cut\n{"text": "b"}\n', False),
        (b'{"text": "\\ud800"}\n"b"\n', False),
        (b'{"text": 7e}\n7\n', False),
        (b'{"text": "a", "time": 1\n\xa6\xbe{"text": "b"}\n', False),
        (b"", False),
        (b"text", False),
        (b"{" + b" " * (1 << 20) + b"\n}", False),
    ],
)
def test_the_shape_is_told_from_the_beginning_and_nothing_is_lost(data, expected):
    found, chunks = is_spread(iter([data[:3], None, data[3:]]))
    assert found == expected
    assert b"".join(chunk or b"" for chunk in chunks) == data


def test_a_whole_first_line_waits_for_no_second():
    def live():
        yield b'{"text": "a"}\n'
        raise AssertionError("a second line was asked for")

    assert not is_spread(live())[0]


PLAIN = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(['"', "\\", "[{", "é"])
)
NESTED = PLAIN | st.lists(PLAIN, max_size=3) | st.dictionaries(st.text(max_size=3), PLAIN, max_size=3)
JSON = NESTED | st.lists(NESTED, max_size=3) | st.dictionaries(st.text(max_size=3), NESTED, max_size=3)


@given(st.lists(JSON, max_size=6), st.integers(1, 20), st.sampled_from([None, 1]), st.booleans())
def test_an_array_is_cut_into_its_values_however_the_chunks_fall(items, size, indent, is_ascii):
    data = json.dumps(items, indent=indent, ensure_ascii=is_ascii).encode("utf-8", "replace")
    found = split(data, size)
    assert [json.loads(value) for _, value in found] == json.loads(data)
    assert not any(isinstance(value, Cut) for _, value in found)


@given(st.binary(max_size=200) | st.text('[]{},:" \n\\a1').map(str.encode), st.integers(1, 9))
def test_no_bytes_stop_it_and_chunks_change_nothing(data, size):
    assert split(data, size) == split(data, 1_000)


def test_a_first_line_that_is_cut_off_within_a_text_costs_itself_alone(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = [
        '{"id": "x", "text": "cut off in the mid',
        "Killed",
        *(f'{{"id": "{i}", "text": "t{i}"}}' for i in range(9)),
    ]
    path.write_text("\n".join(lines))
    found = list[Any](Reader([path]))
    assert sum(isinstance(item, Document) for item in found) == 9
    assert len(found) == 11
