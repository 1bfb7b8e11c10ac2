"""Partial copies: quotations, clippings, several originals in one text. Every kind of window, against brute force."""

from __future__ import annotations

import random
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from testing.effort import examples
from testing.window.backends import START, Place, document, engines_only, summaries, without_candidates
from testing.window.differential import WORKING, compare
from testing.window.operations import MOST_QGRAMS, SETTINGS, operations
from testing.window.reference_window import ReferenceWindow

from neardup import sign
from neardup.errors import SettingsError
from neardup.model.verdict import PartialMatch

HERON = "The grey heron stalked slowly across the frozen marsh at sunrise."
WEATHER = "Nobody in the village remembered such bitter weather before."
NETS = "Fishermen hauled their empty nets onto the crumbling stone pier."
HOUSING = "Parliament debated the controversial housing amendment until midnight."
MINISTERS = "Opposition leaders accused ministers of ignoring rural constituencies."
GROWTH = "Economists predicted sluggish growth throughout the coming decade."
SCRAPBOOK = "My grandmother kept scrapbooks filled with newspaper clippings like this."
FOUND = "I thought these quotations remarkable and wished to keep them somewhere safe."
PENGUINS = "Another remark concerned penguins wandering southern beaches happily."

MARSH = f"{HERON} {WEATHER} {NETS}"
HOUSE = f"{HOUSING} {MINISTERS} {GROWTH}"
AGGLOMERATE = f"{SCRAPBOOK} {FOUND} {PENGUINS} {MARSH} {HOUSING} {GROWTH}"

# -- one by one --


def ingested(place, *texts, name="window", **chosen):
    window = place.open(name, partial=True, **chosen)
    verdicts = list(window.ingest([document(id, text) for id, text in texts]))
    return window, verdicts


def named(verdict):
    return [part.id for part in verdict.partial]


def test_each_original_of_an_agglomerate_is_named_with_its_share(place):
    _, verdicts = ingested(place, ("marsh", MARSH), ("house", HOUSE), ("all", AGGLOMERATE))
    assert summaries(verdicts) == [
        ("marsh", "unique", None, "marsh"), ("house", "unique", None, "house"), ("all", "partial", None, "all"),
    ]  # fmt: skip
    assert [verdict.partial for verdict in verdicts[:2]] == [(), ()]
    marsh, house = verdicts[2].partial
    assert (marsh.id, marsh.sentences, marsh.containment) == ("marsh", 3, 1.0)
    assert (house.id, house.sentences) == ("house", 2)
    assert 0.6 < house.containment < 0.75
    assert 0.5 < marsh.share + house.share < 0.75
    assert verdicts[2].matches == ()
    assert (verdicts[2].score, verdicts[2].shared, verdicts[2].is_copy) == (None, None, False)


def test_a_clipping_of_an_earlier_text_and_a_text_around_an_earlier_clipping(place):
    long = f"{AGGLOMERATE} {MINISTERS}"
    clip = f"{HERON} {WEATHER}"
    size = sign(clip).qgram_count
    _, verdicts = ingested(place, ("long", long), ("clip", clip))
    assert verdicts[1].partial == (PartialMatch("long", 1.0, 1.0, size, 2),)
    _, verdicts = ingested(place, ("clip", clip), ("long", long), name="other")
    assert verdicts[1].partial == (PartialMatch("clip", size / sign(long).qgram_count, 1.0, size, 2),)


@pytest.mark.parametrize(("chosen", "found"), [
    ({"delta": 0, "containment": 1}, ["a"]), ({"delta": 1, "containment": 1}, []),
    ({"delta": 1, "containment": "0.3"}, ["a"]), ({"delta": 1, "containment": "0.4"}, []),
], ids=str)  # fmt: skip
def test_one_sentence_counts_by_delta_or_by_containment(place, chosen, found):
    _, verdicts = ingested(place, ("a", MARSH), ("b", f"{HERON} {GROWTH} {SCRAPBOOK}"), **chosen)
    assert named(verdicts[1]) == found
    assert verdicts[1].status == ("partial" if found else "unique")


def test_a_light_revision_of_a_sentence_is_the_same_sentence(place):
    revised = "Slowly the grey heron stalked across the frozen marsh, at sunrise!"
    _, verdicts = ingested(place, ("a", MARSH), ("b", f"{revised} {WEATHER} {HOUSE}"), containment=1)
    assert verdicts[1].partial[0].sentences == 2


