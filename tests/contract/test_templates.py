"""Very many documents of one template that are no copies: what their bitmaps speak against is left out all at once."""

from __future__ import annotations

import random

import numpy as np
import pytest
from testing.window.backends import START

import neardup
from neardup.index.template_filter import TemplateFilter
from neardup.kernels import bitmap_columns, bitmap_filter
from neardup.model.document import Document
from neardup.model.settings import HOUR_MS

LINE = "request id={} session={} user={} path=/api/v1/items/{} at {} {} took {} of {} status=200"
TAIL = " " + "and then the ship went on into the harbour where others lay at anchor " * 8


def lines(count):
    """Lines of one template, of which a third are an earlier one with some fields filled anew: doc_q comes to be all
    about the threshold. A tenth are as long as the bitmap of a whole set can be, and a little longer.
    """
    numbers, before = random.Random(5), list[tuple[list[str], str]]()
    for i in range(count):
        fields = [f"{numbers.getrandbits(40):010x}" for _ in range(8)]
        tail = TAIL[: numbers.randrange(440, 540)] if i % 10 == 0 else ""
        if i > 100 and i % 3 == 0:
            others, tail = numbers.choice(before)
            anew = numbers.sample(range(8), numbers.randrange(1, 5))
            fields = [fields[at] if at in anew else other for at, other in enumerate(others)]
            tail = tail[: -numbers.randrange(1, 40)] if i % 2 else tail
        before.append((fields, tail))
        yield Document(f"d{i}", LINE.format(*fields) + tail, START * 1000 + i * HOUR_MS // 400)


@pytest.fixture(scope="module")
def stream():
    return list(lines(6_000))


@pytest.mark.parametrize(
    "settings",
    [{}, {"policy": "drop"}, {"routes": ("simhash",)}, {"threshold": 0.6, "window_hours": 5}],
    ids=str,
)
def test_nothing_else_is_found_than_by_bitmaps_one_by_one(monkeypatch, stream, settings):
    with neardup.open(None, **settings) as window:
        found = list(window.ingest(stream))
        templates = window._session.state.search._templates
        assert bool(templates.memory) != ("routes" in settings)
    monkeypatch.setattr(TemplateFilter, "note", lambda *_: None)
    with neardup.open(None, **settings) as window:
        assert list(window.ingest(stream)) == found
    assert sum(bool(verdict.matches_total) for verdict in found) > 500
    assert len({verdict.score for verdict in found if verdict.score and verdict.score < 0.75}) > 5


def test_columns_are_bitmaps_by_their_bits():
    numbers = np.random.default_rng(6)
    size, words = 700, 16
    bitmaps = numbers.integers(0, 1 << 63, (size, bitmap_filter.HELD_WORDS), np.uint64, endpoint=True)
    levels = numbers.choice([0, 0, 1, 255], size).astype(np.uint8)
    columns = np.zeros((bitmap_columns.ROWS, words), np.uint64)
    for first, last in ((0, 3), (3, 500), (500, size)):
        bitmap_columns.fill_columns(levels, bitmaps, first, last, columns)
    docs = np.unpackbits(columns.view(np.uint8), axis=1, bitorder="little")[:, :size]
    bits = np.unpackbits(bitmaps.view(np.uint8), axis=1, bitorder="little")
    np.testing.assert_array_equal(docs[: bitmap_filter.BITS].T, bits * (levels == 0)[:, None])
    np.testing.assert_array_equal(docs[bitmap_filter.BITS :], [levels != 0, np.zeros(size, bool)])
