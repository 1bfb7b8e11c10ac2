"""Scorers that hold no window, but search the cluster for each batch's candidates: random streams through one such
scorer, and through one beside a scorer with the window in memory, answer as one window in memory and as the slow
reference does.
"""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from testing.effort import examples
from testing.node.clients import (
    check_marked,
    expected,
    in_order,
    made,
    marks,
    put,
    stream,
    unwanted,
    watched,
    watching,
)
from testing.window.backends import START, Place, document, grams, summaries
from testing.window.cluster_prefixes import Prefixes
from testing.window.operations import SETTINGS, Operation, Run, comparable, operations
from testing.window.proxy import Proxy, too_large

import neardup
from neardup.elastic.admin.setup import set_up
from neardup.elastic.http.address import Address
from neardup.elastic.http.client import Cluster
from neardup.elastic.watch.claims import Claims
from neardup.elastic.window.lease import Lease
from neardup.elastic.window.store import ClusterStore
from neardup.errors import SettingsError
from neardup.model.settings import Settings

EXAMPLES = examples(25)
WHOLE_WINDOW = ("routes", "partial", "containment", "delta", "max_documents", "max_memory")
SEARCHED: dict[str, Any] = {"candidates": "search"}


@pytest.fixture(scope="module")
def prefixes(elasticsearch_url, credentials):
    prefixes = Prefixes(elasticsearch_url, credentials)
    yield prefixes
    prefixes.close()


def compare(place: Place, chosen: dict[str, Any], turns: list[tuple[Operation, int]]) -> None:
    """Every operation on the scorer whose turn it is; both of them, and a window in memory, know the same."""
    reference, memory = Run(Place("reference", place.path), chosen), Run(Place("memory", place.path), chosen)
    scorers = [Run(place, {**chosen, **SEARCHED}), Run(place, chosen)]
    for operation, turn in turns:
        answered = comparable(reference.perform(operation))
        assert comparable(memory.perform(operation)) == answered
        assert comparable(scorers[turn].perform(operation)) == answered, operation
    assert [scorer.state() for scorer in (memory, *scorers)] == [reference.state()] * 3


@pytest.mark.slow
@pytest.mark.parametrize("scorers", [1, 2])
def test_verdicts_are_those_of_a_window_in_memory(prefixes, tmp_path, scorers):
    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,), database=None, report_multiple_bugs=False,
    )  # fmt: skip
    @given(SETTINGS, st.sampled_from(("sketch", "complete")), st.integers(2, 12), operations(), st.data())
    def over_random_streams(
        drawn: dict[str, Any], retrieval: str, batch: int, stream: list[Operation], data: st.DataObject
    ) -> None:
        chosen = {name: value for name, value in drawn.items() if name not in WHOLE_WINDOW}
        turns = [(operation, data.draw(st.integers(0, scorers - 1))) for operation in stream]
        place = Place("elasticsearch", Path(tmp_path), prefixes)
        try:
            with Cluster(place.address(), prefixes.credentials) as cluster:
                set_up(cluster, settings=Settings(**chosen))
            compare(place, {**chosen, "retrieval": retrieval, "batch_documents": batch}, turns)
        finally:
            place.close()

    over_random_streams()


def test_it_watches(cluster):
    neardup.open(str(cluster.address)).close()
    documents = in_order(stream(300))
    put(cluster, documents)
    assert watched(cluster, settings=SEARCHED, batch=64) == expected(documents)


def test_marks_of_a_scorer_that_died_before_its_commit_are_made_again_in_their_turn(cluster, caplog):
    """Whoever takes its claim over reads the marks, which nobody has undone yet."""
    neardup.open(str(cluster.address)).close()
    documents = in_order(stream(120))
    put(cluster, documents)
    rest = watching(cluster, settings=SEARCHED, batch=16).verdicts(on_reject=unwanted)
    told = [next(rest)]
    with (
        mock.patch.dict(Claims.__init__.__kwdefaults__, seconds=1),  # that of `rest` is not given back yet
        mock.patch.object(Lease, "commit", side_effect=MemoryError),
        pytest.raises(MemoryError),
    ):
        list(watching(cluster, settings=SEARCHED, batch=16).verdicts(on_reject=unwanted))
    assert sum(map(bool, marks(cluster).values())) == 32
    told += rest
    assert "this one scores its documents" in caplog.text
    assert told == expected(documents)
    check_marked(cluster, documents, told)


def test_copies_of_long_texts_are_found(address):
    """Sketches are made of long texts without counting their q-grams."""
    chance = random.Random(5)
    long = [" ".join(f"{chance.randrange(10**9):09}" for _ in range(400)) for _ in range(6)]
    documents = [{"id": f"d{i}", "text": text, "time": START} for i, text in enumerate(long)]
    documents += [{"id": f"c{i}", "text": text[:-40], "time": START + 1} for i, text in enumerate(long)]
    with neardup.open(None) as reference, neardup.open(str(address), candidates="search") as window:
        for part in (documents[:6], documents[6:]):
            told = list(window.ingest(part))
            assert told == list(reference.ingest(part))
    assert {verdict.duplicate_of for verdict in told} == {f"d{i}" for i in range(6)}