def test_a_near_copy_names_the_partial_copies_beside_its_original(place):
    copy = f"{AGGLOMERATE} Indeed."
    _, verdicts = ingested(place, ("marsh", MARSH), ("all", AGGLOMERATE), ("copy", copy))
    assert (verdicts[2].status, verdicts[2].duplicate_of, verdicts[2].group) == ("near", "all", "all")
    assert named(verdicts[2]) == ["marsh"]


def test_texts_without_a_sentence_fingerprint_have_no_partial_copies(place):
    _, verdicts = ingested(place, ("a", MARSH), ("b", "grey heron"), ("c", "..."), ("d", "A. B. C."))
    assert [verdict.partial for verdict in verdicts] == [()] * 4
    assert [verdict.status for verdict in verdicts] == ["unique", "unique", "empty", "unique"]


@engines_only
def test_a_footer_without_sentences_makes_no_partial_copies_of_a_crowd_and_the_texts_beside_it(place):
    numbers = random.Random(7)

    def word():
        return "".join(numbers.choices("abcdefghijklmnopqrstuvwxyz", k=numbers.randint(3, 9)))

    def prose(words):
        return " ".join(word() for _ in range(words)) + ". "

    footer, template = " ".join(f"{word().title()} {word()}." for _ in range(40)), prose(250)
    texts = [(f"{i:03}", (template + prose(5) if i % 2 else prose(250)) + footer) for i in range(240)]
    _, verdicts = ingested(place, *texts)
    assert [verdict.status for verdict in verdicts] == ["unique", "unique", *["unique", "near"] * 119]
    assert [verdict.partial for verdict in verdicts] == [()] * len(texts)


def test_without_the_option_nothing_is_said(place):
    window = place.open()
    [verdict] = window.ingest([document("a", MARSH)])
    assert verdict.partial is None
    assert "partial" not in verdict.to_dict()
    assert "partial" not in window.query(MARSH).to_dict()


def test_as_many_are_listed_as_matches_are(place):
    documents = ("marsh", MARSH), ("house", HOUSE), ("all", AGGLOMERATE)
    window, verdicts = ingested(place, *documents, matches=1)
    assert named(verdicts[2]) == ["marsh"]
    assert [verdict.partial_total for verdict in verdicts] == [0, 0, 2]
    window = place.reopened(window, matches=1)
    assert list(window.ingest(document(*one) for one in documents)) == verdicts


@pytest.mark.parametrize("policy", ["drop", "route"])
def test_policies_are_for_whole_copies(place, policy):
    window, verdicts = ingested(
        place, ("marsh", MARSH), ("all", AGGLOMERATE), ("again", MARSH), policy=policy
    )
    assert [verdict.status for verdict in verdicts] == ["unique", "partial", "exact"]
    assert named(verdicts[2]) == ["all"]
    assert window.query(AGGLOMERATE).duplicate_of == "all"
    assert named(window.query(f"{HERON} {NETS} {GROWTH} {MINISTERS}")) == ["all", "marsh"]


def test_a_stored_verdict_keeps_what_was_named(place):
    stream = [document("marsh", MARSH), document("house", HOUSE, 1), document("all", AGGLOMERATE, 2)]
    window = place.open(partial=True, delta=2, containment="0.6")
    verdicts = list(window.ingest(stream))
    for _ in range(2):
        window = place.reopened(window)  # with the settings that it remembers
        assert list(window.ingest(stream)) == verdicts
        [other] = window.ingest([document("other", f"{MARSH} {SCRAPBOOK} {MINISTERS}", 2)])
        assert named(other) == ["all", "marsh"]
        assert list(window.reconcile()) == []


# -- asking --


def test_a_query_by_text_and_by_id(place):
    window, _ = ingested(place, ("marsh", MARSH), ("house", HOUSE), ("all", AGGLOMERATE))
    window = place.reopened(window)
    verdict = window.query(id="all")
    assert (verdict.status, named(verdict)) == ("partial", ["marsh", "house"])
    assert named(window.query(id="house")) == ["all"]
    assert window.query(MARSH, threshold="0.05").partial == ()
    with pytest.raises(SettingsError, match="containment"):
        window.query(MARSH, containment=2)


