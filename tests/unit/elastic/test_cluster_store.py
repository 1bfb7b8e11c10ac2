"""What the store of a window in a cluster holds of its documents, without a cluster."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from neardup.elastic.admin.managed_objects import WindowConfig
from neardup.elastic.http.address import Address
from neardup.elastic.http.api import DocumentRef
from neardup.elastic.http.client import Cluster
from neardup.elastic.window import loader, text_cache
from neardup.elastic.window.index_layout import ElasticContext, Layout
from neardup.elastic.window.loader import StoredPart
from neardup.elastic.window.look_ahead import LookAhead
from neardup.elastic.window.state_document import SettingsToLeave, StateDocument
from neardup.elastic.window.store import ClusterStore
from neardup.errors import LeaseLost, WindowDamaged
from neardup.model.document import Prepared
from neardup.model.settings import HOUR_MS, Recipe, Settings
from neardup.signing.signer import signer_for
from neardup.stores.base import Commit, NewDocuments, Records, SignedDocuments
from neardup.stores.records import ROW, SET_ASIDE
from neardup.window.base import SettingsChanged

NO_KEYS = np.empty(0, np.uint64)
KNOWN = Commit(seq=1, next_order=1)


@pytest.fixture
def lease():
    """One that is not held, so that nothing is asked of a cluster."""
    return mock.Mock(held=False)


@contextmanager
def a_store(lease, **settings):
    with Cluster(Address("http://127.0.0.1:1", "news"), patience=0) as cluster:
        signer = signer_for(Recipe())
        context = ElasticContext(cluster, Layout(cluster.address), lease, signer, Settings(**settings))
        yield ClusterStore(context, StateDocument({}, {}, KNOWN), lambda _: None, remember=True)


@pytest.fixture
def store(lease):
    with a_store(lease) as made:
        yield made


def rows_of(*arrivals_and_hours):
    rows = np.zeros(len(arrivals_and_hours), ROW)
    rows["order"] = [arrival for arrival, _ in arrivals_and_hours]
    rows["time"] = [hour * HOUR_MS for _, hour in arrivals_and_hours]
    rows["id_bytes"] = len(b"id")
    return rows


def added(store, arrival, hour, text):
    rows = rows_of((arrival, hour))
    document = Prepared("id", text, hour * HOUR_MS, hour)
    store.append(hour, NewDocuments(rows, [document], [text], [b"id"], NO_KEYS))
    return rows


def test_what_is_read_from_the_start_takes_the_place_of_all_that_was_held(store, monkeypatch):
    """After a batch that was refused its arrivals may be given again, to documents of other hours and texts."""
    rows = rows_of((0, 7))
    part = StoredPart(
        Records.of_one_part(rows, ["id"], NO_KEYS),
        [DocumentRef("index", "id")],
        [b"id"],
    )
    monkeypatch.setattr(loader, "stored_parts", lambda *_: iter([part]))
    monkeypatch.setattr(Layout, "existing_indices", lambda *_: {})
    list(store.records(Commit()))
    added(store, 1, 7, b"refused")
    list(store.records(Commit()))
    assert store._held.hours == {7}
    with pytest.raises(KeyError):
        store._held.ref(1)
    again = added(store, 1, 8, b"another")
    store._held.forget(7)
    assert (store.texts(again), store.blobs(again)) == ([b"another"], [b"id"])
    store._held.forget(8)
    assert not store._held.hours


def test_a_look_ahead_by_other_fields_is_not_used(store, monkeypatch):
    """`neardup setup` may change them meanwhile: the batch then read the texts of stored documents in the old field."""
    used = list[LookAhead]()
    monkeypatch.setattr(LookAhead, "brought_up_to", lambda ahead, *_: used.append(ahead))
    batch = SignedDocuments([Prepared("id", b"text", 7 * HOUR_MS, 7)], mock.Mock())
    about = WindowConfig(Recipe(), signer_for(Recipe()).text, text_field="body").about()
    for now in (StateDocument({}, {}, KNOWN), StateDocument(about, {}, KNOWN)):
        store._ahead = LookAhead.none(store._context)._replace(documents=batch.documents)
        store._adopt(now)
        store.candidates_of_batch(batch)
    assert [ahead.documents for ahead in used] == [batch.documents, ()]
    assert used[1].context.layout.text_field == "body"


def test_what_a_lost_lease_kept_from_being_committed_is_not_committed(store, lease):
    lease.commit.side_effect = LeaseLost("http://127.0.0.1:1/news", "another")
    with pytest.raises(LeaseLost):
        store.commit(KNOWN._replace(seq=2, next_order=2))
    assert store.committed == KNOWN


def test_until_the_commit_a_document_that_moves_is_read_where_it_is(store, lease, monkeypatch):
    """It is moved when all is decided, and its text may be needed before that."""
    asked = list[DocumentRef]()

    def no_text(_cluster, refs, **_fields):
        asked.extend(refs)
        return [None for _ in refs]

    rows = added(store, 1, 7, b"text")
    index = store._layout.index_for(7, copies=False)
    monkeypatch.setattr(text_cache, "mget", no_text)
    monkeypatch.setattr(text_cache, "is_readable", lambda *_: True)
    monkeypatch.setattr(store._writes, "send", lambda _epoch: {})
    monkeypatch.setattr(Layout, "check_made", lambda *_: None)
    rows["flags"] = SET_ASIDE
    store.revise(7, rows, "id", b"id")
    for _ in range(2):
        store._held._texts.forget([1])
        store.texts(rows)
        store.commit(KNOWN)
    assert asked == [DocumentRef(index, "id"), DocumentRef(store._layout.index_for(7, copies=True), "id")]


def test_a_commit_that_changes_what_others_left_to_be_remembered_says_so_once_for_each(lease, caplog):
    """Of two scorers in turn each logged a line for every batch."""
    ours, theirs = Settings(), Settings(window_hours=1, threshold=0.8)
    with a_store(lease) as store:
        store._settings = SettingsToLeave(ours.remembered, ours.remembered)
        for left in (ours, theirs, ours, theirs, Settings(window_hours=2), theirs):
            store._adopt(StateDocument({}, left.remembered, KNOWN))
            store.commit(KNOWN)
            assert store.previous["window_hours"] == 24
    first, second = caplog.messages
    assert "another process has set threshold 0.8, window_hours 1, keep_hours 1 for" in first
    assert "continues with threshold 0.7, window_hours 24, keep_hours 24" in first
    assert "another process has set window_hours 2, keep_hours 2 for" in second


def test_an_epoch_that_finds_settings_to_follow_ends_with_nothing_done(lease, caplog):
    """Else the next scorer would look for what a dead one had left."""
    state = StateDocument({}, Settings(threshold=0.9).remembered, KNOWN)
    with a_store(lease) as store:
        lease.acquire.return_value = state = replace(state, about={"recipe": store._context.signer.text})
        store.check_settings = mock.Mock(side_effect=SettingsChanged("threshold 0.9"))
        with pytest.raises(SettingsChanged), store.begin():
            raise AssertionError
    lease.release.assert_called_once_with(state)


def test_others_read_the_window_again_after_the_next_commit_and_not_after_each(store, lease):
    """They may hold documents that another client has deleted."""
    assert store.make_others_reread()
    for _ in range(2):
        store.commit(KNOWN)
    assert [call.args[0].changes for call in lease.commit.mock_calls] == [1, 1]


def test_a_first_commit_says_nothing_of_settings_that_its_opening_was_told_of(lease, caplog):
    with a_store(lease) as store:
        store._state = replace(store._state, commit=Commit(seq=0, next_order=0))
        store.commit(KNOWN)
    assert caplog.messages == []


def test_settings_that_no_writer_has_left_are_named_and_the_lease_is_let_go(lease):
    signer = signer_for(Recipe())
    garbage = StateDocument({"recipe": signer.text}, {"threshold": "much"}, KNOWN)
    lease.acquire.return_value = lease.read_existing.return_value = garbage
    with a_store(lease) as store:
        for ask in (store.refresh, store.begin().__enter__):
            with pytest.raises(
                WindowDamaged, match=r"the state of news .*threshold is 'much'.*neardup setup"
            ):
                ask()
    lease.commit.assert_called_once_with(garbage)