@pytest.mark.parametrize("retrieval", ["sketch", "complete"])
@pytest.mark.parametrize("terms", [False, True])
def test_texts_too_short_for_a_qgram_are_copies_of_the_same_text_alone(cluster, terms, retrieval):
    set_up(cluster, sign="plugin", terms=terms)
    texts = ["of", "a line of a log", "a line of a log", "OK", "of", "of", "a line of the log", "ok", "OK"]
    documents = [{"id": f"d{i}", "text": text, "time": START + i} for i, text in enumerate(texts)]
    chosen: dict[str, Any] = {"retrieval": retrieval}
    with (
        neardup.open(None, **chosen) as reference,
        neardup.open(str(cluster.address), **chosen, **SEARCHED) as window,
    ):
        for part in (documents[:2], documents[2:5], documents[5:6], documents[6:]):
            assert list(window.ingest(part)) == list(reference.ingest(part))


@pytest.mark.parametrize("terms", [False, True])
def test_copies_of_texts_that_are_not_signed_are_found_without_loss(cluster, terms):
    """The query of the plugin takes longer texts than are signed only where it scans."""
    set_up(cluster, sign="plugin", max_length=1_000, terms=terms)
    words = [f"word{at:03}" for at in range(150)]
    texts = [" ".join(words[:120]), " ".join(words), "Rain."]
    with neardup.open(
        str(cluster.address), retrieval="complete", candidates="search", window_hours=0
    ) as window:
        (first,) = window.ingest([{"id": "a", "text": texts[0], "time": START}])
        rest = [{"id": str(at), "text": text, "time": START} for at, text in enumerate(texts[1:])]
        rejects = list[neardup.Reject]()
        (short,) = window.ingest(rest, on_reject=rejects.append)
        assert window.query(texts[1]).duplicate_of == "a"
    assert (first.status, short.status, [reject.id for reject in rejects]) == ("unique", "unique", ["0"])


def test_hours_of_both_forms_are_searched_and_late_documents_in_each(cluster):
    """What comes late is signed as the window is then, in an hour that was made for the other form."""
    documents = stream(120, hours=3)
    late = [{**each, "id": f"late-{each['id']}", "text": f"{each['text']} again"} for each in documents[::5]]
    rest = [
        {**each, "id": f"rest-{each['id']}", "text": f"{each['text']} more"} for each in late + documents[:40]
    ]
    told = []
    for terms, part in (
        (True, documents[:60]),
        (False, documents[60:] + late[:12]),
        (True, late[12:]),
        (False, rest),
    ):
        made(cluster, sign="plugin", terms=terms, window_hours=0)
        put(cluster, part)
        told += watched(cluster, settings=SEARCHED, batch=16)
    with neardup.open(None, window_hours=0) as window:
        for part in (documents[:60], documents[60:] + late[:12], late[12:], rest):
            wanted = list(window.ingest(in_order(part)))
            assert told[: len(wanted)] == wanted
            del told[: len(wanted)]
    assert not told


def test_texts_that_are_together_too_large_for_one_search_are_searched_for_in_parts(cluster):
    """The run ended at the first such batch, each time anew: all texts of it went in one query."""
    texts = [
        " ".join(f"{word * 7919 % 104729:x}" for word in range(at, at + 600)) for at in range(0, 8_000, 1_000)
    ]
    documents = [
        {"id": f"{text[:4]}{turn}", "text": f"{text} {turn}", "time": START}
        for turn in (0, 1)
        for text in texts
    ]
    with closing(Proxy(cluster.url)) as proxy:
        proxy.arm_where(too_large, lambda _, request: len(request.body or b"") > 4 * len(texts[0]))
        url = f"{proxy.url}/{cluster.address.prefix}"
        with neardup.open(url, retrieval="complete", candidates="search") as window:
            assert {verdict.status for verdict in window.ingest(documents[:8])} == {"unique"}
            assert {verdict.status for verdict in window.ingest(documents[8:])} == {"near"}


def test_a_text_that_is_too_large_for_a_search_is_rejected_and_those_beside_it_are_scored(cluster):
    """The run ended at it, each time anew."""
    texts = ["The ferry ran aground at dawn.", "Rain. " * 9_000, "The ferry ran aground at dusk."]
    with closing(Proxy(cluster.url)) as proxy:
        proxy.arm_where(too_large, lambda _, request: len(request.body or b"") > len(texts[1]))
        url = f"{proxy.url}/{cluster.address.prefix}"
        rejects = list[neardup.Reject]()
        with neardup.open(url, retrieval="complete", candidates="search") as window:
            for turn in range(2):
                documents = [
                    {"id": f"{turn}{at}", "text": text, "time": START} for at, text in enumerate(texts)
                ]
                verdicts = list(window.ingest(documents, on_reject=rejects.append))
                assert [verdict.id for verdict in verdicts] == [f"{turn}0", f"{turn}2"]
    assert verdicts[0].duplicate_of == "00"
    assert [reject.id for reject in rejects] == ["01", "11"]
    assert "its copies cannot be searched for" in rejects[1].reason
    assert "http.max_content_length" in rejects[1].reason


