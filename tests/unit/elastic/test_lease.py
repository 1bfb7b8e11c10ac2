"""A lease: one holds it, the others wait or stand by; one that died is found out, and loses what it did not commit."""

from __future__ import annotations

import re
import socket
import time
from dataclasses import replace

import orjson
import pytest
from testing.cluster_stand_in import Answer, error, standing_in

from neardup.elastic.http import api
from neardup.elastic.http.address import Address
from neardup.elastic.http.client import Cluster
from neardup.elastic.watch.leadership import LeaderDocument, leadership
from neardup.elastic.window import holders, setup_changes, state_document
from neardup.elastic.window import lease as lease_module
from neardup.elastic.window.lease import Lease
from neardup.elastic.window.state_document import ABORTED_ARRIVALS, StateDocument, read_state, scoring_lease
from neardup.errors import LeaseLost, WindowDamaged, WindowLocked
from neardup.stores.base import Commit

DEAD_HERE = holders.new_holder()
"""A name of this process that nobody bears any more."""
ELSEWHERE = "another.machine:1:abcdef01"
FUTURE = 2**53


class Documents:
    """The documents of an index, each with its version, behind their API."""

    def __init__(self) -> None:
        self.sources: dict[str, tuple[int, dict[str, object]]] = {}

    def __call__(self, request):
        path, _, query = request.path.partition("?")
        name = path.rpartition("/")[2]
        number, source = self.sources.get(name, (0, None))
        found = {"found": source is not None, "_source": source, "_seq_no": number, "_primary_term": 1}
        if request.method == "GET":
            return Answer(200 if found["found"] else 404, found)
        match = re.search(r"if_seq_no=(\d+)", query)
        refused = "op_type=create" in query and source is not None
        if refused or (match and int(match[1]) != number):
            return error(409, "version_conflict_engine_exception", "somebody was faster")
        self.sources[name] = number + 1, orjson.loads(request.body)
        return Answer(200, {"_seq_no": number + 1, "_primary_term": 1})


@pytest.fixture
def cluster():
    with standing_in(Documents()) as server, Cluster(Address(server.url, "news"), patience=0) as cluster:
        yield cluster


@pytest.fixture
def state(cluster):
    state = StateDocument({"recipe": "r"}, {})
    scoring_lease(cluster).create(state)
    return state


def left_by(cluster, holder, until=FUTURE):
    """The state document, as a holder left it that says nothing more."""
    lease = scoring_lease(cluster)
    state = lease.read()
    assert state is not None
    assert lease._write(state.held_by(holder, until))


def test_what_is_committed_in_an_epoch_is_what_the_next_one_begins_with(cluster, state):
    first, second = scoring_lease(cluster), scoring_lease(cluster)
    begun = first.acquire()
    assert (begun.undo, begun.epoch, first.held) == ((), 1, True)
    first.commit(begun.held_by(None, 0).next_epoch(lost=False))
    assert not first.held
    assert second.acquire().epoch == 3
    assert read_state(cluster) == second.state


def test_a_lease_that_is_made_is_not_made_anew(cluster, state):
    scoring_lease(cluster).create(StateDocument({"recipe": "other"}, {}))
    assert read_state(cluster) == state


@pytest.fixture
def short(monkeypatch):
    """Leases of a fraction of a second."""
    monkeypatch.setattr(state_document, "LEASE_SECONDS", 0.4)


def test_who_waits_in_vain_is_told_for_whom(cluster, state, short):
    class AtWork(Lease[StateDocument]):
        """Another machine's scorer says that it is at work, each time that somebody looks."""

        def read(self):
            left_by(cluster, ELSEWHERE)
            return super().read()

    with pytest.raises(WindowLocked, match="another"):
        AtWork(cluster, StateDocument, "window", seconds=state_document.LEASE_SECONDS).acquire()


