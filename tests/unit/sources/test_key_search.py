"""Keys looked for in JSON that is not parsed, against parsing it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neardup.sources.key_search import may_have_key

NAMES = ["time", "page.time", "at"]
KEYS = st.sampled_from(["time", "page", "at", "text", "tim", "e", "time:", 'time"', "@time", "\u0074ime"])
RECORDS = st.recursive(
    st.text('time" :{\\at', max_size=8),
    lambda inner: st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


def keys_of(value: object) -> set[str]:
    if not isinstance(value, dict):
        return set()
    return set(value).union(*map(keys_of, value.values()))


@given(st.lists(RECORDS, max_size=5), st.sampled_from([None, 1]), st.integers(1, 40))
def test_a_key_that_is_there_may_be_there(records, indent, step):
    data = "\n".join(json.dumps(record, indent=indent) for record in records).encode()
    chunks = [data[at : at + step] for at in range(0, len(data), step)]
    if any({"time", "at"} & keys_of(record) for record in records):
        assert may_have_key(chunks, NAMES)


@pytest.mark.parametrize("text", ["time", "all the time", 'he said "time" : twice', "at:", "\\u00e9t\\u00e9"])
def test_a_text_is_no_key(text):
    lines = [json.dumps({"id": "1", "text": text}).encode() + b"\n", b'{"id":"2","text":"time" }\n']
    assert not may_have_key([*lines, None], NAMES)


def test_what_can_be_written_in_several_ways_may_be_there():
    assert may_have_key([b'{"\\u0074ime": 0}'], ["time"])
    assert may_have_key([b"{}"], ["été"])


@pytest.mark.parametrize("names", [["time", "@time"], ["@time", "time"], ["@time", "@time"], ["log.@time"]])
def test_a_key_that_ends_as_another_one_is_found(names):
    assert may_have_key([b'{"id": "1", "@time": 0}'], names)
    assert not may_have_key([b'{"id": "@time", "times": 0}'], names)


def test_a_key_is_found_across_chunks():
    data = b'{"id": "1", "time" \t: 5}'
    for cut in range(len(data)):
        assert may_have_key([data[:cut], None, data[cut:]], ["time"])
