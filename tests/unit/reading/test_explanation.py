"""An explanation names what two texts have in common and what not, whatever they hold."""

from __future__ import annotations

import functools
import json
import pickle
import unicodedata
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from testing.edited_pairs import edited_pair

from neardup.kinds import kind_of
from neardup.model.settings import Recipe
from neardup.oracle import definitions as oracle
from neardup.reading.changes import changes
from neardup.reading.explanation import explain
from neardup.reading.normal_text import normal_text
from neardup.reading.passages import SHORTEST, covered_by, passages
from neardup.reading.words import Words
from neardup.signing.signer import signer_for

TEXTS = st.text("abc \u0301\u1100\u1161\u11a8é.\u0345Å1\u202e\x1b\n", max_size=60)


def points(text):
    return np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.uint32)


def test_printed_it_says_the_score_and_the_kind():
    why = explain("On 3 May 12 boats came with 480 tons.", "On 10 June 7 boats came with 95 tons.")
    assert repr(why) == f"<Explanation: doc_q {why.doc_q:.3f}, form>"


def test_of_pairs_with_known_edits_everything_in_common_and_every_fact_is_named():
    covered = total = listed = edited = 0
    for seed in range(200):
        pair = edited_pair(seed)
        why = explain(pair.a, pair.b)
        inside = covered_by([each.a for each in why.passages], len(pair.a))
        covered += sum(int(inside[start:end].sum()) for start, end in pair.common)
        total += sum(end - start for start, end in pair.common)
        assert all(each.size >= SHORTEST for each in why.passages)
        of_kind = [(fact.kind, fact.a or "", fact.b or "") for fact in why.facts]
        edited += len(pair.edits)
        listed += sum(
            any(kind == edit.kind and edit.a in a for kind, a, _ in of_kind)
            and any(kind == edit.kind and edit.b in b for kind, _, b in of_kind)
            for edit in pair.edits
        )
    assert covered >= 0.95 * total
    assert (listed, edited > 300) == (edited, True)


@given(TEXTS, st.booleans())
@settings(deadline=None)
def test_the_normal_form_and_where_it_comes_from(text, fold_case):
    normal = normal_text(text, signer_for(Recipe(fold_case=fold_case)))
    form = normal.form.tobytes().decode("utf-32-le")
    assert form == oracle.normal_form(text, fold_case=fold_case)
    for at, character in enumerate(form):
        start, end = normal.span(at, at + 1)
        origin = unicodedata.normalize("NFC", text[start:end])
        assert character in origin + origin.lower()


@given(st.text("ab", max_size=200), st.text("ab", max_size=200))
@settings(max_examples=60, deadline=None)
def test_passages_are_the_same_in_both_and_leave_nothing_of_twelve_out(a, b):
    found = passages(points(a), points(b))
    for each in found:
        assert a[each.a : each.a + each.size] == b[each.b : each.b + each.size]
        assert each.size >= SHORTEST
    for text, other, spans in (
        (a, b, [(each.a, each.a + each.size) for each in found]),
        (b, a, [(each.b, each.b + each.size) for each in found]),
    ):
        inside = covered_by(spans, len(text))
        for at in range(len(text) - SHORTEST + 1):
            assert text[at : at + SHORTEST] not in other or inside[at : at + SHORTEST].all()


@given(st.text("ab. 1\n", max_size=80), st.text("ab. 1\n", max_size=80))
@settings(deadline=None)
def test_the_changes_make_one_text_the_other(a, b):
    out, at = [], 0
    for change in changes(Words(a), Words(b)):
        out += Words(a[at : change.a.start]).texts
        out += Words(b[slice(*change.b)]).texts
        at = change.a.end
    assert out + Words(a[at:]).texts == Words(b).texts


