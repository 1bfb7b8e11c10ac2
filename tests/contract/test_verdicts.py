"""What is said of a document: status, best match, score, matches."""

from __future__ import annotations

from fractions import Fraction

import pytest
from testing.window.backends import document, grams, kinds_in_turn, summaries, without_candidates

from neardup.model.verdict import Match, Verdict

PAIRS = [
    ("A rose is a flower.", "a_A rose is a flower", "near", 11 / 12, 11),
    ("A rose is a flower.", "A rose, is; a flower", "exact", 1.0, 11),
    ("abc", "a.b.c", "exact", 1.0, 0),
    ("x", "x!", "exact", 1.0, 0),
    ("abc", "abd", "unique", None, None),
    ("abc", "abcd", "unique", None, None),
    ("", " \n…!", "empty", None, None),
    ("rose", "", "empty", None, None),
    (grams(0, 10), grams(3, 13), "near", 0.7, 7),
    (grams(0, 10), grams(3, 14), "unique", None, None),
    (grams(0, 10), grams(4, 14), "unique", None, None),
    (grams(0, 10), grams(0, 7), "near", 0.7, 7),
    (grams(0, 7), grams(0, 10), "near", 0.7, 7),
    ("ababababab", "abababababab", "near", 1.0, 2),
    ("cafe\u0301 au lait", "caf\u00e9 au lait", "exact", 1.0, 7),
    ("漢字かな漢字かな", "漢字かな漢字かな。", "exact", 1.0, 4),
    ("\U00020000\U00020001\U00020002\U00020003", "\U00020000\U00020001\U00020002\U00020003", "exact", 1.0, 1),
    ("\x00\x00\x00\x00\x00", "\x00\x00\x00\x00", "empty", None, None),
]  # fmt: skip


@kinds_in_turn(
    "retrieval, text, other, status, score, shared",
    [(retrieval, *pair) for pair in PAIRS for retrieval in ("sketch", "complete")],
)
def test_status_and_score_of_a_pair(place, retrieval, text, other, status, score, shared):
    window = place.open(retrieval=retrieval)
    _, verdict = window.ingest([document("a", text), document("b", other)])
    assert (verdict.status, verdict.score, verdict.shared) == (status, score, shared)
    assert verdict.duplicate_of == ("a" if score is not None else None)
    assert verdict.group == ("a" if score is not None else "b")


def test_the_whole_verdict(place):
    window = place.open()
    verdicts = without_candidates(
        window.ingest([document("a", grams(0, 10)), document("b", grams(2, 12), 1.5)])
    )
    assert verdicts == [
        Verdict("a", "2020-09-13T12:00:00Z", "unique", None, None, None, "a", 0, False, (), 0),
        Verdict("b", "2020-09-13T13:30:00Z", "near", "a", 0.8, 8, "a", 0, False, (Match("a", 0.8, 8),), 1),
    ]


