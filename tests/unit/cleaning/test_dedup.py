"""`neardup.dedup` keeps the star rule, against every pair counted one by one, whatever is preferred."""

from __future__ import annotations

import pickle
import random
from datetime import date
from enum import Enum
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neardup
from neardup.cleaning import dedup as module
from neardup.cleaning.preference import parse_keep
from neardup.cleaning.star import Pairs, removed
from neardup.errors import SettingsError

FERRY = "The ferry ran aground off the western spit at dawn."
DUSK = FERRY.replace("dawn", "dusk")
RAIN = "Rain is due in the north."


def variants(count: int, seed: int = 7) -> list[str]:
    """Texts of a few families, whose members differ by some words."""
    chance = random.Random(seed)
    families = [[f"{chance.randrange(10**6)}" for _ in range(12)] for _ in range(6)]
    texts = []
    for _ in range(count):
        words = list(chance.choice(families))
        for _ in range(chance.randrange(5)):
            words[chance.randrange(len(words))] = str(chance.randrange(10**6))
        texts.append(" ".join(words))
    return texts


def by_brute_force(texts: list[str], order: list[int], threshold: float) -> dict[int, tuple[int, float]]:
    """What goes for what, by the rule itself: the best of those that stay before, of equals the first preferred."""
    kept: list[int] = []
    gone = {}
    for position in order:
        scores = [(-neardup.doc_q(texts[position], texts[other]), at) for at, other in enumerate(kept)]
        score, at = min(scores, default=(0.0, 0))
        if scores and -score >= threshold:
            gone[position] = (kept[at], -score)
        else:
            kept.append(position)
    return gone


ORDERS = {
    "first": lambda texts: list(range(len(texts))),
    "last": lambda texts: list(range(len(texts)))[::-1],
    "longest": lambda texts: sorted(range(len(texts)), key=lambda at: -len(texts[at])),
}


@pytest.mark.parametrize("keep", ORDERS)
@pytest.mark.parametrize("threshold", [0.3, 0.7])
def test_it_is_what_brute_force_finds(keep, threshold):
    texts = variants(150)
    expected = by_brute_force(texts, ORDERS[keep](texts), threshold)
    assert len(expected) > 40
    for pairs in (True, False):
        result = neardup.dedup(texts, threshold=threshold, keep=keep, pairs=pairs, retrieval="complete")
        assert {copy.position: (copy.duplicate_of, copy.score) for copy in result.copies} == expected
        assert sorted(result.kept + result.removed) == list(range(len(texts)))


@pytest.mark.parametrize("keep", ORDERS)
def test_another_threshold_is_as_if_asked_for_at_once(keep):
    texts = variants(120, seed=8)
    result = neardup.dedup(texts, threshold=0.3, keep=keep, retrieval="complete")
    for threshold in (0.3, 0.45, 0.7, "0.9", 1.0):
        at_once = neardup.dedup(texts, threshold=threshold, keep=keep, retrieval="complete")
        later = result.at(threshold)
        assert (later.copies, later.kept, later.pairs) == (at_once.copies, at_once.kept, at_once.pairs)
        assert later.threshold == Fraction(str(threshold))


def test_every_pair_is_named_once():
    texts = variants(60)
    wanted = {
        (i, j): score
        for i, j in combinations(range(len(texts)), 2)
        if (score := neardup.doc_q(texts[i], texts[j])) >= 0.5
    }
    pairs = neardup.dedup(texts, threshold=0.5, keep="longest", retrieval="complete").pairs
    assert {(pair.i, pair.j): pair.score for pair in pairs} == wanted
    assert len(pairs) == len(wanted)


def test_a_lower_threshold_or_one_without_pairs_is_refused():
    result = neardup.dedup([FERRY, DUSK], pairs=False)
    assert result.at(0.7).removed == [1]
    with pytest.raises(SettingsError, match=r"setting threshold is 0\.6: it must be at least 0\.7"):
        result.at(0.6)
    with pytest.raises(SettingsError, match="setting pairs is False: it must be True in the call of dedup"):
        result.at(0.8)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from([0.7, 0.8, 0.9])), max_size=25)
)
@settings(max_examples=200, deadline=None)
def test_the_star_rule(drawn):
    """Whatever goes has a pair with one that stays before it; no two that stay make a pair."""
    unique = {(max(i, j), min(i, j)): score for i, j, score in drawn if i != j}
    pairs = Pairs()
    for (later, earlier), score in sorted(
        unique.items(), key=lambda item: (item[0][0], -item[1], item[0][1])
    ):
        pairs.add(later, earlier, score)
    gone = removed(pairs)
    for later, kept in gone.items():
        assert kept.at not in gone
        assert unique[later, kept.at] == kept.score
    assert not any(later not in gone and earlier not in gone for later, earlier in unique)