def test_a_passage_between_two_others_is_found():
    a = "xabcdefghijklmnopqrstuvwx.........opqrstuvwxyouabcdefghijk"
    b = "abcdefghijklmnopqrstuvwxyouabcdefghijklmnop"
    found = passages(points(a), points(b))
    inside = covered_by([(each.b, each.b + each.size) for each in found], len(b))
    assert inside[b.index("you") : b.index("you") + 3].all()


def test_what_stands_elsewhere_is_moved():
    one, other = "The ferry ran aground at dawn near the spit.", "Nothing else of note happened on the coast."
    why = explain(f"{one} {other}", f"{other} {one}")
    assert (why.covered_a, why.covered_b) == (1.0, 1.0)
    assert len(why.moved) == len(why.changes) == 2


def test_figures_that_differ_by_a_point_are_told_though_doc_q_is_one():
    why = explain("Rates fell to 12.5 pct.", "Rates fell to 125 pct.")
    assert (why.doc_q, why.overlap.is_exact, why.kind.differing) == (1.0, True, ("12.5", "125"))
    assert [(fact.kind, fact.a, fact.b) for fact in why.facts] == [("figure", "12.5", "125")]


@pytest.mark.parametrize(
    ("a", "b", "fact"),
    [
        ("10:00:00,123 disk full", "10:00:00,124 disk full", ("date", "10:00:00,123", "10:00:00,124")),
        ("from 10.12.20.5 on", "from 10.12.20.6 on", ("figure", "10.12.20.5", "10.12.20.6")),
        ("[10/Oct/2000:13:55:36]", "[11/Oct/2000:13:55:36]", ("date", "10/Oct/2000", "11/Oct/2000")),
        ("Sat Aug  3 21:29:41", "Sun Aug  4 21:29:41", ("date", "Sat Aug  3", "Sun Aug  4")),
        ("frame 10:00:00:17", "frame 10:00:00:18", ("figure", "10:00:00:17", "10:00:00:18")),
        (
            "in x-2024-05-03-7.log",
            "in x-2024-05-03-8.log",
            ("figure", "x-2024-05-03-7.log", "x-2024-05-03-8.log"),
        ),
    ],
)
def test_no_digit_that_differs_is_left_out_for_a_date_beside_it(a, b, fact):
    assert [(each.kind, each.a, each.b) for each in explain(a, b).facts] == [fact]


@pytest.mark.parametrize(
    ("a", "b", "fact"),
    [
        ("ปรับ ๑๒,๕๐๐ บาท", "ปรับ ๑๓,๕๐๐ บาท", ("figure", "๑๒,๕๐๐", "๑๓,๕๐๐")),
        ("ຄົນ ໑໒໕", "ຄົນ ໑໒໖", ("figure", "໑໒໕", "໑໒໖")),
        ("១២៥នាក់", "១២នាក់", ("figure", "១២៥", "១២")),
        ("၁၂၅ယောက်", "၁၂၆ယောက်", ("figure", "၁၂၅", "၁၂၆")),
        ("၁၂၅႐ ယောက်", "၁၂၆႐ ယောက်", ("figure", "၁၂၅႐", "၁၂၆႐")),
    ],
)
def test_a_figure_is_told_whole_in_scripts_without_spaces_too(a, b, fact):
    assert [(each.kind, each.a, each.b) for each in explain(a, b).facts] == [fact]


def test_a_fraction_of_one_sign_is_a_figure_as_it_is_for_a_kind():
    why = explain("Add ½ pct to rates, the bank said.", "Add ⅝ pct to rates, the bank said.")
    assert (why.kind.name, why.kind.figures) == ("form", 1)
    assert [(fact.kind, fact.a, fact.b) for fact in why.facts] == [("figure", "½", "⅝")]


def test_an_accent_is_part_of_its_word_however_it_is_written():
    text = "Zoë Brontë met José Müller in Café Noé."
    why = explain(text, unicodedata.normalize("NFD", text.replace("José", "Josué")))
    assert [(fact.a, fact.b) for fact in why.facts] == [
        ("José Müller", unicodedata.normalize("NFD", "Josué Müller"))
    ]


