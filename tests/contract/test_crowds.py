"""Crowds of copies: many of one text, many of one template. What is found is what brute force finds."""

from __future__ import annotations

import ast
import random
from functools import cache
from typing import Any

import numpy as np
import pytest
from testing.window.backends import (
    START,
    document,
    engines_in_turn,
    engines_only,
    grams,
    summaries,
    without_candidates,
)
from testing.window.reference_window import ReferenceWindow

import neardup
from neardup.index import candidates, posting_lists, search
from neardup.index.reused_array import ReusedArray
from neardup.kernels import member_lists
from neardup.model.document import Document

ALERT = (
    "Alert from the harbour master: the water level at the bridge near the old mill has reached {} metres and the {} "
    "crossing is closed until further notice by order of the council of {} today. Drivers take the ring road."
)


def alerts(count, kinds):
    """Copies of one template, of so many texts, most of them several times, in no order."""
    numbers = random.Random(1)
    texts = [
        ALERT.format(
            f"{numbers.randrange(40):04}", f"north{numbers.randrange(5)}", f"town{numbers.randrange(5)}"
        )
        for _ in range(kinds)
    ]
    return [Document(f"d{i}", numbers.choice(texts), START + i) for i in range(count)]


@engines_in_turn(
    "settings", [{"partial": True}, {"routes": ("sentences", "simhash")}, {}, {"retrieval": "complete"}]
)
def test_every_score_in_a_crowd_is_doc_q(place, settings):
    documents = alerts(160, 60)
    texts = {document.id: document.text for document in documents}
    scores = {}
    for i, verdict in enumerate(place.open(matches=None, **settings).ingest(documents)):
        assert verdict.matches_total == len(verdict.matches) == i
        for match in verdict.matches:
            pair = texts[verdict.id], texts[match.id]
            if pair not in scores:
                scores[pair] = neardup.doc_q(*pair)
            assert match.score == scores[pair], (verdict.id, match.id)


@engines_only
def test_who_lists_more_matches_than_documents_exist_gets_all_of_them(place):
    documents = alerts(160, 60)
    for verdict in place.open(matches=1 << 63).ingest(documents):
        assert len(verdict.matches) == verdict.matches_total


