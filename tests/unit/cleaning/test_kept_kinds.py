"""What stays for its kind: by the rule itself, in files, in lists, with every pair and without."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import neardup
from neardup.cleaning.kept_kinds import MOST_MATCHES, KindSample, parse_kinds
from neardup.cleaning.star import Pairs, removed
from neardup.errors import SettingsError
from neardup.kinds import kind_of
from neardup.model.boilerplate import Boilerplate, SourceBoilerplate
from neardup.model.settings import Recipe
from neardup.signing.boilerplate_file import save

REPORT = (
    "Market report of the fish hall at Ravensea for {day} {month}. Landed today were {a} crates of cod, {b} crates of "
    "haddock and {c} crates of plaice; the price of cod was {d} a crate, that of haddock {e}. Next sale at {f}."
)
MAIL = (
    "The harbour office will be closed from next week on while the western crane is being repaired by the yard. "
    "Please send all papers to the office at the mill, where two of us sit until then, and call before you come."
)
REPLY = "".join(f"> {line}.\n" for line in MAIL.split(". ")) + "\nThen who signs for the ice on Friday?\n"


def report(n: int) -> str:
    values = {name: 137 * (n + 3) * (at + 2) % 9973 for at, name in enumerate("abcdef")}
    return REPORT.format(day=n % 28 + 1, month=("May", "June", "July")[n % 3], **values)


TEXTS = [MAIL, report(1), REPLY, report(2), report(1).replace("plaice;", "fine plaice;"), MAIL, report(3)]


def by_brute_force(texts: list[str], threshold: float, kept_kinds: set[str]) -> dict[int, int]:
    """What goes for what, by the rule itself."""
    kept: list[int] = []
    gone = {}
    for position, text in enumerate(texts):
        scores = sorted((-neardup.doc_q(text, texts[other]), other) for other in kept)
        like = [other for score, other in scores if -score >= threshold][:20]
        original = next((at for at in like if kind_of(text, texts[at]).name not in kept_kinds), None)
        if original is None:
            kept.append(position)
        else:
            gone[position] = original
    return gone


@pytest.mark.parametrize("pairs", [True, False])
@pytest.mark.parametrize("kinds", ["", "form", "quote", "form,quote", ["other", "frame"]])
def test_it_is_what_the_rule_says(pairs, kinds):
    result = neardup.dedup(TEXTS, threshold=0.5, keep_kinds=kinds, pairs=pairs, retrieval="complete")
    expected = by_brute_force(TEXTS, 0.5, set(parse_kinds(kinds)))
    assert {copy.position: copy.duplicate_of for copy in result.copies} == expected
    assert 5 in expected  # the same mail again


def test_a_form_that_stays_is_one_that_others_go_for():
    texts = [report(1), report(2), report(3), report(2), report(3).replace("plaice;", "fine plaice;")]
    assert kind_of(texts[0], texts[1]).name == "form"
    result = neardup.dedup(texts, threshold=0.5, keep_kinds="form")
    assert result.groups == [(1, (3,)), (2, (4,))]
    assert result.kept == [0, 1, 2]
    assert result.at(0.6).kept == [0, 1, 2]


def test_what_is_there_already_counts_by_its_kind_too():
    for pairs in (True, False):
        result = neardup.dedup(
            [report(2), report(1)], threshold=0.5, against=[report(1)], keep_kinds="form", pairs=pairs
        )
        assert result.kept == [0]


def test_of_each_text_the_best_pairs_are_looked_at_however_many_others_have():
    pairs = Pairs()
    for later in (100, 200, 300):
        for earlier in range(25):
            pairs.add(later, earlier, 0.9)
    goes_for = {100: MOST_MATCHES - 1, 200: MOST_MATCHES, 300: MOST_MATCHES - 1}
    gone = removed(pairs, goes=lambda later, earlier: goes_for[later] == earlier)
    assert {later: original.at for later, original in gone.items()} == {
        100: MOST_MATCHES - 1,
        300: MOST_MATCHES - 1,
    }


@pytest.mark.parametrize("wrong", ["copy", "forms", "form;quote", ["form", "x"], None, True, 5])
def test_other_kinds_are_refused(wrong):
    with pytest.raises(SettingsError, match=r"setting keep_kinds is .*some of form, quote, frame, other"):
        parse_kinds(wrong)


def test_a_sample_looks_at_all_of_a_few_and_at_some_of_many():
    def filled(count: int, **limits: int) -> KindSample:
        sample = KindSample(Recipe(), **limits)
        for n in range(count):
            sample.stays(2 * n, report(n), None)
            sample.goes(report(n + 1) if n % 2 else report(n) + " Fine.", None, 2 * n)
        return sample

    assert filled(40).looked() == (40, 40, {"form": 20, "copy": 20})
    drawn = filled(200, most=60).looked()
    assert drawn[:2] == (200, 60)
    assert 15 < drawn.kinds["form"] < 45
    held = filled(200, held_characters=10_000).looked()
    assert held.near == 200
    assert 10 < held.looked_at < 180


def test_a_text_too_long_to_be_held_is_passed_over_by_the_sample():
    sample = KindSample(Recipe(), held_characters=len(report(1)))
    for number, text in enumerate((report(1) + " Fine.", report(1))):
        sample.stays(number, text, None)
        sample.goes(report(2), None, number)
    assert sample.looked() == (2, 1, {"form": 1})


FRAMES = [
    [f"{page} {site}: {page} and all about it" for page in pages.split()]
    for site, pages in (
        ("Ravensea", "sport weather tides markets letters travel"),
        ("Ottershaw", "music jobs films gardens cooking chess"),
    )
]


@pytest.mark.parametrize("pairs", [True, False])
def test_kinds_too_are_those_of_what_counts(tmp_path: Path, pairs):
    table = tmp_path / "table.json"
    sources = (SourceBoilerplate(20, dict.fromkeys(frame, 20)) for frame in FRAMES)
    save(Boilerplate(dict(zip("ab", sources, strict=True))), table)
    pages = ["\n".join([*frame, MAIL + end]) for frame, end in zip(FRAMES, ("", " Thanks."), strict=True)]
    assert kind_of(*pages).name == "other"
    recipe = neardup.Recipe(boilerplate=table)
    result = neardup.dedup(pages, keep_kinds="form,quote,frame,other", recipe=recipe, pairs=pairs)
    assert pickle.loads(pickle.dumps(result)).kept == result.kept == [0]


def test_what_was_found_with_kinds_that_stay_is_handed_on_to_another_process():
    result = neardup.dedup([report(1), report(2), report(1)], threshold=0.5, keep_kinds="form")
    handed_on = pickle.loads(pickle.dumps(result))
    assert handed_on == result
    assert handed_on.copies == result.copies
    assert handed_on.at(0.6).kept == result.at(0.6).kept