def test_names_in_stretches_that_are_not_compared_word_by_word_are_compared_in_nfc_too():
    random = Random(1)
    a, b = (" ".join(random.choices(["Zoë", "met", "saw"], k=4_200)) for _ in range(2))
    why = explain(f"one {a} two", f"three {b} four")
    assert [change.coarse for change in why.changes] == [True]
    decomposed = explain(why.a, unicodedata.normalize("NFD", why.b))
    in_nfc = [(fact.a, fact.b and unicodedata.normalize("NFC", fact.b)) for fact in decomposed.facts]
    assert list(dict.fromkeys(in_nfc)) == list(dict.fromkeys((fact.a, fact.b) for fact in why.facts))


@pytest.mark.parametrize("unseen", ["\xad", "\u200b", "\u200c", "\u2060", "\ufeff", "\u200e"])
def test_a_character_that_is_not_seen_makes_no_other_figure_date_or_name(unseen):
    text = "The Hauptwerk has 12345 pages, or 6/10 of 2.5 kg, since 3 September 2021."
    pieces = ("Haupt", "123", "6/", "Sep", "202")
    other = functools.reduce(lambda made, piece: made.replace(piece, f"{piece}{unseen}", 1), pieces, text)
    why = explain(text, other)
    assert why.facts == ()
    assert [why.b[slice(*each.b)].replace(unseen, "") for each in why.changes] == [
        "Hauptwerk", "12345", "6/10", "September 2021",
    ]  # fmt: skip
    assert [(fact.kind, fact.a) for fact in explain(text, other.replace("3 ", "4 ")).facts] == [
        ("date", "3 September 2021")
    ]


@pytest.mark.parametrize("unseen", ["", "\u200b", "\u2060\u200f"])
def test_a_date_begins_behind_a_sign_and_a_character_that_is_not_seen(unseen):
    a, b = (f"Berlin/{unseen}{day}.5.2024: it rained." for day in (3, 4))
    assert [(fact.kind, fact.a, fact.b) for fact in explain(a, b).facts] == [("date", "3.5.2024", "4.5.2024")]


def test_no_date_begins_behind_an_accent():
    a, b = (unicodedata.normalize("NFD", text) for text in ("Trémar 2020", "Trémar 2021"))
    assert [(fact.kind, fact.a, fact.b) for fact in explain(a, b).facts] == [("figure", "2020", "2021")]


@pytest.mark.parametrize(
    ("a", "b", "changed"),
    [
        ("समाचार प्रकाशित हुआ।", "समाचार प्रकाशित हुई।", ("हुआ", "हुई")),
        ("தமிழ் நாடு செய்தி", "தமிழக நாடு செய்தி", ("தமிழ்", "தமிழக")),
        ("این می‌رود", "این می‌آید", ("می‌رود", "می‌آید")),
        ("ราคาก่อน", "ราคาก้อน", ("ก่", "ก้")),
    ],
)
def test_a_word_of_vowel_signs_is_not_torn(a, b, changed):
    why = explain(a, b)
    assert [(why.a[slice(*each.a)], why.b[slice(*each.b)]) for each in why.changes] == [changed]


def test_what_begins_a_sentence_or_line_is_a_name_only_if_it_may_be_one():
    a = "Hi Ann,\nthe boats came in early. They wait for ice"
    b = "Hello Ben\nOn Friday the boats came late. Ravensea has no ice\nAn inspector of the US came. That's all"
    names = [(fact.a, fact.b) for fact in explain(a, b).facts if fact.kind == "name"]
    assert names == [("Ann", "Ben"), (None, "Ravensea"), (None, "US")]


def test_a_name_that_begins_a_line_is_one():
    facts = explain("Signed:\nMeyer for the yard.", "Signed:\nJones for the yard.").facts
    assert [(fact.kind, fact.a, fact.b) for fact in facts] == [("name", "Meyer", "Jones")]


