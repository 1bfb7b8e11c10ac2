"""Asking: what else says this?"""

from __future__ import annotations

import pytest
from testing.window.backends import START, document, engines_in_turn, engines_only, grams, without_candidates

from neardup.errors import DocumentError, NeardupError, SettingsError, UnknownDocument
from neardup.model.clock import now_ms
from neardup.model.settings import HOUR_MS
from neardup.model.times import parse_time
from neardup.model.verdict import Match, Verdict

A = grams(0, 10)
WORDS = (
    "ferry",
    "pilot",
    "trawler",
    "mayor",
    "tanker",
    "cargo",
    "tug",
    "lighter",
    "barge",
    "schooner",
    "yacht",
)
WORD_AT = list(enumerate(WORDS))
STREAM = [
    document("a", A, 0), document("b", grams(1, 11), 1), document("c", grams(5, 15), 2), document("x", "ab", 3),
    document("e", "", 3),
]  # fmt: skip


@pytest.fixture(params=["sketch", "complete"])
def window(place, request):
    window = place.open(retrieval=request.param, matches=1)
    list(window.ingest(STREAM))
    return place.reopened(window)


def ids(verdict):
    return [match.id for match in verdict.matches]


def test_of_a_text(window):
    expected = Verdict(
        "",
        "2020-09-13T15:00:00Z",
        "exact",
        "a",
        1.0,
        10,
        "a",
        0,
        False,
        (Match("a", 1.0, 10), Match("b", 0.9, 9)),
        2,
    )
    assert without_candidates([window.query(A)]) == [expected]
    assert ids(window.query(A, matches=1)) == ["a"]
    assert ids(window.query(A, matches=0)) == []
    assert [window.query(A, matches=count).matches_total for count in (None, 1, 0)] == [2, 2, 2]


def test_of_a_document_itself_left_out(window):
    expected = Verdict(
        "a", "2020-09-13T12:00:00Z", "near", "b", 0.9, 9, "a", 0, False, (Match("b", 0.9, 9),), 1
    )
    assert without_candidates([window.query(id="a")])[0]._replace(group="a") == expected
    assert window.query(id="c").status == "unique"
    assert window.query(id="e").status == "empty"


def test_a_match_that_stands_for_a_group_whose_head_is_gone_is_found(place):
    window = place.open()
    list(window.ingest([document("gone", A), *(document(id, A, hour) for hour, id in enumerate("bcd", 1))]))
    window.delete("gone")
    window = place.reopened(window)
    for asked in ({"text": A}, {"id": "d"}):
        window = place.reopened(window)
        verdict = window.query(**asked)
        assert [match.id for match in verdict.matches] == ["b", "c", "d"][: verdict.matches_total]
        assert (verdict.matches_total, verdict.group) == (3 - ("id" in asked), "b")
    assert [verdict.matches_total for verdict in window.check([A])] == [3]


def test_at_another_threshold(window):
    assert ids(window.query(A, threshold="0.5")) == ["a", "b", "c"]
    assert ids(window.query(A, threshold=0.95)) == ["a"]
    assert ids(window.query(id="c", threshold="0.1")) == ["b", "a"]
    assert ids(window.query(id="c", threshold=1)) == []


def test_around_a_time(window):
    assert ids(window.query(A, time=START + 25 * 3_600)) == ["b"]
    assert ids(window.query(A, time=START + 26 * 3_600)) == []
    assert ids(window.query(A, time="2020-09-12T12:59:59Z")) == ["a"]
    assert ids(window.query(A, time="2020-09-12T13:00:00Z")) == ["a", "b"]
    verdict = window.query(id="a", time=START + 3_600)
    assert (verdict.time, ids(verdict)) == ("2020-09-13T13:00:00Z", ["b"])


def test_of_short_and_empty_texts(window):
    assert ids(window.query("a b")) == ["x"]
    assert window.query("...").status == "empty"
    assert window.query("ba").status == "unique"
    assert window.query(grams(0, 30), threshold="0.001").duplicate_of == "a"


def test_nothing_is_stored(window):
    before = window.stats()
    for _ in range(3):
        window.query(grams(300, 330))
    assert window.query(grams(300, 330)).status == "unique"
    assert window.stats() == before


def test_an_empty_window_answers(place):
    window = place.open()
    verdict = window.query(A)
    assert verdict._replace(time="") == Verdict("", "", "unique", None, None, None, "", 0, False, (), 0)
    assert 0 <= now_ms() - parse_time(verdict.time) < 2 * HOUR_MS  # the present hour, or the one just over
    assert window.stats().newest is None
    assert list(window.groups()) == []
    assert list(window.reconcile()) == []