@pytest.mark.parametrize("threshold", ["0.3", "0.7", "0.1", "0.999999", "1", 0.7, 1, "1e-3", Fraction(2, 3)])
def test_the_threshold_is_a_decimal_compared_in_whole_numbers(place, threshold):
    exact = Fraction(threshold) if isinstance(threshold, Fraction) else Fraction(str(threshold))
    window = place.open(threshold=threshold, retrieval="complete")
    whole = 1_000
    needed = -(-exact.numerator * whole // exact.denominator)
    list(window.ingest([document("a", grams(0, whole))]))
    below, reached = window.ingest(
        [document("b", grams(0, needed - 1) or "?"), document("c", grams(0, needed) + "!")]
    )
    assert below.duplicate_of != "a"
    assert "a" in [match.id for match in reached.matches]


def test_best_is_highest_score_then_earliest_then_smallest_id(place):
    window = place.open(threshold="0.5")
    stored = [
        document("late", grams(0, 20), 3),
        document("b", grams(0, 20), 2),
        document("a", grams(0, 20), 2),
        document("less", grams(0, 19), 1),
        document("least", grams(0, 12), 0),
    ]
    list(window.ingest(stored))
    [verdict] = window.ingest([document("new", grams(0, 20), 3)])
    assert [match.id for match in verdict.matches] == ["a", "b", "late", "less", "least"]
    assert verdict.duplicate_of == "a"


@pytest.mark.parametrize("count", [0, 1, 2])
def test_as_many_matches_as_asked_for(place, count):
    window = place.open(matches=count)
    stream = [document(str(i), grams(0, 9), i) for i in range(4)]
    verdicts = list(window.ingest(stream))
    assert [match.id for match in verdicts[3].matches] == ["0", "1", "2"][:count]
    assert verdicts[3].duplicate_of == "0"
    assert [verdict.matches_total for verdict in verdicts] == [0, 1, 2, 3]
    window = place.reopened(window, matches=count)
    assert list(window.ingest(stream)) == verdicts


def test_ten_matches_are_listed_by_default_and_all_are_counted(place):
    window = place.open()
    stream = [document(f"{i:02}", grams(0, 9), i) for i in range(13)]
    verdicts = list(window.ingest(stream))
    assert [len(verdict.matches) for verdict in verdicts] == [*range(11), 10, 10]
    assert [verdict.matches_total for verdict in verdicts] == list(range(13))
    window = place.reopened(window)
    assert list(window.ingest(stream)) == verdicts
    asked = window.query(grams(0, 9))
    assert (len(asked.matches), asked.matches_total) == (10, 13)
    assert len(window.query(grams(0, 9), matches=None).matches) == 13
    assert list(window.reconcile()) == []


def test_a_longer_list_of_matches_is_no_other_verdict(place):
    window = place.open(matches=None)
    stream = [document(f"{i:02}", grams(0, 9), i) for i in range(13)]
    verdicts = list(window.ingest(stream))
    assert [len(verdict.matches) for verdict in verdicts] == list(range(13))
    window = place.reopened(window)
    assert list(window.reconcile()) == []
    assert list(window.ingest(stream)) == verdicts


def test_status_is_that_of_the_best_match(place):
    # doc_q is 1 with both, the earlier one has another normal form.
    window = place.open()
    verdicts = list(
        window.ingest([document("a", "ababab"), document("b", "abababab", 1), document("c", "abababab", 2)])
    )
    assert summaries(verdicts)[1:] == [("b", "near", "a", "a"), ("c", "near", "a", "a")]


def test_a_document_finds_the_one_before_it_in_the_same_batch(place):
    window = place.open(**({"batch_documents": 50} if place.is_engine else {}))
    verdicts = list(window.ingest(document(str(i), grams(0, 9)) for i in range(20)))
    assert [verdict.matches_total for verdict in verdicts] == list(range(20))


def test_a_document_is_compared_only_with_those_before_it(place):
    window = place.open()
    first, second = window.ingest([document("b", grams(0, 9), 1), document("a", grams(0, 9), 0)])
    assert (first.duplicate_of, second.duplicate_of) == (None, "b")


def test_an_id_is_any_string_and_its_order_is_by_code_point(place):
    ids = [
        "\U0001f600",
        "\uffff",
        "z",
        "Z",
        "é",
        "a" * 512,
        "a\nb",
        "0",
        "..",
        " ",
        "_all",
        "a/b?c#d,*",
        "%2e",
    ]
    window = place.open()
    list(window.ingest(document(id, grams(0, 9)) for id in ids))
    window = place.reopened(window)
    verdict = window.query(grams(0, 9), matches=None)
    assert [match.id for match in verdict.matches] == sorted(ids)


def test_json_has_the_fields_in_order(place):
    window = place.open()
    verdict = list(window.ingest([document("a", grams(0, 10)), document("b", grams(1, 11))]))[1]
    assert verdict._replace(candidates=1).to_json() == (
        b'{"id":"b","time":"2020-09-13T12:00:00Z","status":"near","duplicate_of":"a","score":0.9,"shared":9,'
        b'"group":"a","candidates":1,"truncated":false,"matches":[{"id":"a","score":0.9,"shared":9}],'
        b'"matches_total":1}'
    )