def test_a_question_for_which_memory_runs_out_leaves_later_answers_right(tmp_path, monkeypatch):
    texts = {f"d{i}": ALERT.format(f"{37 * i:04}", "north", "town") for i in range(160)}
    documents = [Document(id, text, START) for id, text in texts.items()]
    add_members = member_lists.add_members

    def first_half_only(*given: Any) -> None:
        lists, bits, used, most, keys, offsets, members, progress = given
        half = np.where(np.arange(len(members)) < len(members) // 2, members, -1)
        add_members(lists, bits, used, most, keys, offsets, half, progress)
        raise MemoryError

    def ingest(some):
        with neardup.open(tmp_path / "window") as window:
            list(window.ingest(some))

    ingest(documents[:100])
    with neardup.open(tmp_path / "window", readonly=True) as reader:
        asked = ALERT.format("0001", "north2", "town3")
        reader.query(asked)
        ingest(documents[100:])
        reader.refresh()
        with monkeypatch.context() as patched:
            patched.setattr(member_lists, "add_members", first_half_only)
            with pytest.raises(MemoryError):
                reader.query(asked)
        for match in reader.query(asked, matches=None).matches:
            assert match.score == neardup.doc_q(asked, texts[match.id])


def mixed_up(count):
    """Alerts, long and short ones, of two templates, some cut in half, some again and again, beside other texts."""
    numbers = random.Random(3)
    other = " ".join(reversed(ALERT.split()))
    for i in range(count):
        fillings = [
            f"{numbers.randrange(3_000):04}",
            f"north{numbers.randrange(90)}",
            f"town{numbers.randrange(9)}",
        ]
        text = numbers.choice([ALERT, ALERT, other, ALERT[: len(ALERT) // 2] + "{}", f"{ALERT} {other}"])
        if i % 11 == 0:
            text = grams(40 * i, 40 * i + 30)
        yield document(f"d{i:03}", text.format(*fillings, *fillings), i / 40)


@engines_in_turn(
    "batch, settings",
    [
        (batch, settings)
        for batch in (7, 400)
        for settings in ({"policy": "drop"}, {"retrieval": "complete", "threshold": "0.6"}, {})
    ],
)
def test_crowds_of_several_templates_get_the_verdicts_of_brute_force(place, settings, batch):
    """Whichever documents of a batch are compared with a crowd together."""
    window = place.open(batch_documents=batch, **settings)
    found = list(window.ingest(mixed_up(400)))
    assert without_candidates(found) == truth(str(settings))


@engines_only
@pytest.mark.parametrize("policy", ["mark", "drop"])
def test_a_flood_is_searched_in_parts_with_the_same_verdicts(place, monkeypatch, policy):
    monkeypatch.setattr(search, "_AT_ONCE", 100)
    monkeypatch.setattr(posting_lists, "ReusedArray", lambda size: ReusedArray(min(size, 64)))
    parts, searched = [], search.Search.candidates

    def noted(*given, **options):
        found = searched(*given, **options)
        parts.append(len(found.truncated))
        return found

    monkeypatch.setattr(search.Search, "candidates", noted)
    found = list(place.open(batch_documents=400, policy=policy).ingest(mixed_up(400)))
    assert without_candidates(found) == truth(str({"policy": policy}))
    assert sum(parts) == 400
    assert len(parts) > (1 if policy == "drop" else 20)


@pytest.mark.parametrize(
    "settings",
    [
        {"partial": True},
        {"partial": True, "routes": ("sentences", "simhash")},
        {"max_candidates": 9},
    ],
    ids=str,
)
def test_a_flood_is_searched_in_parts_where_pairs_are_looked_at(monkeypatch, settings):
    """All pairs of a batch at once took memory that grew with the window."""
    whole = list(neardup.open(None, batch_documents=400, **settings).ingest(mixed_up(400)))
    monkeypatch.setattr(search, "_PAIRS_AT_ONCE", 1000, raising=False)
    monkeypatch.setattr(posting_lists, "ReusedArray", lambda size: ReusedArray(min(size, 64)))
    sizes, merged = [], candidates.merged

    def noted(counts, routes):
        sizes.append(len(counts.docs))
        return merged(counts, routes)

    monkeypatch.setattr(search, "merged", noted)
    assert list(neardup.open(None, batch_documents=400, **settings).ingest(mixed_up(400))) == whole
    assert len(sizes) > 10
    assert max(sizes) < sum(sizes) / 2


def test_reconcile_decides_a_flood_in_parts_as_it_does_at_once(monkeypatch):
    def reconciled() -> list[Any]:
        window = neardup.open(None, max_candidates=9)
        list(window.ingest(reversed([*mixed_up(400)])))
        return list(window.reconcile())

    whole = reconciled()
    assert len(whole) > 200
    monkeypatch.setattr(search, "_PAIRS_AT_ONCE", 1000)
    monkeypatch.setattr(posting_lists, "ReusedArray", lambda size: ReusedArray(min(size, 64)))
    assert reconciled() == whole


@cache
def truth(settings: str) -> list[Any]:
    """What brute force says of them, in `settings` written as Python."""
    wanted = ReferenceWindow(**ast.literal_eval(settings)).ingest(mixed_up(400))
    return without_candidates(wanted)


BELOW = "neighbours {} port towed account river early sixty bridge port level fire"


def test_who_took_over_from_a_head_still_stands_for_its_group_after_reopening(place):
    window = place.open()
    list(window.ingest([document("a", BELOW.format("ferry8")), document("b", BELOW.format("ferry8"), 1)]))
    window.delete("a")
    assert summaries(window.ingest([document("c", BELOW.format("port7"), 2)])) == [("c", "near", "b", "b")]
    window = place.reopened(window)
    assert summaries(window.ingest([document("d", BELOW.format("port9"), 3)])) == [("d", "near", "c", "b")]
    groups = {group.head: [member.id for member in group.members] for group in window.groups()}
    assert groups == {"a": ["b"], "b": ["c", "d"]}


def test_documents_of_one_text_are_chained_alike_however_they_came(tmp_path):
    """As they came, or read again: a search takes a chain from its first to its newest, and back."""
    with neardup.open(tmp_path / "w") as window:
        list(window.ingest(alerts(200, 20)))
        chained = [column[:200].tolist() for column in window._session.state.table.columns[-2:]]
    with neardup.open(tmp_path / "w") as window:
        assert [column[:200].tolist() for column in window._session.state.table.columns[-2:]] == chained
        numbers, posted = window._session.state.table.compacted()
        assert [column.tolist() for column in window._session.state.table.columns[-2:]] == chained
        assert numbers.tolist() == list(range(200))
        assert [number for number in posted.tolist() if number >= 0] == sorted(set(chained[0]))


def test_the_members_of_one_that_leads_without_standing_have_an_heir(place):
    """b leads a group and, when a has gone, is not the earliest of a's members: so it stands for none. Then b goes."""
    window = place.open(window_hours=0, threshold="0.5")
    first, second, third = grams(0, 20), grams(6, 26), grams(12, 32)
    stream = [document("a", first, 5), document("b", second, 6), document("late", first, 2)]
    assert summaries(window.ingest(stream))[1:] == [("b", "near", "a", "a"), ("late", "exact", "a", "a")]
    window.delete("a")
    window.delete("late")
    assert summaries(window.ingest([document("c", third, 7)])) == [("c", "near", "b", "b")]
    list(window.reconcile())
    window.delete("b")
    assert summaries(window.ingest([document("d", third, 8)])) == [("d", "exact", "c", "c")]
    window = place.reopened(window)
    assert summaries(window.ingest([document("e", third, 9)])) == [("e", "exact", "c", "c")]