@pytest.mark.parametrize(("asked", "found"), [
    ({}, ["all", "marsh"]), ({"containment": "0.6"}, ["all"]), ({"containment": 1}, []),
    ({"containment": 1, "delta": 0}, ["all", "marsh"]), ({"matches": 1}, ["all"]),
    ({"time": START - 24 * 3_600}, ["all", "marsh"]), ({"time": START + 26 * 3_600}, []),
], ids=str)  # fmt: skip
def test_a_query_by_its_own_rule_and_time(place, asked, found):
    window, _ = ingested(place, ("marsh", MARSH), ("house", HOUSE), ("all", AGGLOMERATE), containment="0.4")
    text = f"{HERON} {SCRAPBOOK}"
    # Both sentences are in the agglomerate, but not one after the other.
    assert named(window.query(text, **({"delta": 2} | asked))) == found
    assert window.query(text, partial=False, **asked).partial is None


@pytest.mark.parametrize("place", ["memory", "directory"], indirect=True)
def test_a_window_without_sentences_says_so(place):
    window = place.open()
    list(window.ingest([document("marsh", MARSH)]))
    with pytest.raises(SettingsError, match="partial=True"):
        window.query(AGGLOMERATE, partial=True)
    if place.durable:
        window = place.reopened(window, partial=True, advance=True)
        verdict = window.query(AGGLOMERATE)
        assert (verdict.partial, verdict.truncated) == ((), True)
        assert window.query(id="marsh").truncated
        # Hours that hold no such document are searched whole.
        [later] = window.ingest([document("later", AGGLOMERATE, 25)])
        assert not later.truncated


@pytest.mark.parametrize("compact_from", [10_000, 0])
def test_a_document_without_sentences_that_was_deleted_cuts_nothing_off(directory, compact_from):
    window = directory.open()
    list(window.ingest([document("marsh", MARSH), document("house", HOUSE)]))
    window = directory.reopened(window, partial=True)
    with mock.patch("neardup.window.state._COMPACT_FROM", compact_from):
        for id, text in (("marsh", None), ("house", AGGLOMERATE)):
            assert window.query(AGGLOMERATE).truncated
            if text is None:
                window.delete(id)
            else:
                list(window.ingest([document(id, text)]))
        assert not window.query(AGGLOMERATE).truncated
        [later] = window.ingest([document("later", AGGLOMERATE)])
        assert not later.truncated


# -- how many hold a sentence --


def holding(count):
    numbers = random.Random(count)
    words = ["".join(numbers.choices("etaoinshrdlu", k=7)) for _ in range(400)]
    return [document(f"{i:02}", f"{HERON} {' '.join(numbers.choices(words, k=30))}.") for i in range(count)]


@engines_only
@pytest.mark.parametrize("batch", [1, 64])
def test_a_sentence_of_too_many_documents_names_none_and_the_verdict_says_so(place, batch):
    chosen = {"delta": 0, "batch_documents": batch}
    with mock.patch.dict("neardup.index.search._LIMITS", sentences=10):
        window = place.open(partial=True, **chosen)
        verdicts = list(window.ingest(holding(14)))
        assert [len(verdict.partial) for verdict in verdicts] == [*range(11), 0, 0, 0]
        assert [verdict.truncated for verdict in verdicts] == [False] * 11 + [True] * 3
        assert list(window.reconcile()) == []
        for opened in (False, True):
            if opened:
                window = place.reopened(window, partial=True, **chosen)
            held = window.query(HERON), window.query(id="03")
            assert [(verdict.partial, verdict.truncated) for verdict in held] == [((), True)] * 2
        for i in range(3):
            window.delete(f"{i:02}")
        for opened in (False, True):
            if opened:
                window = place.reopened(window, partial=True, **chosen)
            assert window.query(HERON).truncated  # 11 hold it, of which one is not compared with itself
            assert len(window.query(id="03").partial) == 10