def test_who_waits_while_others_take_turns_waits_until_it_is_its_own(cluster, state, short):
    """Of many scorers one had no turn for two minutes, and its run ended, although each of the others let go."""
    start = time.monotonic()

    class AmongMany(Lease[StateDocument]):
        """Each time that somebody looks, another machine's scorer has the next epoch; for a while."""

        def read(self):
            other = scoring_lease(cluster)
            now = other.read()
            assert now is not None
            is_taken = time.monotonic() - start < 3 * state_document.LEASE_SECONDS
            holder = ELSEWHERE if is_taken else None
            assert other._write(replace(now, epoch=now.epoch + 1).held_by(holder, FUTURE))
            return super().read()

    lease = AmongMany(cluster, StateDocument, "window", seconds=state_document.LEASE_SECONDS)
    assert not lease.acquire().undo


def test_a_clock_that_is_ahead_leaves_nobody_waiting_for_ever(cluster, state, short):
    left_by(cluster, ELSEWHERE, FUTURE)
    assert scoring_lease(cluster).acquire().undo


def test_who_is_silent_has_the_lease_until_it_ends(cluster, state, monkeypatch):
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr("neardup.elastic.window.lease.now_ms", lambda: int(1_000 * now))
    seconds = state_document.LEASE_SECONDS
    left_by(cluster, ELSEWHERE, 900 * seconds)
    waiting = scoring_lease(cluster)
    document = waiting.read_existing()
    now = 0.89 * seconds
    assert not waiting.is_lost(document)
    now = 0.91 * seconds
    assert waiting.is_lost(document)


def test_a_clock_that_is_behind_costs_nobody_the_lease_who_says_that_it_is_at_work(cluster, state, short):
    lease = scoring_lease(cluster)
    for _ in range(4):
        left_by(cluster, ELSEWHERE, 1)
        document = lease.read()
        assert document is not None
        assert not lease.is_lost(document)
        time.sleep(0.05)
    time.sleep(0.2)
    assert lease.is_lost(lease.state)


def test_a_clock_that_is_behind_by_more_than_a_lease_costs_nobody_the_lease_who_renews_it(
    cluster, state, monkeypatch
):
    """A holder that is asked twice a second whether it is at work says so a moment after it is due."""
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr("neardup.elastic.window.lease.now_ms", lambda: 0)
    holder, waiting = scoring_lease(cluster), scoring_lease(cluster)
    holder._name = ELSEWHERE
    holder.acquire()
    monkeypatch.setattr("neardup.elastic.window.lease.now_ms", lambda: FUTURE)
    for tenth in range(10 * state_document.LEASE_SECONDS):
        now = tenth / 10
        document = waiting.read()
        assert document is not None
        assert not waiting.is_lost(document), now
        if not tenth % 5:
            holder.ensure_held()
    assert holder.held
    now += state_document.LEASE_SECONDS
    assert waiting.is_lost(waiting.read_existing())


@pytest.mark.parametrize(
    "change",
    [
        {"about": None}, {"settings": "x"}, {"commit": {"seq": 1}}, {"commit": {"more": 1}}, {"commit": 5},
        {"commit": {**Commit()._asdict(), "next_order": "many"}}, {"changes": None}, {"gaps": [{"from": 1}]},
        {"gaps": None}, {"holder": 7}, {"until": "soon"}, {"archive": []}, {"turn": "x"}, {"undo": ["a"]},
    ],
)  # fmt: skip
def test_a_state_that_no_scorer_has_left_is_named(cluster, state, change):
    api.put_doc(cluster, cluster.address.state, "window", {**state.source(), **change})
    with pytest.raises(
        WindowDamaged, match=r"neardup-state-news/window .*neardup setup --window http.*--in-place"
    ):
        read_state(cluster)


@pytest.mark.parametrize("garbage", [{}, {"holder": 7, "until": FUTURE}, {"holder": "x", "until": "y"}])
def test_a_leader_that_nobody_understands_is_none(cluster, garbage):
    api.put_doc(cluster, cluster.address.state, "watch", garbage)
    assert leadership(cluster).try_acquire()


@pytest.mark.parametrize("holder", ["", "x", ":", f"{holders.new_holder().split(':')[0]}:x:y"])
def test_a_name_that_is_none_is_that_of_somebody_elsewhere(holder):
    assert not holders.has_ended(holder)


def test_there_is_no_lease_where_there_is_no_window(cluster):
    assert read_state(cluster) is None
    with pytest.raises(WindowDamaged, match=r"no such document.*neardup setup --window http"):
        scoring_lease(cluster).acquire()


