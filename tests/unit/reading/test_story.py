"""A group as a story: who was first, who followed, how many texts there are, and whether it is a form."""

from __future__ import annotations

import numpy as np
import pytest
from testing.edited_pairs import edited_pair

import neardup
from neardup.model.settings import Recipe
from neardup.model.times import parse_time
from neardup.reading.charts import MOST_BARS, of_scores, over_time
from neardup.reading.group_order import group_span_ms
from neardup.reading.origins import origins_of, shared
from neardup.reading.story import story
from neardup.signing.signer import signer_for

TEXT = edited_pair(3).a
FORM = "The desk estimated slaughter of hogs at {} head on {}, against {} head a week before, it said."


def stories(records, **fields):
    with neardup.open(None, window_hours=0, keep_text=True) as window:
        list(window.ingest(records))
        groups = list(window.groups())
        documents = {document.id: document for document in window.read(window) if document is not None}
    return [story(group, documents, signer_for(Recipe()), **fields) for group in groups]


def record(id, text, hour, source):
    return {"id": id, "text": text, "time": f"2026-11-21T{hour:02}:00Z", "source": source}


def test_the_way_of_a_reprint():
    other = TEXT.replace("the", "that").replace("and", "nor")
    half = TEXT[: int(len(TEXT) * 0.8)]
    records = [
        record("a", TEXT, 1, "Wire"), record("b", TEXT + " Updated.", 2, "Paper"), record("c", half, 4, "Paper"),
        record("d", other, 6, "Wire"), record("e", other + " Updated.", 7, None),
    ]  # fmt: skip
    (told,) = stories(records)
    assert [(each.id, each.after_ms // 3_600_000, each.source) for each in told.versions] == [
        ("a", 0, "Wire"), ("b", 1, "Paper"), ("c", 3, "Paper"), ("d", 5, "Wire"), ("e", 6, None),
    ]  # fmt: skip
    assert [each.origin for each in told.versions] == [0, 0, 1, 2, 2]
    assert (told.origins, told.kind, told.across, told.within) == (3, "copies", 1, 2)
    parts = [each.of_first for each in told.versions]
    assert parts[:2] == [1.0, 1.0]
    assert 0.75 < parts[2] < 0.85
    assert (told.versions[0].score, told.versions[4].matched) == (None, "d")
    assert told.span_ms == group_span_ms(told.group) == 6 * 3_600_000
    assert told.to_dict()["versions"][1]["source"] == "Paper"


def test_a_form_is_told_from_copies():
    records = [
        record(str(at), FORM.format(300 + 17 * at, f"{at + 1} November", 290 + 13 * at), at, "Desk")
        for at in range(4)
    ]
    (told,) = stories(records)
    assert (told.kind, told.within, told.across) == ("form", 3, 0)


def test_without_texts_there_is_neither_kind_nor_origin():
    with neardup.open(None, window_hours=0) as window:
        list(window.ingest([record("a", TEXT, 1, "Wire"), record("b", TEXT, 2, "Paper")]))
        (group,) = window.groups()
        documents = {document.id: document for document in window.read(["a", "b"]) if document is not None}
    told = story(group, documents, signer_for(Recipe()))
    assert (told.kind, told.origins, told.across) == (None, None, 1)
    assert story(group, {}, signer_for(Recipe())).versions[1].source is None


@pytest.mark.parametrize("hours", [1, 119, 5_000, 2_000_000])
@pytest.mark.parametrize("first", [0, 399])
def test_bars_over_time_count_everything(hours, first):
    chart, period = over_time({first: 2, first + hours: 3}, [first, first + hours])
    assert sum(bar.value for bar in chart.bars) == 5
    assert len(chart.bars) <= MOST_BARS
    assert (chart.most, period > 0) == (5 if len(chart.bars) == 1 else 3, True)
    assert over_time({}, [])[0].bars == ()


def test_bars_over_time_begin_where_years_do():
    """Programs write the first moment of the year 1 for no time."""
    first = parse_time("0001-01-01T00:00:00Z") // 3_600_000
    chart, period = over_time({first: 2}, [first, 500_000])
    assert (chart.first, chart.bars[0].value, period > 8_760) == ("0001-01-01 00:00", 2, True)


def test_bars_of_scores():
    chart = of_scores([0.7, 0.71, 0.999, 1.0, 1.0])
    assert [(bar.label, bar.value) for bar in chart.bars if bar.value] == [
        ("0.70 to 0.72", 2), ("0.98 to 1.00", 1), ("1.00", 2),
    ]  # fmt: skip
    assert of_scores([]).bars == ()


def test_of_many_independent_texts_each_document_has_the_first_it_is_the_same_as():
    chance = np.random.default_rng(5)

    def keys(count):
        return chance.integers(0, 1 << 64, count, np.uint64)

    common, parts = keys(700), [keys(size) for size in chance.integers(0, 300, 40)]
    sets = {}
    for at in map(str, range(300)):
        own = np.unique(np.concatenate([common, parts[chance.integers(40)], keys(20)]))
        sets[at] = own[chance.random(len(own)) >= chance.choice([0, 0.02, 0.2])]
    origins: list[np.ndarray] = []
    expected = {}
    for at, own in sets.items():
        same = (n for n, one in enumerate(origins) if shared(own, one) >= 0.9 * max(len(own), len(one)))
        expected[at] = next(same, len(origins))
        if expected[at] == len(origins):
            origins.append(own)
    assert origins_of(sets) == expected
    assert 20 < len(origins) < 200


def test_the_versions_that_tell_a_kind_lie_all_over_the_group():
    forms = [FORM.format(300 + 17 * at, f"{at % 28 + 1} November", 290 + 13 * at) for at in range(22)]
    copies = [forms[0] + " Updated" * (at % 3 + 1) for at in range(17)]
    records = [record(f"{at:02}", text, 1, None) for at, text in enumerate([forms[0], *copies, *forms[1:]])]
    (told,) = stories(records)
    assert (len(told.versions), told.kind) == (39, "form")