def test_errors_are_named(window, place):
    with pytest.raises(UnknownDocument, match="no document 'nobody' in this window"):
        window.query(id="nobody")
    with pytest.raises(KeyError):
        window.query(id="nobody")
    for arguments in ({}, {"text": A, "id": "a"}):
        with pytest.raises(SettingsError, match="either a text or an id"):
            window.query(**arguments)
    if place.is_engine:
        for name, value in (
            ("threshold", 0),
            ("threshold", "x"),
            ("time", "soon"),
            ("matches", -1),
            ("text", "\ud800"),
        ):
            with pytest.raises((NeardupError, ValueError), match=name):
                window.query(**{"text": A, name: value})
        assert ids(window.query(A)) == ["a", "b"]


@engines_only
@pytest.mark.parametrize(("arguments", "message"), [
    ({"text": A, "containment": 0.5, "delta": 3}, "setting containment is 0.5: .* partial=True"),
    ({"text": A, "delta": 3}, "setting delta is 3: .* given only if partial copies are looked for"),
    ({"text": A, "source": ["a.org"]}, r"setting source is \['a.org'\]: it must be the name of a source"),
    ({"id": "a", "source": "a.org"}, "setting source is 'a.org': it must be given only with a text"),
], ids=str)  # fmt: skip
def test_an_argument_without_effect_is_refused(place, arguments, message):
    window = place.open()
    list(window.ingest(STREAM))
    with pytest.raises(SettingsError, match=message):
        window.query(**arguments)
    assert window.query(A, source="a.org") == window.query(A)


def test_queries_answer_while_a_stream_is_read(place):
    window = place.open(batch_documents=2)
    stream = (document(str(i), A, i / 10) for i in range(8))
    assert all(len(window.query(A).matches) > int(verdict.id) for verdict in window.ingest(stream))


def test_nothing_is_a_copy_of_an_empty_text_at_any_threshold(place):
    window = place.open(retrieval="complete")
    list(window.ingest([document("a", ""), document("b", "…", 1), document("c", grams(0, 20), 1)]))
    for threshold in (None, "0.5"):
        for asked in ({"text": " "}, {"id": "a"}):
            verdict = window.query(**asked, threshold=threshold)
            assert (verdict.status, verdict.matches) == ("empty", ())


@engines_in_turn("settings", [
    {"partial": True}, {"matches": 1, "kinds": True}, {},
    {"retrieval": "complete"}, {"matches": None, "max_candidates": 2},
    {"routes": ("sentences", "simhash"), "threshold": 0.5},
])  # fmt: skip
def test_many_texts_at_once_get_the_answers_of_as_many_queries(place, settings):
    sentences = [f"The {word} ran aground off the western spit at {word} today. " for word in WORDS]
    stored = [*STREAM, *(document(word, "".join(sentences[at : at + 6]), at / 4) for at, word in WORD_AT)]
    window = place.open(window_hours=0, **settings)
    list(window.ingest([*stored, document("twice", A, 4), document("thrice", A, 5)]))
    window = place.reopened(window)
    texts = [A, grams(2, 12), "ab", " ", "", A, *("".join(sentences[at : at + 5]) for at, _ in WORD_AT)]
    texts += [f"{sentences[0]}{sentences[9]} And nobody knew what else to say.", A.upper() + grams(40, 90)]
    # Of an unloaded window in a cluster a query compares with all that was searched for, for its text alone.
    plain = without_candidates if place.kind == "elasticsearch" else list
    expected = plain(window.query(text, matches=window.settings.matches) for text in texts)
    assert {verdict.status for verdict in expected} >= {"exact", "near", "unique", "empty"}
    assert plain(window.check(texts)) == expected
    assert plain(window.check(reversed(texts), sources=["a.org"] * len(texts))) == expected[::-1]
    assert window.check([]) == []
    assert len(window) == len(stored) + 2


@engines_only
def test_what_was_stored_for_this_retrieval_is_not_said_to_be_for_another(place, caplog):
    window = place.open(retrieval="complete", threshold=0.6)
    list(window.ingest(STREAM))
    window = place.reopened(window)
    assert len(window) == len(STREAM)
    assert ids(window.query(A)) == ["a", "b"]
    assert window.check([A])[0].matches_total == 2
    assert "another retrieval" not in caplog.text


@engines_only
def test_one_text_is_not_many_and_each_is_a_text(place):
    window = place.open()
    for wrong in ("text", b"text", 5, [b"text"], [None]):
        with pytest.raises(TypeError, match="text"):
            window.check(wrong)
    with pytest.raises(DocumentError, match="U\\+D800"):
        window.check(["good", "\ud800"])
    for owners in (["one"], ["one", "two", "three"], "ab"):
        with pytest.raises(SettingsError, match="one for each of the 2 texts"):
            window.check(["a", "b"], sources=owners)
