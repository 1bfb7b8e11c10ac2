"""Scorers that share a backlog, in many random orders of their steps, some of which end at any of these."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest

from neardup.elastic.http.api import StoredDocument, Version
from neardup.elastic.http.scan import Entry
from neardup.elastic.watch import claims
from neardup.elastic.watch.claims import ClaimLost, Claims, PredecessorLost, Queue, Scan, position
from neardup.elastic.window import holders
from neardup.errors import ClusterConflict
from neardup.model.settings import HOUR_MS


class Documents:
    """One document of a cluster; now and then the answer to a write is lost, which then is told as a conflict."""

    def __init__(self, chance: random.Random) -> None:
        self.source: dict[str, Any] | None = None
        self.number, self.chance = 0, chance

    def get(self, *_: Any) -> StoredDocument | None:
        version = self.version()
        return None if self.source is None or version is None else StoredDocument(self.source, version)

    def version(self, *_: Any) -> Version | None:
        return None if self.source is None else Version(self.number, 1)

    def put(
        self, _c: Any, _i: Any, _n: Any, source: dict[str, Any], *, if_version: Version | None = None
    ) -> None:
        if if_version != self.version():
            raise ClusterConflict("u", "PUT", 409, "conflict", "changed", None)
        self.source, self.number = source, self.number + 1
        if self.chance.random() < 0.03:
            raise ClusterConflict("u", "PUT", 409, "conflict", "answer lost", None)


class Backlog:
    """Documents that wait, in order, and the order in which they were decided."""

    def __init__(self, count: int) -> None:
        self.entries = [Entry(i // 3, f"d{i:04}", "news-1", None) for i in range(count)]
        self.decided: list[str] = []

    def scan(self) -> Scan:
        marked = set(self.decided)
        return Scan(entry for entry in self.entries if entry.id not in marked)

    def decide(self, entries: tuple[Entry, ...]) -> None:
        marked = set(self.decided)
        self.decided += [entry.id for entry in entries if entry.id not in marked]


def scorer(queue: Claims, backlog: Backlog, batch: int) -> Iterator[None]:
    """A scorer step by step: between any two of these others may do theirs, or it may end."""
    while True:
        queue.begin_pass()
        entries = backlog.scan()
        yield
        while True:
            claim = queue.next(entries, most=batch)
            yield
            if claim is None:
                break
            yield from decided(queue, claim, backlog)


def decided(queue: Claims, claim: claims.Claim, backlog: Backlog) -> Iterator[None]:
    while True:
        try:
            yield
            while not queue.is_first(claim):
                yield
            backlog.decide(claim.entries)
            yield
            queue.done(claim)
            return
        except ClaimLost:
            return
        except PredecessorLost as lost:
            yield
            if queue.take_over(lost.claim):
                yield from decided(queue, lost.claim, backlog)


@pytest.mark.parametrize("scorers", [1, 2, 4])
@pytest.mark.parametrize("seed", range(60))
def test_documents_are_decided_in_order_whoever_ends(cluster, scorers, seed):
    chance = random.Random(seed)
    documents, backlog = Documents(chance), Backlog(60)
    with (
        mock.patch.object(claims, "get_doc", documents.get),
        mock.patch.object(claims, "doc_version", documents.version),
        mock.patch.object(claims, "put_doc", documents.put),
        mock.patch.object(claims, "create_doc", documents.put),
    ):
        running: list[tuple[Claims, Iterator[None]]] = []
        for _ in range(3_000):
            if len(running) < scorers:
                queue = Claims(cluster, missing_first=False)
                running.append((queue, scorer(queue, backlog, chance.randint(1, 9))))
            chosen = chance.randrange(len(running))
            next(running[chosen][1])
            if chance.random() < 0.02:
                running.pop(chosen)[0].close()
            if len(backlog.decided) == len(backlog.entries):
                break
    assert backlog.decided == [entry.id for entry in backlog.entries]


@pytest.fixture
def cluster():
    return mock.Mock(**{"address.state": "neardup-state-news"})


def test_one_that_says_nothing_for_its_time_is_taken_over(cluster):
    documents = Documents(mock.Mock(**{"random.return_value": 1}))
    with (
        mock.patch.object(claims, "get_doc", documents.get),
        mock.patch.object(claims, "doc_version", documents.version),
        mock.patch.object(claims, "put_doc", documents.put),
        mock.patch.object(claims, "create_doc", documents.put),
        mock.patch("neardup.elastic.watch.claims.time.monotonic") as clock,
    ):
        clock.return_value = 0.0
        backlog = Backlog(4)
        first, second = (Claims(cluster, missing_first=False, seconds=10) for _ in range(2))
        theirs = first.next(backlog.scan(), most=2)
        own = second.next(backlog.scan(), most=2)
        assert own is not None
        assert theirs is not None
        assert [entry.id for entry in own.entries] == ["d0002", "d0003"]
        assert not second.is_first(own)
        clock.return_value = 10.5
        with pytest.raises(PredecessorLost) as lost:
            second.is_first(own)
        assert lost.value.claim == theirs
        assert second.take_over(theirs)
        with pytest.raises(ClaimLost):
            first.is_first(theirs)
        first.done(theirs)
        assert not second.are_done()
        second.done(theirs)
        assert second.is_first(own)
        for each in (first, second):
            each.close()


def test_whoever_works_or_waits_says_so_and_reads_the_queue_only_when_it_has_changed(cluster):
    documents, reads = Documents(mock.Mock(**{"random.return_value": 1})), mock.Mock()
    reads.side_effect = documents.get
    with (
        mock.patch.object(claims, "get_doc", reads),
        mock.patch.object(claims, "doc_version", documents.version),
        mock.patch.object(claims, "put_doc", documents.put),
        mock.patch.object(claims, "create_doc", documents.put),
        mock.patch.object(claims, "now_ms") as now,
    ):
        now.return_value = 0
        first, second = (Claims(cluster, missing_first=False, seconds=10) for _ in range(2))
        theirs = first.next(Backlog(4).scan(), most=2)
        own = second.next(Backlog(4).scan(), most=2)
        assert theirs is not None
        assert own is not None
        reads.reset_mock()
        assert [second.is_first(own) for _ in range(5)] == [False] * 5
        assert reads.call_count == 1  # after its own write
        now.return_value = 3_000
        assert first.is_first(theirs)
        assert not second.is_first(own)
        assert documents.source is not None
        assert [each["until"] for each in documents.source["claims"]] == [13_000, 13_000]
        first.done(theirs)
        assert second.is_first(own)
        for each in (first, second):
            each.close()


def test_what_was_taken_and_not_claimed_comes_again(cluster):
    """Another scorer changes the queue just before the claim, and ends."""
    documents, backlog = Documents(mock.Mock(**{"random.return_value": 1})), Backlog(6)
    with (
        mock.patch.object(claims, "get_doc", documents.get),
        mock.patch.object(claims, "doc_version", documents.version),
        mock.patch.object(claims, "create_doc", documents.put),
    ):
        first, second = (Claims(cluster, missing_first=False) for _ in range(2))
        scan = backlog.scan()
        theirs = first.next(backlog.scan(), most=2)
        assert theirs is not None
        refusal = ClusterConflict("u", "PUT", 409, "conflict", "changed", None)

        def put(*arguments: Any, **options: Any) -> None:
            if not holders.has_ended(theirs.holder):
                first.close()
                raise refusal
            documents.put(*arguments, **options)

        with mock.patch.object(claims, "put_doc", put):
            assert second.next(scan, most=2) == theirs
        assert [entry.id for entry in scan] == ["d0002", "d0003", "d0004", "d0005"]
        second.close()


def test_a_batch_does_not_end_where_a_time_may_be_doubted():
    hours = [0, 0, 1, 40, 40, 40, 41, 90]
    entries = [Entry(hour * HOUR_MS, str(i), "news-1", None) for i, hour in enumerate(hours)]
    sizes = [len(claims.batch_of(iter(entries), most=most, near=12)) for most in range(1, 9)]
    assert sizes == [3, 3, 3, 6, 6, 6, 7, 8]
    assert len(claims.batch_of(iter(entries), most=4, near=None)) == 4
    assert claims.batch_of(iter(()), most=4, near=12) == []


def test_a_queue_is_read_as_it_was_written():
    queue = Queue().with_claim((Entry(None, "a", "news-1", "r"),), (2, 0, "a", "news-1"), "h", 5)
    assert Queue.read(queue.source()) == queue
    assert Queue.read({"claims": "?"}) == Queue()


def test_documents_without_a_time_are_first_or_last():
    timed, timeless = Entry(5, "b", "news-1", None), Entry(None, "a", "news-1", None)
    assert position(timeless, missing_first=True) < position(timed, missing_first=True)
    assert position(timed, missing_first=False) < position(timeless, missing_first=False)


def test_whoever_closed_is_known_to_have_ended(cluster):
    queue = Claims(cluster, missing_first=False)
    assert not holders.has_ended(queue._name)
    queue.close()
    assert holders.has_ended(queue._name)


def test_what_is_withdrawn_is_found_anew_and_what_others_claimed_stays(cluster):
    documents = Documents(mock.Mock(**{"random.return_value": 1}))
    one, other = Claims(cluster, missing_first=False), Claims(cluster, missing_first=False)
    backlog = Backlog(9)
    with (
        mock.patch.object(claims, "get_doc", documents.get),
        mock.patch.object(claims, "put_doc", documents.put),
        mock.patch.object(claims, "create_doc", documents.put),
    ):
        for queue in (one, other):
            queue.next(backlog.scan(), most=3)
        one.withdraw()
        one.begin_pass()
        anew = one.next(backlog.scan(), most=9)
        assert anew is not None
        assert [entry.id for entry in anew.entries] == ["d0000", "d0001", "d0002", "d0006", "d0007", "d0008"]
        one.withdraw()
        assert [claim.holder for claim in one._read().claims] == [other._name]