def test_an_explanation_names_the_kind():
    a, b = (
        f"Balances at the bank {word}, it said: 5.31 billion on 3 May, as in {word}."
        for word in ("rose", "fell")
    )
    assert explain(a, b).kind == kind_of(a, b)
    assert explain(a, b).to_dict()["kind"]["name"] == "copy"


@pytest.mark.parametrize(
    ("a", "b"), [("", ""), ("", "Rain."), ("...", "Rain."), ("雨が降った。", "雪が降った。")]
)
def test_short_texts_are_explained(a, b):
    why = explain(a, b)
    assert json.loads(json.dumps(why.to_dict()))["passages"] == []
    assert [each.kind for each in why.changes] == ([] if a == b else ["changed" if a and b else "added"])


def test_of_normal_forms_the_characters_are_compared():
    a = "".join(edited_pair(3).a.split()).replace(".", "").replace(",", "")
    why = explain(a, f"{a[:300]}soon{a[300:]}again")
    assert [(each.kind, why.b[slice(*each.b)]) for each in why.changes] == [
        ("added", "soon"),
        ("added", "again"),
    ]


def test_it_is_the_same_in_another_process():
    pair = edited_pair(3)
    for why in (explain(pair.a, pair.b), explain(pair.a, pair.b, recipe=Recipe(q=3))):
        unasked = pickle.loads(pickle.dumps(why))
        told = why.to_dict()
        assert unasked == why
        assert unasked.to_dict() == told
        assert pickle.loads(pickle.dumps(why)).to_dict() == told


def test_those_of_other_texts_or_another_recipe_are_not_equal():
    why = explain("Rain.", "Snow.")
    others = {
        explain("Snow.", "Rain."),
        explain("Rain.", "Hail."),
        explain("Rain.", "Snow.", recipe=Recipe(q=3)),
    }
    assert len(others | {why, explain("Rain.", "Snow.")}) == 4
    assert why != "Rain."


def test_half_a_character_is_refused():
    with pytest.raises(ValueError, match="unpaired surrogate"):
        explain("a\ud800", "b")


def test_many_keys_are_looked_up_in_order(monkeypatch):
    """In none, each waits for memory: a text of eight million characters took two minutes."""
    search = np.searchsorted

    def searched(ordered, wanted, side="left"):
        assert not np.ndim(wanted) or np.array_equal(np.sort(wanted), wanted)
        return search(ordered, wanted, side)

    monkeypatch.setattr(np, "searchsorted", searched)
    pair = edited_pair(3)
    why = explain(pair.a, f"{pair.a} {pair.b}")
    assert why.passages
    assert why.moved <= set(range(len(why.changes)))


FIGURES = """
import numpy as np
from neardup.reading.explanation import explain

def explained(count):
    chance = np.random.default_rng(1)
    a, b = (" ".join(map(str, chance.integers(0, 10, count).tolist())) for _ in range(2))
    facts = explain(a, b).facts
    assert len(facts) > count / 2
    assert all(fact.a != fact.b for fact in facts)

explained(100)
"""

LONG_TEXTS = """
from testing.edited_pairs import edited_pair
from neardup.reading.explanation import explain

def explained(count):
    a = " ".join(edited_pair(seed).a for seed in range(count // 2_000))[:count]
    for b in (a[count // 2 :] + a[: count // 2], a.replace("ferries", "boats"), "ab" * (count // 2)):
        explain(a, b)

explained(4_000)
"""


@pytest.mark.xdist_group("steps")
@pytest.mark.parametrize(
    ("texts", "count"), [(FIGURES, 1_000), (LONG_TEXTS, 40_000)], ids=["figures", "long texts"]
)
def test_it_takes_linear_time(steps, texts, count):
    """Every figure once stood against every other."""
    few, many = steps(texts, f"explained({count})", f"explained({4 * count})")
    assert few < many < 6 * few