# ---- which one stays ----


def test_the_preferred_source_stays():
    records = [{"text": FERRY, "source": name} for name in ("blog", "ap", "reuters", None)]
    assert neardup.dedup(records, keep="source:reuters,ap").kept == [2]
    assert neardup.dedup(records, keep="source:none,ap").kept == [1]
    other = [{"text": FERRY, "from": name} for name in ("blog", "ap")]
    assert neardup.dedup(other, keep="source:ap", source="from").kept == [1]
    documents = [neardup.Document("", FERRY, None, {"source": each["source"]}) for each in records]
    assert neardup.dedup(documents, keep="source:reuters,ap").kept == [2]


@pytest.mark.parametrize("kind", [int, np.int64])
def test_a_source_may_be_a_number(kind, caplog):
    records = [{"text": FERRY, "source": kind(number)} for number in (7, 12, 3)]
    assert neardup.dedup(records, keep="source:12,7").kept == [1]
    assert not caplog.text


def test_a_source_that_no_text_has_is_told(caplog):
    neardup.dedup([{"text": FERRY, "source": "ap"}], keep="source:ap,reuter")
    assert "no text has the source 'reuter'" in caplog.text


@pytest.mark.parametrize("wrong", ["newest", "source:", "source:a,,b", "source:a,a", "", 1, None])
def test_a_rule_that_is_none_is_refused(wrong):
    with pytest.raises(
        SettingsError, match=r"setting keep is .*: it must be first, last, longest, earliest, or source:a,b,c"
    ):
        parse_keep(wrong)


# ---- what is there already ----


def test_copies_of_other_texts_go_and_these_are_not_compared_with_one_another():
    result = neardup.dedup([RAIN, DUSK, FERRY, DUSK], against=[DUSK, FERRY, FERRY, None], threshold=0.8)
    assert result.kept == [0]
    assert result.removed == [1, 2, 3]
    assert [(copy.duplicate_of, copy.against, copy.score) for copy in result.copies] == [
        (0, True, 1.0),
        (1, True, 1.0),
        (0, True, 1.0),
    ]
    assert result.groups == []
    assert {(pair.i, pair.j) for pair in result.pairs if pair.against} == {*product((1, 2, 3), (0, 1, 2))}
    assert {(pair.i, pair.j) for pair in result.pairs if not pair.against} == {(1, 2), (1, 3), (2, 3)}


def test_a_copy_of_a_text_that_was_itself_like_another_one_there_goes():
    """Nothing of `against` may be left out because something else of it is like it."""
    words = [f"word{number}" for number in range(13)]
    chain = [" ".join(words[at : at + 8]) for at in (0, 2, 4)]
    result = neardup.dedup([chain[2]], against=chain[:2], threshold=0.65)
    assert neardup.doc_q(chain[0], chain[1]) >= 0.65
    assert result.removed == [0]
    assert neardup.dedup([chain[2]], against=chain[:1], threshold=0.65).kept == [0]


@pytest.mark.parametrize("retrieval", ["sketch", "complete"])
@pytest.mark.parametrize("keep", ["first", "longest"])
@pytest.mark.parametrize("threshold", [0.3, 0.7])
def test_without_every_pair_the_same_goes_for_the_same_of_what_is_there(retrieval, keep, threshold):
    texts = variants(120)
    options = {"against": [*texts[:20], None, *texts[:3]], "retrieval": retrieval, "keep": keep}
    every = neardup.dedup([*texts[10:], None], threshold=threshold, **options)
    fewer = neardup.dedup([*texts[10:], None], threshold=threshold, pairs=False, **options)
    assert (fewer.kept, fewer.copies, fewer.rejected) == (every.kept, every.copies, every.rejected)
    assert len(fewer.pairs) == len(fewer.removed) < len(every.pairs)


def test_without_every_pair_copies_make_one_each_whatever_is_there():
    result = neardup.dedup([FERRY] * 50, against=[RAIN] * 50, pairs=False)
    assert (result.kept, len(result.pairs)) == ([0], 49)


def test_a_result_can_be_pickled_without_its_input():
    texts = [FERRY, DUSK, "Rain is due in the north. " * 1_000, None]
    result = neardup.dedup(texts)
    light = result.without_data()
    assert light == result
    assert len(pickle.dumps(light)) < 2_000 < 20_000 < len(pickle.dumps(result))
    again = pickle.loads(pickle.dumps(light))
    assert (again, again.at(0.95).removed, result.frame()[1]["group"]) == (result, [], 0)
    with pytest.raises(SettingsError, match=r"data is None: it must be .* frame\(\) before without_data\(\)"):
        again.frame()
    assert neardup.dedup(texts, keep_kinds="form").without_data().removed == [1]