@pytest.mark.parametrize(
    ("holder", "until"), [(DEAD_HERE, FUTURE), (ELSEWHERE, 1)], ids=["here", "elsewhere"]
)
def test_the_arrivals_of_a_holder_that_died_never_count(cluster, state, short, holder, until):
    left_by(cluster, holder, until)
    begun = scoring_lease(cluster).acquire()
    assert begun.commit == Commit(next_order=ABORTED_ARRIVALS)
    assert (begun.aborted, begun.undo, begun.epoch) == (((0, ABORTED_ARRIVALS),), (0,), 1)


def test_who_was_only_about_to_let_go_is_not_told_to_have_died(cluster, state, caplog):
    class Overtaken(Lease[StateDocument]):
        """The holder, whose process knows it no longer, lets go of it just after somebody has read that it holds."""

        looks = 0

        def read(self):
            self.looks += 1
            if self.looks > 1:
                return super().read()
            left_by(cluster, DEAD_HERE)
            document = super().read()
            left_by(cluster, None)
            return document

    lease = Overtaken(cluster, StateDocument, "window", seconds=state_document.LEASE_SECONDS)
    assert not lease.acquire().undo
    assert not caplog.messages


def test_epochs_that_are_lost_one_after_another_leave_one_aborted_range():
    state = StateDocument({}, {}, Commit(next_order=5))
    for _ in range(3):
        state = state.next_epoch(lost=True)
    assert (state.aborted, state.undo) == (((5, 5 + 3 * ABORTED_ARRIVALS),), (0, 1, 2))
    first = state.commit.next_order + 7
    state = replace(state, commit=state.commit._replace(next_order=first)).next_epoch(lost=True)
    assert state.aborted[1:] == ((first, first + ABORTED_ARRIVALS),)


def test_of_aborted_ranges_so_many_are_remembered_that_a_query_takes_them():
    """OpenSearch takes 1,024 clauses, of which each is one."""
    state = StateDocument({}, {})
    for _ in range(1_100):
        state = state.next_epoch(lost=True).without_undo()
        last = state.aborted[-1]
        state = state.with_commit(Commit(next_order=state.commit.next_order + 5), {}, removes=False)
    assert len(state.aborted) < 500
    assert state.aborted[-1] == last
    source = state.source()
    assert StateDocument.read(source) == state
    every = [{"from": 2 * each, "to": 2 * each + 1} for each in range(1_100)]
    read = StateDocument.read({**source, "gaps": every})
    assert (len(read.aborted), read.aborted[-1]) == (len(state.aborted), (2_198, 2_199))


def test_who_has_lost_the_lease_commits_nothing(cluster, state):
    slow = scoring_lease(cluster)
    begun = slow.acquire()
    left_by(cluster, ELSEWHERE)
    slow.ensure_held()  # asks only now and then
    with pytest.raises(LeaseLost, match="another"):
        slow.commit(begun)
    assert not slow.held


def test_who_has_lost_the_lease_is_told_when_it_renews(cluster, state):
    slow = scoring_lease(cluster)
    slow.acquire()
    left_by(cluster, ELSEWHERE)
    with pytest.raises(LeaseLost, match="another"):
        slow.renew()
    assert not slow.held


@pytest.mark.parametrize("holds", [False, True])
def test_a_state_that_was_made_anew_is_not_taken_for_an_earlier_one_of_the_same_version(holds, monkeypatch):
    """An index that is deleted and made anew counts versions from the beginning."""
    monkeypatch.setattr(lease_module, "SURE_SECONDS", 0.0)
    documents = Documents()
    with standing_in(documents) as server, Cluster(Address(server.url, "news"), patience=0) as cluster:
        first = scoring_lease(cluster)
        first.create(StateDocument({"recipe": "r"}, {}))
        begun = first.acquire()
        if not holds:
            first.commit(begun)
        before = documents.sources.pop("window")[0]
        other = scoring_lease(cluster)
        other.create(StateDocument({"recipe": "r"}, {}))
        other.acquire()
        other.commit(replace(other.state, commit=Commit(next_order=7)))
        documents.sources["window"] = before, documents.sources["window"][1]
        committed = read_state(cluster)
        assert committed is not None
        if holds:
            with pytest.raises(LeaseLost):
                first.commit(begun)
        else:
            assert first.acquire() == committed.next_epoch(lost=False)
            first.release()
        state = read_state(cluster)
        assert state is not None
        assert state.commit == committed.commit