def test_a_document_that_is_too_large_for_a_search_is_marked_unscored(cluster):
    """It was the end of each `neardup watch`, and whatever came after it waited."""
    made(cluster)
    texts = ["Rain.", "The ferry ran aground at dawn. " * 2_000, "Snow."]
    documents = [
        {"id": str(at), "text": text, "time": f"2026-11-21T09:00:0{at}Z"} for at, text in enumerate(texts)
    ]
    put(cluster, documents[:1])
    assert len(watched(cluster)) == 1
    put(cluster, documents[1:])
    rejects: list[Any] = []
    with closing(Proxy(cluster.url)) as proxy:
        proxy.arm_where(too_large, lambda _, request: len(request.body or b"") > len(texts[1]))
        with Cluster(Address(proxy.url, cluster.address.prefix)) as limited:
            watcher = watching(limited, settings={"retrieval": "complete", **SEARCHED})
            told = list(watcher.verdicts(on_reject=rejects.append))
    assert [verdict.id for verdict in told] == ["2"]
    assert [reject.id for reject in rejects] == ["1"]
    assert [mark["status"] for mark in marks(cluster).values()] == ["unique", "unscored", "unique"]


def test_what_others_do_between_the_look_ahead_and_the_turn_counts(address):
    """Another scorer adds documents, moves an hour on, and replaces texts of some ids, just before each batch."""
    chance, documents = random.Random(7), stream(240)
    for at in range(60, 240, 7):
        begin = at - at % 12
        documents[at] = {**documents[at], "id": documents[chance.randrange(begin - 40, begin)]["id"]}
    parts = [documents[at : at + 12] for at in range(0, len(documents), 12)]
    reference = neardup.open(None, window_hours=4)
    expected = [list(reference.ingest(part)) for part in parts]
    looked, theirs = ClusterStore.look_ahead, list[list[neardup.Verdict]]()
    with (
        neardup.open(str(address), window_hours=4, candidates="search") as window,
        neardup.open(str(address), candidates="search") as other,
    ):
        own = []
        for before, part in zip(parts[::2], parts[1::2], strict=True):

            def look(store, batch, before=before):
                with mock.patch.object(ClusterStore, "look_ahead", looked):
                    looked(store, batch)
                    theirs.append(list(other.ingest(before)))

            with mock.patch.object(ClusterStore, "look_ahead", look):
                own.append(list(window.ingest(part)))
    assert theirs == expected[::2]
    assert own == expected[1::2]


def test_the_members_of_a_group_whose_head_is_a_member_of_another_are_known_when_it_is_replaced(address):
    """One of those that were found stood for the group, and not the earliest of all."""
    for opened in (neardup.open(None), neardup.open(str(address), candidates="search")):
        with opened as window:
            list(window.ingest([document("a", grams(12, 32)), document("b", grams(12, 32), 1)]))
            window.delete("a")
            list(window.ingest([document("d", grams(18, 38), 2), document("e", grams(6, 26), 3)]))
            verdicts = window.ingest([document("b", grams(100, 120), 4), document("f", grams(0, 20), 4)])
            assert summaries(verdicts) == [("b", "unique", None, "b"), ("f", "near", "e", "f")]


def test_what_needs_the_whole_window_is_refused(address):
    with pytest.raises(SettingsError, match="partial"):
        neardup.open(str(address), partial=True, candidates="search")


def test_a_refresh_reads_no_documents_and_tells_what_others_have_committed(address):
    """The first question to `neardup serve` or `mcp` read the whole window into memory."""
    text = "The cat sat on the mat."
    first, second, third, fourth, fifth = ({"id": id, "text": text, "time": START} for id in "abcde")
    with neardup.open(str(address)) as writer:
        list(writer.ingest([first]))
        with (
            neardup.open(str(address), **SEARCHED) as scorer,
            mock.patch.object(ClusterStore, "records", side_effect=AssertionError("reads all")),
        ):
            assert [scorer.refresh(), scorer.refresh()] == [False, False]
            list(scorer.ingest([second]))
            assert not scorer.refresh()  # its own
            list(scorer.ingest([third]))
            assert [match.id for match in scorer.query(text).matches] == ["a", "b", "c"]
        with neardup.open(str(address), readonly=True, **SEARCHED) as reader:
            assert not reader.refresh()
            list(writer.ingest([fourth]))
            with mock.patch.object(ClusterStore, "records", side_effect=AssertionError("reads all")):
                assert [reader.refresh(), reader.refresh()] == [True, False]
                assert len(reader.query(text).matches) == 4
            assert len(reader) == 4
            list(writer.ingest([fifth]))
            assert [reader.refresh(), len(reader)] == [True, 5]