# ---- what cannot be used ----


def test_what_cannot_be_used_is_rejected_by_its_position(caplog):
    texts = [None, FERRY, float("nan"), 7, "\ud800", DUSK, "x" * 200]
    result = neardup.dedup(texts, max_length=100)
    assert (result.kept, result.removed) == ([1], [5])
    assert [position for position, _ in result.rejected] == [0, 2, 3, 4, 6]
    assert dict(result.rejected)[0] == dict(result.rejected)[2] == "no text: the value is missing"
    assert dict(result.rejected)[3] == "the value is int, not a string"
    assert "U+D800" in dict(result.rejected)[4]
    assert "5 of 7 texts rejected, the first at position 0" in caplog.text


def test_what_cannot_be_used_of_what_is_there_already_is_told(caplog):
    result = neardup.dedup([None, DUSK], against=["Rain.", FERRY.encode(), None, "x" * 200], max_length=100)
    assert (result.kept, [position for position, _ in result.rejected]) == ([1], [0])
    assert "1 of 2 texts rejected, the first at position 0: no text" in caplog.text
    assert "3 of 4 texts of `against` rejected, the first at position 1: the value is bytes" in caplog.text


def test_what_is_no_text_at_all_stays():
    assert neardup.dedup(["...", "", " - "]).kept == [0, 1, 2]


def test_nothing_gives_nothing():
    result = neardup.dedup([])
    assert (result.kept, result.removed, result.groups, result.pairs, result.frame()) == ([], [], [], [], [])
    assert repr(result) == "<Deduped at 0.7: 0 kept, 0 removed, 0 rejected>"


def test_many_pairs_are_told(monkeypatch, caplog):
    monkeypatch.setattr(module, "MANY_PAIRS", 3)
    neardup.dedup([FERRY] * 5)
    assert "3 pairs so far: dedup(..., pairs=False)" in caplog.text


def test_a_setting_that_is_none_is_refused():
    with pytest.raises(SettingsError, match="threshold is 70"):
        neardup.dedup([FERRY], threshold=70)
    with pytest.raises(SettingsError, match="retrieval"):
        neardup.dedup([FERRY], retrieval="all")  # type: ignore[arg-type]


@pytest.mark.parametrize("texts", [{FERRY, DUSK}, frozenset({FERRY})])
def test_a_set_has_no_first_text(texts):
    with pytest.raises(TypeError, match="a set has no order"):
        neardup.dedup(texts)


@pytest.mark.parametrize(
    "times",
    [(date(2021, 1, 1), date(2020, 1, 1)), (np.datetime64("2021-01-01"), np.datetime64("2020-01-01")),
     (np.int64(1_600_000_000), np.int64(1_500_000_000)), (None, date(2020, 1, 1))],
    ids=["dates", "numpy", "numbers", "none"],
)  # fmt: skip
def test_the_earliest_is_known_by_a_time_of_any_kind(times):
    records = [{"text": FERRY, "time": time} for time in times]
    assert neardup.dedup(records, keep="earliest").kept == [1]


def test_times_that_are_not_known_are_told(caplog):
    records = [{"text": FERRY, "time": time} for time in ("3/11/26", None, date(2020, 1, 1))]
    assert neardup.dedup(records, keep="earliest").kept == [2]
    unread = "2 of 3 texts have no time that can be read, and count as later than all others"
    assert f"{unread} (first: position 0): time '3/11/26' is not ISO 8601" in caplog.text


def test_texts_alone_have_neither_time_nor_source(caplog):
    assert neardup.dedup([FERRY, DUSK, FERRY], keep="earliest").kept == [0]
    assert "(first: position 0): it has none; `time` names the field of a record" in caplog.text
    caplog.clear()
    assert neardup.dedup(["Some rain.", "Some rain"], keep="source:Some rain").kept == [0]
    assert "no text has the source 'Some rain' that keep names" in caplog.text


def test_a_text_of_a_class_of_its_own_is_its_value():
    class Kind(str, Enum):  # noqa: UP042 - its text is not what it prints
        ONE = FERRY

    assert neardup.dedup([FERRY, Kind.ONE]).kept == [0]


def test_pairs_is_true_or_false():
    with pytest.raises(SettingsError, match="setting pairs is 'no': it must be true or false"):
        neardup.dedup([FERRY], pairs="no")  # type: ignore[arg-type]
    assert neardup.dedup([FERRY, FERRY], pairs=np.False_).kept == [0]  # type: ignore[arg-type]