def test_what_a_dead_scorer_left_outlives_a_change_of_the_state_alone(cluster, state):
    left_by(cluster, DEAD_HERE)
    setup_changes.change_state(cluster, lambda state: replace(state, about={"recipe": "s"}))
    changed = read_state(cluster)
    assert changed is not None
    assert changed.about == {"recipe": "s"}
    next_scorer = scoring_lease(cluster)
    begun = next_scorer.acquire()
    assert begun.undo == (0, 1)
    next_scorer.commit(begun.without_undo())
    setup_changes.change_state(cluster, lambda state: replace(state, about={"recipe": "t"}))
    assert not scoring_lease(cluster).acquire().undo


@pytest.mark.parametrize("at_once", [True, False])
def test_an_epoch_that_failed_is_undone_by_the_next(cluster, state, at_once):
    lease = scoring_lease(cluster)
    begun = lease.acquire()
    lease.fail(begun, at_once=at_once)
    assert not lease.held
    assert scoring_lease(cluster).acquire().undo == (1,)


def test_of_several_watchers_one_leads(cluster):
    first, second = leadership(cluster), leadership(cluster)
    assert first.try_acquire()
    assert not second.try_acquire()
    assert second.holder == first.holder
    first.release()
    assert second.try_acquire()
    assert not first.try_acquire()


def test_a_leader_that_is_due_says_so_and_one_that_was_replaced_stands_by(cluster, monkeypatch):
    lease, other = leadership(cluster), leadership(cluster)
    assert lease.try_acquire()
    before = lease.state.until
    monkeypatch.setattr(lease, "_renewed", 0.0)
    assert lease.try_acquire()
    assert lease.state.until >= before
    other.read()
    assert other._write(LeaderDocument(ELSEWHERE, FUTURE))
    monkeypatch.setattr(lease, "_renewed", 0.0)
    assert not lease.try_acquire()
    assert (lease.held, lease.holder) == (False, ELSEWHERE)


def test_a_process_of_this_machine_that_is_gone_has_ended():
    host, _, rest = DEAD_HERE.split(":")
    assert holders.has_ended(f"{host}:{2**22 + 1}:{rest}")
    assert not holders.has_ended(f"{host}:1:{rest}")


DEAD_PID = 2**22 + 1


@pytest.mark.parametrize("differs", ["_BOOT_ID", "_PID_NAMESPACE"])
def test_of_another_machine_or_container_of_the_same_name_nobody_is_known_to_be_dead(
    differs, monkeypatch, tmp_path
):
    if not holders._BOOT_ID.exists():
        pytest.skip("machines and containers of one name are told apart on Linux")
    (tmp_path / "another").write_text("9e107d9d-372b-4b38-9a6b-9e3f2c1d4a55")
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(holders, differs, tmp_path / "another")
        left = holders.new_holder()
    machine, pid, own = left.split(":")
    for number in (pid, DEAD_PID):
        assert not holders.has_ended(f"{machine}:{number}:{own}")
        assert holders.has_ended(f"{holders.new_holder().split(':')[0]}:{number}:{own}")


def test_a_name_of_an_earlier_version_is_that_of_somebody_elsewhere():
    if not holders._BOOT_ID.exists():
        pytest.skip("machines and containers of one name are told apart on Linux")
    left = f"{socket.gethostname()}:{DEAD_PID}:abcdef01"
    assert not holders.has_ended(left)


def test_where_nothing_more_is_known_of_a_machine_its_name_tells_it_apart(monkeypatch, tmp_path):
    monkeypatch.setattr(holders, "_BOOT_ID", tmp_path / "none")
    monkeypatch.setattr(holders, "_PID_NAMESPACE", tmp_path / "none")
    assert holders.new_holder().split(":")[0] == socket.gethostname()
    assert holders.has_ended(f"{socket.gethostname()}:{DEAD_PID}:abcdef01")