def test_reconcile_does_not_hold_at_once_who_shares_a_sentence_with_all_of_hundreds(directory):
    numbers = random.Random(5)
    words = ["".join(numbers.choices("etaoinshrdlu", k=7)) for _ in range(400)]
    window = directory.open(partial=True)
    list(
        window.ingest(
            document(f"{i:04}", f"{' '.join(numbers.choices(words, k=40))}. {MARSH}") for i in range(1_000)
        )
    )
    tracemalloc.start()
    try:
        assert list(window.reconcile()) == []
        assert tracemalloc.get_traced_memory()[1] < 35_000_000
    finally:
        tracemalloc.stop()


# -- streams --

SENTENCES = (
    "ferry towed port",
    "mill weir sixty",
    "fire aboard early",
    "Ärger über ALLES",
    "weir sixty. mill",
    "漢字𠮷",
)
CLIPPED = st.lists(st.sampled_from(SENTENCES), max_size=4).map(lambda some: ". ".join(some)[:MOST_QGRAMS])
RULES = st.fixed_dictionaries(
    {
        "partial": st.just(True),
        "containment": st.sampled_from(("0.1", "0.5", "0.8", "1")),
        "delta": st.sampled_from((0, 1, 2)),
    }
)


@settings(
    max_examples=examples(200), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.data())
def test_all_windows_answer_as_the_reference(data: st.DataObject) -> None:
    chosen: dict[str, Any] = data.draw(SETTINGS) | data.draw(RULES)
    stream, working = data.draw(operations(CLIPPED)), data.draw(WORKING)
    compact_from = data.draw(st.sampled_from((10_000, 0, 5)))
    most = data.draw(st.sampled_from((300, 300, 1, 2)))
    with (
        tempfile.TemporaryDirectory() as directory,
        mock.patch("neardup.window.state._COMPACT_FROM", compact_from),
        mock.patch.dict("neardup.index.search._LIMITS", sentences=most),
        mock.patch("testing.window.reference_window.MAX_SENTENCE_DOCUMENTS", most),
    ):
        compare(chosen, working, stream, Path(directory))


def clippings(seed, count=70):
    """Texts of a few sentences each, half of them taken from earlier ones, over two days."""
    numbers = random.Random(seed)
    words = ["".join(numbers.choices("etaoinshrdlu", k=numbers.randint(3, 9))) for _ in range(2_000)]
    said: list[str] = []
    found = []
    for i in range(count):
        own = [
            " ".join(numbers.choices(words, k=numbers.randint(2, 14))) for _ in range(numbers.randint(1, 12))
        ]
        taken = numbers.choices(said, k=numbers.randint(0, 8)) if said else []
        said += own
        found.append(
            document(f"{i:02}", ". ".join(numbers.sample([*own, *taken], len(own) + len(taken))), i / 2)
        )
    return found


@pytest.mark.parametrize("chosen", [
    {"window_hours": 5}, {"policy": "route", "threshold": "0.4", "delta": 0, "matches": 2},
], ids=str)  # fmt: skip
def test_longer_texts_have_what_brute_force_finds(place: Place, chosen: dict[str, Any]) -> None:
    compare_with_brute_force(place, chosen)


@pytest.mark.parametrize("chosen", [
    {"delta": 0}, {"retrieval": "complete", "policy": "drop", "threshold": "0.4"},
    {"routes": ("sentences", "simhash")}, {"batch_documents": 1}, {"batch_documents": 7, "threads": 3},
], ids=str)  # fmt: skip
def test_they_have_it_however_a_window_works(directory: Place, chosen: dict[str, Any]) -> None:
    compare_with_brute_force(directory, chosen)


def compare_with_brute_force(place: Place, chosen: dict[str, Any]) -> None:
    stream = clippings(3)
    reference = ReferenceWindow(partial=True, **chosen)
    expected = without_candidates(reference.ingest(stream))
    window = place.open(partial=True, **chosen)
    verdicts = without_candidates(window.ingest(stream[:35]))
    window = place.reopened(window, partial=True, **chosen)
    verdicts += without_candidates(window.ingest(stream[35:]))
    assert sum(verdict.status == "partial" for verdict in expected) > 10
    assert verdicts == expected
    reopened = place.reopened(window, partial=True, **chosen)
    for item in stream[::7]:
        asked = [each.query(item.text, time=item.time) for each in (reopened, reference)]
        assert without_candidates(asked[:1]) == without_candidates(asked[1:])
    assert without_candidates(reopened.reconcile()) == without_candidates(reference.reconcile())
